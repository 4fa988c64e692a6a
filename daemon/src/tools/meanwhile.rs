//! What the map says while a language server that did not answer is being replaced: nobody waits for a server that may be stuck
//! again.
//!
//! The map's answers are those that editors get where no server is ([`crate::editor::fallback`]): what it resolved, or all that a name
//! can be. So nothing here is ever called complete.

use hob_live::requests::Place;
use hob_live::uri::{self, FileRef};
use hob_proto::ToolError;
use hob_proto::tools::nav::{
    Completeness, LocationsResult, OutlineEntry, PositionArgs, ReferencesArgs, SymbolsArgs, SymbolsResult,
    TypeResult,
};
use serde_json::{Value, json};

use super::ask::text_of;
use super::nav::{self, Asked};
use super::{Handler, Needs, Outcome, ToolCall, data};
use crate::editor::fallback::{Question, answer};
use crate::to_proto::{errors, live as to_proto};

/// The word for answers of the map.
const MAP: &str = "map";

pub(super) fn definition(call: &mut ToolCall<'_>) -> Outcome {
    or_of_map(call, nav::definition, |call| {
        let args: PositionArgs = call.args()?;
        let (asked, said) = ask(call, &args, ("textDocument/definition", json!({})))?;
        let locations = to_proto::anchors(&asked.workspace, &places(&asked, &said), call.room);
        let completeness = Completeness::Unknown;
        data(&LocationsResult { locations, total: None, files: None, completeness, source: MAP.to_owned() })
    })
}

pub(super) fn references(call: &mut ToolCall<'_>) -> Outcome {
    or_of_map(call, nav::references, |call| {
        let args: ReferencesArgs = call.args()?;
        let filter = args.file_filter.as_deref().map(to_proto::FileFilter::new).transpose();
        let filter = filter.map_err(|error| errors::bad_file_filter(&error))?;
        let context = json!({"context": {"includeDeclaration": args.include_declaration}});
        let (asked, said) = ask(call, &args.at, ("textDocument/references", context))?;
        let mut places = places(&asked, &said);
        places.retain(|place| filter.as_ref().is_none_or(|filter| filter.admits(&place.file)));
        places.sort();
        data(&LocationsResult {
            locations: to_proto::anchors(&asked.workspace, &places, call.room),
            total: Some(places.len()),
            files: Some(places.chunk_by(|a, b| a.file == b.file).count()),
            completeness: Completeness::Unknown,
            source: MAP.to_owned(),
        })
    })
}

pub(super) fn type_of(call: &mut ToolCall<'_>) -> Outcome {
    or_of_map(call, nav::type_of, |call| {
        let args: PositionArgs = call.args()?;
        let (_, said) = ask(call, &args, ("textDocument/hover", json!({})))?;
        let text = said.pointer("/contents/value").and_then(Value::as_str).unwrap_or_default();
        let (signature, docs) = signature_and_docs(text);
        let completeness = Completeness::Unknown;
        data(&TypeResult { signature, docs, range: None, completeness, source: MAP.to_owned() })
    })
}

pub(super) fn symbols(call: &mut ToolCall<'_>) -> Outcome {
    or_of_map(call, nav::symbols, |call| {
        let args: SymbolsArgs = call.args()?;
        let at = PositionArgs { file: Some(args.file), line: Some(1), col: Some(1), node_id: None };
        let (_, said) = ask(call, &at, ("textDocument/documentSymbol", json!({})))?;
        let symbols = said.as_array().into_iter().flatten().map(outline).collect();
        data(&SymbolsResult { symbols, completeness: Completeness::Unknown, source: MAP.to_owned() })
    })
}

/// What `live` answers, or if its server is being replaced, what `of_map` does.
fn or_of_map(call: &mut ToolCall<'_>, live: Handler, of_map: Handler) -> Outcome {
    let args = call.args.clone();
    let error = match live(call) {
        Err(error) if error.more.contains_key(errors::RESTARTING) => error,
        outcome => return outcome,
    };
    call.args = args;
    call.warnings
        .push(format!("{} Meanwhile this is the map's word, and something may be missing.", error.message));
    of_map(call)
}

/// What the map answers to a request of the protocol about a place.
fn ask(
    call: &mut ToolCall<'_>,
    at: &PositionArgs,
    (method, mut params): (&str, Value),
) -> Result<(Asked, Value), ToolError> {
    let asked = Asked::new(call, at)?;
    call.workspace(Needs::Map)?;
    let at = &asked.at;
    params["position"] = json!({"line": at.line.saturating_sub(1), "character": at.col.saturating_sub(1)});
    let text = text_of(&asked.workspace, &at.file);
    let question = Question {
        workspace: &asked.workspace,
        path: Some(&at.file),
        text: text.as_deref(),
        params: &params,
        cancel: &call.cancel,
    };
    let said = answer(method, &question).unwrap_or(Value::Null);
    call.cancel.check().map_err(|_| errors::cancelled())?;
    Ok((asked, said))
}

/// The places of a list of the protocol's locations.
fn places(asked: &Asked, said: &Value) -> Vec<Place> {
    let root = asked.workspace.root();
    let place = |one: &Value| {
        let path = uri::to_path(&one["uri"].as_str()?.parse().ok()?)?;
        let (start, end) = (one_based(&one["range"]["start"]), one_based(&one["range"]["end"]));
        Some(Place { file: FileRef::of(path, root), start, end })
    };
    said.as_array().into_iter().flatten().filter_map(place).collect()
}

fn one_based(position: &Value) -> (u32, u32) {
    let figure = |name: &str| position[name].as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
    (figure("line").saturating_add(1), figure("character").saturating_add(1))
}

fn outline(symbol: &Value) -> OutlineEntry {
    let text = |name: &str| symbol[name].as_str().unwrap_or_default().to_owned();
    let (line, col) = one_based(&symbol["selectionRange"]["start"]);
    let (first, (last, behind)) =
        (one_based(&symbol["range"]["start"]).0, one_based(&symbol["range"]["end"]));
    // A range that ends at the start of a line does not include it.
    let last = if behind == 1 && last > first { last - 1 } else { last };
    let kind = symbol["kind"].as_i64().and_then(|kind| serde_json::from_value(kind.into()).ok());
    OutlineEntry {
        name: text("name"),
        kind: kind.map_or("value", hob_live::requests::kind_word).to_owned(),
        line,
        col,
        end_line: last,
        start_line: Some(first).filter(|first| *first < line),
        detail: Some(text("detail")).filter(|detail| !detail.is_empty()),
        children: symbol["children"].as_array().into_iter().flatten().map(outline).collect(),
    }
}

/// The first block of code of a text in Markdown, and the rest.
fn signature_and_docs(text: &str) -> (String, String) {
    let block = text.split_once("```").and_then(|(_, rest)| rest.split_once('\n'));
    let Some((signature, docs)) = block.and_then(|(_, rest)| rest.split_once("\n```")) else {
        return (String::new(), text.to_owned());
    };
    (signature.to_owned(), docs.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hover_is_a_signature_and_what_is_said_of_it() {
        let (signature, docs) = signature_and_docs("```python\ndef f(x)\n```\n\nIt does.\n\n*From the map.*");
        assert_eq!((signature.as_str(), docs.as_str()), ("def f(x)", "It does.\n\n*From the map.*"));
        assert_eq!(signature_and_docs("plain"), (String::new(), "plain".to_owned()));
    }
}
