//! Renders `tests_for` as rows below their files, nearest first, behind the command lines that run them.

use hob_proto::tools::tests_for::{ReachedNode, TestsResult};

use super::handle::{count, handle_of, name_of};
use crate::document::{AnswerDocument, AnswerItem, Section};
use crate::marks::Mark;
use crate::one_line::one_line;

/// Renders tests with their command lines, or what a test covers.
pub(super) fn render_tests(result: TestsResult) -> AnswerDocument {
    let of = one_line(&handle_of(&result.of)).into_owned();
    let is_in = result.direction != "out";
    if result.counts.found == 0 {
        let nothing = if is_in { "no test is known to reach it" } else { "it reaches nothing that is known" };
        let possible = match result.counts.possible {
            0 => String::new(),
            possible if is_in => format!("; {possible} may, by calls that are not resolved"),
            possible => format!("; {} not resolved", count(possible as u64, "call")),
        };
        return AnswerDocument::of_line(format!("{nothing}{possible} ({of})"));
    }
    let thing = if is_in { "test" } else { "definition" };
    let verb = match (is_in, result.counts.found) {
        (true, 1) => "reaches",
        (true, _) => "reach",
        (false, 1) => "is reached from",
        (false, _) => "are reached from",
    };
    let files = count(result.counts.files as u64, "file");
    let head = format!("{} in {files} {verb} {of}", count(result.counts.found as u64, thing));
    let commands =
        result.commands.iter().map(|command| AnswerItem::line(format!("$ {}", one_line(&command.command))));
    let mut document = AnswerDocument::default();
    document.sections.push(Section::new("commands", commands.collect()).with_title(head));
    let rows = result.found.iter().map(found_item).collect();
    document.sections.push(Section::new_paged("found", rows));
    for node in &result.found {
        document.explain_mark(Mark::of_confidence(&node.confidence));
    }
    document
}

fn found_item(node: &ReachedNode) -> AnswerItem {
    let steps = match node.depth {
        0 => "itself:".to_owned(),
        1 => "directly:".to_owned(),
        depth => format!("in {depth} steps:"),
    };
    let sign = Mark::of_confidence(&node.confidence).sign();
    let via = node.via.as_deref().map(|via| format!(" -> {}", name_of(via))).unwrap_or_default();
    AnswerItem {
        group: vec![steps, one_line(&node.file).into_owned()],
        lines: vec![format!("{sign}{} {}{via}", node.line, one_line(&node.name))],
        source: None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fit::{Frame, fit};

    fn rendered_text(result: serde_json::Value) -> String {
        let document = render_tests(serde_json::from_value(result).expect("a result"));
        fit(&document, &Frame { max_chars: 4_000, ..Frame::default() }).text
    }

    #[test]
    fn tests_stand_below_the_command_that_runs_them() {
        let test = |name: &str, depth: u32| {
            json!({"uid": format!("py:t.py#{name}"), "name": name, "file": "t.py", "line": 4, "depth": depth, "confidence": "import",
                "via": "py:a.py#g"})
        };
        let result = json!({"of": "py:a.py#f", "direction": "in", "found": [test("test_f", 1), test("test_g", 2)],
            "commands": [{"runner": "pytest", "command": "pytest t.py::test_f t.py::test_g", "tests": 2}],
            "counts": {"found": 2, "files": 1, "possible": 0}});
        let expected = "2 tests in 1 file reach a.py#f\n$ pytest t.py::test_f t.py::test_g\ndirectly:\n t.py\n  4 test_f -> g\nin 2 steps:\n \
                        t.py\n  4 test_g -> g";
        assert_eq!(rendered_text(result), expected);
        let none = json!({"of": "py:a.py#f", "direction": "in", "found": [], "commands": [], "counts": {"found": 0, "files": 0, "possible": 2}});
        assert_eq!(
            rendered_text(none),
            "no test is known to reach it; 2 may, by calls that are not resolved (a.py#f)"
        );
    }
}
