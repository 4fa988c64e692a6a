//! `docs/tour.md` and `docs/glossary.md` name files, functions and types of this code: they are where the pages say.
//!
//! The pages are read as text, and so is the code: an item counts as defined if a line of the named file begins its definition.
//! Whether the steps are in the right order no test can tell.

use std::collections::BTreeSet;
use std::path::Path;

use hob_tests::repository;

/// The longest tour, in words.
const MOST_WORDS: usize = 600;

/// A tour with fewer items does not name one at every step.
const FEWEST_ITEMS: usize = 15;

/// A glossary with fewer entries has lost some.
const FEWEST_TERMS: usize = 40;

/// The words that begin the definition of an item at the margin, and of one within an `impl` or a trait.
const ITEMS: &[&str] = &["fn ", "struct ", "enum ", "trait ", "const ", "static ", "type "];
const MEMBERS: &[&str] = &["fn ", "const ", "type "];

/// One `path`: `item` of a page.
#[derive(Debug, PartialEq, Eq)]
struct Step<'p> {
    path: &'p str,
    /// The item; `None` if the page names the file alone.
    item: Option<&'p str>,
}

fn page(name: &str) -> String {
    std::fs::read_to_string(repository().join(name)).expect("the page is there")
}

/// Every Rust file that a text names, with its item.
fn steps(text: &str) -> Vec<Step<'_>> {
    // Parts with an odd number stand between backticks.
    let parts: Vec<&str> = text.split('`').collect();
    let files = (1..parts.len()).step_by(2).filter(|at| parts[*at].ends_with(".rs"));
    let item = |at: usize| parts.get(at + 2).filter(|_| parts[at + 1].trim() == ":").copied();
    files.map(|at| Step { path: parts[at], item: item(at) }).collect()
}

/// Why a step is wrong; `None` if it is right.
fn fault(step: &Step<'_>) -> Option<String> {
    let Step { path, item } = step;
    let Some(item) = item else { return Some(format!("{path} is named without an item")) };
    let Ok(text) = std::fs::read_to_string(repository().join(path)) else {
        return Some(format!("{path} does not exist"));
    };
    (!is_defined(&text, item)).then(|| format!("{path} does not define {item}"))
}

/// Returns true if a file defines `name`, or the member of `Type::name`.
fn is_defined(text: &str, item: &str) -> bool {
    let Some((owner, member)) = item.split_once("::") else {
        return text.lines().any(|line| !line.starts_with(' ') && begins(line, ITEMS, item));
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut heads = (0..lines.len()).filter(|at| opens_body_of(lines[*at], owner));
    heads.any(|head| {
        let mut body = lines[head + 1..].iter().take_while(|line| **line != "}");
        body.any(|line| begins(line.trim_start(), MEMBERS, member))
    })
}

/// Returns true if a line begins an `impl` of `owner`, or `owner` as a trait; its body ends with the next `}` at the
/// margin.
fn opens_body_of(line: &str, owner: &str) -> bool {
    if line.ends_with("{}") {
        return false;
    }
    let implemented = line.rsplit_once(" for ").map_or(line, |(_, owner)| owner);
    let is_impl = line.starts_with("impl") && words(implemented).any(|word| word == owner);
    is_impl || begins(line, &["trait "], owner)
}

/// Returns true if a line begins the definition of `name` as one of `kinds`.
fn begins(line: &str, kinds: &[&str], name: &str) -> bool {
    kinds.iter().any(|kind| {
        line.match_indices(kind).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + kind.len()..]);
            before.split_whitespace().all(is_qualifier) && words(after).next() == Some(name)
        })
    })
}

/// Returns true if a word may stand before `fn` and the like; `pub(in a::b)` is two words.
fn is_qualifier(word: &str) -> bool {
    word.starts_with("pub") || word.ends_with(')') || ["async", "const", "unsafe"].contains(&word)
}

/// The names in a text, in order. A text that does not begin with one begins with an empty one.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// The sections of a page below its first heading.
fn sections(text: &str) -> Vec<&str> {
    text.split("\n## ").skip(1).collect()
}

/// The words in italics, with single spaces.
fn italics(text: &str) -> BTreeSet<String> {
    text.split('*')
        .skip(1)
        .step_by(2)
        .map(|word| word.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

/// The entries of the glossary: term and text.
fn entries(glossary: &str) -> Vec<(&str, &str)> {
    glossary.split("\n- **").skip(1).filter_map(|entry| entry.split_once("**")).collect()
}

#[test]
fn every_step_of_a_tour_is_in_the_code() {
    let page = page("docs/tour.md");
    let tours = sections(&page);
    assert_eq!(tours.len(), 3, "docs/tour.md has three tours");
    let mut faults = Vec::new();
    for tour in tours {
        let title = tour.lines().next().unwrap_or_default();
        let (steps, words) = (steps(tour), tour.split_whitespace().count());
        assert!(steps.len() >= FEWEST_ITEMS, "`{title}` names {} items", steps.len());
        assert!(words < MOST_WORDS, "`{title}` has {words} words");
        faults.extend(steps.iter().filter_map(fault));
    }
    assert!(faults.is_empty(), "docs/tour.md is out of date:\n  {}", faults.join("\n  "));
}

#[test]
fn a_step_that_is_not_in_the_code_is_found() {
    let good = "`tests/tour.rs`: `Step` and, in the next line, `tests/tour.rs`:\n `steps`";
    assert_eq!(steps(good).len(), 2);
    assert_eq!(steps(good).iter().filter_map(fault).collect::<Vec<_>>(), Vec::<String>::new());
    for bad in [
        "`tests/tour.rs`: `Missing`",
        "`tests/gone.rs`: `Step`",
        "`tests/tour.rs` and `Step`",
        "`tests/tour.rs`",
    ] {
        assert_eq!(steps(bad).iter().filter_map(fault).count(), 1, "{bad}");
    }
    let code = "impl<'a> Walk<'a> {\n    pub(super) fn run(&self) {}\n}\n\nimpl Drop for Kept {\n    fn drop(&mut self) {}\n}\n\
                // struct Comment\npub(in crate::a) const MOST: u8 = 1;\n";
    for item in ["Walk::run", "Kept::drop", "MOST"] {
        assert!(is_defined(code, item), "{item}");
    }
    for item in ["run", "Kept::run", "Walk::drop", "Drop::drop", "Comment", "Walk", "MOS"] {
        assert!(!is_defined(code, item), "{item}");
    }
}

#[test]
fn every_term_of_the_glossary_has_a_place_that_exists() {
    let glossary = page("docs/glossary.md");
    let entries = entries(&glossary);
    assert!(entries.len() >= FEWEST_TERMS, "the glossary has {} entries", entries.len());
    let mut faults = Vec::new();
    for (term, text) in entries {
        let places: Vec<&str> =
            text.split('`').skip(1).step_by(2).filter(|code| code.contains('/')).collect();
        if places.is_empty() {
            faults.push(format!("{term}: names no file or folder"));
        }
        let gone = places.into_iter().filter(|place| !repository().join(Path::new(place)).exists());
        faults.extend(gone.map(|place| format!("{term}: {place} does not exist")));
    }
    assert!(faults.is_empty(), "docs/glossary.md is out of date:\n  {}", faults.join("\n  "));
}

#[test]
fn words_in_italics_on_the_tour_are_in_the_glossary() {
    let (tour, glossary) = (page("docs/tour.md"), page("docs/glossary.md"));
    let used: BTreeSet<String> = sections(&tour).into_iter().flat_map(italics).collect();
    assert!(!used.is_empty(), "the tour marks words of the glossary");
    let known: BTreeSet<&str> = entries(&glossary).into_iter().map(|(term, _)| term).collect();
    let missing: Vec<&String> = used.iter().filter(|word| !known.contains(word.as_str())).collect();
    assert!(missing.is_empty(), "the glossary lacks {missing:?}");
}
