//! Corrects columns in first lines that begin with a byte order mark, in files that a server has read by itself.
//!
//! hob shows servers texts without the mark, so there the mark is no column. In files that they read from the disk,
//! some servers count it and others do not. Names show which: if the server's place begins and ends at the borders of
//! names only when the mark is counted, the server counts it.

use std::collections::HashMap;

use hob_base::WsPath;
use hob_base::line_index::BYTE_ORDER_MARK;

use super::context::ServerQueryContext;
use super::place::ServerLocation;
use crate::instance::Instance;
use crate::uri::FileRef;

/// The first lines that begin with a mark, in files that the server has not been shown.
pub(super) struct Marked<'a> {
    instance: &'a Instance,
    asking: ServerQueryContext<'a>,
    lines: HashMap<WsPath, Option<FirstLine>>,
}

impl<'a> Marked<'a> {
    pub(super) fn for_question(instance: &'a Instance, asking: ServerQueryContext<'a>) -> Self {
        Self { instance, asking, lines: HashMap::new() }
    }

    /// Returns the same place in columns that do not count a mark.
    pub(super) fn place_without_mark(&mut self, place: ServerLocation) -> ServerLocation {
        let FileRef::Inside(path) = &place.file else { return place };
        if place.start.0 != 1 || self.instance.version(path).is_some() {
            return place;
        }
        let read = || (self.asking.read)(path).and_then(|text| FirstLine::after_mark(&text));
        let line = self.lines.entry(path.clone()).or_insert_with(read);
        let end = (place.end.0 == 1).then_some(place.end.1);
        if line.as_ref().is_none_or(|line| !line.is_counted(place.start.1, end)) {
            return place;
        }
        let end = end.map_or(place.end, |col| (1, col - 1));
        ServerLocation { start: (1, place.start.1 - 1), end, ..place }
    }
}

/// The UTF-16 units of a line after its byte order mark.
pub(super) struct FirstLine(Vec<u16>);

impl FirstLine {
    /// Returns the first line after its mark; `None` if the text has no mark.
    pub(super) fn after_mark(text: &str) -> Option<Self> {
        let text = text.as_bytes().strip_prefix(BYTE_ORDER_MARK)?;
        let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        Some(Self(String::from_utf8_lossy(line).encode_utf16().collect()))
    }

    /// Returns true if the columns, 1-based, of a place that begins in this line count the mark; `to` is `None` if the
    /// place ends in another line.
    pub(super) fn is_counted(&self, from: u32, to: Option<u32>) -> bool {
        let fits = |by: u32| {
            let begins = self.is_border(from - by) && self.is_part(from - by);
            begins && to.is_none_or(|to| self.is_border(to - by) && self.is_part(to - by - 1))
        };
        from > 1 && to.is_none_or(|to| to > from) && !fits(0) && fits(1)
    }

    /// Returns true if a name begins or ends before the unit at a column.
    fn is_border(&self, col: u32) -> bool {
        self.is_part(col) != self.is_part(col - 1)
    }

    fn is_part(&self, col: u32) -> bool {
        let unit = (col as usize).checked_sub(1).and_then(|at| self.0.get(at));
        // Half a surrogate pair counts as a part of a name.
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        unit.is_some_and(|unit| char::from_u32(u32::from(*unit)).is_none_or(is_part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_whether_the_mark_is_counted() {
        let line = FirstLine::after_mark("\u{feff}def größe(a, b): pass\nnext").expect("it has a mark");
        for ((from, to), is_counted) in [
            ((5, Some(10)), false),
            ((6, Some(11)), true),
            ((11, Some(12)), false),
            ((12, Some(13)), true),
            ((2, None), true),
            ((1, None), false),
            ((1, Some(1)), false),
            ((6, Some(12)), false),
            ((7, Some(7)), false),
            ((90, Some(95)), false),
        ] {
            assert_eq!(line.is_counted(from, to), is_counted, "{from} {to:?}");
        }
        assert!(FirstLine::after_mark("def size(): pass").is_none());
    }
}
