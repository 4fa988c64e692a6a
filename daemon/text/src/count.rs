//! Counts many patterns in one pass, which reads every candidate file once.
//!
//! Counts are those of `rg --count-matches`, pattern by pattern; a file with its first NUL byte after 64 KiB
//! counts as no match, as there. Each thread adds up its counts, and the sums are added at the end, so memory
//! does not grow with the number of matching files.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use hob_base::{CancelToken, Contents, WsPath};
use rayon::prelude::*;

use crate::contents::pack::CachedText;
use crate::file_text::{FileReader, Unread};
use crate::filter::{Admits, BadGlob, PathFilter};
use crate::lanes::{FILES_AT_ONCE, Lanes};
use crate::pattern::{BadPattern, Pattern};
use crate::prefilter::Prefilter;
use crate::scope::{LineScope, LineSet};
use crate::search::FileCount;
use crate::trigram::{GramQuery, MultiQueryCandidate, TextView};
use crate::verify::{FileMatches, SearchedPart, Verifier, WantedLines};

/// Most patterns of a request: each has a compiled program for every thread.
pub const MAX_PATTERNS: usize = 256;
/// Number of files that the answer names for each pattern.
pub const TOP_FILES: usize = 10;

/// The patterns to count, and the files in which they are counted.
#[derive(Clone, Debug, Default)]
pub struct CountRequest {
    /// Regexes as in [`crate::SearchRequest`], each counted separately.
    pub patterns: Vec<String>,
    /// Only files at or below this path.
    pub path_prefix: Option<WsPath>,
    /// Only files that this glob admits; see [`crate::filter`].
    pub glob: Option<String>,
    /// Only files that pass this test.
    pub admits: Option<Admits>,
    /// Only these lines of each file; `None` is all.
    pub scope: Option<LineScope>,
}

/// The counts of all patterns, and whether they are complete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountAnswer {
    /// One per pattern, in the order of the request.
    pub counts: Vec<PatternCounts>,
    /// Number of files that the index could not rule out for all patterns; each was read once.
    pub candidates: usize,
    /// Number of candidates that exist and could not be read.
    pub unreadable: usize,
    /// True if time sufficed for every candidate; otherwise the counts are lower bounds.
    pub complete: bool,
    /// Time from the request to the answer.
    pub elapsed: Duration,
}

impl CountAnswer {
    /// Returns true if every candidate was read and searched to its end; otherwise the counts are lower bounds.
    #[must_use]
    pub fn covers_everything(&self) -> bool {
        self.complete && self.unreadable == 0
    }
}

/// The numbers of matches of one pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternCounts {
    /// Number of lines with at least one match.
    pub total_lines: u64,
    /// Number of occurrences, several on one line included.
    pub total_matches: u64,
    /// Number of files with at least one match.
    pub files_matched: usize,
    /// The [`TOP_FILES`] files with the most occurrences, most first, then by path.
    pub top_files: Vec<FileCount>,
}

/// The reason why counting did not begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CountError {
    /// The glob is malformed.
    #[error(transparent)]
    Glob(#[from] BadGlob),
    /// A pattern is no regex, or is too large.
    #[error("pattern {number}: {error}")]
    Pattern {
        /// The number of the pattern in the request, from 0.
        number: usize,
        /// The reason why it cannot be searched for.
        error: BadPattern,
    },
    /// The request has too many patterns.
    #[error("{0} patterns; at most {MAX_PATTERNS} are allowed in one call")]
    TooMany(usize),
}

/// Counts the matches of each pattern in the files of `snapshot`, which it reads from `contents`. Runs in
/// parallel on the rayon pool of the caller. When `token` stops it, the answer is not `complete`.
///
/// # Errors
/// [`CountError`] for a bad glob, a bad pattern or too many of them; then nothing is counted.
pub fn count(
    snapshot: &TextView,
    request: &CountRequest,
    contents: &dyn Contents,
    token: &CancelToken,
) -> Result<CountAnswer, CountError> {
    let start = Instant::now();
    if request.patterns.len() > MAX_PATTERNS {
        return Err(CountError::TooMany(request.patterns.len()));
    }
    let filter = PathFilter::new(request.path_prefix.clone(), request.glob.as_deref())?
        .and_admitted(request.admits.clone());
    let patterns = compile_patterns(&request.patterns)?;
    let queries: Vec<&GramQuery> = patterns.iter().map(Pattern::query).collect();
    let candidates = snapshot.candidates_of_each(&queries, &filter);
    let with_prefilters: Vec<(&Pattern, Option<Prefilter>)> =
        patterns.iter().map(|pattern| (pattern, Prefilter::for_pattern(pattern, snapshot))).collect();
    let lanes = Lanes::new();
    candidates.par_iter().with_max_len(FILES_AT_ONCE).for_each(|candidate| {
        let within = LineScope::lines_of(request.scope.as_ref(), candidate.file, &candidate.path);
        if within.is_empty() {
            return;
        }
        lanes.with_own_value(
            || {
                Lane::new(
                    FileReader::new(contents, token),
                    with_prefilters
                        .iter()
                        .map(|(pattern, prefilter)| Verifier::new(pattern, prefilter.as_ref(), token)),
                )
            },
            |lane| lane.count_file(candidate, snapshot.text(&candidate.hash), &within),
        );
    });
    let sum = lanes.into_values().map(|lane| lane.sum).fold(CountSum::new(patterns.len()), CountSum::add_sum);
    Ok(CountAnswer {
        counts: sum.counts.into_iter().map(PatternCounts::with_top_files).collect(),
        candidates: candidates.len(),
        unreadable: sum.unreadable,
        complete: !sum.stopped,
        elapsed: start.elapsed(),
    })
}

/// Compiles the patterns, with less memory for each the more there are; the first bad one is the error.
fn compile_patterns(patterns: &[String]) -> Result<Vec<Pattern>, CountError> {
    let number = patterns.len();
    let compiled: Vec<_> =
        patterns.par_iter().map(|pattern| Pattern::one_of_several(number, pattern)).collect();
    let named = |(number, pattern): (usize, Result<Pattern, BadPattern>)| {
        pattern.map_err(|error| CountError::Pattern { number, error })
    };
    compiled.into_iter().enumerate().map(named).collect()
}

/// The matchers and buffers of one thread, and its counts.
struct Lane<'a> {
    reader: FileReader<'a>,
    verifiers: Vec<Verifier<'a>>,
    sum: CountSum,
}

impl<'a> Lane<'a> {
    fn new(reader: FileReader<'a>, verifiers: impl Iterator<Item = Verifier<'a>>) -> Self {
        let verifiers: Vec<_> = verifiers.collect();
        Self { reader, sum: CountSum::new(verifiers.len()), verifiers }
    }

    fn count_file(
        &mut self,
        candidate: &MultiQueryCandidate,
        indexed: Option<CachedText<'_>>,
        within: &LineSet,
    ) {
        let text = match self.reader.read(&candidate.path, indexed) {
            Ok(text) => text,
            Err(unread) => {
                self.sum.unreadable += usize::from(unread == Unread::Failed);
                self.sum.stopped |= unread == Unread::Stopped;
                return;
            }
        };
        for (number, blocks) in candidate.queries.iter().zip(&candidate.blocks) {
            let (at, place) = (*number as usize, SearchedPart { lines: within, blocks });
            let found = self.verifiers[at].search(&text, WantedLines { lines: 0, context: 0 }, &place);
            self.sum.stopped |= found.stopped;
            self.sum.counts[at].add(candidate, &found);
        }
    }
}

/// Counts of some of the files.
struct CountSum {
    counts: Vec<PatternCounts>,
    unreadable: usize,
    stopped: bool,
}

impl CountSum {
    fn new(patterns: usize) -> Self {
        Self { counts: vec![PatternCounts::default(); patterns], unreadable: 0, stopped: false }
    }

    fn add_sum(mut self, other: Self) -> Self {
        self.unreadable += other.unreadable;
        self.stopped |= other.stopped;
        for (mine, theirs) in self.counts.iter_mut().zip(other.counts) {
            mine.total_lines += theirs.total_lines;
            mine.total_matches += theirs.total_matches;
            mine.files_matched += theirs.files_matched;
            mine.top_files.extend(theirs.top_files);
        }
        self
    }
}

impl PatternCounts {
    fn add(&mut self, candidate: &MultiQueryCandidate, found: &FileMatches) {
        if found.lines == 0 || found.cut_by_nul {
            return;
        }
        self.total_lines += found.lines;
        self.total_matches += found.matches;
        self.files_matched += 1;
        let MultiQueryCandidate { file, path, .. } = candidate;
        let (lines, matches) = (found.lines, found.matches);
        self.top_files.push(FileCount { file: *file, path: path.clone(), lines, matches });
        // Cutting the list at intervals keeps it short without a sort at every file.
        if self.top_files.len() > 8 * TOP_FILES {
            self.keep_top();
        }
    }

    fn keep_top(&mut self) {
        self.top_files.sort_by(|a, b| (Reverse(a.matches), &a.path).cmp(&(Reverse(b.matches), &b.path)));
        self.top_files.truncate(TOP_FILES);
    }

    fn with_top_files(mut self) -> Self {
        self.keep_top();
        self
    }
}
