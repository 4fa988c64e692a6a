//! The book is whole: every page is in its table of contents, and every link of the documents leads to a file and a heading that exist.
//!
//! Anchors are made as mdbook and GitHub make them. A page of the book links to nothing outside `docs`, because the built book has
//! nothing else. Addresses on the web are not looked at: nothing here reaches beyond this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use hob_tests::repository;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::tidy::none;

/// The table of contents.
const CONTENTS: &str = "docs/SUMMARY.md";

/// The documents beside the book.
const DOCUMENTS: [&str; 5] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "STYLE.md"];

/// Most lines of the README: it can be read in a minute.
const README_LINES: usize = 60;

fn text_of(page: &str) -> String {
    std::fs::read_to_string(repository().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// The pages of the book, its table of contents among them.
fn book() -> Vec<String> {
    let folder = std::fs::read_dir(repository().join("docs")).expect("there are docs").flatten();
    let names = folder.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut pages: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect();
    pages.sort();
    pages
}

/// The targets of links and pictures.
fn links(text: &str) -> Vec<String> {
    let targets = Parser::new_ext(text, Options::ENABLE_TABLES).filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.to_string()),
        _ => None,
    });
    targets.collect()
}

/// The anchors of a page's headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let (mut found, mut times) = (BTreeSet::new(), BTreeMap::<String, usize>::new());
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match (event, &mut heading) {
            (Event::Start(Tag::Heading { .. }), _) => heading = Some(String::new()),
            (Event::Text(part) | Event::Code(part), Some(title)) => title.push_str(&part),
            (Event::End(TagEnd::Heading(_)), Some(title)) => {
                let anchor = anchor_of(title);
                let before = times.entry(anchor.clone()).or_default();
                found.insert(if *before == 0 { anchor } else { format!("{anchor}-{before}") });
                *before += 1;
                heading = None;
            }
            _ => {}
        }
    }
    found
}

fn anchor_of(title: &str) -> String {
    let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || "_- ".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// The path that a relative link means, from the root of the repository; `None` if it leaves that.
fn resolved(page: &str, target: &str) -> Option<PathBuf> {
    let mut path = Path::new(page).parent()?.to_path_buf();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => path.pop().then_some(())?,
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    Some(path)
}

/// The reason why a link is wrong; `None` if it is right.
fn fault(page: &str, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (target, anchor) = link.split_once('#').unwrap_or((link, ""));
    let file = if target.is_empty() { Some(PathBuf::from(page)) } else { resolved(page, target) };
    let file = file.filter(|file| repository().join(file).exists());
    let Some(file) = file else { return Some(format!("{page}: {link}: there is no such file")) };
    if page.starts_with("docs/") && !file.starts_with("docs") {
        return Some(format!("{page}: {link}: the built book has no such page"));
    }
    let is_there = anchor.is_empty() || anchors(&text_of(&file.to_string_lossy())).contains(anchor);
    (!is_there).then(|| format!("{page}: {link}: there is no such heading"))
}

#[test]
fn every_link_leads_somewhere() {
    let pages = book().into_iter().chain(DOCUMENTS.map(str::to_owned));
    let faults = pages.flat_map(|page| {
        let links = links(&text_of(&page));
        links.into_iter().filter_map(|link| fault(&page, &link)).collect::<Vec<_>>()
    });
    none("every link leads to a file and a heading", &faults.collect::<Vec<_>>());
}

#[test]
fn the_table_of_contents_has_every_page_once() {
    let named: Vec<String> = links(&text_of(CONTENTS)).iter().map(|link| format!("docs/{link}")).collect();
    let once: BTreeSet<&String> = named.iter().collect();
    assert_eq!(named.len(), once.len(), "{CONTENTS} names a page twice");
    let pages: Vec<String> = book().into_iter().filter(|page| page != CONTENTS).collect();
    assert_eq!(
        once,
        pages.iter().collect(),
        "the pages that {CONTENTS} names (left), and those of docs (right)"
    );
}

#[test]
fn the_readme_is_read_in_a_minute() {
    let lines = text_of("README.md").lines().count();
    assert!(lines <= README_LINES, "README.md has {lines} lines: what it says at length belongs in the book");
}

#[test]
fn links_and_headings_are_found_as_they_are_meant() {
    let page = "# One `two`: three\n\n# Again\n\n# Again\n\n[a](b.md#c) ![d](e.svg) `[f](g)`\n";
    assert_eq!(links(page), ["b.md#c", "e.svg"]);
    let found = anchors(page);
    assert!(["one-two-three", "again", "again-1"].iter().all(|anchor| found.contains(*anchor)), "{found:?}");
    assert_eq!(resolved("docs/a.md", "../b/c.md"), Some(PathBuf::from("b/c.md")));
    assert_eq!(resolved("a.md", "../../c.md"), None);
    for bad in ["gone.md", "why.md#gone", "../README.md"] {
        assert!(fault("docs/tour.md", bad).is_some(), "{bad}");
    }
    assert_eq!(fault("docs/tour.md", "https://example.invalid/x"), None);
}
