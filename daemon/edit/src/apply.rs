//! Carries a record out: all of it or nothing, as `journal` says.
//!
//! Between the comparison of contents and the moment when a new file takes the name there is time in which somebody may write.
//! The contents of each file are compared again directly before, so that a few microseconds are left of it; nothing that every
//! system has would close them. An editor that has a file open and writes to it afterwards writes to the old one.
//!
//! A file keeps its mode, its group, and its owner where the system lets it be given away. Extended attributes and access
//! lists are not carried over: new contents are a new file.

use std::io;
use std::path::{Path, PathBuf};

use hob_base::WsPath;

use crate::error::{Difference, Differs, EditError};
use crate::files::{self, Files, NodeKind};
use crate::journal::{Entry, Journal, Record, Side};
use crate::plan::{cause, shown};
use crate::recover;

/// Why a record was not carried out.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// A file was changed meanwhile.
    Changed(Vec<Difference>),
    /// Anything else.
    Error(EditError),
}

/// A file, and what the system said.
struct Trouble {
    path: PathBuf,
    error: io::Error,
}

enum Halt {
    Trouble(Trouble),
    Changed(Difference),
}

/// What a record is carried out with.
pub(crate) struct Writer<'a> {
    pub(crate) files: &'a dyn Files,
    pub(crate) journal: &'a Journal,
}

impl Writer<'_> {
    /// Writes everything. On success the record and its mark are still there, for the caller to end once it has noted what
    /// was done; otherwise every file is what it was.
    pub(crate) fn run(&self, record: &Record) -> Result<(), Stopped> {
        let done = self.steps(record);
        let Err(halt) = done else { return Ok(()) };
        let undone = recover::take_back(self.files, self.journal, record);
        let first = match &halt {
            Halt::Trouble(Trouble { path, error }) => {
                format!("{}: {}", shown(&record.root, path), cause(error))
            }
            Halt::Changed(Difference { path, how }) => format!("{path} {how}"),
        };
        Err(match (undone, halt) {
            (Err(also), _) => Stopped::Error(EditError::Unfinished { cause: first, also }),
            (Ok(_), Halt::Changed(difference)) => Stopped::Changed(vec![difference]),
            (Ok(_), Halt::Trouble(Trouble { path, error })) => {
                let file = shown(&record.root, &path);
                Stopped::Error(EditError::Failed { file, cause: cause(&error) })
            }
        })
    }

    fn steps(&self, record: &Record) -> Result<(), Halt> {
        let ours = |error| Halt::Trouble(Trouble { path: "hob's journal".into(), error });
        self.journal.begin(record).map_err(ours)?;
        self.stage(record).map_err(Halt::Trouble)?;
        self.journal.commit(record).map_err(ours)?;
        self.swap(record)?;
        clear(self.files, record)
            .and_then(|()| sync_folders(self.files, record))
            .map_err(|(path, error)| Halt::Trouble(Trouble { path, error }))
    }

    fn stage(&self, record: &Record) -> Result<(), Trouble> {
        let files = self.files;
        make_folders(files, record, &record.new_folders).map_err(|(path, error)| Trouble { path, error })?;
        for (index, entry) in record.entries.iter().enumerate() {
            let trouble = |error| Trouble { path: record.target(entry), error };
            if let Some(new) = &entry.new {
                write_new(files, &record.fresh(index), new).map_err(trouble)?;
            }
            if let Some(old) = &entry.old {
                let backup = record.backup(index);
                // Not every file system has second names, and not everybody may give them.
                let linked = files.link(&record.target(entry), &backup);
                linked.or_else(|_| write_new(files, &backup, old)).map_err(trouble)?;
            }
        }
        for folder in record.folders() {
            files.sync_folder(&folder).map_err(|error| Trouble { path: folder, error })?;
        }
        Ok(())
    }

    fn swap(&self, record: &Record) -> Result<(), Halt> {
        // Files that go are last: it is better to see one twice than not at all.
        let all = || record.entries.iter().enumerate();
        let (stay, go) = (all().filter(|(_, e)| e.new.is_some()), all().filter(|(_, e)| e.new.is_none()));
        for (index, entry) in stay.chain(go) {
            let target = record.target(entry);
            let changed = |how| Err(Halt::Changed(Difference { path: entry.at.clone(), how }));
            let trouble = |error| Halt::Trouble(Trouble { path: target.clone(), error });
            let old = entry.old.as_ref().map(|side| &*side.bytes);
            if !files::holds(self.files, &target, old).map_err(trouble)? {
                return changed(self.differs(&target, entry).map_err(trouble)?);
            }
            match self.take_name(record, index, entry) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    return changed(Differs::Exists);
                }
                other => other.map_err(trouble)?,
            }
        }
        Ok(())
    }

    fn differs(&self, target: &Path, entry: &Entry) -> io::Result<Differs> {
        Ok(match self.files.meta(target)?.map(|meta| meta.kind) {
            None => Differs::Gone,
            Some(_) if entry.old.is_none() => Differs::Exists,
            Some(NodeKind::File) => Differs::Changed,
            Some(_) => Differs::NoFile,
        })
    }

    fn take_name(&self, record: &Record, index: usize, entry: &Entry) -> io::Result<()> {
        let target = record.target(entry);
        match (&entry.old, &entry.new) {
            (_, None) => self.files.remove(&target),
            (None, Some(_)) => self.files.rename_new(&record.fresh(index), &target),
            (Some(_), Some(_)) => self.files.rename(&record.fresh(index), &target),
        }
    }
}

type At<T> = Result<T, (PathBuf, io::Error)>;

/// A file that is on the disk on return, contents and permissions; its name is not yet.
pub(crate) fn write_new(files: &dyn Files, path: &Path, side: &Side) -> io::Result<()> {
    // Only under a name that nobody else has: what is there is of an attempt before this.
    files::gone(files.remove(path))?;
    files.create(path, side.attrs.is_some())?;
    files.write(path, &side.bytes)?;
    if let Some(attrs) = side.attrs {
        files.set_attrs(path, attrs)?;
    }
    files.sync(path)
}

/// Makes folders, outer ones first, those of them that are not there.
pub(crate) fn make_folders(files: &dyn Files, record: &Record, folders: &[WsPath]) -> At<()> {
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
pub(crate) fn clear(files: &dyn Files, record: &Record) -> At<()> {
    for index in 0..record.entries.len() {
        for path in [record.fresh(index), record.backup(index)] {
            files::gone(files.remove(&path)).map_err(|error| (path, error))?;
        }
    }
    drop_folders(files, record, &record.old_folders)
}

/// Removes those of the folders that are empty, inner ones first.
pub(crate) fn drop_folders(files: &dyn Files, record: &Record, folders: &[WsPath]) -> At<()> {
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
pub(crate) fn sync_folders(files: &dyn Files, record: &Record) -> At<()> {
    for folder in record.folders() {
        files::gone(files.sync_folder(&folder)).map_err(|error| (folder, error))?;
    }
    Ok(())
}
