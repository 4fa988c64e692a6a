//! Reads Go's `go.mod`, line by line.
//!
//! A `go.mod` has the versions that are built: minimal version selection writes its choice back into the file. So a
//! requirement is a version, and no other file is needed. `replace` names what is built in a module's place.

use std::collections::HashMap;

use super::Origin;
use super::file::{Findings, RawDependency, lines};

/// The module that stands in the place of another.
struct Replacement<'t> {
    target: &'t str,
    version: Option<&'t str>,
}

pub(super) fn read_go_mod(text: &str, findings: &mut Findings) {
    let replaced = find_replacements(text);
    for (at, words, comment) in statements_of(text, "require") {
        let [name, version, ..] = words[..] else { continue };
        let origin = if comment.contains("indirect") { Origin::Indirect } else { Origin::Manifest };
        let replacement = replaced.get(&(name, Some(version))).or_else(|| replaced.get(&(name, None)));
        let said = RawDependency {
            at,
            name: name.into(),
            requirement: Some(version),
            origin,
            ..RawDependency::default()
        };
        findings.add(match replacement {
            None => RawDependency { version: Some(version), ..said },
            Some(Replacement { version: None, .. }) => RawDependency { local: true, ..said },
            // Another module is built under this one's name.
            Some(by) => {
                RawDependency { name: by.target.into(), alias: Some(name), version: by.version, ..said }
            }
        });
    }
}

/// Returns the replacements of a `go.mod`, by the name that is replaced and its version (`None`: any version).
fn find_replacements(text: &str) -> HashMap<(&str, Option<&str>), Replacement<'_>> {
    let mut found = HashMap::new();
    for (_, words, _) in statements_of(text, "replace") {
        let mut halves = words.split(|word| *word == "=>");
        let (Some([old, of @ ..]), Some([target, version @ ..])) = (halves.next(), halves.next()) else {
            continue;
        };
        let replacement = Replacement { target, version: version.first().copied() };
        found.insert((*old, of.first().copied()), replacement);
    }
    found
}

/// A line of a directive: its byte offset, its words, its comment.
type Statement<'t> = (usize, Vec<&'t str>, &'t str);

/// Returns the lines of one directive, in blocks or alone.
fn statements_of<'t>(text: &'t str, directive: &str) -> Vec<Statement<'t>> {
    let mut block = None;
    let mut found = Vec::new();
    for (at, line) in lines(text) {
        let (line, comment) = line.split_once("//").unwrap_or((line, ""));
        let mut words: Vec<&str> =
            line.split_whitespace().map(|word| word.trim_matches(['"', '`'])).collect();
        match (block, &words[..]) {
            (_, []) => {}
            (Some(_), [")", ..]) => block = None,
            (Some(open), _) if open == directive => found.push((at, words, comment)),
            (Some(_), _) => {}
            (None, [name, "(", ..]) => block = Some(*name),
            (None, [name]) if name.ends_with('(') => block = Some(name.trim_end_matches('(')),
            (None, [name, ..]) if *name == directive => {
                words.remove(0);
                found.push((at, words, comment));
            }
            (None, _) => {}
        }
    }
    found
}
