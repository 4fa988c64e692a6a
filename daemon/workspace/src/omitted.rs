//! Lists by name the files that the rules admit and the scan still leaves out, so that the notes stay right when only a
//! part of the tree is scanned again.

use std::collections::BTreeSet;

use crate::{Examples, ScanNote};

/// Paths relative to the root, in a printable form.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct SkippedPaths {
    /// Names that are not Unicode.
    pub(crate) not_unicode: BTreeSet<String>,
    /// Files over the size limit.
    pub(crate) too_large: BTreeSet<String>,
    /// Rule files that were not read, each with the reason.
    pub(crate) rules: BTreeSet<String>,
}

impl SkippedPaths {
    pub(crate) fn merge(&mut self, mut other: Self) {
        self.not_unicode.append(&mut other.not_unicode);
        self.too_large.append(&mut other.too_large);
        self.rules.append(&mut other.rules);
    }

    /// Forgets the paths at or below `dir`; an empty `dir` is the root.
    pub(crate) fn remove_below(&mut self, dir: &str) {
        for names in [&mut self.not_unicode, &mut self.too_large, &mut self.rules] {
            if !names.is_empty() {
                names.retain(|name| !is_below(name, dir));
            }
        }
    }

    /// Returns the notes on omitted files; `limit` is the largest size in bytes.
    pub(crate) fn to_notes(&self, limit: u64) -> Vec<ScanNote> {
        let mut notes = Vec::new();
        if !self.not_unicode.is_empty() {
            notes.push(ScanNote::NotUnicode(examples_of(&self.not_unicode)));
        }
        if !self.too_large.is_empty() {
            notes.push(ScanNote::TooLarge { limit, files: examples_of(&self.too_large) });
        }
        if !self.rules.is_empty() {
            notes.push(ScanNote::RulesPassedOver(examples_of(&self.rules)));
        }
        notes
    }
}

fn examples_of(names: &BTreeSet<String>) -> Examples {
    let mut examples = Examples::default();
    names.iter().for_each(|name| examples.add(name.as_str()));
    examples
}

fn is_below(name: &str, dir: &str) -> bool {
    dir.is_empty() || name.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
