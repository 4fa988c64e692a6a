//! Writes and removes hob's files for a service manager, which hob recognises by a mark.
//!
//! A line of each file holds a hash of the file and the number of folders that were made for it. So hob never
//! overwrites a file that is not its own, or that somebody has changed, and removes exactly what it made. The hash is
//! no protection from malice, which could write any file here anyway.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hob_proto::places::fnv1a;

/// The placeholder of the mark in a template.
const PLACE: &str = "@MARK@";

/// The text before the sum in a mark.
const SUM: &str = "hob: sum=";

/// The text between the hash and the number of folders.
const FOLDERS: &str = " folders=";

/// The kind of file at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FoundServiceFile {
    /// Nothing exists at the path.
    Nothing,
    /// A file of hob's in its written form, with the number of folders that were made for it.
    Ours(usize),
    /// A file of hob's that somebody has changed since.
    Changed(usize),
    /// A file that hob did not write.
    Foreign,
}

/// Looks at a path.
pub(super) fn inspect_file(path: &Path) -> io::Result<FoundServiceFile> {
    let text = match fs::read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A link that leads nowhere belongs to the user: service managers give a meaning to `/dev/null` and the
            // like.
            let is_link = fs::symlink_metadata(path).is_ok();
            return Ok(if is_link { FoundServiceFile::Foreign } else { FoundServiceFile::Nothing });
        }
        Err(error) => return Err(error),
    };
    Ok(match mark_in(&text) {
        Some((sum, folders))
            if with_mark(&text.replacen(&mark_line(sum, folders), PLACE, 1), folders) == text =>
        {
            FoundServiceFile::Ours(folders)
        }
        Some((_, folders)) => FoundServiceFile::Changed(folders),
        None => FoundServiceFile::Foreign,
    })
}

/// Writes a file of hob's whose text is `template` with a mark, and the folders above it. Returns true if that changed
/// the file.
pub(super) fn write(path: &Path, template: &str, also_made: usize) -> io::Result<bool> {
    let found = inspect_file(path)?;
    let folders = match found {
        FoundServiceFile::Ours(folders) | FoundServiceFile::Changed(folders) => folders.max(also_made),
        FoundServiceFile::Nothing | FoundServiceFile::Foreign => make_folders(path.parent())? + also_made,
    };
    let text = with_mark(template, folders);
    if fs::read(path).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(false);
    }
    // The file changes at once: a service manager may read it at any moment.
    let beside = with_ending(path, ".hob-new");
    fs::write(&beside, text)?;
    fs::rename(&beside, path)?;
    Ok(true)
}

/// The outcome of removing a file of hob's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Removed {
    /// There was no file to remove.
    Nothing,
    /// The file is removed.
    Gone,
    /// Somebody had changed it; it was moved here, where no service manager looks.
    Kept(PathBuf),
    /// The file is not hob's, and stays.
    Foreign,
}

impl Removed {
    /// Describes the outcome for the file at `path`; `None` if there was none.
    pub(super) fn describe(&self, path: &Path) -> Option<String> {
        let path = path.display();
        Some(match self {
            Self::Nothing => return None,
            Self::Gone => format!("removed {path}"),
            Self::Kept(to) => format!("{path} was changed since it was written: it is {} now", to.display()),
            Self::Foreign => format!("{path} was not written by hob and stays"),
        })
    }
}

/// Removes a file of hob's, and the folders that were made for it if they are empty.
pub(super) fn remove(path: &Path) -> io::Result<Removed> {
    let removed = match inspect_file(path)? {
        FoundServiceFile::Nothing => return Ok(Removed::Nothing),
        FoundServiceFile::Foreign => return Ok(Removed::Foreign),
        FoundServiceFile::Ours(folders) => {
            fs::remove_file(path)?;
            remove_folders(path.parent(), folders);
            Removed::Gone
        }
        FoundServiceFile::Changed(_) => {
            let beside = with_ending(path, ".changed");
            fs::rename(path, &beside)?;
            Removed::Kept(beside)
        }
    };
    Ok(removed)
}

/// Makes a folder and those above it; returns the number of new ones.
pub(super) fn make_folders(folder: Option<&Path>) -> io::Result<usize> {
    let Some(folder) = folder else { return Ok(0) };
    let missing = folder.ancestors().take_while(|folder| !folder.exists()).count();
    fs::create_dir_all(folder)?;
    Ok(missing)
}

/// Removes a folder and those above it, `count` in all, as far as they are empty.
pub(super) fn remove_folders(folder: Option<&Path>, count: usize) {
    for folder in folder.into_iter().flat_map(Path::ancestors).take(count) {
        if fs::remove_dir(folder).is_err() {
            return;
        }
    }
}

fn with_mark(template: &str, folders: usize) -> String {
    template.replacen(PLACE, &mark_line(fnv1a(template.as_bytes()), folders), 1)
}

fn mark_line(sum: u64, folders: usize) -> String {
    format!("{SUM}{sum:016x}{FOLDERS}{folders}")
}

fn mark_in(text: &str) -> Option<(u64, usize)> {
    let (_, after) = text.split_once(SUM)?;
    let (sum, after) = after.split_once(FOLDERS)?;
    let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    Some((u64::from_str_radix(sum, 16).ok()?, after[..digits].parse().ok()?))
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEMPLATE: &str = "# @MARK@\n[Unit]\nDescription=x\n";

    #[test]
    fn what_was_made_is_removed_and_nothing_else() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("a/b/file.service");
        fs::create_dir(dir.path().join("a")).expect("made");
        assert!(write(&path, TEMPLATE, 0).expect("written"));
        assert_eq!(inspect_file(&path).expect("read"), FoundServiceFile::Ours(1));
        assert!(!write(&path, TEMPLATE, 0).expect("written"), "it is the same");
        assert!(write(&path, &TEMPLATE.replace('x', "y"), 0).expect("written"));
        assert_eq!(
            inspect_file(&path).expect("read"),
            FoundServiceFile::Ours(1),
            "what was made at first is still known"
        );
        assert_eq!(remove(&path).expect("removed"), Removed::Gone);
        assert!(dir.path().join("a").exists() && !dir.path().join("a/b").exists());
        assert_eq!(remove(&path).expect("no error"), Removed::Nothing);
    }

    #[test]
    fn what_somebody_changed_or_wrote_is_kept() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("file.service");
        write(&path, TEMPLATE, 0).expect("written");
        let text = fs::read_to_string(&path).expect("read");
        fs::write(&path, text.replace("Description=x", "Description=mine")).expect("written");
        assert_eq!(inspect_file(&path).expect("read"), FoundServiceFile::Changed(0));
        let kept = dir.path().join("file.service.changed");
        assert_eq!(remove(&path).expect("moved"), Removed::Kept(kept.clone()));
        assert!(fs::read_to_string(kept).expect("kept").contains("mine"));
        fs::write(&path, "[Unit]\n").expect("written");
        assert_eq!(remove(&path).expect("no error"), Removed::Foreign);
        assert!(path.exists());
    }
}
