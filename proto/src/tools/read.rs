//! Defines the tools that read source: arguments, results, definitions.

use serde::{Deserialize, Serialize};

use super::scope::IN;
use super::{ArgDef, ArgType, Default, ListCut, MAX_BUDGET, ToolDef, ToolSet};

/// The default budget of an answer as text, in tokens: a few functions and the signatures of a class.
const USUAL_TEXT: u32 = 6_000;

/// The definition of the tool `read_symbols`.
pub static READ_SYMBOLS: ToolDef = ToolDef {
    name: "read_symbols",
    title: "Read symbols",
    description: "Instead of cat or sed: source by name, path or path:from-to, many at once, folded to what you ask about. Long files and classes come as signatures; pass the lines of a gap for more. outline:true lists symbols only.",
    args: &[
        ArgDef {
            name: "targets",
            ty: ArgType::StrList,
            default: Default::Required,
            description: "Names, Class.name, path, path:from-to, node IDs",
        },
        ArgDef {
            name: "about",
            ty: ArgType::Str { min: 0 },
            default: Default::Expected,
            description: "What you want to know, in words: lines on it come with their branches and exits, the rest as the calls it makes. all: every line",
        },
        ArgDef {
            name: "include_neighbors",
            ty: ArgType::Int { min: 0, max: 20 },
            default: Default::Int(0),
            description: "Also so many symbols before and after",
        },
        ArgDef {
            name: "outline",
            ty: ArgType::Bool,
            default: Default::Bool(false),
            description: "Symbols with lines only",
        },
        ArgDef {
            name: "docs",
            ty: ArgType::Bool,
            default: Default::None,
            description: "Doc comments: all or none (default: first lines)",
        },
        ArgDef {
            name: "token_budget",
            ty: ArgType::Int { min: 0, max: i64::MAX },
            default: Default::None,
            description: "Size limit",
        },
    ],
    unlisted: &[
        IN,
        // Models that see it listed pass it every time, and read source that they do not need.
        ArgDef {
            name: "whole",
            ty: ArgType::Bool,
            default: Default::Bool(false),
            description: "Bodies within long files and classes too",
        },
        // `about` serves callers that do not know the words of a line, and folds less than `around`.
        ArgDef {
            name: "around",
            ty: ArgType::Str { min: 1 },
            default: Default::None,
            description: "Regex: of long bodies, lines near it",
        },
    ],
    output: "{symbols: [{uid: str, name: str, kind: str, file: str, start_line: int, end_line: int, source: str, \
             body_complete: bool, missing?: [str], missing_calls?: [[str]], is_neighbor?: bool}], ambiguous: [{target: str, candidates: [{uid: str, kind: str, \
             file: str, line: int}], more?: int}], not_found: [str], outlines?: [{file: str, files?: int, symbols: [{name: str, \
             kind: str, line: int, end_line: int, signature?: str, children?: [any]}]}]}",
    cuts: &[
        ListCut {
            path: "ambiguous[].candidates",
            kind: "candidates",
            narrow: "Pass a qualified name or a node ID",
        },
        ListCut { path: "outlines", kind: "outlines", narrow: "Pass a folder or file below" },
        ListCut {
            path: "outlines[].symbols",
            kind: "symbols",
            narrow: "Pass a class, or raise token_budget",
        },
        ListCut { path: "symbols", kind: "symbols", narrow: "Pass fewer targets, or raise token_budget" },
        ListCut { path: "ambiguous", kind: "targets", narrow: "Pass fewer targets" },
        ListCut { path: "not_found", kind: "targets", narrow: "Pass fewer targets" },
    ],
    text_budget: Some(USUAL_TEXT),
    max_budget: MAX_BUDGET,
    set: ToolSet::Core,
    ..ToolDef::READ
};

/// The checked arguments of a `read_symbols` call.
#[derive(Clone, Debug, Deserialize)]
pub struct ReadSymbolsArgs {
    /// The targets to read, in the order of the answer.
    pub targets: Vec<String>,
    /// A question in words: of each definition the answer shows the lines that bear on it, with the headers
    /// of their blocks and the exits; it names the calls in the gaps. A few lines requested by number are
    /// shown whole, and everything is if this is `all`.
    pub about: Option<String>,
    /// Number of adjacent definitions on each side.
    pub include_neighbors: usize,
    /// True to return only symbols and their lines.
    pub outline: bool,
    /// True to show documentation; if it is not given, the answer shows the first line of each comment in text, and
    /// all of it in JSON.
    pub docs: Option<bool>,
    /// True to show the text of long files, classes and functions whole, as far as the budget allows. JSON
    /// always has it whole.
    pub whole: bool,
    /// A regex for long bodies: the answer shows the signature and the lines around its matches.
    pub around: Option<String>,
}

/// The data of a `read_symbols` answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReadSymbolsResult {
    /// The definitions, in the order of the targets.
    pub symbols: Vec<SymbolSource>,
    /// Targets that denote several definitions.
    pub ambiguous: Vec<Ambiguous>,
    /// Targets that denote none.
    pub not_found: Vec<String>,
    /// The outlines of targets requested as outlines, and the folders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outlines: Vec<ReadOutline>,
}

/// The symbols of a file, or of one of its classes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReadOutline {
    /// The file, or a folder with `/` at its end, for which the answer only has the number of files.
    pub file: String,
    /// Number of files in the folder; `None` for a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// The symbols, in the order of the file.
    pub symbols: Vec<OutlineSymbol>,
}

/// A symbol in an outline.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct OutlineSymbol {
    /// Its name; with the name of its type if it is defined outside of it.
    pub name: String,
    /// The kind of the symbol, as in `function`.
    pub kind: String,
    /// Line of its name, 1-based.
    pub line: u32,
    /// The last line of the symbol, inclusive.
    pub end_line: u32,
    /// The header of a function or method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The symbols within this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<OutlineSymbol>,
}

/// The source of one definition, with its place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SymbolSource {
    /// The node ID of the definition.
    pub uid: String,
    /// The qualified name of the definition.
    pub name: String,
    /// The kind of the definition, as in `function`.
    pub kind: String,
    /// The file of the definition, relative to the root.
    pub file: String,
    /// The first line of the definition, from 1.
    pub start_line: u32,
    /// The last line of the definition, inclusive.
    pub end_line: u32,
    /// The text of those lines, as far as it is shown.
    pub source: String,
    /// True if `source` has all of the lines, except unwanted documentation.
    pub body_complete: bool,
    /// Ranges of lines between the first and the last that `source` omits, as `120-180`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// For each omitted range the first few functions that it calls; empty without `about`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_calls: Vec<Vec<String>>,
    /// True for a definition that the call did not name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_neighbor: bool,
}

/// A target that denotes several definitions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ambiguous {
    /// The target as the caller gave it.
    pub target: String,
    /// The definitions that the target may mean, the most connected first.
    pub candidates: Vec<AmbiguousCandidate>,
    /// Number of further candidates that are not listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// A definition that a target may mean.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AmbiguousCandidate {
    /// The node ID of the definition.
    pub uid: String,
    /// The kind of the definition, as in `function`.
    pub kind: String,
    /// The file of the definition, relative to the root.
    pub file: String,
    /// 1-based line of the name.
    pub line: u32,
}
