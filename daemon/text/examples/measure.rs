//! Prints the cost of a folder's index and the times of some patterns, for choosing between designs: `cargo
//! run --release -p hob-text --example measure -- FOLDER [PATTERN...]`. It is no benchmark against other
//! programs; those are in the workspace's `tests/bench`.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hob_base::{AbsPath, CancelToken, ContentHash, Contents, FileId, WsPath};
use hob_text::{
    FileGrams, GramChange, Saver, SearchOutput, SearchRequest, TextBatch, TrigramIndex, is_binary,
    restore_index, search,
};
use rayon::prelude::*;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("usage: measure FOLDER [PATTERN...]");
    let root = AbsPath::new(folder).expect("an absolute path");
    let index = save_and_restore(build(&root));
    for pattern in arguments {
        run(&index, &MeasuredFolder(root.clone()), &pattern);
    }
}

fn build(root: &AbsPath) -> TrigramIndex {
    let paths = files_below(root.as_path());
    let mut index = TrigramIndex::new();
    let (mut bytes, mut finding, mut preparing) = (0, Duration::ZERO, Duration::ZERO);
    let start = Instant::now();
    for (number, chunk) in paths.chunks(4096).enumerate() {
        let clock = Instant::now();
        let read: Vec<(usize, GramChange)> = chunk
            .par_iter()
            .enumerate()
            .filter_map(|(at, path)| {
                let text = std::fs::read(path).ok().filter(|text| !is_binary(text))?;
                let path = AbsPath::new(path.clone()).ok()?.relative_to(root).ok()?;
                let file = FileId((number * 4096 + at) as u32);
                Some((
                    text.len(),
                    GramChange::Set {
                        file,
                        path,
                        hash: ContentHash::of(&text),
                        grams: FileGrams::from_bytes(&text),
                    },
                ))
            })
            .collect();
        finding += clock.elapsed();
        bytes += read.iter().map(|(len, _)| len).sum::<usize>();
        let clock = Instant::now();
        index.install(TextBatch::from_changes(read.into_iter().map(|(_, change)| change).collect()));
        preparing += clock.elapsed();
    }
    let ready = start.elapsed();
    report("ready", &index, bytes);
    println!("ready in {ready:?}: reading and trigrams {finding:?}, segments {preparing:?}");
    let start = Instant::now();
    while index.merge_step() {}
    println!("merged in {:?}", start.elapsed());
    report("merged", &index, bytes);
    index
}

/// Saves the index and restores it, as a restarted process does.
fn save_and_restore(mut index: TrigramIndex) -> TrigramIndex {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = AbsPath::new(folder.path().join("index")).expect("an absolute path");
    let start = Instant::now();
    let saved = Saver::new(&folder).save(&index.snapshot()).expect("room on the disk");
    println!("saved in {:?}: {} bytes", start.elapsed(), saved.written);
    index.install_saved(saved);
    println!("private memory after saving: {} bytes", index.stats().private_bytes);
    let known: HashMap<WsPath, FileId> =
        index.snapshot().indexed_paths().map(|(file, path)| (path.clone(), file)).collect();
    drop(index);
    let start = Instant::now();
    let restored = restore_index(&folder, &|path, _| known.get(path).copied()).expect("what was just saved");
    println!("restored in {:?}, {} rejected", start.elapsed(), restored.rejected.len());
    restored.index
}

fn report(what: &str, index: &TrigramIndex, bytes: usize) {
    let stats = index.stats();
    let share = |part: usize| 100.0 * part as f64 / bytes as f64;
    println!(
        "{what}: {} files, {bytes} bytes, {} segments, postings {:.2} %, table {:.2} %",
        stats.files,
        stats.segments,
        share(stats.postings_bytes),
        share(stats.table_bytes)
    );
}

/// Prints medians of ten runs, for a hundred shown lines and for counts alone.
fn run(index: &TrigramIndex, contents: &dyn Contents, pattern: &str) {
    let snapshot = index.snapshot();
    let timed = |output, limit| {
        let pattern = pattern.to_owned();
        let request = SearchRequest { pattern, limit, output, ..SearchRequest::default() };
        let mut times = Vec::new();
        let mut answer = None;
        for _ in 0..10 {
            let found = search(&snapshot, &request, contents, &CancelToken::default());
            let found = found.expect("a pattern that can be searched for");
            times.push(found.elapsed);
            answer = Some(found);
        }
        times.sort();
        (times[5], answer.expect("ten of them"))
    };
    let (lines, answer) = timed(SearchOutput::Lines, Some(100));
    let (count, _) = timed(SearchOutput::Count, Some(0));
    println!(
        "{lines:>10.1?} {count:>10.1?} {:>6} candidates {:>6} files {:>8} lines {:>8} matches  {pattern}",
        answer.candidates, answer.files_matched, answer.total_lines, answer.total_matches
    );
}

/// The files below a folder.
struct MeasuredFolder(AbsPath);

impl Contents for MeasuredFolder {
    fn read(&self, path: &WsPath) -> io::Result<Arc<[u8]>> {
        std::fs::read(self.0.join_ws(path).as_path()).map(Arc::from)
    }

    fn read_into(&self, path: &WsPath, buffer: &mut Vec<u8>) -> io::Result<()> {
        buffer.clear();
        let mut file = std::fs::File::open(self.0.join_ws(path).as_path())?;
        file.read_to_end(buffer).map(drop)
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in entries {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => folders.push(entry.path()),
            Ok(kind) if kind.is_file() => files.push(entry.path()),
            _ => {}
        }
    }
    files.extend(folders.iter().flat_map(|folder| files_below(folder)));
    files
}
