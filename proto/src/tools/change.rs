//! Defines `change_impact`: arguments, results, definition.

use serde::{Deserialize, Serialize};

use super::{ArgDef, ArgType, Default, ListCut, ToolDef};

/// The change that a question is about.
pub(super) const CHANGE: ArgDef = ArgDef {
    name: "change",
    ty: ArgType::Str { min: 1 },
    default: Default::None,
    description: "worktree (default), staged, branch, a revision, A..B, or a unified diff",
};

/// The branch that a branch is compared with.
pub(super) const BASE: ArgDef = ArgDef {
    name: "base",
    ty: ArgType::Str { min: 1 },
    default: Default::None,
    description: "Branch that the branch came from",
};

/// The definition of the tool `change_impact`.
pub static CHANGE_IMPACT: ToolDef = ToolDef {
    name: "change_impact",
    title: "Review a change",
    description: "What a git change or diff does to symbols: which, who depends on them, callers that no longer fit, tests; riskiest first.",
    args: &[
        CHANGE,
        BASE,
        ArgDef {
            name: "max_depth",
            ty: ArgType::Int { min: 1, max: 20 },
            default: Default::Int(3),
            description: "Most steps away",
        },
        ArgDef {
            name: "offset",
            ty: ArgType::Int { min: 0, max: 1_000_000 },
            default: Default::Int(0),
            description: "Skip so many symbols",
        },
    ],
    scoped: true,
    output: "{compared: str, symbols: [{uid?: str, name: str, kind: str, file: str, line: int, change: str, parts?: [str], risk: str, was?: \
             str, before?: str, after?: str, members?: int, broken?: [{file: str, line: int, name: str, why: str, confidence: str}], \
             brokenCount?: int, dependents: int, users?: [{uid: str, file: str, line: int, confidence: str}], tests?: [str], testCount: \
             int, followed: bool}], files: [{file: str, status: str, was?: str, note?: str}], tests: [str], counts: {symbols: int, files: \
             int, broken: int, tests: int}}",
    cuts: &[
        ListCut { path: "symbols[].users", kind: "users", narrow: "Ask impact about the symbol" },
        ListCut {
            path: "symbols[].tests",
            kind: "tests of symbols",
            narrow: "Ask tests_for about the symbol",
        },
        ListCut { path: "files", kind: "files", narrow: "Narrow with paths" },
        ListCut { path: "tests", kind: "tests", narrow: "Ask tests_for about the change" },
        ListCut { path: "symbols", kind: "symbols", narrow: "Narrow with paths" },
    ],
    ..ToolDef::READ
};

/// The checked arguments of a `change_impact` call.
#[derive(Clone, Debug, Deserialize)]
pub struct ChangeArgs {
    /// The change in words, or a diff; `None` means the working tree.
    pub change: Option<String>,
    /// The revision that a branch came from.
    pub base: Option<String>,
    /// Most steps from a changed symbol.
    pub max_depth: u32,
    /// Number of symbols to skip before the first one shown.
    pub offset: usize,
}

/// The data of a `change_impact` answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ChangeResult {
    /// The two sides, in words.
    pub compared: String,
    /// The symbols that differ, the riskiest first; members of a new, removed or moved container are counted
    /// with it.
    pub symbols: Vec<ReviewedSymbol>,
    /// The files that differ, and those that could not be examined.
    pub files: Vec<ReviewedFile>,
    /// IDs of the tests that reach any of the symbols, nearest first.
    pub tests: Vec<String>,
    /// Counts of everything, shown or not.
    pub counts: ReviewCounts,
}

/// A symbol that a change touches.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReviewedSymbol {
    /// The node ID of the symbol; `None` if the present map does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// The qualified name.
    pub name: String,
    /// The kind of the symbol, as in `function`.
    pub kind: String,
    /// The file that has it, or had it.
    pub file: String,
    /// 1-based line of its name there.
    pub line: u32,
    /// `added`, `removed`, `renamed`, `moved` or `changed`.
    pub change: String,
    /// The parts that differ: `signature`, `body`, `docs`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// `breaks`, `interface`, `behaviour`, `new`, `local` or `docs`.
    pub risk: String,
    /// `path#name` before the change, of a renamed or moved symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// The signature before, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The signature after, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Number of members that are added, removed or moved with it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub members: usize,
    /// The uses that no longer fit, the first few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<BrokenUse>,
    /// Number of uses that no longer fit, when `broken` does not show them all.
    #[serde(rename = "brokenCount", skip_serializing_if = "Option::is_none")]
    pub broken_count: Option<usize>,
    /// Number of definitions and files that depend on it, tests among them.
    pub dependents: usize,
    /// The first few of its direct users, without tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<DirectUser>,
    /// IDs of the tests that reach it, nearest first, the first few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
    /// Number of tests that reach it.
    #[serde(rename = "testCount")]
    pub test_count: usize,
    /// False if its dependents were not searched, or not completely.
    pub followed: bool,
}

/// A use that refers to a symbol which the change breaks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenUse {
    /// The file of the use.
    pub file: String,
    /// 1-based line of the use.
    pub line: u32,
    /// The qualified name of the user; empty at file level.
    pub name: String,
    /// The reason, as in `passes 1, takes 2`.
    pub why: String,
    /// The confidence that the use refers to the symbol.
    pub confidence: String,
}

/// A definition or file that uses a changed symbol.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DirectUser {
    /// The node ID of the user.
    pub uid: String,
    /// The file of the user.
    pub file: String,
    /// 1-based line of the use, or of the user's name.
    pub line: u32,
    /// The confidence of the edge.
    pub confidence: String,
}

/// A file that a change touches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewedFile {
    /// The path of the file after the change, or before it if the file was removed.
    pub file: String,
    /// `added`, `removed`, `moved` or `changed`.
    pub status: String,
    /// The earlier path of a file that moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// The reason why the answer has no symbols of it, or its other differences.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// Counts of a change.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReviewCounts {
    /// Number of symbols, without members that follow their container.
    pub symbols: usize,
    /// Number of files.
    pub files: usize,
    /// Number of uses that no longer fit.
    pub broken: usize,
    /// Number of tests that reach the change.
    pub tests: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(n: &usize) -> bool {
    *n == 0
}
