//! Holds the mutable index: the segments in use and the place of each file's current document.
//!
//! The host owns it behind a lock. Every method is quick except [`TrigramIndex::apply`] and
//! [`TrigramIndex::merge_step`], which do the slow part in place, for callers that need not spare a lock
//! (tests, small tools).

use hob_base::FileId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::batch::{GramChange, TextBatch};
use super::disk::Saved;
use super::merge::{MergeJob, Merged};
use super::parts::TrigramPart;
use super::segment::Segment;
use super::view::{IndexStats, TextView};
use crate::contents::cache::ContentCache;
use std::sync::Arc;

/// See the module's header.
#[derive(Debug, Default)]
pub struct TrigramIndex {
    /// The parts of the index, ascending by key.
    parts: Vec<TrigramPart>,
    locations: FxHashMap<FileId, Location>,
    next_key: u64,
    contents: ContentCache,
}

/// The place of a file's current document.
#[derive(Clone, Copy, Debug)]
struct Location {
    key: u64,
    doc: u32,
}

impl TrigramIndex {
    /// Creates an empty index.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Installs a prepared batch. Quick: proportional to the number of files in the batch, reads no trigrams.
    /// The caller must install batches in the order of their changes.
    pub fn install(&mut self, batch: TextBatch) {
        for file in batch.touched {
            if let Some(location) = self.locations.remove(&file) {
                self.part_mut(location.key).kill(location.doc);
            }
        }
        for segment in batch.segments {
            self.push(segment, |_| true);
        }
        self.drop_dead_parts();
    }

    /// Prepares and installs changes at once, in parallel when they are many.
    pub fn apply(&mut self, changes: Vec<GramChange>) {
        self.install(TextBatch::from_changes(changes));
    }

    /// Returns the next due merge, to be run without the lock; `None` when none is due. The host runs one at
    /// a time, in the background, until there is none.
    #[must_use]
    pub fn merge_due(&self) -> Option<MergeJob> {
        MergeJob::plan_merge(&self.parts)
    }

    /// Replaces the sources of a finished merge by its result. It respects changes since the merge was
    /// planned. Returns false, and does nothing, when a source is gone (another merge took it, or all its
    /// files changed).
    pub fn install_merged(&mut self, merged: Merged) -> bool {
        let sources: FxHashSet<u64> = merged.sources.iter().copied().collect();
        if self.parts.iter().filter(|part| sources.contains(&part.key)).count() != sources.len() {
            return false;
        }
        self.parts.retain(|part| !sources.contains(&part.key));
        // A file whose document is still in a source has not changed since: new versions go to new segments.
        let located: FxHashSet<FileId> = merged
            .segment
            .docs
            .iter()
            .map(|doc| doc.file)
            .filter(|file| self.locations.get(file).is_some_and(|at| sources.contains(&at.key)))
            .collect();
        self.push(Arc::new(merged.segment), |file| located.contains(&file));
        self.drop_dead_parts();
        true
    }

    /// Plans, runs and installs one merge; `false` when none was due.
    pub fn merge_step(&mut self) -> bool {
        self.merge_due().is_some_and(|job| self.install_merged(job.run()))
    }

    /// Replaces segments by the mapped files of [`Saver::save`](crate::Saver::save), and frees their memory.
    /// Quick; it respects changes and merges since the save began.
    pub fn install_saved(&mut self, saved: Saved) {
        for (key, segment) in saved.segments {
            if let Ok(at) = self.parts.binary_search_by_key(&key, |part| part.key) {
                self.parts[at].segment = segment;
            }
        }
    }

    /// Adds a segment of an earlier run; the documents for which `is_live` is true count.
    pub(super) fn push_restored(&mut self, segment: Segment, is_live: &[bool]) {
        let mut is_live = is_live.iter().copied();
        self.push(Arc::new(segment), |_| is_live.next().unwrap_or_default());
        self.drop_dead_parts();
    }

    /// Sets the texts that queries read before they read files.
    pub fn set_contents(&mut self, contents: ContentCache) {
        self.contents = contents;
    }

    /// Returns the texts that queries read.
    #[must_use]
    pub fn contents(&self) -> &ContentCache {
        &self.contents
    }

    /// Returns the text view that a query works on: the present index, unaffected by later changes. Costs a
    /// few reference counts.
    #[must_use]
    pub fn snapshot(&self) -> TextView {
        TextView::new(self.parts.clone(), self.contents.clone())
    }

    /// Returns the figures of the index.
    #[must_use]
    pub fn stats(&self) -> IndexStats {
        IndexStats::stats_of(&self.parts)
    }

    /// Returns the number of indexed files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.locations.len()
    }

    /// Returns true if no file is indexed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.locations.is_empty()
    }

    /// Returns true if the file is indexed.
    #[must_use]
    pub fn contains(&self, file: FileId) -> bool {
        self.locations.contains_key(&file)
    }

    fn push(&mut self, segment: Arc<Segment>, mut is_live: impl FnMut(FileId) -> bool) {
        let key = self.next_key;
        self.next_key += 1;
        let part = TrigramPart::new(key, segment, |doc| is_live(doc.file));
        self.locations.extend(part.live_docs().map(|(at, doc)| (doc.file, Location { key, doc: at })));
        self.parts.push(part);
    }

    fn part_mut(&mut self, key: u64) -> &mut TrigramPart {
        let at = self.parts.binary_search_by_key(&key, |part| part.key);
        &mut self.parts[at.expect("a location names a segment in use")]
    }

    fn drop_dead_parts(&mut self) {
        self.parts.retain(|part| part.live_count() > 0);
    }
}
