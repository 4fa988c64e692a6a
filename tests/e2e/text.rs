//! Tests that `regex_search` finds the lines that ripgrep finds: on Django, on this repository, and on difficult files.

use std::path::Path;

use hob_tests::oracles::{self, Line};
use hob_tests::{Answer, Mcp, World, repository};
use serde_json::json;

use super::django;

/// Patterns of many kinds. If there are few matches, all lines are compared, otherwise the totals and the lines that
/// are shown.
const PATTERNS: &[&str] = &[
    "get_or_create",
    "class QuerySet",
    "def __str__",
    r"def\s+save\b",
    r"(?i)csrf_?token_?missing",
    r"^from django\.urls import reverse$",
    r"import .*\breverse_lazy\b",
    "NotImplementedError",
    r"raise \w+Error\(f",
    r"\bTODO\b|\bFIXME\b",
    "(?i)hack",
    "xyzzy_not_there",
    r"\d{4}-\d{2}-\d{2}T",
    "[éèüößñ]",
    r"\p{Greek}+",
    "日本",
    r"lambda \w+, \w+: ",
    r"self\._\w+_cache\b",
    r"^\s*async def \w+",
    r"@cached_property\s*$",
    r"(select|prefetch)_related\(\s*$",
    r"assertRaisesMessage\(\w+, ",
    r"https?://[a-z]+\.djangoproject\.com/\w",
    "\\t",
    "[[:space:]]+$",
    r"^$",
    r"^.{140,}$",
    "a.c.e.g",
    r"(foo|bar|baz)_(foo|bar|baz)",
    r"x{3,}",
    r"\\u[0-9a-f]{4}",
    "SELECT .* FROM .* WHERE",
    r"(?-u:\xff)",
    r"\bdb\b.*\bdb\b.*\bdb\b",
    r"e(?:r{2}|rr)or_cl[a-z]{3}\b",
    r"[^\x00-\x7f]{5}",
    "%s%s%s",
    r"\[\[|\]\]",
    r"(?x) def \s+ as_ (sql|oracle) \(",
    "ALLOWED_HOSTS",
    r"\AFrom",
    r"\{% *endblock",
];

fn search(mcp: &mut Mcp, pattern: &str) -> Answer {
    let args = json!({"pattern": pattern, "limit": 10_000, "tokenBudget": 10_000, "max_millis": 60_000});
    mcp.call("regex_search", args)
}

fn shown(answer: &Answer) -> Vec<Line> {
    let line = |found: &serde_json::Value| {
        let text = |field: &str| found[field].as_str().unwrap_or_default().to_owned();
        (text("file"), found["line"].as_u64().unwrap_or(0), text("text"))
    };
    answer.list("/matches").iter().map(line).collect()
}

#[track_caller]
fn same_as_ripgrep(mcp: &mut Mcp, root: &Path, pattern: &str) {
    let answer = search(mcp, pattern);
    let expected = oracles::ripgrep(root, pattern, &[]);
    let (ours, data) = (shown(&answer), answer.ok());
    assert_eq!(data["complete"], true, "{pattern}{answer}");
    if answer.envelope["truncated"] == false {
        assert_eq!(ours, expected, "`{pattern}`: ours, then ripgrep's");
    } else {
        // Long lines may be shortened, but places may not differ.
        let place = |line: &Line| (line.0.clone(), line.1);
        let (ours, theirs): (Vec<_>, Vec<_>) =
            (ours.iter().map(place).collect(), expected.iter().map(place).collect());
        assert!(
            theirs.starts_with(&ours),
            "`{pattern}`: what is shown is the beginning of what ripgrep finds{answer}"
        );
    }
    let mut files: Vec<&str> = expected.iter().map(|line| line.0.as_str()).collect();
    files.dedup();
    assert_eq!(data["total_lines"], expected.len(), "`{pattern}`: lines");
    assert_eq!(data["files_matched"], files.len(), "`{pattern}`: files");
}

#[test]
fn django_line_by_line() {
    let world = django::shared();
    let tree = django::tree();
    let mut mcp = world.mcp(&tree);
    PATTERNS.iter().for_each(|pattern| same_as_ripgrep(&mut mcp, tree.root(), pattern));
}

#[test]
fn this_repository_line_by_line() {
    let world = World::new();
    let tree = hob_tests::Tree::existing(repository());
    let mut mcp = world.mcp(&tree);
    for pattern in [
        "fn main",
        r"pub(\(crate\))? fn \w+_of\b",
        "(?i)cookie",
        r"^//! ",
        "sled::",
        r"\bbarrier\b.*\bdeadline\b",
    ] {
        same_as_ripgrep(&mut mcp, tree.root(), pattern);
    }
}

#[test]
fn rules_of_ignoring_are_ripgreps() {
    let world = World::new();
    let tree = world.tree(
        r#"
//- /.gitignore
*.log
/build/
!keep.log
//- /.ignore
secret.txt
//- /a.txt
needle
//- /a.log
needle
//- /keep.log
needle
//- /build/out.txt
needle
//- /src/build/in.txt
needle
//- /secret.txt
needle
//- /.hidden/x.txt
needle
//- /src/.gitignore
generated_*
!*.log
//- /src/generated_1.txt
needle
//- /src/b.log
needle
//- /crlf.txt
a needle
"#,
    );
    tree.write("crlf2.txt", "one needle\r\ntwo\r\n");
    tree.write("binary.bin", b"needle\x00\x01needle\n");
    tree.write("latin1.txt", b"needle \xe9t\xe9\nnothing\n");
    tree.write("utf16.txt", b"\xff\xfen\0e\0e\0d\0l\0e\0\n\0");
    tree.write("bom.txt", b"\xef\xbb\xbfneedle\n");
    tree.write("no_end.txt", "first\nneedle");
    tree.write("empty.txt", "");
    let mut mcp = world.mcp(&tree);
    // ripgrep reports a text that turns out to be binary, with a remark; hob omits it completely.
    let expected: Vec<Line> =
        oracles::ripgrep(tree.root(), "needle", &[]).into_iter().filter(|l| l.0 != "binary.bin").collect();
    let answer = search(&mut mcp, "needle");
    let places = |lines: &[Line]| lines.iter().map(|l| (l.0.clone(), l.1)).collect::<Vec<_>>();
    assert_eq!(places(&shown(&answer)), places(&expected), "{answer}");
    for pattern in ["^needle", "needle$", r"n\w+e\s*$", "^"] {
        let expected =
            oracles::ripgrep(tree.root(), pattern, &[]).into_iter().filter(|l| l.0 != "binary.bin");
        let answer = search(&mut mcp, pattern);
        assert_eq!(places(&shown(&answer)), places(&expected.collect::<Vec<_>>()), "{pattern}{answer}");
    }
}

#[test]
fn a_search_is_narrowed_and_shaped_as_asked() {
    let world = World::new();
    let tree = world.tree(
        r#"
//- /a/one.py
def alpha():
    needle = 1
    return needle

needle = 2
//- /a/two.txt
needle needle
//- /b/three.py
needle
"#,
    );
    let mut mcp = world.mcp(&tree);
    let mut call = |args| mcp.call("regex_search", args);
    let all = call(json!({"pattern": "needle"}));
    let data = all.whole();
    assert_eq!((&data["total_lines"], &data["total_matches"]), (&json!(5), &json!(6)), "{all}");
    assert_eq!(data["files_matched"], 3, "{all}");
    assert_eq!(
        (&all.list("/matches")[0]["line"], &all.list("/matches")[0]["col"]),
        (&json!(2), &json!(5)),
        "{all}"
    );
    let prefix = call(json!({"pattern": "needle", "path_prefix": "a"}));
    assert_eq!(prefix.ok()["total_lines"], 4, "{prefix}");
    let glob = call(json!({"pattern": "needle", "glob": "*.py"}));
    assert_eq!(glob.ok()["total_lines"], 4, "{glob}");
    let files = call(json!({"pattern": "needle", "output": "files"}));
    assert_eq!(files.texts("/matches", "file"), ["a/one.py", "a/two.txt", "b/three.py"], "{files}");
    let count = call(json!({"pattern": "needle", "output": "count"}));
    assert!(count.list("/matches").is_empty() && count.ok()["total_matches"] == 6, "{count}");
    let context = call(json!({"pattern": "return", "context_lines": 1}));
    assert_eq!(context.list("/matches")[0]["before"], json!(["    needle = 1"]), "{context}");
    assert_eq!(context.list("/matches")[0]["after"], json!([""]), "{context}");
    let symbols = call(json!({"pattern": "needle", "kinds": ["Symbol"]}));
    assert!(symbols.texts("/matches", "node_id").contains(&"py:a/one.py#alpha"), "{symbols}");
    assert!(symbols.list("/matches").iter().all(|m| m["file"] != "a/two.txt"), "{symbols}");
    let limited = call(json!({"pattern": "needle", "limit": 2}));
    assert_eq!((limited.list("/matches").len(), &limited.ok()["total_lines"]), (2, &json!(5)), "{limited}");
}

/// Returns the shown matches as `file:line kind`.
fn kinds(answer: &Answer) -> Vec<String> {
    let one = |found: &serde_json::Value| {
        format!(
            "{}:{} {}",
            found["file"].as_str().unwrap_or_default(),
            found["line"],
            found["kind"].as_str().unwrap_or_default()
        )
    };
    answer.list("/matches").iter().map(one).collect()
}

#[test]
fn kinds_keep_the_lines_of_symbols_sections_and_titles() {
    let world = World::new();
    let tree = world.tree(
        r#"
//- /plan.md
---
title: needle in front
---
needle before any heading

# One needle
needle below it

## Setup
needle in setup
# Later
nothing
//- /tool.py
needle = 0


def find():
    return needle
"#,
    );
    let mut mcp = world.mcp(&tree);
    let mut search = |kinds: &[&str], more: serde_json::Value| {
        let mut args = json!({"pattern": "needle", "kinds": kinds});
        more.as_object().into_iter().flatten().for_each(|(name, value)| args[name] = value.clone());
        mcp.call("regex_search", args)
    };
    let sections = ["plan.md:6 Section", "plan.md:7 Section", "plan.md:10 Section"];
    let of_sections = search(&["Section"], json!({}));
    assert_eq!(kinds(&of_sections), sections, "{of_sections}");
    let nodes: Vec<&str> = of_sections.texts("/matches", "node_id");
    assert!(nodes[0] == nodes[1] && nodes[1] != nodes[2], "the innermost section{of_sections}");
    let of_notes = search(&["Note"], json!({}));
    assert_eq!(kinds(&of_notes), ["plan.md:2 Note"], "{of_notes}");
    let of_symbols = search(&["Symbol"], json!({}));
    assert_eq!(kinds(&of_symbols), ["tool.py:1 Symbol", "tool.py:5 Symbol"], "{of_symbols}");
    let of_both = search(&["Note", "Section"], json!({}));
    assert_eq!(kinds(&of_both), [&["plan.md:2 Note"], &sections[..]].concat(), "{of_both}");
    let of_files = search(&["File", "Section"], json!({}));
    assert_eq!(of_files.whole()["total_lines"], 7, "{of_files}");
    assert_eq!(kinds(&of_files)[1..3], ["plan.md:4 File", "plan.md:6 Section"], "{of_files}");
    let limited = search(&["Section", "Symbol"], json!({"limit": 2}));
    assert_eq!(kinds(&limited), sections[..2], "{limited}");
    assert_eq!(
        (&limited.ok()["total_lines"], &limited.ok()["files_matched"]),
        (&json!(5), &json!(2)),
        "{limited}"
    );
    let files = search(&["Section"], json!({"output": "files"}));
    assert_eq!(files.texts("/matches", "file"), ["plan.md"], "{files}");
    assert_eq!(files.list("/matches")[0]["count"], 3, "{files}");
    let counted = mcp.call("count_patterns", json!({"patterns": ["needle", "Setup"], "kinds": ["Section"]}));
    let totals: Vec<_> = counted.list("/patterns").iter().map(|found| &found["total_matches"]).collect();
    assert_eq!(totals, [&json!(3), &json!(1)], "{counted}");
}
