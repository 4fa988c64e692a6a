//! Converts a server's ranges into bytes, strictly: a range that does not fit the contents shows that the server saw
//! others, and hob does not guess which place it meant.

use std::collections::HashSet;
use std::ops::Range;

use hob_base::LineIndex;
use lsp_types::Position;

use super::wire::TextEdit;
use crate::requests::marked::FirstLine;

/// Replacements by byte range, in the server's order.
pub(super) type Ranged = Vec<(Range<usize>, String)>;

/// Converts the edits into replacements of byte ranges of `text`; the error is the reason why they do not fit.
pub(super) fn in_bytes(text: &str, edits: &[TextEdit]) -> Result<Ranged, String> {
    if !edits.is_empty() && has_bare_return(text) {
        return Err(
            "it has lines that end with a carriage return alone, which servers count differently".into()
        );
    }
    let lines = LineIndex::new(text.as_bytes());
    let one = |edit: &TextEdit| {
        let (start, end) = (edit.range.start, edit.range.end);
        let range = offset(text, &lines, start)?..offset(text, &lines, end)?;
        if range.start > range.end {
            return Err(format!("a range of it ends before it begins, at {}", describe_position(start)));
        }
        Ok((range, edit.new_text.clone()))
    };
    edits.iter().map(one).collect()
}

/// Converts the edits of a file that a server has read by itself into columns that do not count a byte order mark.
pub(super) fn without_mark(text: &str, edits: &[TextEdit]) -> Vec<TextEdit> {
    let mut edits = edits.to_vec();
    let Some(line) = FirstLine::after_mark(text) else { return edits };
    let is_counted = |edit: &TextEdit| {
        let (start, end) = (edit.range.start, edit.range.end);
        let to = (end.line == 0).then_some(end.character.saturating_add(1));
        start.line == 0 && line.is_counted(start.character.saturating_add(1), to)
    };
    if edits.iter().any(is_counted) {
        let ends = edits.iter_mut().flat_map(|edit| [&mut edit.range.start, &mut edit.range.end]);
        ends.filter(|at| at.line == 0).for_each(|at| at.character = at.character.saturating_sub(1));
    }
    edits
}

/// Returns the byte offset of a position.
pub(super) fn offset(text: &str, lines: &LineIndex, position: Position) -> Result<usize, String> {
    let outside = || format!("the server means {} of it, which is not there", describe_position(position));
    let line = position.line.checked_add(1).and_then(|line| lines.line_range(line)).ok_or_else(outside)?;
    let (start, mut units) = (line.start, position.character as usize);
    let here = &text[line.clone()];
    if here.is_ascii() {
        return if units <= here.len() { Ok(start + units) } else { Err(outside()) };
    }
    for (at, c) in here.char_indices() {
        if units == 0 {
            return Ok(start + at);
        }
        // The middle of a surrogate pair is no place either.
        units = units.checked_sub(c.len_utf16()).ok_or_else(outside)?;
    }
    if units == 0 { Ok(line.end) } else { Err(outside()) }
}

fn describe_position(position: Position) -> String {
    format!("line {}, column {}", u64::from(position.line) + 1, u64::from(position.character) + 1)
}

fn has_bare_return(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'))
}

/// Drops repeated edits. The error is the first byte of an overlap, if two of the others replace the same bytes.
/// Insertions at one place stay in their order.
pub(super) fn without_repeats(edits: &mut Ranged) -> Result<(), usize> {
    let mut said = HashSet::new();
    edits.retain(|edit| edit.0.is_empty() || said.insert(edit.clone()));
    let mut ordered: Vec<&Range<usize>> = edits.iter().map(|(range, _)| range).collect();
    ordered.sort_by_key(|range| (range.start, range.end));
    let overlap = ordered.windows(2).find(|pair| pair[1].start < pair[0].end);
    overlap.map_or(Ok(()), |pair| Err(pair[1].start))
}

/// Returns the name around a byte of a text; empty if none is there.
pub(super) fn name_at(text: &str, at: usize) -> &str {
    let Some((before, after)) = text.split_at_checked(at) else { return "" };
    let start = before.rfind(|c| !is_part(c)).map_or(0, |last| last + width_at(before, last));
    let end = after.find(|c| !is_part(c)).unwrap_or(after.len());
    &text[start..at + end]
}

fn width_at(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}

/// Returns true if a range begins or ends within a name.
pub(super) fn cuts_a_name(text: &str, range: &Range<usize>) -> bool {
    let within = |at: usize| {
        let before = text[..at].chars().next_back().is_some_and(is_part);
        before && text[at..].chars().next().is_some_and(is_part)
    };
    within(range.start) || within(range.end)
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position_at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn columns_are_utf16_units_and_nothing_is_clamped() {
        let text = "a\u{1f600}b\r\nlast";
        let lines = LineIndex::new(text.as_bytes());
        let to = |line, character| offset(text, &lines, position_at(line, character)).ok();
        assert_eq!([to(0, 0), to(0, 1), to(0, 3), to(0, 4)], [Some(0), Some(1), Some(5), Some(6)]);
        assert_eq!([to(1, 0), to(1, 4)], [Some(8), Some(12)]);
        for (line, character) in [(0, 2), (0, 6), (1, 5), (2, 0), (u32::MAX, 0), (0, u32::MAX)] {
            assert_eq!(to(line, character), None, "{line}:{character}");
        }
    }

    #[test]
    fn repeats_go_and_overlaps_are_refused() {
        let edit = |range: Range<usize>, text: &str| (range, text.to_owned());
        let mut edits = vec![edit(4..6, "x"), edit(2..2, "i"), edit(4..6, "x"), edit(2..2, "i")];
        assert_eq!(without_repeats(&mut edits), Ok(()));
        assert_eq!(edits, [edit(4..6, "x"), edit(2..2, "i"), edit(2..2, "i")]);
        edits.push(edit(5..8, "y"));
        assert_eq!(without_repeats(&mut edits), Err(5));
    }

    #[test]
    fn names_are_found_and_what_cuts_them_is_seen() {
        let text = "é.größe(x)";
        let start = text.find("größe").expect("it is there");
        let end = start + "größe".len();
        for at in [start, start + 2, end] {
            assert_eq!(name_at(text, at), "größe");
        }
        assert_eq!((name_at(text, text.len()), name_at("", 0), name_at("a", 9)), ("", "", ""));
        assert!(!cuts_a_name(text, &(start..end)) && !cuts_a_name(text, &(end..end)));
        assert!(cuts_a_name(text, &(start + 1..end)) && cuts_a_name(text, &(start + 1..start + 1)));
    }
}
