//! Searches one file for the real regex, with ripgrep's own engine.
//!
//! A file is searched in memory, unless that could give another result than ripgrep or take long. Three kinds
//! of files go through ripgrep's buffered reader: a file with a NUL byte, because the reader stops at the
//! buffer that holds it; a large file, because the search can be stopped between two buffers; and any file if
//! the pattern can see the beginning of a buffer, as `\A` does. The beginning of a buffer depends on the
//! file's encoding, so that reader gets the raw bytes from the disk. All ways give the same lines.
//!
//! If no line is to be shown, the matches of most patterns are counted without finding lines first: the count
//! is the same if the pattern can see the end of its line only by its newline ([`Pattern::is_local`]). For
//! the same reason, if the text is the indexed one, only those blocks of a file are searched that the index
//! does not rule out.

use std::io::{self, Read};
use std::ops::Range;

use grep_matcher::{LineMatchKind, Matcher};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use hob_base::line_index::utf16_len;
use hob_base::{CancelToken, Stopped};
use memchr::{memchr, memchr_iter, memrchr};

use crate::clocked::Clocked;
use crate::encoding::FIRST_BUFFER;
use crate::file_text::FileText;
use crate::pattern::Pattern;
use crate::prefilter::Prefilter;
use crate::scope::LineSet;
use crate::shown::{ShownLine, lines_after, lines_before, shown_text};
use crate::trigram::blocks::Blocks;

/// Size in bytes up to which files are searched without a check of the clock, except that of [`Clocked`] for
/// slow patterns.
const UNINTERRUPTED: usize = 128 << 10;
/// Number of matching lines between two checks of the clock.
const LINES_PER_CHECK: u64 = 256;

/// The part of a file's matches to keep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WantedLines {
    /// Most lines to show.
    pub(crate) lines: usize,
    /// Number of context lines on each side of each line.
    pub(crate) context: u32,
}

/// The matches of one file.
#[derive(Debug, Default)]
pub(crate) struct FileMatches {
    pub(crate) lines: u64,
    pub(crate) matches: u64,
    /// The first matching lines, as many as requested.
    pub(crate) shown: Vec<ShownLine>,
    /// True if the search was stopped before the end.
    pub(crate) stopped: bool,
    /// True if a NUL byte ended the search.
    pub(crate) cut_by_nul: bool,
}

/// The part of a file to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchedPart<'a> {
    /// The lines of the request.
    pub(crate) lines: &'a LineSet,
    /// The blocks of the indexed text that may have a match.
    pub(crate) blocks: &'a Blocks,
}

/// Searches files one after the other; each thread has its own, for its buffers.
pub(crate) struct Verifier<'a> {
    matchers: Matchers<'a>,
    /// True if matches may be counted without separate lines, and with any buffers.
    is_local: bool,
    searcher: Searcher,
    /// The searcher for raw bytes from the disk; few searches need it.
    decoding: Option<Searcher>,
    token: &'a CancelToken,
}

impl<'a> Verifier<'a> {
    /// Creates a verifier, which finds candidate lines with `prefilter` if there is one.
    pub(crate) fn new(
        pattern: &'a Pattern,
        prefilter: Option<&'a Prefilter>,
        token: &'a CancelToken,
    ) -> Self {
        let ascii = Clocked::for_ascii(pattern, token).map(|matcher| matcher.with_prefilter(prefilter));
        let matchers = Matchers { pattern, prefilter, token, ascii, any: None };
        let is_local = pattern.is_local();
        Self { matchers, is_local, searcher: new_searcher(false), decoding: None, token }
    }

    /// Searches a file in the admitted blocks. Lines outside of the request count as not matching.
    pub(crate) fn search(
        &mut self,
        file: &FileText<'_>,
        wanted: WantedLines,
        place: &SearchedPart<'_>,
    ) -> FileMatches {
        let within = place.lines;
        if let Some(runs) = file.runs_of_blocks(place.blocks, UNINTERRUPTED).filter(|_| self.is_local) {
            return self.search_runs(file, &runs, wanted, within);
        }
        let Some(matcher) = self.matchers.matcher_for(file.is_ascii()) else {
            return FileMatches { stopped: true, ..FileMatches::default() };
        };
        if self.is_local && file.nul.is_none() {
            // Most candidates have no match, and counting shows that soonest.
            let counted = Counter { matcher, token: self.token }.count(&file.text);
            let is_all = wanted.lines == 0 && within.is_all();
            if is_all || counted.lines == 0 {
                return counted;
            }
        }
        let text = &file.text[..file.nul.unwrap_or(file.text.len())];
        let mut collector = Collector::new(matcher, text, wanted, within, self.token);
        let one_slice = self.is_local && file.nul.is_none() && file.text.len() <= UNINTERRUPTED;
        let result = if one_slice {
            self.searcher.search_slice(matcher, &file.text, &mut collector)
        } else {
            let reader = Stoppable { rest: file.raw, token: self.token };
            let mut decoding = self.decoding.take().unwrap_or_else(|| new_searcher(true));
            let result = decoding.search_reader(matcher, reader, &mut collector);
            // A long line enlarges the buffer, and in the next file that would end at another place than
            // ripgrep's first one.
            self.decoding = (file.text.len() < FIRST_BUFFER).then_some(decoding);
            result
        };
        let mut found = collector.found;
        // The only error, of the reader or the engine, is that the search was stopped.
        found.stopped |= result.is_err();
        found
    }

    /// Searches some ranges of whole lines, in a file without a NUL byte and for a local pattern.
    fn search_runs(
        &mut self,
        file: &FileText<'_>,
        runs: &[Range<usize>],
        wanted: WantedLines,
        within: &LineSet,
    ) -> FileMatches {
        let mut all = FileMatches::default();
        let (mut line, mut counted_to) = (0, 0);
        for run in runs {
            let text = &file.text[run.clone()];
            let Some(matcher) = self.matchers.matcher_for(file.is_ascii() || text.is_ascii()) else {
                all.stopped = true;
                break;
            };
            let mut found = Counter { matcher, token: self.token }.count(text);
            let is_all = wanted.lines == all.shown.len() && within.is_all();
            if found.lines > 0 && !is_all {
                line += memchr_iter(b'\n', &file.text[counted_to..run.start]).count() as u64;
                counted_to = run.start;
                let rest = WantedLines { lines: wanted.lines - all.shown.len(), ..wanted };
                let mut collector = Collector::new(matcher, &file.text, rest, within, self.token);
                (collector.start, collector.line) = (run.start, line);
                let result = self.searcher.search_slice(matcher, text, &mut collector);
                found = collector.found;
                found.stopped |= result.is_err();
            }
            all.add(found);
            all.stopped |= self.token.check().is_err();
            if all.stopped {
                break;
            }
        }
        all
    }
}

impl FileMatches {
    /// Adds matches from later in the same file.
    fn add(&mut self, later: Self) {
        self.lines += later.lines;
        self.matches += later.matches;
        self.shown.extend(later.shown);
        self.stopped |= later.stopped;
    }
}

/// A thread's own copies of a pattern's engines.
struct Matchers<'a> {
    pattern: &'a Pattern,
    prefilter: Option<&'a Prefilter>,
    token: &'a CancelToken,
    ascii: Option<Clocked<'a>>,
    any: Option<Clocked<'a>>,
}

impl<'a> Matchers<'a> {
    /// Returns the engine for a text; `None` if there is none, which [`Pattern`] prevents.
    fn matcher_for(&mut self, is_ascii: bool) -> Option<&Clocked<'a>> {
        if self.ascii.is_some() && is_ascii {
            return self.ascii.as_ref();
        }
        if self.any.is_none() {
            let any = Clocked::for_any_text(self.pattern, self.token).ok();
            self.any = any.map(|matcher| matcher.with_prefilter(self.prefilter));
        }
        self.any.as_ref()
    }
}

/// Counts the matches of whole files.
struct Counter<'a> {
    matcher: &'a Clocked<'a>,
    token: &'a CancelToken,
}

impl Counter<'_> {
    /// Counts without the searcher, which would find each line and then its matches once more.
    fn count(&self, text: &[u8]) -> FileMatches {
        let mut tally = LineTally { text, ..LineTally::default() };
        let mut start = 0;
        while start < text.len() {
            let far = text.get(start + UNINTERRUPTED..).and_then(|rest| memchr(b'\n', rest));
            let end = far.map_or(text.len(), |newline| start + UNINTERRUPTED + newline + 1);
            let result = self.count_between(&mut tally, start, end);
            start = end;
            tally.found.stopped = result.is_err() || (start < text.len() && self.token.check().is_err());
            if tally.found.stopped {
                break;
            }
        }
        tally.found
    }

    /// Counts in whole lines. For some patterns the matcher knows inner literals that lead to their lines far
    /// sooner than the pattern itself would; then it returns candidates, and each of these lines is searched
    /// separately. Nor is the engine asked about a pattern that is one run: all longest runs are its matches.
    fn count_between(&self, tally: &mut LineTally<'_>, start: usize, end: usize) -> Result<(), Stopped> {
        if let Some((run, finder)) = self.matcher.whole_run() {
            finder.for_each_run(&tally.text[start..end], |at, len| {
                for _ in 0..run.matches_within(len) {
                    tally.add(start + at, end);
                }
            });
            return Ok(());
        }
        let mut at = start;
        while at < end {
            let (offset, line_alone) = match self.matcher.find_candidate_line(&tally.text[at..end])? {
                None => break,
                Some(LineMatchKind::Confirmed(offset)) => (offset, false),
                Some(LineMatchKind::Candidate(offset)) => (offset, true),
            };
            let (before, after) = tally.text[at..end].split_at(offset);
            let line_start = memrchr(b'\n', before).map_or(at, |newline| at + newline + 1);
            let line_end = memchr(b'\n', after).map_or(end, |newline| at + offset + newline + 1);
            at = if line_alone { line_end } else { end };
            // The engine sees the text before the line, but no match can begin there and cross the newline.
            let text = &tally.text[..at];
            self.matcher.find_iter_at(text, line_start, |found| tally.add(found.start(), text.len()))?;
        }
        Ok(())
    }
}

/// Creates ripgrep's searcher, configured as for files found by walking.
pub(crate) fn new_searcher(decodes: bool) -> Searcher {
    SearcherBuilder::new()
        .line_number(true)
        .bom_sniffing(decodes)
        .binary_detection(BinaryDetection::quit(0))
        .build()
}

/// The counts of matches that come in order.
#[derive(Default)]
struct LineTally<'a> {
    text: &'a [u8],
    /// The end of the last match's line.
    line_end: usize,
    found: FileMatches,
}

impl LineTally<'_> {
    /// Adds a match that begins at `start`, of those in lines that end by `end`; returns false if the count
    /// should stop. As in `Collector::occurrences`, a match at the end of its line counts only if it is the
    /// only one there.
    fn add(&mut self, start: usize, end: usize) -> bool {
        if start >= end && (self.text[..end].ends_with(b"\n") || self.line_end == end) {
            return false;
        }
        if start >= self.line_end {
            let rest = self.text.get(start..end).unwrap_or_default();
            self.line_end = memchr(b'\n', rest).map_or(end, |newline| start + newline + 1);
            self.found.lines += 1;
        }
        self.found.matches += 1;
        true
    }
}

/// A reader that fails when the search is to stop.
struct Stoppable<'a> {
    rest: &'a [u8],
    token: &'a CancelToken,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.token.check().map_err(io::Error::other)?;
        self.rest.read(buffer)
    }
}

/// Receives a file's matching lines.
struct Collector<'a> {
    matcher: &'a Clocked<'a>,
    /// The file up to its first NUL, for context lines.
    text: &'a [u8],
    /// The byte of `text` at which the searched part begins.
    start: usize,
    /// Number of lines before the searched part.
    line: u64,
    wanted: WantedLines,
    within: &'a LineSet,
    /// Number of matching lines, whether in the request or not.
    seen: u64,
    token: &'a CancelToken,
    found: FileMatches,
}

impl<'a> Collector<'a> {
    fn new(
        matcher: &'a Clocked<'a>,
        text: &'a [u8],
        wanted: WantedLines,
        within: &'a LineSet,
        token: &'a CancelToken,
    ) -> Self {
        let found = FileMatches::default();
        Self { matcher, text, start: 0, line: 0, wanted, within, seen: 0, token, found }
    }

    /// Returns the 1-based number of a line in the file.
    fn line_number(&self, line: &SinkMatch<'_>) -> u64 {
        self.line + line.line_number().unwrap_or_default()
    }
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, line: &SinkMatch<'_>) -> io::Result<bool> {
        if self.within.contains(self.line_number(line)) {
            self.add_line(line)?;
        }
        self.seen += 1;
        if self.seen.is_multiple_of(LINES_PER_CHECK) && self.token.check().is_err() {
            self.found.stopped = true;
        }
        Ok(!self.found.stopped)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.found.cut_by_nul = true;
        Ok(true)
    }
}

impl Collector<'_> {
    fn add_line(&mut self, line: &SinkMatch<'_>) -> io::Result<()> {
        let (occurrences, first) = self.count_occurrences(line)?;
        self.found.lines += 1;
        self.found.matches += occurrences;
        if self.found.shown.len() < self.wanted.lines {
            let shown = self.to_shown(line, first);
            self.found.shown.push(shown);
        }
        Ok(())
    }

    /// Returns the number of matches in a line and the byte at which the first begins. As in ripgrep,
    /// look-behind sees the text before the line, a match at or past the line's end does not belong to it,
    /// and a line that the searcher reports counts at least once.
    fn count_occurrences(&self, line: &SinkMatch<'_>) -> io::Result<(u64, usize)> {
        let range = line.bytes_range_in_buffer();
        let end = range.end - usize::from(line.bytes().ends_with(b"\n"));
        let (mut count, mut first) = (0, None);
        let each = |found: grep_matcher::Match| {
            let within = found.start() < range.end;
            if within {
                count += 1;
                first.get_or_insert(found.start() - range.start);
            }
            within
        };
        self.matcher.find_iter_at(&line.buffer()[..end], range.start, each).map_err(io::Error::other)?;
        let first = match first {
            Some(first) => first,
            None => {
                let alone = self.matcher.find(&line.buffer()[range.start..end]).map_err(io::Error::other)?;
                alone.map_or(0, |found| found.start())
            }
        };
        Ok((count.max(1), first))
    }

    fn to_shown(&self, line: &SinkMatch<'_>, first: usize) -> ShownLine {
        let start = self.start + line.absolute_byte_offset() as usize;
        let context = self.wanted.context as usize;
        ShownLine {
            line: u32::try_from(self.line_number(line)).unwrap_or(u32::MAX),
            col: 1 + utf16_len(&line.bytes()[..first]),
            byte_col: u32::try_from(first + 1).unwrap_or(u32::MAX),
            text: shown_text(line.bytes()),
            before: lines_before(self.text, start)
                .take(context)
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .collect(),
            after: lines_after(self.text, start + line.bytes().len()).take(context).collect(),
        }
    }
}
