//! Holds one open workspace: its parts, and the functions by which calls read them.
//!
//! Lock order, where two are held at the same time: `core` before `text` before `map`. Calls lock `text` and `map` for
//! reading and briefly: a search takes a text view and lets go. Only the indexer (or `map_rebuild` in its place) holds
//! `core`.
//!
//! This file imports only the types of the parts. The functions that act on a workspace are in files above it:
//! `installing` puts changes into text index and map.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant, SystemTime};

use hob_base::{AbsPath, CancelToken, Deadline, FileId, Generation, WsPath, lock};
use hob_live::live::{Live, LiveProject};
use hob_map::Map;
use hob_settings::EffectiveSettings;
use hob_text::{TextView, TrigramIndex};
use hob_workspace::read::DiskContents;
use hob_workspace::{BarrierError, Batch, DirtySet, FileTable, Links, Rules, ScanNote, Unread, Watcher};
use rustc_hash::FxHashMap;

use super::deriver::Deriver;
use super::facts::FactsCache;
use super::file_kind::FileKind;
use super::freshness::{Freshness, Stale};
use super::imports::state::ImportedIndexes;
use super::joined::JoinedState;
use super::map_lock::{MapLock, ReaderWaits};
use super::package_cache::PackageCache;
use super::path_names::PathNamesCache;
use super::pending::PendingFiles;
use super::progress::{Phase, Progress};
use super::promote::queue::Promoter;
use super::ranked::state::Ranked;
use super::report::Report;
use super::revision::{RevisionCount, WorkspaceRevision};
use super::services::SharedServices;
use super::slow_queue::Slow;
use super::snapshot::folder::Snapshots;
use super::snapshot::restoring_map::RestoringMap;
use super::vectors::state::Vectors;

/// The parts of a workspace that only the indexer may touch.
#[derive(Debug, Default)]
pub(super) struct Core {
    pub(super) table: FileTable,
    /// The kind of each known file.
    pub(super) kinds: FxHashMap<FileId, FileKind>,
    /// The map of an earlier run, until it takes the place of the empty one.
    pub(super) comeback: Option<RestoringMap>,
}

/// The files of a workspace as they are watched: the rules for them, their changes, and those that could not be read.
#[derive(Debug)]
pub(super) struct WatchedTree {
    pub(super) rules: Arc<Rules>,
    pub(super) watcher: Arc<Watcher>,
    pub(super) dirty: Arc<DirtySet>,
    /// Files with more than one name, as far as the table knows them.
    pub(super) links: Arc<Links>,
    /// The files and folders that could not be read when they were due.
    pub(super) unread: Arc<Unread>,
}

/// The state of the indexer's work that others read.
#[derive(Debug, Default)]
pub(super) struct IndexingState {
    notes: RwLock<Vec<ScanNote>>,
    pub(super) first_report: Mutex<Report>,
    /// The batch that the indexer is working on; with the dirty set, all changes that are not in yet.
    in_hand: Mutex<Batch>,
    /// True if merging has been asked for and has not begun.
    pub(super) merging: AtomicBool,
    /// True if segments were merged since the text index was last saved.
    pub(super) has_unsaved_merge: AtomicBool,
    /// The time for which the last call waited for a sweep of all files, in microseconds; 0 if none had to.
    swept_micros: AtomicU64,
}

/// An open workspace, with its indexes, watcher and threads.
#[derive(Debug)]
pub struct Workspace {
    pub(super) tree: WatchedTree,
    pub(super) shared: SharedServices,
    pub(super) core: Mutex<Core>,
    pub(super) text: RwLock<TrigramIndex>,
    pub(super) map: MapLock,
    pub(super) revision: RevisionCount,
    pub(super) indexing: IndexingState,
    /// The progress of the first index.
    pub progress: Progress,
    /// The files that the first index has still to take.
    pub pending: PendingFiles,
    pub(super) facts: FactsCache,
    /// Files that are parsed apart because they take long.
    pub(super) slow: Slow,
    pub(super) snapshots: Mutex<Snapshots>,
    pub(super) deriver: Deriver,
    /// The ranked index, which answers questions in words.
    pub ranked: Ranked,
    /// The vectors of the workspace's definitions.
    pub(super) vectors: Vectors,
    /// The packages that the project depends on.
    pub(super) packages: PackageCache,
    /// Files and folders by their last names.
    pub(super) path_names: PathNamesCache,
    /// The indexes of compilers that the user imported.
    pub(super) imports: ImportedIndexes,
    pub(super) joined: JoinedState,
    /// Ends the threads of this workspace.
    pub(super) closing: CancelToken,
    pub(super) promoter: Promoter,
    /// True while a language server is being made ready in the background.
    pub(super) preparing: AtomicBool,
}

/// The parts that a workspace is made of; see [`Workspace::from_parts`].
pub(super) struct WorkspaceParts {
    pub(super) rules: Arc<Rules>,
    pub(super) watcher: Arc<Watcher>,
    pub(super) dirty: Arc<DirtySet>,
    pub(super) shared: SharedServices,
    pub(super) facts: FactsCache,
    pub(super) snapshots: Snapshots,
}

fn not_fresh(why: &str, patience: Duration) -> Freshness {
    Freshness::Unknown(Some(format!(
        "Not fresh after {} ms ({why}): recent writes may be missing; files known to have changed carry stale:true.",
        patience.as_millis()
    )))
}

impl Workspace {
    pub(super) fn from_parts(parts: WorkspaceParts) -> Self {
        let core = Core::default();
        let tree = WatchedTree {
            rules: parts.rules,
            watcher: parts.watcher,
            dirty: parts.dirty,
            links: Arc::clone(core.table.links()),
            unread: Arc::clone(core.table.unread()),
        };
        Self {
            ranked: Ranked::new(parts.snapshots.folder().clone()),
            imports: ImportedIndexes::new(parts.snapshots.folder().join("imports")),
            tree,
            shared: parts.shared,
            core: Mutex::new(core),
            text: RwLock::new(TrigramIndex::new()),
            map: MapLock::default(),
            revision: RevisionCount::default(),
            indexing: IndexingState::default(),
            progress: Progress::default(),
            pending: PendingFiles::default(),
            facts: parts.facts,
            slow: Slow::default(),
            snapshots: Mutex::new(parts.snapshots),
            deriver: Deriver::default(),
            vectors: Vectors::default(),
            packages: PackageCache::default(),
            path_names: PathNamesCache::default(),
            joined: JoinedState::default(),
            closing: CancelToken::default(),
            promoter: Promoter::default(),
            preparing: AtomicBool::new(false),
        }
    }

    /// Returns the root folder of the workspace.
    #[must_use]
    pub fn root(&self) -> &AbsPath {
        self.tree.rules.root()
    }

    /// Returns true if the ignore rules let a file be seen.
    #[must_use]
    pub fn is_visible(&self, path: &WsPath) -> bool {
        self.tree.rules.admits_file(path)
    }

    /// Returns the present bytes of the workspace's files.
    #[must_use]
    pub fn disk_contents(&self) -> DiskContents {
        DiskContents { root: self.root().clone(), limit: self.tree.rules.options().read_max }
    }

    /// Returns the live layer with the project's language servers.
    #[must_use]
    pub fn live(&self) -> &Live {
        &self.shared.live
    }

    /// Returns true if the user trusts the programs and settings of the project, at this moment.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        self.shared.trust.is_trusted(self.root(), &self.shared.notices)
    }

    /// Returns the settings that are in force for the workspace at this moment.
    #[must_use]
    pub fn settings(&self) -> Arc<EffectiveSettings> {
        self.shared.settings.in_force_for(self.root(), self.is_trusted())
    }

    /// Returns the project as the live layer sees it. Ends servers that the user no longer wants.
    #[must_use]
    pub fn project(&self) -> LiveProject {
        let trusted = self.is_trusted();
        let preferences = Arc::clone(&self.shared.settings.in_force_for(self.root(), trusted).preferences);
        let project = LiveProject { root: self.root().clone(), trusted, preferences };
        self.shared.live.stop_unwanted(&project);
        project
    }

    /// Returns the map. Hold it for one answer, never while reading files.
    pub fn map(&self) -> RwLockReadGuard<'_, Map> {
        self.map.read()
    }

    /// Returns the text index of this moment.
    #[must_use]
    pub fn text(&self) -> TextView {
        self.text.read().unwrap_or_else(PoisonError::into_inner).snapshot()
    }

    /// Returns the text index of this moment with the files that the first index has not read yet, which each search then
    /// reads.
    #[must_use]
    pub fn text_with_unread(&self) -> TextView {
        // In this order: a file that is read meanwhile is in both, and is searched as one that is not read.
        let unread = self.pending.unread_files();
        self.text().with_unindexed(unread)
    }

    /// Returns the number of batches installed so far.
    #[must_use]
    pub fn generation(&self) -> Generation {
        self.revision.generation()
    }

    /// Returns the time of the last change of an index.
    #[must_use]
    pub fn changed_at(&self) -> Option<SystemTime> {
        self.revision.changed_at()
    }

    /// Returns the notes of the last scan. The note that there are no files is left out once there is one, without
    /// another scan.
    #[must_use]
    pub fn scan_notes(&self) -> Vec<ScanNote> {
        let mut notes = self.indexing.notes.read().unwrap_or_else(PoisonError::into_inner).clone();
        notes.retain(|note| *note != ScanNote::Empty || self.text().stats().files == 0);
        notes.extend(self.tree.unread.note_for_status());
        notes
    }

    /// Returns the number of files whose facts were extracted, and of those whose facts came from the store, since the
    /// workspace was opened.
    #[must_use]
    pub fn facts_counts(&self) -> (u64, u64) {
        (self.facts.extracted.load(Ordering::Relaxed), self.facts.loaded.load(Ordering::Relaxed))
    }

    /// Returns the bytes of the files without a name that facts are in, beside the memory of the map.
    #[must_use]
    pub fn paged_bytes(&self) -> u64 {
        self.facts.paged_bytes()
    }

    /// Returns the bytes of memory that map, text index, ranked index, vectors and joined map hold.
    #[must_use]
    pub fn heap_bytes(&self) -> u64 {
        let text = self.text().stats();
        let contents = self.text().contents().stats();
        (self.map().stats().heap_bytes + text.private_bytes + contents.private_bytes) as u64
            + self.ranked.disk_and_memory_bytes().1
            + self.vectors.heap_bytes()
            + self.joined.heap_bytes()
    }

    /// Ends the threads. Calls under way keep what they hold; calls that wait are woken.
    pub(super) fn stop(&self) {
        self.closing.cancel();
        self.tree.dirty.close();
        self.deriver.close();
        self.slow.close();
    }

    /// Returns the watcher that notices changes.
    #[must_use]
    pub fn watcher(&self) -> &Watcher {
        &self.tree.watcher
    }

    /// Returns the pool that calls compute on.
    #[must_use]
    pub fn query_pool(&self) -> &rayon::ThreadPool {
        &self.shared.pools.query
    }

    /// Waits until hub scores and clusters exist for the first time.
    pub fn wait_derived(&self, cancel: &CancelToken) {
        self.deriver.wait_first(cancel);
    }

    /// Waits like [`Self::wait_derived`], but only until `patience` after the first question that waited so: on a large
    /// tree, questions that come one after the other do not each wait for it.
    pub fn wait_derived_shared(&self, patience: Duration, cancel: &CancelToken) {
        self.deriver.wait_first_shared(patience, cancel);
    }

    /// Returns true if the indexer has work.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        !lock(&self.indexing.in_hand).is_empty() || self.progress.now().phase != Phase::Done
    }

    /// Waits until every write that completed before is in the text index, and with `map` in the map as well; if it
    /// cannot promise that, it says why. This is the barrier.
    pub fn barrier(&self, map: bool, patience: Duration) -> Freshness {
        let deadline = Deadline::after(patience);
        let settled = |marks| match map {
            true => self.tree.dirty.wait_settled(marks, deadline).map_err(|error| error.to_string()),
            false => self.tree.dirty.wait_text_settled(marks, deadline).map_err(|error| error.to_string()),
        };
        // Changes without an event: writes through other names, rules that lie outside, another folder in the root's
        // place. They are searched for last, so that they include those that have just been read.
        let silent = |()| {
            let linked = self.tree.links.mark_changed(self.root(), &self.tree.dirty);
            let ruled = self.tree.rules.mark_changed(&self.tree.dirty);
            let missed = self.tree.unread.mark_again(self.root(), &self.tree.dirty);
            let changed = self.tree.watcher.check_root() || linked || ruled || missed;
            if changed {
                return settled(self.tree.dirty.mark_count());
            }
            // A call that finds none may come after a call that found some, so it waits for those as well.
            self.tree.dirty.wait_for_rescans(deadline).map_err(|error| error.to_string())?;
            settled(self.tree.dirty.found_count())
        };
        let outcome = match self.tree.watcher.barrier(deadline) {
            Ok(passed) => settled(passed.marks).and_then(silent),
            Err(error @ BarrierError::Late) => Err(error.to_string()),
            Err(BarrierError::Unordered) => {
                // The order of events is not known, so everything is read.
                let begin = Instant::now();
                self.tree.dirty.mark_sweep();
                settled(self.tree.dirty.mark_count()).inspect(|()| self.note_sweep(begin.elapsed()))
            }
        };
        match outcome {
            Ok(()) => Freshness::Fresh,
            Err(error) => not_fresh(&error, patience),
        }
    }

    /// Waits for changes that other calls have found since the barrier: a file that could be read meanwhile is no
    /// longer among those of which an answer warns, so the answer must have it. The patience is that of the barrier,
    /// which began at `begun`.
    pub fn wait_for_found(&self, map: bool, begun: Instant, patience: Duration) -> Freshness {
        let deadline = Deadline::after(patience.saturating_sub(begun.elapsed()));
        let dirty = &self.tree.dirty;
        let settled = dirty.wait_for_rescans(deadline).and_then(|()| match map {
            true => dirty.wait_settled(dirty.found_count(), deadline),
            false => dirty.wait_text_settled(dirty.found_count(), deadline),
        });
        settled.map_or_else(|error| not_fresh(&error.to_string(), patience), |()| Freshness::Fresh)
    }

    fn note_sweep(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX).max(1);
        self.indexing.swept_micros.store(micros, Ordering::Relaxed);
    }

    /// Returns how readers of the map have waited for its changes so far.
    #[must_use]
    pub fn reader_waits(&self) -> ReaderWaits {
        self.map.reader_waits()
    }

    /// Returns the time for which the last call that needed a sweep of all files waited for it; `None` if none did.
    #[must_use]
    pub fn last_sweep(&self) -> Option<Duration> {
        let micros = self.indexing.swept_micros.load(Ordering::Relaxed);
        (micros > 0).then(|| Duration::from_micros(micros))
    }

    /// Returns the files that are known to have changed but are not in the indexes yet.
    #[must_use]
    pub fn stale_files(&self) -> Stale {
        let mut batch = lock(&self.indexing.in_hand).clone();
        let pending = self.tree.dirty.pending_marks();
        batch.sweep |= pending.sweep;
        batch.paths.extend(pending.paths);
        batch.trees.extend(pending.trees);
        batch.trees.extend(self.tree.unread.outdated_paths());
        Stale { batch }
    }

    /// Returns the report on the first index.
    #[must_use]
    pub fn first_report(&self) -> Report {
        *lock(&self.indexing.first_report)
    }

    /// Notes the batch that the indexer works on.
    pub(super) fn note_batch(&self, batch: &Batch) {
        *lock(&self.indexing.in_hand) = batch.clone();
    }

    /// Notes that the indexer works on nothing.
    pub(super) fn put_down(&self) {
        *lock(&self.indexing.in_hand) = Batch::default();
    }

    /// Returns true if a thread waits to change the map. A reader that holds the map for long, and can let go, then
    /// does.
    pub(super) fn is_map_wanted(&self) -> bool {
        self.map.is_wanted()
    }

    /// Returns the present revision.
    pub(super) fn contents_revision(&self) -> WorkspaceRevision {
        self.revision.contents_revision()
    }

    /// Replaces the notes of the scan.
    pub(super) fn set_notes(&self, notes: Vec<ScanNote>) {
        *self.indexing.notes.write().unwrap_or_else(PoisonError::into_inner) = notes;
    }

    /// Replaces the notes about files that are left out.
    pub(super) fn set_omissions(&self, omissions: Vec<ScanNote>) {
        let mut notes = self.indexing.notes.write().unwrap_or_else(PoisonError::into_inner);
        notes.retain(|note| !note.is_omission());
        notes.extend(omissions);
    }

    /// Returns the reason why the root folder could not be read at the last attempt; the indexes are then of the time
    /// before. `None` if it could.
    #[must_use]
    pub fn root_gone(&self) -> Option<String> {
        let notes = self.indexing.notes.read().unwrap_or_else(PoisonError::into_inner);
        notes.iter().find_map(|note| match note {
            ScanNote::RootGone { why } => Some(why.clone()),
            _ => None,
        })
    }

    /// Returns the warning for an answer about files that could not be read; `None` if all were.
    #[must_use]
    pub fn unread_warning(&self) -> Option<String> {
        self.tree.unread.warning_for_users()
    }

    /// Returns the number of files with further names, which every call has to check.
    #[must_use]
    pub fn linked_files(&self) -> usize {
        self.tree.links.len()
    }
}
