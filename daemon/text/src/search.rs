//! Runs one search from request to answer: candidates, verification in parallel, assembly in order.
//!
//! Files are searched in the order of their paths, in blocks that grow: each block is searched in parallel,
//! then added to the answer in order. So the answer is the same on every run. A search with a limit holds
//! little more than it shows: the files of a block share the number of lines that they may keep, and a file
//! whose lines belong in the answer but found no room is searched once more. Totals count everything
//! searched, whatever is shown.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hob_base::{CancelToken, Contents, FileId, WsPath};
use rayon::prelude::*;

use crate::file_text::{FileReader, Unread};
use crate::filter::{Admits, BadGlob, PathFilter};
use crate::lanes::{FILES_AT_ONCE, Lanes};
use crate::pattern::{BadPattern, Pattern};
use crate::prefilter::Prefilter;
use crate::scope::LineScope;
use crate::trigram::{CandidateFile, TextView};
use crate::verify::{FileMatches, SearchedPart, Verifier, WantedLines};

/// Most context lines on each side of a match.
pub const MAX_CONTEXT: u32 = 200;
/// Approximate number of lines, with context, that the files of a block keep together before they are cut to
/// the limit.
const BLOCK_LINES: usize = 1 << 16;
/// Number of files in the first block, and most in any later one.
const BLOCK_FILES: (usize, usize) = (64, 4096);
/// The factor by which each block is longer than the one before it.
const BLOCK_GROWTH: usize = 4;

/// The pattern and the files to search, and the part of the matches to show.
#[derive(Clone, Debug, Default)]
pub struct SearchRequest {
    /// A regex in Rust's syntax, matched line by line as ripgrep does.
    pub pattern: String,
    /// Only files at or below this path.
    pub path_prefix: Option<WsPath>,
    /// Only files that this glob admits; see [`crate::filter`].
    pub glob: Option<String>,
    /// Only files that pass this test.
    pub admits: Option<Admits>,
    /// Only these lines of each file; `None` is all.
    pub scope: Option<LineScope>,
    /// Most lines (with [`SearchOutput::Lines`]) or files (otherwise) to show; `None` shows all.
    pub limit: Option<usize>,
    /// Lines of context on each side of a match, at most [`MAX_CONTEXT`].
    pub context_lines: u32,
    /// The rows that the answer shows.
    pub output: SearchOutput,
}

/// The rows that an answer shows: lines or files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchOutput {
    /// Every line with a match.
    #[default]
    Lines,
    /// The files that match, with their counts.
    Files,
    /// As `Files`; but like `rg --count`, a file with its first NUL byte after 64 KiB counts as no match.
    Count,
}

/// A matching line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineMatch {
    /// Number of the file in the file table.
    pub file: FileId,
    /// The file's path, relative to the root.
    pub path: WsPath,
    /// Number of the line, 1-based.
    pub line: u32,
    /// 1-based column of the first match, in UTF-16 code units of the line as it is shown.
    pub col: u32,
    /// 1-based column of the first match in bytes, as ripgrep counts.
    pub byte_col: u32,
    /// The line without its `\n` (a `\r` stays), invalid UTF-8 replaced, cut after [`crate::search::MAX_LINE`] bytes.
    pub text: String,
    /// Up to `context_lines` lines before, in order, in the form of `text`; other matches may be among them.
    pub before: Vec<String>,
    /// Up to `context_lines` lines after.
    pub after: Vec<String>,
}

pub use crate::shown::MAX_LINE;

/// A matching file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCount {
    /// Number of the file in the file table.
    pub file: FileId,
    /// The file's path, relative to the root.
    pub path: WsPath,
    /// Number of lines with at least one match.
    pub lines: u64,
    /// Occurrences, as `rg --count-matches` counts them.
    pub matches: u64,
}

/// The matches of one search, with totals and whether they are complete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchAnswer {
    /// Matching lines by path and line; empty unless the output is [`SearchOutput::Lines`].
    pub matches: Vec<LineMatch>,
    /// Matching files by path; limited unless the output is [`SearchOutput::Lines`].
    pub files: Vec<FileCount>,
    /// Number of matching lines in everything searched.
    pub total_lines: u64,
    /// Number of occurrences in everything searched.
    pub total_matches: u64,
    /// Number of matching files in everything searched.
    pub files_matched: usize,
    /// Number of files that the index could not rule out.
    pub candidates: usize,
    /// Number of candidates that exist and could not be read.
    pub unreadable: usize,
    /// True if time sufficed for every candidate; otherwise the totals are lower bounds.
    pub complete: bool,
    /// Time from the request to the answer.
    pub elapsed: Duration,
}

impl SearchAnswer {
    /// Returns true if every candidate was read and searched to its end; otherwise the totals are lower bounds.
    #[must_use]
    pub fn covers_everything(&self) -> bool {
        self.complete && self.unreadable == 0
    }
}

/// The reason why a search did not begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// The pattern is no regex, or is too large.
    #[error(transparent)]
    Pattern(#[from] BadPattern),
    /// The glob is malformed.
    #[error(transparent)]
    Glob(#[from] BadGlob),
}

/// Searches the files of `snapshot`, which it reads from `contents`. Runs in parallel on the rayon pool of
/// the caller. When `token` stops it, the answer holds the matches until then and is not `complete`.
///
/// The text of a file is the indexed one, if the snapshot's cache has it, or else that of `contents`; a
/// candidate that is gone by then is no match. Snapshot and contents may be of different moments.
///
/// # Errors
/// [`SearchError`] for a bad pattern or glob; never for anything in the files.
pub fn search(
    snapshot: &TextView,
    request: &SearchRequest,
    contents: &dyn Contents,
    token: &CancelToken,
) -> Result<SearchAnswer, SearchError> {
    let start = Instant::now();
    let filter = PathFilter::new(request.path_prefix.clone(), request.glob.as_deref())?
        .and_admitted(request.admits.clone());
    let pattern = Pattern::new(&request.pattern)?;
    let candidates = snapshot.candidate_files(pattern.query(), &filter);
    let prefilter = Prefilter::for_pattern(&pattern, snapshot);
    let mut assembly = Assembly::new(request, candidates.len());
    let lanes = Lanes::new();
    let verify = |found: &CandidateFile, wanted: WantedLines| {
        let within = LineScope::lines_of(request.scope.as_ref(), found.file, &found.path);
        if within.is_empty() {
            return Ok(FileMatches::default());
        }
        let make = || (FileReader::new(contents, token), Verifier::new(&pattern, prefilter.as_ref(), token));
        lanes.with_own_value(make, |(reader, verifier)| {
            let text = reader.read(&found.path, snapshot.text(&found.hash))?;
            let place = SearchedPart { lines: &within, blocks: &found.blocks };
            Ok(verifier.search(&text, wanted, &place))
        })
    };
    let (mut rest, mut len) = (&candidates[..], BLOCK_FILES.0);
    while !rest.is_empty() && assembly.answer.complete {
        let (block, later) = rest.split_at(len.min(rest.len()));
        let room = assembly.room_for_block();
        let found: Vec<_> = block
            .par_iter()
            .with_max_len(FILES_AT_ONCE)
            .map(|file| room.search_within(&|wanted| verify(file, wanted)))
            .collect();
        for (file, found) in block.iter().zip(found) {
            let found = match found {
                Ok(found) if assembly.lacks_lines(&found) => verify(file, assembly.wanted_of_next()),
                found => found,
            };
            assembly.add(file, found);
        }
        (rest, len) = (later, (len * BLOCK_GROWTH).min(BLOCK_FILES.1));
    }
    assembly.answer.elapsed = start.elapsed();
    Ok(assembly.answer)
}

/// The growing answer, in the order of paths.
struct Assembly {
    answer: SearchAnswer,
    output: SearchOutput,
    /// Number of context lines on each side.
    context: u32,
    /// Number of lines or files that may still be shown.
    left: usize,
}

impl Assembly {
    fn new(request: &SearchRequest, candidates: usize) -> Self {
        let answer = SearchAnswer { complete: true, candidates, ..SearchAnswer::default() };
        Self {
            answer,
            output: request.output,
            context: request.context_lines.min(MAX_CONTEXT),
            left: request.limit.unwrap_or(usize::MAX),
        }
    }

    /// Returns the lines to keep of a file, if it were the next one.
    fn wanted_of_next(&self) -> WantedLines {
        let lines = if self.output == SearchOutput::Lines { self.left } else { 0 };
        WantedLines { lines, context: self.context }
    }

    /// Returns the room for the lines of the next block.
    fn room_for_block(&self) -> LineRoom {
        let most = BLOCK_LINES / (1 + 2 * self.context as usize);
        let wanted = self.wanted_of_next();
        let lines = match self.left {
            usize::MAX => usize::MAX,
            // Not much more than the rest, because it would be discarded.
            _ => wanted.lines.saturating_mul(2).min(most.max(1)),
        };
        LineRoom { left: AtomicUsize::new(lines), wanted }
    }

    /// Returns true if the file lacks lines that belong in the answer.
    fn lacks_lines(&self, found: &FileMatches) -> bool {
        let wanted = self.wanted_of_next().lines.min(usize::try_from(found.lines).unwrap_or(usize::MAX));
        found.shown.len() < wanted && !found.stopped
    }

    fn add(&mut self, CandidateFile { file, path, .. }: &CandidateFile, found: Result<FileMatches, Unread>) {
        let found = match found {
            Ok(found) => found,
            Err(unread) => {
                self.answer.unreadable += usize::from(unread == Unread::Failed);
                self.answer.complete &= unread != Unread::Stopped;
                return;
            }
        };
        self.answer.complete &= !found.stopped;
        let hidden = self.output == SearchOutput::Count && found.cut_by_nul;
        if found.lines == 0 || hidden {
            return;
        }
        self.answer.total_lines += found.lines;
        self.answer.total_matches += found.matches;
        self.answer.files_matched += 1;
        if self.output == SearchOutput::Lines || self.take_one() {
            let (lines, matches) = (found.lines, found.matches);
            self.answer.files.push(FileCount { file: *file, path: path.clone(), lines, matches });
        }
        for shown in found.shown {
            if !self.take_one() {
                break;
            }
            self.answer.matches.push(shown.at_path(*file, path));
        }
    }

    fn take_one(&mut self) -> bool {
        let some = self.left > 0;
        self.left -= usize::from(some);
        some
    }
}

/// The number of lines that the files of a block may still keep. It is approximate: files that are searched
/// at the same time see the same room.
struct LineRoom {
    left: AtomicUsize,
    wanted: WantedLines,
}

impl LineRoom {
    /// Searches a file within the present room, and reduces the room by the lines that it keeps.
    fn search_within(
        &self,
        verify: &dyn Fn(WantedLines) -> Result<FileMatches, Unread>,
    ) -> Result<FileMatches, Unread> {
        let left = self.left.load(Ordering::Relaxed);
        let found = verify(WantedLines { lines: self.wanted.lines.min(left), ..self.wanted })?;
        let kept = |left: usize| Some(left.saturating_sub(found.shown.len()));
        let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, kept);
        Ok(found)
    }
}
