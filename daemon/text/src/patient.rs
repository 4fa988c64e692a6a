//! Implements a second engine for the same regex, which checks the clock within a line.
//!
//! ripgrep's engine cannot be stopped: `(a{1000}){1000}` on a line of megabytes takes hours. If pattern and
//! line are so large that this could happen, this engine searches instead, byte by byte over a lazy automaton
//! (of regex-automata, as ripgrep's is). The automaton cannot decide a Unicode word boundary beside bytes
//! that are not ASCII; there Pike's simulation of the same automaton decides (Russ Cox, "Regular Expression
//! Matching: the Virtual Machine Approach"). Both find the same as ripgrep's engine: the leftmost match, of
//! those the one that the pattern prefers.

use std::ops::Range;

use grep_matcher::Match;
use hob_base::{CancelToken, Stopped};
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{NFA, State, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::hir::Hir;

/// Approximate number of states that are visited between two checks of the clock: each takes some
/// nanoseconds.
const STATES_PER_CHECK: usize = 1 << 20;

/// A regex for this engine. It is large, so it is made at its first use.
#[derive(Debug)]
pub(crate) struct Patient {
    nfa: NFA,
    /// The automata that walk forwards to the end of a match, and backwards to its beginning.
    automata: Option<(DFA, DFA)>,
    /// Number of bytes between two checks of the clock.
    stride: usize,
}

/// The memory that searches of one thread use again.
pub(crate) struct Caches {
    automata: Option<(Cache, Cache)>,
    threads: [Threads; 2],
}

/// The reason why an automaton's walk ended early.
enum AutomatonEnd {
    /// The automaton cannot decide whether there is a match.
    Undecided,
    Stopped(Stopped),
}

impl From<Stopped> for AutomatonEnd {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

/// The range to search: a line or a part of it, with the text around it.
#[derive(Clone)]
struct SearchSpan<'h> {
    haystack: &'h [u8],
    span: Range<usize>,
}

impl Patient {
    /// Compiles `hir` within the given bytes of program and of automaton. `None` if it does not fit.
    pub(crate) fn new(hir: &Hir, program: usize, automaton: usize) -> Option<Self> {
        let compile = |reverse| {
            let config = NFA::config().utf8(false).nfa_size_limit(Some(program)).reverse(reverse);
            NFA::compiler().configure(config.which_captures(WhichCaptures::None)).build_from_hir(hir).ok()
        };
        let nfa = compile(false)?;
        let walk = |nfa, kind| {
            let config = DFA::config().match_kind(kind).unicode_word_boundary(true);
            let config = config.cache_capacity(automaton).skip_cache_capacity_check(true);
            DFA::builder().configure(config).build_from_nfa(nfa).ok()
        };
        let forward = walk(nfa.clone(), MatchKind::LeftmostFirst);
        let automata = forward.zip(compile(true).and_then(|nfa| walk(nfa, MatchKind::All)));
        let stride = (STATES_PER_CHECK / nfa.states().len().max(1)).clamp(1, STATES_PER_CHECK);
        Some(Self { nfa, automata, stride })
    }

    pub(crate) fn new_caches(&self) -> Caches {
        let threads = || Threads::new(self.nfa.states().len());
        Caches {
            automata: self.automata.as_ref().map(|(one, other)| (one.create_cache(), other.create_cache())),
            threads: [threads(), threads()],
        }
    }

    /// Finds the first match in `span` of a haystack.
    pub(crate) fn find(
        &self,
        haystack: &[u8],
        span: Range<usize>,
        caches: &mut Caches,
        token: &CancelToken,
    ) -> Result<Option<Match>, Stopped> {
        token.check()?;
        let line = SearchSpan { haystack, span };
        match self.walk(&line, caches, token) {
            Ok(found) => Ok(found),
            Err(AutomatonEnd::Stopped(stopped)) => Err(stopped),
            Err(AutomatonEnd::Undecided) => self.simulate_nfa(&line, caches, token),
        }
    }

    fn walk(
        &self,
        line: &SearchSpan<'_>,
        caches: &mut Caches,
        token: &CancelToken,
    ) -> Result<Option<Match>, AutomatonEnd> {
        let (Some((forward, backward)), Some((ahead, back))) = (&self.automata, &mut caches.automata) else {
            return Err(AutomatonEnd::Undecided);
        };
        let Some(end) = AutomatonWalk { dfa: forward, cache: ahead, pace: Pace::new(self.stride, token) }
            .find_end(line)?
        else {
            return Ok(None);
        };
        let line = SearchSpan { span: line.span.start..end, ..line.clone() };
        let start = AutomatonWalk { dfa: backward, cache: back, pace: Pace::new(self.stride, token) }
            .find_start(&line)?;
        Ok(Some(Match::new(start.ok_or(AutomatonEnd::Undecided)?, end)))
    }
}

/// Checks the clock at intervals.
struct Pace<'t> {
    stride: usize,
    left: usize,
    token: &'t CancelToken,
}

impl<'t> Pace<'t> {
    fn new(stride: usize, token: &'t CancelToken) -> Self {
        Self { stride, left: stride, token }
    }

    fn count_step(&mut self) -> Result<(), Stopped> {
        self.left -= 1;
        if self.left > 0 {
            return Ok(());
        }
        self.left = self.stride;
        self.token.check()
    }
}

/// One walk over an automaton's states. A state reports the end of a match one byte late, so that it can see
/// the next byte.
struct AutomatonWalk<'a> {
    dfa: &'a DFA,
    cache: &'a mut Cache,
    pace: Pace<'a>,
}

impl AutomatonWalk<'_> {
    /// Returns the end of the leftmost match.
    fn find_end(mut self, line: &SearchSpan<'_>) -> Result<Option<usize>, AutomatonEnd> {
        let input = Input::new(line.haystack).span(line.span.clone());
        let mut state =
            self.dfa.start_state_forward(self.cache, &input).map_err(|_| AutomatonEnd::Undecided)?;
        let mut found = None;
        for at in line.span.clone() {
            self.pace.count_step()?;
            state = self.next_state(state, line.haystack[at])?;
            if state.is_match() {
                found = Some(at);
            } else if state.is_dead() {
                return Ok(found);
            }
        }
        let state = self.state_past_end(state, line.haystack.get(line.span.end))?;
        Ok(if state.is_match() { Some(line.span.end) } else { found })
    }

    /// Returns the beginning of the longest match that ends at the end of the span.
    fn find_start(mut self, line: &SearchSpan<'_>) -> Result<Option<usize>, AutomatonEnd> {
        let input = Input::new(line.haystack).span(line.span.clone()).anchored(Anchored::Yes);
        let mut state =
            self.dfa.start_state_reverse(self.cache, &input).map_err(|_| AutomatonEnd::Undecided)?;
        let mut found = None;
        for at in line.span.clone().rev() {
            self.pace.count_step()?;
            state = self.next_state(state, line.haystack[at])?;
            if state.is_match() {
                found = Some(at + 1);
            } else if state.is_dead() {
                return Ok(found);
            }
        }
        let before = line.span.start.checked_sub(1).map(|at| &line.haystack[at]);
        let state = self.state_past_end(state, before)?;
        Ok(if state.is_match() { Some(line.span.start) } else { found })
    }

    fn next_state(&mut self, state: LazyStateID, byte: u8) -> Result<LazyStateID, AutomatonEnd> {
        let next = self.dfa.next_state(self.cache, state, byte).map_err(|_| AutomatonEnd::Undecided)?;
        if next.is_quit() { Err(AutomatonEnd::Undecided) } else { Ok(next) }
    }

    /// Returns the state past the span's end: the byte there is seen, not matched.
    fn state_past_end(
        &mut self,
        state: LazyStateID,
        beyond: Option<&u8>,
    ) -> Result<LazyStateID, AutomatonEnd> {
        match beyond {
            Some(byte) => self.next_state(state, *byte),
            None => self.dfa.next_eoi_state(self.cache, state).map_err(|_| AutomatonEnd::Undecided),
        }
    }
}

/// The states of the simulation, the preferred ones first, with the start of their match.
struct Threads {
    order: Vec<StateID>,
    began: Vec<usize>,
    /// The round in which each was added.
    round: Vec<u32>,
    now: u32,
    /// States whose empty moves have not been followed yet.
    open: Vec<StateID>,
}

impl Threads {
    fn new(states: usize) -> Self {
        Self { order: Vec::new(), began: vec![0; states], round: vec![0; states], now: 1, open: Vec::new() }
    }

    fn clear(&mut self) {
        self.order.clear();
        self.now = self.now.checked_add(1).unwrap_or_else(|| {
            self.round.fill(0);
            1
        });
    }

    /// Adds a state to the round, and returns true if it was not in it yet.
    fn add(&mut self, state: StateID, began: usize) -> bool {
        let is_new = self.round[state] != self.now;
        if is_new {
            self.round[state] = self.now;
            self.began[state] = began;
            self.order.push(state);
        }
        is_new
    }
}

impl Patient {
    fn simulate_nfa(
        &self,
        line: &SearchSpan<'_>,
        caches: &mut Caches,
        token: &CancelToken,
    ) -> Result<Option<Match>, Stopped> {
        let Caches { threads: [current, next], .. } = caches;
        let mut pace = Pace::new(STATES_PER_CHECK >> 3, token);
        let mut found = None;
        current.clear();
        for at in line.span.start..=line.span.end {
            if found.is_none() {
                self.follow_empty_moves(self.nfa.start_anchored(), at, line, at, current, &mut pace)?;
            }
            if current.order.is_empty() {
                break;
            }
            next.clear();
            let byte = line.haystack.get(at).filter(|_| at < line.span.end);
            for index in 0..current.order.len() {
                pace.count_step()?;
                let state = current.order[index];
                let began = current.began[state];
                let to = match (self.nfa.state(state), byte) {
                    (State::Match { .. }, _) => {
                        // The states behind it in order are preferred less.
                        found = Some(Match::new(began, at));
                        break;
                    }
                    (State::ByteRange { trans }, Some(byte)) if trans.matches_byte(*byte) => Some(trans.next),
                    (State::Sparse(sparse), Some(byte)) => sparse.matches_byte(*byte),
                    (State::Dense(dense), Some(byte)) => dense.matches_byte(*byte),
                    _ => None,
                };
                if let Some(to) = to {
                    self.follow_empty_moves(to, began, line, at + 1, next, &mut pace)?;
                }
            }
            std::mem::swap(current, next);
        }
        Ok(found)
    }

    /// Adds a state and all states that it reaches without a byte.
    fn follow_empty_moves(
        &self,
        state: StateID,
        began: usize,
        line: &SearchSpan<'_>,
        at: usize,
        threads: &mut Threads,
        pace: &mut Pace<'_>,
    ) -> Result<(), Stopped> {
        threads.open.push(state);
        while let Some(state) = threads.open.pop() {
            if let Err(stopped) = pace.count_step() {
                threads.open.clear();
                return Err(stopped);
            }
            if !threads.add(state, began) {
                continue;
            }
            match self.nfa.state(state) {
                State::Look { look, next } if self.nfa.look_matcher().matches(*look, line.haystack, at) => {
                    threads.open.push(*next);
                }
                State::Union { alternates } => threads.open.extend(alternates.iter().rev()),
                State::BinaryUnion { alt1, alt2 } => threads.open.extend([*alt2, *alt1]),
                State::Capture { next, .. } => threads.open.push(*next),
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use hob_base::Deadline;
    use proptest::prelude::*;

    use super::*;
    use crate::pattern::parse;

    const PATTERNS: &[&str] = &[
        "",
        "a",
        "a*",
        "a+?b",
        "(a|ab)(c|bcd)?",
        "(ab|a)(bc)?",
        r"\bab\b",
        r"\w+\s",
        "^a|b$",
        r"\Bb",
        "(?:a{2,4}){1,3}",
        "[^a]b?",
        r"(?i)Ä+",
        "a??",
        "(?:)|b",
        r"\b{start}b",
        "(a*)*b|c",
        ".{3}",
        r"(?-u:\xff)|é",
    ];

    /// Checks that both ways and ripgrep's engine find the same matches.
    fn check_agreement(pattern: &str, haystack: &[u8]) {
        let hir = parse(pattern).expect("a good pattern");
        let patient = Patient::new(&hir, 32 << 20, 1 << 20).expect("it fits");
        let mut caches = patient.new_caches();
        let token = CancelToken::new(Deadline::NEVER);
        let known = regex_automata::meta::Builder::new()
            .configure(regex_automata::meta::Config::new().utf8_empty(false))
            .build_from_hir(&hir)
            .expect("it compiles");
        for start in 0..=haystack.len() {
            let span = start..haystack.len();
            let expected = known.find(Input::new(haystack).span(span.clone())).map(|m| (m.start(), m.end()));
            let both = |m: Option<Match>| m.map(|m| (m.start(), m.end()));
            let found = patient.find(haystack, span.clone(), &mut caches, &token).expect("not stopped");
            assert_eq!(both(found), expected, "{pattern} from {start} in {haystack:?}");
            let line = SearchSpan { haystack, span };
            let found = patient.simulate_nfa(&line, &mut caches, &token).expect("not stopped");
            assert_eq!(both(found), expected, "{pattern} from {start} in {haystack:?}, simulated");
        }
    }

    proptest! {
        #[test]
        fn both_ways_find_what_the_known_engine_finds(
            pattern in prop::sample::select(PATTERNS),
            text in prop::collection::vec(prop::sample::select(vec!["a", "b", "c", " ", "ä", "Ä", "é", "\u{2003}"]), 0..12),
            rubbish in prop::collection::vec(any::<u8>().prop_filter("no newline", |byte| *byte != b'\n'), 0..3),
        ) {
            check_agreement(pattern, &[text.concat().as_bytes(), &rubbish].concat());
        }
    }
}
