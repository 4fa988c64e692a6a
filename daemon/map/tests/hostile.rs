//! Checks that no small file takes the memory and time that a large one may, by texts that make a parser store or guess
//! a lot, in every language of the table. Memory of parsers and trees is counted in bytes, patience in calls.
//!
//! `HOB_HOSTILE_OF` tries one language alone (`Java`) and prints the time of each text.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use hob_map::langs::{LangSpec, TABLE};
use hob_map::{FileFacts, GaveUp, Lang, extract, extract_within, held_at_most, may_hold};

/// Texts that are repeated, each up to [`LENGTH`].
const UNITS: &[&str] = &[
    "a<",
    "a=>",
    "%q(",
    "f(<",
    "a?:",
    "(",
    "[",
    "x:",
    "case ",
    "<script>\ncase ",
    "a, ",
    "\"${",
    "# a\n",
    "x\n// a\n",
];
/// Length of each text, in bytes: longer ones hold no more, and those that hold gigabytes do so from this length on.
const LENGTH: usize = 32 << 10;
/// Number of calls of patience before it returns false. The parsers that hold gigabytes do so after about 500 calls.
const ASKED: usize = 600;

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

fn try_one(spec: &LangSpec, is_told: bool) {
    for unit in UNITS {
        let text = format!("{}{}", opening_text(spec), unit.repeat(LENGTH / unit.len()));
        let since = Instant::now();
        let facts = extract_with_patience(spec.lang, &text);
        let (held, most) = (held_at_most(), may_hold(text.len()));
        if is_told {
            println!("{unit:?} {:.1?} {} MB {:?}", since.elapsed(), held >> 20, facts.gave_up);
        }
        assert!(held <= most, "{:?}, {unit:?}: {held} of {most} bytes", spec.lang);
        assert!(facts.gave_up.is_none() || facts.has_errors);
    }
    let after = extract(spec.lang, "a", opening_text(spec).as_bytes());
    assert!(after.gave_up.is_none(), "{:?}: the next file is read as ever", spec.lang);
}

#[test]
fn no_small_file_takes_gigabytes() {
    let wanted = std::env::var("HOB_HOSTILE_OF").ok();
    let is_wanted = |spec: &&LangSpec| wanted.as_ref().is_none_or(|of| *of == format!("{:?}", spec.lang));
    let queue: Mutex<VecDeque<&LangSpec>> = Mutex::new(TABLE.iter().filter(is_wanted).collect());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| std::iter::from_fn(next).for_each(|spec| try_one(spec, wanted.is_some())));
        }
    });
}

#[test]
fn what_takes_too_much_memory_is_text_only_and_the_next_file_is_not() {
    let classes = "class A { int f() { return g(1); } }\n".repeat(200);
    // Comments that are read again at each comment before them take ten seconds without countermeasures, and are no
    // reason to give up.
    let long = format!("def f(): pass\n{}", "# filler\n".repeat(20_000));
    assert_eq!(extract_with_patience(Lang::Python, &long).defs.len(), 1);
    for (lang, unit, good) in [
        (Lang::Java, "a<", classes.as_str()),
        (Lang::Java, "%q(", &classes),
        (Lang::CSharp, "a<", &classes),
        (Lang::Rust, "%q(", "struct A;\nfn f() { g(1) }\n"),
        (Lang::C, "a=>", "int f(void) { return g(1); }\n"),
        (Lang::Cpp, "%q(", "int f() { return g(1); }\n"),
    ] {
        let bad = extract(lang, "a", unit.repeat((64 << 10) / unit.len()).as_bytes());
        assert_eq!((bad.gave_up, bad.defs.len()), (Some(GaveUp::Memory), 0), "{lang:?} {unit:?}");
        let facts = extract(lang, "a", good.as_bytes());
        assert!(facts.gave_up.is_none() && !facts.has_errors && !facts.defs.is_empty(), "{lang:?}");
    }
}

#[test]
fn names_that_are_long_in_each_other_are_text_only() {
    let members: String = (0..200).map(|number| format!("void f{number}() {{ }} ")).collect();
    let class = |length: usize| format!("class {} {{ {members} }}\n", "A".repeat(length));
    let bad = extract(Lang::Java, "A.java", class(256 << 10).as_bytes());
    assert_eq!((bad.gave_up, bad.defs.len()), (Some(GaveUp::Memory), 0));
    let good = extract(Lang::Java, "A.java", class(4 << 10).as_bytes());
    assert_eq!((good.gave_up, good.defs.len()), (None, 201));
}
