//! Finds the same identifier around a place: in the whole file if other code of the file can see it, else in the
//! definition that it is local to.
//!
//! It compares only letters, as editors do without a server.

use serde_json::{Value, json};

use super::MapQuestion;
use super::document::{DocumentSpot, MapDocument};
use super::place::{MOST_PLACES, Spans, position_in};

/// The protocol's number of a highlight that may be a read or a write.
const TEXT: u8 = 1;

/// Answers `textDocument/documentHighlight` from the text and its facts.
pub(super) fn document_highlights(question: &MapQuestion<'_>) -> Value {
    let found = position_in(question.params).zip(MapDocument::from_question(question));
    let Some((at, document)) = found else { return json!([]) };
    let (spot, Some(word)) = document.spot_at(at) else { return json!([]) };
    let (first, last) = document.search_lines(spot, at.0);
    let words = (first..=last).flat_map(|line| document.text.words_of_line(line));
    let same = words.filter(|other| other.text == word.text);
    let spans = same.map(|word| Spans { at: word.at, width: word.utf16_width() });
    spans.take(MOST_PLACES).map(|spans| json!({"range": spans.range(), "kind": TEXT})).collect()
}

impl MapDocument {
    /// Returns the lines within which a name is searched.
    fn search_lines(&self, spot: DocumentSpot, line: u32) -> (u32, u32) {
        let whole = (1, self.text.line_count());
        if spot != DocumentSpot::Nothing {
            return whole;
        }
        let callable = self.facts.defs.iter().filter(|def| def.kind.is_callable());
        let around = callable.filter(|def| (def.lines.0..=def.lines.1).contains(&line));
        // The outermost definition counts, because names local to it are visible in the definitions inside.
        around.map(|def| def.lines).max_by_key(|lines| lines.1 - lines.0).unwrap_or(whole)
    }
}
