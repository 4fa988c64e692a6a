//! Defines `flow_trace`: arguments, results, definition.

use serde::{Deserialize, Serialize};

use super::read::Ambiguous;
use super::scope::IN;
use super::{ArgDef, ArgType, Default, ListCut, ToolDef};

/// The symbol with which `flow_trace` and `impact` begin.
pub(super) const SYMBOL: ArgDef = ArgDef {
    name: "symbol",
    ty: ArgType::Str { min: 1 },
    default: Default::Required,
    description: "Name, Class.name, path:line or node ID",
};

/// The definition of the tool `flow_trace`.
pub static FLOW_TRACE: ToolDef = ToolDef {
    name: "flow_trace",
    title: "Trace what a symbol calls",
    description: "What happens when this runs: the tree of calls below a function.",
    args: &[
        SYMBOL,
        ArgDef {
            name: "max_depth",
            ty: ArgType::Int { min: 1, max: 50 },
            default: Default::Int(10),
            description: "Most calls deep",
        },
        ArgDef {
            name: "response_format",
            ty: ArgType::Enum(&["concise", "detailed"]),
            default: Default::Str("detailed"),
            description: "concise: names, lines",
        },
    ],
    unlisted: &[IN],
    scoped: true,
    output: "{root?: {name: str, file?: str, line?: int, uid?: str, kind?: str, depth?: int, confidence?: str, sites?: [int], \
             site_count?: int, candidates?: [str], unresolved?: bool, cycle?: bool, seen?: bool, more?: int, stale?: bool, \
             leaves?: [str], overriding?: [str], calls?: [any]}, cycles: [[str]], truncated_at?: int, ambiguous?: [{target: str, candidates: [{uid: str, kind: str, \
             file: str, line: int}]}]}",
    cuts: &[
        ListCut { path: "ambiguous[].candidates", kind: "candidates", narrow: "Pass a node ID" },
        ListCut { path: "cycles", kind: "cycles", narrow: "Raise tokenBudget" },
        ListCut { path: "root.calls", kind: "calls", narrow: "Pass response_format:'concise'" },
    ],
    ..ToolDef::READ
};

/// The checked arguments of a `flow_trace` call.
#[derive(Clone, Debug, Deserialize)]
pub struct FlowArgs {
    /// A node ID or a name.
    pub symbol: String,
    /// Most calls from the root down to a shown callee.
    pub max_depth: u32,
    /// The amount of detail: `concise` or `detailed`.
    pub response_format: String,
}

/// The data of a `flow_trace` answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FlowResult {
    /// The tree; `None` when the name denotes several definitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<FlowNode>,
    /// Each cycle in the tree, from the repeated symbol to the call that closes it: IDs, or names in concise
    /// answers.
    pub cycles: Vec<Vec<String>>,
    /// The depth to which the tree is complete, when there are deeper calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated_at: Option<u32>,
    /// The definitions that the name may mean, if there are several; else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ambiguous: Vec<Ambiguous>,
}

/// A callee with its own callees.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FlowNode {
    /// Qualified name; for a package outside the workspace, its name.
    pub name: String,
    /// The file; in concise answers only if that is not its caller's file. Empty for packages outside.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// 1-based line of its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// All further facts; absent from concise answers.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub detail: Option<FlowDetail>,
    /// In concise answers: true if the call is not resolved, and this is the likeliest candidate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unresolved: bool,
    /// True if the call closes a cycle: the callee is an ancestor.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cycle: bool,
    /// True if the callee is expanded elsewhere in the tree.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub seen: bool,
    /// Number of callees that `max_depth` or the budget leaves out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: usize,
    /// The outside packages that it calls and the types that it instantiates: names in the order of the
    /// calls, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaves: Vec<String>,
    /// The methods that override it, one of which may run in its place: IDs, or names in concise answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overriding: Vec<String>,
    /// The other callees, in the order of the calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<FlowNode>,
}

/// The facts about a callee that only detailed answers have.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FlowDetail {
    /// The node ID of the callee.
    pub uid: String,
    /// The kind of the callee's node, as in `function`.
    pub kind: String,
    /// Calls from the root.
    pub depth: u32,
    /// The confidence of the call: `live`, `exact`, `import`, `flow`, `framework`, `name` or `candidate`.
    pub confidence: String,
    /// Lines of the caller's file at which it is called, the first few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<u32>,
    /// Number of such calls, when `sites` does not show them all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_count: Option<usize>,
    /// For an unresolved call: its candidates, likeliest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// True if its file is known to have changed since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(n: &usize) -> bool {
    *n == 0
}
