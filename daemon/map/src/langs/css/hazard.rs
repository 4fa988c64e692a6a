//! Measures how far the grammar's scanner would look ahead.
//!
//! At each colon, and at each gap between words, the scanner looks for the `{` that makes it a selector, up to the next
//! `;` or `}`. In text without these, such as a list of a million colons, that takes quadratic time, and within one
//! step of the parser nothing stops it.

/// Most arrows of a sheet that is parsed. `=>` is no CSS, and the parser tries ways to repair each together with all
/// others: 1,500 of them took it a third of a second, and four times as many did not end.
const MOST_ARROWS: usize = 300;
/// Most characters that the scanner may look at in all. Sheets by people take a few for each byte.
const MOST: usize = 100_000_000;

/// Returns true if the scanner would look at too many characters (an upper bound, with a look from each colon over the
/// whole of its stretch), or if there are too many arrows.
pub(super) fn is_hazardous(source: &[u8]) -> bool {
    if memchr::memmem::find_iter(source, b"=>").nth(MOST_ARROWS).is_some() {
        return true;
    }
    let stretches = source.split(|byte| matches!(byte, b';' | b'}'));
    let looks =
        stretches.map(|stretch| memchr::memchr_iter(b':', stretch).count().saturating_mul(stretch.len()));
    looks.fold(0, usize::saturating_add) > MOST
}
