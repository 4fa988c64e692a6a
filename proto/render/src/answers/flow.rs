//! Renders `flow_trace` as an indented list, and `impact` under depths and paths.

use hob_proto::tools::flow::{FlowNode, FlowResult};
use hob_proto::tools::impact::{AffectedNode, ImpactResult};

use super::candidates::candidates_section;
use super::handle::{handle_of, lines_of_uses, name_of};
use crate::document::{AnswerDocument, AnswerItem, Section};
use crate::marks::Mark;
use crate::one_line::one_line;

/// Most lines of uses in a row.
const SITES: usize = 6;

/// Renders the tree of callees, one space deeper for each call.
pub(super) fn render_trace(result: FlowResult) -> AnswerDocument {
    if !result.ambiguous.is_empty() {
        return AnswerDocument::of_section(candidates_section(&result.ambiguous));
    }
    let Some(root) = &result.root else { return AnswerDocument::of_line("nothing") };
    let mut rows = Rows::default();
    rows.add_branch(root, None, 0);
    let mut document = AnswerDocument::of_section(Section::new("calls", rows.items));
    rows.marks.into_iter().for_each(|mark| document.explain_mark(mark));
    if let Some(depth) = result.truncated_at {
        document.notes.push(format!("whole to depth {depth}"));
    }
    document
}

/// The rows of a tree, and their marks.
#[derive(Default)]
struct Rows {
    items: Vec<AnswerItem>,
    marks: Vec<Mark>,
}

impl Rows {
    fn add_branch(&mut self, node: &FlowNode, caller: Option<&str>, level: usize) {
        let mark = match &node.detail {
            Some(detail) => Mark::of_confidence(&detail.confidence),
            None if node.unresolved => Mark::Candidate,
            None => Mark::Sure,
        };
        self.marks.push(mark);
        let row = format!("{}{}{}", " ".repeat(level), mark.sign(), callee_row(node, caller));
        self.items.push(AnswerItem::line(row));
        let file = Some(node.file.as_str()).filter(|file| !file.is_empty()).or(caller);
        // An answer of names alone omits callees that the tree already shows.
        let is_new = |call: &&FlowNode| call.detail.is_some() || !call.seen;
        node.calls.iter().filter(is_new).for_each(|call| self.add_branch(call, file, level + 1));
    }
}

/// Formats `line name`, with the file if it is not the caller's, the lines of the calls, and remarks.
fn callee_row(node: &FlowNode, caller: Option<&str>) -> String {
    let file = Some(node.file.as_str()).filter(|file| !file.is_empty() && Some(*file) != caller);
    let file = file.map(|file| format!("{}:", one_line(file))).unwrap_or_default();
    let line = node.line.map(|line| format!("{line} ")).unwrap_or_default();
    let mut row = format!("{file}{line}{}", one_line(&node.name));
    if let Some(detail) = &node.detail {
        let sites = lines_of_uses(&detail.sites, detail.site_count, SITES);
        row.extend((!sites.is_empty()).then(|| format!(" at {sites}")));
        let others: Vec<String> = detail.candidates.iter().skip(1).map(|id| handle_of(id)).collect();
        row.extend((!others.is_empty()).then(|| format!(" or {}", one_line(&others.join(", ")))));
    }
    if !node.overriding.is_empty() {
        let names: Vec<String> = node.overriding.iter().map(|id| name_of(id)).collect();
        row.push_str(&match node.detail {
            Some(_) => format!(", overridden by {}", names.join(", ")),
            None => format!(", {} overriding", names.len()),
        });
    }
    if node.detail.is_some() && !node.leaves.is_empty() {
        row.push_str(&format!("; also {}", one_line(&node.leaves.join(", "))));
    }
    let more = (node.more > 0).then(|| format!("{} more", node.more));
    let told = [node.cycle.then_some("cycle"), node.seen.then_some("above"), more.as_deref()];
    let told: Vec<&str> = told.into_iter().flatten().collect();
    row.extend((!told.is_empty()).then(|| format!(" ({})", told.join(", "))));
    row
}

/// Renders an impact: the affected nodes, nearest first, grouped by file; then those that may be affected.
pub(super) fn render_impact(result: ImpactResult) -> AnswerDocument {
    if !result.ambiguous.is_empty() {
        return AnswerDocument::of_section(candidates_section(&result.ambiguous));
    }
    let counts = &result.counts;
    if counts.affected + counts.possible == 0 {
        return AnswerDocument::of_line("nothing is known to depend on it");
    }
    let head = format!(
        "{} affected in {} files, {} of them tests; {} more may be",
        counts.affected, counts.files, counts.tests, counts.possible
    );
    let affected = result.affected.iter().map(affected_item).collect();
    let mut document = AnswerDocument::of_section(Section::new_paged("affected", affected).with_title(head));
    let possible: Vec<AnswerItem> = result
        .possible
        .iter()
        .map(|hit| AnswerItem::below_header(one_line(&hit.file), row_of(hit)))
        .collect();
    if !possible.is_empty() {
        document.sections.push(Section::new("possible", possible).with_title("may be:"));
    }
    for hit in result.affected.iter().chain(&result.possible) {
        document.explain_mark(Mark::of_confidence(&hit.confidence));
    }
    document
}

/// Makes an item of a row below its depth and its path.
fn affected_item(hit: &AffectedNode) -> AnswerItem {
    let steps = if hit.depth == 1 { "directly:".to_owned() } else { format!("in {} steps:", hit.depth) };
    AnswerItem {
        group: vec![steps, one_line(&hit.file).into_owned()],
        lines: vec![row_of(hit)],
        source: None,
    }
}

/// Formats `lines name -> the node that it depends on`, with the cause if it is no call, and a remark on
/// tests.
fn row_of(hit: &AffectedNode) -> String {
    let sign = Mark::of_confidence(&hit.confidence).sign();
    let sites = lines_of_uses(&hit.sites, hit.site_count, SITES);
    let lines = if sites.is_empty() { hit.line.to_string() } else { sites };
    let via = hit.via.as_deref().map(|via| format!(" -> {}", name_of(via))).unwrap_or_default();
    let cause = (hit.cause != "calls").then_some(hit.cause.as_str());
    let told: Vec<&str> = cause.into_iter().chain(hit.test.then_some("test")).collect();
    let told = if told.is_empty() { String::new() } else { format!(" ({})", told.join(", ")) };
    format!("{sign}{lines} {}{via}{told}", one_line(&hit.name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fit::{Frame, fit};

    fn rendered_text(document: &AnswerDocument) -> String {
        fit(document, &Frame { max_chars: 4_000, ..Frame::default() }).text
    }

    #[test]
    fn a_trace_is_indented_and_says_a_file_where_it_changes() {
        let step = |name: &str, file: &str, line: u32, calls: serde_json::Value| {
            json!({"name": name, "file": file, "line": line, "uid": format!("py:{file}#{name}"), "kind": "function", "depth": 1,
                "confidence": "name", "sites": [3], "calls": calls})
        };
        let mut base = step("Base.run", "b.py", 2, json!([step("work", "b.py", 9, json!([]))]));
        base["overriding"] = json!(["py:b.py#One.run"]);
        let mut root = step("main", "a.py", 1, json!([base]));
        root["leaves"] = json!(["os", "Cart"]);
        root["confidence"] = json!("exact");
        root["sites"] = json!([]);
        let result =
            serde_json::from_value(json!({"root": root, "cycles": [], "truncated_at": 3})).expect("a result");
        let expected = "a.py:1 main; also os, Cart\n ~b.py:2 Base.run at 3, overridden by One.run\n  ~9 work at 3\n\
                        [~ by its name, which no other definition has]\n[whole to depth 3]";
        assert_eq!(rendered_text(&render_trace(result)), expected);
        let concise = json!({"root": {"name": "main", "file": "a.py", "line": 1, "leaves": ["os"], "calls": [
            {"name": "f", "line": 4}, {"name": "g", "line": 6, "seen": true}]}, "cycles": []});
        let result = serde_json::from_value(concise).expect("a result");
        assert_eq!(rendered_text(&render_trace(result)), "a.py:1 main\n 4 f");
    }

    #[test]
    fn an_impact_stands_under_depths_and_files() {
        let hit = |name: &str, depth: u32, more: serde_json::Value| {
            let mut hit = json!({"uid": format!("py:a.py#{name}"), "name": name, "kind": "function", "file": "a.py", "line": 5,
                "depth": depth, "cause": "calls", "confidence": "exact", "score": 0.0});
            more.as_object().expect("fields").iter().for_each(|(field, value)| hit[field] = value.clone());
            hit
        };
        let result = serde_json::from_value(json!({
            "affected": [hit("f", 1, json!({"sites": [6, 7]})), hit("S.run", 1, json!({"cause": "overrides"})),
                hit("test_f", 2, json!({"test": true, "via": "py:a.py#f", "sites": [9]}))],
            "tests": [], "files": [], "possible": [hit("g", 1, json!({"confidence": "candidate"}))],
            "counts": {"affected": 3, "tests": 1, "files": 1, "possible": 1, "by_cause": {}, "by_depth": [2, 1]},
        }));
        let expected = "3 affected in 1 files, 1 of them tests; 1 more may be\ndirectly:\n a.py\n  6,7 f\n  5 S.run (overrides)\n\
                        in 2 steps:\n a.py\n  9 test_f -> f (test)\nmay be:\na.py\n ?5 g\n[? may mean another]";
        assert_eq!(rendered_text(&render_impact(result.expect("a result"))), expected);
    }
}
