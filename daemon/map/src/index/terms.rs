//! Collects the words under which a file is listed, and compares two versions of them.

use std::cmp::Ordering;

use super::{FileEntry, Kinds};
use crate::facts::{FileFacts, StrId};

/// The words of a file, each list sorted and distinct.
#[derive(Debug, Default)]
pub(crate) struct Terms<'f> {
    /// Names that the file defines, with their counts and kinds.
    pub(crate) defined: Vec<(&'f str, NameCount)>,
    /// Keys for the qualified names and the qualifiers of detached definitions.
    pub(crate) linked: Vec<String>,
    /// Names in its references, imports and exports.
    pub(crate) mentioned: Vec<&'f str>,
    /// Modules that the file imports, as written.
    pub(crate) modules: Vec<&'f str>,
}

/// The number and kinds of a file's definitions of one name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct NameCount {
    pub(crate) count: u32,
    pub(crate) kinds: Kinds,
}

impl<'f> Terms<'f> {
    pub(crate) fn from_entry(entry: &'f FileEntry) -> Self {
        let facts = &*entry.facts;
        let mut mentioned: Vec<StrId> = facts.refs.iter().map(|r| r.name).collect();
        mentioned.dedup();
        mentioned.extend(&facts.flows.implied);
        mentioned.extend(facts.imports.iter().flat_map(|i| [i.name, i.local]).flatten());
        mentioned.extend(facts.exports.iter().flat_map(|e| [e.local, e.exported]));
        Self {
            defined: entry
                .defined_names()
                .map(|(name, defs)| {
                    let counted = NameCount { count: defs.len() as u32, kinds: entry.kinds_of(defs) };
                    (facts.name(name), counted)
                })
                .collect(),
            linked: link_keys(entry),
            mentioned: sorted_texts(facts, mentioned),
            modules: sorted_texts(facts, facts.imports.iter().map(|i| i.module).collect()),
        }
    }
}

fn sorted_texts(facts: &FileFacts, mut ids: Vec<StrId>) -> Vec<&str> {
    ids.sort_unstable();
    ids.dedup();
    // The pool is sorted, so the texts are.
    ids.into_iter().map(|id| facts.name(id)).collect()
}

fn link_keys(entry: &FileEntry) -> Vec<String> {
    if entry.detached == 0 {
        return Vec::new();
    }
    let detached = entry.facts.defs.iter().filter(|def| entry.is_detached(def));
    let mut all: Vec<String> = detached
        .flat_map(|def| [link_key(entry.facts.name(def.qualified)), qualifier_link(entry.qualifier(def))])
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The character with which the keys of links start, and no name does.
pub(super) const LINK: char = '\0';

/// Returns the key of a detached definition's qualified name.
pub(crate) fn link_key(qualified: &str) -> String {
    format!("{LINK}{qualified}")
}

/// Returns the key of the files that have detached members of `qualifier`.
pub(crate) fn qualifier_link(qualifier: &str) -> String {
    format!("{LINK}{qualifier}.")
}

/// Calls `each` with every name whose definitions differ, with the old and the new counts.
pub(crate) fn diff_defined(
    before: &[(&str, NameCount)],
    after: &[(&str, NameCount)],
    mut each: impl FnMut(&str, NameCount, NameCount),
) {
    let (mut old, mut new) = (before.iter().peekable(), after.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((a, _)), Some((b, _))) => a.cmp(b),
        };
        let lost = if order.is_le() { old.next() } else { None };
        let gained = if order.is_ge() { new.next() } else { None };
        let counted = |side: Option<&(&str, NameCount)>| side.map_or_else(NameCount::default, |side| side.1);
        if let Some((name, _)) = lost.or(gained)
            && counted(lost) != counted(gained)
        {
            each(name, counted(lost), counted(gained));
        }
    }
}

/// Calls `each` with every item that only one of two sorted lists has, and true if it is the new one.
pub(crate) fn diff_sorted<T: AsRef<str>>(before: &[T], after: &[T], mut each: impl FnMut(&str, bool)) {
    let (mut old, mut new) = (before.iter().peekable(), after.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => a.as_ref().cmp(b.as_ref()),
        };
        let (lost, gained) =
            (if order.is_le() { old.next() } else { None }, if order.is_ge() { new.next() } else { None });
        match (lost, gained) {
            (Some(lost), None) => each(lost.as_ref(), false),
            (None, Some(gained)) => each(gained.as_ref(), true),
            _ => {}
        }
    }
}

/// Returns the words of a module as written: the parts between separators and quotes. A module without words (`.`,
/// `..`) has the empty one.
pub(crate) fn words_of_module(module: &str) -> Vec<&str> {
    let separators = ['/', '.', ':', '\\', '"', '<', '>', '@'];
    let mut words: Vec<&str> = module.split(separators).filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        words.push("");
    }
    words.sort_unstable();
    words.dedup();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diff_names_what_changed() {
        let mut seen = Vec::new();
        diff_sorted(&["a", "b", "d"], &["b", "c", "d", "e"], |word, gained| {
            seen.push((word.to_owned(), gained));
        });
        let expected = [("a", false), ("c", true), ("e", true)].map(|(w, g)| (w.to_owned(), g));
        assert_eq!(seen, expected);
    }

    #[test]
    fn modules_split_into_words() {
        assert_eq!(words_of_module("crate::net::http"), ["crate", "http", "net"]);
        assert_eq!(words_of_module("../lib/a.b.js"), ["a", "b", "js", "lib"]);
        assert_eq!(words_of_module(".."), [""]);
        assert_eq!(words_of_module("\"linux/module.h\""), ["h", "linux", "module"]);
    }
}
