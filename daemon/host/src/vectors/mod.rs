//! Keeps vectors of the meaning of a workspace's symbols and sections: made aside once there is a model, and kept up
//! with the map.
//!
//! A file's vectors are computed from its facts and its path alone, and hold as long as the map has these very facts: that is what is
//! compared, so nothing has to be noted when the map changes, and what is found is always true of the map that names it. They are in
//! memory only: a restart makes them anew, a hundred thousand in a second or two, and nobody waits for that.
//!
//! A question waits for what changed before it as long as its token lets it, and is then answered from what is there, which it is told.

mod models;
mod scan;
mod shared;
mod text;
mod work;

pub use models::{InstalledModel, Models, ModelsError};

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use hob_base::{CancelToken, ContentHash, FileId};
use hob_embed::{Codes, Embedder, Model};
use hob_map::facts::Def;
use hob_map::graph::NodeRef;
use hob_proto::node_id::NodeId;
use rustc_hash::FxHashMap;

use super::workspace::Workspace;
use hob_base::lock;
use scan::FileVectors;

/// The test for the definitions that a question is about.
pub type Admits<'a> = &'a (dyn Fn(FileId, &Def) -> bool + Sync);

/// The definitions nearest to a text, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// Symbols, notes and sections with their cosines, best first; equals in the order of their IDs.
    pub hits: Vec<(NodeId, f32)>,
    /// The state of the vectors in which these were found.
    pub state: VectorState,
}

/// The share of a workspace that has vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VectorState {
    /// No model was added: there are none.
    NoModel,
    /// The model cannot be used, for this reason.
    Broken(String),
    /// They are being made, or brought up to date.
    Building {
        /// Vectors that there are.
        done: u64,
        /// Symbols and sections in all.
        total: u64,
    },
    /// There are too many symbols: those that others can use and that are used most have one.
    Partial {
        /// Vectors that there are.
        kept: u64,
        /// Symbols and sections in all.
        total: u64,
    },
    /// Every symbol and section has one.
    Whole,
}

impl VectorState {
    /// Returns the warning for an answer that was to use vectors; `None` if all were there.
    #[must_use]
    pub fn vectors_warning(&self) -> Option<String> {
        match self {
            Self::NoModel => Some(
                "No embedding model is installed: the answer is by words alone (`hob model add DIR`).".into(),
            ),
            Self::Broken(why) => Some(format!("The answer is by words alone: {why}.")),
            Self::Building { done, total } => Some(format!(
                "Vectors are still being made ({done} of {total}): what has none was found by words alone."
            )),
            Self::Partial { kept, total } => Some(format!(
                "Only {kept} of {total} symbols have vectors, those that are exported or used most: the others were found by words alone."
            )),
            Self::Whole => None,
        }
    }
}

/// Most vectors of a workspace.
const MOST: usize = 300_000;

/// See the module's header.
#[derive(Debug)]
pub(super) struct Vectors {
    state: Mutex<EmbeddingState>,
    moved: Condvar,
    files: RwLock<FxHashMap<FileId, FileVectors>>,
    bytes: AtomicU64,
    /// [`MOST`], but in tests.
    most: AtomicUsize,
}

impl Default for Vectors {
    fn default() -> Self {
        Self {
            state: Mutex::default(),
            moved: Condvar::new(),
            files: RwLock::default(),
            bytes: AtomicU64::new(0),
            most: AtomicUsize::new(MOST),
        }
    }
}

#[derive(Debug, Default)]
struct EmbeddingState {
    /// The model that made the vectors, by its hash.
    model: Option<ContentHash>,
    /// The workspace's generation that they are up to date with.
    upto: Option<u64>,
    runs: bool,
    failure: Option<String>,
    /// Vectors, and definitions in all.
    done: u64,
    total: u64,
    /// The least worth of a definition that gets a vector; `None` if all have room.
    least: Option<Least>,
}

/// Where not all have room: the worth from which on they have, and how many there were when that was found.
#[derive(Clone, Copy, Debug)]
struct Least {
    worth: u64,
    total: u64,
}

impl Vectors {
    fn files(&self) -> RwLockReadGuard<'_, FxHashMap<FileId, FileVectors>> {
        self.files.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the memory of the vectors in bytes.
    pub(super) fn heap_bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Has what is missing made, without waiting for it.
    pub(super) fn catch_up(workspace: &Arc<Workspace>) {
        // Whoever has no model pays for nothing.
        let has_none = lock(&workspace.vectors.state).model.is_none();
        if has_none && workspace.shared.models.active_model().is_none() {
            return;
        }
        if !std::mem::replace(&mut lock(&workspace.vectors.state).runs, true) {
            work::start(workspace);
        }
    }

    fn wait(&self, cancel: &CancelToken) {
        // A cancellation does not notify; looking again now and then is enough for it.
        let longest = Duration::from_millis(50);
        let rest = cancel.deadline().remaining().map_or(longest, |rest| rest.min(longest));
        let state = lock(&self.state);
        if state.runs {
            drop(self.moved.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl Workspace {
    /// Bytes of memory that vectors take.
    #[must_use]
    pub fn vector_bytes(&self) -> u64 {
        self.vectors.heap_bytes()
    }

    /// The `k` symbols and sections whose meaning is nearest to a text. Waits within `cancel` until what changed before is in.
    #[must_use]
    pub fn nearest_to_text(self: &Arc<Self>, text: &str, k: usize, cancel: &CancelToken) -> Nearest {
        self.nearest_of(text, k, None, cancel)
    }

    /// The same among the definitions that a question is about.
    #[must_use]
    pub fn nearest_of(
        self: &Arc<Self>,
        text: &str,
        k: usize,
        admits: Option<Admits<'_>>,
        cancel: &CancelToken,
    ) -> Nearest {
        let model = match self.shared.models.active_model() {
            None => return Nearest { hits: Vec::new(), state: VectorState::NoModel },
            Some(Err(why)) => return Nearest { hits: Vec::new(), state: VectorState::Broken(why) },
            Some(Ok(model)) => model,
        };
        let state = self.vectors_ready(&model, cancel);
        if matches!(state, VectorState::Broken(_)) {
            return Nearest { hits: Vec::new(), state };
        }
        let mut query = Codes::new(model.dims());
        query.push(&model.embed(text));
        Nearest { hits: scan::nearest_in_map(self, &query, k, admits), state }
    }

    /// Returns how like a text each of some nodes is, as cosines; `None` without a model that can be used. Needs no
    /// vectors to be there.
    #[must_use]
    pub fn similarity_to_text(&self, text: &str, nodes: &[NodeRef]) -> Option<Vec<f32>> {
        let model = self.shared.models.active_model()?.ok()?;
        let wanted = model.embed(text);
        let sources: Vec<_> = {
            let map = self.map();
            nodes.iter().map(|node| text::of_node(&map, *node)).collect()
        };
        let mut embedder = Embedder::new(&model);
        let mut one = |source: Option<text::EmbedSource>| {
            let vector = match source? {
                text::EmbedSource::Def(path, facts, def) => {
                    embedder.embed(&text::weighted_texts(&path, &facts, &facts.defs[def]))
                }
                text::EmbedSource::Name(name) => embedder.embed(&[(name.as_str(), 1.0)]),
            };
            Some(hob_embed::similarity(&wanted, &vector))
        };
        Some(sources.into_iter().map(|source| one(source).unwrap_or(0.0)).collect())
    }

    fn vectors_ready(self: &Arc<Self>, model: &Model, cancel: &CancelToken) -> VectorState {
        let wanted = self.generation().0;
        lock(&self.vectors.state).failure = None;
        loop {
            let mut state = lock(&self.vectors.state);
            if let Some(why) = &state.failure {
                return VectorState::Broken(why.clone());
            }
            let is_same = state.model == Some(model.fingerprint());
            if is_same && state.upto.is_some_and(|upto| upto >= wanted) {
                return state.settled_state();
            }
            if cancel.check().is_err() || self.closing.check().is_err() {
                let done = if is_same { state.done } else { 0 };
                return VectorState::Building { done, total: state.total };
            }
            let starts = !std::mem::replace(&mut state.runs, true);
            drop(state);
            if starts {
                work::start(self);
            }
            self.vectors.wait(cancel);
        }
    }
}

impl EmbeddingState {
    fn settled_state(&self) -> VectorState {
        match self.least {
            Some(_) => VectorState::Partial { kept: self.done, total: self.total },
            None => VectorState::Whole,
        }
    }
}

#[cfg(test)]
mod tests;
