//! Finishes what a record began, in the direction that its mark gives, from whatever mixture of old and new is there.
//!
//! A file that is neither what it was nor what it was to be has been changed by somebody since, and is left as it is: the
//! others still all become old or all new. Everything here can be interrupted and begun again.

use std::io;
use std::path::Path;

use hob_base::WsPath;

use crate::apply::{clear, drop_folders, make_folders, sync_folders, write_new};
use crate::files::{self, Files, NodeKind};
use crate::journal::{Journal, Record, Side};
use crate::plan::{cause, shown};

/// Files that somebody has changed since, and which were left alone.
pub(crate) type Strange = Vec<WsPath>;

/// Makes all files what they were and ends the record. The error is a sentence's part that names file and cause.
pub(crate) fn take_back(files: &dyn Files, journal: &Journal, record: &Record) -> Result<Strange, String> {
    journal.revoke(record).map_err(ours)?;
    let strange = each(files, record, Direction::Back)?;
    let at = |(path, error): (std::path::PathBuf, io::Error)| told(record, &path, &error);
    clear(files, record).map_err(at)?;
    drop_folders(files, record, &record.new_folders).map_err(at)?;
    sync_folders(files, record).map_err(at)?;
    journal.end(record).map_err(ours)?;
    Ok(strange)
}

/// Makes all files what they are to be. The record is left for the caller to end.
pub(crate) fn carry_out(files: &dyn Files, record: &Record) -> Result<Strange, String> {
    let at = |(path, error): (std::path::PathBuf, io::Error)| told(record, &path, &error);
    // They were on the disk before the mark was; if one is not, it was removed since, and its files are strange.
    let strange = each(files, record, Direction::Forth)?;
    clear(files, record).map_err(at)?;
    sync_folders(files, record).map_err(at)?;
    Ok(strange)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Back,
    Forth,
}

fn each(files: &dyn Files, record: &Record, direction: Direction) -> Result<Strange, String> {
    let mut strange = Strange::new();
    for (index, entry) in record.entries.iter().enumerate() {
        let (have, want, beside) = match direction {
            Direction::Back => (&entry.new, &entry.old, record.backup(index)),
            Direction::Forth => (&entry.old, &entry.new, record.fresh(index)),
        };
        let target = record.target(entry);
        let step = Step { files, record, target: &target, beside: &beside };
        if !step.take(have.as_ref(), want.as_ref()).map_err(|error| told(record, &target, &error))? {
            strange.push(entry.at.clone());
        }
    }
    Ok(strange)
}

struct Step<'a> {
    files: &'a dyn Files,
    record: &'a Record,
    target: &'a Path,
    beside: &'a Path,
}

impl Step<'_> {
    /// Makes the target what is wanted. Answers false, and does nothing, if it is neither that nor what it is expected to be.
    fn take(&self, have: Option<&Side>, want: Option<&Side>) -> io::Result<bool> {
        if self.is(self.target, want)? {
            return Ok(true);
        }
        if !self.is(self.target, have)? {
            return Ok(false);
        }
        let Some(side) = want else {
            self.files.remove(self.target)?;
            return Ok(true);
        };
        if !self.is(self.beside, Some(side))? {
            let Record { new_folders, old_folders, .. } = self.record;
            for folders in [new_folders, old_folders] {
                make_folders(self.files, self.record, folders).map_err(|(_, error)| error)?;
            }
            write_new(self.files, self.beside, side)?;
        }
        // Whoever wrote it may have been stopped before it was on the disk.
        self.files.sync(self.beside)?;
        match have {
            Some(_) => self.files.rename(self.beside, self.target)?,
            None => self.files.rename_new(self.beside, self.target)?,
        }
        Ok(true)
    }

    fn is(&self, path: &Path, side: Option<&Side>) -> io::Result<bool> {
        files::holds(self.files, path, side.map(|side| &*side.bytes))
    }
}

fn told(record: &Record, path: &Path, error: &io::Error) -> String {
    format!("{}: {}", shown(&record.root, path), cause(error))
}

fn ours(error: io::Error) -> String {
    format!("hob's journal: {}", cause(&error))
}

/// Whether a workspace is there at all; without it nothing can be finished.
pub(crate) fn has_root(files: &dyn Files, record: &Record) -> bool {
    matches!(files.meta(record.root.as_path()), Ok(Some(meta)) if meta.kind == NodeKind::Folder)
}
