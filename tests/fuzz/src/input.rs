//! Takes the bytes of a fuzzer apart: small numbers from the front, and texts between NUL bytes.
//!
//! A NUL byte is what no text of hob's contains, so that a corpus can be read and written by people.

/// Bytes that are taken apart from the front.
#[derive(Clone, Copy, Debug)]
pub struct FuzzInput<'b> {
    rest: &'b [u8],
}

impl<'b> FuzzInput<'b> {
    /// Begins with all of `bytes`.
    #[must_use]
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Takes one byte; 0 at the end.
    pub fn take_byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        *first
    }

    /// Takes one item of `items`, which are not empty, by a byte.
    pub fn choose<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        &items[usize::from(self.take_byte()) % items.len()]
    }

    /// Takes the bytes up to the next NUL byte.
    pub fn take_part(&mut self) -> &'b [u8] {
        let end = self.rest.iter().position(|byte| *byte == 0).unwrap_or(self.rest.len());
        let (part, rest) = self.rest.split_at(end);
        self.rest = rest.get(1..).unwrap_or_default();
        part
    }

    /// Takes the bytes up to the next NUL byte as text, with replacement characters where they are none.
    pub fn take_text(&mut self) -> String {
        String::from_utf8_lossy(self.take_part()).into_owned()
    }

    /// Returns all that is left.
    #[must_use]
    pub fn rest(self) -> &'b [u8] {
        self.rest
    }
}
