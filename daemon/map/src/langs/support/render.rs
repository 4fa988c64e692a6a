//! Renders facts as short text, for tests.
//!
//! One line per fact: `kind qualified[~n] first-last@line:col flags | signature | doc`, then imports and exports, then
//! references in the order of the text. Flags: E exported, D declaration, T test, X default export.

use std::fmt::Write as _;

use crate::facts::{Def, DefFlags, FileFacts, Import, Receiver, Ref};
use crate::langs::lang::Lang;

/// Extracts the facts of a source and renders them as text.
pub(crate) fn facts_of(lang: Lang, source: &str) -> String {
    show_facts(&crate::extract(lang, "", source.as_bytes()))
}

/// Compares the facts of `source` with `expected`, line by line, indentation aside.
#[track_caller]
pub(crate) fn check(lang: Lang, source: &str, expected: &str) {
    let actual = facts_of(lang, source);
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    let got: Vec<&str> = actual.lines().map(str::trim).collect();
    assert!(got == expected, "facts differ; got:\n{actual}\nexpected:\n{}\n", expected.join("\n"));
}

/// Most places at which a sample is cut.
const MOST_CUTS: usize = 400;

/// Feeds an extractor damaged forms of `sample`: cut at every byte (of a long one, at a few hundred), spliced with itself and with
/// brackets, nested deep, and stretched to one long line. Extraction has to come back with facts that hang together.
pub(crate) fn torture(lang: Lang, sample: &str) {
    let bytes = sample.as_bytes();
    for cut in (0..bytes.len()).step_by(bytes.len().div_ceil(MOST_CUTS)) {
        check_ranges(lang, &bytes[..cut]);
    }
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below.max(1)
    };
    for _ in 0..300 {
        let mut damaged = bytes.to_vec();
        for _ in 0..=next(3) {
            let (from, to) = (next(bytes.len()), next(bytes.len()));
            let piece = bytes[from.min(to)..from.max(to)].to_vec();
            let at = next(damaged.len());
            let until = (at + next(40)).min(damaged.len());
            damaged.splice(at..until, piece);
            let at = next(damaged.len());
            damaged.insert(at, [b'{', b'}', b'(', b'<', 0xff, b'"', b'\n', b'.'][next(8)]);
        }
        check_ranges(lang, &damaged);
    }
    for (open, close) in [("(", ")"), ("{", "}"), ("[", "]")] {
        let deep = format!("{sample}\n{}x{}\n", open.repeat(100_000), close.repeat(100_000));
        check_ranges(lang, deep.as_bytes());
        check_ranges(lang, format!("{sample}{}", open.repeat(100_000)).as_bytes());
    }
    let line = sample.replace('\n', " ").repeat(1_000_000 / sample.len());
    check_ranges(lang, line.as_bytes());
}

fn check_ranges(lang: Lang, source: &[u8]) {
    let facts = crate::extract(lang, "", source);
    for (idx, def) in facts.defs_indexed() {
        assert!(def.parent.is_none_or(|p| p < idx), "a parent comes first");
        assert!(def.bytes.0 <= def.bytes.1 && def.bytes.1 as usize <= source.len(), "bytes lie in the file");
        assert!(def.lines.0 <= def.lines.1, "lines are in order");
        assert!(!facts.name(def.name).is_empty(), "a definition has a name");
    }
    assert!(facts.refs.iter().all(|r| !facts.name(r.name).is_empty()), "a reference has a name");
}

fn show_facts(facts: &FileFacts) -> String {
    let mut out = String::new();
    if let Some(package) = facts.package {
        let _ = writeln!(out, "package {}", facts.name(package));
    }
    facts.defs.iter().for_each(|def| show_def(facts, def, &mut out));
    facts.imports.iter().for_each(|import| show_import(facts, import, &mut out));
    for export in &facts.exports {
        let _ = writeln!(out, "export {} as {}", facts.name(export.local), facts.name(export.exported));
    }
    let mut refs: Vec<&Ref> = facts.refs.iter().collect();
    refs.sort_by_key(|r| (r.line, r.col()));
    refs.iter().for_each(|r| show_ref(facts, r, &mut out));
    out
}

fn show_def(facts: &FileFacts, def: &Def, out: &mut String) {
    let _ = write!(out, "{} {}", def.kind.as_str(), facts.name(def.qualified));
    if def.ordinal > 1 {
        let _ = write!(out, "~{}", def.ordinal);
    }
    let _ = write!(out, " {}-{}@{}:{}", def.lines.0, def.lines.1, def.name_at.0, def.name_at.1);
    let letters = [
        (DefFlags::EXPORTED, 'E'),
        (DefFlags::DECLARATION, 'D'),
        (DefFlags::TEST, 'T'),
        (DefFlags::DEFAULT, 'X'),
    ];
    let flags: String = letters.iter().filter(|(f, _)| def.flags.has(*f)).map(|(_, c)| *c).collect();
    if !flags.is_empty() {
        let _ = write!(out, " {flags}");
    }
    let _ = write!(out, " | {}", facts.signature(def));
    let doc = facts.doc(def);
    let _ = if doc.is_empty() { writeln!(out) } else { writeln!(out, " | {doc}") };
}

fn show_import(facts: &FileFacts, import: &Import, out: &mut String) {
    let kind = format!("{:?}", import.kind).to_lowercase();
    let _ = write!(out, "import {kind} {}", facts.name(import.module));
    if let Some(name) = import.name {
        let _ = write!(out, " {}", facts.name(name));
    }
    if let Some(local) = import.local {
        let _ = write!(out, " as {}", facts.name(local));
    }
    if import.reexported {
        let _ = write!(out, " reexported");
    }
    let _ = writeln!(out, " @{}", import.line);
}

fn show_ref(facts: &FileFacts, r: &Ref, out: &mut String) {
    let receiver = match r.receiver() {
        Receiver::None => String::new(),
        Receiver::SelfType => "self.".to_owned(),
        Receiver::Super => "super.".to_owned(),
        Receiver::Path(id) => format!("{}/", facts.name(id)),
        Receiver::Typed(id) => format!("<{}>.", facts.name(id)),
        Receiver::Unknown => "?.".to_owned(),
    };
    let kind = format!("{:?}", r.kind()).to_lowercase();
    let _ = write!(out, "{}:{} {kind} {receiver}{}", r.line, r.col(), facts.name(r.name));
    match r.owner {
        Some(owner) => writeln!(out, " in {}", facts.name(facts.def(owner).qualified)),
        None => writeln!(out),
    }
    .expect("writing to a string");
}
