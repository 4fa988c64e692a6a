//! Tests notes: headings as sections, wikilinks and links as edges, in a vault and together with code.

use hob_tests::{Answer, Mcp, Tree, World};
use serde_json::{Value, json};

const VAULT: &str = r##"
//- /Index.md
---
title: Start here
---
See [[Alpha]], [[alpha#Setup|the setup]] and [[Gone]].

## Plans
![[beta]] and [the code](src/tool.py), [elsewhere](https://example.org/x.md).
//- /notes/Alpha.md
# Alpha

First things first. Then others.

## Setup

`[[beta]]` is no link, [[beta#Usage]] is.

### Setup
Deeper.

## Setup
Again.

```md
## Not a heading
[[Index]]
```
//- /notes/beta.md
Beta
====

## Usage
Back [home](../Index.md#plans), to [nothing](../lost.md), to [a lost heading](Alpha.md#lost).
//- /archive/Twin.md
# Old twin
//- /notes/Twin.md
# New twin
//- /pairs.md
[[Twin]] and [[archive/twin]]
//- /src/tool.py
def Setup():
    return 1
"##;

/// Returns the neighbours as `direction edge id confidence`, with candidates in brackets, sorted.
#[track_caller]
fn neighbours(mcp: &mut Mcp, id: &str) -> Vec<String> {
    let answer = mcp.call("map_neighbors", json!({"nodeId": id, "maxNodes": 200, "tokenBudget": 10_000}));
    let mut all: Vec<String> = answer
        .list("/neighbors")
        .iter()
        .filter(|found| found["edge"] != "contains")
        .map(|found| {
            let text = |name: &str| found[name].as_str().unwrap_or_default().to_owned();
            let candidates = found["candidates"].as_array().cloned().unwrap_or_default();
            let candidates: Vec<&str> = candidates.iter().filter_map(Value::as_str).collect();
            let sure = if found["resolved"] == true { text("confidence") } else { format!("{candidates:?}") };
            format!("{} {} {} {sure}", text("direction"), text("edge"), text("id"))
        })
        .collect();
    all.sort();
    all
}

#[track_caller]
fn search(mcp: &mut Mcp, query: &str, kind: &str) -> Vec<String> {
    let answer = mcp.call("map_search", json!({"query": query, "kind": kind}));
    let text = |found: &Value| {
        format!("{} {}", found["kind"].as_str().unwrap_or(""), found["id"].as_str().unwrap_or(""))
    };
    answer.list("/results").iter().map(text).collect()
}

#[test]
fn links_lead_both_ways() {
    let world = World::new();
    let tree = world.tree(VAULT);
    let mut mcp = world.mcp(&tree);
    assert_eq!(
        neighbours(&mut mcp, "md:Index.md"),
        [
            "out references md:ext:Gone []",
            "out references md:notes/Alpha.md name",
            r#"out references md:notes/Alpha.md#Alpha/Setup ["md:notes/Alpha.md#Alpha/Setup", "md:notes/Alpha.md#Alpha/Setup/Setup", "md:notes/Alpha.md#Alpha/Setup~2"]"#,
        ],
        "a broken link is shown, and of three headings of one name none is chosen"
    );
    assert_eq!(
        neighbours(&mut mcp, "md:Index.md#Plans"),
        [
            "in references md:notes/beta.md#Beta/Usage import",
            "out references md:notes/beta.md name",
            "out references py:src/tool.py import",
        ]
    );
    assert_eq!(neighbours(&mut mcp, "py:src/tool.py"), ["in references md:Index.md#Plans import"]);
    assert_eq!(
        neighbours(&mut mcp, "md:notes/beta.md#Beta/Usage"),
        [
            "in references md:notes/Alpha.md#Alpha/Setup name",
            "out references md:Index.md#Plans import",
            "out references md:ext:lost.md []",
            r#"out references md:notes/Alpha.md ["md:notes/Alpha.md"]"#,
        ]
    );
    assert_eq!(
        neighbours(&mut mcp, "md:ext:Gone"),
        ["in references md:Index.md []"],
        "who links to what is not there"
    );
}

#[test]
fn names_that_several_notes_have_are_candidates_unless_a_folder_tells() {
    let world = World::new();
    let tree = world.tree(VAULT);
    let mut mcp = world.mcp(&tree);
    let found = neighbours(&mut mcp, "md:pairs.md");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.contains(&"out references md:archive/Twin.md import".to_owned()), "{found:?}");
    assert!(
        found.iter().any(|line| line.contains(r#"["md:archive/Twin.md", "md:notes/Twin.md"]"#)
            || line.contains(r#"["md:notes/Twin.md", "md:archive/Twin.md"]"#)),
        "{found:?}"
    );
    assert_eq!(neighbours(&mut mcp, "md:notes/Twin.md").len(), 1, "the other one hears of it too");
}

#[test]
fn sections_are_found_and_read_and_code_goes_first() {
    let world = World::new();
    let tree = world.tree(VAULT);
    let mut mcp = world.mcp(&tree);
    let found = search(&mut mcp, "Setup", "any");
    assert_eq!(found[0], "function py:src/tool.py#Setup");
    assert!(found.contains(&"section md:notes/Alpha.md#Alpha/Setup".to_owned()), "{found:?}");
    assert!(found.contains(&"section md:notes/Alpha.md#Alpha/Setup~2".to_owned()), "{found:?}");
    assert!(found.contains(&"section md:notes/Alpha.md#Alpha/Setup/Setup".to_owned()), "{found:?}");
    assert_eq!(search(&mut mcp, "Setup", "function"), ["function py:src/tool.py#Setup"]);
    assert_eq!(search(&mut mcp, "start here", "any"), ["note md:Index.md#Start here"]);
    assert!(search(&mut mcp, "Not a heading", "any").is_empty());

    let read =
        mcp.call("read_symbols", json!({"targets": ["md:notes/Alpha.md#Alpha/Setup/Setup", "Beta/Usage"]}));
    let symbols = read.list("/symbols");
    assert_eq!(symbols[0]["source"], "### Setup\nDeeper.\n");
    assert_eq!((&symbols[0]["start_line"], &symbols[1]["start_line"]), (&json!(9), &json!(4)));
    let languages = mcp.call("map_overview", json!({})).ok()["languages"].to_string();
    assert!(languages.contains("Markdown"), "{languages}");
}

#[test]
fn an_edit_a_new_heading_and_a_new_name_are_known_at_once() {
    let world = World::new();
    let tree = world.tree(VAULT);
    let mut mcp = world.mcp(&tree);
    let usage = "in references md:notes/Alpha.md#Alpha/Setup name".to_owned();
    assert!(neighbours(&mut mcp, "md:notes/beta.md#Beta/Usage").contains(&usage));

    tree.write("notes/beta.md", tree.read("notes/beta.md").replace("## Usage", "## Use"));
    let broken = neighbours(&mut mcp, "md:notes/Alpha.md#Alpha/Setup");
    assert!(
        broken.contains(&r#"out references md:notes/beta.md ["md:notes/beta.md"]"#.to_owned()),
        "the heading is gone, the note is what is left: {broken:?}"
    );

    tree.rename("notes/beta.md", "notes/gamma.md");
    let broken = neighbours(&mut mcp, "md:Index.md#Plans");
    assert!(broken.contains(&"out references md:ext:beta []".to_owned()), "{broken:?}");
    tree.write(
        "Index.md",
        tree.read("Index.md").replace("![[beta]]", "![[Gamma]]").replace("[[Gone]]", "[[gamma#use]]"),
    );
    let mended = neighbours(&mut mcp, "md:notes/gamma.md");
    assert!(mended.contains(&"in references md:Index.md#Plans name".to_owned()), "{mended:?}");
    let mended = neighbours(&mut mcp, "md:notes/gamma.md#Beta/Use");
    assert!(mended.contains(&"in references md:Index.md name".to_owned()), "{mended:?}");
    assert!(neighbours(&mut mcp, "md:ext:Gone").is_empty());
    tree.write("new/Gone.md", "# Found\n[[Start here]]\n");
    let found = neighbours(&mut mcp, "md:new/Gone.md");
    assert!(found.is_empty(), "nothing links to it any more: {found:?}");
    let found = neighbours(&mut mcp, "md:new/Gone.md#Found");
    assert_eq!(found, ["out references md:Index.md name"], "a note can be named by its title");
}

#[test]
fn documents_change_nothing_about_the_standing_of_code() {
    let code = "//- /lib/core.py\ndef hub(): ...\ndef leaf(): hub()\n//- /lib/use.py\nfrom lib.core import hub\ndef a(): hub()\ndef b(): hub()\n";
    let hubs = |answer: &Answer| {
        let clusters = answer.list("/clusters").to_vec();
        let hubs =
            clusters.iter().flat_map(|cluster| cluster["hubs"].as_array().cloned().unwrap_or_default());
        let code = hubs.filter(|hub| hub["id"].as_str().is_some_and(|id| id.starts_with("py:")));
        let mut code: Vec<(String, String)> = code
            .map(|hub| {
                (
                    hub["id"].as_str().unwrap_or("").to_owned(),
                    format!("{:.2}", hub["score"].as_f64().unwrap_or(-1.0)),
                )
            })
            .collect();
        code.sort();
        code
    };
    let world = World::new();
    let alone = world.tree(code);
    let before = hubs(&world.call(&alone, "map_overview", &json!({"hubsPerCluster": 20})));
    let with_docs = Tree::new(&world.path("with-docs"), code);
    for page in 0..40 {
        let text =
            format!("# Page {page}\n[core](../lib/core.py) [[page {}]] [[page 0]]\n## hub\n", page + 1);
        with_docs.write(&format!("docs/page {page}.md"), text);
    }
    let after = hubs(&world.call(&with_docs, "map_overview", &json!({"hubsPerCluster": 20})));
    assert!(!before.is_empty());
    assert_eq!(before, after);
}
