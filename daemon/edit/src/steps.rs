//! Performs the single steps that apply and recovery share; each may be repeated after a stop.

use std::io;
use std::path::{Path, PathBuf};

use hob_base::WsPath;

use crate::files::{self, Files};
use crate::record::{JournalSide, Record};

/// Gives a file that stays the same file the attributes of its other side, if they differ. Bits that lend rights are
/// removed, which the system does itself unless root writes.
pub(crate) fn set_other_attrs(
    files: &dyn Files,
    path: &Path,
    from: &JournalSide,
    to: &JournalSide,
) -> io::Result<()> {
    match &to.attrs {
        Some(attrs) if from.attrs.as_ref() != Some(attrs) || attrs.mode & LENDS != 0 => {
            files.set_attrs(path, attrs)
        }
        _ => Ok(()),
    }
}

/// The bits of a mode that lend rights: set-user-ID and set-group-ID.
const LENDS: u32 = 0o6000;

type ResultWithPath<T> = Result<T, (PathBuf, io::Error)>;

/// Writes a file with contents and permissions, which are on the disk on return; its name is not yet.
pub(crate) fn write_new(files: &dyn Files, path: &Path, side: &JournalSide) -> io::Result<()> {
    // The name belongs to hob alone: a file there is left from an earlier attempt.
    files::gone(files.remove(path))?;
    files.create(path, side.attrs.is_some())?;
    files.write(path, &side.bytes)?;
    if let Some(attrs) = &side.attrs {
        files.set_attrs(path, attrs)?;
    }
    files.sync(path)
}

/// Makes the missing ones of these folders, outer ones first.
pub(crate) fn make_folders(files: &dyn Files, record: &Record, folders: &[WsPath]) -> ResultWithPath<()> {
    for folder in folders {
        let path = record.root.join_ws(folder).as_path().to_path_buf();
        let made = match files.make_folder(&path, false) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            other => other,
        };
        let parent = path.parent().unwrap_or(&path);
        made.and_then(|()| files.sync_folder(parent)).map_err(|error| (path, error))?;
    }
    Ok(())
}

/// Removes the files beside the targets, and the folders that the record ends.
pub(crate) fn clear(files: &dyn Files, record: &Record) -> ResultWithPath<()> {
    for index in 0..record.entries.len() {
        for path in [record.fresh_path(index), record.backup_path(index)] {
            files::gone(files.remove(&path)).map_err(|error| (path, error))?;
        }
    }
    drop_folders(files, record, &record.old_folders)
}

/// Removes the empty ones of these folders, inner ones first.
pub(crate) fn drop_folders(files: &dyn Files, record: &Record, folders: &[WsPath]) -> ResultWithPath<()> {
    for folder in folders.iter().rev() {
        let path = record.root.join_ws(folder).as_path().to_path_buf();
        match files.remove_folder(&path) {
            // A folder may be gone in the system's view but not yet on the disk, so its parent is synced in that case
            // too.
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                // Another program uses the folder by now.
                if error.kind() != io::ErrorKind::DirectoryNotEmpty {
                    return Err((path, error));
                }
            }
            _ => {
                let parent = path.parent().unwrap_or(&path);
                files::gone(files.sync_folder(parent)).map_err(|error| (parent.to_path_buf(), error))?;
            }
        }
    }
    Ok(())
}

/// Syncs the folders of all targets: their names are on the disk on return. A folder may have gone with the record.
pub(crate) fn sync_folders(files: &dyn Files, record: &Record) -> ResultWithPath<()> {
    for folder in record.target_folders() {
        files::gone(files.sync_folder(&folder)).map_err(|error| (folder, error))?;
    }
    Ok(())
}
