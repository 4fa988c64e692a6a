//! Regexes and the text index: what a naive search of every line finds, hob finds; and any bytes may stand where an index was kept.

use std::io;
use std::sync::Arc;

use hob_base::{AbsPath, CancelToken, ContentHash, Contents, FileId, WsPath};
use hob_text::{
    FileGrams, GramChange, PathFilter, Pattern, Saver, SearchRequest, TrigramIndex, is_binary, restore_index,
    search,
};
use regex::bytes::RegexBuilder;

use crate::input::FuzzInput;

/// Longest pattern: longer ones only take longer.
const PATTERN: usize = 200;
/// Longest text of one file.
const TEXT: usize = 4096;

/// One file in memory.
struct OneFile(Arc<[u8]>);

impl Contents for OneFile {
    fn read(&self, _: &WsPath) -> io::Result<Arc<[u8]>> {
        Ok(Arc::clone(&self.0))
    }
}

fn path_of_file() -> WsPath {
    WsPath::new("a").expect("a relative path")
}

fn index_of(text: &[u8]) -> TrigramIndex {
    let mut index = TrigramIndex::new();
    let (hash, grams) = (ContentHash::of(text), FileGrams::from_bytes(text));
    index.apply(vec![GramChange::Set { file: FileId(0), path: path_of_file(), hash, grams }]);
    index
}

/// Compares a search with a regex that is applied to one line after the other. What is not text, or is in another encoding, is read
/// otherwise and left out.
pub(crate) fn check_regex(bytes: &[u8]) {
    let mut input = FuzzInput::new(bytes);
    let pattern = input.take_text();
    let text = &input.rest()[..input.rest().len().min(TEXT)];
    if pattern.len() > PATTERN {
        return;
    }
    let Ok(compiled) = Pattern::new(&pattern) else { return };
    let is_marked =
        [&b"\xef\xbb\xbf"[..], b"\xff\xfe", b"\xfe\xff"].iter().any(|mark| text.starts_with(mark));
    if is_binary(text) || is_marked || text.contains(&0) {
        return;
    }
    let Ok(naive) = RegexBuilder::new(&pattern).multi_line(true).size_limit(100 << 20).build() else {
        return;
    };
    let lines =
        text.split_inclusive(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line));
    let wanted: Vec<u32> =
        lines.zip(1..).filter(|(line, _)| naive.is_match(line)).map(|(_, number)| number).collect();
    let snapshot = index_of(text).snapshot();
    let candidates = snapshot.candidate_files(compiled.query(), &PathFilter::default());
    assert!(
        wanted.is_empty() || !candidates.is_empty(),
        "{pattern:?} matches line {wanted:?}; the file is no candidate"
    );
    let request = SearchRequest { pattern: pattern.clone(), ..SearchRequest::default() };
    let found = search(&snapshot, &request, &OneFile(text.into()), &CancelToken::default());
    let found: Vec<u32> =
        found.expect("the pattern is compiled").matches.iter().map(|found| found.line).collect();
    assert_eq!(found, wanted, "lines that match {pattern:?}");
}

/// Restores an index of which one file has other bytes: the first byte says which.
pub(crate) fn check_text_index(bytes: &[u8]) {
    let mut input = FuzzInput::new(bytes);
    let (which, at) = (input.take_byte(), usize::from(input.take_byte()));
    let folder = crate::targets::project::scratch_folder();
    let root = AbsPath::new(folder.path()).expect("a folder of the system's is absolute");
    let index = index_of(b"fn alpha() { beta(); }\nlet gamma = 1;\n");
    Saver::new(&root).save(&index.snapshot()).expect("the folder can be written to");
    let mut files: Vec<_> =
        std::fs::read_dir(folder.path()).expect("listed").flatten().map(|file| file.path()).collect();
    files.sort();
    let file = &files[usize::from(which) % files.len()];
    let mut whole = std::fs::read(file).expect("just written");
    let start = at.min(whole.len());
    let end = (start + input.rest().len()).min(whole.len());
    whole.splice(start..end, input.rest().iter().copied());
    std::fs::write(file, whole).expect("written");
    let Ok(restored) = restore_index(&root, &|_, _| Some(FileId(7))) else { return };
    let snapshot = restored.index.snapshot();
    let pattern = Pattern::new("gamma").expect("a word");
    let _ = snapshot.candidate_files(pattern.query(), &PathFilter::default());
}
