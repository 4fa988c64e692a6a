//! Converts the places of a document to hob's: lines from 1, columns from 1 in UTF-16 code units.
//!
//! A document does not say which text its columns refer to. So every place has to lie in the present text:
//! one that does not proves that the document describes another text, and then hob believes nothing in it.

use hob_base::LineIndex;

use super::document::{ColumnUnit, PlacedName, SourceDocument, SourceSpan};

/// The first place of a document that the text does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} has no column {col}")]
pub struct Misfit {
    /// The line, from 1.
    pub line: u32,
    /// The column in the document's unit, from 1.
    pub col: u32,
}

/// Converts every name of a document to a place in `text`, sorted by place.
///
/// # Errors
/// [`Misfit`] when a name lies outside the text.
pub fn place_names(document: SourceDocument, text: &[u8]) -> Result<Vec<PlacedName>, Misfit> {
    let lines = TextLines { text, index: LineIndex::new(text), unit: document.unit };
    let mut placed = Vec::with_capacity(document.names.len());
    for name in document.names {
        let SourceSpan { line, col, end_line, end_col } = name.span;
        let (start, end) = (lines.utf16_col(line, col)?, lines.utf16_col(end_line, end_col)?);
        placed.push(PlacedName {
            line: line + 1,
            col: start,
            end_line: end_line + 1,
            end_col: end,
            symbol: name.symbol,
            is_definition: name.is_definition,
        });
    }
    placed.sort_by_key(|name| (name.line, name.col, name.end_line, name.end_col));
    Ok(placed)
}

/// A text, its lines, and the unit in which a document counts its columns.
struct TextLines<'t> {
    text: &'t [u8],
    index: LineIndex,
    unit: ColumnUnit,
}

impl TextLines<'_> {
    /// Returns the UTF-16 column, from 1, of a column from 0 in the document's unit.
    fn utf16_col(&self, line: u32, col: u32) -> Result<u32, Misfit> {
        let misfit = Misfit { line: line.saturating_add(1), col: col.saturating_add(1) };
        let range = self.index.line_range(misfit.line).ok_or(misfit)?;
        let bytes = self.text.get(range).ok_or(misfit)?;
        if bytes.is_ascii() {
            return if col as usize <= bytes.len() { Ok(col + 1) } else { Err(misfit) };
        }
        self.units_before(&String::from_utf8_lossy(bytes), col).map(|units| units + 1).ok_or(misfit)
    }

    /// Returns the number of UTF-16 units before a column; `None` if the line is shorter, or the column lies
    /// within a character.
    fn units_before(&self, line: &str, col: u32) -> Option<u32> {
        let (mut left, mut units) = (col, 0);
        for c in line.chars() {
            if left == 0 {
                break;
            }
            left = left.checked_sub(self.width_of(c))?;
            units += c.len_utf16() as u32;
        }
        (left == 0).then_some(units)
    }

    fn width_of(&self, c: char) -> u32 {
        match self.unit {
            ColumnUnit::Utf8 => c.len_utf8() as u32,
            ColumnUnit::Utf16 => c.len_utf16() as u32,
            ColumnUnit::Utf32 => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::SourceName;

    fn document(unit: ColumnUnit, spans: &[(u32, u32, u32)]) -> SourceDocument {
        let name = |(line, col, end_col): &(u32, u32, u32)| SourceName {
            span: SourceSpan { line: *line, col: *col, end_line: *line, end_col: *end_col },
            symbol: "local 1".to_owned(),
            is_definition: false,
            is_import: false,
            lines: None,
        };
        SourceDocument {
            path: "a.ts".to_owned(),
            language: String::new(),
            text: None,
            unit,
            names: spans.iter().map(name).collect(),
            relations: Vec::new(),
        }
    }

    fn columns(unit: ColumnUnit, spans: &[(u32, u32, u32)], text: &str) -> Result<Vec<(u32, u32)>, Misfit> {
        let placed = place_names(document(unit, spans), text.as_bytes())?;
        Ok(placed.iter().map(|name| (name.col, name.end_col)).collect())
    }

    #[test]
    fn every_unit_leads_to_the_same_columns() {
        let text = "x\n\u{1F600}é = wanted\n";
        for (unit, col) in [(ColumnUnit::Utf8, 9), (ColumnUnit::Utf16, 6), (ColumnUnit::Utf32, 5)] {
            assert_eq!(columns(unit, &[(1, col, col + 6)], text), Ok(vec![(7, 13)]), "{unit:?}");
        }
    }

    #[test]
    fn a_place_outside_the_text_is_a_misfit() {
        let ok = |spans: &[(u32, u32, u32)]| columns(ColumnUnit::Utf8, spans, "ab\né\n").is_ok();
        assert!(ok(&[(0, 0, 2), (1, 0, 2), (2, 0, 0)]));
        assert!(!ok(&[(0, 0, 3)]), "beyond the line");
        assert!(!ok(&[(1, 0, 1)]), "within a character");
        assert!(!ok(&[(3, 0, 0)]), "beyond the text");
        assert!(!ok(&[(u32::MAX, 0, 0)]), "beyond any text");
    }

    #[test]
    fn names_are_sorted_by_place() {
        let found = columns(ColumnUnit::Utf16, &[(0, 4, 5), (0, 0, 3), (0, 0, 1)], "abc de\n");
        assert_eq!(found, Ok(vec![(1, 2), (1, 4), (5, 6)]));
    }
}
