//! Reads C as if its preprocessor had been over it, where the grammar cannot read it as it is.
//!
//! A grammar of C sees macros and conditions that the language never sees: a `}` in two branches ends two blocks, and
//! then the rest of the file is an error; an attribute that is a macro makes a declaration two statements. Where this
//! may have caused the errors of a tree, the text is read once more without the macros and directives, byte for byte,
//! so that every place stays where it was. Of branches that cannot be read one after another, the first is read, and
//! then the second, whose facts are added for its own lines alone. The parser reuses the earlier tree; it reads a text
//! three times at the most. Nothing is expanded, and no other file is read.

mod groups;
mod heads;
mod lex;
mod merge;
mod system;
#[cfg(test)]
mod tests;
mod words;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{InputEdit, Point};

use crate::facts::{DefIdx, DefKind, FactsBuilder, RefKind};
use crate::langs::lang::Lang;
use crate::langs::rules::Reparse;
use crate::syntax::Tree;

pub use system::without_system_macros;

use groups::{ConditionReading, Group};
use lex::{CTokenKind, Token};
use merge::BranchLineRanges;

/// Most changes of a text that the parser is told of; with more, the text is parsed anew.
const EDITS: usize = 1_000;
/// Most bytes between two changes that the parser is told of as one.
const APART: usize = 32;

/// A stretch of the text that the second reading takes out, and the reason, which decides what replaces it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RemovedSpan {
    start: usize,
    end: usize,
    take: Take,
}

/// The reason for which a stretch is taken out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Take {
    /// It has no use for the facts.
    Rest,
    /// It is a word that is recorded as a reference.
    Word(RefKind),
    /// It is such a word at the beginning of a declaration: other words take its place, so that the declaration does
    /// not begin later.
    Lead,
    /// It is a macro that is called and governs the next statement.
    Loop,
}

impl Take {
    fn ref_kind(self) -> Option<RefKind> {
        match self {
            Self::Rest => None,
            Self::Word(kind) => Some(kind),
            Self::Lead => Some(RefKind::Use),
            Self::Loop => Some(RefKind::Call),
        }
    }
}

/// The places at which a tree has errors.
#[derive(Debug)]
pub(super) struct Errors {
    /// Stretches of the text, in order.
    spans: Vec<(usize, usize)>,
}

impl Errors {
    fn from_tree(tree: &Tree) -> Self {
        let mut spans = Vec::new();
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            if node.is_error() || node.is_missing() {
                spans.push((node.start_byte(), node.end_byte()));
            } else if node.has_error() && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Self { spans };
                }
            }
        }
    }

    /// Returns true if there is an error in a stretch or at its edges.
    fn has_error_in(&self, from: usize, to: usize) -> bool {
        let at = self.spans.partition_point(|(_, end)| *end < from);
        self.spans.get(at).is_some_and(|(start, _)| *start <= to)
    }
}

/// A text without the stretches that disturb the grammar.
struct RepairedText {
    /// The stretches that were taken out, in the order of the text.
    blanks: Vec<RemovedSpan>,
    /// The lines of the branches that were left out.
    dropped: BranchLineRanges,
    /// The lines and columns of the names that are declared at file level, each with the earliest byte at which its
    /// definition ends.
    names: Vec<((u32, u32), usize)>,
}

impl RepairedText {
    /// Counts the names that are not among the definitions at file level, or end too early.
    fn count_lacking(&self, facts: &FactsBuilder) -> usize {
        let defs = facts.defs();
        let is_outside = |parent: DefIdx| defs[parent.index()].kind == DefKind::Module;
        let free = defs.iter().filter(|def| def.parent.is_none_or(is_outside));
        let known: FxHashMap<(u32, u32), u32> = free.map(|def| (def.name_at, def.bytes.1)).collect();
        let is_whole =
            |(at, end): &&((u32, u32), usize)| known.get(at).is_some_and(|last| *last as usize >= *end);
        self.names.len() - self.names.iter().filter(is_whole).count()
    }
}

/// The extractor of C or C++ over one tree; positions are those of the source.
type CFactsWalk = fn(&Tree, &[u8], FactsBuilder) -> FactsBuilder;

/// Extracts the facts of a file whose tree may have errors.
///
/// The names that are declared at file level are known without a grammar. Only if the facts lack some of them, the text
/// is repaired: most errors are small, and to read every text twice would cost more than it is worth.
pub(crate) fn extract(
    lang: Lang,
    walk: CFactsWalk,
    tree: &Tree,
    source: &[u8],
    facts: FactsBuilder,
    reparse: Reparse<'_>,
) -> FactsBuilder {
    let mut facts = walk(tree, source, facts);
    if !tree.has_error() {
        return facts;
    }
    facts.has_errors();
    let tokens = lex::tokens(source);
    let errors = Errors::from_tree(tree);
    let reading = ConditionReading { source, tokens: &tokens, cpp: lang == Lang::Cpp, second: false };
    let groups = reading.groups();
    let split: FxHashSet<usize> = groups
        .iter()
        .filter(|group| is_split(group, &tokens, &errors))
        .map(|group| group.branches[0])
        .collect();
    let first = find_blanks(reading, &groups, &split, &errors);
    let lacking = first.count_lacking(&facts);
    if lacking == 0 {
        return facts;
    }
    let text = without_blanks(reading, &first.blanks);
    let Some(better) = parse_again(tree, source, &text, reparse) else { return facts };
    let mended = walk(&better, source, FactsBuilder::new(lang));
    if first.count_lacking(&mended) >= lacking {
        return facts;
    }
    facts = mended;
    if better.has_error() {
        facts.has_errors();
    }
    merge::record_words(&mut facts, source, &first.blanks);
    if !first.dropped.is_empty() {
        let reading = ConditionReading { second: true, ..reading };
        let second = find_blanks(reading, &reading.groups(), &split, &errors);
        let other = without_blanks(reading, &second.blanks);
        if let Some(tree) = parse_again(&better, &text, &other, reparse) {
            let other = walk(&tree, source, FactsBuilder::new(lang)).finish();
            merge::merge(&mut facts, &other, &first.dropped);
        }
    }
    facts
}

/// Returns true if a group has to be read in one branch.
fn is_split(group: &Group, tokens: &[Token], errors: &Errors) -> bool {
    let from = tokens[group.branches[0].saturating_sub(1)].start;
    let to = tokens[(group.end + 1).min(tokens.len() - 1)].end;
    group.unbalanced || (group.torn && errors.has_error_in(from, to))
}

fn find_blanks(
    reading: ConditionReading<'_>,
    groups: &[Group],
    split: &FxHashSet<usize>,
    errors: &Errors,
) -> RepairedText {
    let tokens = reading.tokens;
    let mut removed = vec![false; tokens.len()];
    let mut blanks = Vec::new();
    let mut dropped = Vec::new();
    // Outer groups end later: the branches that they leave out need no further reading.
    for group in groups.iter().rev().filter(|group| split.contains(&group.branches[0])) {
        if removed[group.branches[0]] {
            continue;
        }
        for &at in group.branches.iter().chain([&group.end]) {
            removed[at] = true;
            blank_directive(reading.source, tokens[at], &mut blanks);
        }
        for branch in (0..group.branches.len()).filter(|branch| group.kept != Some(*branch)) {
            let body = group.branch_body(branch);
            let span = (tokens[body.start - 1].end, tokens[body.end].start);
            if tokens[body.clone()].iter().any(|token| token.kind == CTokenKind::Word) {
                dropped.push(span);
            }
            removed[body].fill(true);
            blanks.push(RemovedSpan { start: span.0, end: span.1, take: Take::Rest });
        }
    }
    let mut names = heads::Heads::new(reading, errors, &mut blanks).read(&removed);
    names.sort_unstable();
    let mut place = merge::LineColumnCursor::default();
    let names =
        names.into_iter().map(|name| (place.position_of(reading.source, name.start), name.end)).collect();
    blanks.sort_unstable_by_key(|blank| blank.start);
    RepairedText { blanks, dropped: lines(reading.source, dropped), names }
}

/// Takes out a directive, and keeps the names in its condition.
fn blank_directive(source: &[u8], token: Token, blanks: &mut Vec<RemovedSpan>) {
    let mut at = token.start;
    let rest = RemovedSpan { start: at, end: token.end, take: Take::Rest };
    // The first byte is the `#`.
    let inner = lex::tokens(&source[at + 1..token.end]);
    let is_name = |word: &[u8]| word.first().is_some_and(|byte| !byte.is_ascii_digit()) && word != b"defined";
    for (number, word) in inner.iter().enumerate().filter(|(_, token)| token.kind == CTokenKind::Word).skip(1)
    {
        let (start, end) = (token.start + 1 + word.start, token.start + 1 + word.end);
        if !is_name(&source[start..end]) {
            continue;
        }
        let is_called = inner.get(number + 1).is_some_and(|next| next.is(b'('));
        let kind = if is_called { RefKind::Call } else { RefKind::Use };
        blanks.push(RemovedSpan { start: at, end: start, take: Take::Rest });
        blanks.push(RemovedSpan { start, end, take: Take::Word(kind) });
        at = end;
    }
    blanks.push(RemovedSpan { start: at, ..rest });
}

/// Returns the text in which blanks, or keywords that the grammar understands there, replace all that is taken out.
fn without_blanks(reading: ConditionReading<'_>, blanks: &[RemovedSpan]) -> Vec<u8> {
    let mut text = reading.source.to_vec();
    for blank in blanks {
        let place = &mut text[blank.start..blank.end];
        place.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        let words: &[&[u8]] = match blank.take {
            Take::Lead if reading.cpp => &[b"inline", b"const"],
            Take::Lead => &[b"inline", b"const", b"auto"],
            Take::Loop => &[b"while", b"if"],
            Take::Rest | Take::Word(_) => &[],
        };
        if let Some(word) = words.iter().find(|word| word.len() <= place.len()) {
            place[..word.len()].copy_from_slice(word);
        }
    }
    text
}

/// Returns the lines inside stretches of the text, in order.
fn lines(source: &[u8], mut spans: Vec<(usize, usize)>) -> BranchLineRanges {
    spans.sort_unstable();
    let (mut at, mut line) = (0, 1);
    let mut line_of = |to: usize| {
        line += memchr::memchr_iter(b'\n', &source[at..to]).count() as u32;
        at = to;
        line
    };
    // A branch begins behind the directive's line and ends before the next one's.
    spans.into_iter().map(|(from, to)| (line_of(from) + 1, line_of(to).saturating_sub(1))).collect()
}

/// Parses a changed text with the tree of the one before; both have one length and the same lines. `None` if nothing
/// changed.
fn parse_again(tree: &Tree, before: &[u8], after: &[u8], reparse: Reparse<'_>) -> Option<Tree> {
    let changes = changed_ranges(before, after);
    if changes.is_empty() {
        return None;
    }
    if changes.len() > EDITS {
        return reparse(after, None);
    }
    let mut place = RowColumnCursor::default();
    let edits = changes.into_iter().map(|(from, to)| {
        let start = place.point_of(after, from);
        let end = place.point_of(after, to);
        InputEdit {
            start_byte: from,
            old_end_byte: to,
            new_end_byte: to,
            start_position: start,
            old_end_position: end,
            new_end_position: end,
        }
    });
    reparse(after, Some(&tree.edited(edits)))
}

/// Returns the stretches in which two texts of one length differ; near ones are joined.
fn changed_ranges(before: &[u8], after: &[u8]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, _) in before.iter().zip(after).enumerate().filter(|(_, (a, b))| a != b) {
        match found.last_mut() {
            Some((_, end)) if at - *end <= APART => *end = at + 1,
            _ => found.push((at, at + 1)),
        }
    }
    found
}

/// Computes rows and columns of places that come one after another.
#[derive(Default)]
struct RowColumnCursor {
    at: usize,
    row: usize,
    line_start: usize,
}

impl RowColumnCursor {
    fn point_of(&mut self, text: &[u8], at: usize) -> Point {
        for newline in memchr::memchr_iter(b'\n', &text[self.at..at]) {
            self.row += 1;
            self.line_start = self.at + newline + 1;
        }
        self.at = at;
        Point { row: self.row, column: at - self.line_start }
    }
}
