//! Runs a language's extractor on one file.
//!
//! It is pure and total: any bytes give facts. Parsers and trees are made for one file and end with it, in memory that
//! is freed as a whole.

use std::cell::RefCell;

use tree_sitter::{Language, Point, Range};

use crate::bounded::BoundedSession;
use crate::facts::{FactsBuilder, FileFacts, FlowPlaces, GaveUp};
use crate::hazards::is_hazardous;
use crate::langs::detect::manifest_facts;
use crate::langs::lang::Lang;
use crate::langs::rules::{LangSpec, LanguageReader};
use crate::parse::{Patience, ThreadParser, TreeParseInput, may_hold, was_laborious};
use crate::recover::{RecoveryReading, recover};
use crate::syntax::Tree;
use crate::tamed::tame_comments;

/// The version of the extractors. Raise it whenever facts of unchanged bytes would differ; stored facts of other
/// versions are not used.
pub const EXTRACTOR_VERSION: u32 = 24;

thread_local! {
    /// The parsers of the current file: a file with nested languages uses several.
    static PARSERS: RefCell<Vec<(Lang, ThreadParser)>> = const { RefCell::new(Vec::new()) };
}

/// Extracts the facts of a file. `file_name` only matters for project files.
#[must_use]
pub fn extract(lang: Lang, file_name: &str, source: &[u8]) -> FileFacts {
    extract_within(lang, file_name, source, &|| true)
}

/// Extracts the facts of a file for callers that cannot wait: the file is text only once `patience` returns false.
#[must_use]
pub fn extract_within(lang: Lang, file_name: &str, source: &[u8], patience: Patience<'_>) -> FileFacts {
    match lang.spec() {
        None => manifest_facts(file_name, source),
        Some(spec) => extract_source(spec, source, patience),
    }
}

/// Returns the facts of a file that was not parsed, with the reason.
#[must_use]
pub fn text_only(lang: Lang, why: GaveUp) -> FileFacts {
    given_up(lang, why).finish()
}

fn given_up(lang: Lang, why: GaveUp) -> FactsBuilder {
    let mut facts = FactsBuilder::new(lang);
    facts.gave_up(why);
    facts
}

/// Extracts the facts of a file together with the lines of its values; `None` if no grammar reads the language, or only
/// a reading without broken parts gives facts.
pub(crate) fn extract_with_places(
    lang: Lang,
    source: &[u8],
    patience: Patience<'_>,
) -> Option<(FileFacts, FlowPlaces)> {
    let spec = lang.spec()?;
    let mut facts = FactsBuilder::new(spec.lang);
    facts.ask_for_places();
    let (facts, places) = build_facts(spec, source, facts, patience).finish_with_places();
    Some((facts, places?))
}

/// The session of one file. Begin it before making any tree of the file, so that it ends after them.
struct Extraction {
    _session: BoundedSession,
}

impl Extraction {
    fn begin(source: &[u8]) -> Self {
        Self { _session: BoundedSession::begin_arena(may_hold(source.len())) }
    }
}

impl Drop for Extraction {
    fn drop(&mut self) {
        PARSERS.with_borrow_mut(|parsers| {
            if BoundedSession::was_left() {
                parsers.iter_mut().for_each(|(_, parser)| parser.forget_parser());
            }
            parsers.clear();
        });
    }
}

/// Parses a text with the current file's parser for a language.
fn parse_with(
    lang: Lang,
    grammar: fn() -> Option<Language>,
    asked: &TreeParseInput<'_>,
) -> Result<Tree, GaveUp> {
    PARSERS.with_borrow_mut(|parsers| {
        let at = parsers.iter().position(|(of, _)| *of == lang).unwrap_or_else(|| {
            parsers.push((lang, ThreadParser::default()));
            parsers.len() - 1
        });
        let tree = parsers[at].1.parse(grammar, asked).map(Tree::from_parsed)?;
        // Readers of the tree list its nodes, which takes memory too.
        let held = BoundedSession::held_so_far() + tree.list_bytes();
        if held > may_hold(asked.source.len()) { Err(GaveUp::Memory) } else { Ok(tree) }
    })
}

fn extract_source(spec: &'static LangSpec, source: &[u8], patience: Patience<'_>) -> FileFacts {
    build_facts(spec, source, FactsBuilder::new(spec.lang), patience).finish()
}

fn build_facts(
    spec: &'static LangSpec,
    source: &[u8],
    mut facts: FactsBuilder,
    patience: Patience<'_>,
) -> FactsBuilder {
    let grammar = match spec.reader {
        LanguageReader::Tree { grammar, .. } | LanguageReader::Twice { grammar, .. } => grammar,
        LanguageReader::Own { read, .. } => {
            let _extraction = Extraction::begin(source);
            return read(source, facts, patience);
        }
    };
    if is_hazardous(spec.lang, source) {
        return given_up(spec.lang, GaveUp::Hazard);
    }
    let _extraction = Extraction::begin(source);
    let parse = |source: &[u8], old: Option<&Tree>| {
        let asked = TreeParseInput { source, part: None, old: old.map(Tree::parsed_tree), patience };
        parse_with(spec.lang, grammar, &asked)
    };
    let tree = match parse(&tame_comments(spec.lang, source), None) {
        Ok(tree) => tree,
        Err(why) => return given_up(spec.lang, why),
    };
    match spec.reader {
        LanguageReader::Twice { extract, .. } => {
            extract((&tree, source), facts, &|text, old| parse(text, old).ok())
        }
        LanguageReader::Tree { extract, .. } => {
            if tree.has_error() {
                facts.has_errors();
            }
            let laborious = was_laborious(source.len());
            let facts = extract(&tree, source, facts);
            if laborious || facts.lines_not_mapped() == 0 {
                return facts;
            }
            let reparse = |text: &[u8], old: Option<&Tree>| parse(&tame_comments(spec.lang, text), old).ok();
            let reading = RecoveryReading { lang: spec.lang, extract, reparse: &reparse };
            recover(&reading, source, facts)
        }
        LanguageReader::Own { .. } => facts,
    }
}

/// Reads the tree of a text, which ends with the reading; `None` if no grammar reads the language, or the text cannot
/// be parsed safely.
pub(crate) fn read_tree<T>(
    lang: Lang,
    source: &[u8],
    patience: Patience<'_>,
    read: impl FnOnce(&Tree) -> T,
) -> Option<T> {
    let grammar = lang.spec()?.reader.grammar()?;
    if is_hazardous(lang, source) {
        return None;
    }
    let _extraction = Extraction::begin(source);
    let text = tame_comments(lang, source);
    let asked = TreeParseInput { source: &text, part: None, old: None, patience };
    let tree = parse_with(lang, grammar, &asked).ok()?;
    Some(read(&tree))
}

/// A part of a file, in bytes, and its place.
pub(crate) struct EmbeddedSource<'a> {
    pub(crate) source: &'a [u8],
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// The row of the first byte of the part, from 0.
    pub(crate) row: usize,
}

/// Adds the facts of a part of a file that is in another language; positions are those in the whole file.
pub(crate) fn extract_part(
    lang: Lang,
    part: &EmbeddedSource<'_>,
    mut facts: FactsBuilder,
    patience: Patience<'_>,
) -> FactsBuilder {
    let Some(LanguageReader::Tree { grammar, extract }) = lang.spec().map(|spec| spec.reader) else {
        return facts;
    };
    if is_hazardous(lang, &part.source[part.from..part.to]) {
        facts.gave_up(GaveUp::Hazard);
        return facts;
    }
    let asked = TreeParseInput { source: part.source, part: Some(range(part)), old: None, patience };
    let tree = match parse_with(lang, grammar, &asked) {
        Ok(tree) => tree,
        Err(why) => {
            facts.gave_up(why);
            return facts;
        }
    };
    if tree.has_error() {
        facts.has_errors();
    }
    extract(&tree, part.source, facts)
}

fn range(part: &EmbeddedSource<'_>) -> Range {
    let column = |at: usize| {
        let before = &part.source[..at];
        at - memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1)
    };
    let rows = memchr::memchr_iter(b'\n', &part.source[part.from..part.to]).count();
    Range {
        start_byte: part.from,
        end_byte: part.to,
        start_point: Point { row: part.row, column: column(part.from) },
        end_point: Point { row: part.row + rows, column: column(part.to) },
    }
}
