//! Changes an input at random: bytes, runs of bytes, pieces of other inputs, and numbers at their limits.
//!
//! The numbers are a sequence of its own (xorshift), so that a seed gives the same inputs on every machine.

/// A sequence of numbers that look random.
#[derive(Clone, Copy, Debug)]
pub struct MutationRng(u64);

impl MutationRng {
    /// The sequence of a seed.
    #[must_use]
    pub fn from_seed(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// The next number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }
}

/// Longest input that mutation makes, in bytes.
const LONGEST: usize = 16 << 10;

/// Pieces that formats give a meaning to.
const PIECES: &[&[u8]] = &[
    b"\0",
    b"\n",
    b"\r\n",
    b"\"",
    b"'",
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b")",
    b"<",
    b">",
    b"*",
    b"$",
    b"\\",
    b"/",
    b"..",
    b"%",
    b"\xff\xff\xff\xff",
    b"\x80\x80\x80\x80\x08",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xc3",
    b"-1",
    b"0",
    b"4294967295",
    b"18446744073709551616",
    b"null",
    b"true",
    b"\xf0\x9f\x98\x80",
    b"//",
    b"/*",
    b"#",
    b"@@ -1 +1 @@\n",
    b"Content-Length: 2\r\n\r\n",
];

/// Returns a change of `input`, with pieces of `other`.
pub fn mutate_input(input: &[u8], other: &[u8], rng: &mut MutationRng) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..1 + rng.below(4) {
        mutate_once(&mut bytes, other, rng);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn mutate_once(bytes: &mut Vec<u8>, other: &[u8], rng: &mut MutationRng) {
    let at = rng.below(bytes.len() + 1);
    let end = at + rng.below((bytes.len() - at).min(64) + 1);
    match rng.below(8) {
        0 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
        1 if at < bytes.len() => bytes[at] = rng.below(256) as u8,
        2 => drop(bytes.drain(at..end)),
        3 => {
            let copied = bytes[at..end].to_vec();
            let to = rng.below(bytes.len() + 1);
            bytes.splice(to..to, copied);
        }
        4 => {
            let copied = bytes[at..end].repeat(1 + rng.below(40));
            bytes.splice(at..at, copied);
        }
        5 if !other.is_empty() => {
            let from = rng.below(other.len());
            let to = from + 1 + rng.below((other.len() - from).min(256));
            bytes.splice(at..end, other[from..to.min(other.len())].iter().copied());
        }
        6 => bytes.truncate(at),
        _ => drop(bytes.splice(at..at, PIECES[rng.below(PIECES.len())].iter().copied())),
    }
}
