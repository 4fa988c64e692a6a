//! Puts changes into the text index and the map of a workspace, counts them, and has small segments of the text index merged.
//!
//! These are the only functions that take `text` or `map` for writing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use hob_base::{FileId, lock};
use hob_map::graph::{Derived, Examined};
use hob_map::{Map, MapChange};
use hob_text::{Batch as GramBatch, ContentCache, Saved, TrigramIndex};
use hob_workspace::FileTable;

use super::snapshot::comeback::{Back, Comeback, SoughtFacts};
use super::workspace::{Core, Workspace};

impl Workspace {
    /// Takes a batch into the text index.
    pub(super) fn install_text(&self, batch: GramBatch) {
        self.revision.contents_change();
        self.text.write().unwrap_or_else(PoisonError::into_inner).install(batch);
        self.revision.advance();
        self.deriver.text_changed();
    }

    /// Begins with the index of an earlier run.
    pub(super) fn restore_text(&self, mut index: TrigramIndex) {
        let mut text = self.text.write().unwrap_or_else(PoisonError::into_inner);
        index.set_contents(text.contents().clone());
        *text = index;
        drop(text);
        self.revision.advance();
    }

    /// Goes on with segments as they are used from disk.
    pub(super) fn install_saved(&self, saved: Saved) {
        self.text.write().unwrap_or_else(PoisonError::into_inner).install_saved(saved);
    }

    /// Lets searches look at these texts before they read files.
    pub(super) fn install_contents(&self, contents: ContentCache) {
        self.text.write().unwrap_or_else(PoisonError::into_inner).set_contents(contents);
    }

    /// Forgets everything and has it read again: what a panic left half done must not be built upon. Facts are in the store,
    /// so this parses nothing.
    pub(super) fn start_over(&self) {
        let table = FileTable::with_lists(Arc::clone(&self.tree.links), Arc::clone(&self.tree.unread));
        *lock(&self.core) = Core { table, ..Core::default() };
        *self.text.write().unwrap_or_else(PoisonError::into_inner) = TrigramIndex::new();
        self.change_map(|held| *held = Map::new());
        self.promoter.start_over();
        self.ranked.start_over();
        self.revision.advance();
        self.tree.dirty.mark_sweep();
    }

    /// Has small segments merged aside. A merge of large ones takes seconds, and the next save must not wait for it.
    pub(super) fn merge_text(self: &Arc<Self>) {
        if self.indexing.merging.swap(true, Ordering::AcqRel) {
            return;
        }
        let held = Arc::clone(self);
        self.shared.pools.merge.spawn(move || {
            // Cleared first: what becomes due while this looks is seen by this, or begun anew.
            held.indexing.merging.store(false, Ordering::Release);
            if catch_unwind(AssertUnwindSafe(|| held.merge_all())).is_err() {
                tracing::error!(root = %held.root(), "merging hit a bug; the index stays in more parts");
            }
        });
    }

    /// Merges off the lock. Installing respects what changed meanwhile.
    fn merge_all(&self) {
        while self.closing.check().is_ok() {
            let job = self.text.read().unwrap_or_else(PoisonError::into_inner).merge_due();
            let Some(job) = job else { return };
            let merged = job.run();
            self.text.write().unwrap_or_else(PoisonError::into_inner).install_merged(merged);
        }
    }

    /// Installs what was examined, unless the map has changed since. Returns true if that was done.
    pub(super) fn install_confirmed(&self, examined: Examined) -> bool {
        let mut done = false;
        self.change_map(|map| done = map.confirm(examined));
        if done {
            self.deriver.edges_confirmed();
        }
        done
    }

    fn change_map(&self, change: impl FnOnce(&mut Map)) {
        self.indexing.map_writers.fetch_add(1, Ordering::Relaxed);
        let mut map = self.map.write().unwrap_or_else(PoisonError::into_inner);
        // From here on a reader waits by itself.
        self.indexing.map_writers.fetch_sub(1, Ordering::Relaxed);
        change(&mut map);
    }

    /// Takes changes into the map.
    pub(super) fn apply_map(&self, changes: Vec<MapChange>) {
        if changes.is_empty() {
            return;
        }
        let count = changes.len() as u64;
        let files: Vec<FileId> = changes.iter().map(changed_file).collect();
        self.change_map(|map| {
            map.apply(changes);
            // Under the same lock: what the ranked index says of a file holds as long as the file is not noted.
            self.ranked.note_changed(files.into_iter());
        });
        self.revision.advance();
        self.deriver.map_changed(count);
    }

    /// Waits for the map of an earlier run and begins with it. Returns the files that it lacks.
    pub(super) fn restore_map(&self, comeback: Comeback) -> Vec<SoughtFacts> {
        let Back { map, missing, aged } = comeback.finish();
        self.change_map(|held| *held = map);
        self.revision.advance();
        // Not by way of `snapshots`: whoever saves holds that and waits for `core`, which the caller of this holds.
        if aged.is_some() {
            self.deriver.image_saved(0);
        }
        self.deriver.map_changed(aged.unwrap_or(0) as u64);
        missing
    }

    /// Installs hub scores and clusters.
    pub(super) fn install_derived(&self, derived: Derived) {
        self.change_map(|map| map.install_derived(derived));
    }
}

fn changed_file(change: &MapChange) -> FileId {
    match change {
        MapChange::Set { file, .. } | MapChange::Remove { file } => *file,
    }
}
