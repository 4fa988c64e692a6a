//! Measures how deep square brackets are nested: the parser of the grammar does not finish with too many.

/// Deepest nesting of a text that is parsed. The time of Scala's grammar grows with the square of how deep square
/// brackets are nested, to minutes for a file of nothing else.
const BRACKETS: usize = 500;

/// Returns true if square brackets are nested deeper than that.
pub(super) fn is_hazardous(source: &[u8]) -> bool {
    deepest_brackets(source) > BRACKETS
}

/// Measures how deep square brackets are nested; brackets in strings and comments count too.
fn deepest_brackets(source: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in source {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}
