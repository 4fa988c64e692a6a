//! Finds the files that a question is likeliest about, while the ranked index still lacks most files.
//!
//! The ranked index of a large tree takes the better part of a minute, and one question needs few of its files. The
//! trigram index is complete before the ranked one begins, and tells within milliseconds which files may have a word. A
//! file is worth as much as the rarities of the question's words that it may have; words that its path has count once more,
//! because documents are also found by their paths. Nothing is read to check: a file too many costs its ingestion, and no
//! answer depends on it.

use hob_base::{FileId, WsPath};

use super::question::says_nothing;
use super::tokens::{Term, terms_of};
use crate::filter::PathFilter;
use crate::pattern::Pattern;
use crate::trigram::{GramQuery, TextView};

/// Most words of a question that are looked for.
const MOST_WORDS: usize = 32;

/// Fewest letters of a word that is looked for: a trigram's.
const SHORTEST: usize = 3;

/// Worth of a word in a path, as a share of its worth in the text.
const IN_PATH: f32 = 0.5;

/// Returns the files that `filter` admits and that the question is likeliest about, at most `most`, the likeliest first.
/// Files that may have none of its words are not among them.
#[must_use]
pub fn likeliest_files(view: &TextView, question: &str, filter: &PathFilter, most: usize) -> Vec<FileId> {
    let words = words_to_find(question);
    let patterns: Vec<(String, Pattern)> = words
        .into_iter()
        .filter_map(|word| {
            let pattern = Pattern::new(&format!("(?i){}", regex_syntax::escape(&word))).ok()?;
            Some((word, pattern))
        })
        .collect();
    let queries: Vec<&GramQuery> = patterns.iter().map(|(_, pattern)| pattern.query()).collect();
    let candidates = view.candidates_of_each(&queries, filter);
    let mut counts = vec![0_usize; patterns.len()];
    for number in candidates.iter().flat_map(|candidate| &candidate.queries) {
        counts[*number as usize] += 1;
    }
    let files = view.stats().files;
    let rarities: Vec<f32> = counts.iter().map(|count| rarity(files, *count)).collect();
    let worth_of_path = |path: &WsPath| -> f32 {
        let path = path.as_str().to_ascii_lowercase();
        let named = patterns.iter().zip(&rarities).filter(|((word, _), _)| path.contains(word.as_str()));
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
    worths.into_iter().map(|(_, file)| file).collect()
}

/// Returns the beginnings of the question's words that all their forms share, each once, in lower case.
fn words_to_find(question: &str) -> Vec<String> {
    let mut words = Vec::new();
    for Term { word, stem } in terms_of(question) {
        let shared = word.chars().zip(stem.chars()).take_while(|(a, b)| a == b).map(|(letter, _)| letter);
        let shared: String = shared.collect();
        if shared.len() >= SHORTEST && !says_nothing(&word) && !words.contains(&shared) {
            words.push(shared);
        }
    }
    words.truncate(MOST_WORDS);
    words
}

/// Returns the logarithm of one over the share of files that have a word.
fn rarity(files: usize, having: usize) -> f32 {
    let (files, having) = (files.max(having) as f32, having as f32);
    (1.0 + (files - having + 0.5) / (having + 0.5)).ln()
}
