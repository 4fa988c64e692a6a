//! Runs a language's extractor on one file.
//!
//! Pure and total: any bytes give facts. A parser is kept per thread and language, because making one costs more than
//! parsing a small file.

use std::cell::RefCell;

use tree_sitter::{Language, Parser, Tree};

use crate::facts::{FactsBuilder, FileFacts};
use crate::hazards::is_hazardous;
use crate::langs::{Lang, LangSpec, Reader, manifest_facts};
use crate::parse::{Patience, parse, parse_patiently, was_laborious};
use crate::recover::{Reading, recover};

/// Raised whenever facts of unchanged bytes would come out differently; stored facts of other versions are not used.
pub const EXTRACTOR_VERSION: u32 = 7;

thread_local! {
    static PARSERS: RefCell<Vec<Option<Parser>>> = RefCell::new((0..Lang::ALL.len()).map(|_| None).collect());
}

/// Extracts the facts of a file. `file_name` matters for project files only.
#[must_use]
pub fn extract(lang: Lang, file_name: &str, source: &[u8]) -> FileFacts {
    extract_within(lang, file_name, source, &|| true)
}

/// The same for whoever cannot wait for ever: the file is text and nothing else once `patience` is out.
#[must_use]
pub fn extract_within(lang: Lang, file_name: &str, source: &[u8], patience: Patience<'_>) -> FileFacts {
    match lang.spec() {
        None => manifest_facts(file_name, source),
        Some(spec) => extract_source(spec, source, patience),
    }
}

fn extract_source(spec: &'static LangSpec, source: &[u8], patience: Patience<'_>) -> FileFacts {
    let mut facts = FactsBuilder::new(spec.lang);
    let grammar = match spec.reader {
        Reader::Tree { grammar, .. } | Reader::Twice { grammar, .. } => grammar,
        Reader::Own(read) => return read(source, facts).finish(),
    };
    let parse = |text: &[u8], old: Option<&Tree>| {
        let patiently =
            |parsers: &mut [_]| parse_patiently(parser(parsers, spec.lang, grammar)?, (text, old), patience);
        PARSERS.with_borrow_mut(|parsers| patiently(parsers))
    };
    let tree = if is_hazardous(spec.lang, source) { None } else { parse(source, None) };
    let Some(tree) = tree else {
        facts.has_errors();
        facts.not_mapped([(1, line_count(source))]);
        return facts.finish();
    };
    match spec.reader {
        Reader::Twice { extract, .. } => extract((&tree, source), facts, &parse).finish(),
        Reader::Tree { extract, .. } => {
            if tree.root_node().has_error() {
                facts.has_errors();
            }
            let laborious = was_laborious(source.len());
            let facts = extract(&tree, source, facts);
            if laborious || facts.lines_not_mapped() == 0 {
                return facts.finish();
            }
            let reading = Reading { lang: spec.lang, extract, reparse: &parse };
            recover(&reading, source, facts).finish()
        }
        Reader::Own(_) => facts.finish(),
    }
}

fn line_count(source: &[u8]) -> u32 {
    memchr::memchr_iter(b'\n', source).count() as u32
        + u32::from(source.last().is_some_and(|last| *last != b'\n'))
}

/// Adds the facts of a part of a file that is written in a language of its own; positions are those in the whole file.
pub(crate) fn extract_part(
    lang: Lang,
    source: &[u8],
    (from, to): (usize, usize),
    mut facts: FactsBuilder,
) -> FactsBuilder {
    let Some(Reader::Tree { grammar, extract }) = lang.spec().map(|spec| spec.reader) else { return facts };
    let tree = PARSERS.with_borrow_mut(|parsers| {
        let parser = parser(parsers, lang, grammar).filter(|_| !is_hazardous(lang, source))?;
        parser.set_included_ranges(&[range(source, (from, to))]).ok()?;
        let tree = parse(parser, source, None);
        // The parser is kept for whole files.
        parser.set_included_ranges(&[]).ok()?;
        tree
    });
    let Some(tree) = tree else {
        facts.has_errors();
        return facts;
    };
    if tree.root_node().has_error() {
        facts.has_errors();
    }
    extract(&tree, source, facts)
}

fn range(source: &[u8], (from, to): (usize, usize)) -> tree_sitter::Range {
    let point = |at: usize| {
        let before = &source[..at.min(source.len())];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let row = memchr::memchr_iter(b'\n', before).count();
        tree_sitter::Point { row, column: before.len() - line_start }
    };
    tree_sitter::Range { start_byte: from, end_byte: to, start_point: point(from), end_point: point(to) }
}

fn parser(parsers: &mut [Option<Parser>], lang: Lang, grammar: fn() -> Language) -> Option<&mut Parser> {
    let slot = parsers.get_mut(lang as usize)?;
    if slot.is_none() {
        let mut parser = Parser::new();
        parser.set_language(&grammar()).ok()?;
        *slot = Some(parser);
    }
    slot.as_mut()
}
