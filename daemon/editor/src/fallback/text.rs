//! Finds the lines of a text and the words in them.
//!
//! Places are hob's: lines and columns from 1, columns in UTF-16 code units. Only `place` writes the protocol's.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::Arc;

use hob_base::LineIndex;
use hob_base::line_index::utf16_len;

/// A line and a column.
pub(super) type LineAndColumn = (u32, u32);

/// Most lines that a statement may have.
const LONGEST_STATEMENT: u32 = 200;

/// A text with an index of its lines.
#[derive(Clone, Debug)]
pub(super) struct LinedText {
    bytes: Arc<[u8]>,
    lines: LineIndex,
}

/// An identifier in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// The word as it is written.
    pub(super) text: String,
    /// The place where the word begins.
    pub(super) at: LineAndColumn,
}

impl Word {
    /// Returns its length in UTF-16 code units.
    pub(super) fn utf16_width(&self) -> u32 {
        utf16_width_of(&self.text)
    }

    fn end(&self) -> u32 {
        self.at.1 + self.utf16_width()
    }
}

/// Returns a name's length in UTF-16 code units.
pub(super) fn utf16_width_of(name: &str) -> u32 {
    utf16_len(name.as_bytes())
}

impl LinedText {
    pub(super) fn new(bytes: Arc<[u8]>) -> Self {
        Self { lines: LineIndex::new(&bytes), bytes }
    }

    /// Returns the number of lines; a final newline begins one more.
    pub(super) fn line_count(&self) -> u32 {
        self.lines.line_count()
    }

    /// Returns a line without its end.
    pub(super) fn line(&self, line: u32) -> Option<Cow<'_, str>> {
        let range = self.lines.line_range(line)?;
        let bytes = &self.bytes[range];
        Some(String::from_utf8_lossy(bytes.strip_suffix(b"\r").unwrap_or(bytes)))
    }

    /// Returns the place of a byte.
    pub(super) fn place_of_byte(&self, offset: u32) -> LineAndColumn {
        let at = self.lines.position(&self.bytes, offset);
        (at.line, at.col)
    }

    /// Returns the identifiers of a line.
    pub(super) fn words_of_line(&self, line: u32) -> Vec<Word> {
        let Some(text) = self.line(line) else { return Vec::new() };
        let (mut words, mut col) = (Vec::<Word>::new(), 1);
        let mut is_inside = false;
        for c in text.chars() {
            let belongs = c.is_alphanumeric() || c == '_';
            match words.last_mut().filter(|_| is_inside && belongs) {
                Some(word) => word.text.push(c),
                None if belongs => words.push(Word { text: c.to_string(), at: (line, col) }),
                None => {}
            }
            is_inside = belongs;
            col += c.len_utf16() as u32;
        }
        words
    }

    /// Returns the identifier at a place: the one around it, or the one that ends there.
    pub(super) fn word_at(&self, at: LineAndColumn) -> Option<Word> {
        let (line, col) = at;
        let words = self.words_of_line(line).into_iter().filter(|word| word.at.1 <= col && col <= word.end());
        words.min_by_key(|word| word.end() == col)
    }

    /// Returns the lines of a statement that begins on this one, as far as its brackets show.
    pub(super) fn statement_lines(&self, first: u32) -> RangeInclusive<u32> {
        let mut open = 0i64;
        let mut last = first;
        for line in first..first.saturating_add(LONGEST_STATEMENT).min(self.line_count() + 1) {
            last = line;
            for c in self.line(line).unwrap_or_default().chars() {
                open += match c {
                    '(' | '[' | '{' => 1,
                    ')' | ']' | '}' => -1,
                    _ => 0,
                };
            }
            if open <= 0 {
                break;
            }
        }
        first..=last
    }

    /// Returns the place at which an import that begins on this line writes a name. The imported module comes first, or
    /// in quotes.
    pub(super) fn mention_in_import(&self, first: u32, name: &str) -> Option<LineAndColumn> {
        let words = self.statement_lines(first).flat_map(|line| self.words_of_line(line));
        let mentions = words.filter(|word| word.text == name).map(|word| word.at);
        mentions.max_by_key(|&at| (!self.is_quoted(at), at))
    }

    fn is_quoted(&self, at: LineAndColumn) -> bool {
        let (line, col) = at;
        let text = self.line(line).unwrap_or_default();
        let (mut at, mut open) = (1, None);
        for c in text.chars() {
            if at >= col {
                break;
            }
            at += c.len_utf16() as u32;
            match open {
                Some(quote) if quote == c => open = None,
                None if matches!(c, '"' | '\'' | '`') => open = Some(c),
                _ => {}
            }
        }
        open.is_some()
    }
}
