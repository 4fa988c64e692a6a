//! Defines the `nav_*` family, which language servers answer: arguments, results, definitions.

use serde::{Deserialize, Serialize};

use super::scope::FILE_FILTER;
use super::{ArgDef, ArgType, Default, ListCut, ToolDef, ToolSet};
use crate::position::Anchor;

/// The completeness of an answer, which may lack results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Completeness {
    /// The answer lacks nothing.
    Complete,
    /// Some results may be missing; a warning says why.
    Partial,
    /// The completeness is unknown; a warning says why.
    Unknown,
}

pub(super) const FILE: ArgDef = ArgDef {
    name: "file",
    ty: ArgType::Str { min: 1 },
    default: Default::None,
    description: "File; with line and col",
};
pub(super) const LINE: ArgDef = ArgDef {
    name: "line",
    ty: ArgType::Int { min: 1, max: u32::MAX as i64 },
    default: Default::None,
    description: "1-based",
};
pub(super) const COL: ArgDef = ArgDef {
    name: "col",
    ty: ArgType::Int { min: 1, max: u32::MAX as i64 },
    default: Default::None,
    description: "Default: line's name",
};
pub(super) const NODE: ArgDef = ArgDef {
    name: "nodeId",
    ty: ArgType::Str { min: 1 },
    default: Default::None,
    description: "Older: target",
};
pub(super) const TARGET: ArgDef = ArgDef {
    name: "target",
    ty: ArgType::Str { min: 1 },
    default: Default::None,
    description: "Symbol, or path:line[:col]",
};

/// A place to ask about: a position or a target.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PositionArgs {
    /// The file, if no node is given.
    pub file: Option<String>,
    /// The 1-based line in `file`; `None` without `file`.
    pub line: Option<u32>,
    /// The column; if it is missing, the name that the line defines or the only name on it.
    pub col: Option<u32>,
    /// The older name of `target`.
    pub node_id: Option<String>,
    /// A symbol or a place, if no file is given.
    pub target: Option<String>,
}

const LOCATIONS: ListCut = ListCut { path: "locations", kind: "locations", narrow: "Raise tokenBudget" };

/// The definition of the tool `nav_definition`.
pub static DEFINITION: ToolDef = ToolDef {
    name: "nav_definition",
    title: "Live: definition",
    description: "What a name at a place refers to, by the language server.",
    args: &[TARGET],
    unlisted: &[FILE, LINE, COL, NODE],
    output: "{locations: [{file: str, line: int, col: int, endLine?: int, snippet?: str, external?: bool, fromMap?: str}], \
             completeness: str, source: str}",
    cuts: &[LOCATIONS],
    set: ToolSet::Core,
    ..ToolDef::READ
};

/// The definition of the tool `nav_implementations`.
pub static IMPLEMENTATIONS: ToolDef = ToolDef {
    name: "nav_implementations",
    title: "Live: implementations",
    description: "What implements or overrides the name at a position, from the language server.",
    output: DEFINITION.output,
    args: DEFINITION.args,
    unlisted: DEFINITION.unlisted,
    scoped: true,
    cuts: DEFINITION.cuts,
    ..ToolDef::READ
};

/// The definition of the tool `nav_references`.
pub static REFERENCES: ToolDef = ToolDef {
    name: "nav_references",
    title: "Live: references",
    description: "Every use of a symbol, by the language server: exact, for renames and signatures.",
    args: &[
        TARGET,
        ArgDef {
            name: "includeDeclaration",
            ty: ArgType::Bool,
            default: Default::Bool(false),
            description: "Also the declaration",
        },
    ],
    unlisted: &[FILE, LINE, COL, NODE, FILE_FILTER],
    scoped: true,
    output: "{locations: [{file: str, line: int, col: int, endLine?: int, snippet?: str, external?: bool, fromMap?: str}], total: int, \
             files: int, completeness: str, source: str}",
    cuts: &[ListCut { path: "locations", kind: "references", narrow: "Pass paths:['src'] to scope results" }],
    set: ToolSet::Core,
    ..ToolDef::READ
};

/// The checked arguments of a `nav_references` call.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReferencesArgs {
    /// The position or target whose references are wanted.
    #[serde(flatten)]
    pub at: PositionArgs,
    /// True to include the declaration in the answer.
    pub include_declaration: bool,
}

/// The data of the tools that answer with places.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LocationsResult {
    /// The places, by file and line.
    pub locations: Vec<Anchor>,
    /// Number of references in all; `None` for other tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<usize>,
    /// Number of files, for references.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// The completeness of the answer; see [`Completeness`].
    pub completeness: Completeness,
    /// The source of the answer: a language server or a fallback.
    pub source: String,
}

/// The definition of the tool `nav_type`.
pub static TYPE: ToolDef = ToolDef {
    name: "nav_type",
    title: "Live: type",
    description: "Type and docs of a name, by the language server.",
    args: &[TARGET],
    unlisted: &[FILE, LINE, COL, NODE],
    output: "{signature: str, docs: str, range?: any, completeness: str, source: str}",
    set: ToolSet::Core,
    ..ToolDef::READ
};

/// The data of a `nav_type` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TypeResult {
    /// The signature in the language's notation; empty if the server returns none.
    pub signature: String,
    /// The symbol's documentation, in Markdown; empty if there is none.
    pub docs: String,
    /// The range of the queried name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<NameRange>,
    /// The completeness of the answer; see [`Completeness`].
    pub completeness: Completeness,
    /// The source of the answer: a language server or a fallback.
    pub source: String,
}

/// A range of a file; lines and columns are 1-based, the end is exclusive.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NameRange {
    /// The first line of the range.
    pub line: u32,
    /// The first column of the range, on `line`.
    pub col: u32,
    /// The last line of the range.
    pub end_line: u32,
    /// The column after the last one.
    pub end_col: u32,
}

/// The definition of the tool `nav_symbols`.
pub static SYMBOLS: ToolDef = ToolDef {
    name: "nav_symbols",
    title: "Live: outline",
    description: "A file's symbols as a tree, by the language server.",
    args: &[ArgDef {
        name: "file",
        ty: ArgType::Str { min: 1 },
        default: Default::Required,
        description: "File",
    }],
    output: "{symbols: [{name: str, kind: str, line: int, col: int, endLine: int, startLine?: int, detail?: str, children?: any}], \
             completeness: str, source: str}",
    cuts: &[ListCut { path: "symbols", kind: "symbols", narrow: "Raise tokenBudget" }],
    ..ToolDef::READ
};

/// The checked arguments of a `nav_symbols` call.
#[derive(Clone, Debug, Deserialize)]
pub struct SymbolsArgs {
    /// The file whose outline is wanted.
    pub file: String,
}

/// The data of a `nav_symbols` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SymbolsResult {
    /// The symbols, in the order of the file.
    pub symbols: Vec<OutlineEntry>,
    /// The completeness of the answer; see [`Completeness`].
    pub completeness: Completeness,
    /// The source of the answer: a language server or a fallback.
    pub source: String,
}

/// One entry of an outline.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutlineEntry {
    /// The name of the symbol.
    pub name: String,
    /// The kind of the symbol, as in `function`.
    pub kind: String,
    /// Line of its name, 1-based.
    pub line: u32,
    /// Column of its name, 1-based.
    pub col: u32,
    /// The last line of the symbol, inclusive.
    pub end_line: u32,
    /// First line of its decorators, attributes and comments, if that is above its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u32>,
    /// The detail that the language server adds; `None` if it adds none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The symbols within this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<OutlineEntry>,
}

/// The definition of the tool `nav_workspaceSymbols`.
pub static WORKSPACE_SYMBOLS: ToolDef = ToolDef {
    name: "nav_workspaceSymbols",
    title: "Live: symbols by name",
    description: "Symbols by name from running language servers; map_search needs none.",
    args: &[
        ArgDef {
            name: "query",
            ty: ArgType::Str { min: 3 },
            default: Default::Required,
            description: "Name or part of it",
        },
        ArgDef {
            name: "limit",
            ty: ArgType::Int { min: 1, max: 200 },
            default: Default::Int(50),
            description: "Most results",
        },
    ],
    scoped: true,
    output: "{symbols: [{name: str, kind: str, container?: str, file: str, line: int, col: int, external?: bool}], \
             completeness: str, source: str}",
    cuts: &[ListCut { path: "symbols", kind: "symbols", narrow: "Pass a longer query or a smaller limit" }],
    ..ToolDef::READ
};

/// The checked arguments of a `nav_workspaceSymbols` call.
#[derive(Clone, Debug, Deserialize)]
pub struct WorkspaceSymbolsArgs {
    /// The name or part of a name to search for.
    pub query: String,
    /// Most symbols in one answer.
    pub limit: usize,
}

/// The data of a `nav_workspaceSymbols` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkspaceSymbolsResult {
    /// The symbols found, with exact names first.
    pub symbols: Vec<SymbolHit>,
    /// The completeness of the answer; see [`Completeness`].
    pub completeness: Completeness,
    /// The source of the answer: a language server or a fallback.
    pub source: String,
}

/// A symbol of the workspace with its place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SymbolHit {
    /// The name of the symbol.
    pub name: String,
    /// The kind of the symbol, as in `function`.
    pub kind: String,
    /// The name of the symbol's container; `None` if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// The path of the symbol's file.
    pub file: String,
    /// The line of the symbol, from 1.
    pub line: u32,
    /// The column of the symbol, from 1.
    pub col: u32,
    /// True if the file lies outside the workspace.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub external: bool,
}

/// The directions of a call hierarchy: towards callers or towards callees.
pub const CALL_DIRECTIONS: &[&str] = &["incoming", "outgoing"];

/// The definition of the tool `nav_callHierarchy`.
pub static CALL_HIERARCHY: ToolDef = ToolDef {
    name: "nav_callHierarchy",
    title: "Live: call hierarchy",
    description: "Callers or callees of a function, by the language server.",
    args: &[
        TARGET,
        ArgDef {
            name: "direction",
            ty: ArgType::Enum(CALL_DIRECTIONS),
            default: Default::Str("incoming"),
            description: "Who calls it, or whom it calls",
        },
        ArgDef {
            name: "depth",
            ty: ArgType::Int { min: 1, max: 3 },
            default: Default::Int(1),
            description: "Levels",
        },
    ],
    unlisted: &[FILE, LINE, COL, NODE],
    scoped: true,
    output: "{root: {name: str, kind: str, file: str, line: int, col: int}, calls: [{name: str, kind: str, file: str, \
             line: int, col: int, depth: int, callSites: any, calls?: any, external?: bool, fromMap?: str}], completeness: str, source: str}",
    cuts: &[ListCut { path: "calls", kind: "calls", narrow: "Pass depth:1" }],
    ..ToolDef::READ
};

/// The checked arguments of a `nav_callHierarchy` call.
#[derive(Clone, Debug, Deserialize)]
pub struct CallHierarchyArgs {
    /// The position or target whose calls are wanted.
    #[serde(flatten)]
    pub at: PositionArgs,
    /// The direction of the hierarchy: one of [`CALL_DIRECTIONS`].
    pub direction: String,
    /// Most levels of calls from the root.
    pub depth: u32,
}

/// The data of a `nav_callHierarchy` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CallHierarchyResult {
    /// The function whose calls the answer lists.
    pub root: CallRoot,
    /// Direct calls, each with the calls one level further away.
    pub calls: Vec<Call>,
    /// The completeness of the answer; see [`Completeness`].
    pub completeness: Completeness,
    /// `lsp`, `fallback-references` or `fallback-map`.
    pub source: String,
}

/// The function that a call hierarchy begins with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CallRoot {
    /// The name of the function.
    pub name: String,
    /// The kind of the symbol, as in `function`.
    pub kind: String,
    /// The path of the function's file.
    pub file: String,
    /// Line of its name.
    pub line: u32,
    /// Column of its name.
    pub col: u32,
}

/// A caller or callee.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// The name of the caller or callee.
    pub name: String,
    /// The kind of the symbol, as in `function`.
    pub kind: String,
    /// The path of the caller's or callee's file.
    pub file: String,
    /// Line of its name.
    pub line: u32,
    /// Column of its name.
    pub col: u32,
    /// 1 for a direct call.
    pub depth: u32,
    /// Lines and columns of the calls, in the caller's file.
    pub call_sites: Vec<CallSite>,
    /// The calls one level further away.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    /// True if the file lies outside the workspace.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub external: bool,
    /// Set if the map has the call and the language server did not list it: the map's confidence, `live`,
    /// `exact` or `import`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_map: Option<String>,
}

/// The place of a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CallSite {
    /// The line of the call, from 1.
    pub line: u32,
    /// 1-based column; `None` if only the map knows the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub col: Option<u32>,
}

/// Severities, the worst first.
pub const SEVERITIES: &[&str] = &["error", "warning", "information", "hint"];

/// The definition of the tool `nav_diagnostics`.
pub static DIAGNOSTICS: ToolDef = ToolDef {
    name: "nav_diagnostics",
    title: "Live: errors and warnings",
    description: "What the language server finds wrong in a file as it is now, also right after an edit; without file, what \
                  running servers know.",
    args: &[
        ArgDef { name: "file", ty: ArgType::Str { min: 1 }, default: Default::None, description: "File" },
        ArgDef {
            name: "severity",
            ty: ArgType::Enum(SEVERITIES),
            default: Default::Str("hint"),
            description: "The least shown",
        },
    ],
    output: "{diagnostics: [{file: str, line: int, col: int, severity: str, code?: str, message: str, source?: str}], \
             complete: bool}",
    cuts: &[ListCut { path: "diagnostics", kind: "diagnostics", narrow: "Pass file, or severity:'error'" }],
    ..ToolDef::READ
};

/// The checked arguments of a `nav_diagnostics` call.
#[derive(Clone, Debug, Deserialize)]
pub struct DiagnosticsArgs {
    /// The file; `None` for all files that running servers know of.
    pub file: Option<String>,
    /// The lowest severity to show: one of [`SEVERITIES`].
    pub severity: String,
}

/// The data of a `nav_diagnostics` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DiagnosticsResult {
    /// The diagnostics, by file and line.
    pub diagnostics: Vec<DiagnosticEntry>,
    /// True if these are all of the server's diagnostics, for the present contents.
    pub complete: bool,
}

/// A diagnostic.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DiagnosticEntry {
    /// The path of the file with the problem.
    pub file: String,
    /// The line of the problem, from 1.
    pub line: u32,
    /// The column of the problem, from 1.
    pub col: u32,
    /// The severity of the problem: one of [`SEVERITIES`].
    pub severity: String,
    /// The rule, as the server calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// A sentence for people that says what is wrong.
    pub message: String,
    /// The program that reports the problem, as in `rustc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}
