//! Defines the few operations on files that edits consist of.
//!
//! They are a trait so that a test can make each one fail, or end the process before it. An operation is one step of
//! the protocol and no more: the protocol decides that a write must be synced before a rename relies on it, and the
//! simulated disk loses whatever the protocol forgets to sync.

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
mod extended;
#[cfg(test)]
pub(crate) mod hooked;
#[cfg(not(unix))]
mod other;
#[cfg(any(test, not(unix)))]
mod patience;
#[cfg(test)]
pub(crate) mod sim;
#[cfg(unix)]
mod unix;

use std::collections::BTreeMap;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(not(unix))]
pub(crate) use other::Disk;
#[cfg(unix)]
pub(crate) use unix::Disk;

/// The kind of item that a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NodeKind {
    File,
    Folder,
    Link,
    Other,
}

/// Extended attributes by name, access lists among them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Extended(pub(crate) Arc<BTreeMap<Vec<u8>, Vec<u8>>>);

/// The rights to a file, and its extended attributes. Zero, or empty, where the system has none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Attrs {
    /// Permission bits of the file.
    pub(crate) mode: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    /// Extended attributes; only [`Files::attrs`] fills this.
    pub(crate) extended: Extended,
}

/// The system's facts about a name; links are not followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Meta {
    pub(crate) kind: NodeKind,
    /// The file's attributes, without extended ones.
    pub(crate) attrs: Attrs,
    /// Number of names that the file has.
    pub(crate) names: u64,
}

/// Returns true if a name is a regular file with these contents, or if nothing has the name and `contents` is `None`.
pub(crate) fn holds_contents(files: &dyn Files, path: &Path, contents: Option<&[u8]>) -> io::Result<bool> {
    match (files.meta(path)?.map(|meta| meta.kind), contents) {
        (None, None) => Ok(true),
        (Some(NodeKind::File), Some(contents)) => Ok(files.read(path)? == contents),
        _ => Ok(false),
    }
}

/// Operations on absolute paths without symbolic links in their folders; [`Files::real`] makes such paths.
pub(crate) trait Files: Send + Sync {
    /// Returns the path without symbolic links. The path must exist.
    fn real(&self, path: &Path) -> io::Result<PathBuf>;
    /// Returns the facts about a name; `None` if nothing has the name, or its folder is missing.
    fn meta(&self, path: &Path) -> io::Result<Option<Meta>>;
    /// Returns all attributes of a regular file.
    fn attrs(&self, path: &Path) -> io::Result<Attrs>;
    /// Returns true if a new file can be given this owner and this group.
    fn can_give(&self, attrs: &Attrs) -> bool;
    /// Returns the contents of a regular file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// Lists the names in a folder, in any order; names that are not Unicode are left out.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>>;
    /// Makes a new, empty file: for the user alone if `private`, else with the usual permissions.
    fn create(&self, path: &Path, private: bool) -> io::Result<()>;
    /// Writes the contents of a file that was created.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Checks that a file may be written in place; the error is the reason why not.
    fn may_write(&self, path: &Path) -> io::Result<()>;
    /// Replaces the contents of a file in place, so that all of its names see the new ones. Returns false, and does
    /// nothing, if the contents are not `from`. Not atomic: a write that fails or is interrupted leaves some of either.
    fn overwrite(&self, path: &Path, from: &[u8], to: &[u8]) -> io::Result<bool>;
    /// Sets permissions, extended attributes, and the owner where that is allowed.
    fn set_attrs(&self, path: &Path, attrs: &Attrs) -> io::Result<()>;
    /// Syncs a file: its contents and attributes are on the disk on return.
    fn sync(&self, path: &Path) -> io::Result<()>;
    /// Syncs a folder: its names are on the disk on return.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
    /// Gives a file another name.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Renames a file within its folder, and replaces a file that has the new name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Renames a file within its folder to a name that nothing has.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Exchanges the names of two files in one folder, at once. `Unsupported` where that is not possible.
    fn exchange(&self, _one: &Path, _other: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
    /// Removes the name of a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Makes a new folder: for the user alone if `private`, else with the usual permissions.
    fn make_folder(&self, path: &Path, private: bool) -> io::Result<()>;
    /// Removes an empty folder.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
}

/// Writes `to` over the contents of an open file, for [`Files::overwrite`].
fn replace_in(mut file: std::fs::File, from: &[u8], to: &[u8]) -> io::Result<bool> {
    let mut found = Vec::with_capacity(from.len());
    file.read_to_end(&mut found)?;
    if found != from {
        return Ok(false);
    }
    file.rewind()?;
    file.write_all(to)?;
    file.set_len(to.len() as u64)?;
    Ok(true)
}

/// Returns the same result, but success where the file does not exist.
pub(crate) fn gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Puts a whole file in place of another, or of none: the file is old or new whatever happens, and new on the disk on
/// return.
pub(crate) fn put(files: &dyn Files, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    let beside = path.with_extension(TEMPORARY);
    gone(files.remove(&beside))?;
    let written = files
        .create(&beside, true)
        .and_then(|()| files.write(&beside, bytes))
        .and_then(|()| files.sync(&beside))
        .and_then(|()| files.rename(&beside, path));
    if let Err(error) = written {
        // Leftovers are removed at the next opening, if not now.
        let _ = files.remove(&beside);
        return Err(error);
    }
    files.sync_folder(folder)
}

/// Removes a file for good.
pub(crate) fn take_away(files: &dyn Files, path: &Path) -> io::Result<()> {
    gone(files.remove(path))?;
    // If the file did not exist, its folder may not either.
    gone(files.sync_folder(path.parent().unwrap_or(path)))
}

/// The ending of the name of a file of hob's own while it is being written.
pub(crate) const TEMPORARY: &str = "tmp";

/// Makes a folder of hob's own, with those above it.
pub(crate) fn ensure_folder(files: &dyn Files, path: &Path) -> io::Result<()> {
    match files.meta(path)? {
        Some(meta) if meta.kind == NodeKind::Folder => return Ok(()),
        Some(_) => return Err(io::ErrorKind::NotADirectory.into()),
        None => {}
    }
    let Some(parent) = path.parent() else { return Ok(()) };
    ensure_folder(files, parent)?;
    files.make_folder(path, true)?;
    files.sync_folder(parent)
}
