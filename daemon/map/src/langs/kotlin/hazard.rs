//! Counts the interpolations of a text: the scanner of the grammar can keep only so many open strings.

use memchr::memmem::find_iter;

/// Most interpolations of a text that is parsed: Kotlin's scanner writes two bytes for each open string.
const INTERPOLATIONS: usize = 500;

/// Returns true if a text comes near the limit of the scanner.
pub(super) fn is_hazardous(source: &[u8]) -> bool {
    find_iter(source, b"${").count() > INTERPOLATIONS
}
