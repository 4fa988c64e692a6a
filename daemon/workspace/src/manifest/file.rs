//! Collects the findings of a reader of manifests.
//!
//! Readers work with byte offsets and with text as it stands in the file; this module turns that into a [`Dependency`].
//! It also drops names that cannot be a package's, because a file that breaks off may have anything in a name's place.

use std::borrow::Cow;

use hob_base::LineIndex;

use super::{Dependency, Ecosystem, Origin};

/// Longest name and version, in bytes; longer text is something else in their place.
const LONG: usize = 500;

/// A dependency as a reader found it, at one place.
#[derive(Default)]
pub(super) struct RawDependency<'t> {
    /// Byte offset of the name.
    pub(super) at: usize,
    pub(super) name: Cow<'t, str>,
    pub(super) alias: Option<&'t str>,
    pub(super) requirement: Option<&'t str>,
    pub(super) version: Option<&'t str>,
    pub(super) origin: Origin,
    pub(super) dev: bool,
    pub(super) local: bool,
}

/// The findings of one file.
pub(super) struct Findings {
    ecosystem: Ecosystem,
    lines: LineIndex,
    /// Number of bytes at the file's beginning that the reader does not get.
    skipped: usize,
    found: Vec<Dependency>,
}

impl Findings {
    pub(super) fn new(ecosystem: Ecosystem, text: &str) -> Self {
        let skipped = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { ecosystem, lines: LineIndex::new(text.as_bytes()), skipped, found: Vec::new() }
    }

    /// Adds a finding, unless its name cannot be a package's.
    pub(super) fn add(&mut self, said: RawDependency<'_>) {
        let name = said.name.trim();
        if name.is_empty()
            || name.len() > LONG
            || name.contains(|c: char| c.is_whitespace() || c.is_control())
        {
            return;
        }
        let offset = u32::try_from(said.at + self.skipped).unwrap_or(u32::MAX);
        let name = self.ecosystem.normalise_name(name);
        self.found.push(Dependency {
            ecosystem: self.ecosystem,
            alias: unless_too_long(said.alias).filter(|alias| *alias != name),
            requirement: unless_too_long(said.requirement),
            version: unless_too_long(said.version),
            origin: said.origin,
            dev: said.dev,
            local: said.local,
            line: self.lines.line_of(offset),
            name,
        });
    }

    /// Returns the dependency that was added last, for facts that the file states later.
    pub(super) fn last(&mut self) -> Option<&mut Dependency> {
        self.found.last_mut()
    }

    pub(super) fn into_inner(self) -> Vec<Dependency> {
        self.found
    }
}

fn unless_too_long(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|text| !text.is_empty() && text.len() <= LONG).map(str::to_owned)
}

/// Returns the lines of a text with the byte offset at which each starts, without `\r`.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end_matches(['\n', '\r']))
    })
}
