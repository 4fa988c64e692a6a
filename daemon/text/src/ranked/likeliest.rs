//! Finds the files that a question is likeliest about, while the ranked index still lacks most files.
//!
//! The ranked index of a large tree takes the better part of a minute, and one question needs few of its files. The
//! trigram index is complete before the ranked one begins, and tells within milliseconds which files may have a word. A
//! file is worth as much as the rarities of the question's words that it may have; words that its path has count once more,
//! because documents are also found by their paths. Nothing is read to check: a file too many only costs its ingestion.

use hob_base::{FileId, WsPath};

use super::query::word_rarity;
use super::question::{LONGEST_QUESTION, RankedQuestion, cut_to_bytes};
use super::tokens::{Term, terms_of};
use crate::filter::PathFilter;
use crate::pattern::parse;
use crate::trigram::{GramQuery, TextView};

/// Fewest letters of a word that is looked for: a trigram's.
const SHORTEST: usize = 3;

/// Worth of a word in a path, as a share of its worth in the text.
const IN_PATH: f32 = 0.5;

/// Returns the files that `filter` admits and that the question is likeliest about, at most `most`, the likeliest first.
/// Files that may have none of its words in their text are not among them. Returns `None` if the question has no word
/// that can be looked for.
#[must_use]
pub fn likeliest_files(
    view: &TextView,
    question: &str,
    filter: &PathFilter,
    most: usize,
) -> Option<Vec<FileId>> {
    let words = words_to_find(question);
    if words.is_empty() {
        return None;
    }
    let queries: Vec<GramQuery> = words.iter().map(|word| query_of_word(word)).collect();
    let candidates = view.candidates_of_each(&queries.iter().collect::<Vec<_>>(), filter);
    let mut counts = vec![0_usize; words.len()];
    for number in candidates.iter().flat_map(|candidate| &candidate.queries) {
        counts[*number as usize] += 1;
    }
    let files = view.stats().files as f32;
    let rarities: Vec<f32> = counts.iter().map(|count| word_rarity(files, *count as f32)).collect();
    let worth_of_path = |path: &WsPath| -> f32 {
        let path = path.as_str().to_ascii_lowercase();
        let named = words.iter().zip(&rarities).filter(|(word, _)| path.contains(word.as_str()));
        named.map(|(_, rarity)| rarity * IN_PATH).sum()
    };
    let mut worths: Vec<(f32, FileId)> = candidates
        .iter()
        .map(|candidate| {
            let text: f32 = candidate.queries.iter().map(|number| rarities[*number as usize]).sum();
            (text + worth_of_path(&candidate.path), candidate.file)
        })
        .collect();
    worths.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.cmp(other)));
    worths.truncate(most);
    Some(worths.into_iter().map(|(_, file)| file).collect())
}

/// Returns what the forms of each of the question's words begin with, in lower case: of the words that a search for it
/// counts.
fn words_to_find(question: &str) -> Vec<String> {
    let asked = RankedQuestion::parse(question);
    let counts = |stem: &str| asked.words.iter().any(|word| word.counts && word.text == stem);
    let mut found: Vec<String> = Vec::new();
    for Term { word, stem } in terms_of(cut_to_bytes(question, LONGEST_QUESTION)) {
        let shared = word.chars().zip(stem.chars()).take_while(|(a, b)| a == b).map(|(letter, _)| letter);
        let mut shared: String = shared.collect();
        // The stem of "query" and "queries" is "queri".
        if shared == stem && stem.ends_with('i') {
            shared.pop();
        }
        if shared.len() >= SHORTEST && counts(&stem) && !found.contains(&shared) {
            found.push(shared);
        }
    }
    found
}

/// Returns the condition for the text of a file that has a word, in whatever case.
fn query_of_word(word: &str) -> GramQuery {
    let parsed = parse(&format!("(?i){}", regex_syntax::escape(word)));
    parsed.map_or(GramQuery::All, |hir| GramQuery::from_regex(&hir))
}
