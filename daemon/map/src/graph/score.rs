//! Holds the results of the last derivation: clusters and the edge count; scores lie with the files.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::skeleton::{Changed, Skeleton};
use super::{DefRef, ExternalId, Map, NodeRef, Ranked};

/// The results of the last derivation.
#[derive(Debug, Default)]
pub(crate) struct DerivedScores {
    /// The origin of the results.
    pub(crate) ranked: Ranked,
    /// Number of files that were unchanged when the scores of an earlier run were restored.
    pub(super) known: usize,
    /// The clusters; `None` before the first derivation.
    pub(crate) clusters: Option<Vec<ClusterInfo>>,
    pub(crate) edges: Option<usize>,
    pub(crate) externals: FxHashMap<ExternalId, f32>,
    /// The best definitions of the names with the best scores.
    pub(crate) best: FxHashMap<Box<str>, Vec<DefIdentity>>,
    /// The skeleton of the last derivation; `None` before the first.
    pub(super) skeleton: Option<Arc<Skeleton>>,
    /// The files that have changed since the last derivation.
    pub(super) changed: Changed,
}

/// The path, qualified name and ordinal of a definition, which survive a move within its file.
pub(crate) type DefIdentity = (hob_base::WsPath, Box<str>, u32);

/// A cluster as the derivation made it.
#[derive(Clone, Debug)]
pub(crate) struct ClusterInfo {
    pub(crate) label: String,
    /// The hubs of the cluster, best first.
    pub(crate) hubs: Vec<DefIdentity>,
}

impl DerivedScores {
    pub(crate) fn edge_count(&self) -> Option<usize> {
        self.edges
    }

    /// Returns the heap memory of the skeleton, in bytes.
    pub(super) fn heap_bytes(&self) -> usize {
        self.skeleton.as_ref().map_or(0, |skeleton| skeleton.heap_bytes())
    }
}

impl Map {
    /// Returns the definition with an identity, if it still exists.
    pub(crate) fn find_identified(&self, identity: &DefIdentity) -> Option<DefRef> {
        let (path, qualified, ordinal) = identity;
        let file = self.file_at(path.as_str())?;
        let def = self.index.entry(file)?.def_qualified(qualified, *ordinal)?;
        Some(DefRef { file, def })
    }

    /// Yields the best definitions of a name at the last derivation.
    pub(crate) fn best_of(&self, name: &str) -> impl Iterator<Item = DefRef> {
        self.standing.best.get(name).into_iter().flatten().filter_map(|best| self.find_identified(best))
    }

    /// Returns the hub score of a node: 0 to 1, for packages outside perhaps more; 0 until derived.
    #[must_use]
    pub fn score(&self, node: NodeRef) -> f32 {
        match node {
            NodeRef::File(file) => self.index.file_scores(file).own,
            NodeRef::Def(def) => self.index.file_scores(def.file).of_def(def.def),
            NodeRef::External(id) => self.standing.externals.get(&id).copied().unwrap_or(0.0),
        }
    }
}
