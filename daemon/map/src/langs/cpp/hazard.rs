//! Counts the conditions of a statement: the parser of the grammar does not finish with too many.

use memchr::memchr_iter;

/// Most conditions of a statement in a text that is parsed: the parser of C takes a second to find the error in so many
/// nested conditions, and minutes for ten times as many.
const CONDITIONS: usize = 1_000;

/// Returns true if a statement has more conditions than that.
pub(super) fn is_hazardous(source: &[u8]) -> bool {
    // Counting all `?` is much faster, and nearly no file has so many.
    memchr_iter(b'?', source).count() > CONDITIONS && most_conditions(source) > CONDITIONS
}

/// Returns the largest number of `?` between two ends of statements or blocks.
fn most_conditions(source: &[u8]) -> usize {
    let statements = source.split(|byte| matches!(byte, b';' | b'{' | b'}'));
    statements.map(|statement| memchr_iter(b'?', statement).count()).max().unwrap_or(0)
}
