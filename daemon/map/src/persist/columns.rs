//! Encodes tables of numbers as bytes, column by column, with numbers as varints: small numbers take a byte, and
//! similar numbers are adjacent, which compresses well.
//!
//! A column whose numbers change little from row to row is written as differences. A column of zeros is not written at
//! all, unless it is the first. So a table cannot have more rows than its first column has bytes, and a damaged count
//! cannot ask for more memory than the file is long.
//!
//! Reading is one pass over all columns in parallel, which passes each row on as it is complete.

use super::PersistError::{self, Damaged};

/// The notation of the numbers in a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    /// Each number itself.
    Plain,
    /// The signed difference from the row before.
    Delta,
}

/// Encodes a difference modulo 2^32 as a number that is small if the difference is, in either direction.
pub(super) fn zigzag(difference: u32) -> u32 {
    let signed = difference.cast_signed();
    ((signed << 1) ^ (signed >> 31)).cast_unsigned()
}

/// Decodes the result of [`zigzag`].
pub(super) fn unzigzag(number: u32) -> u32 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

/// Writes a number, seven bits a byte, lowest first.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Writes a table: the number of rows, the length of each column, then the columns.
pub(super) fn put_table<const N: usize>(
    out: &mut Vec<u8>,
    codings: &[Coding; N],
    rows: impl ExactSizeIterator<Item = [u32; N]>,
) {
    put_varint(out, rows.len() as u32);
    if rows.len() == 0 {
        return;
    }
    let mut columns: [Vec<u8>; N] = std::array::from_fn(|_| Vec::with_capacity(rows.len()));
    let (mut last, mut seen) = ([0u32; N], [0u32; N]);
    for row in rows {
        for at in 0..N {
            let number = match codings[at] {
                Coding::Plain => row[at],
                Coding::Delta => zigzag(row[at].wrapping_sub(last[at])),
            };
            put_varint(&mut columns[at], number);
            seen[at] |= number;
        }
        last = row;
    }
    columns
        .iter_mut()
        .zip(seen)
        .skip(1)
        .filter(|(_, seen)| *seen == 0)
        .for_each(|(column, _)| column.clear());
    columns.iter().for_each(|column| put_varint(out, column.len() as u32));
    columns.iter().for_each(|column| out.extend_from_slice(column));
}

/// A reader of bytes, from the front.
#[derive(Clone, Copy)]
pub(crate) struct Input<'b> {
    rest: &'b [u8],
}

impl<'b> Input<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Returns true if all bytes were read.
    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Reads with `read`, which has to read all bytes.
    pub(crate) fn read_whole<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, PersistError>,
    ) -> Result<T, PersistError> {
        let value = read(self)?;
        if self.is_empty() { Ok(value) } else { Err(Damaged("there is more than there should be")) }
    }

    /// Returns the capacity to reserve for `count` items of at least a byte each: no more than the rest of the input
    /// can contain.
    pub(crate) fn room_for(&self, count: u32) -> usize {
        self.rest.len().min(count as usize)
    }

    pub(crate) fn read_number(&mut self) -> Result<u32, PersistError> {
        take_varint(&mut self.rest).ok_or(Damaged("a number is cut off"))
    }

    /// Reads `len` bytes; [`Damaged`] if there are fewer.
    pub(crate) fn read_bytes(&mut self, len: u32) -> Result<&'b [u8], PersistError> {
        let (head, rest) = self.rest.split_at_checked(len as usize).ok_or(Damaged("it is cut off"))?;
        self.rest = rest;
        Ok(head)
    }

    /// Reads a table; `make` gets each row with its index.
    pub(super) fn read_table<const N: usize, T>(
        &mut self,
        codings: &[Coding; N],
        mut make: impl FnMut(u32, [u32; N]) -> Result<T, PersistError>,
    ) -> Result<Box<[T]>, PersistError> {
        let count = self.read_number()?;
        if count == 0 {
            return Ok(Box::default());
        }
        let mut lengths = [0; N];
        for length in &mut lengths {
            *length = self.read_number()?;
        }
        if count > lengths[0] {
            return Err(Damaged("a table is too short"));
        }
        let mut columns = [Column::default(); N];
        for (column, length) in columns.iter_mut().zip(lengths) {
            *column = Column { rest: self.read_bytes(length)?, is_zero: length == 0, is_bad: false };
        }
        let mut table = Vec::with_capacity(count as usize);
        let mut row = [0; N];
        for at in 0..count {
            for (cell, (column, coding)) in row.iter_mut().zip(columns.iter_mut().zip(codings)) {
                let number = column.next();
                *cell = match coding {
                    Coding::Plain => number,
                    Coding::Delta => cell.wrapping_add(unzigzag(number)),
                };
            }
            table.push(make(at, row)?);
        }
        if columns.iter().any(|column| column.is_bad || !column.rest.is_empty()) {
            return Err(Damaged("a column does not fit its table"));
        }
        Ok(table.into_boxed_slice())
    }
}

/// A column that is being read. If it ends too early it yields zeros and sets `is_bad`: one check at the end is cheaper
/// than one for each number.
#[derive(Clone, Copy, Default)]
struct Column<'b> {
    rest: &'b [u8],
    is_zero: bool,
    is_bad: bool,
}

impl Column<'_> {
    #[inline]
    fn next(&mut self) -> u32 {
        if let [first, rest @ ..] = self.rest
            && *first < 0x80
        {
            self.rest = rest;
            return u32::from(*first);
        }
        self.next_long()
    }

    fn next_long(&mut self) -> u32 {
        if self.is_zero {
            return 0;
        }
        take_varint(&mut self.rest).unwrap_or_else(|| {
            self.is_bad = true;
            0
        })
    }
}

fn take_varint(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in (0..35).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u32::from(byte & 0x7f);
        if shift == 28 && bits > 0xf {
            return None;
        }
        number |= bits << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CODINGS: [Coding; 3] = [Coding::Delta, Coding::Plain, Coding::Delta];

    fn read(bytes: &[u8]) -> Result<Box<[[u32; 3]]>, PersistError> {
        let mut input = Input::new(bytes);
        let table = input.read_table(&CODINGS, |_, row| Ok(row))?;
        if input.is_empty() { Ok(table) } else { Err(Damaged("there is more")) }
    }

    proptest! {
        #[test]
        fn tables_read_back(rows in prop::collection::vec(any::<[u32; 3]>(), 0..50), zero in 0usize..3) {
            let rows: Vec<[u32; 3]> = rows.into_iter().map(|mut row| { row[zero] = 0; row }).collect();
            let mut bytes = Vec::new();
            put_table(&mut bytes, &CODINGS, rows.iter().copied());
            prop_assert_eq!(&*read(&bytes).expect("just written"), &rows[..]);
            prop_assert!(read(&bytes[..bytes.len() - 1]).is_err());
        }

        #[test]
        fn any_bytes_may_be_given(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(table) = read(&bytes) {
                prop_assert!(table.len() <= bytes.len());
            }
        }
    }
}
