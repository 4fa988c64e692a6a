//! Answers questions about meaning: the definitions nearest to a text, and the similarity of nodes to a text.

use std::sync::Arc;

use hob_base::{CancelToken, lock};
use hob_embed::{Codes, Embedder, Model};
use hob_map::graph::NodeRef;

use super::answer::{Admits, Nearest, VectorState};
use super::{scan, text, work};
use crate::workspace::Workspace;

impl Workspace {
    /// Returns the memory of the vectors in bytes.
    #[must_use]
    pub fn vector_bytes(&self) -> u64 {
        self.vectors.heap_bytes()
    }

    /// Returns the `k` symbols and sections whose meaning is nearest to a text. Waits within `cancel` until earlier
    /// changes are in.
    #[must_use]
    pub fn nearest_to_text(self: &Arc<Self>, text: &str, k: usize, cancel: &CancelToken) -> Nearest {
        self.nearest_of(text, k, None, cancel)
    }

    /// Returns the `k` nearest of the definitions that `admits` lets through, or of all without it. Waits like
    /// [`Self::nearest_to_text`].
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

    /// Returns the similarity of each of some nodes to a text, as a cosine; `None` without a usable model. This needs
    /// no vectors of the workspace.
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
