//! Keeps the data to undo the last apply in each workspace.
//!
//! One file per workspace, which every apply replaces and an undo removes: an undo cannot be undone, and applies before
//! the last one cannot be undone by themselves. An apply that is too large is recorded without its contents, so that
//! the user hears why.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use hob_base::{AbsPath, WsPath};

use crate::files::{self, Files};
use crate::format::{self, FormatError};
use crate::journal::key;
use crate::plan::PlaceContents;
use crate::record::{JournalEntry, JournalSide, Record, UndoRecord};

/// Most bytes of contents that are kept.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

impl UndoRecord {
    fn from_record(record: &Record) -> Self {
        let len = |entry: &JournalEntry| {
            let sides = [&entry.old, &entry.new].into_iter().flatten();
            sides.map(|side| side.bytes.len() as u64).sum::<u64>()
        };
        let fits = record.entries.iter().map(len).sum::<u64>() <= MAX_BYTES;
        Self {
            subject: record.subject.clone(),
            files: record.entries.iter().map(|entry| entry.at.clone()).collect(),
            entries: fits.then(|| record.entries.clone()),
            new_folders: record.new_folders.clone(),
        }
    }

    /// Returns the contents of each place after an undo; `None` if they are not kept.
    pub(crate) fn wishes_of_undo(&self) -> Option<BTreeMap<WsPath, PlaceContents>> {
        let wish = |JournalEntry { at, old, new, .. }: &JournalEntry| {
            let attrs = |side: &Option<JournalSide>| side.as_ref().and_then(|side| side.attrs.clone());
            let bytes = |side: &Option<JournalSide>| side.as_ref().map(|side| Arc::clone(&side.bytes));
            // A file that was not moved keeps its present permissions.
            let brought = attrs(old).filter(|old| Some(old) != attrs(new).as_ref());
            (at.clone(), PlaceContents { before: bytes(new), after: bytes(old), from: None, attrs: brought })
        };
        Some(self.entries.as_ref()?.iter().map(wish).collect())
    }
}

/// The folder of undo records.
pub(crate) struct Undos {
    files: Arc<dyn Files>,
    folder: PathBuf,
}

/// Why there is no undo record.
#[derive(Debug)]
pub(crate) enum UndoUnavailable {
    /// Nothing was applied, or the last apply has been undone.
    Nothing,
    /// The undo record cannot be read.
    Disk(io::Error),
    /// The undo record is invalid.
    Format(FormatError),
}

impl Undos {
    pub(crate) fn new(files: Arc<dyn Files>, folder: PathBuf) -> Self {
        Self { files, folder }
    }

    /// Records an apply; returns true if it can be undone.
    pub(crate) fn keep(&self, record: &Record) -> io::Result<bool> {
        files::ensure_folder(&*self.files, &self.folder)?;
        let kept = UndoRecord::from_record(record);
        files::put(&*self.files, &self.path(&record.root), &format::encode(&kept))?;
        Ok(kept.entries.is_some())
    }

    pub(crate) fn last(&self, root: &AbsPath) -> Result<UndoRecord, UndoUnavailable> {
        match self.files.read(&self.path(root)) {
            Ok(bytes) => format::decode(&bytes).map_err(UndoUnavailable::Format),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(UndoUnavailable::Nothing),
            Err(error) => Err(UndoUnavailable::Disk(error)),
        }
    }

    pub(crate) fn forget_undo(&self, root: &AbsPath) -> io::Result<()> {
        files::take_away(&*self.files, &self.path(root))
    }

    fn path(&self, root: &AbsPath) -> PathBuf {
        self.folder.join(format!("{}.undo", key(root)))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;
    use crate::pending::id::PendingId;
    use crate::record::EditSubject;

    #[test]
    fn what_is_very_large_is_noted_without_its_contents() {
        let record = |len: usize| {
            let side = JournalSide { bytes: vec![b'x'; len].into(), attrs: None };
            let at = WsPath::new("a").expect("relative");
            let id = PendingId::random_id();
            Record {
                root: AbsPath::new("/ws").expect("absolute"),
                subject: EditSubject { id, label: "l".into(), tool: "t".into(), at: UNIX_EPOCH },
                undoes: false,
                entries: vec![JournalEntry { at, old: None, new: Some(side), in_place: false }],
                new_folders: Vec::new(),
                old_folders: Vec::new(),
            }
        };
        assert!(UndoRecord::from_record(&record(MAX_BYTES as usize)).wishes_of_undo().is_some());
        let kept = UndoRecord::from_record(&record(MAX_BYTES as usize + 1));
        assert_eq!((kept.wishes_of_undo(), kept.files.len()), (None, 1));
    }
}
