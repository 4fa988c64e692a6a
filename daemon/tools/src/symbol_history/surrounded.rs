//! Compares the text of a symbol and the lines around it with other versions of its file: a version with that very text
//! has the very same symbol, so it need not be parsed.

use hob_change::{FileSide, SymbolPlace};

use super::walk::SymbolIdentity;

/// The text of a symbol with the lines around it.
#[derive(PartialEq, Eq)]
pub(super) struct SurroundedText {
    text: String,
    /// True if no line precedes it.
    is_at_start: bool,
    /// True if no line follows it.
    is_at_end: bool,
}

impl SurroundedText {
    /// Returns the text from the nearest line before the symbol's comments to the nearest line behind it.
    pub(super) fn of_symbol(side: &FileSide, identity: &SymbolIdentity) -> Option<Self> {
        let def = side.facts.def(place_in(side, identity)?.def);
        let text = std::str::from_utf8(&side.bytes).ok()?;
        let (before, behind) = (text.get(..def.bytes.0 as usize)?, text.get(def.bytes.1 as usize..)?);
        let is_blank = |line: &str| line.trim().is_empty();
        // Comments above stand without an empty line between; one more line is added above them.
        let mut start = before.len();
        let mut above = before.split_inclusive('\n').rev().peekable();
        while let Some(line) = above.next_if(|line| !is_blank(line)) {
            start -= line.len();
        }
        let nearest: Option<usize> = above.clone().position(|line| !is_blank(line));
        start -= above.take(nearest.map_or(usize::MAX, |at| at + 1)).map(str::len).sum::<usize>();
        // The first piece behind the symbol is the rest of its last line.
        let next = behind.split_inclusive('\n').skip(1).position(|line| !is_blank(line));
        let below = behind.split_inclusive('\n').take(next.map_or(usize::MAX, |at| at + 2));
        let end = def.bytes.1 as usize + below.map(str::len).sum::<usize>();
        let (is_at_start, is_at_end) = (nearest.is_none(), next.is_none());
        Some(Self { text: text.get(start..end)?.to_owned(), is_at_start, is_at_end })
    }

    /// Returns true if another version of the file has the text in the same place relative to its start and end.
    pub(super) fn stands_in(&self, bytes: &[u8]) -> bool {
        let text = self.text.as_bytes();
        memchr::memmem::find(bytes, text).is_some()
            && (!self.is_at_start || bytes.starts_with(text))
            && (!self.is_at_end || bytes.ends_with(text))
    }
}

pub(super) fn place_in(side: &FileSide, identity: &SymbolIdentity) -> Option<SymbolPlace> {
    SymbolPlace::find(side, &identity.qualified)
}
