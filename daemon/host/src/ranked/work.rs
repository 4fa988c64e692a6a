//! Ingests noted files into the ranked index, in a thread that ends when there are none.
//!
//! A few files are laid over the index in memory, which takes a millisecond or two; a restart loses that overlay and
//! finds the files again by comparing. Many files are written to the index in lots of at most some thousand, each a commit
//! of its own: a kill loses one lot, and memory does not grow with the tree. While a first index is made, the files that
//! questions want are a lot of their own, and the running one ends early for it. An index of an earlier run is compared with
//! the present files by versions, and files that differ are ingested like any change.

use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hob_base::{ContentHash, FileId, WsPath};
use hob_map::EXTRACTOR_VERSION;
use hob_text::ranked::{OpenedIndex, Patch, RankedDoc, RankedError, RankedIndex, Update};
use hob_workspace::is_gone;
use hob_workspace::read::read_file;
use rustc_hash::{FxHashMap, FxHashSet};

use super::docs::{self, RankedSource, number_of, version_of};
use super::rounds::{DocumentRoom, add_in_rounds};
use super::state::{FileNumbers, IngestProgress, Ranked, RankedIndexState};
use crate::work_queue::{FileWork, WorkQueue};
use crate::workspace::Workspace;
use hob_base::lock;

/// Number of files per commit.
const LOT: usize = 8_000;

/// Most files per commit of those that questions want: theirs must not wait for those of many others.
const WANTED_LOT: usize = 2_000;

/// Most files that one thread ingests; more are worth several threads.
const FEW: usize = 64;

/// Number of files that are read without a break.
const HANDOVER_BATCH: usize = 256;

/// The folder of the index in the workspace's snapshot.
const FOLDER: &str = "ranked";

/// Number of noted files from which on they are ingested before any question.
const MANY: usize = 256;

impl Ranked {
    /// Ingests many noted files before a question needs them.
    pub(crate) fn catch_up(workspace: &Arc<Workspace>) {
        let mut state = lock(&workspace.ranked.state);
        let is_much = state.noted.len() >= MANY && !state.runs && state.is_built;
        state.runs |= is_much;
        drop(state);
        if is_much {
            start(workspace);
        }
    }
}

/// Starts the thread; the caller has noted in the state that it runs.
pub(super) fn start(workspace: &Arc<Workspace>) {
    let held = Arc::clone(workspace);
    let body = move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| run(&held)));
        let failure = match outcome {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some("a bug interrupted it; see the log".to_owned()),
        };
        end(&held, failure);
    };
    let thread = std::thread::Builder::new().name("hob-ranked".to_owned()).spawn(body);
    if let Err(error) = thread {
        end_with(workspace, &mut lock(&workspace.ranked.state), format!("no thread: {error}"));
    }
}

fn end(workspace: &Arc<Workspace>, failure: Option<String>) {
    let mut state = lock(&workspace.ranked.state);
    state.runs = false;
    match failure {
        Some(failure) => end_with(workspace, &mut state, failure),
        None => merge(workspace),
    }
    drop(state);
    workspace.ranked.moved.notify_all();
}

/// Ends with a failure. The next question begins from the start, and checks the index on disk.
fn end_with(workspace: &Workspace, state: &mut RankedIndexState, failure: String) {
    tracing::warn!(root = %workspace.root(), failure, "the ranked index failed");
    *state =
        RankedIndexState { failure: Some(failure), epoch: state.epoch + 1, ..RankedIndexState::default() };
}

/// Merges in the pool that also merges the text index.
fn merge(workspace: &Arc<Workspace>) {
    let held = Arc::clone(workspace);
    workspace.shared.pools.merge.spawn(move || {
        let Some(index) = lock(&held.ranked.state).index.clone() else { return };
        let step = || held.closing.check().is_ok() && matches!(index.merge_step(), Ok(true));
        if catch_unwind(AssertUnwindSafe(|| while step() {})).is_err() {
            tracing::error!(root = %held.root(), "merging the ranked index hit a bug");
        }
        record_cost(&held, &index);
    });
}

fn record_cost(workspace: &Workspace, index: &RankedIndex) {
    let stats = index.stats();
    *lock(&workspace.ranked.cost) = (stats.disk_bytes, stats.heap_bytes);
}

fn run(workspace: &Arc<Workspace>) -> Result<(), RankedError> {
    let (index, epoch) = {
        let state = lock(&workspace.ranked.state);
        (state.index.clone(), state.epoch)
    };
    let index = match index {
        Some(index) => index,
        None => open(workspace, epoch)?,
    };
    while let Some(order) = next(workspace, epoch) {
        if !ingest_order(workspace, &index, &order)? {
            break;
        }
    }
    if index.is_overlay_full() {
        flush(workspace, &index, epoch)?;
    }
    record_cost(workspace, &index);
    Ok(())
}

/// The work of one run: the files to ingest, and the notes that this covers.
struct IngestOrder {
    files: Vec<FileId>,
    /// The last note among them.
    upto: u64,
    epoch: u64,
}

/// Returns the next files to ingest; `None` when there are none, or the index is no longer wanted.
fn next(workspace: &Workspace, epoch: u64) -> Option<IngestOrder> {
    let mut state = lock(&workspace.ranked.state);
    if workspace.closing.check().is_err() || state.epoch != epoch {
        return None;
    }
    if state.noted.is_empty() {
        (state.taken_in, state.is_built) = (state.notes, true);
        workspace.ranked.moved.notify_all();
        return None;
    }
    // The files stay noted until they are ingested, for questions in between.
    let mut files: Vec<FileId> = state.noted.keys().copied().collect();
    // Sorted, so that neighbours, which are often deleted together, lie together.
    files.sort_unstable();
    state.lacking = files.iter().copied().collect();
    state.progress = IngestProgress { done: 0, total: files.len() as u64 };
    Some(IngestOrder { files, upto: state.notes, epoch })
}

/// Opens the index of an earlier run, and notes the files that differ from it.
fn open(workspace: &Workspace, epoch: u64) -> Result<Arc<RankedIndex>, RankedError> {
    // This comes first: from here on changes are noted.
    lock(&workspace.ranked.state).tracks = true;
    let folder = workspace.ranked.folder.join(FOLDER);
    let form = format!("facts {EXTRACTOR_VERSION}");
    let OpenedIndex { index, discarded } = RankedIndex::open(folder.as_path(), &form)?;
    if let Some(why) = discarded {
        tracing::warn!(root = %workspace.root(), why, "a ranked index was discarded");
    }
    let mut versions = index.file_versions()?;
    let index = Arc::new(index);
    let (mut changed, mut files) = (Vec::new(), FileNumbers::default());
    {
        let (text, map) = (workspace.text(), workspace.map());
        for (file, path, hash) in text.files() {
            let number = number_of(path);
            let facts = map.file(file).map(|(_, facts)| &**facts);
            files.add(file, number);
            if versions.remove(&number) != Some(version_of(&hash, facts)) {
                changed.push(file);
            }
        }
    }
    if !versions.is_empty() {
        index.update(false, |update| versions.keys().for_each(|number| update.remove(*number)))?;
    }
    let mut state = lock(&workspace.ranked.state);
    if state.epoch == epoch {
        let note = state.notes;
        state.files = files;
        state.lacking = changed.iter().copied().collect();
        for file in changed {
            state.noted.entry(file).or_insert(note);
        }
        state.index = Some(Arc::clone(&index));
    }
    Ok(index)
}

/// Ingests files. Returns true if all of them are done.
fn ingest_order(
    workspace: &Workspace,
    index: &RankedIndex,
    order: &IngestOrder,
) -> Result<bool, RankedError> {
    let (wanted, done) = (present_paths(workspace, &order.files), AtomicU64::new(0));
    if order.files.len() > FEW && !flush(workspace, index, order.epoch)? {
        return Ok(false);
    }
    let is_first = index.is_empty();
    let mut queue = WorkQueue::new(order.files.clone());
    while let Some(Lot { files, is_wanted }) = next_lot(workspace, &mut queue) {
        if workspace.closing.check().is_err() {
            return Ok(false);
        }
        // The last lot of many files may be small.
        let is_flush = order.files.len() > FEW;
        let (epoch, gives_way) = (order.epoch, !is_wanted);
        let (wanted, done) = (&wanted, &done);
        let lot = DocumentBatch { files: &files, wanted, done, epoch, is_flush, gives_way, is_first };
        let Some(ingested) = lot.ingest_into(workspace, index)? else { return Ok(false) };
        let (ingested, rest) = files.split_at(ingested);
        queue.add_last(rest.to_vec());
        let mut state = lock(&workspace.ranked.state);
        if state.epoch != order.epoch {
            return Ok(false);
        }
        for file in ingested {
            state.lacking.remove(file);
            // Files that were noted again meanwhile stay noted.
            if state.noted.get(file).is_some_and(|note| *note <= order.upto) {
                state.noted.remove(file);
            }
        }
        state.commits += 1;
        drop(state);
        workspace.ranked.moved.notify_all();
    }
    lock(&workspace.ranked.state).taken_in = order.upto;
    workspace.ranked.moved.notify_all();
    if order.files.len() > FEW {
        // The texts of all these files were read, and few of them will be wanted.
        workspace.facts.settle_memory();
    }
    Ok(true)
}

/// Files that are ingested and committed together.
struct Lot {
    files: Vec<FileId>,
    /// True if a question wants them.
    is_wanted: bool,
}

/// Returns the next lot: the files that questions want, if there are any, alone, so that they can be found soon.
fn next_lot(workspace: &Workspace, queue: &mut WorkQueue<FileId>) -> Option<Lot> {
    let wanted = std::mem::take(&mut lock(&workspace.ranked.state).wanted);
    queue.put_first(&wanted, &|_| true);
    let first: Vec<FileId> = std::iter::from_fn(|| queue.next_wanted()).take(WANTED_LOT).collect();
    let is_wanted = !first.is_empty();
    let files = if is_wanted { first } else { queue.take_step(LOT) };
    (!files.is_empty()).then_some(Lot { files, is_wanted })
}

impl FileWork for FileId {
    fn file_number(&self) -> FileId {
        *self
    }
}

/// Writes the overlay into the index. Answers stay the same, except for files that have changed meanwhile.
fn flush(workspace: &Workspace, index: &RankedIndex, epoch: u64) -> Result<bool, RankedError> {
    let numbers = index.overlaid_files();
    if numbers.is_empty() {
        return Ok(true);
    }
    let files: Vec<FileId> = {
        let state = lock(&workspace.ranked.state);
        numbers.iter().filter_map(|number| state.files.ids.get(number).copied()).collect()
    };
    let (wanted, done) = (present_paths(workspace, &files), AtomicU64::new(0));
    let (wanted, done) = (&wanted, &done);
    let (gives_way, is_first) = (false, false);
    let lot = DocumentBatch { files: &files, wanted, done, epoch, is_flush: true, gives_way, is_first };
    let ingested = lot.ingest_into(workspace, index)?;
    lock(&workspace.ranked.state).commits += 1;
    Ok(ingested.is_some())
}

/// Returns those of the files that are there, with their paths.
fn present_paths(workspace: &Workspace, files: &[FileId]) -> FxHashMap<FileId, WsPath> {
    let asked: FxHashSet<FileId> = files.iter().copied().collect();
    let text = workspace.text();
    let there = text.indexed_paths().filter(|(file, _)| asked.contains(file));
    there.map(|(file, path)| (file, path.clone())).collect()
}

/// A function that adds a document under its file's number and version.
type Add<'a> = &'a mut dyn FnMut(u64, u64, RankedDoc<'_>) -> Result<(), RankedError>;

impl DocumentRoom for Update<'_> {
    fn has_room(&self) -> bool {
        Update::has_room(self)
    }

    fn wait_for_room(&self) {
        Update::wait_for_room(self);
    }
}

struct DocumentBatch<'l> {
    files: &'l [FileId],
    /// The files that exist, with their paths.
    wanted: &'l FxHashMap<FileId, WsPath>,
    done: &'l AtomicU64,
    epoch: u64,
    /// True if the documents that are laid over the index are written into it.
    is_flush: bool,
    /// True if the lot ends early when a question wants other files.
    gives_way: bool,
    /// True if the index was empty before the order, so that no documents of these files have to go: each deletion is
    /// looked for in every segment.
    is_first: bool,
}

impl DocumentBatch<'_> {
    /// Ingests the lot, or a part of it. Returns the number of files that were ingested; `None` if the index is no longer
    /// wanted.
    fn ingest_into(&self, workspace: &Workspace, index: &RankedIndex) -> Result<Option<usize>, RankedError> {
        if self.files.len() <= FEW && !self.is_flush {
            let Some(outdated) = self.assign_numbers(workspace, self.files) else { return Ok(None) };
            let each = |patch: &mut Patch<'_>| {
                let mut one = |file: &FileId| {
                    self.read(workspace, *file, &mut |number, version, doc| patch.add(number, version, &doc))
                };
                self.files.iter().try_for_each(&mut one)
            };
            return index.patch_files(&outdated, each).map(|()| Some(self.files.len()));
        }
        let mut outcome = Ok(Some(0));
        index.update(self.files.len() > FEW, |update| outcome = self.write_batches(workspace, update))?;
        outcome
    }

    /// Writes the files' documents, until the lot gives way.
    fn write_batches(
        &self,
        workspace: &Workspace,
        update: &Update<'_>,
    ) -> Result<Option<usize>, RankedError> {
        let one = |file: &FileId| {
            update.add_file(|documents| {
                self.read(workspace, *file, &mut |number, version, doc| {
                    documents.add(number, version, &doc);
                    Ok(())
                })
            })
        };
        let mut ingested = 0;
        // The threads that write also ingest edits, which get their turn between two batches.
        for files in self.files.chunks(HANDOVER_BATCH) {
            if self.gives_way && ingested > 0 && !lock(&workspace.ranked.state).wanted.is_empty() {
                break;
            }
            let Some(outdated) = self.assign_numbers(workspace, files) else { return Ok(None) };
            if !self.is_first {
                outdated.iter().for_each(|number| update.remove(*number));
            }
            let (there, gone): (Vec<FileId>, Vec<FileId>) =
                files.iter().partition(|file| self.wanted.contains_key(file));
            // These have no documents to make room for.
            gone.iter().try_for_each(one)?;
            add_in_rounds(&there, update, &workspace.shared.pools.index, one)?;
            ingested += files.len();
        }
        Ok(Some(ingested))
    }

    /// Notes the numbers that files have from now on, and returns the numbers whose documents have to go.
    fn assign_numbers(&self, workspace: &Workspace, files: &[FileId]) -> Option<Vec<u64>> {
        let mut state = lock(&workspace.ranked.state);
        if state.epoch != self.epoch {
            return None;
        }
        let mut outdated: Vec<u64> = files.iter().filter_map(|file| state.files.remove(*file)).collect();
        for file in files {
            if let Some(path) = self.wanted.get(file) {
                let number = number_of(path);
                state.files.add(*file, number);
                outdated.push(number);
            }
        }
        Some(outdated)
    }

    fn read(&self, workspace: &Workspace, file: FileId, add: Add<'_>) -> Result<(), RankedError> {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(256) {
            lock(&workspace.ranked.state).progress.done = done;
            workspace.ranked.moved.notify_all();
        }
        let Some(path) = self.wanted.get(&file) else { return Ok(()) };
        // A file that has vanished meanwhile is noted again by the indexer.
        let limit = workspace.tree.rules.options().read_max;
        let read = match read_file(workspace.root(), path, limit) {
            Ok(read) => read,
            Err(error) if is_gone(&error) || error.kind() == ErrorKind::PermissionDenied => return Ok(()),
            // The index is never made without the file: the next question tries again.
            Err(error) => return Err(error.into()),
        };
        let facts = workspace.map().file(file).map(|(_, facts)| Arc::clone(facts));
        let source = RankedSource { path, facts: facts.as_deref(), bytes: &read.bytes };
        let (number, version) =
            (number_of(path), version_of(&ContentHash::of(&read.bytes), facts.as_deref()));
        docs::each_document(&source, |doc| add(number, version, doc))
    }
}
