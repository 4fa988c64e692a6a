//! Gathers the definitions that have the words in their names, signatures, documentation or source.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hob_base::{Contents as _, WsPath};
use hob_map::graph::{NodeInfo, NodeKind};
use hob_text::ranked::{RankedIndex, RankedQuestion, Term, TermFinder};

use super::gather::{Gathered, SubjectView, definition};
use super::path_step;
use super::paths::file;
use crate::ToolCall;
use crate::text_search::{self, RankedQuery, WordsToFind};
use hob_results::text_search::MappedHit;
use hob_words::entity::candidate::Candidate;
use hob_words::entity::fit::{Fit, NameMatchClass};

/// Most hits of the words as a question.
const BY_TEXT: usize = 24;
/// Least fit of a text, and the fit of one that has all of the words in its very name.
const LEAST: f64 = 0.25;
const MOST: f64 = 0.70;
/// Fit of a name above which no text comes near enough to matter (`judge`).
const BEYOND: f64 = MOST + 0.10;

/// Most lines of a definition that are read for the words of a question.
const READ: u32 = 80;

/// Longest time that questions wait for the first ranked index, from the first that does: names often suffice. Each question
/// waits longer for the likeliest files of a large project (`text_search`).
const FIRST_WORDS_PATIENCE: Duration = Duration::from_secs(2);

/// Adds the definitions that have the words in their names, signatures, documentation or source.
pub(super) fn by_text(call: &mut ToolCall<'_>, view: &SubjectView<'_>, gathered: &mut Gathered) {
    let question = RankedQuestion::parse(&view.request.subject.text);
    if question.is_empty() {
        return;
    }
    if gathered.best_value() >= BEYOND {
        let note = "left out: a name fits so well that no text comes near".to_owned();
        return gathered.steps.push(path_step("generate", "words", "text", note));
    }
    let index = match ranked_index(call, view) {
        Ok(index) => index,
        Err(why) => return gathered.steps.push(path_step("generate", "words", "text", why)),
    };
    let asked = RankedQuery {
        question,
        kinds: Vec::new(),
        below: view.folder_in_scope().cloned(),
        rules: Arc::default(),
        limit: BY_TEXT,
        counts_all: false,
    };
    let found = match text_search::find(call, view.workspace, &index, &asked) {
        Ok(found) => found,
        Err(error) => return gathered.steps.push(path_step("generate", "words", "text", error.message)),
    };
    let before = gathered.len();
    let worth = WordWorth { rarities: &found.rarities };
    let missing: Vec<&str> = match view.workspace.ranked.is_built() {
        true => worth.unknown_words(&view.request.subject.content),
        // They may stand in files that the index lacks.
        false => Vec::new(),
    };
    let mut finder = TermFinder::new(&view.request.subject.content);
    for TextCandidate { mut candidate, info, text } in candidates_of_hits(view, &found.named) {
        let share = worth.share_of_subject(&view.request.subject.content, &mut finder, &info, &text);
        let value = LEAST + (MOST - LEAST) * share.powi(2);
        candidate.fit.value = if info.kind == NodeKind::File { value * 0.9 } else { value };
        gathered.add(candidate);
    }
    let found = gathered.len() - before;
    let note = match missing.as_slice() {
        [] => format!("{found} more candidates that the words stand in"),
        words => format!(
            "{found} more candidates that the words stand in; nowhere in the project: {}",
            words.join(", ")
        ),
    };
    gathered.steps.push(path_step("generate", "words", "text", note));
}

/// A definition or file that has some of the words, not yet scored.
struct TextCandidate {
    candidate: Candidate,
    info: NodeInfo,
    /// The first lines of its text.
    text: String,
}

/// Returns the hits that may be answers. The map is read first; the files are read after it is released.
fn candidates_of_hits(view: &SubjectView<'_>, hits: &[MappedHit]) -> Vec<TextCandidate> {
    let mut found = Vec::with_capacity(hits.len());
    let map = view.workspace.map();
    for hit in hits {
        let node = hit.id.as_ref().and_then(|id| map.node(&id.parse().ok()?));
        let Some((node, info)) = node.and_then(|node| Some((node, map.info(node)?))) else { continue };
        let Some(path) = info.path.clone().filter(|_| view.admits_node(&map, node)) else { continue };
        let fit = Fit::of(NameMatchClass::Text, 0.0);
        let candidate = match info.kind {
            NodeKind::File => file(view.workspace, path.as_str(), Some(&info), fit),
            _ => definition(view.workspace, &map, &info, &path, fit),
        };
        let lines = (hit.lines.0, hit.lines.1.min(hit.lines.0.saturating_add(READ)));
        found.push((TextCandidate { candidate, info, text: String::new() }, path, lines));
    }
    drop(map);
    let (contents, mut read) = (view.workspace.disk_contents(), BTreeMap::new());
    let with_text = |(mut found, path, lines): (TextCandidate, WsPath, (u32, u32))| {
        let bytes = read.entry(path).or_insert_with_key(|path| contents.read(path).ok());
        let text = bytes.as_ref().map(|bytes| text_search::lines_of(bytes, lines.0, lines.1));
        found.text = text.unwrap_or_default();
        found
    };
    found.into_iter().map(with_text).collect()
}

fn ranked_index(call: &mut ToolCall<'_>, view: &SubjectView<'_>) -> Result<Arc<RankedIndex>, String> {
    let workspace = call.workspace(super::super::NeededIndex::Map).map_err(|error| error.message)?;
    debug_assert_eq!(workspace.root(), view.workspace.root());
    let until_built = call.first_time(workspace.ranked.first_wait_deadline(FIRST_WORDS_PATIENCE));
    let (text, below, rules) = (&view.request.subject.text, view.folder_in_scope(), Arc::default());
    let wanted = WordsToFind { text, kinds: &[], below, rules: &rules };
    text_search::wait_for_ranked_index(call, &workspace, &wanted, until_built).map_err(|error| {
        if !call.cancel.is_cancelled() {
            call.notes.warnings.push(format!("Texts were not searched for the words. {}", error.message));
        }
        format!("not searched: {}", error.message)
    })
}

/// The worth of each word of the subject, by its rarity.
struct WordWorth<'r> {
    rarities: &'r [(String, f32)],
}

impl WordWorth<'_> {
    fn worth_of(&self, term: &Term) -> f64 {
        let known = self.rarities.iter().find(|(stem, _)| *stem == term.stem);
        known.map_or(1.0, |(_, rarity)| f64::from(*rarity)).max(0.1)
    }

    /// Returns the words that no document has.
    fn unknown_words<'t>(&self, content: &'t [Term]) -> Vec<&'t str> {
        let rarest = self.rarities.iter().map(|(_, rarity)| *rarity).fold(0.0_f32, f32::max);
        let is_rarest = |term: &&Term| {
            self.rarities
                .iter()
                .any(|(stem, rarity)| *stem == term.stem && *rarity >= rarest && *rarity > 7.0)
        };
        content.iter().filter(is_rarest).map(|term| term.word.as_str()).collect()
    }

    /// Returns the share of the subject that a document has; words in its name count more than words in its text. `finder` finds
    /// the words of `content`, which are the subject's.
    fn share_of_subject(
        &self,
        content: &[Term],
        finder: &mut TermFinder<'_>,
        info: &NodeInfo,
        text: &str,
    ) -> f64 {
        let path = info.path.as_ref().map_or("", |path| path.as_str());
        let said = format!("{} {} {} {path}", info.qualified, info.signature, info.doc);
        let mut shares = vec![0.0_f64; content.len()];
        for (text, value) in [(info.name.as_str(), 1.0), (&said, 0.88), (text, 0.75)] {
            for (share, _) in shares.iter_mut().zip(finder.terms_in(text)).filter(|(_, found)| *found) {
                *share = share.max(value);
            }
        }
        let whole: f64 = content.iter().map(|term| self.worth_of(term)).sum();
        let had: f64 = content.iter().zip(shares).map(|(term, share)| share * self.worth_of(term)).sum();
        had / whole.max(f64::MIN_POSITIVE)
    }
}
