//! Encodes unsigned numbers in seven-bit groups, least significant first, the high bit set on all but the
//! last byte (LEB128).
//!
//! The small distances that make up nearly all of an index take one byte. The reader tolerates damage: a
//! number that is cut off or too long ends the list and causes no panic.

/// Appends `value` to `out` as a varint.
pub(super) fn write(mut value: u32, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Returns the number of bytes that [`write()`] appends.
pub(super) fn len(value: u32) -> u32 {
    (38 - (value | 1).leading_zeros()) / 7
}

/// Removes one number from the front, and returns it; `None` at the end, or if the bytes are no number.
#[inline]
pub(super) fn read(bytes: &mut &[u8]) -> Option<u32> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    if first < 0x80 {
        return Some(u32::from(first));
    }
    read_long(first, bytes)
}

fn read_long(first: u8, bytes: &mut &[u8]) -> Option<u32> {
    let mut value = u32::from(first & 0x7f);
    for shift in [7, 14, 21, 28] {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    *bytes = &[];
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_and_have_the_announced_length() {
        let edges =
            [0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 268_435_455, 268_435_456, u32::MAX];
        let mut bytes = Vec::new();
        for value in edges {
            let before = bytes.len();
            write(value, &mut bytes);
            assert_eq!(bytes.len() - before, len(value) as usize, "{value}");
        }
        let mut rest = &bytes[..];
        assert_eq!(edges.map(|_| read(&mut rest)), edges.map(Some));
        assert_eq!(read(&mut rest), None);
    }

    #[test]
    fn damage_ends_the_list() {
        assert_eq!(read(&mut &[0x80][..]), None);
        assert_eq!(read(&mut &[0xff; 9][..]), None);
    }
}
