//! Puts changes into the text index and the map of a workspace, counts them, and has small segments of the text index merged.
//!
//! These are the only functions that take `text` or `map` for writing. Whatever a change of the map needs is computed
//! before the lock is taken, and whatever it takes out is dropped after the lock is given up.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use hob_base::lock;
use hob_map::graph::{Derived, Examined};
use hob_map::{MapBatch, MapChange};
use hob_text::{ContentCache, Saved, TextBatch, TrigramIndex};
use hob_workspace::FileTable;

use super::snapshot::restoring_map::{RestoredFacts, RestoringMap, SoughtFacts};
use super::workspace::{Core, Workspace};

/// Most attempts to arrange scores without a change of the map in between.
const ATTEMPTS: usize = 8;

impl Workspace {
    /// Installs a batch in the text index.
    pub(super) fn install_text(&self, batch: TextBatch) {
        self.revision.contents_change();
        self.text.write().unwrap_or_else(PoisonError::into_inner).install(batch);
        self.revision.advance();
        self.deriver.text_changed();
    }

    /// Replaces the text index by that of an earlier run.
    pub(super) fn restore_text(&self, mut index: TrigramIndex) {
        let mut text = self.text.write().unwrap_or_else(PoisonError::into_inner);
        index.set_contents(text.contents().clone());
        *text = index;
        drop(text);
        self.note_other_paths();
        self.revision.advance();
    }

    /// Notes that the text index is another one altogether.
    fn note_other_paths(&self) {
        self.revision.note_path_change();
        self.revision.note_manifest_change();
    }

    /// Has the text index use its saved segments from disk.
    pub(super) fn install_saved(&self, saved: Saved) {
        self.text.write().unwrap_or_else(PoisonError::into_inner).install_saved(saved);
    }

    /// Gives searches these cached texts, which they use before they read files.
    pub(super) fn install_contents(&self, contents: ContentCache) {
        self.text.write().unwrap_or_else(PoisonError::into_inner).set_contents(contents);
    }

    /// Forgets everything and has it read again, because nothing may build on work that a panic left half done. Facts
    /// are in the store, so this parses nothing.
    pub(super) fn start_over(&self) {
        let table = FileTable::with_lists(Arc::clone(&self.tree.links), Arc::clone(&self.tree.unread));
        *lock(&self.core) = Core { table, ..Core::default() };
        *self.text.write().unwrap_or_else(PoisonError::into_inner) = TrigramIndex::new();
        self.note_other_paths();
        drop(self.map.write(|held| held.replace(hob_map::Map::new())));
        self.promoter.start_over();
        self.ranked.start_over();
        self.revision.advance();
        self.tree.dirty.mark_sweep();
    }

    /// Merges small segments in another thread. A merge of large ones takes seconds, and the next save must not wait
    /// for it.
    pub(super) fn merge_text(self: &Arc<Self>) {
        if self.indexing.merging.swap(true, Ordering::AcqRel) {
            return;
        }
        let held = Arc::clone(self);
        self.shared.pools.merge.spawn(move || {
            // The flag is cleared first: a merge that becomes due meanwhile is either seen here or begun again.
            held.indexing.merging.store(false, Ordering::Release);
            held.merge_until_done();
        });
    }

    /// Merges small segments, and returns when none are left to merge.
    pub(super) fn merge_text_and_wait(&self) {
        self.shared.pools.merge.install(|| self.merge_until_done());
    }

    fn merge_until_done(&self) {
        if catch_unwind(AssertUnwindSafe(|| self.merge_all())).is_err() {
            tracing::error!(root = %self.root(), "merging hit a bug; the index stays in more parts");
        }
    }

    /// Merges without a lock. Installing respects changes that were made meanwhile. The deriving thread saves the result:
    /// a merge of a first index may end after that was saved.
    fn merge_all(&self) {
        while self.closing.check().is_ok() {
            let job = self.text.read().unwrap_or_else(PoisonError::into_inner).merge_due();
            let Some(job) = job else { return };
            let merged = job.run();
            if self.text.write().unwrap_or_else(PoisonError::into_inner).install_merged(merged) {
                self.indexing.has_unsaved_merge.store(true, Ordering::Release);
                self.deriver.text_changed();
            }
        }
    }

    /// Installs examined edges unless the map has changed since. Returns true if it did.
    pub(super) fn install_confirmed(&self, examined: Examined) -> bool {
        let done = self.map.write(|map| map.confirm(examined));
        if done {
            self.deriver.edges_confirmed();
        }
        done
    }

    /// Applies changes to the map.
    pub(super) fn apply_map(&self, changes: Vec<MapChange>) {
        if changes.is_empty() {
            return;
        }
        let count = changes.len() as u64;
        let mut noted: Vec<_> = changes.iter().map(MapChange::file).collect();
        // In the order in which the batch applies them.
        noted.sort();
        let mut batch = MapBatch::new(changes);
        self.map.write_in_slices(|map, go_on| {
            let is_done = map.apply_while(&mut batch, go_on);
            // This needs the same lock: the ranked index is believed about a file as long as the file is not noted.
            let taken_in = noted.len() - batch.len();
            self.ranked.note_changed(noted.drain(..taken_in));
            is_done
        });
        self.revision.advance();
        self.deriver.map_changed(count);
    }

    /// Waits for the map of an earlier run and begins with it. Returns the files that it lacks.
    pub(super) fn restore_map(&self, comeback: RestoringMap) -> Vec<SoughtFacts> {
        let RestoredFacts { map, missing, aged } = comeback.finish();
        drop(self.map.write(|held| held.replace(map)));
        self.revision.advance();
        // This must not lock `snapshots`: whoever saves holds that and waits for `core`, which the caller of this
        // holds.
        if aged.is_some() {
            self.deriver.image_saved(0);
        }
        self.deriver.map_changed(aged.unwrap_or(0) as u64);
        missing
    }

    /// Installs hub scores and clusters: they are arranged for the map as it is while others read it too, and then take the place of
    /// those before. If it changes in between, they are arranged again.
    pub(super) fn install_derived(&self, mut derived: Derived) {
        for _ in 0..ATTEMPTS {
            // Scores that are arranged in the midst of a change would be useless.
            self.map.give_way();
            self.map().arrange_derived(&mut derived);
            if self.map.write(|map| map.install_arranged(&mut derived)) {
                return;
            }
        }
        self.map.write(|map| {
            map.arrange_derived(&mut derived);
            map.install_arranged(&mut derived)
        });
    }
}
