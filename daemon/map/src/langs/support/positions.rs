//! Computes lines and columns of places in a text that are asked for from first to last.
//!
//! Readers without a grammar know bytes only. Counting on from the last place takes linear time in all, however long a
//! line is.

use hob_base::line_index::{mark_len, utf16_len};

/// The state of the count: the last place and its position.
#[derive(Debug)]
pub(crate) struct PiecePositions<'s> {
    source: &'s [u8],
    at: usize,
    line: u32,
    col: u32,
}

impl<'s> PiecePositions<'s> {
    pub(crate) fn new(source: &'s [u8]) -> Self {
        Self { source, at: mark_len(source), line: 1, col: 1 }
    }

    /// Returns the 1-based line and UTF-16 column of a byte that is not before the last one asked for.
    pub(crate) fn position_at(&mut self, byte: usize) -> (u32, u32) {
        let between = self.source.get(self.at..byte).unwrap_or(&[]);
        match memchr::memrchr(b'\n', between) {
            Some(last) => {
                self.line += memchr::memchr_iter(b'\n', between).count() as u32;
                self.col = 1 + utf16_len(&between[last + 1..]);
            }
            None => self.col += utf16_len(between),
        }
        self.at = byte.max(self.at);
        (self.line, self.col)
    }
}
