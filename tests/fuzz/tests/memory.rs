//! No file takes memory without end: texts made to hurt each grammar, in every language, with the heap counted.
//!
//! What parsers and trees take in C is counted by hob itself (`hob_map::held_at_most`) and has its own tests in `daemon/map/tests/hostile.rs`;
//! here is everything together, with what extraction takes for facts, copies and second readings. Patience is counted in the parser's
//! own reports, so that no clock decides. `HOB_MEMORY_OF` tries one language alone (`Java`) and prints every figure.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use hob_fuzz::allocation::{CountedAllocator, most_allocated_by};
use hob_map::langs::{LangSpec, TABLE};
use hob_map::{FileFacts, Lang, extract_within, held_at_most};

#[global_allocator]
static ALLOCATOR: CountedAllocator = CountedAllocator;

/// Bytes of heap that one file may take for each of its bytes, and besides. With a file of 1 MiB, the largest that is parsed, it is
/// 256 MiB.
const PER_BYTE: usize = 192;
const BESIDES: usize = 64 << 20;

/// Length of the long lines, in bytes: a quarter of the largest file that is parsed, because this build is slow.
const LARGEST: usize = 256 << 10;
/// Length of the other texts, in bytes.
const LENGTH: usize = 3 << 10;
/// Length of a name around others, in bytes, and their number: their qualified names would be 100 MB.
const LONG_NAME: usize = 128 << 10;
const MEMBERS: usize = 800;
/// As often a parser asks for patience before it has none.
const ASKED: usize = 600;

/// Texts that are repeated up to [`LENGTH`]: nesting, ambiguity, error recovery, and what looks like the middle of something.
const UNITS: &[&str] = &[
    "((((",
    "{",
    "[",
    "<a>",
    "if a { ",
    "a<b,",
    "a ? b : ",
    "case ",
    "*/",
    "\"",
    "`${",
    "'''",
    "#{",
    "=>",
    "@a ",
    "a.b(",
    "x = 1; ",
    "\\\n",
    "\u{1F600}",
    "é.",
    "\t",
    "0,",
];

fn extract_with_patience(lang: Lang, text: &str) -> FileFacts {
    let left = Cell::new(ASKED);
    extract_within(lang, "a", text.as_bytes(), &|| left.replace(left.get().saturating_sub(1)) > 0)
}

fn opening_text(spec: &LangSpec) -> &'static str {
    match spec.lang {
        Lang::Php => "<?php\n",
        Lang::Vue | Lang::Svelte | Lang::Html => "<script>\n",
        Lang::Astro => "---\n",
        _ => "",
    }
}

fn check_heap(spec: &LangSpec, what: &str, text: &str, is_told: bool) {
    let (facts, heap) = most_allocated_by(|| extract_with_patience(spec.lang, text));
    let held = held_at_most();
    if is_told {
        println!("{:?} {what:?}: {} + {} MB {:?}", spec.lang, heap >> 20, held >> 20, facts.gave_up);
    }
    let most = BESIDES + text.len() * PER_BYTE;
    assert!(heap + held <= most, "{:?} {what:?}: {heap} + {held} of {most} bytes", spec.lang);
}

fn check_language(spec: &LangSpec, is_told: bool) {
    let begin = opening_text(spec);
    for unit in UNITS {
        let text = format!("{begin}{}", unit.repeat(LENGTH / unit.len()));
        check_heap(spec, unit, &text, is_told);
    }
    let long = "N".repeat(LONG_NAME);
    let members = |unit: &str| (0..MEMBERS).map(|number| format!("{unit}{number}")).collect::<String>();
    for (what, text) in [
        ("long class", format!("{begin}class {long} {{ {} }}\n", members("void f() { } int a"))),
        ("long module", format!("{begin}mod {long} {{ {} }}\n", members(" fn f() {} struct A"))),
        ("long suite", format!("{begin}class {long}:\n{}\n", members("\n def f(): pass\n def g"))),
        ("long import", format!("{begin}use {long}::{{{}}};\n", members("a::b as c, d"))),
        ("chain", format!("{begin}x = a{};\n", members(".ab"))),
        ("chained calls", format!("{begin}x = a{};\n", members("().ab"))),
        ("many names", format!("{begin}{}", members(" f(a, b); c = d + e; g"))),
        ("one line", format!("{begin}{}", "f(a, 1); ".repeat(LARGEST / 9))),
        ("one literal", format!("{begin}x = \"{}\"\n", "a".repeat(LARGEST))),
        ("one number", format!("{begin}x = {}\n", "1".repeat(LARGEST))),
    ] {
        check_heap(spec, what, &text, is_told);
    }
}

/// A file is extracted on one thread, and the heap is counted for each: languages can be tried side by side.
#[test]
fn no_file_takes_memory_without_end() {
    let wanted = std::env::var("HOB_MEMORY_OF").ok();
    let is_wanted = |spec: &&LangSpec| wanted.as_ref().is_none_or(|of| *of == format!("{:?}", spec.lang));
    let languages: Vec<&LangSpec> = TABLE.iter().filter(is_wanted).collect();
    let next = AtomicUsize::new(0);
    let check_all = || {
        while let Some(spec) = languages.get(next.fetch_add(1, Ordering::Relaxed)) {
            check_language(spec, wanted.is_some());
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(check_all))));
}
