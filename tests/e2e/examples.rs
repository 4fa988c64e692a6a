//! `docs/answers.md`: both forms of answers, from real calls on a small project. The page is made here and held to what the
//! programs say; `HOB_WRITE_EXAMPLES=1` writes it anew.

use std::fmt::Write as _;

use hob_tests::{World, repository};
use serde_json::{Value, json};

const PROJECT: &str = "\
//- /shop/store.py
class Store:
    \"\"\"Keeps what a shop sells.\"\"\"

    def open(self, path):
        self.path = path
        return self.load(path)

    def load(self, path):
        return path.strip()


class Cached(Store):
    def load(self, path):
        return super().load(path) or None
//- /shop/app.py
from shop.store import Cached


def main():
    store = Cached()
    store.open('a')
    return store.load('b')
";

const PREAMBLE: &str = "# What answers look like

Agents and people read the text form; programs ask for JSON (`hob-mcp --format json`, `hob --json`, `format: \"json\"` in a call). Both are the same
answer, and a budget counts the form that is sent.

- A path stands once above its rows, and so does the definition that rows stand in. A row begins with its line.
- What a row shows can be passed back: `path:line`, a qualified name, `path#name`.
- `?` marks what may mean another definition, `~` what is known by a name that only one definition has, `+` what the map knows and a language server did not list; a
  line at the end says so where one occurs.
- Lines in brackets come last and say what the answer lacks, why, and how to get it: `offset` brings the next page of the same answer.
- Source that a client was sent in the last ten minutes, at most 40,000 characters ago, and that is unchanged is named in a line. A client forgets
  what it compacts, which hob cannot see; the window is short so that compaction seldom reaches into it, and `repeat: true` sends everything.
  Agents that share one connection share what was sent: one that is named a source which only another has read asks with `repeat: true`.

The examples are real answers about a project of two files.
";

/// What is asked, in the order of the page.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("map_overview", json!({})),
        ("map_search", json!({"query": "load"})),
        ("map_neighbors", json!({"nodeId": "Store.load", "direction": "in", "edgeKinds": ["calls"]})),
        ("map_path", json!({"from": "main", "to": "Store.load"})),
        ("read_symbols", json!({"targets": ["Store.open", "main"]})),
        ("read_symbols", json!({"targets": ["shop"], "outline": true})),
        ("regex_search", json!({"pattern": "path\\b", "paths": ["shop/store.py"]})),
        ("count_patterns", json!({"patterns": ["load", "open"]})),
        ("flow_trace", json!({"symbol": "main"})),
        ("impact", json!({"symbol": "Store.load"})),
        ("map_neighbors", json!({"nodeId": "Stor.load"})),
    ]
}

#[test]
fn the_page_of_answers_shows_what_the_programs_say() {
    let world = World::new().env("PATH", "/usr/bin:/bin");
    let tree = world.tree(PROJECT);
    let mut mcp = world.mcp(&tree);
    // Scores are there once everything was derived.
    let _ = mcp.call("map_overview", json!({}));
    let mut page = String::from(PREAMBLE);
    for (tool, args) in calls() {
        let text = mcp.read(tool, args.clone());
        let envelope = without_times(mcp.call(tool, args.clone()).envelope);
        let json = serde_json::to_string(&envelope).expect("plain data");
        let _ = write!(
            page,
            "\n## `{tool}` `{args}`\n\n```text\n{text}\n```\n\n<details><summary>as JSON</summary>\n\n```json\n{json}\n```\n\n</details>\n"
        );
    }
    let file = repository().join("docs/answers.md");
    if std::env::var_os("HOB_WRITE_EXAMPLES").is_some() {
        std::fs::write(&file, &page).expect("the page can be written");
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    let differs = page.lines().zip(kept.lines()).find(|(now, then)| now != then);
    assert!(page == kept, "docs/answers.md is out of date (HOB_WRITE_EXAMPLES=1 writes it): {differs:?}");
}

/// What differs from run to run is left out, and what the answer costs with it.
fn without_times(mut value: Value) -> Value {
    if let Some(fields) = value.as_object_mut() {
        fields.remove("tokenBudget");
        for name in ["elapsed_ms", "mapBuiltAt", "builtAt", "score"] {
            fields.remove(name);
        }
        fields.values_mut().for_each(|field| *field = without_times(field.take()));
    } else if let Some(items) = value.as_array_mut() {
        items.iter_mut().for_each(|item| *item = without_times(item.take()));
    }
    value
}
