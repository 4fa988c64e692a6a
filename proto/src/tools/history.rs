//! Defines `symbol_history`: arguments, results, definition.

use serde::{Deserialize, Serialize};

use super::flow::SYMBOL;
use super::{ArgDef, ArgType, Default, ListCut, ToolDef};

/// The definition of the tool `symbol_history`.
pub static SYMBOL_HISTORY: ToolDef = ToolDef {
    name: "symbol_history",
    title: "Who changed a symbol",
    description: "Which commits changed a symbol, through renames and moves, and its source as of a revision.",
    args: &[
        SYMBOL,
        ArgDef {
            name: "revision",
            ty: ArgType::Str { min: 1 },
            default: Default::None,
            description: "Show its source then",
        },
        ArgDef {
            name: "limit",
            ty: ArgType::Int { min: 1, max: 100 },
            default: Default::Int(10),
            description: "Most commits",
        },
    ],
    output: "{symbol: {uid: str, name: str, kind: str, file?: str, line?: int}, uncommitted?: [str], commits: [{commit: str, date: str, \
             author: str, subject: str, change: str, parts?: [str], was?: str}], complete: bool, ended: str, walked: int, \
             then?: {revision: str, file: str, name: str, line: int, source: str}}",
    cuts: &[ListCut { path: "commits", kind: "commits", narrow: "Pass a smaller limit" }],
    ..ToolDef::READ
};

/// The checked arguments of a `symbol_history` call.
#[derive(Clone, Debug, Deserialize)]
pub struct HistoryArgs {
    /// A node ID or a name.
    pub symbol: String,
    /// The revision whose source the caller wants.
    pub revision: Option<String>,
    /// Most commits.
    pub limit: usize,
}

/// The data of a `symbol_history` answer.
#[derive(Clone, Debug, std::default::Default, Serialize, Deserialize)]
pub struct HistoryResult {
    /// The symbol as it is now.
    pub symbol: super::impact::Changed,
    /// The parts that differ from the last commit: `signature`, `body`, `docs`, or `added` for a symbol that
    /// no commit has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncommitted: Vec<String>,
    /// The commits that changed the symbol, newest first.
    pub commits: Vec<SymbolCommit>,
    /// True if no commit before the last one shown changed the symbol.
    pub complete: bool,
    /// The reason why the walk through the history ended.
    pub ended: String,
    /// Number of examined commits.
    pub walked: usize,
    /// The symbol at the requested revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<SymbolThen>,
}

/// A commit that changed a symbol.
#[derive(Clone, Debug, std::default::Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolCommit {
    /// The first digits of the commit's ID.
    pub commit: String,
    /// The day of the commit, as in `2026-11-26`, in UTC.
    pub date: String,
    /// The name of the author.
    pub author: String,
    /// The first line of the message.
    pub subject: String,
    /// `added`, `renamed`, `moved` or `changed`.
    pub change: String,
    /// The parts that differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// `path#name` before the commit, if the commit renamed or moved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
}

/// A symbol at a revision.
#[derive(Clone, Debug, std::default::Default, Serialize, Deserialize)]
pub struct SymbolThen {
    /// The first digits of the commit's ID.
    pub revision: String,
    /// The file that had it.
    pub file: String,
    /// The qualified name that it had.
    pub name: String,
    /// 1-based line of the first line of `source`.
    pub line: u32,
    /// The text of the symbol.
    pub source: String,
}
