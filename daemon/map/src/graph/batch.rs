//! Applies a batch of changes to the map, piece by piece if need be.
//!
//! Whatever depends on one file alone is computed when the batch is made, so that the thread that holds the map's lock
//! for writing only enters files into lists. Queries may come between two pieces; they see some files changed and
//! others not yet. The barrier spares everybody who asks for fresh data that state; a late answer bears the earlier
//! generation.

use std::collections::VecDeque;

use hob_base::FileId;

use super::confirmed::Confirmed;
use super::{MANY_CHANGES, Map, MapChange};
use crate::index::{FileEntry, IndexWaste};

/// Least number of files applied together while the overlay holds confirmations, and most pieces of a larger batch:
/// each piece looks through all confirmations once.
const TOGETHER: usize = 16;

/// Changes that wait to be applied, prepared as far as each file alone allows.
#[derive(Debug, Default)]
pub struct MapBatch {
    changes: VecDeque<PreparedChange>,
    /// Number of changes in the batch at first.
    size: usize,
    /// True if so many files are new that the changes that each may cause are not computed; `None` until they were
    /// counted.
    pub(super) has_many_new: Option<bool>,
}

/// The change of one file, with what follows from the file alone.
#[derive(Debug)]
pub(super) struct PreparedChange {
    pub(super) file: FileId,
    /// The new entry of the file; `None` if the file is gone.
    pub(super) entry: Option<Box<FileEntry>>,
}

/// The data that changes replaced in a map. Dropping it takes time, and needs no lock.
#[derive(Debug, Default)]
pub struct MapWaste {
    _index: IndexWaste,
    _confirmed: Vec<Confirmed>,
}

impl MapBatch {
    /// Prepares changes, which is the larger part of the work.
    #[must_use]
    pub fn new(mut changes: Vec<MapChange>) -> Self {
        // In order of number the lists grow at their ends; later changes of one file stay behind earlier ones.
        changes.sort_by_key(MapChange::file);
        let prepare = |change| match change {
            MapChange::Set { file, path, facts } => {
                PreparedChange { file, entry: Some(Box::new(FileEntry::new(path, facts))) }
            }
            MapChange::Remove { file } => PreparedChange { file, entry: None },
        };
        let size = changes.len();
        Self { changes: changes.into_iter().map(prepare).collect(), size, has_many_new: None }
    }

    /// Returns the number of changes that are not applied yet.
    #[must_use]
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Returns true if every change has been applied.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns the number of changes in the batch at first.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn changes(&self) -> impl Iterator<Item = &PreparedChange> {
        self.changes.iter()
    }

    /// Removes and returns the next changes, at most `most`.
    fn take_next(&mut self, most: usize) -> Vec<PreparedChange> {
        let most = most.min(self.changes.len());
        self.changes.drain(..most).collect()
    }
}

impl Map {
    /// Applies changes of a batch as long as `go_on`, asked after every few files, returns true. Returns true if none
    /// are left. Work is proportional to the files applied. The data that they replace stays until [`Map::take_waste`].
    pub fn apply_while(&mut self, batch: &mut MapBatch, go_on: &dyn Fn() -> bool) -> bool {
        if batch.is_empty() {
            return true;
        }
        self.version += 1;
        loop {
            let together =
                if self.confirmed.is_empty() { 1 } else { TOGETHER.max(batch.size().div_ceil(TOGETHER)) };
            self.apply_together(batch, together);
            if batch.is_empty() {
                if batch.size() > MANY_CHANGES {
                    self.index.shrink();
                }
                return true;
            }
            if !go_on() {
                return false;
            }
        }
    }

    fn apply_together(&mut self, batch: &mut MapBatch, most: usize) {
        let has_many_new = !self.confirmed.is_empty() && self.has_many_new(batch);
        let changes = batch.take_next(most);
        let touched = (!self.confirmed.is_empty()).then(|| self.touched_by(&changes));
        let has_skeleton = self.standing.skeleton.is_some();
        for PreparedChange { file, entry } in changes {
            if has_skeleton {
                self.standing.changed.insert(file);
            }
            match entry {
                Some(entry) => self.index.set_entry(file, entry),
                None => self.index.remove(file),
            }
        }
        if let Some((touched, new)) = touched {
            self.forget_confirmed(touched, new, has_many_new);
        }
    }

    /// Hands over the data that changes replaced since the last call, so that the caller can drop it without the lock.
    pub fn take_waste(&mut self) -> MapWaste {
        MapWaste { _index: self.index.take_waste(), _confirmed: std::mem::take(&mut self.forgotten) }
    }
}
