//! Renders chains of calls: under the path of each function a row with the line of its call of the next.

use hob_proto::tools::map::Node;
use hob_proto::tools::path::{PathChain, PathEdge, PathEntry, PathReached, PathResult};

use super::handle::{lines_of_uses, name_of};
use super::neighbors::place_lines;
use crate::document::{AnswerDocument, AnswerItem, Section};
use crate::marks::Mark;
use crate::one_line::{one_line, shorten_to};

/// Length of the longest text of a call, in characters.
const TEXT: usize = 140;

/// Most lines shown of one call.
const SITES: usize = 8;

/// Renders the best chain and others below it, or the extent of the search.
pub(super) fn render_chains(result: PathResult) -> AnswerDocument {
    if !result.found {
        return not_found(result.reached.as_ref());
    }
    let mut document = AnswerDocument::of_section(Section::new("nodes", chain_items(&result.best)));
    for chain in &result.others {
        document.sections.push(Section::new("chains", chain_items(chain)).with_title("or:"));
    }
    for edge in std::iter::once(&result.best).chain(&result.others).flat_map(|chain| &chain.edges) {
        document.explain_mark(Mark::of_confidence(&edge.confidence));
    }
    document
}

fn chain_items(chain: &PathChain) -> Vec<AnswerItem> {
    let forwards = chain.edges.iter().all(|edge| edge.direction == "out");
    let station = |(at, node): (usize, &Node)| {
        let before = at.checked_sub(1).and_then(|before| chain.edges.get(before));
        let row = match (forwards, chain.edges.get(at)) {
            (true, next) => forward_row(node, before, next),
            (false, _) => either_way(node, before),
        };
        let mut item = match node.file.as_str() {
            "" => AnswerItem::line(row),
            file => AnswerItem::below_header(one_line(file), row),
        };
        // The places follow the row with the call.
        let explained = if forwards { chain.edges.get(at) } else { before };
        let places = explained.map(|edge| place_lines(edge.chain.iter(), edge.chain_note.as_deref()));
        item.lines.extend(places.unwrap_or_default());
        item
    };
    chain.nodes.iter().enumerate().map(station).collect()
}

/// Formats `line of the call name (for the named method): text of the call`.
fn forward_row(node: &Node, before: Option<&PathEdge>, next: Option<&PathEdge>) -> String {
    let taken = before.and_then(|edge| edge.named.as_deref());
    let taken = taken.map(|id| format!(" (overrides {})", name_of(id))).unwrap_or_default();
    let name = format!("{}{taken}", name_of(&node.id));
    let Some(next) = next else { return format!("{} {name}", node.line) };
    let sign = Mark::of_confidence(&next.confidence).sign();
    let line = match &next.lines[..] {
        [] => next.line.unwrap_or(node.line).to_string(),
        lines => lines_of_uses(lines, None, SITES),
    };
    match next.kind.as_str() {
        "calls" => format!("{sign}{line} {name}: {}", text_of(next)),
        "overrides" => format!("{sign}{line} {name}, overridden by"),
        "references" => format!("{sign}{line} {name} names: {}", text_of(next)),
        kind => format!("{sign}{line} {name}, {kind}"),
    }
}

/// Formats `line name`, with the edge that connects it to the node before.
fn either_way(node: &Node, before: Option<&PathEdge>) -> String {
    let name = format!("{} {}", node.line, name_of(&node.id));
    let Some(edge) = before else { return name };
    let arrow = if edge.direction == "in" { "<-" } else { "->" };
    let sign = Mark::of_confidence(&edge.confidence).sign();
    let line = edge.line.map(|line| format!(" {line}")).unwrap_or_default();
    let text = text_of(edge);
    let text = if text.is_empty() { String::new() } else { format!(" {text}") };
    format!("{sign}{name} ({arrow} {}{line}{text})", edge.kind)
}

fn text_of(edge: &PathEdge) -> String {
    one_line(&shorten_to(edge.text.trim(), TEXT)).into_owned()
}

fn not_found(reached: Option<&PathReached>) -> AnswerDocument {
    let Some(reached) = reached else { return AnswerDocument::of_line("not connected") };
    let head = format!(
        "no chain: the start leads to {} symbols in {} steps, {} lead to the end in {}",
        reached.from.nodes, reached.from.steps, reached.to.nodes, reached.to.steps
    );
    let mut document = AnswerDocument::of_section(Section::new("lines", vec![AnswerItem::line(head)]));
    if !reached.entries.is_empty() {
        let entries = reached.entries.iter().map(entry_item).collect();
        document.sections.push(
            Section::new("entries", entries)
                .with_title("the end is reached from these, which nobody calls by name:"),
        );
    }
    document
}

/// Formats `path:line name, used at path:line, path:line`.
fn entry_item(entry: &PathEntry) -> AnswerItem {
    let node = &entry.node;
    let uses: Vec<String> =
        entry.uses.iter().map(|at| format!("{}:{}", one_line(&at.file), at.line)).collect();
    let uses = if uses.is_empty() { String::new() } else { format!(", used at {}", uses.join(", ")) };
    AnswerItem::line(format!("{}:{} {}{uses}", one_line(&node.file), node.line, name_of(&node.id)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fit::{Frame, fit};

    fn text(data: serde_json::Value) -> String {
        let result = serde_json::from_value(data).expect("a result");
        fit(&render_chains(result), &Frame { max_chars: 4_000, ..Frame::default() }).text
    }

    #[test]
    fn a_chain_shows_each_call_once() {
        let node =
            |id: &str, file: &str, line: u32| json!({"id": id, "kind": "method", "file": file, "line": line});
        let edge = |from: &str, to: &str, line: u32, more: &str| json!({"from": from, "to": to, "kind": "calls", "direction": "out", "confidence": more, "line": line, "text": "x.go()"});
        let (a, b, c) = ("py:a.py#S.a", "py:a.py#S.b", "py:c.py#D.c");
        let mut last = edge(b, c, 9, "candidate");
        last["named"] = json!("py:i.py#I.c");
        let data = json!({"found": true, "length": 2, "nodes": [node(a, "a.py", 1), node(b, "a.py", 5), node(c, "c.py", 7)],
            "edges": [edge(a, b, 2, "exact"), last]});
        let expected =
            "a.py\n 2 S.a: x.go()\n ?9 S.b: x.go()\nc.py\n 7 D.c (overrides I.c)\n[? may mean another]";
        assert_eq!(text(data), expected);
    }

    #[test]
    fn a_call_that_is_written_several_times_has_all_its_lines() {
        let data = json!({"found": true, "length": 1, "nodes": [
            {"id": "py:a.py#f", "kind": "function", "file": "a.py", "line": 1}, {"id": "py:a.py#g", "kind": "function", "file": "a.py", "line": 20}],
            "edges": [{"from": "py:a.py#f", "to": "py:a.py#g", "kind": "calls", "direction": "out", "confidence": "exact", "line": 3, "lines": [3, 9], "text": "g()"}]});
        assert_eq!(text(data), "a.py\n 3,9 f: g()\n 20 g");
    }

    #[test]
    fn no_chain_says_how_far_the_search_got() {
        let data = json!({"found": false, "length": 0, "nodes": [], "edges": [],
            "reached": {"from": {"nodes": 12, "steps": 4}, "to": {"nodes": 1, "steps": 1}, "entries": [
                {"node": {"id": "py:v.py#view", "kind": "function", "file": "v.py", "line": 7}, "uses": [{"file": "urls.py", "line": 3}]}]}});
        let expected = "no chain: the start leads to 12 symbols in 4 steps, 1 lead to the end in 1\n\
                        the end is reached from these, which nobody calls by name:\nv.py:7 view, used at urls.py:3";
        assert_eq!(text(data), expected);
    }
}
