//! A batch of changes on its way into the map, which may be taken in piece by piece.
//!
//! What can be worked out about a file alone is worked out when the batch is made, so that whoever holds the map's lock for writing only
//! enters files into lists. Questions may come between two pieces; they see some files changed and others not yet, which the
//! barrier spares everybody who asks for what is fresh; a late answer bears the generation from before.

use std::collections::VecDeque;

use hob_base::FileId;

use super::confirmed::Confirmed;
use super::{MANY_CHANGES, Map, MapChange};
use crate::index::{FileEntry, IndexWaste};

/// Files that are taken in together where something is confirmed: forgetting looks at all that is, so a large batch is taken in in this
/// many pieces at most.
const TOGETHER: usize = 16;

/// See the file's header.
#[derive(Debug, Default)]
pub struct MapBatch {
    changes: VecDeque<PreparedChange>,
    /// Number of changes that there were at first.
    size: usize,
    /// True if so many of the files are new that it is not worked out what each may change; `None` until that was looked at.
    pub(super) has_many_new: Option<bool>,
}

/// One file's change, with what is known of the file alone.
#[derive(Debug)]
pub(super) struct PreparedChange {
    pub(super) file: FileId,
    /// The entry that it has from now on; `None` if it is gone.
    pub(super) entry: Option<Box<FileEntry>>,
}

/// The things that changes took out of a map. Dropping them takes time, and needs no lock.
#[derive(Debug, Default)]
pub struct MapWaste {
    _index: IndexWaste,
    _confirmed: Vec<Confirmed>,
}

impl MapBatch {
    /// Prepares changes; the larger part of the work.
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

    /// Returns the number of changes that are not taken in yet.
    #[must_use]
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Returns true if everything has been taken in.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Number of changes that there were at first.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn changes(&self) -> impl Iterator<Item = &PreparedChange> {
        self.changes.iter()
    }

    /// Takes the next changes out, at most so many.
    fn take_next(&mut self, most: usize) -> Vec<PreparedChange> {
        let most = most.min(self.changes.len());
        self.changes.drain(..most).collect()
    }
}

impl Map {
    /// Takes in the changes of a batch for as long as `go_on` says, which is asked after every few files; true when none are left.
    /// Work is proportional to the files taken in. What they replace stays until [`Map::take_waste`].
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
        let is_drawn = self.standing.skeleton.is_some();
        for PreparedChange { file, entry } in changes {
            if is_drawn {
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

    /// Hands over what changes took out since this was last asked, for whoever holds the lock to drop without it.
    pub fn take_waste(&mut self) -> MapWaste {
        MapWaste { _index: self.index.take_waste(), _confirmed: std::mem::take(&mut self.forgotten) }
    }
}
