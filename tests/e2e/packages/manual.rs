//! Tests the manual pages: there is one for every program and command, with every option that `--help` shows.

use std::collections::{BTreeMap, BTreeSet};

use hob_tests::{World, run};

/// Returns all pages by their names without the section.
fn pages(world: &World) -> BTreeMap<String, String> {
    let folder = world.path("man");
    let said = world.hob(&world.path("tmp"), &["man", "--out", folder.to_str().expect("plain")]).success();
    let files = std::fs::read_dir(&folder).expect("it was made").flatten();
    let pages: BTreeMap<String, String> = files
        .map(|file| {
            let name = file.file_name().into_string().expect("plain text");
            let name = name.strip_suffix(".1").unwrap_or_else(|| panic!("{name}")).to_owned();
            (name, std::fs::read_to_string(file.path()).expect("text"))
        })
        .collect();
    assert!(said.starts_with(&format!("{} pages in ", pages.len())), "{said}");
    pages
}

/// Returns the long options at the beginnings of lines in a help text.
fn options(help: &str) -> BTreeSet<String> {
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let words = lines
        .flat_map(|line| line.split([' ', ',', '=', '[']).take(3).map(str::to_owned).collect::<Vec<_>>());
    words.filter(|word| word.starts_with("--") && word.len() > 2).collect()
}

#[test]
fn every_program_and_command_has_a_page_with_its_options() {
    let world = World::new();
    let pages = pages(&world);
    for name in [
        "hob",
        "hobd",
        "hob-mcp",
        "hob-lsp",
        "hob-map",
        "hob-servers-list",
        "hob-call-regex_search",
        "hob-man",
    ] {
        assert!(pages.contains_key(name), "{name} has no page: {:?}", pages.keys());
    }
    assert!(!pages.keys().any(|name| name.ends_with("help")), "{:?}", pages.keys());
    for (name, page) in &pages {
        let line: Vec<&str> = match name.strip_prefix("hob-").filter(|rest| !["mcp", "lsp"].contains(rest)) {
            Some(command) => command.split('-').collect(),
            None => Vec::new(),
        };
        let program = if line.is_empty() { name.as_str() } else { "hob" };
        let help = run(world.command(program).args(line).arg("--help"), b"").success();
        for option in options(&help) {
            assert!(page.contains(&option.replace('-', "\\-")), "{name}.1 lacks {option}");
        }
        assert!(page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"), "{name}.1: {page}");
        assert!(!page.contains("\\-\\-man\\fR"), "{name}.1 tells of what is not for users");
    }
}

/// The macros that pages may use: the man macros that groff and mandoc both know, and those of roff itself.
const MACROS: [&str; 14] =
    ["TH", "SH", "SS", "PP", "TP", "IP", "RS", "RE", "nf", "fi", "br", "ie", "el", "sp"];

#[test]
fn pages_are_plain_roff() {
    let world = World::new();
    for (name, page) in pages(&world) {
        for line in page.lines().filter(|line| line.starts_with(['.', '\''])) {
            let word = line.trim_start_matches('.').split([' ', '\\']).next().unwrap_or_default();
            assert!(MACROS.contains(&word), "{name}.1: {line}");
        }
        assert_eq!(page.matches("\n.TH ").count() + usize::from(page.starts_with(".TH ")), 1, "{name}.1");
        let title = page.lines().find(|line| line.starts_with(".TH ")).expect("just counted");
        let wanted = format!("1 \" \" \"hob {}\" hob", super::version());
        assert!(title.ends_with(&wanted), "{name}.1: {title}");
    }
}

#[test]
fn one_page_is_printed() {
    let world = World::new();
    let print = |args: &[&str]| world.hob(&world.path("tmp"), &[&["man"], args].concat());
    assert!(print(&[]).success().contains(".TH hob 1"));
    assert!(print(&["servers", "list"]).success().contains(".TH hob-servers-list 1"));
    assert!(print(&["hob-mcp"]).success().contains(".TH hob-mcp 1"));
    let unknown = print(&["mapp"]).code(2);
    assert!(unknown.stderr.contains("there is no command `mapp`"), "{unknown}");
}
