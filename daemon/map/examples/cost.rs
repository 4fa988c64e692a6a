//! Measures what reading facts costs, next to parsing alone: `cost DIR [ROUNDS]`, on one thread, as time of the processor.
//!
//! All files of a folder in a language of the table below are read into memory first. Each round then parses them all by
//! tree-sitter alone, extracts their facts, and encodes the facts; the least of the rounds counts. `ONLY=bare`, `ONLY=facts` or `ONLY=disk` does one of
//! these, for a profiler. The last line is a hash of all encoded facts: two builds that print the same one read the same facts.
//! For people who work on the extractors. With hob's own allocator, figures are lower: preload it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hob_map::{FileFacts, KeptTreeMemory, Lang, extract, language_of, persist};
use tree_sitter::{Language, Parser};

struct Source {
    lang: Lang,
    name: String,
    text: Vec<u8>,
}

fn main() {
    let mut args = std::env::args().skip(1);
    let root = PathBuf::from(args.next().unwrap_or_else(|| ".".to_owned()));
    let rounds: usize = args.next().and_then(|rounds| rounds.parse().ok()).unwrap_or(5);
    let sources = read_sources(&root);
    let bytes: usize = sources.iter().map(|source| source.text.len()).sum();
    println!("{} files, {bytes} bytes", sources.len());
    let only = std::env::var("ONLY").unwrap_or_default();
    let wants = |part: &str| only.is_empty() || only == part;
    // Parsing alone comes first: the map then gives tree-sitter an allocator of its own.
    let bare = least(rounds * usize::from(wants("bare")), || parse_all(&sources));
    let _memory = KeptTreeMemory::for_this_thread();
    let facts = least(rounds * usize::from(wants("facts")), || {
        sources.iter().for_each(|source| drop(read_facts(source)));
    });
    let read: Vec<FileFacts> =
        if wants("disk") { sources.iter().map(read_facts).collect() } else { Vec::new() };
    let disk = least(rounds * usize::from(wants("disk")), || {
        read.iter().for_each(|facts| drop(persist::encode(facts)));
    });
    let ratio = |part: Duration| part.as_secs_f64() / bare.as_secs_f64().max(1e-9);
    println!("parsing alone {bare:.3?}");
    println!("facts         {facts:.3?}, {:.2} times", ratio(facts));
    println!("encoding      {disk:.3?}, {:.2} times", ratio(disk));
    println!("hash of all facts: {:016x}", hash_facts(&read));
}

fn read_sources(root: &Path) -> Vec<Source> {
    let mut paths = Vec::new();
    collect(root, &mut paths);
    paths.sort();
    paths.iter().filter_map(|path| read_source(path)).collect()
}

fn collect(dir: &Path, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && !hidden => collect(&path, paths),
            Ok(kind) if kind.is_file() => paths.push(path),
            _ => {}
        }
    }
}

fn read_source(path: &Path) -> Option<Source> {
    let name = path.file_name()?.to_str()?.to_owned();
    let text = std::fs::read(path).ok().filter(|text| text.len() <= 1 << 20)?;
    let lang = language_of(&name, &text[..text.len().min(4096)])?;
    (std::env::var("ALL").is_ok() || grammar(lang).is_some()).then_some(Source { lang, name, text })
}

fn grammar(lang: Lang) -> Option<Language> {
    let grammar = match lang {
        Lang::C => tree_sitter_c::LANGUAGE,
        Lang::Cpp => tree_sitter_cpp::LANGUAGE,
        Lang::Go => tree_sitter_go::LANGUAGE,
        Lang::Java => tree_sitter_java::LANGUAGE,
        Lang::JavaScript => tree_sitter_javascript::LANGUAGE,
        Lang::Python => tree_sitter_python::LANGUAGE,
        Lang::Rust => tree_sitter_rust::LANGUAGE,
        Lang::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
        Lang::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        _ => return None,
    };
    Some(grammar.into())
}

fn parse_all(sources: &[Source]) {
    let mut parsers: Vec<(Lang, Parser)> = Vec::new();
    for source in sources {
        let Some(grammar) = grammar(source.lang) else { continue };
        let at = parsers.iter().position(|(lang, _)| *lang == source.lang).unwrap_or_else(|| {
            let mut parser = Parser::new();
            parser.set_language(&grammar).expect("a grammar of this version of tree-sitter");
            parsers.push((source.lang, parser));
            parsers.len() - 1
        });
        drop(parsers[at].1.parse(&source.text, None));
    }
}

fn read_facts(source: &Source) -> FileFacts {
    extract(source.lang, &source.name, &source.text)
}

/// FNV-1a over all encoded facts, with their lengths.
fn hash_facts(read: &[FileFacts]) -> u64 {
    read.iter().map(persist::encode).fold(0xcbf2_9ce4_8422_2325, |hash, bytes| {
        let length = bytes.len().to_le_bytes();
        length
            .iter()
            .chain(&bytes)
            .fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
    })
}

fn least(rounds: usize, mut run: impl FnMut()) -> Duration {
    let mut timed = || {
        let before = processor_time();
        run();
        processor_time().saturating_sub(before)
    };
    (0..rounds).map(|_| timed()).min().unwrap_or_default()
}

/// The time that the processor ran this thread; zero where the system does not say it in `/proc`.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = stat.split_whitespace().next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}
