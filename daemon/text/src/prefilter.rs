//! Leads to the lines that may match sooner than the regex engine does.
//!
//! The engine knows the regex alone. It looks for the literal with which matches begin, and goes through the text byte by
//! byte if there is none. This module knows the index too: of the literals that every match has, it takes the one that
//! the fewest blocks have. If there is none, but a run of some class, it looks at one byte in as many as the run is long,
//! as Boyer and Moore do ("A Fast String Searching Algorithm", 1977): a byte outside of the class rules out all runs over
//! its place. The engine then decides about each line found.

use memchr::memmem::Finder;

use crate::pattern::Pattern;
use crate::required::{ByteClass, RequiredLiteral, RequiredParts, RequiredRun};
use crate::trigram::TextView;

/// The factor by which blocks with a literal must be fewer than blocks with the literal at the beginning of matches,
/// which the engine finds by itself.
const RARER: usize = 2;
/// The least number of bytes that a search for runs passes for each byte that it looks at.
const LEAST_REACH: f64 = 3.0;

/// A search for lines that may match.
#[derive(Clone, Debug)]
pub(crate) enum Prefilter {
    /// Lines with a literal.
    Literal(Box<Finder<'static>>),
    /// Lines with a run of bytes.
    Run(RunFinder),
}

impl Prefilter {
    /// Returns the best search for the lines of a pattern; `None` if the engine is as quick.
    pub(crate) fn for_pattern(pattern: &Pattern, snapshot: &TextView) -> Option<Self> {
        // Only for a local pattern a line alone decides.
        let parts = Some(pattern.required_parts()).filter(|parts| pattern.is_local() && !parts.is_literal)?;
        Self::for_literal(parts, snapshot).or_else(|| Self::for_run(parts))
    }

    fn for_literal(parts: &RequiredParts, snapshot: &TextView) -> Option<Self> {
        let blocks = |literal: &RequiredLiteral| snapshot.most_blocks_with(&literal.bytes);
        let rarest =
            parts.literals.iter().filter(|literal| !literal.is_prefix).min_by_key(|one| blocks(one))?;
        let prefix = parts.literals.iter().find(|literal| literal.is_prefix);
        prefix
            .is_none_or(|prefix| blocks(rarest).saturating_mul(RARER) <= blocks(prefix))
            .then(|| Self::Literal(Box::new(Finder::new(&rarest.bytes).into_owned())))
    }

    fn for_run(parts: &RequiredParts) -> Option<Self> {
        if !parts.literals.is_empty() {
            return None;
        }
        let reaches = parts.runs.iter().map(|run| (run, reach_of(run)));
        let (run, reach) = reaches.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        (reach >= LEAST_REACH).then(|| Self::Run(RunFinder::new(run)))
    }

    /// Returns the search for runs, if that is what it is.
    pub(crate) fn run_finder(&self) -> Option<&RunFinder> {
        match self {
            Self::Literal(_) => None,
            Self::Run(finder) => Some(finder),
        }
    }

    /// Returns a place in the first line that may match; `None` if no line can.
    pub(crate) fn find_candidate(&self, text: &[u8]) -> Option<usize> {
        match self {
            Self::Literal(finder) => finder.find(text),
            Self::Run(finder) => finder.find_run(text),
        }
    }
}

/// Finds runs of at least a number of bytes of one class.
#[derive(Clone, Debug)]
pub(crate) struct RunFinder {
    is_member: Box<[bool; 256]>,
    len: usize,
}

impl RunFinder {
    fn new(run: &RequiredRun) -> Self {
        let is_member = std::array::from_fn(|byte| run.class.contains(byte as u8));
        Self { is_member: Box::new(is_member), len: run.len.max(1) }
    }

    /// Calls `each` with the start and the length of each longest run that is long enough.
    pub(crate) fn for_each_run(&self, text: &[u8], mut each: impl FnMut(usize, usize)) {
        let mut at = 0;
        while let Some(start) = self.find_run(&text[at..]).map(|found| at + found) {
            let after = &text[start + self.len..];
            let more = after.iter().position(|byte| !self.is_member[usize::from(*byte)]);
            let len = self.len + more.unwrap_or(after.len());
            each(start, len);
            at = start + len;
        }
    }

    /// Returns the start of the first run that is long enough.
    fn find_run(&self, text: &[u8]) -> Option<usize> {
        let is_member = |byte: &u8| self.is_member[usize::from(*byte)];
        // The bytes between `start` and `checked` are members.
        let (mut start, mut checked) = (0, 0);
        loop {
            let end = start + self.len;
            let last = end - 1;
            if !is_member(text.get(last)?) {
                (start, checked) = (end, end);
                continue;
            }
            match text[checked..last].iter().rposition(|byte| !is_member(byte)) {
                None => return Some(start),
                Some(at) => {
                    start = checked + at + 1;
                    checked = end;
                }
            }
        }
    }
}

/// Returns the approximate number of bytes that a search for a run passes for each byte that it looks at.
fn reach_of(run: &RequiredRun) -> f64 {
    run.len as f64 * (1.0 - share_of(&run.class))
}

/// Returns the approximate share of source code that the bytes of a class make up.
fn share_of(class: &ByteClass) -> f64 {
    (0..=u8::MAX).filter(|byte| class.contains(*byte)).map(frequency).sum()
}

/// Returns the approximate share of a byte in source code.
fn frequency(byte: u8) -> f64 {
    match byte {
        b' ' => 0.18,
        b'\t' => 0.04,
        b'\n' => 0.03,
        b'_' => 0.03,
        b'a'..=b'z' => 0.48 / 26.0,
        b'A'..=b'Z' => 0.06 / 26.0,
        b'0'..=b'9' => 0.06 / 10.0,
        b'!'..=b'~' => 0.12 / 31.0,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pattern::parse;

    fn run_finder(pattern: &str) -> Option<RunFinder> {
        let parts = RequiredParts::of_regex(&parse(pattern).expect("a valid pattern"));
        match Prefilter::for_run(&parts) {
            Some(Prefilter::Run(finder)) => Some(finder),
            _ => None,
        }
    }

    #[test]
    fn only_runs_that_pass_bytes_are_looked_for() {
        for pattern in [r"\w{30,}", "[0-9]{7,}", r"^\s{40,}\S", r"0x[0-9a-f]{8}\b", ".{120,}", "-{20}"] {
            assert!(run_finder(pattern).is_some(), "{pattern}");
        }
        for pattern in [r"\w{3}", ".{30}", "[^a]{9}", r"\w+\s+=\s+\w+;", "", "literal[0-9]{9}"] {
            assert!(run_finder(pattern).is_none(), "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn the_first_run_is_found(text in "[ab0 \n]{0,60}", len in 1..8usize) {
            let class = RequiredParts::of_regex(&parse("[ab]{3}").expect("a valid pattern")).runs[0].class;
            let found = RunFinder::new(&RequiredRun { class, len }).find_run(text.as_bytes());
            let first = text.as_bytes().windows(len).position(|run| run.iter().all(|byte| class.contains(*byte)));
            prop_assert_eq!(found, first);
        }
    }
}
