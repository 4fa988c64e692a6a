//! The map of one workspace and the questions it answers.
//!
//! Facts come in through [`Map::apply`]; edges are computed when they are asked for, by resolving the references that
//! mention a name, and are never stored. That makes a change cost what the changed file costs and nothing more. Hub scores and
//! clusters are the exception: they need every edge, so they are computed aside ([`derive`]) and installed when
//! ready; answers do without until then.

mod answers;
mod derive;
mod node;

pub use answers::{
    Cluster, Hit, KindFilter, Lookup, MAX_SITES, MatchClass, Neighbor, NeighborsAnswer, NeighborsQuery,
    Overview, PER_KIND, PathAnswer, PathQuery, PathStep, SearchAnswer, SearchQuery, Stats,
};
pub use derive::{DeriveJob, Derived};
pub use node::{Confidence, DefRef, Direction, EdgeKind, EdgeKinds, ExternalId, NodeInfo, NodeKind, NodeRef};

use std::sync::Arc;

use hob_base::{FileId, WsPath};
use hob_proto::node_id::NodeId;

use crate::facts::FileFacts;

/// One file's step to the next generation of the map.
#[derive(Clone, Debug)]
pub enum MapChange {
    /// The file has these facts now.
    Set {
        /// Its number.
        file: FileId,
        /// Where it is.
        path: WsPath,
        /// What it says.
        facts: Arc<FileFacts>,
    },
    /// The file is gone.
    Remove {
        /// The number it had.
        file: FileId,
    },
}

/// The symbol graph of one workspace. The host owns it behind a lock: changes need it alone, questions share it.
#[derive(Debug, Default)]
pub struct Map {}

impl Map {
    /// An empty map.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in a batch of changes. Work is proportional to the files changed.
    pub fn apply(&mut self, _changes: Vec<MapChange>) {}

    /// The node that an ID names, if it exists.
    #[must_use]
    pub fn node(&self, _id: &NodeId) -> Option<NodeRef> {
        None
    }

    /// A node's lasting name.
    #[must_use]
    pub fn id(&self, _node: NodeRef) -> NodeId {
        NodeId::External { lang: "none".to_owned(), package: "none".to_owned() }
    }

    /// All that answers show of a node; `None` when it is not of this generation.
    #[must_use]
    pub fn info(&self, _node: NodeRef) -> Option<NodeInfo> {
        None
    }

    /// The file at this path, if it is mapped.
    #[must_use]
    pub fn file_at(&self, _path: &str) -> Option<FileId> {
        None
    }

    /// A mapped file's path and facts.
    #[must_use]
    pub fn file(&self, _file: FileId) -> Option<(&WsPath, &Arc<FileFacts>)> {
        None
    }

    /// A file's definitions in source order.
    #[must_use]
    pub fn defs_of(&self, _file: FileId) -> Vec<DefRef> {
        Vec::new()
    }

    /// The innermost definition that spans a 1-based line.
    #[must_use]
    pub fn symbol_at(&self, _file: FileId, _line: u32) -> Option<DefRef> {
        None
    }

    /// What a target stands for: a node ID (with or without `sym:`), a bare name, a qualified name (`A.b`, `A::b`) or a
    /// name with its module before it (`pkg.mod.A.b`).
    #[must_use]
    pub fn lookup(&self, _target: &str) -> Lookup {
        Lookup::None
    }

    /// Searches symbols and files.
    #[must_use]
    pub fn search(&self, _query: &SearchQuery<'_>) -> SearchAnswer {
        SearchAnswer::default()
    }

    /// What surrounds a node; `None` when the node is not of this generation.
    #[must_use]
    pub fn neighbors(&self, _query: &NeighborsQuery) -> Option<NeighborsAnswer> {
        None
    }

    /// A shortest connection between two nodes, over edges in either direction.
    #[must_use]
    pub fn path(&self, _query: &PathQuery) -> PathAnswer {
        PathAnswer::default()
    }

    /// The map at a glance. `focus` narrows it to a folder, a cluster (by number or label) or the cluster of a node.
    #[must_use]
    pub fn overview(&self, _focus: Option<&str>, _hubs_per_cluster: usize) -> Overview {
        Overview::default()
    }

    /// Figures about the map.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Stats::default()
    }

    /// Everything the map says, as sorted lines that depend on paths and contents alone: one per node and one per
    /// resolved edge. For comparing maps; reads every file.
    #[must_use]
    pub fn export(&self) -> Vec<String> {
        Vec::new()
    }
}
