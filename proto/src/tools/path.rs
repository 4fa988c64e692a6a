//! Defines `map_path`: arguments, results, definition.

use serde::{Deserialize, Serialize};

use super::map::{EDGE_KINDS, FlowPlace, Node, WHY};
use super::scope::IN;
use super::{ArgDef, ArgType, Default, ListCut, ToolDef, ToolSet};

/// The definition of the tool `map_path`.
pub static PATH: ToolDef = ToolDef {
    name: "map_path",
    title: "Map: path between two symbols",
    description: "How does A come to call B: the chain of calls, through overrides, with the line of each.",
    args: &[
        ArgDef {
            name: "from",
            ty: ArgType::Str { min: 1 },
            default: Default::Required,
            description: "Caller",
        },
        ArgDef { name: "to", ty: ArgType::Str { min: 1 }, default: Default::Required, description: "Callee" },
        ArgDef {
            name: "maxLen",
            ty: ArgType::Int { min: 1, max: 30 },
            default: Default::Int(12),
            description: "Most steps",
        },
        ArgDef {
            name: "edgeKinds",
            ty: ArgType::EnumList(EDGE_KINDS),
            default: Default::None,
            description: "Follow these (default calls)",
        },
        ArgDef {
            name: "direction",
            ty: ArgType::Enum(&["out", "in", "both"]),
            default: Default::Str("out"),
            description: "both: either way at each step",
        },
        ArgDef {
            name: "includeReferences",
            ty: ArgType::Bool,
            default: Default::Bool(false),
            description: "Follow plain references too",
        },
        WHY,
    ],
    unlisted: &[IN],
    scoped: true,
    output: "{found: bool, length: int, nodes: [any], edges: [{from: str, to: str, kind: str, direction: str, confidence: str, \
             line?: int, lines?: [int], text?: str, named?: str, chain?: [{location: str, text: str}], chainNote?: str}], others?: [{length: int, nodes: [any], edges: [any]}], reached?: {from: {nodes: \
             int, steps: int}, to: {nodes: int, steps: int}, nearest?: [any], entries?: [{node: any, uses: [{file: str, line: int}]}]}}",
    cuts: &[
        ListCut { path: "others", kind: "chains", narrow: "Raise tokenBudget" },
        ListCut { path: "nodes", kind: "nodes", narrow: "Raise tokenBudget" },
    ],
    set: ToolSet::Core,
    ..ToolDef::READ
};

/// The checked arguments of a `map_path` call.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PathArgs {
    /// The node or target where the chain starts.
    pub from: String,
    /// The node or target where the chain ends.
    pub to: String,
    /// Most edges that a chain may have.
    pub max_len: usize,
    /// Some of [`EDGE_KINDS`]; empty for calls, or in both directions for all kinds but references.
    #[serde(default)]
    pub edge_kinds: Vec<String>,
    /// `out`, `in` or `both`.
    pub direction: String,
    /// True if plain references count as edges.
    pub include_references: bool,
    /// True to add to the steps of the best chain that go through values the places along which the values
    /// go.
    pub why: bool,
}

/// The data of a `map_path` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PathResult {
    /// True if a chain connects the two ends.
    pub found: bool,
    /// The best chain; without nodes and edges if there is none.
    #[serde(flatten)]
    pub best: PathChain,
    /// Further chains of similar length.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<PathChain>,
    /// The extent of the search from both ends, when there is no chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached: Option<PathReached>,
}

/// A chain of edges from one node to another.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PathChain {
    /// Number of its edges.
    pub length: usize,
    /// The nodes, from first to last.
    pub nodes: Vec<Node>,
    /// The edges, one fewer than nodes.
    pub edges: Vec<PathEdge>,
}

/// A step of a path.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PathEdge {
    /// Node ID of the step's start.
    pub from: String,
    /// Node ID of the step's end.
    pub to: String,
    /// One of [`EDGE_KINDS`], or `overrides` from a method to one that overrides it.
    pub kind: String,
    /// `out` when the edge points along the path, `in` when against it.
    pub direction: String,
    /// The confidence of the edge: `live`, `exact`, `import`, `flow`, `framework`, `name` or `candidate`.
    pub confidence: String,
    /// The first line of the edge, in the file of the node where the edge starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// All lines with the same call, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<u32>,
    /// The text of `line`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The ID of the method that the line calls, and which the end of the step overrides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named: Option<String>,
    /// With `why`, for confidence `flow`: the places along which the value comes to the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<FlowPlace>,
    /// With `why`: the reason why the places are cut or missing.
    #[serde(default, rename = "chainNote", skip_serializing_if = "Option::is_none")]
    pub chain_note: Option<String>,
}

/// The extent of a search from both of its ends.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PathReached {
    /// The nodes to which the start leads.
    pub from: PathReach,
    /// The nodes that lead to the end.
    pub to: PathReach,
    /// Two nodes, one from each side, that are near each other: in one type, file or folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<Node>,
    /// The definitions that lead to the end and that have no caller in the map.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<PathEntry>,
}

/// A definition that leads to the end and has no caller.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PathEntry {
    /// The definition without a caller.
    pub node: Node,
    /// The lines that name it without a call: in a table of handlers, a decorator, an argument.
    pub uses: Vec<PathUse>,
}

/// A line that names a definition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PathUse {
    /// The path of the file, relative to the root.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// The extent of a search from one of its ends.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PathReach {
    /// Number of visited nodes.
    pub nodes: usize,
    /// Number of steps to the farthest node.
    pub steps: u32,
}
