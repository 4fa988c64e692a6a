//! Counts the indentations of a text, of which the scanner of the grammar can keep only so many.

use rustc_hash::FxHashSet;

/// Most different indentations of a text that is parsed: Python's scanner writes two bytes for each open one and up to
/// 257 more.
const INDENTATIONS: usize = 380;

/// Returns true if a text comes near the limit of the scanner.
pub(super) fn is_hazardous(source: &[u8]) -> bool {
    count_indentations(source) > INDENTATIONS
}

/// Counts the different indentations of a text, in the scanner's columns: no more can be open at once.
fn count_indentations(source: &[u8]) -> usize {
    let mut widths = FxHashSet::default();
    let mut continued = 0;
    let mut width = Some(0_u32);
    for byte in source {
        width = match (byte, width) {
            (b'\n', _) | (b'\r' | b'\x0c', Some(_)) => Some(0),
            (b' ', Some(width)) => Some(width + 1),
            (b'\t', Some(width)) => Some(width + 8),
            (_, None) => None,
            (byte, Some(width)) => {
                // An indentation that may go on in the next line counts by itself.
                continued += usize::from(*byte == b'\\');
                widths.insert(width);
                None
            }
        };
    }
    widths.len() + continued
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_width_counts_once_and_each_continued_line() {
        assert_eq!(count_indentations(b"a\n  b\n\tc\n        d\n  \\\n  e\n"), 3 + 1);
    }
}
