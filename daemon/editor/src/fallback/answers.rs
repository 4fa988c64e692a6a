//! Answers definition, references and hover from the map, in the protocol's form.

use std::time::Duration;

use hob_base::Deadline;
use hob_map::Lang;
use hob_map::graph::{NodeInfo, NodeKind};
use serde_json::{Value, json};

use super::MapQuestion;
use super::document::MapDocument;
use super::place::{FilePlace, MOST_PLACES, position_in};
use super::senses::{DocumentReading, Sense};
use super::text::Word;
use super::uses;

/// Longest time for which the map searches for uses.
const USES_PATIENCE: Duration = Duration::from_secs(5);

/// Most definitions that a hover shows, where a name may mean any of several.
const HOVERED: usize = 5;

/// Most definitions whose uses are searched, where a name may mean any of several.
const MOST_SENSES: usize = 5;

/// The last line of every hover from the map.
const SURE: &str = "*From hob's map, not from a language server.*";
const UNSURE: &str = "*From hob's map, not from a language server: the name may mean any of these.*";

/// Answers `textDocument/definition` and `textDocument/declaration` from the map.
pub(super) fn definition(question: &MapQuestion<'_>) -> Value {
    let places = collect_meanings(question, |reading, sense, _| reading.place_of_sense(sense));
    let places = places.map(|(places, _)| places).unwrap_or_default();
    locations_of(question, &places)
}

/// Answers `textDocument/references`. `null` where the search took too long, which does not mean that there are none.
pub(super) fn references(question: &MapQuestion<'_>) -> Value {
    let wants_declaration =
        question.params.pointer("/context/includeDeclaration") == Some(&Value::Bool(true));
    let cancel = question.cancel.with_deadline(Deadline::after(USES_PATIENCE));
    let Some((document, spot, word)) = spot_of(question) else { return json!([]) };
    let (mut found, mut declared) = (Vec::new(), Vec::new());
    {
        let map = question.workspace.map();
        let reading = DocumentReading::new(&document, &map);
        for sense in reading.senses_at(spot, word.as_ref()).list.into_iter().take(MOST_SENSES) {
            let Ok(uses) = reading.uses_of(sense, &cancel) else { return Value::Null };
            found.extend(uses);
            declared.extend(reading.place_of_sense(sense).filter(|_| wants_declaration));
        }
    }
    found.truncate(MOST_PLACES);
    let mut places = uses::uses_to_places(question.workspace, &document, found);
    places.retain(|place| !declared.contains(place));
    declared.extend(places);
    locations_of(question, &declared)
}

/// Answers `textDocument/hover` from the map.
pub(super) fn hover(question: &MapQuestion<'_>) -> Value {
    let shown = collect_meanings(question, |reading, sense, is_sure| reading.hover_text(sense, is_sure));
    let Some((shown, (is_sure, word))) = shown.filter(|(shown, _)| !shown.is_empty()) else {
        return Value::Null;
    };
    let mut text: Vec<String> = shown.into_iter().take(HOVERED).collect();
    text.push(if is_sure { SURE } else { UNSURE }.to_owned());
    let mut hover = json!({"contents": {"kind": "markdown", "value": text.join("\n\n")}});
    if let Some(word) = word {
        let spans = super::place::Spans { at: word.at, width: word.utf16_width() };
        hover["range"] = spans.range();
    }
    hover
}

/// Returns the IDs of the nodes that the name at a place means, likeliest first; where there is no name, the ID of the
/// definition around the place.
pub(crate) fn node_ids(question: &MapQuestion<'_>) -> Vec<String> {
    let Some((document, spot, word)) = spot_of(question) else { return Vec::new() };
    let map = question.workspace.map();
    let reading = DocumentReading::new(&document, &map);
    let senses = reading.senses_at(spot, word.as_ref()).list;
    let mut ids: Vec<String> = senses.into_iter().filter_map(|sense| reading.id(sense)).collect();
    if ids.is_empty() {
        let line = position_in(question.params).map_or(0, |at| at.0);
        let around =
            document.facts.defs_indexed().filter(|(_, def)| (def.lines.0..=def.lines.1).contains(&line));
        let innermost = around.min_by_key(|(idx, def)| (def.lines.1 - def.lines.0, std::cmp::Reverse(*idx)));
        ids.extend(innermost.and_then(|(idx, _)| reading.id(Sense::Here(idx))));
    }
    ids
}

type QuestionSpot = (MapDocument, super::document::DocumentSpot, Option<Word>);

fn spot_of(question: &MapQuestion<'_>) -> Option<QuestionSpot> {
    let at = position_in(question.params)?;
    let document = MapDocument::from_question(question)?;
    let (spot, word) = document.spot_at(at);
    Some((document, spot, word))
}

/// The text or place of each meaning, whether the meaning is certain, and the name at the place.
type Told<T> = (Vec<T>, (bool, Option<Word>));

/// Returns the result of `tell` for each meaning of the name, whether the meaning is certain, and the name.
fn collect_meanings<T: PartialEq>(
    question: &MapQuestion<'_>,
    tell: impl Fn(&DocumentReading<'_>, Sense, bool) -> Option<T>,
) -> Option<Told<T>> {
    let (document, spot, word) = spot_of(question)?;
    let map = question.workspace.map();
    let reading = DocumentReading::new(&document, &map);
    let senses = reading.senses_at(spot, word.as_ref());
    let mut told: Vec<T> = Vec::new();
    for one in senses.list.into_iter().filter_map(|sense| tell(&reading, sense, senses.is_sure)) {
        if !told.contains(&one) {
            told.push(one);
        }
    }
    Some((told, (senses.is_sure, word)))
}

fn locations_of(question: &MapQuestion<'_>, places: &[FilePlace]) -> Value {
    places.iter().take(MOST_PLACES).map(|place| place.to_location(question.workspace)).collect()
}

impl DocumentReading<'_> {
    /// Returns the place of a definition's name.
    fn place_of_sense(&self, sense: Sense) -> Option<FilePlace> {
        match sense {
            Sense::Here(def) => {
                let spans = self.document.name_of(self.document.facts.def(def));
                Some(FilePlace { path: self.document.path.clone(), spans })
            }
            Sense::There(node) => FilePlace::from_node(&self.map.info(node)?),
        }
    }

    /// Writes a definition's header and documentation.
    fn hover_text(&self, sense: Sense, is_sure: bool) -> Option<String> {
        let place = self.place_of_sense(sense)?;
        let (header, doc, lang) = match sense {
            Sense::Here(def) => {
                let facts = &self.document.facts;
                let def = facts.def(def);
                let header = header_or_kind(facts.signature(def), def.kind.as_str(), facts.name(def.name));
                (header, facts.doc(def).to_owned(), facts.lang)
            }
            Sense::There(node) => {
                let info = self.map.info(node)?;
                let lang =
                    node.file().and_then(|file| self.map.file(file)).map_or(Lang::Manifest, |at| at.1.lang);
                (header_of(&info), info.doc, lang)
            }
        };
        let mut text = format!("```{}\n{header}\n```", fence_language(lang));
        if !is_sure {
            text.push_str(&format!("\n`{}:{}`", place.path, place.spans.at.0));
        }
        if !doc.is_empty() {
            text.push_str("\n\n");
            text.push_str(&doc);
        }
        Some(text)
    }

    fn id(&self, sense: Sense) -> Option<String> {
        self.node_of(sense).map(|node| self.map.id(node).to_string())
    }
}

fn header_of(info: &NodeInfo) -> String {
    match (info.kind, &info.path) {
        (NodeKind::File, Some(path)) => path.to_string(),
        _ => header_or_kind(&info.signature, info.kind.as_str(), &info.name),
    }
}

fn header_or_kind(signature: &str, kind: &str, name: &str) -> String {
    if signature.is_empty() { format!("{kind} {name}") } else { signature.to_owned() }
}

/// Returns the name of a language for fenced blocks of Markdown.
fn fence_language(lang: Lang) -> String {
    match lang {
        Lang::Cpp => "cpp".to_owned(),
        Lang::CSharp => "csharp".to_owned(),
        other => other.spec().map(|spec| spec.name.to_lowercase()).unwrap_or_default(),
    }
}
