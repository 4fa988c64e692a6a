//! Makes the entries of the first answer, with their signatures and the lines that matter, or the whole source of short
//! ones.

use std::collections::BTreeSet;

use hob_map::graph::{NodeKind, NodeRef};
use hob_proto::Form;
use hob_proto::tools::investigate::InvestigationEntry;
use hob_text::ranked::{QuestionWords, RankedQuestion};

use super::super::excerpt::Size;
use super::entry::TopicPlace;
use super::ordering::OrderedPlace;
use hob_budget::chars_of;
use hob_words::investigate::bundle::asset_id;

/// Most entries that show more, and the least relevance of such an entry as a share of the best one's.
const BEST: usize = 5;
const SURE: f64 = 0.5;
/// Number of lines that the best entries show, and the others; bytes of each line.
const LINES: [usize; 2] = [3, 1];
const WIDTH: usize = 100;
/// Most lines of source that is shown whole, for the first entry and for the others of the best, and its bytes.
const SHORT_FIRST: usize = 12;
const SHORT: usize = 6;
const SHORT_BYTES: usize = 480;
/// Share of the best relevance below which an entry is not listed at first, and the number of entries that are listed
/// in any case.
const LISTED_FROM: f64 = 0.2;
const FEW: usize = 12;
/// Characters in addition to the words of an entry of the text form: numbers, indentation, line ends.
const TEXT_FRAME: usize = 16;
/// Most characters of the confidence and the reason, which the text form shows once for each file.
const CERTAINTY: usize = 32;

/// The question and the places of a query.
pub(super) struct TopicQuery {
    /// The question that the query's words make.
    pub(super) question: RankedQuestion,
    /// The nodes that the query names by place, with the lines.
    pub(super) places: Vec<(NodeRef, u32)>,
}

impl TopicQuery {
    fn line_in(&self, found: &TopicPlace) -> Option<u32> {
        self.places.iter().find(|(node, _)| *node == found.info.node).map(|(_, line)| *line)
    }
}

/// The context in which entries are made: the query, the form of the answer, and its room.
pub(super) struct Sheet<'q> {
    pub(super) sought: &'q TopicQuery,
    pub(super) form: Form,
    /// Size of the room in characters.
    pub(super) room: usize,
}

impl Sheet<'_> {
    /// Returns the entries that fit into the room.
    pub(super) fn entries(
        &self,
        found: &[(OrderedPlace, TopicPlace)],
        bodies: &[Option<String>],
    ) -> Vec<InvestigationEntry> {
        let best = found.iter().map(|(one, _)| one.place.relevance).fold(0.0, f64::max);
        let counts = |(one, _): &(OrderedPlace, TopicPlace)| one.place.relevance >= LISTED_FROM * best;
        let listed = found.iter().rposition(counts).map_or(0, |last| last + 1).max(FEW);
        let (mut left, mut domains, mut words) =
            (self.room, BTreeSet::new(), self.sought.question.word_counter());
        let (mut entries, mut path) = (Vec::new(), "");
        for (at, ((one, found), body)) in found.iter().zip(bodies).enumerate().take(listed) {
            let mut entry = first_entry(at, one, found, body.as_deref(), &mut words, best);
            if let (Some(line), Some(body)) = (self.sought.line_in(found), body) {
                point_at(&mut entry, found.line(body, line));
            }
            // In JSON, a new cluster adds the entry's name once more; in text, its path is above it.
            let is_new = domains.insert(&found.domain);
            let size = match self.form {
                Form::Json if is_new => chars_of(&entry) + 8 + found.domain.len() + entry.uid.len() + 48,
                Form::Json => chars_of(&entry) + 8,
                Form::Text => {
                    in_text(&entry) + if found.path() == path { 0 } else { found.path().len() + CERTAINTY }
                }
            };
            if at > 0 && left < size {
                break;
            }
            path = found.path();
            left = left.saturating_sub(size);
            entries.push(entry);
        }
        entries
    }
}

fn first_entry(
    at: usize,
    ordered: &OrderedPlace,
    found: &TopicPlace,
    body: Option<&str>,
    words: &mut QuestionWords<'_>,
    best: f64,
) -> InvestigationEntry {
    let place = ordered.place;
    let (relevance, is_seed) = (Some(place.relevance), place.is_seed);
    let is_best = at < BEST && is_seed && place.relevance >= SURE * best;
    let mut entry = match is_best {
        true => found.entry_without_source(asset_id(at), relevance, is_seed),
        false => found.short_entry(asset_id(at), relevance, is_seed),
    };
    entry.confidence = ordered.confidence;
    entry.reason = Some(ordered.reason);
    let Some(body) = body else { return entry };
    let most = if at == 0 { SHORT_FIRST } else { SHORT };
    let is_short = body.len() <= SHORT_BYTES && body.lines().count() <= most;
    if is_best && is_short && found.info.kind != NodeKind::File {
        entry.inline_body = Some(body.to_owned());
        entry.body_complete = true;
    } else {
        let size = Size { lines: LINES[usize::from(!is_best)], width: WIDTH };
        entry.snippet = found.excerpt_of_source(body, words, size);
    }
    entry
}

/// Adds the line that the question names to the lines of the snippet.
fn point_at(entry: &mut InvestigationEntry, line: Option<String>) {
    let Some(line) = line.filter(|_| entry.inline_body.is_none()) else { return };
    let shown = entry.snippet.take().unwrap_or_default();
    let number = |line: &str| line.split(' ').next().and_then(|digits| digits.parse::<u32>().ok());
    let mut lines: Vec<&str> = shown.lines().filter(|other| number(other) != number(&line)).collect();
    lines.push(&line);
    lines.sort_by_key(|line| number(line));
    entry.snippet = Some(lines.join("\n"));
}

/// Returns the characters of an entry in the text form, without its path.
fn in_text(entry: &InvestigationEntry) -> usize {
    let shown = entry.inline_body.as_ref().or(entry.snippet.as_ref());
    let lines = shown.map_or(0, |text| text.chars().count() + 6 * text.lines().count());
    entry.title.len() + entry.summary.chars().count() + lines + TEXT_FRAME
}
