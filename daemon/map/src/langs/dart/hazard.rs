//! Measures how deep braces and square brackets are nested: in text that is no Dart, the parser of the grammar does not
//! finish with too many.

/// Deepest nesting of a text that is parsed. The time of Dart's grammar in an error grows with the square of how deep
/// braces and square brackets are nested, to minutes for a file of nothing else. Parentheses take no such time.
const NESTED: usize = 2_000;

/// Returns true if braces and square brackets are nested deeper than that.
pub(super) fn is_hazardous(source: &[u8]) -> bool {
    deepest_nest(source) > NESTED
}

/// Measures how deep braces and square brackets are nested; those in strings and comments count too.
fn deepest_nest(source: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in source {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}
