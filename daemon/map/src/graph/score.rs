//! What was derived last: clusters and the edge count; scores lie with the files.

use rustc_hash::FxHashMap;

use super::{DefRef, ExternalId, Map, NodeRef};
use crate::index::FileEntry;

/// The state of the last derivation.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    /// `None` before the first.
    pub(crate) clusters: Option<Vec<ClusterInfo>>,
    pub(crate) edges: Option<usize>,
    pub(crate) externals: FxHashMap<ExternalId, f32>,
}

/// A cluster as it was derived.
#[derive(Clone, Debug)]
pub(crate) struct ClusterInfo {
    pub(crate) label: String,
    /// Its hubs by lasting identity: (path, qualified name, ordinal), best first.
    pub(crate) hubs: Vec<(hob_base::WsPath, String, u32)>,
}

impl Standing {
    pub(crate) fn edges(&self) -> Option<usize> {
        self.edges
    }
}

impl Map {
    /// The hub score of a node, 0 to 1; 0 until derived.
    #[must_use]
    pub fn score(&self, node: NodeRef) -> f32 {
        match node {
            NodeRef::File(file) => self.index.entry(file).map_or(0.0, |entry| entry.score),
            NodeRef::Def(def) => self.index.entry(def.file).map_or(0.0, |entry| def_score(entry, def)),
            NodeRef::External(id) => self.standing.externals.get(&id).copied().unwrap_or(0.0),
        }
    }
}

pub(crate) fn def_score(entry: &FileEntry, def: DefRef) -> f32 {
    entry.scores.get(def.def.index()).copied().unwrap_or(0.0)
}
