//! Defines `impact`: arguments, results, definition.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::flow::SYMBOL;
use super::read::Ambiguous;
use super::scope::IN;
use super::{ArgDef, ArgType, Default, ListCut, ToolDef};

/// The definition of the tool `impact`.
pub static IMPACT: ToolDef = ToolDef {
    name: "impact",
    title: "Who is affected by a change",
    description: "What breaks if this changes: everybody who depends on it, step by step, tests apart.",
    args: &[
        SYMBOL,
        ArgDef {
            name: "max_depth",
            ty: ArgType::Int { min: 1, max: 20 },
            default: Default::Int(5),
            description: "Most steps away",
        },
        ArgDef {
            name: "offset",
            ty: ArgType::Int { min: 0, max: 1_000_000 },
            default: Default::Int(0),
            description: "Skip so many affected",
        },
    ],
    unlisted: &[IN],
    scoped: true,
    output: "{symbol?: {uid: str, name: str, kind: str, file?: str, line?: int}, affected: [{uid: str, name: str, kind: str, file: \
             str, line: int, depth: int, cause: str, via?: str, confidence: str, score: num, test?: bool, sites?: [int], site_count?: \
             int, stale?: bool}], tests: [str], files: [{file: str, affected: int, tests?: int, depth: int}], possible: [any], \
             counts: {affected: int, tests: int, files: int, possible: int, by_cause: any, by_depth: [int]}, truncated_at?: int, \
             ambiguous?: [{target: str, candidates: [{uid: str, kind: str, file: str, line: int}]}]}",
    cuts: &[
        ListCut { path: "ambiguous[].candidates", kind: "candidates", narrow: "Pass a node ID" },
        ListCut { path: "possible", kind: "possible", narrow: "Pass a smaller max_depth" },
        ListCut { path: "files", kind: "files", narrow: "Pass a smaller max_depth" },
        ListCut { path: "tests", kind: "tests", narrow: "Pass a smaller max_depth" },
        ListCut { path: "affected", kind: "affected", narrow: "Pass a smaller max_depth" },
    ],
    ..ToolDef::READ
};

/// The checked arguments of an `impact` call.
#[derive(Clone, Debug, Deserialize)]
pub struct ImpactArgs {
    /// A node ID or a name.
    pub symbol: String,
    /// Most steps from the symbol.
    pub max_depth: u32,
    /// Number of affected nodes to skip before the first one shown; all other lists are those of the first
    /// page and are omitted.
    pub offset: usize,
}

/// The data of an `impact` answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ImpactResult {
    /// The symbol that changes; `None` when the name means several definitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<Changed>,
    /// The nodes that are affected for certain, ranked by depth, confidence, hub score.
    pub affected: Vec<AffectedNode>,
    /// IDs of the tests among them, in the same order.
    pub tests: Vec<String>,
    /// Their files, nearest first, then those with most affected nodes.
    pub files: Vec<AffectedFile>,
    /// The nodes that may be affected: their use is not resolved, or reaches the symbol through a method that
    /// it overrides. Ranked likewise.
    pub possible: Vec<AffectedNode>,
    /// Number of affected nodes in all, shown or not.
    pub counts: ImpactCounts,
    /// The depth of the search for users, when there may be more beyond.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated_at: Option<u32>,
    /// The definitions that the name may mean, if there are several; else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ambiguous: Vec<Ambiguous>,
}

/// The symbol whose change the question is about.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Changed {
    /// The node ID of the symbol.
    pub uid: String,
    /// The qualified name of the symbol.
    pub name: String,
    /// The kind of the symbol, as in `function`.
    pub kind: String,
    /// The file; empty for packages outside the workspace.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// 1-based line of its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// An affected definition or file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AffectedNode {
    /// The node ID of the affected node.
    pub uid: String,
    /// The qualified name of the affected node.
    pub name: String,
    /// The kind of the affected node, as in `function`.
    pub kind: String,
    /// The file of the affected node, relative to the root.
    pub file: String,
    /// 1-based line of its name.
    pub line: u32,
    /// Number of steps from the changed symbol.
    pub depth: u32,
    /// `overrides`, or the kind of edge that leads from the node to the one that it depends on.
    pub cause: String,
    /// Node ID of the node that it depends on, if that is not the symbol itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// The lowest confidence of the steps between: `live`, `exact`, `import`, `flow`, `framework`, `name` or
    /// `candidate`.
    pub confidence: String,
    /// Hub score, 0 to 1.
    pub score: f64,
    /// True for a test.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// The first few lines of its file with such uses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<u32>,
    /// Number of such lines, when `sites` does not show them all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_count: Option<usize>,
    /// True if its file is known to have changed since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
}

/// A file with nodes that are affected for certain.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AffectedFile {
    /// The path of the file, relative to the root.
    pub file: String,
    /// Number of affected definitions in the file; the file itself counts as one.
    pub affected: usize,
    /// Number of tests among the affected definitions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tests: usize,
    /// Number of steps from the changed symbol to the nearest of them.
    pub depth: u32,
}

/// Counts of the affected and possibly affected nodes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ImpactCounts {
    /// Number of nodes that are affected for sure.
    pub affected: usize,
    /// Number of tests among the affected nodes.
    pub tests: usize,
    /// Number of files with affected nodes.
    pub files: usize,
    /// Number of nodes that only unresolved uses add.
    pub possible: usize,
    /// Number of nodes affected for sure, by cause.
    pub by_cause: BTreeMap<String, usize>,
    /// Number of nodes affected for sure, at depth 1, 2 and so on.
    pub by_depth: Vec<usize>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(n: &usize) -> bool {
    *n == 0
}
