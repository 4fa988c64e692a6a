//! Provides the parts that the tests share: a tree in memory, and a slow, obvious search.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use hob_base::{CancelToken, ContentHash, Contents, FileId, WsPath};
use hob_text::{
    FileGrams, GramChange, PathFilter, Pattern, SearchAnswer, SearchOutput, SearchRequest, TextView,
    TrigramIndex, search,
};
use regex::bytes::{Regex, RegexBuilder};

/// The files by path, numbered in the order of their first appearance.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextTree {
    pub(crate) files: BTreeMap<String, Arc<[u8]>>,
    pub(crate) numbers: BTreeMap<String, FileId>,
}

pub(crate) fn path(text: &str) -> WsPath {
    WsPath::new(text).expect("a relative path")
}

impl TextTree {
    pub(crate) fn new<T: AsRef<[u8]>>(files: &[(&str, T)]) -> Self {
        let mut tree = Self::default();
        for (path, bytes) in files {
            tree.set(path, bytes.as_ref());
        }
        tree
    }

    /// Writes a file and returns the change for the index.
    pub(crate) fn set(&mut self, at: &str, bytes: &[u8]) -> GramChange {
        self.files.insert(at.to_owned(), bytes.into());
        GramChange::Set {
            file: self.number_of(at),
            path: path(at),
            hash: ContentHash::of(bytes),
            grams: FileGrams::from_bytes(bytes),
        }
    }

    /// Removes a file (it need not exist) and returns the change for the index.
    pub(crate) fn remove(&mut self, at: &str) -> GramChange {
        self.files.remove(at);
        GramChange::Remove { file: self.number_of(at) }
    }

    fn number_of(&mut self, at: &str) -> FileId {
        let next = self.numbers.values().map(|file| file.0 + 1).max().unwrap_or_default();
        *self.numbers.entry(at.to_owned()).or_insert(FileId(next))
    }

    /// Gives the files the numbers of a new run; see `keep`.
    pub(crate) fn renumber_files(&mut self) {
        self.numbers = self.files.keys().cloned().zip((100..).map(FileId)).collect();
    }

    /// Returns an index of all files, built from scratch.
    pub(crate) fn index(&self) -> TrigramIndex {
        let mut fresh = self.clone();
        let all = self.files.iter().map(|(at, bytes)| fresh.set(at, bytes)).collect();
        let mut index = TrigramIndex::new();
        index.apply(all);
        index
    }

    #[track_caller]
    pub(crate) fn search(&self, request: &SearchRequest) -> SearchAnswer {
        self.search_in(&self.index(), request)
    }

    #[track_caller]
    pub(crate) fn search_in(&self, index: &TrigramIndex, request: &SearchRequest) -> SearchAnswer {
        search(&index.snapshot(), request, self, &CancelToken::default()).expect("a valid request")
    }
}

impl Contents for TextTree {
    fn read(&self, path: &WsPath) -> io::Result<Arc<[u8]>> {
        self.files.get(path.as_str()).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

pub(crate) fn request(pattern: &str) -> SearchRequest {
    SearchRequest { pattern: pattern.to_owned(), ..SearchRequest::default() }
}

pub(crate) fn count_request(pattern: &str) -> SearchRequest {
    SearchRequest { output: SearchOutput::Count, ..request(pattern) }
}

/// Returns the paths that the index does not rule out.
pub(crate) fn candidate_paths(snapshot: &TextView, pattern: &str) -> Vec<String> {
    let pattern = Pattern::new(pattern).expect("a valid pattern");
    let found = snapshot.candidate_files(pattern.query(), &PathFilter::default());
    found.into_iter().map(|found| found.path.to_string()).collect()
}

/// Formats every matching line as `path:line:column:text`, in order.
pub(crate) fn matching_lines(answer: &SearchAnswer) -> Vec<String> {
    let line = |m: &hob_text::LineMatch| format!("{}:{}:{}:{}", m.path, m.line, m.byte_col, m.text);
    answer.matches.iter().map(line).collect()
}

/// Finds the same lines by applying a regex to one line after the other.
pub(crate) fn shown_naively(tree: &TextTree, pattern: &str) -> Vec<String> {
    let regex = per_line(pattern);
    let mut all = Vec::new();
    for (path, bytes) in &tree.files {
        for (number, line) in lines(bytes).iter().enumerate() {
            if let Some(found) = regex.find(line) {
                let (number, column) = (number + 1, found.start() + 1);
                all.push(format!("{path}:{number}:{column}:{}", String::from_utf8_lossy(line)));
            }
        }
    }
    all
}

pub(crate) fn per_line(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).multi_line(true).size_limit(1 << 28).build().expect("a valid pattern")
}

/// Returns the lines of a UTF-8 file, without byte order mark and `\n`.
pub(crate) fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    text.split_inclusive(|&b| b == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line)).collect()
}
