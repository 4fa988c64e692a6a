//! Measures how far the grammar's scanner would look for the ends of long strings.
//!
//! At each `[[` or `[=[` the scanner reads on to the bracket that closes it. Without one it reads to the end of the
//! file, and does so again from the next bracket: `[[[[...` takes quadratic time.

use rustc_hash::FxHashMap;

/// Most bytes that the scanner may read in vain. Sources by people take none: their long strings are closed.
const MOST: usize = 50_000_000;

/// Returns true if the scanner would read too many bytes for long strings that never close.
pub(super) fn is_hazardous(source: &[u8]) -> bool {
    let mut closings: FxHashMap<usize, usize> = FxHashMap::default();
    for (at, level) in long_brackets(source, b']') {
        closings.insert(level, at);
    }
    let in_vain = long_brackets(source, b'[')
        .filter(|(at, level)| closings.get(level).is_none_or(|last| last < at))
        .map(|(at, _)| source.len() - at);
    in_vain.fold(0, usize::saturating_add) > MOST
}

/// Yields the long brackets of a text: the byte at which each begins, and the number of `=` between its two brackets.
fn long_brackets(source: &[u8], bracket: u8) -> impl Iterator<Item = (usize, usize)> {
    memchr::memchr_iter(bracket, source).filter_map(move |at| {
        let level = source[at + 1..].iter().take_while(|&&byte| byte == b'=').count();
        (source.get(at + 1 + level) == Some(&bracket)).then_some((at, level))
    })
}
