//! Reading source: arguments, results, definitions.

use serde::{Deserialize, Serialize};

use super::{ArgDef, ArgType, Default, ListCut, MAX_BUDGET, ToolDef, ToolSet};

/// `read_symbols`.
pub static READ_SYMBOLS: ToolDef = ToolDef {
    name: "read_symbols",
    title: "Read symbols",
    description: "Source of definitions. Ambiguous names come back with candidate IDs.",
    args: &[
        ArgDef {
            name: "targets",
            ty: ArgType::StrList,
            default: Default::Required,
            description: "Node IDs, bare or qualified names, or FQNs",
        },
        ArgDef {
            name: "include_neighbors",
            ty: ArgType::Int { min: 0, max: 20 },
            default: Default::Int(0),
            description: "Also so many symbols before and after",
        },
        ArgDef {
            name: "token_budget",
            ty: ArgType::Int { min: 0, max: i64::MAX },
            default: Default::None,
            description: "Size limit",
        },
    ],
    output: "{symbols: [{uid: str, name: str, kind: str, file: str, start_line: int, end_line: int, source: str, \
             body_complete: bool, is_neighbor?: bool}], ambiguous: [{target: str, candidates: [{uid: str, kind: str, file: str, \
             line: int}]}], not_found: [str]}",
    cuts: &[
        ListCut {
            path: "ambiguous[].candidates",
            kind: "candidates",
            narrow: "Pass a qualified name or a node ID",
        },
        ListCut { path: "symbols", kind: "symbols", narrow: "Pass fewer targets, or raise token_budget" },
        ListCut { path: "ambiguous", kind: "targets", narrow: "Pass fewer targets" },
        ListCut { path: "not_found", kind: "targets", narrow: "Pass fewer targets" },
    ],
    max_budget: MAX_BUDGET,
    set: ToolSet::Core,
    ..ToolDef::READ
};

/// Arguments of `read_symbols`.
#[derive(Clone, Debug, Deserialize)]
pub struct ReadSymbolsArgs {
    /// What to read.
    pub targets: Vec<String>,
    /// Adjacent definitions on each side.
    pub include_neighbors: usize,
}

/// Result of `read_symbols`.
#[derive(Clone, Debug, Serialize)]
pub struct ReadSymbolsResult {
    /// In the order of the targets.
    pub symbols: Vec<SymbolSource>,
    /// Targets that mean several definitions.
    pub ambiguous: Vec<Ambiguous>,
    /// Targets that mean none.
    pub not_found: Vec<String>,
}

/// A definition's source.
#[derive(Clone, Debug, Serialize)]
pub struct SymbolSource {
    /// Node ID.
    pub uid: String,
    /// Qualified name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Where.
    pub file: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// Those lines.
    pub source: String,
    /// Whether `source` is all of them.
    pub body_complete: bool,
    /// Set on definitions that were not asked for by name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_neighbor: bool,
}

/// A target that means several definitions.
#[derive(Clone, Debug, Serialize)]
pub struct Ambiguous {
    /// As given.
    pub target: String,
    /// Most connected first.
    pub candidates: Vec<Candidate>,
}

/// What a target may mean.
#[derive(Clone, Debug, Serialize)]
pub struct Candidate {
    /// Node ID.
    pub uid: String,
    /// Its kind.
    pub kind: String,
    /// Where.
    pub file: String,
    /// 1-based line of the name.
    pub line: u32,
}
