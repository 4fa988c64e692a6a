//! Unpacks the sources of a jar into a folder of hob's cache, once.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use hob_base::{AbsPath, lock};

use super::jar::{JarListing, each_file};

/// The ending of the note next to a folder: its own time is the last use, and its contents are the bytes of the folder.
pub(crate) const USED: &str = ".used";

/// The ending of a folder that is being filled.
const FILLING: &str = ".filling";

/// Time within which another use is not noted again.
const NOTED: Duration = Duration::from_secs(3600);

/// Number of characters of the hash in the name of a folder, and of the artifact's name before it.
const HASH: usize = 16;
const NAME: usize = 80;

/// Endings of files that are no sources.
const LEFT_OUT: [&str; 2] = [".class", ".jar"];

/// The folder of unpacked sources.
#[derive(Debug)]
pub(crate) struct UnpackedSources {
    folder: AbsPath,
    /// Held while a jar is unpacked, so that no two calls fill one folder.
    filling: Mutex<()>,
}

impl UnpackedSources {
    pub(crate) fn in_folder(folder: AbsPath) -> Self {
        Self { folder, filling: Mutex::new(()) }
    }

    /// Returns the folder of a jar's sources, if they have been unpacked.
    pub(crate) fn known_folder(&self, name: &str, listing: &JarListing) -> Option<AbsPath> {
        let folder = self.folder_of(name, listing);
        folder.as_path().is_dir().then_some(folder)
    }

    /// Unpacks the jar at `jar` unless it has been, notes the use, and returns the folder of its sources.
    ///
    /// # Errors
    /// Any error of the system.
    pub(crate) fn unpack_jar(&self, name: &str, jar: &Path, listing: &JarListing) -> io::Result<AbsPath> {
        let _alone = lock(&self.filling);
        let folder = self.folder_of(name, listing);
        let note = with_ending(folder.as_path(), USED);
        if folder.as_path().is_dir() {
            note_use(&note, None)?;
            return Ok(folder);
        }
        fs::create_dir_all(self.folder.as_path())?;
        let filling = with_ending(folder.as_path(), FILLING);
        let _ = fs::remove_dir_all(&filling);
        let bytes = fill_folder(&filling, jar)?;
        note_use(&note, Some(bytes))?;
        fs::rename(&filling, folder.as_path())?;
        Ok(folder)
    }

    fn folder_of(&self, name: &str, listing: &JarListing) -> AbsPath {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || ['-', '.', '_'].contains(&c);
        let name: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).take(NAME).collect();
        let hash: String = listing.hash.to_string().chars().take(HASH).collect();
        self.folder.join(format!("{}-{hash}", name.trim_start_matches('.')))
    }
}

/// Writes the files of a jar into a new folder and returns their bytes.
fn fill_folder(folder: &Path, jar: &Path) -> io::Result<u64> {
    fs::create_dir_all(folder)?;
    let (mut bytes, mut failed) = (0, None);
    let read = each_file(jar, &mut |name, contents| {
        if failed.is_some() || LEFT_OUT.iter().any(|ending| name.ends_with(ending)) {
            return;
        }
        bytes += contents.len() as u64;
        failed = write_file(&folder.join(name), contents).err();
    });
    let outcome = match (read, failed) {
        (Some(()), None) => return Ok(bytes),
        (None, _) => io::Error::new(io::ErrorKind::InvalidData, "it is no jar"),
        (_, Some(error)) => error,
    };
    let _ = fs::remove_dir_all(folder);
    Err(outcome)
}

/// Writes one file. Names that differ in case alone may be one file on this system: the first one stays.
fn write_file(path: &Path, contents: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        opened => opened?.write_all(contents),
    }
}

/// Notes that a folder is used now, and its bytes when it is new.
fn note_use(note: &Path, bytes: Option<u64>) -> io::Result<()> {
    if let Some(bytes) = bytes {
        return fs::write(note, bytes.to_string());
    }
    let now = SystemTime::now();
    let file = File::options().append(true).create(true).open(note)?;
    let is_new = file.metadata()?.modified()?;
    match now.duration_since(is_new) {
        Ok(age) if age > NOTED => file.set_modified(now),
        _ => Ok(()),
    }
}

fn with_ending(folder: &Path, ending: &str) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::super::jar::{fixture::jar_of, list_jar};
    use super::*;

    #[test]
    fn the_same_sources_are_unpacked_once_and_stay_below_their_folder() {
        let machine = tempfile::tempdir().expect("a folder");
        let files = [
            ("com/acme/A.java", "class A {}"),
            ("com/acme/A.class", "x"),
            ("../../escaped.java", "class E {}"),
        ];
        let jars = ["one.jar", "two.jar"].map(|name| machine.path().join(name));
        for jar in &jars {
            fs::write(jar, jar_of(&files)).expect("a file");
        }
        let cache = AbsPath::new(machine.path().join("cache/packages")).expect("absolute");
        let unpacked = UnpackedSources::in_folder(cache.clone());
        let folders = jars.map(|jar| {
            let listing = list_jar(&jar).expect("a jar");
            unpacked.unpack_jar("org.acme:a:1", &jar, &listing).expect("the disk has room")
        });
        assert_eq!(folders[0], folders[1]);
        let text = fs::read_to_string(folders[0].join("com/acme/A.java").as_path()).expect("it was unpacked");
        assert_eq!(text, "class A {}");
        assert!(!folders[0].join("com/acme/A.class").as_path().exists());
        let mut listed: Vec<String> = fs::read_dir(cache.as_path())
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().display().to_string())
            .collect();
        listed.sort();
        assert_eq!(listed.len(), 2, "{listed:?}");
        assert!(listed[1].ends_with(USED) && !machine.path().join("escaped.java").exists(), "{listed:?}");
        let broken = machine.path().join("broken.jar");
        fs::write(&broken, "no jar").expect("a file");
        let listing = list_jar(&machine.path().join("one.jar")).expect("a jar");
        assert!(UnpackedSources::in_folder(cache.join("other")).unpack_jar("b", &broken, &listing).is_err());
    }
}
