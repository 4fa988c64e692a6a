//! Answers questions from the ranked index.
//!
//! The score is BM25F (Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple weighted fields",
//! 2004): a word's counts in all fields are weighed and added, and saturate once. Documents that have more of
//! the question's words win over those that have few of them often (`COVERAGE`), and those whose name is in
//! the question win over those that only mention it (`NAMED` in `walk`). `question` decides which words a question has.
//!
//! `walk` adds up the words of each document; a small heap keeps the best documents under a total order: file and
//! definition decide between equal scores, never the place in the index. A document that cannot be among them, by the
//! sums of its words alone, is only counted.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use hob_base::{CancelToken, Stopped};
use tantivy::{Searcher, SegmentReader, TantivyError, Term};

use super::index::{RankedError, RankedIndex};
use super::overlay::Overlay;
use super::question::{RankedQuestion, Word};
use super::schema::{DocKind, FILE, SLOT, TAG, TEXTS, split_tag};
use super::walk::RankedWalk;

/// The weight of having all of the question's words: the exponent of the share that a document has.
pub(super) const COVERAGE: f32 = 0.5;

/// The factor for a whole file beside a definition: the reader of a file has yet to find the place.
const FILE_WORTH: f32 = 0.5;

/// Number of documents between two checks of the clock.
pub(super) const PATIENCE: u32 = 4_096;

/// One ranked search: the question, and the documents that may answer it.
pub struct RankedRequest<'r> {
    /// The parsed question.
    pub question: &'r RankedQuestion,
    /// Restricts the answer to documents of these kinds; empty for all.
    pub kinds: &'r [DocKind],
    /// Restricts the answer to documents of these files.
    pub admits: Option<&'r dyn Fn(u64) -> bool>,
    /// Most hits that are returned.
    pub limit: usize,
}

/// A document among the hits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedHit {
    /// Number of the document's file.
    pub file: u64,
    /// Place of the document in its file; see [`super::RankedDoc::slot`].
    pub slot: u32,
    /// The kind of item that the document stands for.
    pub kind: DocKind,
    /// Score of the document, the higher the better; comparable within one answer.
    pub score: f32,
    /// The words of [`RankedAnswer::rarities`] that the document has, one bit each.
    pub words: u32,
}

impl Eq for RankedHit {}

impl PartialOrd for RankedHit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RankedHit {
    /// Compares two hits; the better one is less.
    fn cmp(&self, other: &Self) -> Ordering {
        let score = other.score.total_cmp(&self.score);
        score.then_with(|| (self.file, self.slot).cmp(&(other.file, other.slot)))
    }
}

/// The hits of one ranked search, and the statistics of its words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankedAnswer {
    /// The hits, best first, at most the request's limit.
    pub hits: Vec<RankedHit>,
    /// Number of documents with a word of the question, and with all required ones.
    pub total: usize,
    /// The counted words of the question, in the index's form, and the rarity of each: the logarithm of one
    /// over its share of the documents. A word that no document has is the rarest.
    pub rarities: Vec<(String, f32)>,
}

/// The reason why a search ended early.
#[derive(Debug, thiserror::Error)]
enum RankedSearchEnd {
    #[error(transparent)]
    Index(#[from] RankedError),
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl RankedIndex {
    /// Returns the documents that match best. If it is stopped early, it returns the best so far, and
    /// `false`.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn search(
        &self,
        request: &RankedRequest<'_>,
        cancel: &CancelToken,
    ) -> Result<(RankedAnswer, bool), RankedError> {
        let (searcher, overlay) = self.shown_state();
        let segments = all_segments(&searcher, &overlay);
        let mut best = BestHits { limit: request.limit, heap: BinaryHeap::new(), total: 0 };
        let words =
            Collection::measure_collection(self, &segments)?.weigh_words(request.question, &segments)?;
        for (part, segment) in segments {
            let is_open = part.is_none() && overlay.is_empty() && request.admits.is_none();
            let admits = |file: u64| {
                overlay.is_current(file, part) && request.admits.is_none_or(|admits| admits(file))
            };
            let admits: Option<&dyn Fn(u64) -> bool> = if is_open { None } else { Some(&admits) };
            match search_segment(request, admits, &words, segment, &mut best, cancel) {
                Ok(()) => {}
                Err(RankedSearchEnd::Stopped(_)) => return Ok((best.into_answer(&words), false)),
                Err(RankedSearchEnd::Index(error)) => return Err(error),
            }
        }
        Ok((best.into_answer(&words), true))
    }

    /// Returns the words of a question in the index's form, each with its worth: rarity times weight.
    pub(super) fn word_worths(&self, question: &RankedQuestion) -> Result<Vec<(Word, f32)>, RankedError> {
        let (searcher, overlay) = self.shown_state();
        let segments = all_segments(&searcher, &overlay);
        let collection = Collection::measure_collection(self, &segments)?;
        let nowhere = (1.0 + (collection.docs + 0.5) / 0.5).ln();
        let mut words = collection.weigh_words(question, &segments)?.words;
        words.retain(|(word, worth)| *worth < nowhere * word.weight * 0.999);
        Ok(words)
    }
}

/// Offers the documents of a segment to `best`; `admits` is a test of files, `None` if all count.
fn search_segment(
    request: &RankedRequest<'_>,
    admits: Option<&dyn Fn(u64) -> bool>,
    words: &WeighedWords<'_>,
    segment: &SegmentReader,
    best: &mut BestHits,
    cancel: &CancelToken,
) -> Result<(), RankedSearchEnd> {
    let mut walk = RankedWalk::new(words, segment)?;
    let columns = segment.fast_fields();
    let column = |name| Ok::<_, RankedError>(columns.u64(name)?.first_or_default_col(0));
    let (files, slots, tags) = (column(FILE)?, column(SLOT)?, column(TAG)?);
    let is_asked = |doc: u32| {
        (request.kinds.is_empty() || request.kinds.contains(&split_tag(tags.get_val(doc)).0))
            && admits.is_none_or(|admits| admits(files.get_val(doc)))
    };
    let mut until_look = PATIENCE;
    while let Some(doc) = walk.next() {
        until_look -= 1;
        if until_look == 0 {
            cancel.check()?;
            until_look = PATIENCE;
        }
        let Some(sums) = walk.word_sums() else { continue };
        if segment.is_deleted(doc) || !is_asked(doc) {
            continue;
        }
        best.total += 1;
        // No prior and no worth of a document raises its score.
        if sums.highest_score() < best.least_score() {
            continue;
        }
        let (kind, prior) = split_tag(tags.get_val(doc));
        let slot = u32::try_from(slots.get_val(doc)).unwrap_or(0);
        let worth = request.question.prior_factor(prior) * if slot == 0 { FILE_WORTH } else { 1.0 };
        let (score, words) = (walk.present_score(sums) * worth, walk.matched_words());
        best.offer_hit(RankedHit { file: files.get_val(doc), slot, kind, score, words });
    }
    Ok(())
}

/// The best hits so far; the worst of them on top.
struct BestHits {
    limit: usize,
    heap: BinaryHeap<RankedHit>,
    total: usize,
}

impl BestHits {
    /// Returns the score that a document must reach to be among the best.
    fn least_score(&self) -> f32 {
        let worst = self.heap.peek().filter(|_| self.heap.len() >= self.limit);
        worst.map_or(f32::NEG_INFINITY, |worst| worst.score)
    }

    fn offer_hit(&mut self, hit: RankedHit) {
        if self.heap.len() < self.limit {
            self.heap.push(hit);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && hit < *worst
        {
            *worst = hit;
        }
    }

    fn into_answer(self, words: &WeighedWords<'_>) -> RankedAnswer {
        let counting = words.words.iter().filter(|(word, _)| word.counts);
        let rarities = counting.map(|(word, rarity)| (word.text.clone(), *rarity)).collect();
        RankedAnswer { hits: self.heap.into_sorted_vec(), total: self.total, rarities }
    }
}

/// All searched segments; those of the overlay with their places.
pub(super) type Segments<'s> = [(Option<usize>, &'s SegmentReader)];

/// Returns all searched segments: the index's own, and those of the overlay.
pub(super) fn all_segments<'s>(
    searcher: &'s Searcher,
    overlay: &'s Overlay,
) -> Vec<(Option<usize>, &'s SegmentReader)> {
    let laid_over =
        overlay.parts().flat_map(|(part, laid)| laid.segment_readers().iter().map(move |s| (Some(part), s)));
    searcher.segment_readers().iter().map(|segment| (None, segment)).chain(laid_over).collect()
}

/// The figures of all documents together: their number, and the mean length of each field.
pub(super) struct Collection<'i> {
    index: &'i RankedIndex,
    docs: f32,
    /// Mean length of each field.
    means: [f32; TEXTS],
}

/// A question's words with their worth in this collection.
pub(super) struct WeighedWords<'i> {
    pub(super) index: &'i RankedIndex,
    /// Mean length of each field.
    pub(super) means: [f32; TEXTS],
    pub(super) words: Vec<(Word, f32)>,
}

impl<'i> Collection<'i> {
    pub(super) fn measure_collection(
        index: &'i RankedIndex,
        segments: &Segments<'_>,
    ) -> Result<Self, RankedError> {
        let docs: u32 = segments.iter().map(|(_, segment)| segment.max_doc()).sum();
        let mut means = [1.0; TEXTS];
        for (mean, field) in means.iter_mut().zip(index.fields.texts) {
            let mut tokens = 0;
            for (_, segment) in segments {
                tokens += segment.inverted_index(field)?.total_num_tokens();
            }
            *mean = (tokens as f32 / docs.max(1) as f32).max(1.0);
        }
        Ok(Self { index, docs: docs as f32, means })
    }

    pub(super) fn weigh_words(
        self,
        question: &RankedQuestion,
        segments: &Segments<'_>,
    ) -> Result<WeighedWords<'i>, RankedError> {
        let mut words = Vec::new();
        for word in &question.words {
            let mut most = 0;
            for field in self.index.fields.texts {
                let term = Term::from_field_text(field, &word.text);
                let mut docs = 0;
                for (_, segment) in segments {
                    docs += segment.inverted_index(field)?.doc_freq(&term).map_err(TantivyError::from)?;
                }
                most = most.max(docs);
            }
            let rarity = (1.0 + (self.docs - most as f32 + 0.5) / (most as f32 + 0.5)).ln();
            words.push((word.clone(), rarity * word.weight));
        }
        Ok(WeighedWords { index: self.index, means: self.means, words })
    }
}
