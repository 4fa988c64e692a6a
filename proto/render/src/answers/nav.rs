//! Renders answers of language servers: places, outlines, types, callers.

use hob_proto::Anchor;
use hob_proto::tools::nav::{
    Call, CallHierarchyResult, Completeness, LocationsResult, OutlineEntry, SymbolHit, SymbolsResult,
    TypeResult, WorkspaceSymbolsResult,
};

use crate::document::{AnswerDocument, AnswerItem, Section};
use crate::marks::Mark;
use crate::one_line::one_line;
use crate::places::AnswerPlace;

/// Renders places under their paths.
pub(super) fn render_locations(result: LocationsResult) -> AnswerDocument {
    let mut document = match result.locations.is_empty() {
        true => AnswerDocument::of_line("none"),
        false => {
            let kind = if result.total.is_some() { "references" } else { "locations" };
            let items = result.locations.iter().map(|place| location_item(place, &result.source));
            AnswerDocument::of_section(Section::new_paged(kind, items.collect()))
        }
    };
    for place in &result.locations {
        document.explain_mark(mark_of(place.from_map.as_deref(), &result.source));
    }
    with_origin(document, result.completeness, &result.source)
}

/// Returns the mark of a place: beside a language server's answer, it marks additions of the map; in an
/// answer of the map or of an imported index, it shows the confidence.
fn mark_of(from_map: Option<&str>, source: &str) -> Mark {
    match (from_map, source) {
        (None, _) => Mark::Sure,
        (Some(confidence), "fallback-map" | "map" | "scip") => Mark::of_confidence(confidence),
        (Some(_), _) => Mark::FromMap,
    }
}

fn location_item(place: &Anchor, source: &str) -> AnswerItem {
    let text = place.snippet.as_deref().unwrap_or("");
    let mark = mark_of(place.from_map.as_deref(), source);
    let line = u64::from(place.line);
    let first = text.lines().next().unwrap_or("");
    AnswerPlace { path: &place.file, line, symbol: place.symbol.as_deref(), text: first, mark }.to_item()
}

/// Adds a note if the answer is not complete, or does not come from a language server.
fn with_origin(mut document: AnswerDocument, completeness: Completeness, source: &str) -> AnswerDocument {
    match completeness {
        Completeness::Complete => {}
        Completeness::Partial => document.notes.push("partial".to_owned()),
        Completeness::Unknown => document.notes.push("whether this is all is unknown".to_owned()),
    }
    match source {
        "fallback-map" | "map" => document.notes.push("from the map".to_owned()),
        "scip" => document.notes.push("from an imported index".to_owned()),
        "fallback-references" => document.notes.push("from references".to_owned()),
        _ => {}
    }
    document
}

/// Renders a file's symbols as an indented list with their lines.
pub(super) fn render_outline(result: SymbolsResult) -> AnswerDocument {
    // One item for each, so that a page skips as many as it shows.
    let items: Vec<AnswerItem> = result.symbols.iter().map(outline_item).collect();
    let document = match items.is_empty() {
        true => AnswerDocument::of_line("no symbols"),
        false => AnswerDocument::of_section(Section::new_paged("symbols", items)),
    };
    with_origin(document, result.completeness, &result.source)
}

/// Makes an item of an outermost symbol with all its children.
fn outline_item(entry: &OutlineEntry) -> AnswerItem {
    let mut lines = Vec::new();
    outline_entry(&mut lines, entry, 0);
    AnswerItem { lines, ..AnswerItem::default() }
}

fn outline_entry(rows: &mut Vec<String>, entry: &OutlineEntry, level: usize) {
    let lines = if entry.end_line > entry.line { format!("-{}", entry.end_line) } else { String::new() };
    let indent = " ".repeat(level);
    rows.push(format!("{indent}{}{lines} {} {}", entry.line, entry.kind, one_line(&entry.name)));
    entry.children.iter().for_each(|child| outline_entry(rows, child, level + 1));
}

/// Renders a signature and its documentation.
pub(super) fn type_of(result: TypeResult) -> AnswerDocument {
    let mut lines: Vec<String> = result.signature.lines().map(|line| one_line(line).into_owned()).collect();
    lines.extend(result.docs.lines().map(|line| one_line(line.trim_end()).into_owned()));
    if lines.is_empty() {
        lines.push("nothing is said of it".to_owned());
    }
    let item = AnswerItem { lines, ..AnswerItem::default() };
    with_origin(
        AnswerDocument::of_section(Section::new("lines", vec![item])),
        result.completeness,
        &result.source,
    )
}

/// Renders symbols by name, under their paths.
pub(super) fn symbol_hits(result: WorkspaceSymbolsResult) -> AnswerDocument {
    let item = |hit: &SymbolHit| {
        let container = hit.container.as_deref().filter(|name| !name.is_empty());
        let container = container.map(|name| format!("{}.", one_line(name))).unwrap_or_default();
        let row = format!("{} {} {container}{}", hit.line, hit.kind, one_line(&hit.name));
        AnswerItem::below_header(one_line(&hit.file), row)
    };
    let document = match result.symbols.is_empty() {
        true => AnswerDocument::of_line("no symbol of this name"),
        false => AnswerDocument::of_section(Section::new_paged(
            "symbols",
            result.symbols.iter().map(item).collect(),
        )),
    };
    with_origin(document, result.completeness, &result.source)
}

/// Renders callers or callees under their paths, with the lines of the calls; those one level further away
/// below each.
pub(super) fn call_hierarchy(result: CallHierarchyResult) -> AnswerDocument {
    let root = &result.root;
    let head = format!("{}:{} {}", one_line(&root.file), root.line, one_line(&root.name));
    let items: Vec<AnswerItem> = result.calls.iter().map(|call| direct_call(call, &result.source)).collect();
    let mut document = match items.is_empty() {
        true => AnswerDocument::of_line(format!("{head}: no calls")),
        false => AnswerDocument::of_section(Section::new_paged("calls", items).with_title(head)),
    };
    for call in &result.calls {
        document.explain_mark(mark_of(call.from_map.as_deref(), &result.source));
    }
    with_origin(document, result.completeness, &result.source)
}

fn direct_call(call: &Call, source: &str) -> AnswerItem {
    let mut lines = vec![call_row(call, source)];
    further_calls(&mut lines, call, source, 1);
    AnswerItem { group: vec![one_line(&call.file).into_owned()], lines, source: None }
}

/// Formats `line name: lines of the calls`, with the mark of a call that only the map has.
fn call_row(call: &Call, source: &str) -> String {
    let mark = mark_of(call.from_map.as_deref(), source);
    let sites: Vec<String> = call.call_sites.iter().map(|site| site.line.to_string()).collect();
    let sites = if sites.is_empty() { String::new() } else { format!(": {}", sites.join(", ")) };
    format!("{}{} {}{sites}", mark.sign(), call.line, one_line(&call.name))
}

fn further_calls(lines: &mut Vec<String>, call: &Call, source: &str, level: usize) {
    for further in &call.calls {
        let file =
            if further.file == call.file { String::new() } else { format!("{}:", one_line(&further.file)) };
        lines.push(format!("{}{file}{}", " ".repeat(level), call_row(further, source)));
        further_calls(lines, further, source, level + 1);
    }
}
