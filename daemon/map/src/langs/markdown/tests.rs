//! Tests the facts that hob reads from notes, and the edges that links between them give.

use super::super::support::render::{check, facts_of, torture};
use crate::fixture::{check_edges, lookup_node, map};
use crate::graph::{KindFilter, MatchClass, SearchQuery};
use crate::langs::lang::Lang;

#[track_caller]
fn check_facts(source: &str, expected: &str) {
    check(Lang::Markdown, source, expected);
}

#[test]
fn headings_are_sections_that_end_where_the_next_begins() {
    check_facts(
        "# Hob\n\nA daemon. It runs.\n\n## Install\n\n### From source\nBuild it, e.g. here.\n\n## Install\nAgain.\n\n# Other\n",
        "
        note Hob 1-12@1:1 E | # Hob | A daemon.
        section Hob/Install 5-9@5:1 | ## Install
        section Hob/Install/From source 7-9@7:1 | ### From source | Build it, e.g. here.
        section Hob/Install~2 10-12@10:1 | ## Install | Again.
        section Other 13-13@13:1 | # Other
        ",
    );
}

#[test]
fn underlined_and_marked_up_headings_have_plain_names() {
    check_facts(
        "Title\n=====\n\nThe *rest*\nof `it`\n----\n\n## [Link](a.md) and `code` ##\n\n##\n\n## Named {#own-id}\n",
        "
        note Title 1-12@1:1 E | Title
        section Title/The rest of it 4-7@4:1 | The *rest*
        section Title/Link and code 8-11@8:1 | ## [Link](a.md) and `code` ##
        section Title/Named 12-12@12:1 | ## Named {#own-id}
        export Named as own-id
        8:4 use ](a.md#/[[a in Title/Link and code
        ",
    );
}

#[test]
fn code_quotes_and_lists_hold_no_headings_and_code_no_links() {
    check_facts(
        "# T\n```md\n# no\n[[no]]\n```\n    # no [[no]]\n\n> # quoted [[yes]]\n\n- # item\n\n`[[no]]` <!-- [[no]] -->\n~~~\n[x](no.md)\n~~~\n",
        "
        note T 1-15@1:1 E | # T | [[no]]
        8:12 use [[yes#/[[yes in T
        ",
    );
}

#[test]
fn the_front_matter_has_the_title_and_may_have_links() {
    check_facts(
        "---\ntitle: 'My note'\nup: \"[[Index|home]]\"\n---\nWords here.\n# First\n",
        "
        note My note 1-6@2:9 E | My note | Words here.
        section First 6-6@6:1 | # First
        3:6 use [[Index#/[[index
        ",
    );
    check_facts("---\nno: end\n\n# T\n", "note T 4-4@4:1 E | # T");
}

#[test]
fn line_ends_marks_and_foreign_bytes_do_not_move_places() {
    check_facts(
        "\u{feff}# Über\r\n\r\ntext [[a]]\r\n\r\n## Zwei\r\n😀 [[b]]\r\n",
        "
        note Über 1-6@1:1 E | # Über | text a
        section Über/Zwei 5-6@5:1 | ## Zwei | 😀 b
        3:6 use [[a#/[[a in Über
        6:4 use [[b#/[[b in Über/Zwei
        ",
    );
    let bytes = b"# A\xff\xfe\n\n[[x]]\n## B\n";
    let facts = crate::extract(Lang::Markdown, "", bytes);
    assert_eq!(facts.defs[0].bytes, (0, bytes.len() as u32));
    assert_eq!(facts.defs[1].lines, (4, 4));
}

#[test]
fn every_form_of_link_is_one() {
    check_facts(
        "[[N]] [[N|x]] [[N#H]] [[d/N#A#B]] ![[N]] [[#own]]\n[t](../a%20b.md#s-s) [r] [r][] [t][r] ![i](i.png)\n<b.md> [w](<c d.md> \"t\") [e](https://x.y) <x@y.z>\n\n[r]: src/main.rs#L10 'title'\n",
        "
        1:1 use [[N#/[[n
        1:7 use [[N#/[[n
        1:15 use [[N#H/[[n
        1:23 use [[d/N#A#B/[[n
        1:35 use [[N#/[[n
        1:42 use [[#own/[[#
        2:1 use ](../a b.md#s-s/[[a b
        2:22 use ](src/main.rs#L10/[[main.rs
        2:26 use ](src/main.rs#L10/[[main.rs
        2:32 use ](src/main.rs#L10/[[main.rs
        2:39 use ](i.png#/[[i.png
        3:8 use ](c d.md#/[[c d
        ",
    );
}

#[test]
fn anchors_in_html_are_names_of_their_section() {
    check_facts(
        "# T\n<a name=\"old\"></a>\n\ntext <span id=\"x\">y</span>\n",
        "
        note T 1-4@1:1 E | # T | text y
        export T as old
        export T as x
        ",
    );
}

#[test]
fn broken_text_gives_facts() {
    torture(
        Lang::Markdown,
        "---\ntitle: x\n---\n# A [[b|c]]\n\n> q\n\n- [l](m.md)\n\nB\n==\n```\nx\n```\n<a id=\"q\">\n\n[r]: s\n",
    );
    let long = "x".repeat(100_000);
    let sections: String = (0..2000).map(|i| format!("## {i}\n")).collect();
    let facts = crate::extract(Lang::Markdown, "", format!("# {long}\n{sections}").as_bytes());
    assert!(facts.names.heap_bytes() < 2_000_000, "a long heading is not repeated in every name below it");
    for hard in ["[[", "[a](", "![", "[", "](", "`", "*_", "> ", "- ", "<a ", "[x]: ", "\\[", "&", "|"] {
        facts_of(Lang::Markdown, &hard.repeat(200_000 / hard.len()));
    }
}

#[test]
fn links_by_name_find_the_note_wherever_it_lies() {
    check_edges(
        "
//- /a.md
[[DAY]] [[sub/Day]] [[Two words]] [[Gone]] [[plan.pdf]] [[main.rs]]
//- /sub/day.md
# Monday
[[a]] [[Monday]] [[#monday]]
//- /x/Two words.markdown
[[My title]]
//- /y/other.md
---
title: My title
---
//- /src/main.rs
fn main() {}
",
        "
        a.md references sub/day.md import
        a.md references x/Two words.markdown name
        a.md references [] candidate
        a.md references src/main.rs name
        sub/day.md#Monday references a.md name
        x/Two words.markdown references y/other.md name
        ",
    );
}

#[test]
fn several_notes_of_a_name_are_candidates_unless_a_folder_or_heading_tells() {
    check_edges(
        "
//- /a/n.md
# One
//- /b/n.md
# Two
## Same
## Same
//- /b/from.md
# F
[[n]]
## G
[[a/n]]
## H
[[n#Two]]
## I
[[b/n#same]] [x](n.md#same-1)
",
        "
        b/from.md#F references [b/n.md a/n.md] candidate
        b/from.md#F/G references a/n.md import
        b/from.md#F/H references b/n.md#Two name
        b/from.md#F/I references [b/n.md#Two/Same b/n.md#Two/Same~2] candidate
        b/from.md#F/I references b/n.md#Two/Same~2 import
        ",
    );
}

#[test]
fn links_by_path_follow_folders_endings_and_anchors() {
    check_edges(
        "
//- /README.md
[g](docs/) [h](docs/guide#set-up) [i](/docs/guide.md#nope) [j](docs/gone.md) [k](LICENSE) [l](pic.png) [m](src/lib.py#L3)
//- /docs/README.md
[up](../) [x](../../outside.md)
//- /docs/guide.md
# Guide
## Set up
[own](#guide)
//- /src/lib.py
def f(): ...
",
        "
        README.md references docs/README.md import
        README.md references docs/guide.md#Guide/Set up import
        README.md references [docs/guide.md] candidate
        README.md references [] candidate
        README.md references src/lib.py import
        docs/README.md references README.md import
        docs/guide.md#Guide/Set up references docs/guide.md#Guide exact
        ",
    );
}

#[test]
fn headings_are_found_after_code_and_never_as_code() {
    let map = map("
//- /a.md
# Parser
## parse
//- /b.py
def parse(): ...
");
    let search = |text, kinds| {
        let query = SearchQuery { text, kinds, path_prefix: "", limit: 10 };
        map.search(&query).hits.iter().map(|hit| (hit.info.id.to_string(), hit.class)).collect::<Vec<_>>()
    };
    let found = search("parse", KindFilter::Any);
    assert_eq!(found[0], ("py:b.py#parse".to_owned(), MatchClass::Exact));
    assert_eq!(found[1], ("md:a.md#Parser/parse".to_owned(), MatchClass::Exact));
    assert_eq!(found[2], ("md:a.md#Parser".to_owned(), MatchClass::Prefix));
    assert_eq!(search("parse", KindFilter::Function).len(), 1);
    assert_eq!(search("parser", KindFilter::Class), []);
    assert_eq!(map.id(lookup_node(&map, "parse")).to_string(), "py:b.py#parse");
    assert_eq!(map.id(lookup_node(&map, "Parser/parse")).to_string(), "md:a.md#Parser/parse");
}
