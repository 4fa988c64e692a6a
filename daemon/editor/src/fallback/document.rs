//! Reads the document of a question, as the editor has it, and finds the definition or reference at a place in it.
//!
//! An editor's text may be ahead of the disk, and the map is of the disk. So the document's facts are extracted from
//! the editor's text itself: then places in it are right whatever was inserted above them, and new code is included.
//! The map is asked only for facts about other files.

use std::sync::Arc;
use std::time::Duration;

use hob_base::{Contents as _, Deadline, WsPath};
use hob_map::facts::{Def, DefIdx, Import, Ref, StrId};
use hob_map::{FileFacts, Lang, extract_within, language_of};

use super::MapQuestion;
use super::place::Spans;
use super::text::{LineAndColumn, LinedText, Word, utf16_width_of};
use hob_host::{Freshness, Phase};

/// Longest time for which a question waits at the barrier for recent writes.
const BARRIER_PATIENCE: Duration = Duration::from_millis(500);

/// Longest time for parsing a text.
const PARSE_PATIENCE: Duration = Duration::from_secs(2);

/// The document of a question: the editor's text with the facts that are extracted from it.
pub(super) struct MapDocument {
    pub(super) path: WsPath,
    pub(super) text: LinedText,
    /// The facts of the text; empty where its language is not known.
    pub(super) facts: Arc<FileFacts>,
    /// True if the map has the same facts.
    pub(super) is_mapped: bool,
    /// True if facts can be extracted from the text.
    pub(super) is_source: bool,
}

/// The thing that stands at a place: a definition, a reference, or a part of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DocumentSpot {
    /// The name of this definition.
    Def(DefIdx),
    /// This reference, by its place in the facts.
    Ref(usize),
    /// A name that this import binds.
    Imported(usize),
    /// The module of this import.
    Module(usize),
    /// None of the facts: a local name, a keyword, prose.
    Nothing,
}

impl MapDocument {
    /// Reads the document of a question; `None` where the question has none, or it cannot be read.
    pub(super) fn from_question(question: &MapQuestion<'_>) -> Option<Self> {
        let path = question.path?.clone();
        let is_fresh = wait_for_map(question);
        let disk = question.workspace.disk_contents().read(&path).ok();
        let bytes: Arc<[u8]> = match question.text {
            Some(text) => Arc::from(text.as_bytes()),
            None => Arc::clone(disk.as_ref()?),
        };
        let mapped = {
            let map = question.workspace.map();
            map.file_at(path.as_str()).and_then(|file| map.file(file)).map(|(_, facts)| Arc::clone(facts))
        };
        let lang = mapped.as_ref().map(|facts| facts.lang).or_else(|| language_of(path.file_name(), &bytes));
        let is_saved = is_fresh && disk.as_ref() == Some(&bytes);
        let (facts, is_mapped) = match mapped.filter(|_| is_saved) {
            Some(facts) => (facts, true),
            None => (Arc::new(facts_of(question, &path, lang, &bytes)), false),
        };
        let is_source = lang.is_some_and(|lang| lang != Lang::Manifest);
        Some(Self { path, text: LinedText::new(bytes), facts, is_mapped, is_source })
    }

    /// Returns a name of the facts.
    pub(super) fn name(&self, id: StrId) -> &str {
        self.facts.name(id)
    }

    /// Returns the place of a definition's name; that of a heading has no width, because its line begins with marks.
    pub(super) fn name_of(&self, def: &Def) -> Spans {
        let width = if def.kind.is_prose() { 0 } else { utf16_width_of(self.name(def.name)) };
        Spans { at: def.name_at, width }
    }

    /// Returns the place of a reference; that of a link in prose has no width, because the text of a link differs from
    /// its name.
    pub(super) fn span_of(&self, r: &Ref) -> Spans {
        let width = if self.facts.lang.is_prose() { 0 } else { utf16_width_of(self.name(r.name)) };
        Spans { at: (r.line, r.col()), width }
    }

    /// Finds the thing at a place, and the identifier there.
    pub(super) fn spot_at(&self, at: LineAndColumn) -> (DocumentSpot, Option<Word>) {
        let word = self.text.word_at(at);
        if self.facts.lang.is_prose() {
            return (self.spot_of_prose(at), word);
        }
        let defs = self.facts.defs_indexed().map(|(idx, def)| (self.name_of(def), DocumentSpot::Def(idx)));
        let refs = self.facts.refs.iter().enumerate();
        let refs =
            refs.filter(|(_, r)| r.line == at.0).map(|(idx, r)| (self.span_of(r), DocumentSpot::Ref(idx)));
        let met = defs.chain(refs).filter(|(spans, _)| spans.touches(at));
        // If two names touch, the one that begins there counts.
        let met = met.min_by_key(|(spans, _)| spans.ends_at(at)).map(|(_, spot)| spot);
        let import = || word.as_ref().and_then(|word| self.import_at(word));
        (met.or_else(import).unwrap_or(DocumentSpot::Nothing), word)
    }

    /// Returns the last link that has begun, or the heading.
    fn spot_of_prose(&self, at: LineAndColumn) -> DocumentSpot {
        let refs = self.facts.refs.iter().enumerate();
        let begun = refs.filter(|(_, r)| r.line == at.0 && r.col() <= at.1).max_by_key(|(_, r)| r.col());
        let heading = self.facts.defs_indexed().find(|(_, def)| def.name_at.0 == at.0);
        let link = begun.map(|(idx, _)| DocumentSpot::Ref(idx));
        link.or(heading.map(|(idx, _)| DocumentSpot::Def(idx))).unwrap_or(DocumentSpot::Nothing)
    }

    fn import_at(&self, word: &Word) -> Option<DocumentSpot> {
        let imports = self.facts.imports.iter().enumerate();
        let near = imports.filter(|(_, import)| {
            import.line <= word.at.0 && self.text.statement_lines(import.line).contains(&word.at.0)
        });
        let spots: Vec<DocumentSpot> =
            near.filter_map(|(idx, import)| self.part_at(idx, import, word)).collect();
        spots.iter().find(|spot| matches!(spot, DocumentSpot::Imported(_))).or(spots.first()).copied()
    }

    /// Returns the part of an import that a word stands for: a bound name or the module.
    fn part_at(&self, idx: usize, import: &Import, word: &Word) -> Option<DocumentSpot> {
        let is = |id: Option<StrId>| id.is_some_and(|id| self.name(id) == word.text);
        let in_module = module_words(self.name(import.module)).any(|part| part == word.text);
        if !in_module && (is(import.name) || is(import.local)) {
            return Some(DocumentSpot::Imported(idx));
        }
        let is_name =
            is(import.name) && self.text.mention_in_import(import.line, &word.text) == Some(word.at);
        if is_name {
            Some(DocumentSpot::Imported(idx))
        } else {
            in_module.then_some(DocumentSpot::Module(idx))
        }
    }
}

/// Returns the names in a module's path.
pub(super) fn module_words(module: &str) -> impl Iterator<Item = &str> {
    module.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Waits until the map has the writes before the question; returns true if it is known to have them. A first index is
/// not waited for: the map's present answer is better than none.
pub(super) fn wait_for_map(question: &MapQuestion<'_>) -> bool {
    question.workspace.progress.now().phase == Phase::Done
        && question.workspace.barrier(true, BARRIER_PATIENCE) == Freshness::Fresh
}

fn facts_of(question: &MapQuestion<'_>, path: &WsPath, lang: Option<Lang>, bytes: &[u8]) -> FileFacts {
    let Some(lang) = lang else { return FileFacts::empty(Lang::Manifest) };
    let cancel = question.cancel.with_deadline(Deadline::after(PARSE_PATIENCE));
    extract_within(lang, path.file_name(), bytes, &|| cancel.check().is_ok())
}
