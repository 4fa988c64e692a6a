//! Estimates the cost of a value when serialised, without keeping the text.

use std::io::{self, Write};

use serde::Serialize;

/// Counts characters (not bytes) of compact JSON.
pub fn chars_of(value: &impl Serialize) -> usize {
    let mut counter = Counter(0);
    // Writing to a counter cannot fail, and plain data always serialises.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.0
}

struct Counter(usize);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Every byte but a UTF-8 continuation starts a character.
        self.0 += bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
