//! The ranked index of one workspace: made when it is first asked for, and kept up with the map from then on.
//!
//! Most workspaces are never asked in words, so nothing is made, opened or counted before the first question: a first index costs
//! what it cost without this, and a restarted daemon does not open what the last one left. From then on the map's changes
//! are noted by file, in the moment in which they are applied. A question has the files noted before it taken in first; a
//! thread that lives as long as there is something to take in does it (`work`), and questions that only wait for one another
//! share it. Many changes at once are taken in without being asked for, so that no question has to wait for a branch switch.
//!
//! What a document points to is true of the map's state in which its file is not noted: so a question that finds such a file while
//! it holds the map says that it is out of date, and never takes one definition for another.

mod docs;
mod work;

pub use docs::{kind_of as doc_kind, number_of as ranked_number};

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use hob_base::{AbsPath, CancelToken, FileId};
use hob_text::ranked::RankedIndex;
use rustc_hash::FxHashMap;

use super::workspace::Workspace;
use hob_base::lock;

/// So many noted files are taken in without being asked for.
const MANY: usize = 256;

/// Memory per file that the index knows, about: two table entries.
const FILE_BYTES: u64 = 48;

/// See the module's header.
#[derive(Debug)]
pub struct Ranked {
    folder: AbsPath,
    state: Mutex<RankedIndexState>,
    moved: Condvar,
    /// Bytes on disk and in memory when it was last changed.
    pub(super) cost: Mutex<(u64, u64)>,
}

#[derive(Debug, Default)]
struct RankedIndexState {
    index: Option<Arc<RankedIndex>>,
    /// True if changes of files are noted.
    tracks: bool,
    /// Everything that was there at first has been taken in.
    is_built: bool,
    /// Files that changed since they were taken in, each with its last note.
    noted: FxHashMap<FileId, u64>,
    /// Counts notes, and which of them have been taken in.
    notes: u64,
    taken_in: u64,
    /// Counts changes of the index.
    commits: u64,
    /// Rises when everything begins anew; work for an earlier one is dropped.
    epoch: u64,
    runs: bool,
    failure: Option<String>,
    files: FileNumbers,
    progress: Taking,
}

/// The progress of ingesting files into the ranked index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taking {
    /// Number of files done.
    pub done: u64,
    /// Number of files in all.
    pub total: u64,
}

/// Files by the numbers that the index has for them, both ways.
#[derive(Debug, Default)]
struct FileNumbers {
    numbers: FxHashMap<FileId, u64>,
    ids: FxHashMap<u64, FileId>,
}

/// Why there is no index that has everything.
#[derive(Debug)]
pub enum NotReady {
    /// It is being made.
    Building(Taking),
    /// It is there, but some changes are not in yet.
    Late(Arc<RankedIndex>),
    /// It cannot be made or read.
    Failed(String),
}

impl Ranked {
    pub(super) fn new(folder: AbsPath) -> Self {
        Self { folder, state: Mutex::default(), moved: Condvar::new(), cost: Mutex::default() }
    }

    /// These files have changed; called while the map that says so is applied.
    pub(super) fn note_changed(&self, files: impl Iterator<Item = FileId>) {
        let mut state = lock(&self.state);
        if state.tracks {
            state.notes += 1;
            let note = state.notes;
            state.noted.extend(files.map(|file| (file, note)));
        }
    }

    /// Takes much in before it is asked for.
    pub(super) fn catch_up(workspace: &Arc<Workspace>) {
        let mut state = lock(&workspace.ranked.state);
        let is_much = state.noted.len() >= MANY && !state.runs && state.is_built;
        state.runs |= is_much;
        drop(state);
        if is_much {
            work::start(workspace);
        }
    }

    /// Returns the number of changes of the index: as long as it is the same, what was found is what [`Ranked::file`]
    /// judges.
    #[must_use]
    pub fn commit_count(&self) -> u64 {
        lock(&self.state).commits
    }

    /// Everything is to be looked at again.
    pub(super) fn start_over(&self) {
        let mut state = lock(&self.state);
        *state = RankedIndexState { epoch: state.epoch + 1, runs: state.runs, ..RankedIndexState::default() };
        drop(state);
        self.moved.notify_all();
    }

    /// The file of a number, and whether what the index says of it may be taken for what the map says now.
    #[must_use]
    pub fn file(&self, number: u64) -> Option<(FileId, bool)> {
        let state = lock(&self.state);
        let file = *state.files.ids.get(&number)?;
        Some((file, !state.noted.contains_key(&file)))
    }

    /// Returns true if the index was there once in this run.
    #[must_use]
    pub fn is_built(&self) -> bool {
        lock(&self.state).is_built
    }

    /// Bytes on disk and of private memory.
    #[must_use]
    pub fn disk_and_memory_bytes(&self) -> (u64, u64) {
        let (disk, heap) = *lock(&self.cost);
        (disk, heap + lock(&self.state).files.ids.len() as u64 * FILE_BYTES)
    }

    /// The index with everything that has been noted so far, waiting for it within `cancel`; `report` is told how far it is.
    ///
    /// # Errors
    /// [`NotReady`].
    pub fn wait_until_ready(
        workspace: &Arc<Workspace>,
        cancel: &CancelToken,
        report: &dyn Fn(Taking),
    ) -> Result<Arc<RankedIndex>, NotReady> {
        let ranked = &workspace.ranked;
        let mut state = lock(&ranked.state);
        state.failure = None;
        let wanted = state.notes;
        loop {
            if let Some(failure) = &state.failure {
                return Err(NotReady::Failed(failure.clone()));
            }
            if workspace.closing.check().is_err() {
                return Err(NotReady::Failed("the workspace is being closed".to_owned()));
            }
            if let Some(index) = state.index.as_ref().filter(|_| state.is_built) {
                if state.taken_in >= wanted {
                    return Ok(Arc::clone(index));
                }
                if cancel.check().is_err() {
                    return Err(NotReady::Late(Arc::clone(index)));
                }
            } else if cancel.check().is_err() {
                return Err(NotReady::Building(state.progress));
            }
            let taking = state.progress;
            let starts = !std::mem::replace(&mut state.runs, true);
            drop(state);
            if starts {
                work::start(workspace);
            }
            report(taking);
            state = ranked.wait(cancel);
        }
    }

    fn wait(&self, cancel: &CancelToken) -> std::sync::MutexGuard<'_, RankedIndexState> {
        // A cancellation does not notify; looking again now and then is enough for it.
        let longest = Duration::from_millis(50);
        let rest = cancel.deadline().remaining().map_or(longest, |rest| rest.min(longest));
        let state = lock(&self.state);
        if !state.runs || state.failure.is_some() {
            return state;
        }
        self.moved.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0
    }
}

impl FileNumbers {
    fn add(&mut self, file: FileId, number: u64) {
        self.numbers.insert(file, number);
        self.ids.insert(number, file);
    }

    /// The number of a file that is gone, unless another one has its path by now.
    fn remove(&mut self, file: FileId) -> Option<u64> {
        let number = self.numbers.remove(&file)?;
        if self.ids.get(&number) != Some(&file) {
            return None;
        }
        self.ids.remove(&number);
        Some(number)
    }
}
