//! Searches without a limit: returns whole lines as raw bytes, every match in them, and context, file after
//! file in the order of paths, in pages of bounded size.
//!
//! [`crate::search()`] answers a question within a budget; this search is for a program that prints
//! everything that ripgrep would print. A page begins where the last one ended, by path and row, so nothing
//! is stored between two pages: a page shows the state of each file when the page was made, as a program that
//! walks the tree would. ripgrep's engine decides what a line is and what matches, as everywhere in this
//! crate; its options become syntax here.

use std::cmp::Ordering;
use std::io;
use std::ops::Range;

use grep_matcher::{LineMatchKind, Matcher};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch};
use hob_base::{CancelToken, Contents, WsPath};
use memchr::memchr;
use rayon::prelude::*;
use regex_syntax::ast::{self, Ast, ClassSetItem};

use crate::clocked::Clocked;
use crate::contents::pack::CachedText;
use crate::encoding::{FIRST_BUFFER, searchable_bytes};
use crate::filter::PathFilter;
use crate::lanes::{FILES_AT_ONCE, Lanes};
use crate::pattern::{BadPattern, Pattern};
use crate::prefilter::Prefilter;
use crate::trigram::blocks::runs_of_blocks;
use crate::trigram::{CandidateFile, TextView};

/// Most bytes of text and rows of one file on a page.
const FILE_SHARE: usize = 1 << 20;
/// Size from which a page ends with its present file.
const PAGE: usize = 4 << 20;
/// Number of files that are searched at once; their shares bound the memory.
const BLOCK: usize = 32;
/// The same for searches that only count.
const COUNT_BLOCK: usize = 2048;

/// The patterns of a search, and their options.
#[derive(Clone, Debug, Default)]
pub struct GrepPattern {
    /// The patterns; a line matches if any pattern does.
    pub patterns: Vec<String>,
    /// True if the patterns are texts and not regexes.
    pub fixed: bool,
    /// The treatment of upper and lower case.
    pub case: GrepCase,
    /// True to match only whole words, as with `-w`.
    pub word: bool,
    /// True to match only whole lines; overrides `word`.
    pub line: bool,
}

/// The treatment of upper and lower case in a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GrepCase {
    /// Case matters.
    #[default]
    Sensitive,
    /// Case does not matter.
    Insensitive,
    /// Case matters if a capital letter is among the literals.
    Smart,
}

/// The part of each file's matches that the page has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GrepKeep {
    /// Matching lines and their context.
    #[default]
    Lines,
    /// Matching lines, their context, and the places of the matches in the lines.
    Matches,
    /// The numbers of lines and matches; nothing for a file that turns out to be binary.
    Counts,
    /// Only the fact that a file matches.
    Paths,
}

/// A search for one page.
pub struct GrepRequest<'r> {
    /// The pattern to search for.
    pub pattern: &'r GrepPattern,
    /// The part of each file's matches that the page has.
    pub keep: GrepKeep,
    /// Numbers of context lines before and after.
    pub context: (usize, usize),
    /// Most matching lines of a file.
    pub max_lines: Option<u64>,
    /// Only files at or below this path.
    pub prefix: Option<WsPath>,
    /// Only those files that pass this test.
    pub admits: &'r (dyn Fn(&WsPath) -> bool + Sync),
    /// The place where the page begins; `None` for the first page.
    pub from: Option<PagePlace>,
}

/// The place where a page ends and the next one begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagePlace {
    /// The file of the place.
    pub path: String,
    /// Number of the file's rows before the place; `None` for all of them.
    pub rows: Option<u64>,
}

/// The kinds of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RowKind {
    /// A line of context.
    Context,
    /// A line that matches.
    Match,
    /// A gap between lines.
    Gap,
}

/// A line, or a gap between lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrepRow {
    /// The kind of the row.
    pub kind: RowKind,
    /// 1-based line; 0 for gaps.
    pub line: u64,
    /// The byte of the file at which it starts.
    pub offset: u64,
    /// Its length in [`GrepFile::text`].
    pub len: usize,
    /// The first byte and the end of each match in it.
    pub matches: Vec<(usize, usize)>,
}

/// A file on a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrepFile {
    /// The file's path, relative to the root.
    pub path: String,
    /// Its rows, in order.
    pub rows: Vec<GrepRow>,
    /// The text of the rows, one after the other, line ends included.
    pub text: Vec<u8>,
    /// Number of matching lines, of those searched for this page.
    pub lines: u64,
    /// Number of matches in them, if they are kept or counted.
    pub matches: u64,
    /// Number of searched bytes.
    pub searched: u64,
    /// The byte at which a NUL ended the search.
    pub binary: Option<u64>,
    /// True if an earlier page had rows of the file.
    pub continues: bool,
    /// True if the next page has more of the file.
    pub unfinished: bool,
}

/// One page of a search's answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrepPage {
    /// Files that match, in the order of their paths, folder by folder.
    pub files: Vec<GrepFile>,
    /// The start of the next page; `None` if there is none.
    pub next: Option<PagePlace>,
    /// Number of searched files.
    pub searched: u64,
    /// Size of the searched files in bytes.
    pub bytes: u64,
    /// Number of files that could not be read.
    pub unreadable: u64,
    /// True if the search was stopped before the page was complete.
    pub stopped: bool,
}

/// Makes a page. Runs in parallel on the rayon pool of the caller.
///
/// # Errors
/// [`BadPattern`].
pub fn search_page(
    snapshot: &TextView,
    request: &GrepRequest<'_>,
    contents: &dyn Contents,
    token: &CancelToken,
) -> Result<GrepPage, BadPattern> {
    let pattern = Pattern::new(&request.pattern.as_syntax()?)?;
    let filter = PathFilter::new(request.prefix.clone(), None).unwrap_or_default();
    let mut candidates = snapshot.candidate_files(pattern.query(), &filter);
    candidates.retain(|found| (request.admits)(&found.path) && request.is_ahead(found.path.as_str()));
    candidates.sort_by(|a, b| walk_order(a.path.as_str(), b.path.as_str()));
    pattern.deciding_matcher()?;
    let prefilter = Prefilter::for_pattern(&pattern, snapshot);
    let lanes = Lanes::new();
    let mut page = GrepPage::default();
    let mut held = 0;
    let block = if matches!(request.keep, GrepKeep::Lines | GrepKeep::Matches) { BLOCK } else { COUNT_BLOCK };
    for block in candidates.chunks(block) {
        let search = |found: &CandidateFile| {
            let make = || {
                let (searcher, decoding) = (request.searcher_for(false), request.searcher_for(true));
                Clocked::for_any_text(&pattern, token).ok().map(|matcher| Engine {
                    matcher: matcher.with_prefilter(prefilter.as_ref()),
                    searcher,
                    decoding,
                })
            };
            let one = FileSearch { snapshot, request, contents, is_local: pattern.is_local() };
            // The pattern was compiled above, so there is an engine.
            lanes.with_own_value(make, |engine| {
                engine.as_mut().map_or(GrepOutcome::Stopped, |engine| one.search(found, engine, token))
            })
        };
        let files: Vec<GrepOutcome> = block.par_iter().with_max_len(FILES_AT_ONCE).map(search).collect();
        for (found, file) in block.iter().zip(files) {
            let last = page.add_file(found, file, &mut held);
            if last || page.stopped {
                return Ok(page);
            }
            if held >= PAGE {
                page.next = Some(PagePlace { path: found.path.to_string(), rows: None });
                return Ok(page);
            }
        }
    }
    Ok(page)
}

/// Orders paths as a walk does that sorts each folder by name.
#[must_use]
pub fn walk_order(a: &str, b: &str) -> Ordering {
    a.split('/').map(str::as_bytes).cmp(b.split('/').map(str::as_bytes))
}

impl GrepRequest<'_> {
    /// Returns true if a file comes at or after the beginning of the page.
    fn is_ahead(&self, path: &str) -> bool {
        self.from.as_ref().is_none_or(|from| match walk_order(path, &from.path) {
            Ordering::Less => false,
            Ordering::Equal => from.rows.is_some(),
            Ordering::Greater => true,
        })
    }

    fn searcher_for(&self, decodes: bool) -> Searcher {
        let (before, after) = match self.keep {
            GrepKeep::Lines | GrepKeep::Matches => self.context,
            GrepKeep::Counts | GrepKeep::Paths => (0, 0),
        };
        SearcherBuilder::new()
            .line_number(true)
            .bom_sniffing(decodes)
            .binary_detection(BinaryDetection::quit(0))
            .before_context(before)
            .after_context(after)
            .max_matches(self.max_lines)
            .build()
    }

    fn rows_done(&self, path: &str) -> u64 {
        let here = self.from.as_ref().filter(|from| from.path == path);
        here.and_then(|from| from.rows).unwrap_or(0)
    }
}

/// The outcome of the search in one file.
enum GrepOutcome {
    /// The file, and the number of its rows up to the end of this page.
    Found(Box<GrepFile>, u64),
    Nothing {
        bytes: u64,
    },
    Unreadable,
    Gone,
    Stopped,
}

impl GrepOutcome {
    /// Replaces the outcome if the search was stopped, because the engine may have been in the middle of a
    /// line.
    fn unless_stopped(self, token: &CancelToken) -> Self {
        if token.check().is_err() { Self::Stopped } else { self }
    }
}

impl GrepPage {
    /// Adds a file; returns true if the page ends within it.
    fn add_file(&mut self, found: &CandidateFile, file: GrepOutcome, held: &mut usize) -> bool {
        let (bytes, file) = match file {
            GrepOutcome::Found(file, rows) => (file.searched, Some((file, rows))),
            GrepOutcome::Nothing { bytes } => (bytes, None),
            GrepOutcome::Unreadable => {
                self.unreadable += 1;
                return false;
            }
            GrepOutcome::Gone => return false,
            GrepOutcome::Stopped => {
                self.stopped = true;
                return false;
            }
        };
        self.searched += 1;
        self.bytes += bytes;
        let Some((file, rows)) = file else { return false };
        *held += file.text.len() + 64 * (1 + file.rows.len());
        let unfinished = file.unfinished;
        if unfinished {
            self.next = Some(PagePlace { path: found.path.to_string(), rows: Some(rows) });
        }
        self.files.push(*file);
        unfinished
    }
}

/// The matcher and the searchers of one thread.
struct Engine<'a> {
    matcher: Clocked<'a>,
    searcher: Searcher,
    /// The searcher for raw bytes from the disk.
    decoding: Searcher,
}

/// The search of one file.
struct FileSearch<'a> {
    snapshot: &'a TextView,
    request: &'a GrepRequest<'a>,
    contents: &'a dyn Contents,
    /// True if the pattern cannot see the beginning of a buffer.
    is_local: bool,
}

impl FileSearch<'_> {
    fn search(&self, found: &CandidateFile, engine: &mut Engine<'_>, token: &CancelToken) -> GrepOutcome {
        if token.check().is_err() {
            return GrepOutcome::Stopped;
        }
        if let Some(text) = self.snapshot.text(&found.hash) {
            if self.is_ruled_out(found, &text, &engine.matcher) {
                return GrepOutcome::Nothing { bytes: text.bytes.len() as u64 };
            }
            return self.search_bytes(found, engine, text.bytes).unless_stopped(token);
        }
        match self.contents.read(&found.path) {
            Ok(bytes) => self.search_bytes(found, engine, &bytes).unless_stopped(token),
            Err(error) if error.kind() == io::ErrorKind::NotFound => GrepOutcome::Gone,
            Err(_) => GrepOutcome::Unreadable,
        }
    }

    /// Returns true if no block that the index admits has a match.
    fn is_ruled_out(&self, found: &CandidateFile, text: &CachedText<'_>, matcher: &Clocked<'_>) -> bool {
        let blocks = found.blocks.as_ref().filter(|_| self.is_local && text.is_plain);
        let may_match = |run: Range<usize>| {
            match matcher.find_candidate_line(&text.bytes[run.clone()]) {
                Ok(None) => false,
                Ok(Some(LineMatchKind::Candidate(_))) => matcher.is_match(&text.bytes[run]).unwrap_or(true),
                // A search that was stopped has ruled out nothing.
                Ok(Some(LineMatchKind::Confirmed(_))) | Err(_) => true,
            }
        };
        blocks.is_some_and(|blocks| !runs_of_blocks(text.bytes, blocks).into_iter().any(may_match))
    }

    fn search_bytes(&self, found: &CandidateFile, engine: &mut Engine<'_>, bytes: &[u8]) -> GrepOutcome {
        let text = searchable_bytes(bytes);
        let done = self.request.rows_done(found.path.as_str());
        let Engine { matcher, searcher, decoding } = engine;
        let mut rows = Rows::new(matcher, self.request, done);
        let result = match memchr(0, &text) {
            None if self.is_local => searcher.search_slice(&*matcher, &text, &mut rows),
            // These files are searched like files of a walk: only the buffered reader stops where ripgrep's
            // does, and has the same buffers.
            _ => decoding.search_reader(&*matcher, bytes, &mut rows),
        };
        if text.len() >= FIRST_BUFFER {
            // A long line enlarges the buffer, and in the next file that would end at another place than
            // ripgrep's first one.
            *decoding = self.request.searcher_for(true);
        }
        let Rows { mut file, cut, seen, .. } = rows;
        let hidden = self.request.keep == GrepKeep::Counts && file.binary.is_some();
        if result.is_err() || (file.lines == 0 && file.rows.is_empty()) || hidden {
            return GrepOutcome::Nothing { bytes: text.len() as u64 };
        }
        file.path = found.path.to_string();
        file.continues = done > 0;
        file.unfinished = cut;
        GrepOutcome::Found(Box::new(file), seen)
    }
}

/// Receives a file's lines.
struct Rows<'a> {
    matcher: &'a Clocked<'a>,
    keep: GrepKeep,
    /// Number of rows on earlier pages.
    done: u64,
    seen: u64,
    held: usize,
    /// True if the page's share is used up and there is more.
    cut: bool,
    file: GrepFile,
}

impl<'a> Rows<'a> {
    fn new(matcher: &'a Clocked<'a>, request: &GrepRequest<'_>, done: u64) -> Self {
        let keep = request.keep;
        Self { matcher, keep, done, seen: 0, held: 0, cut: false, file: GrepFile::default() }
    }

    /// Adds a row, and returns false if there is no room for it; skips a row of an earlier page.
    fn push(&mut self, row: GrepRow, text: &[u8]) -> bool {
        if self.held >= FILE_SHARE {
            self.cut = true;
            return false;
        }
        self.seen += 1;
        if self.seen > self.done {
            self.held += text.len() + 64 + 16 * row.matches.len();
            self.file.text.extend_from_slice(text);
            self.file.rows.push(row);
        }
        true
    }

    /// Returns the matches of a line, as ripgrep finds them: look-behind sees the text before the line.
    fn matches(&self, line: &SinkMatch<'_>) -> io::Result<Vec<(usize, usize)>> {
        let range = line.bytes_range_in_buffer();
        let end = range.end - usize::from(line.bytes().ends_with(b"\n"));
        let mut matches = Vec::new();
        let each = |found: grep_matcher::Match| {
            let within = found.start() < range.end;
            if within {
                matches.push((found.start() - range.start, found.end() - range.start));
            }
            within
        };
        self.matcher.find_iter_at(&line.buffer()[..end], range.start, each).map_err(io::Error::other)?;
        Ok(matches)
    }
}

impl Sink for Rows<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, line: &SinkMatch<'_>) -> io::Result<bool> {
        let matches = match self.keep {
            GrepKeep::Matches | GrepKeep::Counts => self.matches(line)?,
            GrepKeep::Lines | GrepKeep::Paths => Vec::new(),
        };
        if matches!(self.keep, GrepKeep::Counts | GrepKeep::Paths) {
            self.file.lines += 1;
            self.file.matches += matches.len() as u64;
            return Ok(self.keep == GrepKeep::Counts);
        }
        let count = matches.len() as u64;
        let (number, offset) = (line.line_number().unwrap_or(0), line.absolute_byte_offset());
        let row = GrepRow { kind: RowKind::Match, line: number, offset, len: line.bytes().len(), matches };
        let is_new = self.seen >= self.done;
        let taken = self.push(row, line.bytes());
        if taken && is_new {
            self.file.lines += 1;
            self.file.matches += count;
        }
        Ok(taken)
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> io::Result<bool> {
        let (number, offset) = (line.line_number().unwrap_or(0), line.absolute_byte_offset());
        let len = line.bytes().len();
        let row = GrepRow { kind: RowKind::Context, line: number, offset, len, matches: Vec::new() };
        Ok(self.push(row, line.bytes()))
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        Ok(self.push(GrepRow { kind: RowKind::Gap, line: 0, offset: 0, len: 0, matches: Vec::new() }, b""))
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.file.searched = finish.byte_count();
        self.file.binary = finish.binary_byte_offset();
        Ok(())
    }
}

impl GrepPattern {
    /// Writes the options as regex syntax.
    fn as_syntax(&self) -> Result<String, BadPattern> {
        let mut each = Vec::new();
        for pattern in &self.patterns {
            if self.fixed {
                each.push(regex_syntax::escape(pattern));
            } else {
                // Each is parsed separately, because two malformed parts may form a valid whole.
                if self.patterns.len() > 1 || self.word || self.line || self.case != GrepCase::Sensitive {
                    Pattern::new(pattern)?;
                }
                each.push(pattern.clone());
            }
        }
        let mut syntax = match &mut each[..] {
            [one] => std::mem::take(one),
            several => several.iter().map(|one| group_syntax(one)).collect::<Vec<_>>().join("|"),
        };
        let insensitive = match self.case {
            GrepCase::Sensitive => false,
            GrepCase::Insensitive => true,
            GrepCase::Smart => is_lower(&syntax),
        };
        if self.line {
            syntax = format!("^{}$", group_syntax(&syntax));
        } else if self.word {
            syntax = format!(r"\b{{start-half}}{}\b{{end-half}}", group_syntax(&syntax));
        }
        Ok(if insensitive { format!("(?i){}", group_syntax(&syntax)) } else { syntax })
    }
}

fn group_syntax(syntax: &str) -> String {
    format!("(?:{syntax})")
}

/// Returns true if a regex has literals and no capital letter is among them. `\S` and `\p{Lu}` are no literals.
fn is_lower(syntax: &str) -> bool {
    let Ok(ast) = ast::parse::Parser::new().parse(syntax) else { return false };
    ast::visit(&ast, CapitalsSeen::default()).is_ok_and(|found| found.any && !found.capital)
}

#[derive(Default)]
struct CapitalsSeen {
    any: bool,
    capital: bool,
}

impl CapitalsSeen {
    fn see_literal(&mut self, literal: &ast::Literal) {
        self.any = true;
        self.capital |= literal.c.is_uppercase();
    }
}

impl ast::Visitor for CapitalsSeen {
    type Output = Self;
    type Err = ();

    fn finish(self) -> Result<Self, ()> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), ()> {
        if let Ast::Literal(literal) = ast {
            self.see_literal(literal);
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), ()> {
        match item {
            ClassSetItem::Literal(literal) => self.see_literal(literal),
            ClassSetItem::Range(range) => {
                [&range.start, &range.end].into_iter().for_each(|end| self.see_literal(end));
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn syntax_of(patterns: &[&str], change: impl Fn(&mut GrepPattern)) -> String {
        let patterns = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        let mut pattern = GrepPattern { patterns, ..GrepPattern::default() };
        change(&mut pattern);
        pattern.as_syntax().expect("a good pattern")
    }

    #[test]
    fn options_become_syntax() {
        assert_eq!(syntax_of(&["a|b"], |_| ()), "a|b");
        assert_eq!(syntax_of(&["a.b", "c"], |p| p.fixed = true), r"(?:a\.b)|(?:c)");
        assert_eq!(syntax_of(&["a|b"], |p| p.word = true), r"\b{start-half}(?:a|b)\b{end-half}");
        assert_eq!(syntax_of(&["a|b"], |p| (p.word, p.line) = (true, true)), "^(?:a|b)$");
        assert_eq!(syntax_of(&["a"], |p| p.case = GrepCase::Smart), "(?i)(?:a)");
        assert_eq!(syntax_of(&["aB"], |p| p.case = GrepCase::Smart), "aB");
        assert_eq!(syntax_of(&[r"\Sa[b-d]"], |p| p.case = GrepCase::Smart), r"(?i)(?:\Sa[b-d])");
        assert_eq!(syntax_of(&[r"a[B-d]"], |p| p.case = GrepCase::Smart), r"a[B-d]");
        assert_eq!(syntax_of(&[r"\w+"], |p| p.case = GrepCase::Smart), r"\w+");
    }

    #[test]
    fn halves_of_nonsense_stay_nonsense() {
        let pattern = GrepPattern { patterns: vec!["a)(b".into()], word: true, ..GrepPattern::default() };
        assert!(pattern.as_syntax().is_err());
    }

    #[test]
    fn files_come_folder_by_folder() {
        let mut paths = ["a-b/x", "a/x", "a.rs", "b", "a/b/c"];
        paths.sort_by(|a, b| walk_order(a, b));
        assert_eq!(paths, ["a/b/c", "a/x", "a-b/x", "a.rs", "b"]);
    }
}
