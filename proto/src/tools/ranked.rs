//! Defines ranked text search: arguments, results, definition.

use serde::{Deserialize, Serialize};

use super::scope::{IN, PATH_PREFIX};
use super::text::TEXT_KINDS;
use super::{ArgDef, ArgType, Default, ListCut, ToolDef};

/// The definition of the tool `text_search`.
pub static TEXT_SEARCH: ToolDef = ToolDef {
    name: "text_search",
    title: "Search by words",
    description: "Definitions, sections and files about the words of a question, best first (BM25). For what you can \
                  describe but not name; identifiers may be among the words, \"quotes\" ask for words in a row.",
    args: &[
        ArgDef {
            name: "query",
            ty: ArgType::Str { min: 0 },
            default: Default::Required,
            description: "Words, e.g. where are cookies signed",
        },
        ArgDef {
            name: "kinds",
            ty: ArgType::EnumList(TEXT_KINDS),
            default: Default::None,
            description: "Only such nodes (default: all)",
        },
        ArgDef {
            name: "limit",
            ty: ArgType::Int { min: 1, max: 100 },
            default: Default::Int(20),
            description: "Most results",
        },
        ArgDef {
            name: "use_embeddings",
            ty: ArgType::Bool,
            default: Default::Bool(false),
            description: "Also by meaning, if the user has a model",
        },
    ],
    unlisted: &[IN, PATH_PREFIX],
    scoped: true,
    output: "{results: [{id?: str, kind: str, title: str, file: str, line: int, score: num, snippet?: str, stale?: bool}], \
             total: int}",
    cuts: &[ListCut { path: "results", kind: "results", narrow: "Pass kinds, paths or more words" }],
    ..ToolDef::READ
};

/// The checked arguments of a `text_search` call.
#[derive(Clone, Debug, Deserialize)]
pub struct TextSearchArgs {
    /// The question, in words of the caller.
    pub query: String,
    /// Some of [`TEXT_KINDS`]; empty for all.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Most results in one answer.
    pub limit: usize,
    /// True to find places of similar meaning as well.
    #[serde(default)]
    pub use_embeddings: bool,
}

/// The data of a `text_search` answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TextSearchResult {
    /// The results, with the best first.
    pub results: Vec<RankedResult>,
    /// Number of places that match any part of the question.
    pub total: usize,
}

/// A place that matches the question, with its score.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RankedResult {
    /// The node ID; `None` for files that are not in the map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The kind of the place: one of [`TEXT_KINDS`].
    pub kind: String,
    /// Qualified name, heading, or file name.
    pub title: String,
    /// The file of the place, relative to the root.
    pub file: String,
    /// 1-based line of its name; 1 for files.
    pub line: u32,
    /// The score of the place against the question; comparable within one answer.
    pub score: f64,
    /// The lines that share most words with the question, each with its number before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// True if the place has changed since it was indexed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stale: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}
