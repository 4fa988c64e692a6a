//! Measures how far the grammar's scanner would look ahead.
//!
//! At each colon, and at each gap between words, the scanner looks for the `{` that makes it a selector, up to the next `;` or `}`.
//! In text without these, as a list of a million colons, that is a square, and within one step of the parser nothing stops
//! it.

/// Characters that the scanner may look at in all. Sheets by people take a few for each byte.
const MOST: usize = 100_000_000;

/// Returns true if the scanner would look at too many characters: an upper bound, with a look from each colon to the end of its
/// stretch.
pub(super) fn is_hazardous(source: &[u8]) -> bool {
    let stretches = source.split(|byte| matches!(byte, b';' | b'}'));
    let looks =
        stretches.map(|stretch| memchr::memchr_iter(b':', stretch).count().saturating_mul(stretch.len()));
    looks.fold(0, usize::saturating_add) > MOST
}
