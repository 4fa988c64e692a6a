//! Writes the files of a record: all of it or nothing, as `journal` describes.
//!
//! Another program may write between the comparison of contents and the moment when a new file takes the name. So the
//! two files exchange their names, which happens at once; then hob compares the displaced file, once at once and once
//! when everything is done, and puts it back if its contents are unexpected. These gaps are left:
//! - a program that keeps a file open and writes to it after the last comparison writes to the old file, which is gone;
//! - where the file system cannot exchange (not Linux or macOS, some network disks), a whole file that another program
//!   puts there in the few microseconds between the comparison and the renaming is lost; writes into the old file are
//!   still found;
//! - a file that is written over (see `plan`) is compared and written through one descriptor; writes of another program
//!   within those microseconds are overwritten.
//!
//! A file keeps its mode, owner, group, other names, extended attributes and access list; a file that cannot keep them
//! is not edited.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Difference, Differs, EditError, cause_without_number};
use crate::files::{self, Files, NodeKind};
use crate::journal::Journal;
use crate::plan::shown_path;
use crate::record::{JournalEntry, Record};
use crate::recover;
use crate::steps::{clear, make_folders, set_other_attrs, sync_folders, write_new};

/// Why a record was not written.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// Another program changed a file meanwhile.
    Changed(Vec<Difference>),
    /// Any other reason, as an error.
    Error(EditError),
}

/// A file, with the system's error.
struct FileError {
    path: PathBuf,
    error: io::Error,
}

enum ApplyHalt {
    FileError(FileError),
    Changed(Difference),
}

/// The disk and the journal through which a record is written.
pub(crate) struct Writer<'a> {
    pub(crate) files: &'a dyn Files,
    pub(crate) journal: &'a Journal,
}

impl Writer<'_> {
    /// Writes everything. On success the record and its mark are still there, for the caller to remove once it has
    /// recorded the apply; otherwise every file is as it was.
    pub(crate) fn run(&self, record: &Record) -> Result<(), Stopped> {
        let mut progress = Progress::default();
        let done = self.carry_out_steps(record, &mut progress);
        let Err(halt) = done else { return Ok(()) };
        let undone = recover::take_back(self.files, self.journal, record, Some(&progress.begun));
        let first = match &halt {
            ApplyHalt::FileError(FileError { path, error }) => {
                format!("{}: {}", shown_path(&record.root, path), cause_without_number(error))
            }
            ApplyHalt::Changed(Difference { path, how }) => format!("{path} {how}"),
        };
        Err(match (undone, halt) {
            (Err(also), _) => Stopped::Error(EditError::Unfinished { cause: first, also }),
            (Ok(_), ApplyHalt::Changed(difference)) => Stopped::Changed(vec![difference]),
            (Ok(_), ApplyHalt::FileError(FileError { path, error })) => {
                let file = shown_path(&record.root, &path);
                Stopped::Error(EditError::Failed { file, cause: cause_without_number(&error) })
            }
        })
    }

    fn carry_out_steps(&self, record: &Record, progress: &mut Progress) -> Result<(), ApplyHalt> {
        let ours = |error| ApplyHalt::FileError(FileError { path: "hob's journal".into(), error });
        self.journal.begin(record).map_err(ours)?;
        self.stage_files(record).map_err(ApplyHalt::FileError)?;
        self.journal.commit(record).map_err(ours)?;
        self.swap_files(record, progress)?;
        self.look_again(record, progress)?;
        clear(self.files, record)
            .and_then(|()| sync_folders(self.files, record))
            .map_err(|(path, error)| ApplyHalt::FileError(FileError { path, error }))
    }

    fn stage_files(&self, record: &Record) -> Result<(), FileError> {
        let files = self.files;
        make_folders(files, record, &record.new_folders)
            .map_err(|(path, error)| FileError { path, error })?;
        for (index, entry) in record.entries.iter().enumerate() {
            let trouble = |error| FileError { path: record.target_path(entry), error };
            if entry.in_place {
                files.may_write(&record.target_path(entry)).map_err(trouble)?;
                continue;
            }
            // The removed file takes this name.
            if entry.new.is_none() {
                files::gone(files.remove(&record.fresh_path(index))).map_err(trouble)?;
            }
            if let Some(new) = &entry.new {
                write_new(files, &record.fresh_path(index), new).map_err(trouble)?;
            }
            if let Some(old) = &entry.old {
                let backup = record.backup_path(index);
                // Some file systems have no second names, and some users may not make them.
                let linked = files.link(&record.target_path(entry), &backup);
                linked.or_else(|_| write_new(files, &backup, old)).map_err(trouble)?;
            }
        }
        for folder in record.target_folders() {
            files.sync_folder(&folder).map_err(|error| FileError { path: folder, error })?;
        }
        Ok(())
    }

    fn swap_files(&self, record: &Record, progress: &mut Progress) -> Result<(), ApplyHalt> {
        // Removals come last: a file that shows twice is better than one that shows nowhere.
        let all = || record.entries.iter().enumerate();
        let (stay, go) = (all().filter(|(_, e)| e.new.is_some()), all().filter(|(_, e)| e.new.is_none()));
        for (index, entry) in stay.chain(go) {
            let target = record.target_path(entry);
            let trouble = |error| ApplyHalt::FileError(FileError { path: target.clone(), error });
            let one = EntryWrite { files: self.files, record, index, entry, target: &target };
            let done = match entry.in_place {
                true => one.write_over(progress),
                false => one.take_name(progress),
            };
            if let Some(how) = done.map_err(trouble)? {
                return Err(ApplyHalt::Changed(Difference { path: entry.at.clone(), how }));
            }
        }
        Ok(())
    }

    /// Compares the displaced files once more, because another program may have had one open.
    fn look_again(&self, record: &Record, progress: &Progress) -> Result<(), ApplyHalt> {
        for (index, displaced) in &progress.displaced {
            let entry = &record.entries[*index];
            let target = record.target_path(entry);
            let one = EntryWrite { files: self.files, record, index: *index, entry, target: &target };
            let changed = one.look_at(*displaced);
            if changed.map_err(|error| ApplyHalt::FileError(FileError { path: target.clone(), error }))? {
                return Err(ApplyHalt::Changed(Difference { path: entry.at.clone(), how: Differs::Changed }));
            }
        }
        Ok(())
    }
}

/// The steps of a record that are done so far.
#[derive(Default)]
struct Progress {
    /// Entries whose files hob has begun to write over.
    begun: BTreeSet<usize>,
    /// Entries whose old files have lost their names, and the present places of those files.
    displaced: Vec<(usize, DisplacedPlace)>,
}

/// The place of an old file after the new one has taken its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum DisplacedPlace {
    /// At the former place of the new file.
    Exchanged,
    /// At that place as well, and no file has the name.
    Removed,
    /// Under its second name only.
    Replaced,
}

/// An entry that is being written.
struct EntryWrite<'a> {
    files: &'a dyn Files,
    record: &'a Record,
    index: usize,
    entry: &'a JournalEntry,
    target: &'a Path,
}

impl EntryWrite<'_> {
    fn old_bytes(&self) -> Option<&[u8]> {
        self.entry.old.as_ref().map(|side| &*side.bytes)
    }

    /// Writes the new contents into the file. A file that another program has changed stays as it is, and is reported.
    fn write_over(&self, progress: &mut Progress) -> io::Result<Option<Differs>> {
        let (Some(old), Some(new)) = (&self.entry.old, &self.entry.new) else { return Ok(None) };
        if !files::holds_contents(self.files, self.target, Some(&old.bytes))? {
            return self.difference_kind().map(Some);
        }
        progress.begun.insert(self.index);
        if !self.files.overwrite(self.target, &old.bytes, &new.bytes)? {
            progress.begun.remove(&self.index);
            return self.difference_kind().map(Some);
        }
        set_other_attrs(self.files, self.target, old, new)?;
        self.files.sync(self.target)?;
        Ok(None)
    }

    /// Gives the name to the new file, or removes the old one. A file that another program has changed stays as it is,
    /// and is reported.
    fn take_name(&self, progress: &mut Progress) -> io::Result<Option<Differs>> {
        if !files::holds_contents(self.files, self.target, self.old_bytes())? {
            return self.difference_kind().map(Some);
        }
        let displaced = match self.displace_old() {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && self.entry.old.is_none() => {
                return Ok(Some(Differs::Exists));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.entry.old.is_some() => {
                return self.difference_kind().map(Some);
            }
            other => other?,
        };
        let Some(displaced) = displaced else { return Ok(None) };
        if self.look_at(displaced)? {
            return Ok(Some(Differs::Changed));
        }
        progress.displaced.push((self.index, displaced));
        Ok(None)
    }

    /// Moves the old file away, if there is one; returns its place.
    fn displace_old(&self) -> io::Result<Option<DisplacedPlace>> {
        let fresh = self.record.fresh_path(self.index);
        match (&self.entry.old, &self.entry.new) {
            (_, None) => self.files.rename_new(self.target, &fresh).map(|()| Some(DisplacedPlace::Removed)),
            (None, Some(_)) => self.files.rename_new(&fresh, self.target).map(|()| None),
            (Some(_), Some(_)) => match self.files.exchange(&fresh, self.target) {
                Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                    self.files.rename(&fresh, self.target).map(|()| Some(DisplacedPlace::Replaced))
                }
                other => other.map(|()| Some(DisplacedPlace::Exchanged)),
            },
        }
    }

    /// Puts the displaced file back if another program has written to it; returns true if so.
    fn look_at(&self, displaced: DisplacedPlace) -> io::Result<bool> {
        let (fresh, backup) = (self.record.fresh_path(self.index), self.record.backup_path(self.index));
        let at = if displaced == DisplacedPlace::Replaced { &backup } else { &fresh };
        if files::holds_contents(self.files, at, self.old_bytes())? {
            return Ok(false);
        }
        match displaced {
            DisplacedPlace::Exchanged => self.files.exchange(&fresh, self.target)?,
            DisplacedPlace::Removed => self.files.rename_new(&fresh, self.target)?,
            DisplacedPlace::Replaced => self.files.rename(&backup, self.target)?,
        }
        Ok(true)
    }

    fn difference_kind(&self) -> io::Result<Differs> {
        Ok(match self.files.meta(self.target)?.map(|meta| meta.kind) {
            None => Differs::Gone,
            Some(_) if self.entry.old.is_none() => Differs::Exists,
            Some(NodeKind::File) => Differs::Changed,
            Some(_) => Differs::NoFile,
        })
    }
}
