//! Answers an editor from the map where no language server exists, or while it loads.
//!
//! The map is syntactic and covers every project: it knows a name's definition where scopes, imports and declared types
//! lead to one, and otherwise candidates. So an answer has either the resolved definition or all candidates; results
//! that have no place in the editor's text are left out. Nothing here is as good as a language server, and a hover says
//! so.
//!
//! Positions are those of the protocol, in UTF-16 code units. The map's lock is never held while a file is read.

mod answers;
mod document;
mod folds;
mod highlight;
mod merge;
mod place;
mod senses;
mod symbols;
#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;
mod text;
mod twins;
mod uses;

use std::sync::Arc;

use hob_base::{CancelToken, WsPath};
use serde_json::Value;

use hob_host::Workspace;

pub(super) use answers::node_ids;
pub(crate) use merge::merge_symbols;

/// A question of an editor: the request with its workspace and its document.
pub(crate) struct MapQuestion<'a> {
    pub(crate) workspace: &'a Arc<Workspace>,
    /// The document of the question, if it has one.
    pub(crate) path: Option<&'a WsPath>,
    /// The document's text as the editor has it; `None` for the disk's.
    pub(crate) text: Option<&'a str>,
    /// The parameters of the editor's request.
    pub(crate) params: &'a Value,
    /// The token that ends the work.
    pub(crate) cancel: &'a CancelToken,
}

type MapAnswerer = fn(&MapQuestion<'_>) -> Value;

/// Returns the map's answer; `None` for a method that it does not answer. Reads files and waits for recent writes, so
/// only blocking threads may call it.
pub(crate) fn answer_from_map(method: &str, question: &MapQuestion<'_>) -> Option<Value> {
    answerer_of(method).map(|answer| answer(question))
}

/// Returns true if the map answers a method.
pub(crate) fn has_answer(method: &str) -> bool {
    answerer_of(method).is_some()
}

fn answerer_of(method: &str) -> Option<MapAnswerer> {
    Some(match method {
        "textDocument/definition" | "textDocument/declaration" => answers::definition,
        "textDocument/references" => answers::references,
        "textDocument/hover" => answers::hover,
        "textDocument/documentSymbol" => symbols::of_document,
        "textDocument/documentHighlight" => highlight::document_highlights,
        "textDocument/foldingRange" => folds::folding_ranges,
        "workspace/symbol" => symbols::of_workspace,
        _ => return None,
    })
}
