//! Identifies the folder to which a path leads at this moment.
//!
//! A path stays the same while the folder behind it becomes another: somebody renames it, or one above it, and puts
//! another there, mounts something over it, or removes its medium. None of that need give an event in the watched
//! folder. So a call compares the system's present facts about the root with those of the last complete look at it.
//!
//! What it is not: a comparison of contents. The watcher notices when the same folder has other files.

use std::fs;
use std::path::Path;

/// The facts that tell a folder from any other that has had, or will have, its path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FolderIdentity {
    /// The folder's device and inode; where the platform has none, the time at which the folder was made.
    folder: (u64, u64),
    /// True if the folder can be listed: one that could not be listed is scanned once it can.
    can_be_listed: bool,
}

impl FolderIdentity {
    /// Identifies the folder at `path`; `None` if no folder is there, or it cannot be seen. A link is no folder.
    pub(crate) fn of_folder(path: &Path) -> Option<Self> {
        let metadata = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_dir)?;
        Some(Self { folder: folder(&metadata), can_be_listed: can_be_listed(path) })
    }

    /// Returns true if both are the same folder, readable or not.
    pub(crate) fn is_same_folder(&self, other: &Self) -> bool {
        self.folder == other.folder
    }
}

#[cfg(unix)]
fn folder(metadata: &fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn folder(metadata: &fs::Metadata) -> (u64, u64) {
    let made = metadata.created().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    (0, made.map_or(0, |made| u64::try_from(made.as_nanos()).unwrap_or(u64::MAX)))
}

/// Returns true if this user may list the folder and reach what is in it. Asks without opening the folder: that would
/// take a descriptor.
#[cfg(unix)]
pub(crate) fn can_be_listed(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(folder, Access::READ_OK | Access::EXEC_OK).is_ok()
}

/// Returns true if this user may list the folder.
#[cfg(not(unix))]
pub(crate) fn can_be_listed(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok()
}
