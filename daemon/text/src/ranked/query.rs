//! Answers questions from the ranked index.
//!
//! The score is BM25F (Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple weighted fields",
//! 2004): a word's counts in all fields are weighed and added, and saturate once. Documents that have more of
//! the question's words win over those that have few of them often (`COVERAGE`), and those whose name is in
//! the question win over those that only mention it (`NAMED`). `question` decides which words a question has.
//!
//! Lists are walked in step, document by document, so that memory does not grow with them and a small heap
//! can keep the best documents under a total order: file and definition decide between equal scores, never
//! the place in the index.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use hob_base::{CancelToken, Stopped};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, Searcher, SegmentReader, TERMINATED, TantivyError, Term};

use super::index::{RankedError, RankedIndex};
use super::overlay::Overlay;
use super::question::{RankedQuestion, Word};
use super::schema::{DocKind, FILE, SLOT, TAG, TEXTS, split_tag};

/// Weights of name, context, signature, doc and body, and how much each field's length matters.
const WEIGHTS: [f32; TEXTS] = [4.0, 1.0, 1.5, 2.0, 1.0];
const LENGTHS: [f32; TEXTS] = [0.6, 0.4, 0.4, 0.4, 0.7];

/// The place of the name among the fields.
const NAME: usize = 0;

/// The saturation of a word's count.
const K1: f32 = 1.2;

/// The weight of having all of the question's words: the exponent of the share that a document has.
pub(super) const COVERAGE: f32 = 0.5;

/// The weight of a document's name: times the share of the name that is in the question, times the share of
/// the question that is in the name.
const NAMED: f32 = 1.0;

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
        let mut best = Best { limit: request.limit, heap: BinaryHeap::new(), total: 0 };
        let words =
            Collection::measure_collection(self, &segments)?.weigh_words(request.question, &segments)?;
        for (part, segment) in segments {
            let counts = |file: u64| {
                overlay.is_current(file, part) && request.admits.is_none_or(|admits| admits(file))
            };
            match self.search_segment(request, &counts, &words, segment, &mut best, cancel) {
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

    fn search_segment(
        &self,
        request: &RankedRequest<'_>,
        counts: &dyn Fn(u64) -> bool,
        words: &Weighed<'_>,
        segment: &SegmentReader,
        best: &mut Best,
        cancel: &CancelToken,
    ) -> Result<(), RankedSearchEnd> {
        let mut walk = RankedWalk::new(words, segment)?;
        let columns = segment.fast_fields();
        let column = |name| columns.u64(name).map_err(RankedError::from);
        let (files, slots, tags) = (column(FILE)?, column(SLOT)?, column(TAG)?);
        let mut until_look = PATIENCE;
        while let Some((doc, score)) = walk.next() {
            until_look -= 1;
            if until_look == 0 {
                cancel.check()?;
                until_look = PATIENCE;
            }
            if score <= 0.0 || segment.is_deleted(doc) {
                continue;
            }
            let number = |column: &tantivy::columnar::Column<u64>| column.first(doc).unwrap_or(0);
            let (kind, prior) = split_tag(number(&tags));
            let file = number(&files);
            if (request.kinds.is_empty() || request.kinds.contains(&kind)) && counts(file) {
                let slot = u32::try_from(number(&slots)).unwrap_or(0);
                let worth = request.question.prior_factor(prior) * if slot == 0 { FILE_WORTH } else { 1.0 };
                let (score, words) = (score * worth, walk.matched_words());
                best.offer_hit(RankedHit { file, slot, kind, score, words });
            }
        }
        Ok(())
    }
}

/// The best hits so far; the worst of them on top.
struct Best {
    limit: usize,
    heap: BinaryHeap<RankedHit>,
    total: usize,
}

impl Best {
    fn offer_hit(&mut self, hit: RankedHit) {
        self.total += 1;
        if self.heap.len() < self.limit {
            self.heap.push(hit);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && hit < *worst
        {
            *worst = hit;
        }
    }

    fn into_answer(self, words: &Weighed<'_>) -> RankedAnswer {
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
pub(super) struct Weighed<'i> {
    index: &'i RankedIndex,
    means: [f32; TEXTS],
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
    ) -> Result<Weighed<'i>, RankedError> {
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
        Ok(Weighed { index: self.index, means: self.means, words })
    }
}

/// The posting list of one word in one field.
struct Cursor {
    word: usize,
    field: usize,
    list: SegmentPostings,
    lengths: FieldNormReader,
}

/// All lists of a question in one segment, in step. A heap has the list with the lowest document on top, so
/// that the cost of a document depends on its own words, however many the question has.
pub(super) struct RankedWalk<'w> {
    weighed: &'w Weighed<'w>,
    cursors: Vec<Cursor>,
    /// The document and the number of each cursor that is not at its end.
    heap: BinaryHeap<Reverse<(u32, usize)>>,
    /// The weighed counts of each word in the present document.
    counts: Vec<f32>,
    /// The words of the present document, in order.
    present: Vec<usize>,
    /// Number of times that each word is in the document's name, and the name's length.
    named: (Vec<u32>, u32),
    /// The words that a document must have.
    required: Vec<usize>,
    /// The bit of each counted word; none beyond the 32nd.
    bits: Vec<u32>,
    /// The worth of all counted words.
    whole: f32,
}

impl<'w> RankedWalk<'w> {
    pub(super) fn new(weighed: &'w Weighed<'w>, segment: &SegmentReader) -> Result<Self, RankedError> {
        let mut cursors = Vec::new();
        for (field, text) in weighed.index.fields.texts.into_iter().enumerate() {
            let lists = segment.inverted_index(text)?;
            for (word, (asked, _)) in weighed.words.iter().enumerate() {
                let term = Term::from_field_text(text, &asked.text);
                if let Some(list) = lists.read_postings(&term, IndexRecordOption::WithFreqs)? {
                    cursors.push(Cursor { word, field, list, lengths: segment.get_fieldnorms_reader(text)? });
                }
            }
        }
        let docs = cursors.iter().map(|cursor| cursor.list.doc()).enumerate();
        let heap = docs.filter(|(_, doc)| *doc != TERMINATED).map(|(at, doc)| Reverse((doc, at))).collect();
        let counting = weighed.words.iter().filter(|(word, _)| word.counts);
        let whole = counting.map(|(_, worth)| worth).sum::<f32>().max(f32::MIN_POSITIVE);
        let words = weighed.words.len();
        let named = (vec![0; words], 0);
        let bits = bits_of_words(weighed);
        let required = (0..words).filter(|at| weighed.words[*at].0.required).collect();
        let (counts, present) = (vec![0.0; words], Vec::new());
        Ok(Self { weighed, cursors, heap, counts, present, named, required, bits, whole })
    }

    /// Returns the next document and its score; 0 for one that lacks a required word.
    pub(super) fn next(&mut self) -> Option<(u32, f32)> {
        let Reverse((doc, _)) = *self.heap.peek()?;
        for word in self.present.drain(..) {
            self.counts[word] = 0.0;
            self.named.0[word] = 0;
        }
        self.named.1 = 0;
        while let Some(mut top) = self.heap.peek_mut().filter(|top| top.0.0 == doc) {
            let Cursor { word, field, list, lengths } = &mut self.cursors[top.0.1];
            let length = lengths.fieldnorm(doc);
            if *field == NAME {
                self.named.0[*word] = list.term_freq();
                self.named.1 = length;
            }
            if self.counts[*word] == 0.0 {
                self.present.push(*word);
            }
            let share = length as f32 / self.weighed.means[*field];
            let norm = 1.0 - LENGTHS[*field] + LENGTHS[*field] * share;
            self.counts[*word] += WEIGHTS[*field] * list.term_freq() as f32 / norm;
            match list.advance() {
                TERMINATED => drop(PeekMut::pop(top)),
                next => top.0.0 = next,
            }
        }
        // Sums of fractions depend on their order.
        self.present.sort_unstable();
        Some((doc, self.score()))
    }

    /// Returns the words of the present document with their weighed counts, in order.
    pub(super) fn present_words(&self) -> impl Iterator<Item = (usize, f32)> {
        self.present.iter().map(|word| (*word, self.counts[*word]))
    }

    /// Returns the counted words of the present document, one bit each.
    fn matched_words(&self) -> u32 {
        self.present.iter().fold(0, |all, word| all | self.bits[*word])
    }

    fn score(&self) -> f32 {
        let (mut score, mut had) = (0.0, 0.0);
        for (at, count) in self.present_words() {
            let (word, worth) = &self.weighed.words[at];
            score += worth * (K1 + 1.0) * count / (K1 + count);
            had += if word.counts { *worth } else { 0.0 };
        }
        if self.required.iter().any(|word| self.counts[*word] == 0.0) {
            return 0.0;
        }
        score * (had / self.whole).min(1.0).powf(COVERAGE) * (1.0 + NAMED * self.name_agreement())
    }

    /// Returns how much of the document's name and of the question agree, from 0 to 1.
    fn name_agreement(&self) -> f32 {
        let (counts, length) = &self.named;
        if *length == 0 {
            return 0.0;
        }
        let of_name = self.present.iter().map(|word| counts[*word]).sum::<u32>() as f32 / *length as f32;
        let named =
            self.present.iter().filter(|word| counts[**word] > 0).map(|word| &self.weighed.words[*word]);
        let of_question =
            named.filter(|(word, _)| word.counts).map(|(_, worth)| worth).sum::<f32>() / self.whole;
        of_name.min(1.0) * of_question.min(1.0)
    }
}

/// Returns one bit for each counted word, in order; words beyond the 32nd have none.
fn bits_of_words(weighed: &Weighed<'_>) -> Vec<u32> {
    let mut at = 0;
    let bit = |(word, _): &(Word, f32)| {
        let bit = if word.counts { 1_u32.checked_shl(at).unwrap_or(0) } else { 0 };
        at += u32::from(word.counts);
        bit
    };
    weighed.words.iter().map(bit).collect()
}
