//! Defines the few operations on files that edits are made of.
//!
//! They are a trait so that a test can let each one fail, or the world end before it. An operation is one step of the
//! protocol and no more: that a write must be synced before a rename counts on it is said where the protocol is, and a
//! simulated disk takes it at its word.

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

/// The rights to a file, and what is attached to it. Zero, or nothing, where the system knows no such thing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Attrs {
    /// Permission bits of the file.
    pub(crate) mode: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    /// Only [`Files::attrs`] fills this.
    pub(crate) extended: Extended,
}

/// The facts that the system gives of a name; links are not followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Meta {
    pub(crate) kind: NodeKind,
    /// Its attributes, without extended ones.
    pub(crate) attrs: Attrs,
    /// Number of names that the file has.
    pub(crate) names: u64,
}

/// Returns true if a name stands for a regular file with these contents, or for nothing if there are to be none.
pub(crate) fn holds_contents(files: &dyn Files, path: &Path, contents: Option<&[u8]>) -> io::Result<bool> {
    match (files.meta(path)?.map(|meta| meta.kind), contents) {
        (None, None) => Ok(true),
        (Some(NodeKind::File), Some(contents)) => Ok(files.read(path)? == contents),
        _ => Ok(false),
    }
}

/// Operations by absolute paths none of whose folders is a symbolic link; [`Files::real`] makes such paths.
pub(crate) trait Files: Send + Sync {
    /// The path without symbolic links. It must exist.
    fn real(&self, path: &Path) -> io::Result<PathBuf>;
    /// `None` if there is nothing of the name, or no such folder.
    fn meta(&self, path: &Path) -> io::Result<Option<Meta>>;
    /// All attributes of a regular file.
    fn attrs(&self, path: &Path) -> io::Result<Attrs>;
    /// Returns true if a new file can be given this owner and this group.
    fn can_give(&self, attrs: &Attrs) -> bool;
    /// The contents of a regular file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// Names in a folder, in any order; those that are not Unicode are left out.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>>;
    /// A new, empty file: for the user alone if `private`, else with the usual permissions.
    fn create(&self, path: &Path, private: bool) -> io::Result<()>;
    /// Contents for a file that was created.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Checks that a file may be written in place; the error says why not.
    fn may_write(&self, path: &Path) -> io::Result<()>;
    /// Contents in place of others in the same file, all of whose names see them. Answers false, and does nothing, if it holds others
    /// than `from`. Not at once: what fails or is stopped half-way leaves some of either.
    fn overwrite(&self, path: &Path, from: &[u8], to: &[u8]) -> io::Result<bool>;
    /// Permissions, extended attributes, and the owner where that is allowed.
    fn set_attrs(&self, path: &Path, attrs: &Attrs) -> io::Result<()>;
    /// Contents and attributes are on the disk on return.
    fn sync(&self, path: &Path) -> io::Result<()>;
    /// The names in a folder are on the disk on return.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
    /// Another name for a file.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// A file takes another name in its folder, in place of what has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// A file takes another name in its folder, which nothing has.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Two files in one folder take each other's names, at once. `Unsupported` where that is not possible.
    fn exchange(&self, _one: &Path, _other: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
    /// The name of a file goes.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// A new folder: for the user alone if `private`, else with the usual permissions.
    fn make_folder(&self, path: &Path, private: bool) -> io::Result<()>;
    /// An empty folder goes.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
}

/// Writes `to` over the contents of an open file, as [`Files::overwrite`] has it.
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

/// The same, but that there is no such thing is as good as success.
pub(crate) fn gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// A whole file in place of another, or of none: old or new, whatever happens, and new on the disk on return.
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
        // What is left is removed at the next opening, if not now.
        let _ = files.remove(&beside);
        return Err(error);
    }
    files.sync_folder(folder)
}

/// Removes a file for good.
pub(crate) fn take_away(files: &dyn Files, path: &Path) -> io::Result<()> {
    gone(files.remove(path))?;
    // A file that was not there may have been in no folder.
    gone(files.sync_folder(path.parent().unwrap_or(path)))
}

/// Ends the name of a file of hob's own that is being written.
pub(crate) const TEMPORARY: &str = "tmp";

/// A folder of hob's own, with those above it.
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
