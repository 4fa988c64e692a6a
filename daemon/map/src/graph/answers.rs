//! Declares the queries and answers of the map as plain values.
//!
//! Budgets and wire names are the daemon's business; limits that belong to the query itself (20 neighbours per node and
//! kind, five candidates) are kept here.

use hob_base::{CancelToken, FileId, WsPath};

use super::family::Relative;
use crate::facts::DefKind;
use crate::node::{Confidence, Direction, EdgeKind, EdgeKinds, NodeInfo, NodeKind, NodeRef, Tie};

/// The kinds of nodes that a search wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum KindFilter {
    /// Nodes of every kind.
    #[default]
    Any,
    /// Functions that belong to no type, and macros.
    Function,
    /// Classes, structs and enums.
    Class,
    /// Methods of types, constructors included.
    Method,
    /// Interfaces, protocols and traits.
    Interface,
    /// Variables, constants and fields.
    Variable,
    /// Source files, and no definitions.
    File,
}

impl KindFilter {
    /// Returns true if a node of this kind passes the filter.
    #[must_use]
    pub fn admits(self, kind: NodeKind) -> bool {
        use DefKind as D;
        let def = match kind {
            NodeKind::File => return matches!(self, Self::Any | Self::File),
            NodeKind::External => return self == Self::Any,
            NodeKind::Def(def) => def,
        };
        match self {
            Self::Any => true,
            Self::Function => matches!(def, D::Function | D::Macro),
            Self::Class => matches!(def, D::Class | D::Struct | D::Enum),
            Self::Method => def == D::Method,
            Self::Interface => matches!(def, D::Interface | D::Trait),
            Self::Variable => matches!(def, D::Variable | D::Constant | D::Field),
            Self::File => false,
        }
    }
}

/// A search for symbols and files.
#[derive(Clone, Copy, Debug)]
pub struct SearchQuery<'q> {
    /// A name, part of one, a qualified name or part of a path. Case matters only for the order of hits.
    pub text: &'q str,
    /// The kinds of nodes that are wanted.
    pub kinds: KindFilter,
    /// A folder or file below which hits must lie; empty for everywhere.
    pub path_prefix: &'q str,
    /// Most hits to return.
    pub limit: usize,
}

/// The way in which a hit matches, best first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum MatchClass {
    /// The name is the query.
    Exact,
    /// The name starts with it.
    Prefix,
    /// The name contains it.
    Substring,
    /// The qualified name contains it.
    Qualified,
    /// The path contains it.
    Path,
    /// The name is one edit away, or has the query's letters in order.
    Fuzzy,
}

/// One hit of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Hit {
    /// The node that was found; [`NodeInfo::score`] is its hub score.
    pub info: NodeInfo,
    /// The way in which the node matches.
    pub class: MatchClass,
    /// Sorts as the hits do: 100, 60, 40, 30, 25 or 10 by class, plus up to 10 for the hub score.
    pub rank: f32,
}

/// A file of which lines are not mapped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unmapped {
    /// The path of the file.
    pub path: hob_base::WsPath,
    /// First and last lines, 1-based; see [`crate::FileFacts::unmapped`].
    pub lines: Box<[(u32, u32)]>,
}

/// The answer to a search: its best hits, and how many there are.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SearchAnswer {
    /// The best hits, best first; at most [`SearchQuery::limit`].
    pub hits: Vec<Hit>,
    /// Number of all hits; fuzzy ones are counted only if the search looked for them.
    pub total: usize,
    /// True if counting was given up, so that `total` is a lower bound. Only for a qualified name whose last part very
    /// many names begin with.
    pub total_is_least: bool,
}

/// A query for the neighbours of a node.
#[derive(Clone, Debug)]
pub struct NeighborsQuery {
    /// The queried node.
    pub node: NodeRef,
    /// The direction in which edges are followed.
    pub direction: Direction,
    /// The kinds of edges that are followed.
    pub kinds: EdgeKinds,
    /// Most steps away, at least 1.
    pub depth: u32,
    /// Most neighbours in all.
    pub max_nodes: usize,
    /// True if a method stands for its family: those who use what it overrides, or what overrides it, are its
    /// neighbours too.
    pub family: bool,
    /// Stops the search when it is cancelled or late.
    pub cancel: CancelToken,
}

/// One neighbour, or one unresolved edge.
#[derive(Clone, PartialEq, Debug)]
pub struct Neighbor {
    /// The node at the other end. The likeliest candidate, if the edge leads out and is unresolved.
    pub info: NodeInfo,
    /// The kind of the edge.
    pub edge: EdgeKind,
    /// [`Direction::In`] if the edge points towards the queried node (or towards `via`).
    pub direction: Direction,
    /// The confidence of the edge.
    pub confidence: Confidence,
    /// Number of steps from the queried node.
    pub depth: u32,
    /// The node one step nearer.
    pub via: NodeRef,
    /// The method of the family that a user of `via` names, if it is not `via` itself.
    pub names: Option<NodeRef>,
    /// For [`Confidence::Candidate`]: the definitions that the name may mean, likeliest first, at most five.
    pub candidates: Vec<NodeRef>,
    /// Lines, in the file where the edge starts, at which the connection is written; the first [`MAX_SITES`].
    pub sites: Vec<u32>,
    /// Number of all such places, also those beyond [`MAX_SITES`].
    pub site_count: usize,
}

/// Most call sites kept per neighbour.
pub const MAX_SITES: usize = 1000;

/// Most neighbours shown per node and edge kind, unless the query asks for one kind alone.
pub const PER_KIND: usize = 20;

/// The surroundings of a node, best first: by depth, then by score.
#[derive(Clone, PartialEq, Debug)]
pub struct NeighborsAnswer {
    /// The queried node.
    pub node: NodeInfo,
    /// The other methods of its family, if the query asked for the family.
    pub family: Vec<Relative>,
    /// The neighbours, best first.
    pub neighbors: Vec<Neighbor>,
    /// Number of distinct (node, edge, direction) triples that were found and are not shown.
    pub omitted: usize,
    /// True if `omitted` is a lower bound: beyond the first step, unresolved edges are looked for only if there is a
    /// place for them.
    pub omitted_is_least: bool,
    /// Tells where the steps beyond the first looked for users.
    pub farther_users: FartherUsers,
    /// True if time ran out before everything was searched.
    pub incomplete: bool,
    /// True if callers through values may be missing: a definition is passed on as a value and a bound kept the search from
    /// following it everywhere, or the last derivation has more callers than are asked again.
    pub may_lack_callers: bool,
}

/// Tells where steps beyond the first of [`Map::neighbors`](super::Map::neighbors) looked for users. Of several steps, the
/// last of these that holds for one is told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub enum FartherUsers {
    /// Everywhere.
    #[default]
    All,
    /// In files that have changed since the last derivation, as a derivation looks, and among the users that it had found.
    /// `omitted` counts edges that it had found and that may be gone since.
    Earlier,
    /// In [`SOME_FILES`] files of a name that more files mention: no up-to-date derivation tells who uses it, and the users that
    /// an earlier one had found did not fill the answer.
    InSomeFiles,
}

/// Number of files that are searched for each name, where a search may leave some.
pub const SOME_FILES: usize = 64;

/// A query for a connection between two nodes.
#[derive(Clone, Debug)]
pub struct PathQuery {
    /// The node that the path starts at.
    pub from: NodeRef,
    /// The node that the path ends at.
    pub to: NodeRef,
    /// Most steps of a path.
    pub max_len: u32,
    /// The kinds of edges to follow; with [`EdgeKind::Calls`] a call of a method leads to those that override it too.
    pub kinds: EdgeKinds,
    /// [`Direction::Out`] follows edges as they point, [`Direction::In`] against that, [`Direction::Both`] either way at each step.
    pub direction: Direction,
    /// Stops the search when it is cancelled or late.
    pub cancel: CancelToken,
}

/// One step of a path.
#[derive(Clone, PartialEq, Debug)]
pub struct PathStep {
    /// The node nearer to the start.
    pub from: NodeRef,
    /// The node nearer to the end.
    pub to: NodeRef,
    /// The tie that connects the two nodes.
    pub kind: Tie,
    /// [`Direction::Out`] if the edge runs from `from` to `to`.
    pub direction: Direction,
    /// The confidence of the tie.
    pub confidence: Confidence,
    /// The first line at which the tie is written, in the file of the node where the edge starts.
    pub line: Option<u32>,
    /// All such lines of the step, ascending; empty if there is one at most.
    pub lines: Vec<u32>,
    /// The method that the code names, if the step leads to one that overrides it.
    pub named: Option<NodeRef>,
}

/// A connection between two nodes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Chain {
    /// Nodes from start to end.
    pub nodes: Vec<NodeInfo>,
    /// The steps between the nodes, one fewer than nodes.
    pub steps: Vec<PathStep>,
}

/// The extent of a search that found no connection.
#[derive(Clone, PartialEq, Debug)]
pub struct Reached {
    /// The number of nodes that the start leads to, and the most steps to one of them.
    pub from: (usize, u32),
    /// The number of nodes that lead to the end, and the most steps from one of them.
    pub to: (usize, u32),
    /// One node of either set: the pair whose places in the code are nearest to each other.
    pub nearest: Option<(NodeInfo, NodeInfo)>,
    /// The nodes that lead to the end and that nothing is known to call: a call through a value, by a framework or by
    /// another program has to reach one of them.
    pub entries: Vec<UncalledNode>,
}

/// A node that nothing is known to call, with the places that name it.
#[derive(Clone, PartialEq, Debug)]
pub struct UncalledNode {
    /// The node.
    pub node: NodeInfo,
    /// The places that name it without a call, imports excluded; those in tests last.
    pub uses: Vec<(WsPath, u32)>,
}

/// The answer to a [`PathQuery`].
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PathAnswer {
    /// The best connections: surest first, then shortest. At most three; empty if there is none.
    pub chains: Vec<Chain>,
    /// True if the search was given up before everything within reach was seen.
    pub incomplete: bool,
    /// True if there is no connection by calls alone, and these also lead from code to what it names.
    pub by_names: bool,
    /// The extent of the search, if it found nothing.
    pub reached: Option<Reached>,
}

impl PathAnswer {
    /// Returns true if the two nodes are connected.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        !self.chains.is_empty()
    }
}

/// The result of resolving a target that a person or an agent wrote.
#[derive(Clone, PartialEq, Debug)]
pub enum Lookup {
    /// The target means exactly this node.
    One(NodeRef),
    /// The target may mean several nodes; the likeliest comes first.
    Ambiguous(Vec<NodeRef>),
    /// The target means no node of the map.
    None,
}

/// A group of files that belong together.
#[derive(Clone, PartialEq, Debug)]
pub struct Cluster {
    /// The number of the cluster, 0 for the largest.
    pub id: u32,
    /// The name shown to people.
    pub label: String,
    /// Number of files in the cluster.
    pub files: usize,
    /// The most connected exported definitions of the cluster, best first.
    pub hubs: Vec<NodeInfo>,
}

/// A summary of the whole map.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Overview {
    /// Source files mapped (project files not counted).
    pub files: usize,
    /// Number of definitions in these files.
    pub symbols: usize,
    /// Languages by name with their number of files, most first.
    pub languages: Vec<(&'static str, usize)>,
    /// The clusters, the largest first.
    pub clusters: Vec<Cluster>,
    /// True if clusters and scores are computed; until then files are grouped by top folder.
    pub derived: bool,
    /// True if the caller gave a `focus` that means nothing in the map.
    pub focus_unknown: bool,
}

/// Figures about the map.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stats {
    /// Number of source files mapped.
    pub files: usize,
    /// Number of definitions in these files.
    pub symbols: usize,
    /// References in the facts, resolved or not.
    pub references: usize,
    /// Resolved edges as of the last derivation; `None` before the first.
    pub edges: Option<usize>,
    /// Languages by name with their number of files, most first.
    pub languages: Vec<(&'static str, usize)>,
    /// Heap memory held by facts and indexes, in bytes.
    pub heap_bytes: usize,
}

/// One use of a definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// The file of the use.
    pub file: FileId,
    /// 1-based line of the name; for an import, the line that the facts record.
    pub line: u32,
    /// 1-based UTF-16 column of the name; `None` for imports, whose columns facts do not record.
    pub col: Option<u32>,
    /// The kind of use: [`EdgeKind::Imports`] for an import, re-exported or not.
    pub kind: EdgeKind,
    /// The confidence of the use.
    pub confidence: Confidence,
    /// True if another name than the definition's own is written there: an import's alias, a default import.
    pub is_renamed: bool,
    /// The definition that encloses the use, or the file.
    pub from: NodeRef,
}
