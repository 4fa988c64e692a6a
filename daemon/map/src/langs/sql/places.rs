//! Turns bytes into lines and columns, for places that are asked for in order.

use hob_base::line_index::{mark_len, utf16_len};

/// The last place that was asked for. A line may be megabytes long, so no column is counted from its beginning again.
pub(super) struct PositionCursor<'s> {
    source: &'s [u8],
    at: usize,
    line: u32,
    column: u32,
}

impl<'s> PositionCursor<'s> {
    pub(super) fn new(source: &'s [u8]) -> Self {
        Self { source, at: mark_len(source), line: 1, column: 1 }
    }

    /// Returns the 1-based line and UTF-16 column of a byte that is not before the last one that was asked for.
    pub(super) fn advance(&mut self, byte: usize) -> (u32, u32) {
        let passed = self.source.get(self.at..byte).unwrap_or_default();
        let newlines = memchr::memchr_iter(b'\n', passed).count() as u32;
        let rest = memchr::memrchr(b'\n', passed).map_or(passed, |last| &passed[last + 1..]);
        self.column = utf16_len(rest) + if newlines == 0 { self.column } else { 1 };
        self.line += newlines;
        self.at = byte.max(self.at);
        (self.line, self.column)
    }
}
