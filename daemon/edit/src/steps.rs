//! Takes the single steps that an apply and a recovery have in common, each of which may be taken again after a stop.

use std::io;
use std::path::{Path, PathBuf};

use hob_base::WsPath;

use crate::files::{self, Files};
use crate::record::{JournalSide, Record};

/// Gives a file that stays the one that it is the attributes of its other side, where they are others. Bits that lend rights go, which
/// the system sees to unless root writes.
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

/// A file that is on the disk on return, contents and permissions; its name is not yet.
pub(crate) fn write_new(files: &dyn Files, path: &Path, side: &JournalSide) -> io::Result<()> {
    // Only under a name that nobody else has: what is there is of an attempt before this.
    files::gone(files.remove(path))?;
    files.create(path, side.attrs.is_some())?;
    files.write(path, &side.bytes)?;
    if let Some(attrs) = &side.attrs {
        files.set_attrs(path, attrs)?;
    }
    files.sync(path)
}

/// Makes folders, outer ones first, those of them that are not there.
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

/// Removes what was beside the targets, and the folders that the record ends.
pub(crate) fn clear(files: &dyn Files, record: &Record) -> ResultWithPath<()> {
    for index in 0..record.entries.len() {
        for path in [record.fresh_path(index), record.backup_path(index)] {
            files::gone(files.remove(&path)).map_err(|error| (path, error))?;
        }
    }
    drop_folders(files, record, &record.old_folders)
}

/// Removes those of the folders that are empty, inner ones first.
pub(crate) fn drop_folders(files: &dyn Files, record: &Record, folders: &[WsPath]) -> ResultWithPath<()> {
    for folder in folders.iter().rev() {
        let path = record.root.join_ws(folder).as_path().to_path_buf();
        match files.remove_folder(&path) {
            // One that is gone may be so only for those who see what has not reached the disk.
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                // Somebody else uses it by now.
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

/// The names in all targets' folders are on the disk on return. A folder may have gone with the record.
pub(crate) fn sync_folders(files: &dyn Files, record: &Record) -> ResultWithPath<()> {
    for folder in record.target_folders() {
        files::gone(files.sync_folder(&folder)).map_err(|error| (folder, error))?;
    }
    Ok(())
}
