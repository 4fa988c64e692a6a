//! Counts the conditions of a statement: the parser of the grammar does not finish with too many.

use memchr::memchr_iter;

/// C's parser takes a second to find the error in so many conditions within each other, and minutes for ten times as
/// many.
const CONDITIONS: usize = 1_000;

/// Returns true if a text comes near the limit.
pub(super) fn is_hazardous(source: &[u8]) -> bool {
    // All of them are counted much faster, and nearly no file has so many.
    memchr_iter(b'?', source).count() > CONDITIONS && most_conditions(source) > CONDITIONS
}

/// Returns the most `?` without an end of a statement or a block among them.
fn most_conditions(source: &[u8]) -> usize {
    let statements = source.split(|byte| matches!(byte, b';' | b'{' | b'}'));
    statements.map(|statement| memchr_iter(b'?', statement).count()).max().unwrap_or(0)
}
