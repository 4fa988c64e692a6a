//! Keeps the flows of files open between queries.
//!
//! Flows are stored compressed, and a question that follows values opens those of hundreds of files: half of its time.
//! The next question comes to many of the same files. A change of a file closes its flows, a minute in which no project is asked
//! those of all files, and nothing else does but room: at most [`MOST_VALUES`] stay, in two halves. When the newer half is full, it
//! becomes the older one, and what nobody asked for since it became the older one is closed. There is room for all files of
//! a project like VS Code (1.9 million values): its questions come to half of them again and again, and with less room each
//! closes what the next one needs.

use std::sync::{Arc, PoisonError, RwLock};

use hob_base::FileId;
use rustc_hash::FxHashMap;

use super::flow_tables::FlowTables;

/// Most values in the files that stay open: at most some 65 bytes each. No file has more than a half.
const MOST_VALUES: usize = 1 << 21;

/// The open flows of files, in two halves by their last use. They are opened while queries run under a shared lock on
/// the map, so the halves have a lock of their own.
#[derive(Debug, Default)]
pub(super) struct OpenedFlows {
    halves: RwLock<OpenedHalves>,
}

#[derive(Debug, Default)]
struct OpenedHalves {
    newer: FxHashMap<FileId, Arc<FlowTables>>,
    older: FxHashMap<FileId, Arc<FlowTables>>,
    /// Number of values in `newer`.
    newer_values: usize,
    /// Number of values in `older`.
    older_values: usize,
}

impl OpenedFlows {
    /// Returns the flows of a file, opened by `open` unless they are open.
    pub(super) fn get_or_open(&self, file: FileId, open: impl FnOnce() -> FlowTables) -> Arc<FlowTables> {
        let halves = self.halves.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = halves.newer.get(&file) {
            return Arc::clone(known);
        }
        let known = halves.older.get(&file).map(Arc::clone);
        drop(halves);
        let opened = known.unwrap_or_else(|| Arc::new(open()));
        let mut halves = self.halves.write().unwrap_or_else(PoisonError::into_inner);
        let closed = halves.insert(file, &opened, MOST_VALUES / 2);
        drop(halves);
        drop(closed);
        opened
    }

    /// Returns the flows of a file if they are open.
    pub(super) fn find_open(&self, file: FileId) -> Option<Arc<FlowTables>> {
        let halves = self.halves.read().unwrap_or_else(PoisonError::into_inner);
        halves.newer.get(&file).or_else(|| halves.older.get(&file)).map(Arc::clone)
    }

    /// Closes the flows of a file that changes. Returns them, because dropping them takes time.
    pub(super) fn close(&mut self, file: FileId) -> Option<Arc<FlowTables>> {
        let halves = self.halves.get_mut().unwrap_or_else(PoisonError::into_inner);
        let newer = halves.newer.remove(&file);
        halves.newer_values -= newer.as_deref().map_or(0, FlowTables::value_count);
        let older = halves.older.remove(&file);
        halves.older_values -= older.as_deref().map_or(0, FlowTables::value_count);
        newer.or(older)
    }

    /// Closes all flows.
    pub(super) fn close_all(&self) {
        let mut halves = self.halves.write().unwrap_or_else(PoisonError::into_inner);
        let closed = std::mem::take(&mut *halves);
        drop(halves);
        drop(closed);
    }

    /// Returns the bytes that the open flows hold on the heap, estimated.
    pub(super) fn heap_bytes(&self) -> usize {
        let halves = self.halves.read().unwrap_or_else(PoisonError::into_inner);
        (halves.newer_values + halves.older_values) * 65
    }
}

impl OpenedHalves {
    /// Adds the flows of a file to the newer half, which becomes the older one if it would have more than `most`
    /// values. Returns the flows that are closed for it.
    fn insert(
        &mut self,
        file: FileId,
        opened: &Arc<FlowTables>,
        most: usize,
    ) -> FxHashMap<FileId, Arc<FlowTables>> {
        let values = opened.value_count();
        if self.older.remove(&file).is_some() {
            self.older_values -= values;
        }
        let mut closed = FxHashMap::default();
        if self.newer_values + values > most && !self.newer.contains_key(&file) {
            closed = std::mem::replace(&mut self.older, std::mem::take(&mut self.newer));
            self.older_values = std::mem::take(&mut self.newer_values);
        }
        if self.newer.insert(file, Arc::clone(opened)).is_none() {
            self.newer_values += values;
        }
        closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{FlowValue, Flows};

    fn tables_of_values(values: usize) -> Arc<FlowTables> {
        let values = vec![FlowValue::Unknown; values].into();
        Arc::new(FlowTables::new(Flows { values, ..Flows::default() }))
    }

    fn open_files(halves: &OpenedHalves) -> Vec<u32> {
        let mut files: Vec<u32> = halves.newer.keys().chain(halves.older.keys()).map(|file| file.0).collect();
        files.sort_unstable();
        files
    }

    #[test]
    fn a_file_that_was_asked_for_lately_stays_open() {
        let mut halves = OpenedHalves::default();
        for file in [1, 2, 3, 1, 4] {
            halves.insert(FileId(file), &tables_of_values(4), 8);
        }
        assert_eq!(open_files(&halves), [1, 3, 4], "2 was asked for longest ago");
        let closed = halves.insert(FileId(5), &tables_of_values(5), 8);
        assert_eq!(closed.len(), 2, "{closed:?}");
        assert_eq!(open_files(&halves), [4, 5]);
    }

    #[test]
    fn values_are_counted_once_and_a_changed_file_is_closed() {
        let mut opened = OpenedFlows::default();
        for _ in 0..3 {
            opened.get_or_open(FileId(7), || {
                FlowTables::new(Flows { values: vec![FlowValue::Unknown; 9].into(), ..Flows::default() })
            });
        }
        let bytes = opened.heap_bytes();
        assert!(opened.close(FileId(7)).is_some() && opened.close(FileId(7)).is_none());
        assert!(bytes > 0 && opened.heap_bytes() == 0);
    }
}
