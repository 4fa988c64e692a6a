//! Answers questions from the ranked index.
//!
//! The score is BM25F (Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple weighted fields",
//! 2004): a word's counts in all fields are weighed and added, and saturate once. Documents that have more of
//! the question's words win over those that have few of them often (`coverage_weight`), and those whose name is in
//! the question win over those that only mention it (`NAMED` in `walk`). `question` decides which words a question has.
//!
//! `walk` adds up the words of each document; a small heap keeps the best documents under a total order: file and
//! definition decide between equal scores, never the place in the index. A document that cannot be among them, by the
//! sums of its words alone, is passed over. If somebody wants to know how many documents match, `matching` counts them.
//! Threads share a large segment in parts, each with a heap of its own.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering as MemoryOrdering};

use hob_base::{CancelToken, lock};
use rayon::prelude::*;
use tantivy::{Searcher, SegmentReader, TantivyError, Term};

use super::columns::{FilesInOrder, SegmentColumns};
use super::index::{RankedError, RankedIndex};
use super::matching::MatchLists;
use super::overlay::Overlay;
use super::question::{RankedQuestion, Word};
use super::schema::{DocKind, TEXTS};
use super::walk::SegmentWords;

/// Returns the weight of having a share of the question's words, by their worth.
pub(super) fn coverage_weight(share: f32) -> f32 {
    share.min(1.0).sqrt()
}

/// The factor for a whole file beside a definition: the reader of a file has yet to find the place.
const FILE_WORTH: f32 = 0.5;

/// Number of documents between two checks of the clock.
pub(super) const PATIENCE: u32 = 4_096;

/// Number of documents that one thread walks over at once. It is fixed, so that sums of fractions are the same on machines
/// with any number of threads. Tests have few documents.
pub(super) const PART: u32 = if cfg!(test) { 1 << 6 } else { 1 << 16 };

/// Number of documents of a part in searches for the best. They pass documents over, and take so little time for a part
/// that opening its lists shows.
const PRUNED_PART: u32 = if cfg!(test) { 1 << 9 } else { 1 << 18 };

/// A test of a file's number: true if documents of the file may answer.
pub type FileFilter<'r> = &'r (dyn Fn(u64) -> bool + Sync);

/// One ranked search: the question, and the documents that may answer it.
pub struct RankedRequest<'r> {
    /// The parsed question.
    pub question: &'r RankedQuestion,
    /// Restricts the answer to documents of these kinds; empty for all.
    pub kinds: &'r [DocKind],
    /// Restricts the answer to documents of these files.
    pub admits: Option<FileFilter<'r>>,
    /// Most hits that are returned.
    pub limit: usize,
    /// True if [`RankedAnswer::total`] has to count all matches, for which the lists of all words are read. Otherwise it
    /// counts those that were not passed over, and is a lower bound, as it is whenever a search was stopped.
    pub counts_all: bool,
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
    /// Number of documents with a word of the question, and with all required ones; see [`RankedRequest::counts_all`].
    pub total: usize,
    /// The counted words of the question, in the index's form, and the rarity of each: the logarithm of one
    /// over its share of the documents. A word that no document has is the rarest.
    pub rarities: Vec<(String, f32)>,
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
        let words =
            Collection::measure_collection(self, &segments)?.weigh_words(request.question, &segments)?;
        let (scores, mut best) = (BestScores::new(request.limit), BestHits::new(request.limit));
        let columns = self.columns_of(&segments)?;
        for ((part, segment), columns) in segments.into_iter().zip(&columns) {
            let is_open = part.is_none() && overlay.is_empty() && request.admits.is_none();
            let admits = |file: u64| {
                overlay.is_current(file, part) && request.admits.is_none_or(|admits| admits(file))
            };
            let admits: Option<FileFilter<'_>> = if is_open { None } else { Some(&admits) };
            let lists = SegmentWords::open(&words, segment)?;
            let counted = if request.counts_all { Some(MatchLists::open(&words, segment)?) } else { None };
            let (lists, counted, scores) = (&lists, counted.as_ref(), &scores);
            let search = SegmentSearch { request, admits, segment, columns, lists, counted, scores, cancel };
            let parts = parts_of_segment(segment, PRUNED_PART);
            let found: Vec<BestHits> = parts.map(|docs| search.search_part(docs)).collect();
            found.into_iter().for_each(|part| best.merge_hits(part));
        }
        let is_complete = best.is_complete;
        Ok((best.into_answer(&words), is_complete))
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

/// Divides the documents of a segment into parts of `len` documents, in order, which threads may walk over at the same time.
pub(super) fn parts_of_segment(
    segment: &SegmentReader,
    len: u32,
) -> impl IndexedParallelIterator<Item = Range<u32>> {
    let docs = segment.max_doc();
    (0..docs.div_ceil(len)).into_par_iter().map(move |part| part * len..docs.min((part + 1) * len))
}

/// A search in one segment.
struct SegmentSearch<'s> {
    request: &'s RankedRequest<'s>,
    /// A test of files; `None` if all count.
    admits: Option<FileFilter<'s>>,
    segment: &'s SegmentReader,
    columns: &'s SegmentColumns,
    lists: &'s SegmentWords<'s>,
    /// The lists by which all matches are counted, if they are.
    counted: Option<&'s MatchLists>,
    scores: &'s BestScores,
    cancel: &'s CancelToken,
}

/// The documents of a segment that a request is about, whatever words they have. They are asked about in order.
struct AskedDocuments<'s> {
    search: &'s SegmentSearch<'s>,
    files: FilesInOrder<'s>,
}

impl AskedDocuments<'_> {
    /// Returns true if the document exists, is of a kind that is asked for, and in an admitted file.
    fn contains(&mut self, doc: u32) -> bool {
        let SegmentSearch { request, admits, segment, columns, .. } = self.search;
        !segment.is_deleted(doc)
            && (request.kinds.is_empty() || request.kinds.contains(&columns.kind_and_prior(doc).0))
            && admits.is_none_or(|admits| self.files.is_admitted(doc, admits))
    }
}

impl SegmentSearch<'_> {
    fn asked_documents_from(&self, doc: u32) -> AskedDocuments<'_> {
        AskedDocuments { search: self, files: self.columns.files_from(doc) }
    }

    /// Returns the best documents of a part of the segment, and the number of its matches.
    fn search_part(&self, docs: Range<u32>) -> BestHits {
        let mut best = self.best_of_part(docs.clone());
        // Nothing was passed over as long as no score had to be reached.
        let is_counted = !best.is_complete || self.scores.least_score() == 0.0;
        if let Some(lists) = self.counted.filter(|_| !is_counted) {
            match self.count_part(lists, &docs) {
                Some(total) => best.total = total,
                None => best.is_complete = false,
            }
        }
        best
    }

    /// Counts the matches of a part; `None` if it was stopped.
    fn count_part(&self, lists: &MatchLists, docs: &Range<u32>) -> Option<usize> {
        let matching = lists.documents_in(docs, self.cancel)?;
        if self.admits.is_none() && self.request.kinds.is_empty() && !self.segment.has_deletes() {
            return Some(matching.count_documents());
        }
        let mut asked = self.asked_documents_from(docs.start);
        Some(matching.iter_documents().filter(|doc| asked.contains(*doc)).count())
    }

    /// Returns the best documents of a part, and the number of matches that were not passed over.
    fn best_of_part(&self, docs: Range<u32>) -> BestHits {
        let Self { columns, .. } = self;
        let mut best = BestHits::new(self.request.limit);
        if self.cancel.check().is_err() {
            return BestHits { is_complete: false, ..best };
        }
        let mut asked = self.asked_documents_from(docs.start);
        let mut walk = self.lists.walk_part(docs);
        let mut until_look = PATIENCE;
        while let Some(doc) = walk.next(self.scores.least_score()) {
            until_look -= 1;
            if until_look == 0 {
                if self.cancel.check().is_err() {
                    best.is_complete = false;
                    break;
                }
                until_look = PATIENCE;
            }
            if !walk.is_match() || !asked.contains(doc) {
                continue;
            }
            best.total += 1;
            // No prior and no worth of a document raises its score.
            if walk.highest_score() < self.scores.least_score() {
                continue;
            }
            let ((kind, prior), slot) = (columns.kind_and_prior(doc), columns.slot_of_doc(doc));
            let worth = self.request.question.prior_factor(prior) * if slot == 0 { FILE_WORTH } else { 1.0 };
            let (score, words) = (walk.present_score(walk.word_sums()) * worth, walk.matched_words());
            best.offer_hit(RankedHit { file: columns.file_of_doc(doc), slot, kind, score, words });
            self.scores.offer_score(score);
        }
        best
    }
}

/// The best scores of all threads together. The worst of them is the score that a document must reach to be among the
/// best; it only grows.
struct BestScores {
    limit: usize,
    /// That score, as bits; 0 until there are enough.
    least: AtomicU32,
    /// The bits of the best scores, the least on top. Scores above 0 are in the order of their bits.
    best: Mutex<BinaryHeap<Reverse<u32>>>,
}

impl BestScores {
    fn new(limit: usize) -> Self {
        Self { limit, least: AtomicU32::new(0), best: Mutex::default() }
    }

    fn least_score(&self) -> f32 {
        f32::from_bits(self.least.load(MemoryOrdering::Relaxed))
    }

    /// Adds the score of a document, each document once.
    fn offer_score(&self, score: f32) {
        if score <= self.least_score() {
            return;
        }
        let mut best = lock(&self.best);
        best.push(Reverse(score.to_bits()));
        if best.len() > self.limit {
            best.pop();
        }
        if best.len() == self.limit
            && let Some(Reverse(least)) = best.peek()
        {
            self.least.store(*least, MemoryOrdering::Relaxed);
        }
    }
}

/// The best hits so far; the worst of them on top.
struct BestHits {
    limit: usize,
    heap: BinaryHeap<RankedHit>,
    total: usize,
    /// False if the search was stopped before its end.
    is_complete: bool,
}

impl BestHits {
    fn new(limit: usize) -> Self {
        Self { limit, heap: BinaryHeap::new(), total: 0, is_complete: true }
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

    fn merge_hits(&mut self, other: Self) {
        self.total += other.total;
        self.is_complete &= other.is_complete;
        other.heap.into_iter().for_each(|hit| self.offer_hit(hit));
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

/// Returns the rarity of a word that `having` of all documents have: the inverse document frequency of BM25, never negative.
pub(super) fn word_rarity(all: f32, having: f32) -> f32 {
    (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
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
            words.push((word.clone(), word_rarity(self.docs, most as f32) * word.weight));
        }
        Ok(WeighedWords { index: self.index, means: self.means, words })
    }
}
