//! Reads a user's file and replaces it, whole or not at all.
//!
//! A link stays a link: hob changes its target. The new file is written beside the old one, gets its mode and owner and
//! then its name, so that nobody ever reads half of it. hob refuses a file whose properties it cannot keep (another
//! owner, a second hard link), and one that the user has protected.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Size limit of a configuration, in bytes; a larger file has another purpose.
const LARGEST: u64 = 64 << 20;

/// A file in its present state.
#[derive(Debug)]
pub(crate) struct AgentFile {
    /// The path of its bytes, after links.
    pub(crate) target: PathBuf,
    /// Its contents; `None` if there is no file.
    pub(crate) bytes: Option<Vec<u8>>,
}

fn with_path(path: &Path, problem: impl std::fmt::Display) -> String {
    format!("`{}`: {problem}", path.display())
}

/// Reads the file, following links.
///
/// # Errors
/// The reason, as a sentence, why hob may not change the file that is there.
pub(crate) fn read_config_file(path: &Path) -> Result<AgentFile, String> {
    let target = follow_links(path)?;
    let about = match fs::metadata(&target) {
        Ok(about) => about,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(AgentFile { target, bytes: None });
        }
        Err(error) => return Err(with_path(&target, error)),
    };
    if !about.is_file() {
        return Err(with_path(&target, "this is no regular file; move it out of the way"));
    }
    if about.len() > LARGEST {
        return Err(with_path(&target, "it is larger than 64 MiB, which no configuration is"));
    }
    let bytes = fs::read(&target).map_err(|error| with_path(&target, error))?;
    Ok(AgentFile { target, bytes: Some(bytes) })
}

/// Checks that the file may be replaced; the error is the reason why not.
///
/// # Errors
/// The reason, and what to do.
pub(crate) fn may_replace(target: &Path) -> Result<(), String> {
    let Ok(about) = fs::metadata(target) else { return Ok(()) };
    if about.permissions().readonly() {
        return Err(with_path(target, "it is read-only; make it writable first (chmod u+w)"));
    }
    match links(&about) {
        0 | 1 => Ok(()),
        many => Err(with_path(
            target,
            format!(
                "it has {many} names (hard links), which a change would part; make it a file of its own, or a symbolic link"
            ),
        )),
    }
}

/// Returns the end of a chain of links. Its folder is resolved too, so that one file has one name.
fn follow_links(path: &Path) -> Result<PathBuf, String> {
    let mut target = path.to_path_buf();
    for _ in 0..40 {
        let Ok(next) = fs::read_link(&target) else { return Ok(in_real_folder(&target)) };
        target = target.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
        if fs::symlink_metadata(&target).is_err() {
            let problem = format!(
                "it is a link to {}, which is not there; make that file or remove the link",
                target.display()
            );
            return Err(with_path(path, problem));
        }
    }
    Err(with_path(path, "it is a link that leads nowhere"))
}

fn in_real_folder(path: &Path) -> PathBuf {
    let real = path.parent().and_then(|folder| folder.canonicalize().ok());
    match (real, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_path_buf(),
    }
}

/// Replaces a file whose present contents have to be `before`.
///
/// # Errors
/// The system's error, or that the file was changed meanwhile; then nothing is changed.
pub(crate) fn replace(target: &Path, before: Option<&[u8]>, bytes: &[u8], private: bool) -> io::Result<()> {
    let folder = target.parent().unwrap_or(Path::new("."));
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.hob-{}", std::process::id()));
    let written = write_beside(&beside, target, bytes, private).and_then(|()| {
        if !is_still(target, before) {
            return Err(io::Error::other("it was changed by somebody else just now; try again"));
        }
        fs::rename(&beside, target)
    });
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    // The folder is synced, so that the name survives a power loss too.
    #[cfg(unix)]
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    written
}

fn is_still(target: &Path, before: Option<&[u8]>) -> bool {
    match (fs::read(target), before) {
        (Ok(found), Some(before)) => found == before,
        (Err(error), None) => error.kind() == io::ErrorKind::NotFound,
        _ => false,
    }
}

fn write_beside(beside: &Path, target: &Path, bytes: &[u8], private: bool) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let old = fs::metadata(target).ok();
    #[cfg(unix)]
    if private || old.is_some() {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = private;
    let mut file = options.open(beside)?;
    file.write_all(bytes)?;
    if let Some(old) = old {
        keep_owner(&file, &old)?;
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()
}

#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let new = file.metadata()?;
    if (new.uid(), new.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid())).map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("it belongs to somebody else, and its owner cannot be kept: {error}"),
        )
    })
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "as on Unix, where it can fail")]
fn keep_owner(_file: &File, _old: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn links(about: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(about)
}

#[cfg(not(unix))]
fn links(_about: &Metadata) -> u64 {
    1
}

/// Makes the folders on the way to a file; returns the new ones, the outermost first.
///
/// # Errors
/// The system's error, with the folder.
pub(crate) fn make_folders(target: &Path) -> Result<Vec<PathBuf>, String> {
    let mut missing: Vec<PathBuf> =
        target.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_path_buf).collect();
    missing.reverse();
    for folder in &missing {
        fs::create_dir(folder).map_err(|error| with_path(folder, error))?;
    }
    Ok(missing)
}

/// Removes folders, the innermost first, as far as they are empty.
pub(crate) fn remove_folders(made: &[PathBuf]) {
    made.iter().rev().take_while(|folder| fs::remove_dir(folder).is_ok()).for_each(drop);
}

/// Writes a file of hob's own, for this user alone.
///
/// # Errors
/// The system's error.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let before = fs::read(path).ok();
    replace(path, before.as_deref(), bytes, true)
}
