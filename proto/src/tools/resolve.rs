//! Defines `resolve`, which translates between a node of the map and its place in the file as a language
//! server sees it, and finds the entity of a name in words ([`super::entity`]). Arguments, result,
//! definition.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ArgDef, ArgType, Default, ListCut, ToolDef};
use crate::position::Anchor;

/// The definition of the tool `resolve`.
pub static RESOLVE: ToolDef = ToolDef {
    name: "resolve",
    title: "Cross the layers",
    description: "The verified position of a nodeId, the node ID at file and line, or what a subject in words means.",
    args: &[
        ArgDef {
            name: "nodeId",
            ty: ArgType::Str { min: 1 },
            default: Default::None,
            description: "To its position",
        },
        ArgDef {
            name: "file",
            ty: ArgType::Str { min: 1 },
            default: Default::None,
            description: "With line: to its node",
        },
        ArgDef {
            name: "line",
            ty: ArgType::Int { min: 1, max: u32::MAX as i64 },
            default: Default::None,
            description: "1-based",
        },
        ArgDef {
            name: "col",
            ty: ArgType::Int { min: 1, max: u32::MAX as i64 },
            default: Default::None,
            description: "Default: line's name",
        },
        ArgDef {
            name: "subject",
            ty: ArgType::Str { min: 1 },
            default: Default::None,
            description: "Name or words",
        },
        ArgDef {
            name: "context",
            ty: ArgType::Object,
            default: Default::None,
            description: "realm, provenance, time (git revision), language",
        },
        ArgDef {
            name: "strategy",
            ty: ArgType::Object,
            default: Default::None,
            description: "mode: quick|ranked|hybrid|interactive|llm_select; use_embeddings, auto_accept_threshold, \
                          interactive_below_threshold, use_llm_fallback",
        },
        ArgDef {
            name: "constraints",
            ty: ArgType::Object,
            default: Default::None,
            description: "deterministic, require_authority, allowed_sources, max_candidates, min_confidence",
        },
        ArgDef {
            name: "hints",
            ty: ArgType::Object,
            default: Default::None,
            description: "expected_type, preferred_id, aliases",
        },
        ArgDef {
            name: "debug",
            ty: ArgType::Object,
            default: Default::None,
            description: "include_explanations, include_candidates",
        },
    ],
    output: "{nodeId?: any, location?: {file: str, line: int, col: int}, verified?: bool, mapStale?: bool, inMap?: bool, \
             mapRange?: {line: int, endLine: int}, relocated?: bool, currentNodeId?: str, \
             symbol?: {name: str, kind: str, signature: str}, nearestNodeId?: str, qualifiedName?: str, \
             enclosingSymbols?: [{name: str, kind: str, line: int}], status?: str, \
             entity?: {id: str, label: str, type: str, description: str, source: str, uri: str, attributes: any}, \
             confidence?: num, candidates?: [{id: str, label: str, type: str, source: str, confidence: num}], \
             ambiguity?: {reason: str, dimension: str}, \
             resolution_path?: [{phase: str, action: str, source: str, note: str}], \
             meta?: {request_id: str, timestamp: str, duration_ms: int}, error?: {code: str, message: str}}",
    cuts: &[
        ListCut {
            path: "candidates",
            kind: "candidates",
            narrow: "Raise tokenBudget, or say more in subject or context.",
        },
        ListCut { path: "resolution_path", kind: "steps", narrow: "Raise tokenBudget." },
    ],
    elsewhere: &[("action", "To apply or discard a pending edit, call `resolve_action`.")],
    ..ToolDef::READ
};

/// Arguments of `resolve`: exactly one of a node, a position and a subject.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolveArgs {
    /// The node to find in the file.
    pub node_id: Option<String>,
    /// The file with the position to find in the map.
    pub file: Option<String>,
    /// The 1-based line in `file`; `None` without `file`.
    pub line: Option<u32>,
    /// The column; if it is missing, the name that the line defines, else the definition around the line.
    pub col: Option<u32>,
    /// A name in words whose entity to find.
    pub subject: Option<String>,
    /// The context of the words, a [`Context`](super::entity::Context).
    pub context: Option<Value>,
    /// The settings that decide how the entity is chosen, a [`Strategy`](super::entity::Strategy).
    pub strategy: Option<Value>,
    /// The rules of the answer, a [`Constraints`](super::entity::Constraints).
    pub constraints: Option<Value>,
    /// Facts that the client knows already, a [`Hints`](super::entity::Hints).
    pub hints: Option<Value>,
    /// The extras to show besides the answer, a [`Debug`](super::entity::Debug).
    pub debug: Option<Value>,
}

/// The present place of a node.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeResult {
    /// The queried node.
    pub node_id: String,
    /// The place of its name: the language server's if `verified`, else the map's.
    pub location: Anchor,
    /// True if the language server confirmed the location.
    pub verified: bool,
    /// True if the map, or the ID, belongs to an earlier state of the file.
    pub map_stale: bool,
    /// The lines in the map, if they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map_range: Option<LineRange>,
    /// True if only the last name of the ID matched.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub relocated: bool,
    /// True if the map has a node with this ID.
    pub in_map: bool,
    /// The ID of the found node, if it is not the queried one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_node_id: Option<String>,
    /// The name, kind and signature of the symbol.
    pub symbol: Symbol,
}

/// The node at a position.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PositionResult {
    /// The node of the innermost symbol; `None` when the map does not have it.
    pub node_id: Option<String>,
    /// True if the map has the innermost symbol.
    pub in_map: bool,
    /// True if the map belongs to an earlier state of the file.
    pub map_stale: bool,
    /// True if the language server named the symbols around the position; false if the map did.
    pub verified: bool,
    /// The nearest container that the map has, when it does not have the symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest_node_id: Option<String>,
    /// The names of the symbols around the position, joined with dots; empty at the top level of the file.
    pub qualified_name: String,
    /// The symbols around the position, the outermost first.
    pub enclosing_symbols: Vec<EnclosingSymbol>,
    /// The place of the innermost symbol's name; the position itself at the top level of the file.
    pub location: Anchor,
}

/// Lines of a file, both inclusive.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LineRange {
    /// The first line of the range.
    pub line: u32,
    /// The last line of the range, inclusive.
    pub end_line: u32,
}

/// The name, kind and signature of a symbol.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Symbol {
    /// The name of the symbol.
    pub name: String,
    /// The kind of the symbol, as in `function`.
    pub kind: String,
    /// The signature from the language server if it has one, else from the map; empty if neither has one.
    pub signature: String,
}

/// A symbol around a position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EnclosingSymbol {
    /// The name of the enclosing symbol.
    pub name: String,
    /// The kind of the enclosing symbol, as in `class`.
    pub kind: String,
    /// Line of its name.
    pub line: u32,
}
