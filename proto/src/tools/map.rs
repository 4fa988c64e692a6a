//! The `map_*` family: arguments, results, definitions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ArgDef, ArgType, Default, ListCut, ToolDef, ToolSet};

/// Kinds that `map_search` filters by.
pub const SEARCH_KINDS: &[&str] = &["any", "function", "class", "method", "interface", "variable", "file"];

/// Edge kinds of the map.
pub const EDGE_KINDS: &[&str] =
    &["contains", "imports", "exports", "calls", "extends", "implements", "references"];

/// `map_overview`.
pub static OVERVIEW: ToolDef = ToolDef {
    name: "map_overview",
    title: "Map: overview",
    description: "Orient first: the code base's clusters with their most connected symbols (hubs), and languages.",
    args: &[
        ArgDef {
            name: "focus",
            ty: ArgType::Str { min: 1 },
            default: Default::None,
            description: "Only clusters whose label or files have this",
        },
        ArgDef {
            name: "hubsPerCluster",
            ty: ArgType::Int { min: 1, max: 20 },
            default: Default::Int(5),
            description: "Hubs per cluster",
        },
    ],
    output: "{builtAt: str, files: int, symbols: int, staleFiles: int, languages: any, clusters: [{id: int, label: str, \
             files: int, hubs: [{id: str, kind: str, signature: str, doc: str, score: num}]}]}",
    cuts: &[ListCut {
        path: "clusters",
        kind: "clusters",
        narrow: "Pass focus:'<folder>' for one part, or hubsPerCluster:2",
    }],
    set: ToolSet::Core,
    ..ToolDef::READ
};

/// Arguments of `map_overview`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OverviewArgs {
    /// Restrict to clusters whose label or files contain this.
    pub focus: Option<String>,
    /// Hubs per cluster.
    pub hubs_per_cluster: usize,
}

/// Result of `map_overview`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OverviewResult {
    /// When the map last took in a change, RFC 3339.
    pub built_at: String,
    /// Mapped files.
    pub files: usize,
    /// Definitions.
    pub symbols: usize,
    /// Files known to have changed that are not taken in yet.
    pub stale_files: usize,
    /// Files per language.
    pub languages: BTreeMap<String, usize>,
    /// Largest first.
    pub clusters: Vec<Cluster>,
}

/// A cluster of files that hang together.
#[derive(Clone, Debug, Serialize)]
pub struct Cluster {
    /// 0 is the largest.
    pub id: u32,
    /// What a person would call it.
    pub label: String,
    /// Number of files.
    pub files: usize,
    /// Its most connected definitions, best first.
    pub hubs: Vec<Hub>,
}

/// A well-connected definition.
#[derive(Clone, Debug, Serialize)]
pub struct Hub {
    /// Node ID.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Its header.
    pub signature: String,
    /// First paragraph of its documentation; empty if there is none.
    pub doc: String,
    /// 0 to 1.
    pub score: f64,
}

/// `map_search`.
pub static SEARCH: ToolDef = ToolDef {
    name: "map_search",
    title: "Map: find symbols",
    description: "Find definitions and files by name: exact, prefix, substring, path, then fuzzy. Gives node IDs.",
    args: &[
        ArgDef {
            name: "query",
            ty: ArgType::Str { min: 2 },
            default: Default::Required,
            description: "Name or part of it, e.g. SessionStore.refresh",
        },
        ArgDef {
            name: "kind",
            ty: ArgType::Enum(SEARCH_KINDS),
            default: Default::Str("any"),
            description: "Kind wanted",
        },
        ArgDef {
            name: "limit",
            ty: ArgType::Int { min: 1, max: 100 },
            default: Default::Int(20),
            description: "Most results",
        },
        ArgDef {
            name: "pathPrefix",
            ty: ArgType::Str { min: 1 },
            default: Default::None,
            description: "Only below this path",
        },
    ],
    output: "{results: [{id: str, kind: str, name: str, file: str, line: int, col: int, signature: str, score: num, \
             stale?: bool}], total: int}",
    cuts: &[ListCut { path: "results", kind: "results", narrow: "Pass pathPrefix, kind or a longer query" }],
    set: ToolSet::Core,
    ..ToolDef::READ
};

/// Arguments of `map_search`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchArgs {
    /// What to look for.
    pub query: String,
    /// One of [`SEARCH_KINDS`].
    pub kind: String,
    /// Most results.
    pub limit: usize,
    /// Only below this path.
    pub path_prefix: Option<String>,
}

/// Result of `map_search`.
#[derive(Clone, Debug, Serialize)]
pub struct SearchResult {
    /// Best first.
    pub results: Vec<SearchHit>,
    /// How many there are in all.
    pub total: usize,
}

/// One hit.
#[derive(Clone, Debug, Serialize)]
pub struct SearchHit {
    /// Node ID.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Its own name.
    pub name: String,
    /// Where.
    pub file: String,
    /// 1-based line of the name.
    pub line: u32,
    /// 1-based column of the name.
    pub col: u32,
    /// Its header; empty for files.
    pub signature: String,
    /// Hub score, 0 to 1.
    pub score: f64,
    /// Its file is known to have changed since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
}

const NODE_ID: ArgDef = ArgDef {
    name: "nodeId",
    ty: ArgType::Str { min: 1 },
    default: Default::Required,
    description: "Node ID (py:src/a.py#Class.method), name or path",
};

/// `map_neighbors`.
pub static NEIGHBORS: ToolDef = ToolDef {
    name: "map_neighbors",
    title: "Map: neighbours",
    description: "What a symbol or file is connected to: callers, users (direction in), callees, bases (out). Each edge says how sure \
                  it is: live (confirmed by a language server), exact, import, name; candidates are guesses.",
    args: &[
        NODE_ID,
        ArgDef {
            name: "direction",
            ty: ArgType::Enum(&["in", "out", "both"]),
            default: Default::Str("both"),
            description: "Edge direction",
        },
        ArgDef {
            name: "edgeKinds",
            ty: ArgType::EnumList(EDGE_KINDS),
            default: Default::None,
            description: "Only these (default all)",
        },
        ArgDef {
            name: "depth",
            ty: ArgType::Int { min: 1, max: 3 },
            default: Default::Int(1),
            description: "Steps",
        },
        ArgDef {
            name: "maxNodes",
            ty: ArgType::Int { min: 1, max: 200 },
            default: Default::Int(50),
            description: "Most shown",
        },
        ArgDef {
            name: "offset",
            ty: ArgType::Int { min: 0, max: 1_000_000 },
            default: Default::Int(0),
            description: "Skip so many, of one edge kind",
        },
    ],
    output: "{node: any, neighbors: [{id: str, kind: str, file?: str, line?: int, edge: str, direction: str, resolved: bool, \
             confidence: str, depth: int, score: num, sites?: [int], siteCount?: int, candidates?: [str], stale?: bool}], omitted: int, \
             mapBuiltAt: str, staleFiles: int}",
    cuts: &[ListCut {
        path: "neighbors",
        kind: "neighbors",
        narrow: "Pass edgeKinds or direction to narrow, or a larger tokenBudget",
    }],
    set: ToolSet::Core,
    ..ToolDef::READ
};

/// Arguments of `map_neighbors`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NeighborsArgs {
    /// Whose neighbours.
    pub node_id: String,
    /// `in`, `out` or `both`.
    pub direction: String,
    /// Some of [`EDGE_KINDS`]; none means all.
    #[serde(default)]
    pub edge_kinds: Vec<String>,
    /// 1 to 3.
    pub depth: usize,
    /// Most neighbours.
    pub max_nodes: usize,
    /// Neighbours passed over before the first one shown.
    pub offset: usize,
}

/// Result of `map_neighbors`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NeighborsResult {
    /// The node itself.
    pub node: Node,
    /// Best first: depth, then score.
    pub neighbors: Vec<Neighbor>,
    /// How many more there are at the depths that were looked at.
    pub omitted: usize,
    /// When the map last took in a change, RFC 3339.
    pub map_built_at: String,
    /// Files known to have changed that are not taken in yet.
    pub stale_files: usize,
}

/// A node as answers show it.
#[derive(Clone, Debug, Serialize)]
pub struct Node {
    /// Node ID.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Where; empty for external packages.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// 1-based line of the name; 1 for files, 0 for packages.
    #[serde(skip_serializing_if = "is_zero")]
    pub line: u32,
    /// Its header.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub signature: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// One neighbour.
#[derive(Clone, Debug, Serialize)]
pub struct Neighbor {
    /// Node ID; for an unresolved edge that of the likeliest candidate.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Where; empty for external packages.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// 1-based line of its name; 1 for files.
    #[serde(skip_serializing_if = "is_zero")]
    pub line: u32,
    /// One of [`EDGE_KINDS`].
    pub edge: String,
    /// `in` or `out`, seen from the node before it.
    pub direction: String,
    /// Whether the edge is settled.
    pub resolved: bool,
    /// `live`, `exact`, `import`, `name` or `candidate`.
    pub confidence: String,
    /// Steps from the node asked about.
    pub depth: usize,
    /// Hub score, 0 to 1.
    pub score: f64,
    /// Lines of the uses: all of them where one edge kind was asked for, else at most ten.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<u32>,
    /// How many uses there are, when `sites` does not show them all.
    #[serde(rename = "siteCount", skip_serializing_if = "Option::is_none")]
    pub site_count: Option<usize>,
    /// For an unresolved edge: what it may mean, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// Its file is known to have changed since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
}

/// `map_path`.
pub static PATH: ToolDef = ToolDef {
    name: "map_path",
    title: "Map: path between two symbols",
    description: "How two symbols or files are connected: a shortest chain of resolved edges, with each edge's direction.",
    args: &[
        ArgDef {
            name: "from",
            ty: ArgType::Str { min: 1 },
            default: Default::Required,
            description: "Node ID",
        },
        ArgDef {
            name: "to",
            ty: ArgType::Str { min: 1 },
            default: Default::Required,
            description: "Node ID",
        },
        ArgDef {
            name: "maxLen",
            ty: ArgType::Int { min: 1, max: 10 },
            default: Default::Int(6),
            description: "Most edges",
        },
        ArgDef {
            name: "includeReferences",
            ty: ArgType::Bool,
            default: Default::Bool(false),
            description: "Follow plain references too",
        },
    ],
    output: "{found: bool, length: int, nodes: [any], edges: [{from: str, to: str, kind: str, direction: str, confidence: str}]}",
    cuts: &[ListCut { path: "nodes", kind: "nodes", narrow: "Raise tokenBudget" }],
    ..ToolDef::READ
};

/// Arguments of `map_path`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PathArgs {
    /// Where the chain starts.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// Most edges.
    pub max_len: usize,
    /// Whether plain references count as edges.
    pub include_references: bool,
}

/// Result of `map_path`.
#[derive(Clone, Debug, Serialize)]
pub struct PathResult {
    /// Whether there is a chain.
    pub found: bool,
    /// Its number of edges.
    pub length: usize,
    /// From first to last.
    pub nodes: Vec<Node>,
    /// One fewer than nodes.
    pub edges: Vec<PathEdge>,
}

/// A step of a path.
#[derive(Clone, Debug, Serialize)]
pub struct PathEdge {
    /// Node ID of the step's start.
    pub from: String,
    /// Node ID of the step's end.
    pub to: String,
    /// One of [`EDGE_KINDS`].
    pub kind: String,
    /// `out` when the edge points along the path, `in` when against it.
    pub direction: String,
    /// How sure.
    pub confidence: String,
}

/// `map_rebuild`.
pub static REBUILD: ToolDef = ToolDef {
    name: "map_rebuild",
    title: "Map: rebuild",
    description: "Re-scan the workspace now. Rarely needed: changes are followed by themselves.",
    args: &[ArgDef {
        name: "scope",
        ty: ArgType::Str { min: 1 },
        default: Default::None,
        description: "Only below this folder",
    }],
    output: "{filesScanned: int, filesExtracted: int, filesDeleted: int, durationMs: int, cold: bool}",
    ..ToolDef::READ
};

/// Arguments of `map_rebuild`.
#[derive(Clone, Debug, Deserialize)]
pub struct RebuildArgs {
    /// Only below this folder.
    pub scope: Option<String>,
}

/// Result of `map_rebuild`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RebuildResult {
    /// Files looked at.
    pub files_scanned: usize,
    /// Files whose facts were extracted anew or loaded.
    pub files_extracted: usize,
    /// Files that were gone.
    pub files_deleted: usize,
    /// Wall time.
    pub duration_ms: u64,
    /// Whether nothing was known before.
    pub cold: bool,
}

/// `map_status`.
pub static STATUS: ToolDef = ToolDef {
    name: "map_status",
    title: "Map: status",
    description: "State of index and daemon; what the index lacks and why.",
    output: "{built: bool, builtAt?: str, generation: int, files: int, symbols: int, edges: int, languages: any, \
             staleFiles: int, unmapped?: {files: int, worst: [{file: str, lines: [str]}]}, watcher: {state: str, note?: str}, text: any, \
             lsp: any, memory: any, daemon: any}",
    set: ToolSet::Core,
    ..ToolDef::READ
};

/// Result of `map_status`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusResult {
    /// The workspace's root.
    pub root: String,
    /// Whether the first index is complete.
    pub built: bool,
    /// When the map last took in a change, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub built_at: Option<String>,
    /// How far the first index is, while it is not built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<Value>,
    /// Batches of changes taken in.
    pub generation: u64,
    /// Mapped files.
    pub files: usize,
    /// Definitions.
    pub symbols: usize,
    /// Resolved edges at the last background computation.
    pub edges: usize,
    /// Files per language.
    pub languages: BTreeMap<String, usize>,
    /// Files known to have changed that are not taken in yet.
    pub stale_files: usize,
    /// Files of which lines are not mapped, because their parser did not understand them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unmapped: Option<Unmapped>,
    /// How changes are noticed.
    pub watcher: WatcherStatus,
    /// The text index: files, bytes, postings.
    pub text: Map<String, Value>,
    /// Language servers by name; empty until the live layer runs some.
    pub lsp: Map<String, Value>,
    /// Bytes by part, and of the process.
    pub memory: Map<String, Value>,
    /// Version, up-time, clients.
    pub daemon: Map<String, Value>,
    /// What is left out of the index and why.
    pub notes: Vec<String>,
}

/// How changes are noticed.
#[derive(Clone, Debug, Serialize)]
pub struct WatcherStatus {
    /// `live`, `degraded` or `off`.
    pub state: String,
    /// Why, when not `live`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What of the files is not mapped.
#[derive(Clone, Debug, Serialize)]
pub struct Unmapped {
    /// How many files have such lines.
    pub files: usize,
    /// Those with most of them, at most ten.
    pub worst: Vec<UnmappedFile>,
}

/// A file of which lines are not mapped.
#[derive(Clone, Debug, Serialize)]
pub struct UnmappedFile {
    /// Relative to the root.
    pub file: String,
    /// Stretches of lines, first and last: `12-40`; at most eight.
    pub lines: Vec<String>,
}
