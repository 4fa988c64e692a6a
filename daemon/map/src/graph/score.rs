//! Holds the results of the last derivation: clusters and the edge count; scores lie with the files.

use rustc_hash::FxHashMap;

use super::skeleton::{Changed, Skeleton};
use super::{DefRef, ExternalId, Map, NodeRef, Ranked};

/// The state of the last derivation.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    /// Where all of this is from.
    pub(crate) ranked: Ranked,
    /// Number of files that were unchanged when scores of an earlier run were taken over.
    pub(super) known: usize,
    /// `None` before the first.
    pub(crate) clusters: Option<Vec<ClusterInfo>>,
    pub(crate) edges: Option<usize>,
    pub(crate) externals: FxHashMap<ExternalId, f32>,
    /// The best scored definitions of names that have good ones.
    pub(crate) best: FxHashMap<Box<str>, Vec<DefIdentity>>,
    /// The skeleton of the last derivation; `None` before the first.
    pub(super) skeleton: Option<Skeleton>,
    /// The files that have changed since.
    pub(super) changed: Changed,
}

/// The path, qualified name and ordinal of a definition, which survive an edit of its place.
pub(crate) type DefIdentity = (hob_base::WsPath, Box<str>, u32);

/// A cluster as it was derived.
#[derive(Clone, Debug)]
pub(crate) struct ClusterInfo {
    pub(crate) label: String,
    /// Its hubs, best first.
    pub(crate) hubs: Vec<DefIdentity>,
}

impl Standing {
    pub(crate) fn edge_count(&self) -> Option<usize> {
        self.edges
    }

    /// Memory of what is kept of the graph.
    pub(super) fn heap_bytes(&self) -> usize {
        self.skeleton.as_ref().map_or(0, Skeleton::heap_bytes)
    }
}

impl Map {
    /// The definition of a lasting identity, if it is still there.
    pub(crate) fn find_identified(&self, identity: &DefIdentity) -> Option<DefRef> {
        let (path, qualified, ordinal) = identity;
        let file = self.file_at(path.as_str())?;
        let def = self.index.entry(file)?.def_qualified(qualified, *ordinal)?;
        Some(DefRef { file, def })
    }

    /// The best scored definitions of a name, as of the last derivation.
    pub(crate) fn best_of(&self, name: &str) -> impl Iterator<Item = DefRef> {
        self.standing.best.get(name).into_iter().flatten().filter_map(|best| self.find_identified(best))
    }

    /// The hub score of a node, 0 to 1; 0 until derived.
    #[must_use]
    pub fn score(&self, node: NodeRef) -> f32 {
        match node {
            NodeRef::File(file) => self.index.file_scores(file).own,
            NodeRef::Def(def) => self.index.file_scores(def.file).of_def(def.def),
            NodeRef::External(id) => self.standing.externals.get(&id).copied().unwrap_or(0.0),
        }
    }
}
