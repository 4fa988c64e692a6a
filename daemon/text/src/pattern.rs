//! Prepares a regex for a search: checks it, compiles it within limits, and makes its trigram query.
//!
//! Syntax and meaning are ripgrep's defaults (Rust regex, Unicode on, `^` and `$` at lines, a match never
//! spans lines). Limits keep a hostile pattern from costing more than an error: ripgrep allows 100 MB of
//! program and 1 GB of lazy automaton per thread, too much for a daemon that serves many callers; the limits
//! here still accept every pattern that people write.
//!
//! A pattern with large Unicode classes has two programs: see `ascii.rs`.

use std::fmt;
use std::sync::{Arc, OnceLock};

use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use regex_syntax::hir::{Hir, Look};

use crate::ascii;
use crate::clocked::count_states;
use crate::kept::CachedPatterns;
use crate::patient::Patient;
use crate::required::RequiredParts;
use crate::trigram::GramQuery;

/// Length of the longest pattern, in bytes.
pub const MAX_PATTERN: usize = 64 * 1024;
/// Largest compiled program, in bytes; `\w{1000}` does not fit, `.{1000}` and 10,000 alternatives do.
const PROGRAM_LIMIT: usize = 32 << 20;
/// Largest lazy automaton per thread, in bytes; beyond it the engine starts over or goes on more slowly,
/// still correctly.
const AUTOMATON_LIMIT: usize = 16 << 20;
/// The programs of all patterns of one search, in bytes, and the minimum for each.
const PROGRAMS: (usize, usize) = (128 << 20, 512 << 10);
/// Their automata on all threads, in bytes, and the minimum for each.
const AUTOMATA: (usize, usize) = (256 << 20, 256 << 10);
/// Upper bound of the size of a range of characters in a program, in bytes: about 60 in `\w`, 240 in `\d`.
const RANGE: usize = 512;
/// Deepest nesting of groups and operators, as in ripgrep.
const NEST_LIMIT: u32 = 250;

/// A pattern that cannot be searched for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct BadPattern {
    /// The reason why it cannot be searched for, in one line.
    pub message: String,
    /// Byte offset of the fault in the pattern, if it has one place.
    pub offset: Option<usize>,
    /// True for a pattern that may be a regex, but would take too much memory or time.
    pub is_too_large: bool,
}

impl fmt::Display for BadPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            Some(offset) => write!(f, "regex syntax error at byte {offset}: {}", self.message),
            None => write!(f, "regex error: {}", self.message),
        }
    }
}

/// A compiled pattern; cheap to clone.
#[derive(Clone, Debug)]
pub struct Pattern {
    engines: Engines,
    query: GramQuery,
    required: Arc<RequiredParts>,
    is_local: bool,
    /// The number of states in which a search can be at once: for any text, and for ASCII.
    states: [usize; 2],
    patient: Arc<LongLines>,
}

/// The engine for lines that are long for the pattern; few searches need it.
#[derive(Debug)]
struct LongLines {
    hir: Hir,
    limits: PatternLimits,
    engine: OnceLock<Option<Patient>>,
}

/// Recently used patterns with two engines.
static RECENT_PATTERNS: CachedPatterns<Pattern> = CachedPatterns::new();

#[derive(Clone, Debug)]
enum Engines {
    One(RegexMatcher),
    /// An engine for ASCII, and one for any text, which is compiled at its first use.
    Two(RegexMatcher, Arc<Later>),
}

/// A pattern that may have to be compiled.
#[derive(Debug)]
struct Later {
    pattern: String,
    limits: PatternLimits,
    matcher: OnceLock<Result<RegexMatcher, BadPattern>>,
}

impl Pattern {
    /// Compiles `pattern`.
    ///
    /// # Errors
    /// [`BadPattern`] for a syntax error, for a pattern that names a newline or a NUL (no line has one), and for one
    /// that is longer than [`MAX_PATTERN`] or compiles to too large a program.
    pub fn new(pattern: &str) -> Result<Self, BadPattern> {
        Self::one_of_several(1, pattern)
    }

    /// Compiles one of `number` patterns that are searched for together and share their memory; see
    /// [`Pattern::new`].
    pub(crate) fn one_of_several(number: usize, pattern: &str) -> Result<Self, BadPattern> {
        // A pattern that shares memory with others is compiled to fit, and not cached.
        if number == 1
            && let Some(known) = RECENT_PATTERNS.get(pattern)
        {
            return Ok(known);
        }
        if pattern.len() > MAX_PATTERN {
            let message = format!("the pattern has {} bytes; at most {MAX_PATTERN} are taken", pattern.len());
            return Err(BadPattern { message, offset: None, is_too_large: true });
        }
        let hir = parse(pattern)?;
        let limits = PatternLimits::shared_among(number);
        let engines = Engines::compile_engines(pattern, &hir, limits)?;
        let ranges = ascii::count_large_ranges(&hir);
        let compiled = Self {
            engines,
            query: GramQuery::from_regex(&hir),
            required: Arc::new(RequiredParts::of_regex(&hir)),
            is_local: is_local(&hir),
            states: [false, true].map(|ascii| count_states(&hir, ascii)),
            patient: Arc::new(LongLines { hir, limits, engine: OnceLock::new() }),
        };
        if number == 1 && compiled.ascii_matcher().is_some() {
            RECENT_PATTERNS.insert_value(pattern, ranges, compiled.clone());
        }
        Ok(compiled)
    }

    /// Returns the condition that a file's trigrams must satisfy for the file to have a match.
    #[must_use]
    pub fn query(&self) -> &GramQuery {
        &self.query
    }

    /// Returns the literals and runs that every match contains.
    pub(crate) fn required_parts(&self) -> &RequiredParts {
        &self.required
    }

    /// Returns true if the matches in a line are the same in the whole file as in a file that ends with the line.
    pub(crate) fn is_local(&self) -> bool {
        self.is_local
    }

    /// Returns the number of states in which a search can be at once, with the engine for ASCII or the one
    /// for any text.
    pub(crate) fn state_count(&self, ascii: bool) -> usize {
        self.states[usize::from(ascii)]
    }

    /// Returns an engine that can be stopped within a line; `None` if it exceeds the limit of a program.
    pub(crate) fn patient_engine(&self) -> Option<&Patient> {
        let LongLines { hir, limits, engine } = &*self.patient;
        // It has no literals to search for and no smaller automata beside it, so twice the pattern's limit is
        // room enough.
        engine.get_or_init(|| Patient::new(hir, limits.program * 2, limits.automaton)).as_ref()
    }

    /// Returns the engine that decides, for any text.
    ///
    /// # Errors
    /// [`BadPattern`] if the pattern could not be compiled after all.
    pub(crate) fn deciding_matcher(&self) -> Result<&RegexMatcher, BadPattern> {
        match &self.engines {
            Engines::One(matcher) => Ok(matcher),
            Engines::Two(_, later) => later.compiled_matcher(),
        }
    }

    /// Returns a smaller engine that decides the same on ASCII, if there is one.
    pub(crate) fn ascii_matcher(&self) -> Option<&RegexMatcher> {
        match &self.engines {
            Engines::One(_) => None,
            Engines::Two(matcher, _) => Some(matcher),
        }
    }
}

impl Engines {
    /// Compiles the engines so that every error of a pattern shows now. An invalid use of a character that no
    /// line has is an error in ASCII too, and the large program fits: it is the small one and the omitted
    /// ranges, each within half of the limit.
    fn compile_engines(pattern: &str, hir: &Hir, limits: PatternLimits) -> Result<Self, BadPattern> {
        let ranges = ascii::count_large_ranges(hir);
        let half = PatternLimits { program: limits.program / 2, ..limits };
        if ranges > 0
            && ranges.saturating_mul(RANGE) <= half.program
            && let Some(narrow) = ascii::ascii_pattern(hir)
            && let Ok(matcher) = compile(&narrow, &half)
        {
            let later = Later { pattern: pattern.to_owned(), limits, matcher: OnceLock::new() };
            return Ok(Self::Two(matcher, Arc::new(later)));
        }
        compile(pattern, &limits).map(Self::One)
    }
}

impl Later {
    fn compiled_matcher(&self) -> Result<&RegexMatcher, BadPattern> {
        let compiled = self.matcher.get_or_init(|| compile(&self.pattern, &self.limits));
        compiled.as_ref().map_err(Clone::clone)
    }
}

/// Returns true if a pattern cannot distinguish the end of a line from the end of a text. `^`, `$` and word
/// boundaries see a newline and an end alike. The ends of the text and CRLF line ends do not, nor does `\B`,
/// which beside invalid UTF-8 depends on bytes farther away.
fn is_local(hir: &Hir) -> bool {
    let local = [Look::StartLF, Look::EndLF, Look::WordAscii, Look::WordUnicode];
    hir.properties().look_set().iter().all(|look| local.contains(&look))
}

/// Parses a pattern as the engine does, for the place of an error and for the trigram query.
pub(crate) fn parse(pattern: &str) -> Result<Hir, BadPattern> {
    regex_syntax::ParserBuilder::new()
        .utf8(false)
        .multi_line(true)
        .nest_limit(NEST_LIMIT)
        .build()
        .parse(pattern)
        .map_err(|error| syntax_error(&error))
}

fn syntax_error(error: &regex_syntax::Error) -> BadPattern {
    let (message, offset) = match error {
        regex_syntax::Error::Parse(e) => (e.kind().to_string(), Some(e.span().start.offset)),
        regex_syntax::Error::Translate(e) => (e.kind().to_string(), Some(e.span().start.offset)),
        other => (other.to_string(), None),
    };
    BadPattern { message, offset, is_too_large: false }
}

/// The memory limits of a pattern, in bytes.
#[derive(Clone, Copy, Debug)]
struct PatternLimits {
    program: usize,
    automaton: usize,
}

impl PatternLimits {
    fn shared_among(patterns: usize) -> Self {
        let share =
            |(all, least): (usize, usize), parts: usize, most| (all / parts.max(1)).clamp(least, most);
        Self {
            program: share(PROGRAMS, patterns, PROGRAM_LIMIT),
            automaton: share(AUTOMATA, patterns * rayon::current_num_threads(), AUTOMATON_LIMIT),
        }
    }
}

fn compile(pattern: &str, limits: &PatternLimits) -> Result<RegexMatcher, BadPattern> {
    RegexMatcherBuilder::new()
        .multi_line(true)
        .line_terminator(Some(b'\n'))
        .ban_byte(Some(0))
        .nest_limit(NEST_LIMIT)
        .size_limit(limits.program)
        .dfa_size_limit(limits.automaton)
        .build(pattern)
        .map_err(|error| engine_error(&error, limits.program))
}

/// Converts an error of the engine. The pattern has been parsed already, so the remaining errors are about
/// bytes and size.
fn engine_error(error: &grep_regex::Error, limit: usize) -> BadPattern {
    let refused =
        |message: &str| BadPattern { message: message.to_owned(), offset: None, is_too_large: false };
    match error.kind() {
        ErrorKind::NotAllowed(_) => {
            refused("a newline cannot match: the search goes line by line, so leave `\\n` out")
        }
        ErrorKind::Banned(_) => refused("a NUL byte cannot match: files that contain one are binary"),
        _ => {
            let message = format!("compiled, it takes more than the size limit of {} KiB", limit >> 10);
            BadPattern { message, offset: None, is_too_large: true }
        }
    }
}

#[cfg(test)]
mod tests {
    use grep_matcher::Matcher;

    use super::*;

    #[track_caller]
    fn error(pattern: &str) -> BadPattern {
        Pattern::new(pattern).expect_err("the pattern is bad")
    }

    #[test]
    fn syntax_errors_say_where() {
        assert_eq!(error("ab(c").offset, Some(2));
        assert_eq!(error("ab(c").message, "unclosed group");
        assert_eq!(error("é[z-a]").offset, Some(3));
        assert_eq!(error("a)(b").offset, Some(1));
        assert_eq!(error(r"x\p{Nope}").offset, Some(1));
    }

    #[test]
    fn what_no_line_can_hold_is_an_error() {
        assert!(error(r"a\nb").message.contains("newline"));
        assert!(error(r"a\x00b").message.contains("NUL"));
    }

    #[test]
    fn a_pattern_has_its_full_engine_when_it_is_needed() {
        let pattern = Pattern::new(r"grö\w+\d{3}|x\W{20}").expect("a valid pattern");
        assert!(pattern.ascii_matcher().is_some());
        let full = pattern.deciding_matcher().expect("it fits");
        assert_eq!(full.is_match("größe٣٤٥".as_bytes()), Ok(true));
        // The largest pattern that is compiled at its first use fits by far.
        let largest = Pattern::new(r"\w{40}").expect("a valid pattern");
        assert!(largest.ascii_matcher().is_some() && largest.deciding_matcher().is_ok());
        assert!(Pattern::new(r"\w{400}").expect("a valid pattern").ascii_matcher().is_none());
    }

    #[test]
    fn hostile_patterns_end_with_an_error_or_compile() {
        assert!(error(&"a".repeat(MAX_PATTERN + 1)).message.contains("bytes"));
        assert!(error(r"(\w{100}){100}").message.contains("size limit"));
        assert!(error(&"(".repeat(300)).offset.is_some());
        assert!(error(&format!("{}{}", "(".repeat(300), ")".repeat(300))).message.contains("nest"));
        for pattern in ["(a*)*b", ".{1000}", "(?:a{0,50}){0,50}", r"(x+x+)+y"] {
            assert!(Pattern::new(pattern).is_ok(), "{pattern}");
        }
        let words: Vec<String> = (0..10_000).map(|n| format!("w{n}")).collect();
        assert!(Pattern::new(&words.join("|")).is_ok());
    }
}
