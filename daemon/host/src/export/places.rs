//! Looks names up in a text, so that no name is written where it does not stand.

use hob_base::{LineIndex, Utf16Position};
use hob_scip::SourceSpan;

/// A text and its lines.
pub(super) struct NamesInText<'t> {
    text: &'t str,
    lines: LineIndex,
}

impl<'t> NamesInText<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, lines: LineIndex::new(text.as_bytes()) }
    }

    /// Returns the stretch of a name that begins at a 1-based line and UTF-16 column; `None` if something else stands
    /// there.
    pub(super) fn name_at(&self, line: u32, col: u32, name: &str) -> Option<SourceSpan> {
        let offset = self.lines.offset(self.text.as_bytes(), Utf16Position { line, col })?;
        let stands = !name.is_empty() && self.text.get(offset as usize..)?.starts_with(name);
        stands.then(|| span_of(line, col, name))
    }

    /// Returns the first place on a line that has a name as a whole word.
    pub(super) fn name_on_line(&self, line: u32, name: &str) -> Option<SourceSpan> {
        let range = self.lines.line_range(line)?;
        let text = self.text.get(range)?;
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let is_whole =
            |at: &usize| !text[..*at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part);
        let at = text.match_indices(name).map(|(at, _)| at).find(is_whole)?;
        let col = text[..at].encode_utf16().count() as u32 + 1;
        (!name.is_empty()).then(|| span_of(line, col, name))
    }

    /// Returns the stretch from the beginning of a 1-based line to the end of another.
    pub(super) fn whole_lines(&self, first: u32, last: u32) -> Option<SourceSpan> {
        let end = self.text.get(self.lines.line_range(last)?)?.trim_end_matches('\r');
        let (line, end_line) = (first.checked_sub(1)?, last.checked_sub(1)?);
        Some(SourceSpan { line, col: 0, end_line, end_col: end.encode_utf16().count() as u32 })
    }
}

fn span_of(line: u32, col: u32, name: &str) -> SourceSpan {
    let (line, col) = (line.saturating_sub(1), col.saturating_sub(1));
    SourceSpan { line, col, end_line: line, end_col: col + name.encode_utf16().count() as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_only_where_it_stands() {
        let text = NamesInText::new("é = user + use\nimport use\n");
        let span = |line, col, end_col| Some(SourceSpan { line, col, end_line: line, end_col });
        assert_eq!(text.name_at(1, 12, "use"), span(0, 11, 14));
        assert_eq!(text.name_at(1, 11, "use"), None);
        assert_eq!(text.name_at(9, 1, "use"), None);
        assert_eq!(text.name_at(1, 1, ""), None);
        assert_eq!(text.name_on_line(1, "use"), span(0, 11, 14));
        assert_eq!(text.name_on_line(2, "us"), None);
        assert_eq!(text.whole_lines(1, 2), Some(SourceSpan { line: 0, col: 0, end_line: 1, end_col: 10 }));
    }
}
