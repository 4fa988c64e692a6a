//! Prints what the index of a folder costs and how long some patterns take, for choosing between designs:
//! `cargo run --release -p hob-text --example measure -- FOLDER [PATTERN...]`. Not a benchmark against others; those are in
//! the workspace's `tests/bench`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hob_base::{AbsPath, CancelToken, ContentHash, FileId, WsPath};
use hob_text::{Batch, FileGrams, GramChange, Output, SearchRequest, TrigramIndex, is_binary, search};
use rayon::prelude::*;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("usage: measure FOLDER [PATTERN...]");
    let root = AbsPath::new(folder).expect("an absolute path");
    let index = build(&root);
    for pattern in arguments {
        run(&index, &root, &pattern);
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
                    GramChange::Set { file, path, hash: ContentHash::of(&text), grams: FileGrams::of(&text) },
                ))
            })
            .collect();
        finding += clock.elapsed();
        bytes += read.iter().map(|(len, _)| len).sum::<usize>();
        let clock = Instant::now();
        index.install(Batch::prepare(read.into_iter().map(|(_, change)| change).collect()));
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

fn run(index: &TrigramIndex, root: &AbsPath, pattern: &str) {
    let root = root.clone();
    let contents = move |path: &WsPath| std::fs::read(root.join_ws(path).as_path()).map(Arc::from);
    let request = SearchRequest {
        pattern: pattern.to_owned(),
        limit: Some(100),
        output: Output::Lines,
        ..SearchRequest::default()
    };
    match search(&index.snapshot(), &request, &contents, &CancelToken::default()) {
        Ok(answer) => println!(
            "{pattern}: {:?}, {} candidates, {} files, {} lines, {} matches",
            answer.elapsed, answer.candidates, answer.files_matched, answer.total_lines, answer.total_matches
        ),
        Err(error) => println!("{pattern}: {error}"),
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
