//! Renders definitions and files by name.

use hob_proto::tools::map::{SearchHit, SearchResult};

use super::handle::qualified_name;
use crate::document::{AnswerDocument, AnswerItem, Section};
use crate::one_line::{one_line, shorten_to};

/// Length of the longest part of a signature behind the name, in characters.
const SIGNATURE: usize = 100;

/// Renders hits, best first, under their paths, and under the searched name if there were several.
pub(super) fn render_hits(result: SearchResult) -> AnswerDocument {
    let mut items: Vec<AnswerItem> = result.results.iter().map(hit_item).collect();
    if items.is_empty() && result.none.is_empty() {
        return AnswerDocument::of_line("none");
    }
    if !result.none.is_empty() {
        let names: Vec<_> = result.none.iter().map(|name| one_line(name)).collect();
        items.push(AnswerItem::line(format!("none: {}", names.join(", "))));
    }
    let mut document = AnswerDocument::of_section(Section::new_paged("results", items));
    if result.results.iter().any(|hit| hit.maybe.is_some()) {
        document.notes.push("?N: so many uses may be of it or of another".to_owned());
    }
    document
}

fn hit_item(hit: &SearchHit) -> AnswerItem {
    let mut group: Vec<String> = hit.query.iter().map(|query| format!("{}:", one_line(query))).collect();
    let stale = if hit.stale { " (changed since)" } else { "" };
    let maybe = hit.maybe.map(|count| format!(" ?{count}")).unwrap_or_default();
    if hit.kind == "file" {
        return AnswerItem { group, lines: vec![format!("{}{stale}", one_line(&hit.file))], source: None };
    }
    group.push(one_line(&hit.file).into_owned());
    let name = qualified_name(&hit.id).unwrap_or(&hit.name).replace("%23", "#");
    let signature = signature_parameters(&hit.signature, &hit.name);
    let uses = few_uses(hit);
    let row =
        format!("{} {} {}{}{maybe}{uses}{stale}", hit.line, hit.kind, one_line(&name), one_line(&signature));
    AnswerItem { group, lines: vec![row], source: None }
}

/// Formats ` (own file 3, tests 1)`: the uses of a definition that no other code uses; empty if there are
/// none.
fn few_uses(hit: &SearchHit) -> String {
    let count = |word: &str, count: Option<usize>| count.filter(|n| *n > 0).map(|n| format!("{word} {n}"));
    let counts: Vec<String> =
        [count("own file", hit.own_file), count("tests", hit.tests)].into_iter().flatten().collect();
    if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) }
}

/// Returns the part of a signature behind the name: `(self, key: str) -> Session`.
pub(super) fn signature_parameters(signature: &str, name: &str) -> String {
    // A short name may also occur within another word: `f` in `function f()`.
    let behind = signature.match_indices(name).map(|(at, _)| signature[at + name.len()..].trim_end());
    let mut calls = behind.filter(|rest| rest.starts_with(['(', '<', '[']));
    calls.next().map(|rest| shorten_to(rest, SIGNATURE).into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::document;
    use crate::fit::{Frame, fit};

    #[test]
    fn hits_stand_under_their_paths_with_what_they_take() {
        let hit = |kind: &str, id: &str, name: &str, line: u32, signature: &str| json!({"id": id, "kind": kind, "name": name, "file": "a.py", "line": line, "col": 1, "signature": signature, "score": 0.1});
        let data = json!({"results": [hit("class", "py:a.py#Store", "Store", 3, "class Store(Base)"),
            hit("method", "py:a.py#Store.get", "get", 5, "def get(self, key: str) -> Item"),
            hit("constant", "py:a.py#LIMIT", "LIMIT", 9, "LIMIT = 3"), hit("file", "py:a.py", "a.py", 1, "")],
            "total": 4});
        let text = fit(&document("map_search", &data), &Frame { max_chars: 4_000, ..Frame::default() }).text;
        assert_eq!(
            text,
            "a.py\n 3 class Store(Base)\n 5 method Store.get(self, key: str) -> Item\n 9 constant LIMIT\na.py"
        );
        let mut one = hit("function", "ts:a.ts#f", "f", 2, "function f()");
        (one["query"], one["maybe"]) = (json!("f"), json!(3));
        let data = json!({"results": [one], "total": 1, "none": ["g"]});
        let text = fit(&document("map_search", &data), &Frame { max_chars: 4_000, ..Frame::default() }).text;
        assert_eq!(
            text,
            "f:\n a.py\n  2 function f() ?3\nnone: g\n[?N: so many uses may be of it or of another]"
        );
    }
}
