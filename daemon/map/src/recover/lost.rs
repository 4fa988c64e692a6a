//! Finds the lines of a file in which definitions may be missing, because the parser did not understand them.
//!
//! These are the lines of error nodes, without those that are understood all the same: recorded definitions and
//! imports, whole statements, comments. An error inside a function's body or a variable's value loses no definition of
//! the file, unless it continues behind the end that the indentation shows. The search is language-neutral: it uses
//! nodes and lines, never kinds of nodes.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{Def, DefKind, FactsBuilder};
use crate::syntax::{Node, NodeCursor, Tree};

/// Most nested nodes with errors that are visited.
const DEPTH: usize = 64;

/// The state of one line of the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RecoveryLine {
    /// The parser understood the line.
    Mapped,
    /// The line is blank, or a comment: it neither separates stretches nor makes them longer.
    Neutral,
    /// The line is part of an error.
    Lost,
    /// The line is part of an error, behind the end of the body in which the error began: definitions there do not
    /// belong to that body.
    Leaked,
}

/// Adds to `facts` the lines of the tree that are not mapped. It costs nothing if there are no errors.
pub(crate) fn note_unmapped(tree: &Tree, source: &[u8], facts: &mut FactsBuilder) {
    if !tree.has_error() {
        return;
    }
    let mut lines = UnmappedLines::new(source, facts.defs());
    lines.mark_tree(tree);
    lines.unmark_named_lines(facts);
    let least = facts.lang().source_rules().noticeable_loss;
    facts.not_mapped(lines.lost_stretches(least));
}

/// Returns the first and last lines of ranges of a text that are excluded from the map, without blank lines at their
/// ends, in the order of the ranges.
pub(super) fn line_stretches(source: &[u8], ranges: &[Range<usize>]) -> Vec<(u32, u32)> {
    let (mut at, mut line) = (0, 1);
    let mut line_of = |to: usize| {
        line += memchr::memchr_iter(b'\n', &source[at..to]).count() as u32;
        at = to;
        line
    };
    let mut found = Vec::new();
    for range in ranges {
        let text = &source[range.clone()];
        let first = text.iter().position(|byte| !byte.is_ascii_whitespace());
        let last = text.iter().rposition(|byte| !byte.is_ascii_whitespace());
        if let (Some(first), Some(last)) = (first, last) {
            found.push((line_of(range.start + first), line_of(range.start + last)));
        }
    }
    found
}

/// A definition around the current node whose inside has no other definition of the file.
struct DefinitionBody {
    depth: usize,
    /// The column in which the definition begins.
    column: usize,
}

struct UnmappedLines<'s> {
    source: &'s [u8],
    /// The start of each line, and the end of the text.
    starts: Vec<usize>,
    lines: Vec<RecoveryLine>,
    /// The definitions that end at a byte: their starts, and true for bodies.
    ends: FxHashMap<usize, Vec<(usize, bool)>>,
    bodies: Vec<DefinitionBody>,
}

impl<'s> UnmappedLines<'s> {
    fn new(source: &'s [u8], defs: &[Def]) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', source).map(|at| at + 1));
        let lines = vec![RecoveryLine::Mapped; starts.len()];
        starts.push(source.len());
        let mut ends: FxHashMap<usize, Vec<(usize, bool)>> = FxHashMap::default();
        for def in defs {
            let is_body = !def.kind.is_type() && def.kind != DefKind::Module;
            ends.entry(def.bytes.1 as usize).or_default().push((def.bytes.0 as usize, is_body));
        }
        Self { source, starts, lines, ends, bodies: Vec::new() }
    }

    /// Marks the lines of all nodes. Parents come before their children, so that inner nodes decide.
    fn mark_tree(&mut self, tree: &Tree) {
        let mut cursor = tree.walk();
        let mut depth = 0;
        loop {
            if self.enter_node(cursor.node(), depth) && cursor.goto_first_child() {
                depth += 1;
                continue;
            }
            if !self.leave_node(&mut cursor, &mut depth) {
                return;
            }
        }
    }

    /// Moves to the next node that is no child of this one.
    fn leave_node(&mut self, cursor: &mut NodeCursor<'_>, depth: &mut usize) -> bool {
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            *depth -= 1;
        }
        self.bodies.retain(|body| body.depth < *depth);
        true
    }

    /// Marks the lines of a node; returns true if the walk should visit its children.
    fn enter_node(&mut self, node: Node<'_>, depth: usize) -> bool {
        if node.is_extra() && !node.is_error() {
            self.set(node, RecoveryLine::Neutral);
            return false;
        }
        if !node.has_error() {
            if !node.is_leaf() && self.is_whole(node) {
                self.set(node, RecoveryLine::Mapped);
            }
            return false;
        }
        if node.is_error() {
            self.mark_lost(node);
        } else if let Some(is_body) = self.take_definition(node) {
            self.set(node, RecoveryLine::Mapped);
            if is_body {
                self.bodies
                    .push(DefinitionBody { depth, column: self.indentation(node.start_position().row) });
            }
        }
        depth < DEPTH
    }

    /// Returns true for the node of a definition that is a body, and false for the node of another definition; `None`
    /// for other nodes. Each definition has one node, the outermost.
    fn take_definition(&mut self, node: Node<'_>) -> Option<bool> {
        let defs = self.ends.get_mut(&node.end_byte())?;
        let at = defs.iter().position(|(start, _)| *start <= node.start_byte())?;
        Some(defs.swap_remove(at).1)
    }

    fn mark_lost(&mut self, node: Node<'_>) {
        let (mut first, last) = self.rows_of(node);
        let mut lost = RecoveryLine::Lost;
        if let Some(body) = self.bodies.last() {
            let column = body.column;
            let leaks = |row: &usize| {
                let text = self.text(*row).trim_ascii_start();
                let closes = text.first().is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'@');
                !closes && self.indentation(*row) <= column
            };
            match (first + 1..=last).find(leaks) {
                Some(row) => (first, lost) = (row, RecoveryLine::Leaked),
                None => return,
            }
        }
        for row in first..=last {
            let blank = self.text(row).iter().all(u8::is_ascii_whitespace);
            self.lines[row] = if blank { RecoveryLine::Neutral } else { lost };
        }
    }

    fn set(&mut self, node: Node<'_>, line: RecoveryLine) {
        let (first, last) = self.rows_of(node);
        for row in first..=last {
            self.lines[row] = line;
        }
    }

    /// Returns the first and last rows that a node covers, without a first row in which it begins behind other text; an
    /// empty range if none is left.
    fn rows_of(&self, node: Node<'_>) -> (usize, usize) {
        let (start, end) = (node.start_position(), node.end_position());
        let last = if end.column == 0 { end.row.saturating_sub(1) } else { end.row };
        let first = start.row + usize::from(start.column > self.indentation(start.row));
        let last = last.min(self.lines.len() - 1);
        if first <= last { (first, last) } else { (1, 0) }
    }

    /// Returns true if a node has its lines to itself.
    fn is_whole(&self, node: Node<'_>) -> bool {
        let (start, end) = (node.start_position(), node.end_position());
        let line_end = self.starts.get(end.row + 1).copied().unwrap_or(self.source.len());
        let rest = self.source.get(node.end_byte()..line_end).unwrap_or_default().trim_ascii();
        let rest = rest.strip_prefix(b";").unwrap_or(rest).trim_ascii_start();
        start.column <= self.indentation(start.row)
            && (rest.is_empty() || rest.starts_with(b"//") || rest.starts_with(b"#"))
    }

    fn text(&self, row: usize) -> &'s [u8] {
        &self.source[self.starts[row]..self.starts[row + 1]]
    }

    fn indentation(&self, row: usize) -> usize {
        let line = if row + 1 < self.starts.len() { self.text(row) } else { &[] };
        line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    }

    /// Marks the lines of recorded names as mapped.
    fn unmark_named_lines(&mut self, facts: &FactsBuilder) {
        let names = facts.defs().iter().map(|def| def.name_at.0);
        let known: FxHashSet<u32> = names.chain(facts.import_lines()).collect();
        for line in known {
            if let Some(kept) = self.lines.get_mut((line as usize).wrapping_sub(1)) {
                *kept = RecoveryLine::Mapped;
            }
        }
    }

    /// Returns the stretches of at least `least` lost lines.
    fn lost_stretches(&self, least: usize) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        let mut open: Option<(usize, usize, usize)> = None;
        let mut close = |open: &mut Option<(usize, usize, usize)>| {
            if let Some((first, last, _)) = open.take().filter(|(.., lost)| *lost >= least) {
                found.push((first as u32 + 1, last as u32 + 1));
            }
        };
        for (row, line) in self.lines.iter().enumerate() {
            match line {
                RecoveryLine::Lost | RecoveryLine::Leaked => {
                    let (first, _, lost) = open.unwrap_or((row, row, 0));
                    let weight = if *line == RecoveryLine::Leaked { least } else { 1 };
                    open = Some((first, row, lost + weight));
                }
                RecoveryLine::Mapped => close(&mut open),
                RecoveryLine::Neutral => {}
            }
        }
        close(&mut open);
        found
    }
}
