//! Encodes a file's names: sorted names share their beginnings, so each is written as the bytes that it adds to the one
//! before.
//!
//! Reading need not compare whole names to check their order: the first added byte must be greater than the byte in its
//! place before.

use super::columns::{Coding, Input, put_table, put_varint};
use super::{Damaged, MAX_BYTES, PersistError};
use crate::facts::NamePool;

/// The columns of a name: the bytes that it shares with the name before, and the bytes that it adds.
const COLUMNS: [Coding; 2] = [Coding::Plain, Coding::Plain];

/// Writes names that are sorted and distinct.
pub(crate) fn put_sorted<'n>(out: &mut Vec<u8>, names: impl Iterator<Item = &'n str>) {
    let (mut added, mut rows, mut last, mut length) = (Vec::new(), Vec::new(), "", 0);
    for name in names {
        length += name.len();
        let shared = name.bytes().zip(last.bytes()).take_while(|(a, b)| a == b).count();
        added.extend_from_slice(&name.as_bytes()[shared..]);
        rows.push([shared as u32, (name.len() - shared) as u32]);
        last = name;
    }
    put_varint(out, length as u32);
    put_varint(out, added.len() as u32);
    out.extend_from_slice(&added);
    put_table(out, &COLUMNS, rows.into_iter());
}

/// Reads names that [`put_sorted`] wrote; [`Damaged`] if they are not sorted and distinct.
pub(crate) fn read_sorted(input: &mut Input<'_>) -> Result<NamePool, PersistError> {
    let length = input.read_number()? as usize;
    let added = input.read_number()?;
    let added = input.read_bytes(added)?;
    if length > MAX_BYTES {
        return Err(Damaged("the names are too long"));
    }
    // Reserve by the bytes that are there; a damaged length must not allocate more.
    let mut growing =
        GrowingNames { added, text: Vec::with_capacity(length.min(added.len() * 64)), start: 0, length };
    let ends = input.read_table(&COLUMNS, |at, row| growing.push(at, row))?;
    if !growing.added.is_empty() || growing.text.len() != length {
        return Err(Damaged("the names do not fit"));
    }
    let text = String::from_utf8(growing.text).map_err(|_| Damaged("the names are not Unicode"))?;
    if !text.is_ascii() && !ends.iter().all(|&end| text.is_char_boundary(end as usize)) {
        return Err(Damaged("a name is not Unicode"));
    }
    Ok(NamePool::from_parts(text.into(), ends.into()))
}

/// The names that were read so far.
struct GrowingNames<'b> {
    added: &'b [u8],
    text: Vec<u8>,
    /// The start of the last name.
    start: usize,
    /// The length in bytes that the text must have in the end.
    length: usize,
}

impl GrowingNames<'_> {
    /// Adds the next name and returns its end.
    fn push(&mut self, at: u32, [shared, added]: [u32; 2]) -> Result<u32, PersistError> {
        let (head, rest) = self.added.split_at_checked(added as usize).ok_or(Damaged("a name is cut off"))?;
        self.added = rest;
        let (start, end) = (self.start, self.text.len());
        let last = &self.text[start..];
        let is_next = match (last.get(shared as usize), head.first()) {
            (Some(old), Some(new)) => old < new,
            (None, Some(_)) => shared as usize == last.len(),
            // Only the first name can be empty.
            (_, None) => at == 0 && shared == 0,
        };
        if !is_next {
            return Err(Damaged("the names are not in order"));
        }
        if self.text.len() + shared as usize + head.len() > self.length {
            return Err(Damaged("the names are too long"));
        }
        self.text.extend_from_within(start..start + shared as usize);
        self.text.extend_from_slice(head);
        self.start = end;
        Ok(self.text.len() as u32)
    }
}
