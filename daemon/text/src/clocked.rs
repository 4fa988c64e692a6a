//! Runs ripgrep's engine, which cannot be stopped, only on pieces that take a short time.
//!
//! Its longest time for a text is about the number of its possible states times the text's bytes. So it gets
//! the text in runs of whole lines for which that product is small, with a check of the clock in between; a
//! line that is too long for the pattern goes to the engine that can be stopped ([`crate::patient`]). Usual
//! patterns get the whole text at once.

use std::cell::RefCell;

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures};
use grep_regex::RegexMatcher;
use hob_base::{CancelToken, Stopped};
use memchr::{memchr, memrchr};
use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use crate::patient::Caches;
use crate::pattern::{BadPattern, Pattern};
use crate::prefilter::{Prefilter, RunFinder};
use crate::required::WholeRun;

/// Most states times bytes between two checks of the clock: a second or two at the very worst.
const UNSTOPPABLE: usize = 1 << 28;

/// Returns the approximate number of states of its program in which a regex can be at once: one for each
/// character of the regex, with repetitions written out, and for a class those on the way through a
/// character. The number of ranges in a class makes no difference.
pub(crate) fn count_states(hir: &Hir, ascii: bool) -> usize {
    let states = |part: &Hir| count_states(part, ascii);
    let sum = |parts: &[Hir]| parts.iter().map(states).fold(parts.len(), usize::saturating_add);
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Unicode(class)) if ascii || class.is_ascii() => 1,
        HirKind::Class(Class::Unicode(_)) => 4,
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            let copies = max.unwrap_or(min.saturating_add(1)).max(1);
            (states(sub).saturating_add(1)).saturating_mul(usize::try_from(copies).unwrap_or(usize::MAX))
        }
        HirKind::Capture(capture) => states(&capture.sub).saturating_add(2),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
    }
}

/// A thread's own engine for a pattern.
pub(crate) struct Clocked<'a> {
    pattern: &'a Pattern,
    engine: RegexMatcher,
    /// True if the engine is the one for ASCII, so that the text is.
    is_for_ascii: bool,
    /// The search for lines that may match, if it is quicker than the engine.
    prefilter: Option<&'a Prefilter>,
    /// Most bytes that the engine gets at once.
    room: usize,
    token: &'a CancelToken,
    patient: RefCell<Option<Caches>>,
}

/// The next piece of the text to search.
enum SearchStretch {
    /// A piece up to this byte, for ripgrep's engine.
    Short(usize),
    /// The rest of a long line, up to this byte.
    Long(usize),
}

impl<'a> Clocked<'a> {
    /// Creates the pattern's engine for any text.
    pub(crate) fn for_any_text(pattern: &'a Pattern, token: &'a CancelToken) -> Result<Self, BadPattern> {
        Ok(Self::new(pattern, false, pattern.deciding_matcher()?, token))
    }

    /// Creates the pattern's engine for ASCII, if it has one.
    pub(crate) fn for_ascii(pattern: &'a Pattern, token: &'a CancelToken) -> Option<Self> {
        Some(Self::new(pattern, true, pattern.ascii_matcher()?, token))
    }

    fn new(pattern: &'a Pattern, ascii: bool, engine: &RegexMatcher, token: &'a CancelToken) -> Self {
        let room = (UNSTOPPABLE / pattern.state_count(ascii).max(1)).max(1);
        // A clone has caches of its own; threads with common ones wait for each other.
        let (engine, patient) = (engine.clone(), RefCell::new(None));
        Self { pattern, engine, is_for_ascii: ascii, prefilter: None, room, token, patient }
    }

    /// Returns the engine with a prefilter, by which it finds candidate lines.
    pub(crate) fn with_prefilter(self, prefilter: Option<&'a Prefilter>) -> Self {
        Self { prefilter, ..self }
    }

    /// Returns the run that the pattern is, with the search for it; `None` if the pattern is more than that, or the search
    /// would not be quicker than the engine.
    pub(crate) fn whole_run(&self) -> Option<(&WholeRun, &RunFinder)> {
        let run = self.pattern.required_parts().whole_run.as_ref()?;
        Some((run, self.prefilter?.run_finder().filter(|_| run.is_of_bytes(self.is_for_ascii))?))
    }

    /// Returns the next piece. A text may be cut between two lines only if the pattern cannot see the cut.
    fn next_stretch(&self, haystack: &[u8], at: usize) -> SearchStretch {
        let rest = &haystack[at..];
        let whole_lines = || memrchr(b'\n', &rest[..self.room]).filter(|_| self.pattern.is_local());
        if rest.len() <= self.room {
            SearchStretch::Short(haystack.len())
        } else if let Some(newline) = whole_lines() {
            SearchStretch::Short(at + newline + 1)
        } else {
            SearchStretch::Long(memchr(b'\n', rest).map_or(haystack.len(), |newline| at + newline))
        }
    }

    fn find_in_long_line(&self, haystack: &[u8], at: usize, end: usize) -> Result<Option<Match>, Stopped> {
        // The engine fits into the memory of the pattern, or nearly; if not, the line counts as not searched
        // in time.
        let Some(patient) = self.pattern.patient_engine() else { return Err(Stopped::DeadlinePassed) };
        let mut caches = self.patient.borrow_mut();
        let caches = caches.get_or_insert_with(|| patient.new_caches());
        patient.find(haystack, at..end, caches, self.token)
    }

    /// Returns the first match that `short` finds in a piece, or `long` in a long line. A match that begins
    /// at the end of a piece belongs to the next one.
    fn search<T>(
        &self,
        haystack: &[u8],
        mut at: usize,
        short: impl Fn(&RegexMatcher, &[u8], usize) -> Option<(usize, T)>,
        long: impl Fn(Match) -> T,
    ) -> Result<Option<T>, Stopped> {
        loop {
            match self.next_stretch(haystack, at) {
                SearchStretch::Short(end) => {
                    let found = short(&self.engine, &haystack[..end], at);
                    if let Some((_, found)) =
                        found.filter(|(offset, _)| *offset < end || end == haystack.len())
                    {
                        return Ok(Some(found));
                    }
                    if end == haystack.len() {
                        return Ok(None);
                    }
                    at = end;
                }
                SearchStretch::Long(end) => {
                    if let Some(found) = self.find_in_long_line(haystack, at, end)? {
                        return Ok(Some(long(found)));
                    }
                    if end == haystack.len() {
                        return Ok(None);
                    }
                    at = end + 1;
                }
            }
            self.token.check()?;
        }
    }
}

impl Matcher for Clocked<'_> {
    type Captures = NoCaptures;
    type Error = Stopped;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, Stopped> {
        let short = |engine: &RegexMatcher, text: &[u8], at| {
            // The engine's error type has no values.
            engine.find_at(text, at).ok().flatten().map(|found| (found.start(), found))
        };
        self.search(haystack, at, short, |found| found)
    }

    fn shortest_match_at(&self, haystack: &[u8], at: usize) -> Result<Option<usize>, Stopped> {
        let short = |engine: &RegexMatcher, text: &[u8], at| {
            engine.shortest_match_at(text, at).ok().flatten().map(|end| (end, end))
        };
        self.search(haystack, at, short, |found| found.end())
    }

    /// A long line is a candidate without a search.
    fn find_candidate_line(&self, haystack: &[u8]) -> Result<Option<LineMatchKind>, Stopped> {
        if let Some(prefilter) = self.prefilter {
            // The caller has the engine search each of these lines, which for a large pattern takes long in all.
            if haystack.len() > self.room {
                self.token.check()?;
            }
            return Ok(prefilter.find_candidate(haystack).map(LineMatchKind::Candidate));
        }
        let mut at = 0;
        loop {
            let end = match self.next_stretch(haystack, at) {
                SearchStretch::Short(end) => end,
                SearchStretch::Long(_) => return Ok(Some(LineMatchKind::Candidate(at))),
            };
            let found = self.engine.find_candidate_line(&haystack[at..end]).ok().flatten();
            let found = found.map(|found| match found {
                LineMatchKind::Confirmed(offset) => (at + offset, LineMatchKind::Confirmed(at + offset)),
                LineMatchKind::Candidate(offset) => (at + offset, LineMatchKind::Candidate(at + offset)),
            });
            if let Some((_, found)) = found.filter(|(offset, _)| *offset < end || end == haystack.len()) {
                return Ok(Some(found));
            }
            if end == haystack.len() {
                return Ok(None);
            }
            self.token.check()?;
            at = end;
        }
    }

    fn new_captures(&self) -> Result<NoCaptures, Stopped> {
        Ok(NoCaptures::new())
    }

    fn captures_at(&self, _: &[u8], _: usize, _: &mut NoCaptures) -> Result<bool, Stopped> {
        Ok(false)
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.engine.non_matching_bytes()
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.engine.line_terminator()
    }
}

#[cfg(test)]
mod tests {
    use hob_base::Deadline;

    use super::*;
    use crate::trigram::TextView;

    /// Checks that a search with a prefilter ends when it is stopped, if the pattern is large for the text.
    #[test]
    fn a_search_with_a_prefilter_can_be_stopped() {
        let pattern = Pattern::new("[ab]{9}c").expect("a valid pattern");
        let prefilter = Prefilter::for_pattern(&pattern, &TextView::default()).expect("a run");
        let token = CancelToken::new(Deadline::NEVER);
        let whole =
            Clocked::for_any_text(&pattern, &token).expect("it fits").with_prefilter(Some(&prefilter));
        let text = b"x\nababababa\nababababac\n";
        let small = Clocked { room: 4, ..whole };
        assert!(matches!(small.find_candidate_line(text), Ok(Some(LineMatchKind::Candidate(2)))));
        token.cancel();
        assert!(small.find_candidate_line(text).is_err());
        assert!(small.find_candidate_line(b"aba").is_ok(), "a short text is not worth a look at the clock");
    }

    /// Checks that engines with little room find the same matches as the engine itself.
    #[test]
    fn pieces_and_long_lines_change_nothing() {
        let text = "aab ab\nb\n\naaaaaaaaaaaaaaaaaab b\nab\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\nb ä ab\u{e9}\n";
        let token = CancelToken::new(Deadline::NEVER);
        for pattern in
            ["a+b", "b", "x*", "^", "$", r"\bab\b", r"\w+", "(?:ab|a)$", r"\B", r"\A.", r"b\n?\z|ä"]
        {
            let Ok(pattern) = Pattern::new(pattern) else { continue };
            let engine = pattern.deciding_matcher().expect("it fits");
            for room in [1, 5, 12, 1000] {
                let clocked = Clocked { room, ..Clocked::for_any_text(&pattern, &token).expect("it fits") };
                for at in 0..=text.len() {
                    let expected = engine.find_at(text.as_bytes(), at).ok().flatten();
                    let found = clocked.find_at(text.as_bytes(), at).expect("not stopped");
                    assert_eq!(found, expected, "{pattern:?} with {room} from {at}");
                }
            }
        }
    }
}
