//! Measures the limit of any indexer: the files of a tree are read and parsed by tree-sitter, and the syntax trees
//! thrown away.
//!
//! Each thread has one parser per language, there is one thread per core, and the files are taken in the order in which
//! they are listed. The files are those that ripgrep would search. Only files in C, Python, Rust, TypeScript and
//! JavaScript are parsed, as their endings tell, and only up to the size above which hob does not parse a file either.
//! For a tree in other languages there is no limit here.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use ignore::WalkBuilder;
use tree_sitter::{Language, Parser};

use crate::rows::Failure;

/// The size in bytes above which hob does not parse a file.
const LARGEST: u64 = 1 << 20;

/// The files that can be parsed.
pub(crate) struct Files {
    files: Vec<(PathBuf, &'static Grammar)>,
}

/// The result of one run of the parsers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Parsed {
    /// The bytes of all files.
    pub(crate) bytes: u64,
    /// The milliseconds spent on reading, summed over all threads.
    pub(crate) reading: f64,
    /// The number of threads of the run.
    pub(crate) threads: usize,
}

/// A language, and the endings of its files.
struct Grammar {
    endings: &'static [&'static str],
    language: fn() -> Language,
}

const GRAMMARS: &[Grammar] = &[
    Grammar { endings: &["c", "h"], language: || tree_sitter_c::LANGUAGE.into() },
    Grammar { endings: &["py", "pyi"], language: || tree_sitter_python::LANGUAGE.into() },
    Grammar { endings: &["rs"], language: || tree_sitter_rust::LANGUAGE.into() },
    Grammar {
        endings: &["ts", "mts", "cts"],
        language: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    },
    Grammar { endings: &["tsx"], language: || tree_sitter_typescript::LANGUAGE_TSX.into() },
    Grammar { endings: &["js", "jsx", "mjs", "cjs"], language: || tree_sitter_javascript::LANGUAGE.into() },
];

impl Files {
    /// Lists the files of a tree.
    pub(crate) fn of(tree: &Path) -> Self {
        let entries = WalkBuilder::new(tree).build().flatten();
        let files = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
        let small = files.filter(|entry| entry.metadata().is_ok_and(|meta| meta.len() <= LARGEST));
        let parsed = small.filter_map(|entry| Some((grammar(entry.path())?, entry.into_path())));
        Self { files: parsed.map(|(grammar, path)| (path, grammar)).collect() }
    }

    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    /// Reads and parses all files.
    pub(crate) fn parse(&self) -> Result<Parsed, Failure> {
        let threads = thread::available_parallelism()?.get();
        let (next, bytes, done) = (AtomicUsize::new(0), AtomicU64::new(0), Mutex::new(0.0));
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let mut worker = Worker::default();
                    while let Some((path, grammar)) = self.files.get(next.fetch_add(1, Ordering::Relaxed)) {
                        worker.parse(path, grammar);
                    }
                    bytes.fetch_add(worker.bytes, Ordering::Relaxed);
                    if let Ok(mut reading) = done.lock() {
                        *reading += worker.reading;
                    }
                });
            }
        });
        let reading = done.into_inner().map_err(|_| "a thread that parses ended")?;
        Ok(Parsed { bytes: bytes.into_inner(), reading, threads })
    }
}

fn grammar(path: &Path) -> Option<&'static Grammar> {
    let ending = path.extension()?.to_str()?;
    GRAMMARS.iter().find(|grammar| grammar.endings.contains(&ending))
}

/// The parsers and counts of one thread.
#[derive(Default)]
struct Worker {
    parsers: Vec<(&'static Grammar, Parser)>,
    bytes: u64,
    reading: f64,
}

impl Worker {
    fn parse(&mut self, path: &Path, grammar: &'static Grammar) {
        let start = Instant::now();
        let Ok(text) = fs::read(path) else { return };
        self.reading += start.elapsed().as_secs_f64() * 1e3;
        self.bytes += text.len() as u64;
        drop(self.parser(grammar).parse(&text, None));
    }

    fn parser(&mut self, grammar: &'static Grammar) -> &mut Parser {
        let known = self.parsers.iter().position(|(of, _)| std::ptr::eq(*of, grammar));
        let at = known.unwrap_or_else(|| {
            let mut parser = Parser::new();
            parser.set_language(&(grammar.language)()).expect("a grammar of this version of tree-sitter");
            self.parsers.push((grammar, parser));
            self.parsers.len() - 1
        });
        &mut self.parsers[at].1
    }
}
