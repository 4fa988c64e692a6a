//! Finishes an interrupted record, in the direction that its mark gives, from any mixture of old and new files.
//!
//! A file that has neither its old nor its new contents has been changed by another program since, and stays as it is:
//! the others still all become old or all new. Every step here can be interrupted and repeated.
//!
//! Two cases look like another program's change and are not: a file that is written over may be half old and half new.
//! And if hob stopped at the moment when names were exchanged, a file that another program wrote at that moment lies
//! under the other name, and goes back.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use hob_base::WsPath;

use crate::error::cause_without_number;
use crate::files::{self, Files, NodeKind};
use crate::journal::Journal;
use crate::plan::shown_path;
use crate::record::{JournalEntry, JournalSide, Record};
use crate::steps::{clear, drop_folders, make_folders, set_other_attrs, sync_folders, write_new};

/// Files that other programs have changed since, and that stay as they are.
pub(crate) type Strange = Vec<WsPath>;

/// The entries whose files this process has begun to write over; `None` if another process began, which may have been
/// any of them.
pub(crate) type Begun<'a> = Option<&'a BTreeSet<usize>>;

/// Restores the old side of all files and ends the record. The error is a part of a sentence with file and cause.
pub(crate) fn take_back(
    files: &dyn Files,
    journal: &Journal,
    record: &Record,
    begun: Begun<'_>,
) -> Result<Strange, String> {
    journal.revoke_mark(record).map_err(journal_failure)?;
    let strange = recover_each(files, record, begun, Direction::Back)?;
    let at = |(path, error): (std::path::PathBuf, io::Error)| describe_failure(record, &path, &error);
    clear(files, record).map_err(at)?;
    drop_folders(files, record, &record.new_folders).map_err(at)?;
    sync_folders(files, record).map_err(at)?;
    journal.end(record).map_err(journal_failure)?;
    Ok(strange)
}

/// Writes the new side of all files. The caller ends the record.
pub(crate) fn carry_out(files: &dyn Files, record: &Record) -> Result<Strange, String> {
    let at = |(path, error): (std::path::PathBuf, io::Error)| describe_failure(record, &path, &error);
    // They were on the disk before the mark; a missing one was removed since, and its files are strange.
    let mut strange = recover_each(files, record, None, Direction::Forth)?;
    for (index, entry) in record.entries.iter().enumerate().filter(|(_, entry)| !entry.in_place) {
        let beside = record.fresh_path(index);
        let back = put_back(files, &beside, &record.target_path(entry), entry);
        if back.map_err(|error| describe_failure(record, &beside, &error))? {
            strange.push(entry.at.clone());
        }
    }
    clear(files, record).map_err(at)?;
    sync_folders(files, record).map_err(at)?;
    Ok(strange)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Back,
    Forth,
}

fn recover_each(
    files: &dyn Files,
    record: &Record,
    begun: Begun<'_>,
    direction: Direction,
) -> Result<Strange, String> {
    let mut strange = Strange::new();
    for (index, entry) in record.entries.iter().enumerate() {
        let (have, want, beside) = match direction {
            Direction::Back => (&entry.new, &entry.old, record.backup_path(index)),
            Direction::Forth => (&entry.old, &entry.new, record.fresh_path(index)),
        };
        let target = record.target_path(entry);
        let step = RecoveryStep { files, record, target: &target, beside: &beside };
        let taken = match (entry.in_place, have, want) {
            (true, Some(have), Some(want)) => {
                step.write_over(have, want, begun.is_none_or(|begun| begun.contains(&index)))
            }
            _ => step.make_wanted(have.as_ref(), want.as_ref()),
        };
        if !taken.map_err(|error| describe_failure(record, &target, &error))? {
            strange.push(entry.at.clone());
        }
    }
    Ok(strange)
}

/// Gives the name back to a file that another program wrote to at the moment in which it was displaced. A file that a
/// power loss has torn is not another program's.
fn put_back(files: &dyn Files, beside: &Path, target: &Path, entry: &JournalEntry) -> io::Result<bool> {
    let Some(old) = &entry.old else { return Ok(false) };
    if !matches!(files.meta(beside)?, Some(meta) if meta.kind == NodeKind::File) {
        return Ok(false);
    }
    let found = files.read(beside)?;
    let new = entry.new.as_ref().map(|side| &*side.bytes);
    let is_ours = Some(&found[..]) == new || is_some_of(&found, &old.bytes, &old.bytes);
    if is_ours || !files::holds_contents(files, target, new)? {
        return Ok(false);
    }
    match new {
        None => files.rename_new(beside, target)?,
        Some(_) => files.rename(beside, target)?,
    }
    Ok(true)
}

/// Returns true if these bytes may come from an interrupted write over a file: at each place they are those of one or
/// the other contents, or not yet written.
fn is_some_of(found: &[u8], one: &[u8], other: &[u8]) -> bool {
    let fits =
        |(at, byte): (usize, &u8)| *byte == 0 || one.get(at) == Some(byte) || other.get(at) == Some(byte);
    found.len() <= one.len().max(other.len()) && found.iter().enumerate().all(fits)
}

struct RecoveryStep<'a> {
    files: &'a dyn Files,
    record: &'a Record,
    target: &'a Path,
    beside: &'a Path,
}

impl RecoveryStep<'_> {
    /// Gives the target its wanted contents. Returns false, and does nothing, if the target has neither those nor the
    /// expected ones.
    fn make_wanted(&self, have: Option<&JournalSide>, want: Option<&JournalSide>) -> io::Result<bool> {
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
        // The writer may have been stopped before the file was on the disk.
        self.files.sync(self.beside)?;
        match have {
            Some(_) => self.files.rename(self.beside, self.target)?,
            None => self.files.rename_new(self.beside, self.target)?,
        }
        Ok(true)
    }

    /// Does the same as [`RecoveryStep::make_wanted`], for a file that is written over; `may_be_torn` if that has
    /// begun.
    fn write_over(&self, have: &JournalSide, want: &JournalSide, may_be_torn: bool) -> io::Result<bool> {
        if !matches!(self.files.meta(self.target)?, Some(meta) if meta.kind == NodeKind::File) {
            return Ok(false);
        }
        let found = self.files.read(self.target)?;
        if found != *want.bytes {
            let is_ours = found == *have.bytes || may_be_torn && is_some_of(&found, &have.bytes, &want.bytes);
            if !is_ours || !self.files.overwrite(self.target, &found, &want.bytes)? {
                return Ok(false);
            }
        }
        set_other_attrs(self.files, self.target, have, want)?;
        self.files.sync(self.target)?;
        Ok(true)
    }

    fn is(&self, path: &Path, side: Option<&JournalSide>) -> io::Result<bool> {
        files::holds_contents(self.files, path, side.map(|side| &*side.bytes))
    }
}

fn describe_failure(record: &Record, path: &Path, error: &io::Error) -> String {
    format!("{}: {}", shown_path(&record.root, path), cause_without_number(error))
}

fn journal_failure(error: io::Error) -> String {
    format!("hob's journal: {}", cause_without_number(&error))
}

/// Returns true if the folder of a workspace exists; without it no record can be finished.
pub(crate) fn has_root(files: &dyn Files, record: &Record) -> bool {
    matches!(files.meta(record.root.as_path()), Ok(Some(meta)) if meta.kind == NodeKind::Folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_stop_leaves_is_told_from_what_somebody_wrote() {
        let (one, other) = (&b"one two three"[..], &b"eins zwei"[..]);
        for torn in [&b""[..], one, other, b"eins zw three", b"eins\0\0\0\0\0hre", b"one two"] {
            assert!(is_some_of(torn, one, other), "{}", String::from_utf8_lossy(torn));
        }
        for theirs in [&b"one two four"[..], b"one two three and more", b"ONE", b"zwei"] {
            assert!(!is_some_of(theirs, one, other), "{}", String::from_utf8_lossy(theirs));
        }
    }
}
