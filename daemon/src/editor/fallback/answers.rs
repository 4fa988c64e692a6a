//! Definition, references and hover: what a name means, in the protocol's words.

use std::time::Duration;

use hob_base::Deadline;
use hob_map::Lang;
use hob_map::graph::{NodeInfo, NodeKind};
use serde_json::{Value, json};

use super::Question;
use super::document::Document;
use super::place::{MOST_PLACES, Place, position_in};
use super::senses::{Reading, Sense};
use super::text::Word;
use super::uses;

/// Longest time that the map may look for uses.
const USES_PATIENCE: Duration = Duration::from_secs(5);

/// Most definitions that a hover shows, where it is not known which is meant.
const HOVERED: usize = 5;

/// Most definitions whose uses are searched, where a name may mean any of several.
const MOST_SENSES: usize = 5;

/// The last line of every hover from here.
const SURE: &str = "*From hob's map, not from a language server.*";
const UNSURE: &str = "*From hob's map, not from a language server: the name may mean any of these.*";

/// Answers `textDocument/definition` and `textDocument/declaration` from the map.
pub(super) fn definition(question: &Question<'_>) -> Value {
    let places = meant(question, |reading, sense, _| reading.place(sense));
    let places = places.map(|(places, _)| places).unwrap_or_default();
    locations(question, &places)
}

/// `textDocument/references`. `null` where it took too long to look: that is not to say that there are none.
pub(super) fn references(question: &Question<'_>) -> Value {
    let wants_declaration =
        question.params.pointer("/context/includeDeclaration") == Some(&Value::Bool(true));
    let cancel = question.cancel.with_deadline(Deadline::after(USES_PATIENCE));
    let Some((document, spot, word)) = asked(question) else { return json!([]) };
    let (mut found, mut declared) = (Vec::new(), Vec::new());
    {
        let map = question.workspace.map();
        let reading = Reading::new(&document, &map);
        for sense in reading.senses(spot, word.as_ref()).list.into_iter().take(MOST_SENSES) {
            let Ok(uses) = reading.uses(sense, &cancel) else { return Value::Null };
            found.extend(uses);
            declared.extend(reading.place(sense).filter(|_| wants_declaration));
        }
    }
    found.truncate(MOST_PLACES);
    let mut places = uses::placed(question.workspace, &document, found);
    places.retain(|place| !declared.contains(place));
    declared.extend(places);
    locations(question, &declared)
}

/// Answers `textDocument/hover` from the map.
pub(super) fn hover(question: &Question<'_>) -> Value {
    let shown = meant(question, |reading, sense, is_sure| reading.shown(sense, is_sure));
    let Some((shown, (is_sure, word))) = shown.filter(|(shown, _)| !shown.is_empty()) else {
        return Value::Null;
    };
    let mut text: Vec<String> = shown.into_iter().take(HOVERED).collect();
    text.push(if is_sure { SURE } else { UNSURE }.to_owned());
    let mut hover = json!({"contents": {"kind": "markdown", "value": text.join("\n\n")}});
    if let Some(word) = word {
        let spans = super::place::Spans { at: word.at, width: word.width() };
        hover["range"] = spans.range();
    }
    hover
}

/// The IDs of the nodes that the name at a place means, likeliest first; without a name there, of the definition that it lies in.
pub(crate) fn node_ids(question: &Question<'_>) -> Vec<String> {
    let Some((document, spot, word)) = asked(question) else { return Vec::new() };
    let map = question.workspace.map();
    let reading = Reading::new(&document, &map);
    let senses = reading.senses(spot, word.as_ref()).list;
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

type Asked = (Document, super::document::Spot, Option<Word>);

fn asked(question: &Question<'_>) -> Option<Asked> {
    let at = position_in(question.params)?;
    let document = Document::of(question)?;
    let (spot, word) = document.spot(at);
    Some((document, spot, word))
}

/// The text or place of each meaning, whether the meaning is certain, and the name that was asked about.
type Told<T> = (Vec<T>, (bool, Option<Word>));

/// Returns what `tell` makes of each thing that the name means, whether the meaning is certain, and the name.
fn meant<T: PartialEq>(
    question: &Question<'_>,
    tell: impl Fn(&Reading<'_>, Sense, bool) -> Option<T>,
) -> Option<Told<T>> {
    let (document, spot, word) = asked(question)?;
    let map = question.workspace.map();
    let reading = Reading::new(&document, &map);
    let senses = reading.senses(spot, word.as_ref());
    let mut told: Vec<T> = Vec::new();
    for one in senses.list.into_iter().filter_map(|sense| tell(&reading, sense, senses.is_sure)) {
        if !told.contains(&one) {
            told.push(one);
        }
    }
    Some((told, (senses.is_sure, word)))
}

fn locations(question: &Question<'_>, places: &[Place]) -> Value {
    places.iter().take(MOST_PLACES).map(|place| place.location(question.workspace)).collect()
}

impl Reading<'_> {
    /// Where a definition's name stands.
    fn place(&self, sense: Sense) -> Option<Place> {
        match sense {
            Sense::Here(def) => {
                let spans = self.document.name_of(self.document.facts.def(def));
                Some(Place { path: self.document.path.clone(), spans })
            }
            Sense::There(node) => Place::of(&self.map.info(node)?),
        }
    }

    /// A definition's header and documentation.
    fn shown(&self, sense: Sense, is_sure: bool) -> Option<String> {
        let place = self.place(sense)?;
        let (header, doc, lang) = match sense {
            Sense::Here(def) => {
                let facts = &self.document.facts;
                let def = facts.def(def);
                let header = header(facts.text(def.signature), def.kind.as_str(), facts.name(def.name));
                (header, facts.text(def.doc).to_owned(), facts.lang)
            }
            Sense::There(node) => {
                let info = self.map.info(node)?;
                let lang =
                    node.file().and_then(|file| self.map.file(file)).map_or(Lang::Manifest, |at| at.1.lang);
                (header_of(&info), info.doc, lang)
            }
        };
        let mut text = format!("```{}\n{header}\n```", fence(lang));
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
        _ => header(&info.signature, info.kind.as_str(), &info.name),
    }
}

fn header(signature: &str, kind: &str, name: &str) -> String {
    if signature.is_empty() { format!("{kind} {name}") } else { signature.to_owned() }
}

/// Returns the name of a language that a fenced block of its code has in Markdown.
fn fence(lang: Lang) -> String {
    match lang {
        Lang::Cpp => "cpp".to_owned(),
        Lang::CSharp => "csharp".to_owned(),
        other => other.spec().map(|spec| spec.name.to_lowercase()).unwrap_or_default(),
    }
}
