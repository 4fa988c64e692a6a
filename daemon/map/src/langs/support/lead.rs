//! Collects what stands before a definition: its comments, and the attributes that belong to it.
//!
//! The walk meets comments and attributes as siblings before the definition. It remembers them as they pass, and they belong to the
//! next definition if nothing else stands between.

use crate::syntax::Node;
use crate::walk::Cx;

/// Longest documentation that is read, in bytes; only its first paragraph is kept.
const DOC_LIMIT: usize = 4096;

/// The role of a comment before a definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Comment {
    /// Documentation of the next definition.
    Doc,
    /// A comment that neither documents nor separates.
    Other,
}

/// The comments and attributes before a definition, ready for its facts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DefinitionLead {
    /// First byte of the first attribute or enclosing wrapper.
    pub(crate) start: Option<usize>,
    /// Line of that byte, 1-based.
    pub(crate) line: Option<u32>,
    /// End of the enclosing wrapper, if any.
    pub(crate) end: usize,
    /// The last line of the wrapper, 1-based.
    pub(crate) end_line: u32,
    /// The comment's text without its marks.
    pub(crate) doc: String,
    /// True if an attribute marks the definition, as a test.
    pub(crate) marked: bool,
}

/// The run of comments and attributes that ends at `end`.
#[derive(Debug, Default)]
pub(crate) struct LeadingRun {
    /// Start and end of the documentation.
    doc: Option<(usize, usize)>,
    /// Start and line of the first attribute.
    attribute: Option<(usize, u32)>,
    end: usize,
    marked: bool,
}

impl LeadingRun {
    /// Adds a comment that the walk passes; one that stands behind other text on its line is ignored.
    pub(crate) fn add_comment(&mut self, node: Node<'_>, source: &[u8], kind: Comment) {
        let (start, end) = (node.start_byte(), trimmed_end(node, source));
        if is_trailing(source, start) {
            return;
        }
        if !self.is_adjacent_to(source, start) {
            *self = Self::default();
        }
        if kind == Comment::Doc {
            let joined = self.doc.filter(|&(_, doc_end)| lines_between(source, doc_end, start) == Some(1));
            self.doc = Some((joined.map_or(start, |(from, _)| from), end));
        }
        self.end = end;
    }

    /// Adds an attribute that the walk passes.
    pub(crate) fn add_attribute(&mut self, node: Node<'_>, source: &[u8], marked: bool) {
        let start = node.start_byte();
        if !self.is_adjacent_to(source, start) {
            *self = Self::default();
        }
        self.attribute = self.attribute.or(Some((start, node.start_position().row as u32 + 1)));
        self.marked |= marked;
        self.end = node.end_byte();
    }

    /// Takes the comments and attributes of a definition that starts at `node`; empty if something else lies between.
    pub(crate) fn take_outer(&mut self, node: Node<'_>, cx: &Cx<'_>) -> DefinitionLead {
        let lead = std::mem::take(self);
        if !lead.is_adjacent_to(cx.source, node.start_byte()) {
            return DefinitionLead::default();
        }
        let doc = lead
            .doc
            .map_or(String::new(), |(from, to)| clean_comment(cx.slice(from, to.min(from + DOC_LIMIT))));
        DefinitionLead {
            start: lead.attribute.map(|(start, _)| start),
            line: lead.attribute.map(|(_, line)| line),
            doc,
            marked: lead.marked,
            ..DefinitionLead::default()
        }
    }

    /// Returns true if only white space, and no empty line, lies between this run and `at`.
    fn is_adjacent_to(&self, source: &[u8], at: usize) -> bool {
        self.end > 0 && lines_between(source, self.end, at).is_some_and(|lines| lines <= 1)
    }
}

/// Returns the number of line ends between two places; `None` if more than white space, or a lot of it, lies between.
fn lines_between(source: &[u8], from: usize, to: usize) -> Option<usize> {
    let between = source.get(from..to)?;
    if between.len() > 400 {
        return None;
    }
    between.iter().all(u8::is_ascii_whitespace).then(|| between.iter().filter(|&&b| b == b'\n').count())
}

/// Returns the end of a comment without its line ending, which some grammars include.
fn trimmed_end(node: Node<'_>, source: &[u8]) -> usize {
    let mut end = node.end_byte().min(source.len());
    while end > node.start_byte() && matches!(source[end - 1], b'\n' | b'\r') {
        end -= 1;
    }
    end
}

/// Returns true if other text stands before the comment on its line.
fn is_trailing(source: &[u8], start: usize) -> bool {
    let before = source.get(..start).unwrap_or(&[]);
    before.iter().rev().take_while(|&&b| b != b'\n').any(|b| !b.is_ascii_whitespace())
}

/// Returns the text of a comment without its marks.
fn clean_comment(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for line in raw.lines() {
        let line = line.trim();
        let line = line.strip_suffix("*/").unwrap_or(line);
        let line = line.trim_start_matches('/');
        let line = line.strip_prefix('*').map_or(line, |rest| rest.trim_start_matches('*'));
        let line = line.strip_prefix('!').or_else(|| line.strip_prefix('<')).unwrap_or(line).trim();
        if !(out.is_empty() && line.is_empty()) {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}
