//! Splits a text into its pieces, and finds those that are broken by themselves.
//!
//! A piece begins with a word at the margin and extends to the next one; people and formatters write the top level of a
//! file there. A piece is broken if its text alone has an error. If it contains further pieces between braces, only the
//! broken ones among them count, three levels deep: of a class with one broken method the other methods remain.

use std::ops::Range;

use super::RecoveryReading;

/// Most levels of nested pieces that are searched.
const LEVELS: usize = 3;

/// Most bytes that are parsed for one file: a multiple of its length, plus a constant. Each parse counts for a least
/// number of bytes.
const TIMES: usize = 4;
const AT_LEAST: usize = 1 << 16;
const EACH_TIME: usize = 1 << 10;

/// Finds the broken stretches near the lines that are not mapped, in the order of the text; empty if the search takes
/// too long.
pub(super) fn broken_stretches(
    reading: &RecoveryReading<'_>,
    text: &[u8],
    unmapped: &[(u32, u32)],
) -> Vec<Range<usize>> {
    let mut search =
        BrokenPieceSearch { reading, text, left: AT_LEAST + text.len() * TIMES, found: Vec::new() };
    let before = reading.lang.source_rules().piece_opening.as_bytes().to_vec();
    let around = SurroundingText { before, after: Vec::new() };
    for piece in pieces_near(text, split(text, 0..text.len(), 0), unmapped) {
        if search.stretch_has_error(&around, piece.clone()) {
            search.narrow_piece(&around, piece, LEVELS);
        }
    }
    if search.left == 0 { Vec::new() } else { search.found }
}

/// Returns the pieces that contain such lines, and the piece before each: an error begins where its cause ends.
fn pieces_near(text: &[u8], pieces: Vec<Range<usize>>, unmapped: &[(u32, u32)]) -> Vec<Range<usize>> {
    let mut starts = vec![0];
    starts.extend(memchr::memchr_iter(b'\n', text).map(|at| at + 1));
    let byte = |line: u32| starts.get(line as usize).copied().unwrap_or(text.len());
    let touches = |piece: &Range<usize>| {
        let at = unmapped.partition_point(|(_, last)| byte(*last) <= piece.start);
        unmapped.get(at).is_some_and(|(first, _)| byte(first - 1) < piece.end)
    };
    let touched: Vec<bool> = pieces.iter().map(touches).collect();
    let is_near = |at: &usize| touched[*at] || touched.get(at + 1).is_some_and(|next| *next);
    (0..pieces.len()).filter(is_near).map(|at| pieces[at].clone()).collect()
}

/// Returns the pieces of a stretch of text whose lines begin at `column`, without the text before the first.
fn split(text: &[u8], within: Range<usize>, column: usize) -> Vec<Range<usize>> {
    let mut starts = Vec::new();
    let mut at = within.start;
    for line in text[within.clone()].split_inclusive(|byte| *byte == b'\n') {
        let indentation = indentation(line);
        let begins =
            |byte: &u8| byte.is_ascii_alphanumeric() || b"_@$#<[\"'~*".contains(byte) || !byte.is_ascii();
        if indentation == column && line.get(indentation).is_some_and(begins) {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([within.end]);
    starts.iter().zip(ends).map(|(start, end)| *start..end).collect()
}

fn indentation(line: &[u8]) -> usize {
    line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// The text around a stretch when the stretch is parsed.
struct SurroundingText {
    before: Vec<u8>,
    after: Vec<u8>,
}

struct BrokenPieceSearch<'a> {
    reading: &'a RecoveryReading<'a>,
    text: &'a [u8],
    /// The number of bytes that may still be parsed.
    left: usize,
    found: Vec<Range<usize>>,
}

impl BrokenPieceSearch<'_> {
    /// Returns true if a stretch of the text has an error. Once too much was parsed, it returns false.
    fn stretch_has_error(&mut self, around: &SurroundingText, stretch: Range<usize>) -> bool {
        let length = around.before.len() + stretch.len() + around.after.len();
        self.left = self.left.saturating_sub(length.max(EACH_TIME));
        if self.left == 0 {
            return false;
        }
        let text = [&around.before, &self.text[stretch], &around.after].concat();
        (self.reading.reparse)(&text, None).is_none_or(|tree| tree.has_error())
    }

    /// Finds the parts of a broken piece that have to be removed for the rest to be understood.
    fn narrow_piece(&mut self, around: &SurroundingText, piece: Range<usize>, levels: usize) {
        let inner = if levels > 0 { stretch_in_braces(self.text, &piece) } else { None };
        let Some(inner) = inner else { return self.found.push(piece) };
        let within = SurroundingText {
            before: [&around.before, &self.text[piece.start..inner.start]].concat(),
            after: [&self.text[inner.end..piece.end], &around.after].concat(),
        };
        if self.stretch_has_error(&within, inner.start..inner.start) {
            return self.found.push(piece);
        }
        let known = self.found.len();
        for part in pieces_within(self.text, &inner) {
            if self.stretch_has_error(&within, part.clone()) {
                self.narrow_piece(&within, part, levels - 1);
            }
        }
        if self.found.len() == known {
            self.found.push(inner);
        }
    }
}

/// Finds the stretch between the first brace that ends a line and the last one that begins a line.
fn stretch_in_braces(text: &[u8], piece: &Range<usize>) -> Option<Range<usize>> {
    let (mut start, mut end) = (None, None);
    let mut at = piece.start;
    for line in text[piece.clone()].split_inclusive(|byte| *byte == b'\n') {
        if line.trim_ascii_start().starts_with(b"}") {
            end = Some(at);
        }
        at += line.len();
        if start.is_none() && line.trim_ascii_end().ends_with(b"{") {
            start = Some(at);
        }
    }
    let (start, end) = (start?, end?);
    (start < end).then_some(start..end)
}

/// Returns the pieces between braces, whose column is that of the first line.
fn pieces_within(text: &[u8], inner: &Range<usize>) -> Vec<Range<usize>> {
    let mut lines = text[inner.clone()].split_inclusive(|byte| *byte == b'\n');
    let first = lines.find(|line| !line.trim_ascii().is_empty());
    first.map_or_else(Vec::new, |line| split(text, inner.clone(), indentation(line)))
}
