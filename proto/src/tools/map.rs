//! The `map_*` family: arguments, results, definitions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::scope::PATH_PREFIX_CAMEL;
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
    description: "Orient in an unknown code base: its parts and their most connected symbols.",
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
    scoped: true,
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
#[derive(Clone, Debug, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    description: "Where is it defined: symbols and files by name or part of one, many at once; callers:0 finds what nobody uses.",
    args: &[
        ArgDef {
            name: "query",
            ty: ArgType::StrList,
            default: Default::None,
            description: "Names or parts, e.g. Store.refresh",
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
            name: "callers",
            ty: ArgType::Int { min: 0, max: 0 },
            default: Default::None,
            description: "0: nobody outside its file and tests uses it; goes without query",
        },
    ],
    unlisted: &[PATH_PREFIX_CAMEL],
    scoped: true,
    output: "{results: [{id: str, kind: str, name: str, file: str, line: int, col: int, signature: str, score: num, \
             stale?: bool, query?: str, maybe?: int, ownFile?: int, tests?: int}], total: int, none?: [str]}",
    cuts: &[ListCut { path: "results", kind: "results", narrow: "Pass paths, kind or a longer query" }],
    set: ToolSet::Core,
    ..ToolDef::READ
};

/// Arguments of `map_search`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchArgs {
    /// What to look for, each by itself.
    #[serde(default)]
    pub query: Vec<String>,
    /// One of [`SEARCH_KINDS`].
    pub kind: String,
    /// Most results.
    pub limit: usize,
    /// Most callers; only 0.
    pub callers: Option<u32>,
}

/// Result of `map_search`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SearchResult {
    /// Best first.
    pub results: Vec<SearchHit>,
    /// How many there are in all.
    pub total: usize,
    /// Of several names, those that nothing is called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub none: Vec<String>,
}

/// One hit.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// Of several names, the one that it was found for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Where nobody surely uses it: how many uses may be of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maybe: Option<usize>,
    /// With `callers: 0`: how many uses there are in its own file.
    #[serde(default, rename = "ownFile", skip_serializing_if = "Option::is_none")]
    pub own_file: Option<usize>,
    /// With `callers: 0`: how many uses there are in tests of other files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<usize>,
}

const NODE_ID: ArgDef = ArgDef {
    name: "nodeId",
    ty: ArgType::Str { min: 1 },
    default: Default::Required,
    description: "Symbol: name, Class.name, path:line, node ID",
};

/// `map_neighbors`.
pub static NEIGHBORS: ToolDef = ToolDef {
    name: "map_neighbors",
    title: "Map: neighbours",
    description: "Who calls or uses a symbol (direction in), whom it calls (out), subclasses (in, edgeKinds extends, depth all). Overrides count as one family.",
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
            ty: ArgType::IntOrAll { min: 1, max: 64 },
            default: Default::Int(1),
            description: "Steps, or all",
        },
        ArgDef {
            name: "family",
            ty: ArgType::Bool,
            default: Default::Bool(true),
            description: "false: the method alone",
        },
        ArgDef {
            name: "maxNodes",
            ty: ArgType::Int { min: 1, max: 1000 },
            default: Default::None,
            description: "Most shown",
        },
        ArgDef {
            name: "offset",
            ty: ArgType::Int { min: 0, max: 1_000_000 },
            default: Default::Int(0),
            description: "Skip so many, of one edge kind",
        },
    ],
    scoped: true,
    output: "{node: any, family?: [{id: str, is: str, file: str, line: int}], neighbors: [{id: str, kind: str, file?: str, line?: int, \
             edge: str, direction: str, resolved: bool, confidence: str, depth: int, via?: str, names?: str, score: num, sites?: \
             [int], siteCount?: int, text?: str, derived?: str, candidates?: [str], stale?: bool}], candidates?: [str], omitted: \
             int, mapBuiltAt: str, staleFiles: int}",
    cuts: &[
        ListCut { path: "family", kind: "family", narrow: "Raise tokenBudget" },
        ListCut {
            path: "neighbors",
            kind: "neighbors",
            narrow: "Pass offset for the next page, edgeKinds or direction to narrow, or a larger tokenBudget",
        },
    ],
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
    /// 1 to 64.
    pub depth: usize,
    /// Has a method stand for its family.
    pub family: bool,
    /// Most neighbours; by what is asked if it is not said.
    pub max_nodes: Option<usize>,
    /// Neighbours passed over before the first one shown.
    pub offset: usize,
}

/// Result of `map_neighbors`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NeighborsResult {
    /// The node itself.
    pub node: Node,
    /// The methods that it stands for besides itself: users of these are among the neighbours, and name them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub family: Vec<FamilyMember>,
    /// Best first: depth, then score.
    pub neighbors: Vec<Neighbor>,
    /// What uses that are not resolved may mean besides the node, the same for all of them: nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// How many more there are at the depths that were looked at.
    pub omitted: usize,
    /// When the map last took in a change, RFC 3339.
    pub map_built_at: String,
    /// Files known to have changed that are not taken in yet.
    pub stale_files: usize,
}

/// A method for which another one stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FamilyMember {
    /// Node ID.
    pub id: String,
    /// `overridden` by the node asked about, or `overriding` it.
    pub is: String,
    /// Where.
    pub file: String,
    /// 1-based line of its name.
    pub line: u32,
}

/// A node as answers show it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Node {
    /// Node ID.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Where; empty for external packages.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// 1-based line of the name; 1 for files, 0 for packages.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
    /// Its header.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub signature: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// One neighbour.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Neighbor {
    /// Node ID; for an unresolved edge that of the likeliest candidate.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Where; empty for external packages.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// 1-based line of its name; 1 for files.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
    /// One of [`EDGE_KINDS`].
    pub edge: String,
    /// `in` or `out`, seen from the node before it.
    pub direction: String,
    /// Whether the edge is settled.
    pub resolved: bool,
    /// `live`, `exact`, `import`, `flow`, `name` or `candidate`.
    pub confidence: String,
    /// Steps from the node asked about.
    pub depth: usize,
    /// Beyond the first step: the ID of the node one step nearer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// The ID of the method of the family that a use names, if it is not the node itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<String>,
    /// Hub score, 0 to 1.
    pub score: f64,
    /// Lines of the uses, in the file where the edge starts: all of them where one edge kind was asked for, else at most ten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<u32>,
    /// How many uses there are, when `sites` does not show them all.
    #[serde(rename = "siteCount", skip_serializing_if = "Option::is_none")]
    pub site_count: Option<usize>,
    /// The text of the first of them, for uses of the node.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The type that is derived, where that is written outside of its definition (an `impl` of Rust, an extension of Swift), at
    /// `sites`: its qualified name, or, of a type from outside the project, how it is written there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived: Option<String>,
    /// For an unresolved edge away from the node: what it may mean, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// Its file is known to have changed since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
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
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    ..ToolDef::READ
};

/// Result of `map_status`.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WatcherStatus {
    /// `live`, `degraded` or `off`.
    pub state: String,
    /// Why, when not `live`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What of the files is not mapped.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Unmapped {
    /// How many files have such lines.
    pub files: usize,
    /// Those with most of them, at most ten.
    pub worst: Vec<UnmappedFile>,
}

/// A file of which lines are not mapped.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UnmappedFile {
    /// Relative to the root.
    pub file: String,
    /// Stretches of lines, first and last: `12-40`; at most eight.
    pub lines: Vec<String>,
}
