//! Defines the `map_*` family: arguments, results, definitions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::indexes::BelievedIndex;
use super::scope::{IN, PATH_PREFIX_CAMEL};
use super::{ArgDef, ArgType, Default, ListCut, ToolDef, ToolSet};

/// The kinds by which `map_search` filters.
pub const SEARCH_KINDS: &[&str] = &["any", "function", "class", "method", "interface", "variable", "file"];

/// The edge kinds of the map.
pub const EDGE_KINDS: &[&str] =
    &["contains", "imports", "exports", "calls", "extends", "implements", "references"];

/// The argument that asks for the places of each edge that goes through values.
pub(super) const WHY: ArgDef = ArgDef {
    name: "why",
    ty: ArgType::Bool,
    default: Default::Bool(false),
    description: "true: places of each flow edge",
};

/// The definition of the tool `map_overview`.
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
    unlisted: &[IN],
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

/// The checked arguments of a `map_overview` call.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OverviewArgs {
    /// Restricts the answer to clusters whose label or files contain this.
    pub focus: Option<String>,
    /// Most hubs that are shown for each cluster.
    pub hubs_per_cluster: usize,
}

/// The data of a `map_overview` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OverviewResult {
    /// The time when the map last ingested a change, RFC 3339.
    pub built_at: String,
    /// Number of files that the map contains.
    pub files: usize,
    /// Number of definitions that the map contains.
    pub symbols: usize,
    /// Number of files that are known to have changed and not yet ingested.
    pub stale_files: usize,
    /// Number of mapped files by language.
    pub languages: BTreeMap<String, usize>,
    /// The clusters, with the largest first.
    pub clusters: Vec<Cluster>,
}

/// A cluster of connected files.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cluster {
    /// The number of the cluster; 0 is the largest.
    pub id: u32,
    /// The name that a person would give the cluster.
    pub label: String,
    /// Number of files in the cluster.
    pub files: usize,
    /// Its most connected definitions, best first.
    pub hubs: Vec<Hub>,
}

/// A hub: a well-connected definition of a cluster.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hub {
    /// The node ID of the definition.
    pub id: String,
    /// The kind of the definition, as in `function`.
    pub kind: String,
    /// The header of the definition, as in its source.
    pub signature: String,
    /// First paragraph of its documentation; empty if there is none.
    pub doc: String,
    /// The hub score of the definition, 0 to 1.
    pub score: f64,
}

/// The definition of the tool `map_search`.
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
    unlisted: &[IN, PATH_PREFIX_CAMEL],
    scoped: true,
    output: "{results: [{id: str, kind: str, name: str, file: str, line: int, col: int, signature: str, score: num, \
             stale?: bool, query?: str, maybe?: int, ownFile?: int, tests?: int}], total: int, none?: [str]}",
    cuts: &[ListCut { path: "results", kind: "results", narrow: "Pass paths, kind or a longer query" }],
    set: ToolSet::Core,
    ..ToolDef::READ
};

/// The checked arguments of a `map_search` call.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchArgs {
    /// The names or words to search for, each separately.
    #[serde(default)]
    pub query: Vec<String>,
    /// The kind of node to find: one of [`SEARCH_KINDS`].
    pub kind: String,
    /// Most results in one answer.
    pub limit: usize,
    /// Most callers of a hit; only 0 is allowed.
    pub callers: Option<u32>,
}

/// The data of a `map_search` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SearchResult {
    /// The hits, with the best first.
    pub results: Vec<SearchHit>,
    /// Number of hits in all, shown or not.
    pub total: usize,
    /// The searched names that no node has, if several names were searched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub none: Vec<String>,
}

/// A node that the search found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SearchHit {
    /// The node ID of the hit.
    pub id: String,
    /// The kind of the node, as in `function`.
    pub kind: String,
    /// The node's own name, without its container.
    pub name: String,
    /// The node's file, relative to the root.
    pub file: String,
    /// 1-based line of the name.
    pub line: u32,
    /// 1-based column of the name.
    pub col: u32,
    /// Its header; empty for files.
    pub signature: String,
    /// Hub score, 0 to 1.
    pub score: f64,
    /// True if its file is known to have changed since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// The name for which the hit was found, if several names were searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// For a node without certain uses: the number of uses that may refer to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maybe: Option<usize>,
    /// With `callers: 0`: the number of uses in its own file.
    #[serde(default, rename = "ownFile", skip_serializing_if = "Option::is_none")]
    pub own_file: Option<usize>,
    /// With `callers: 0`: the number of uses in tests of other files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<usize>,
}

const NODE_ID: ArgDef = ArgDef {
    name: "nodeId",
    ty: ArgType::Str { min: 1 },
    default: Default::Required,
    description: "Symbol: name, Class.name, path:line, node ID",
};

/// The definition of the tool `map_neighbors`.
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
        WHY,
    ],
    unlisted: &[IN],
    scoped: true,
    output: "{node: any, family?: [{id: str, is: str, file: str, line: int}], neighbors: [{id: str, kind: str, file?: str, line?: int, \
             edge: str, direction: str, resolved: bool, confidence: str, depth: int, via?: str, names?: str, score: num, sites?: \
             [int], siteCount?: int, text?: str, derived?: str, candidates?: [str], stale?: bool, chain?: [{location: str, text: str}], \
             chainNote?: str, definitions?: [{location: str, text: str}]}], candidates?: [str], omitted: \
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

/// The checked arguments of a `map_neighbors` call.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NeighborsArgs {
    /// The node ID or target whose neighbours are wanted.
    pub node_id: String,
    /// `in`, `out` or `both`.
    pub direction: String,
    /// Some of [`EDGE_KINDS`]; empty for all.
    #[serde(default)]
    pub edge_kinds: Vec<String>,
    /// Most steps from the node, 1 to 64.
    pub depth: usize,
    /// True to let a method stand for its family.
    pub family: bool,
    /// Most neighbours; the default depends on the question.
    pub max_nodes: Option<usize>,
    /// Number of neighbours to skip before the first one shown.
    pub offset: usize,
    /// Adds to each edge of confidence `flow` the places along which its value goes.
    pub why: bool,
}

/// The data of a `map_neighbors` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NeighborsResult {
    /// The node whose neighbours are shown.
    pub node: Node,
    /// The other methods that it stands for: users of these are among the neighbours, and name them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub family: Vec<FamilyMember>,
    /// Best first: depth, then score.
    pub neighbors: Vec<Neighbor>,
    /// The other definitions that its unresolved uses may mean, the same for all uses: nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// Number of further neighbours at the depths that were searched.
    pub omitted: usize,
    /// The time when the map last ingested a change, RFC 3339.
    pub map_built_at: String,
    /// Number of files that are known to have changed and not yet ingested.
    pub stale_files: usize,
}

/// A method for which another one stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FamilyMember {
    /// The node ID of the method.
    pub id: String,
    /// `overridden` by the queried node, or `overriding` it.
    pub is: String,
    /// The method's file, relative to the root.
    pub file: String,
    /// 1-based line of its name.
    pub line: u32,
}

/// A node as answers show it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Node {
    /// The node ID of the node.
    pub id: String,
    /// The kind of the node, as in `function`.
    pub kind: String,
    /// The file; empty for external packages.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// 1-based line of the name; 1 for files, 0 for packages.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
    /// The header of the node's definition; empty if it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub signature: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// A neighbour of the node, and the edge that leads to it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Neighbor {
    /// Node ID; for an unresolved edge, that of the likeliest candidate.
    pub id: String,
    /// The kind of the neighbour, as in `function`.
    pub kind: String,
    /// The file; empty for external packages.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// 1-based line of its name; 1 for files.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
    /// The kind of the edge: one of [`EDGE_KINDS`].
    pub edge: String,
    /// `in` or `out`, seen from the node before it.
    pub direction: String,
    /// True if the edge is resolved; false if it leads to a candidate.
    pub resolved: bool,
    /// `live`, `scip` (an imported index has the use), `exact`, `import`, `flow`, `framework`, `name` or `candidate`.
    pub confidence: String,
    /// Number of steps from the queried node.
    pub depth: usize,
    /// Beyond the first step: the ID of the node one step nearer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// The ID of the method of the family that a use names, if it is not the node itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<String>,
    /// Hub score, 0 to 1.
    pub score: f64,
    /// The lines of the uses, in the file where the edge starts: all of them if the call asks for one edge
    /// kind, else at most ten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<u32>,
    /// Number of uses, when `sites` does not show them all.
    #[serde(rename = "siteCount", skip_serializing_if = "Option::is_none")]
    pub site_count: Option<usize>,
    /// The text of the first line, for uses of the node.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The derived type, if the derivation at `sites` is outside of its definition (an `impl` of Rust, an
    /// extension of Swift): its qualified name, or for a type from outside the project, its name at that
    /// place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived: Option<String>,
    /// For an unresolved edge away from the node: its candidates, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// True if its file is known to have changed since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// With `why`, for an edge of confidence `flow`: the places along which the value goes, from the definition to the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<FlowPlace>,
    /// With `why`: the reason why the chain is cut or missing.
    #[serde(default, rename = "chainNote", skip_serializing_if = "Option::is_none")]
    pub chain_note: Option<String>,
    /// For a package outside: the definitions in its source that the uses refer to, each with its signature;
    /// empty if the source is not on this machine, or was not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<FlowPlace>,
}

/// A line over which a value goes, or a definition in a package.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FlowPlace {
    /// The file, relative to the root, or absolute for a package, and the 1-based line: `shop/app.py:7`.
    pub location: String,
    /// The text of the line, trimmed; for a definition, its signature.
    pub text: String,
}

/// The definition of the tool `map_rebuild`.
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

/// The checked arguments of a `map_rebuild` call.
#[derive(Clone, Debug, Deserialize)]
pub struct RebuildArgs {
    /// Restricts the rebuild to this folder.
    pub scope: Option<String>,
}

/// The data of a `map_rebuild` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RebuildResult {
    /// Number of files that the rebuild examined.
    pub files_scanned: usize,
    /// Files whose facts were extracted anew or loaded.
    pub files_extracted: usize,
    /// Number of files that were gone.
    pub files_deleted: usize,
    /// Wall time of the rebuild, in milliseconds.
    pub duration_ms: u64,
    /// True if the map was empty before the rebuild.
    pub cold: bool,
}

/// The definition of the tool `map_status`.
pub static STATUS: ToolDef = ToolDef {
    name: "map_status",
    title: "Map: status",
    description: "State of index and daemon; what the index lacks and why.",
    output: "{built: bool, builtAt?: str, generation: int, files: int, symbols: int, edges: int, languages: any, \
             staleFiles: int, unmapped?: {files: int, worst: [{file: str, lines: [str]}]}, \
             indexes?: [{name: str, files: int, believed: int}], watcher: {state: str, note?: str}, text: any, \
             lsp: any, memory: any, daemon: any}",
    ..ToolDef::READ
};

/// The data of a `map_status` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusResult {
    /// The absolute root of the workspace.
    pub root: String,
    /// True if the first index is complete.
    pub built: bool,
    /// The time when the map last ingested a change, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub built_at: Option<String>,
    /// The progress of the first index; `None` once it is built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<Value>,
    /// Number of ingested batches of changes.
    pub generation: u64,
    /// Number of files that the map contains.
    pub files: usize,
    /// Number of definitions that the map contains.
    pub symbols: usize,
    /// Number of resolved edges at the last background computation.
    pub edges: usize,
    /// Number of mapped files by language.
    pub languages: BTreeMap<String, usize>,
    /// Number of files that are known to have changed and not yet ingested.
    pub stale_files: usize,
    /// Files with lines that are not mapped, because their parser did not understand them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unmapped: Option<Unmapped>,
    /// The imported indexes, and the number of files for which each is believed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<BelievedIndex>,
    /// The state of the watcher, which notices changes.
    pub watcher: WatcherStatus,
    /// The text index: files, bytes, postings.
    pub text: Map<String, Value>,
    /// Language servers by name; empty until the live layer runs some.
    pub lsp: Map<String, Value>,
    /// Memory in bytes, by part and of the process.
    pub memory: Map<String, Value>,
    /// The daemon's version, up-time and clients.
    pub daemon: Map<String, Value>,
    /// Sentences that say what the index leaves out and why.
    pub notes: Vec<String>,
}

/// The state of the watcher, which notices changes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WatcherStatus {
    /// `live`, `degraded` or `off`.
    pub state: String,
    /// The reason, when not `live`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The files with lines that the map lacks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Unmapped {
    /// Number of files with such lines.
    pub files: usize,
    /// The files with most such lines, at most ten.
    pub worst: Vec<UnmappedFile>,
}

/// A file with lines that are not mapped.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UnmappedFile {
    /// Relative to the root.
    pub file: String,
    /// Ranges of lines, first and last: `12-40`; at most eight.
    pub lines: Vec<String>,
}
