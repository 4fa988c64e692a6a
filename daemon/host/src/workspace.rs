//! One open workspace: its parts, and what calls ask of them.
//!
//! Lock order, where two are held at once: `core` before `text` before `map`. Calls take `text` and `map` for reading and
//! briefly: a search takes a snapshot and lets go. Only the indexer (or `map_rebuild` in its place) holds `core`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, SystemTime};

use hob_base::{AbsPath, CancelToken, Deadline, FileId, Generation, Stopped, WsPath, lock};
use hob_live::live::{Live, LiveProject};
use hob_map::{Map, MapChange};
use hob_text::{Batch as GramBatch, ContentCache, Saved, Snapshot, TrigramIndex};
use hob_workspace::read::DiskContents;
use hob_workspace::{BarrierError, Batch, DirtySet, FileTable, Links, Rules, ScanNote, Unread, Watcher};

use super::derive::Deriver;
use super::facts::FactsCache;
use super::indexer;
use super::intake::Report;
use super::packages::PackageCache;
use super::progress::Progress;
use super::promote::{self, Moment, Promoter};
use super::ranked::Ranked;
use super::registry::{Notices, Pools};
use super::slow::Slow;
use super::snapshot::{self, Back, Comeback, FileKind, Snapshots, SoughtFacts};
use super::trust::Trust;
use super::vectors::{Models, Vectors};
use hob_settings::{InForce, Settings};
use rustc_hash::FxHashMap;

/// The freshness of an answer, as far as a call knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Every write that completed before the call was received is in.
    Fresh,
    /// Not asked for, or not reached in time; the reason is a warning, unless it was not asked for.
    Unknown(Option<String>),
}

impl Default for Freshness {
    /// Nobody has asked.
    fn default() -> Self {
        Self::Unknown(None)
    }
}

/// The parts of a workspace that the indexer alone may touch.
#[derive(Debug, Default)]
pub(super) struct Core {
    pub(super) table: FileTable,
    /// The kind of each known file.
    pub(super) kinds: FxHashMap<FileId, FileKind>,
    /// The map of an earlier run, until it takes the place of the empty one.
    pub(super) comeback: Option<Comeback>,
}

/// The services that all workspaces of a daemon share.
#[derive(Clone, Debug)]
pub(super) struct SharedServices {
    pub(super) pools: Arc<Pools>,
    pub(super) notices: Arc<Notices>,
    pub(super) live: Arc<Live>,
    pub(super) settings: Arc<Settings>,
    pub(super) models: Arc<Models>,
    pub(super) trust: Trust,
}

/// The files of a workspace as they are watched: which count, what happened to them, and what could not be read.
#[derive(Debug)]
pub(super) struct WatchedTree {
    pub(super) rules: Arc<Rules>,
    pub(super) watcher: Arc<Watcher>,
    pub(super) dirty: Arc<DirtySet>,
    /// Files with more than one name, as far as the table knows them.
    links: Arc<Links>,
    /// The files and folders that could not be read when they were due.
    pub(super) unread: Arc<Unread>,
}

/// Counts the changes of a workspace, and knows when the last one was.
#[derive(Debug, Default)]
struct RevisionCount {
    generation: AtomicU64,
    /// Number of times that contents changed; it is the workspace's revision.
    contents_seen: AtomicU64,
    changed_at: Mutex<Option<SystemTime>>,
}

/// The indexer's work as others see it.
#[derive(Debug, Default)]
pub(super) struct IndexingState {
    notes: RwLock<Vec<ScanNote>>,
    pub(super) first_report: Mutex<Report>,
    /// The batch that the indexer is working on; with the dirty set, all changes that are not in yet.
    in_hand: Mutex<Batch>,
    /// Number of threads that wait to change the map.
    map_writers: AtomicUsize,
    /// Merging has been asked for and has not begun.
    merging: AtomicBool,
}

/// An open workspace, with its indexes, watcher and threads.
#[derive(Debug)]
pub struct Workspace {
    pub(super) tree: WatchedTree,
    pub(super) shared: SharedServices,
    pub(super) core: Mutex<Core>,
    text: RwLock<TrigramIndex>,
    map: RwLock<Map>,
    revision: RevisionCount,
    pub(super) indexing: IndexingState,
    /// The progress of the first index.
    pub progress: Progress,
    pub(super) facts: FactsCache,
    /// Files that are parsed apart.
    pub(super) slow: Slow,
    pub(super) snapshots: Mutex<Snapshots>,
    pub(super) deriver: Deriver,
    /// The ranked index, which answers questions in words.
    pub ranked: Ranked,
    /// The vectors of the workspace's definitions.
    pub(super) vectors: Vectors,
    /// The packages that the project depends on.
    pub(super) packages: PackageCache,
    /// Ends the threads of this workspace.
    pub(super) closing: CancelToken,
    pub(super) promoter: Promoter,
    /// A language server is being made ready aside.
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
            tree,
            shared: parts.shared,
            core: Mutex::new(core),
            text: RwLock::new(TrigramIndex::new()),
            map: RwLock::new(Map::new()),
            revision: RevisionCount::default(),
            indexing: IndexingState::default(),
            progress: Progress::default(),
            facts: parts.facts,
            slow: Slow::default(),
            snapshots: Mutex::new(parts.snapshots),
            deriver: Deriver::default(),
            vectors: Vectors::default(),
            packages: PackageCache::default(),
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

    /// Its files' bytes as they are now.
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

    /// The settings that count in it, at this moment.
    #[must_use]
    pub fn settings(&self) -> Arc<InForce> {
        self.shared.settings.in_force_for(self.root(), self.is_trusted())
    }

    /// The project as the live layer sees it. Servers that are not wanted any more, for what the user has said since, are ended.
    #[must_use]
    pub fn project(&self) -> LiveProject {
        let trusted = self.is_trusted();
        let preferences = Arc::clone(&self.shared.settings.in_force_for(self.root(), trusted).preferences);
        let project = LiveProject { root: self.root().clone(), trusted, preferences };
        self.shared.live.stop_unwanted(&project);
        project
    }

    /// The map. Hold it for one answer, never while reading files.
    pub fn map(&self) -> RwLockReadGuard<'_, Map> {
        self.map.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The text index of this moment.
    #[must_use]
    pub fn text(&self) -> Snapshot {
        self.text.read().unwrap_or_else(PoisonError::into_inner).snapshot()
    }

    /// Batches taken in so far.
    #[must_use]
    pub fn generation(&self) -> Generation {
        Generation(self.revision.generation.load(Ordering::Acquire))
    }

    /// When the last change was taken in.
    #[must_use]
    pub fn changed_at(&self) -> Option<SystemTime> {
        *lock(&self.revision.changed_at)
    }

    /// Returns the notes of the last scan. That there were no files ceases to be true with the first one, without
    /// another scan.
    #[must_use]
    pub fn scan_notes(&self) -> Vec<ScanNote> {
        let mut notes = self.indexing.notes.read().unwrap_or_else(PoisonError::into_inner).clone();
        notes.retain(|note| *note != ScanNote::Empty || self.text().stats().files == 0);
        notes.extend(self.tree.unread.note_for_status());
        notes
    }

    /// Files whose facts were extracted, and files whose facts came from the store, since the workspace was opened.
    #[must_use]
    pub fn facts_counts(&self) -> (u64, u64) {
        (self.facts.extracted.load(Ordering::Relaxed), self.facts.loaded.load(Ordering::Relaxed))
    }

    /// Bytes that map, text index, ranked index and vectors hold.
    #[must_use]
    pub fn heap_bytes(&self) -> u64 {
        let text = self.text().stats();
        let contents = self.text().contents().stats();
        (self.map().stats().heap_bytes + text.private_bytes + contents.private_bytes) as u64
            + self.ranked.disk_and_memory_bytes().1
            + self.vector_bytes()
    }

    /// Has the threads end. Calls under way keep what they hold; a call that waits is told.
    pub(super) fn stop(&self) {
        self.closing.cancel();
        self.tree.dirty.close();
        self.deriver.close();
        self.slow.close();
    }

    /// Ends the threads and saves.
    pub(super) fn close(&self) {
        self.stop();
        // Waits for the indexer's present batch, so that table and text are of one moment.
        snapshot::save(self);
        snapshot::save_last_ranking(self);
        promote::save(self);
    }

    /// Returns the watcher that notices changes.
    #[must_use]
    pub fn watcher(&self) -> &Watcher {
        &self.tree.watcher
    }

    /// The pool that calls compute on.
    #[must_use]
    pub fn query_pool(&self) -> &rayon::ThreadPool {
        &self.shared.pools.query
    }

    /// Waits until hub scores and clusters exist for the first time.
    pub fn wait_derived(&self, cancel: &CancelToken) {
        self.deriver.wait_first(cancel);
    }

    /// Returns true if the indexer has work.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        !lock(&self.indexing.in_hand).is_empty() || self.progress.now().phase != super::Phase::Done
    }

    /// The barrier: returns once every write that completed before is in the text index, and with `map` in the map as well,
    /// or says why it cannot promise that.
    pub fn barrier(&self, map: bool, patience: Duration) -> Freshness {
        let deadline = Deadline::after(patience);
        let settled = |marks| match map {
            true => self.tree.dirty.wait_settled(marks, deadline).map_err(|error| error.to_string()),
            false => self.tree.dirty.wait_text_settled(marks, deadline).map_err(|error| error.to_string()),
        };
        // What gives no event: writes through other names, rules that lie outside, another folder in the root's place. Looked at
        // last: then what has just been read is among them.
        let silent = |()| {
            let linked = self.tree.links.mark_changed(self.root(), &self.tree.dirty);
            let ruled = self.tree.rules.mark_changed(&self.tree.dirty);
            let missed = self.tree.unread.mark_again(self.root(), &self.tree.dirty);
            let changed = self.tree.watcher.check_root() || linked || ruled || missed;
            if changed { settled(self.tree.dirty.mark_count()) } else { Ok(()) }
        };
        let outcome = match self.tree.watcher.barrier(deadline) {
            Ok(passed) => settled(passed.marks).and_then(silent),
            Err(error @ BarrierError::Late) => Err(error.to_string()),
            Err(BarrierError::Unordered) => {
                // Nobody can say what happened in what order: look at everything.
                self.tree.dirty.mark_sweep();
                settled(self.tree.dirty.mark_count())
            }
        };
        match outcome {
            Ok(()) => Freshness::Fresh,
            Err(error) => Freshness::Unknown(Some(format!(
                "Not fresh after {} ms ({error}): recent writes may be missing; files known to have changed carry stale:true.",
                patience.as_millis()
            ))),
        }
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

    /// Looks at everything below `scope` (everything, without one) right now, in the caller's thread.
    ///
    /// # Errors
    /// [`Stopped`] when cancelled before anything was taken in.
    pub fn rescan(&self, scope: Option<WsPath>, cancel: &CancelToken) -> Result<Report, Stopped> {
        let scope = scope.unwrap_or_else(WsPath::root);
        // No marks: the indexer settles those itself.
        let mut batch = Batch::default();
        match scope.is_root() {
            true => batch.sweep = true,
            false => drop(batch.trees.insert(scope.clone())),
        }
        let mut report = indexer::work_off(self, &batch, cancel)?;
        let core = lock(&self.core);
        report.scanned =
            report.deleted + core.table.iter().filter(|(_, path, _)| path.is_below(&scope)).count();
        Ok(report)
    }

    /// Returns the report on the first index.
    #[must_use]
    pub fn first_report(&self) -> Report {
        *lock(&self.indexing.first_report)
    }

    pub(super) fn take_in_hand(&self, batch: &Batch) {
        *lock(&self.indexing.in_hand) = batch.clone();
    }

    pub(super) fn put_down(&self) {
        *lock(&self.indexing.in_hand) = Batch::default();
    }

    pub(super) fn install_text(&self, batch: GramBatch) {
        self.revision.contents_seen.fetch_add(1, Ordering::AcqRel);
        self.text.write().unwrap_or_else(PoisonError::into_inner).install(batch);
        self.advance_generation();
        self.deriver.text_changed();
    }

    /// Begins with the index of an earlier run.
    pub(super) fn restore_text(&self, mut index: TrigramIndex) {
        let mut text = self.text.write().unwrap_or_else(PoisonError::into_inner);
        index.set_contents(text.contents().clone());
        *text = index;
        drop(text);
        self.advance_generation();
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
        self.advance_generation();
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

    /// Off the lock. Installing respects what changed meanwhile.
    fn merge_all(&self) {
        while self.closing.check().is_ok() {
            let job = self.text.read().unwrap_or_else(PoisonError::into_inner).merge_due();
            let Some(job) = job else { return };
            let merged = job.run();
            self.text.write().unwrap_or_else(PoisonError::into_inner).install_merged(merged);
        }
    }

    /// Returns true if a thread waits to change the map. A reader that holds the map for long, and may let go, does
    /// so then.
    pub(super) fn is_map_wanted(&self) -> bool {
        self.indexing.map_writers.load(Ordering::Relaxed) > 0
    }

    /// Says what contents there are now, for comparing.
    pub(super) fn contents_moment(&self) -> Moment {
        Moment(self.revision.contents_seen.load(Ordering::Acquire))
    }

    /// Installs what was examined, unless the map has changed since.
    pub(super) fn install_confirmed(&self, examined: hob_map::graph::Examined) -> bool {
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
        self.advance_generation();
        self.deriver.map_changed(count);
    }

    /// Waits for the map of an earlier run and begins with it; answers the files that it lacks.
    pub(super) fn restore_map(&self, comeback: Comeback) -> Vec<SoughtFacts> {
        let Back { map, missing, aged } = comeback.finish();
        self.change_map(|held| *held = map);
        self.advance_generation();
        // Not by way of `snapshots`: whoever saves holds that and waits for `core`, which the caller of this holds.
        if aged.is_some() {
            self.deriver.image_saved(0);
        }
        self.deriver.map_changed(aged.unwrap_or(0) as u64);
        missing
    }

    pub(super) fn install_derived(&self, derived: hob_map::graph::Derived) {
        self.change_map(|map| map.install_derived(derived));
    }

    pub(super) fn set_notes(&self, notes: Vec<ScanNote>) {
        *self.indexing.notes.write().unwrap_or_else(PoisonError::into_inner) = notes;
    }

    /// Replaces what the notes say about files that are left out.
    pub(super) fn set_omissions(&self, omissions: Vec<ScanNote>) {
        let mut notes = self.indexing.notes.write().unwrap_or_else(PoisonError::into_inner);
        notes.retain(|note| !note.is_omission());
        notes.extend(omissions);
    }

    /// Why its folder could not be looked at when that was last tried, if so: what is known is of the time before.
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

    /// Returns the number of files with further names, which a call has to look at.
    #[must_use]
    pub fn linked_files(&self) -> usize {
        self.tree.links.len()
    }

    fn advance_generation(&self) {
        self.revision.generation.fetch_add(1, Ordering::Release);
        *lock(&self.revision.changed_at) = Some(SystemTime::now());
    }
}

fn changed_file(change: &MapChange) -> FileId {
    match change {
        MapChange::Set { file, .. } | MapChange::Remove { file } => *file,
    }
}

/// Files whose index entry is out of date.
#[derive(Clone, Debug, Default)]
pub struct Stale {
    batch: Batch,
}

impl Stale {
    /// Returns the number of marks that are known; a sweep under way counts as one.
    #[must_use]
    pub fn count(&self) -> usize {
        self.batch.paths.len() + self.batch.trees.len() + usize::from(self.batch.sweep)
    }

    /// Returns true if this file may be out of date.
    #[must_use]
    pub fn has(&self, path: &WsPath) -> bool {
        self.batch.paths.contains(path) || self.batch.trees.iter().any(|tree| path.is_below(tree))
    }
}
