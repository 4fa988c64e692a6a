//! Adds up what the documents of a segment have of a question's words, in order of the documents.
//!
//! The posting lists are read window by window: each list as far as the window goes, into a table with a row for each
//! document. A heap of lists would move a list up and down for every posting; here a posting costs an addition. Tantivy's and Lucene's unions of many lists work in this way. Within a document, the lists come
//! in a fixed order, so that sums of fractions do not depend on where a window begins.

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, SegmentReader, TERMINATED, Term};

use super::index::RankedError;
use super::query::{COVERAGE, WeighedWords};
use super::question::Word;
use super::schema::TEXTS;

/// Weights of name, context, signature, doc and body, and how much each field's length matters.
const WEIGHTS: [f32; TEXTS] = [4.0, 1.0, 1.5, 2.0, 1.0];
const LENGTHS: [f32; TEXTS] = [0.6, 0.4, 0.4, 0.4, 0.7];

/// The place of the name among the fields.
const NAME: usize = 0;

/// The saturation of a word's count.
const K1: f32 = 1.2;

/// The weight of a document's name: times the share of the name that is in the question, times the share of
/// the question that is in the name.
const NAMED: f32 = 1.0;

/// Number of documents of a window: with ten words, its table fits into a core's own cache.
const WINDOW: usize = 1_024;

/// The lengths of fields that an index tells apart.
const LENGTH_CLASSES: usize = 256;

/// The posting list of one word in one field.
struct Cursor {
    word: usize,
    field: usize,
    list: SegmentPostings,
    lengths: FieldNormReader,
}

/// A walk over all documents of a segment that have a word of the question.
pub(super) struct RankedWalk<'w> {
    weighed: &'w WeighedWords<'w>,
    cursors: Vec<Cursor>,
    /// The divisor of a count, by field and class of length.
    norms: Vec<[f32; LENGTH_CLASSES]>,
    window: Window,
    /// The words that a document must have.
    required: Vec<usize>,
    /// The bit of each counted word; none beyond the 32nd.
    bits: Vec<u32>,
    /// The worth of all counted words.
    whole: f32,
}

/// The table of one window: what each document has of each word.
struct Window {
    /// The window's first document.
    start: u32,
    /// Number of words, the length of a row.
    words: usize,
    /// The weighed counts of the words, a row for each document.
    counts: Vec<f32>,
    /// Number of times that each word is in the document's name, a row for each document.
    named: Vec<u32>,
    /// The length of each document's name.
    name_lengths: Vec<u32>,
    /// The documents that have a word and were not passed yet, one bit each.
    waiting: [u64; WINDOW / 64],
    /// The place of the present document.
    at: usize,
}

/// The sums of a document's words.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordSums {
    /// The saturated counts times the worths of their words.
    score: f32,
    /// The worth of the counted words that the document has.
    had: f32,
}

impl WordSums {
    /// Returns the highest score that a document with these sums can have, whatever its name.
    pub(super) fn highest_score(self) -> f32 {
        self.score * (1.0 + NAMED)
    }
}

impl<'w> RankedWalk<'w> {
    pub(super) fn new(weighed: &'w WeighedWords<'w>, segment: &SegmentReader) -> Result<Self, RankedError> {
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
        let counting = weighed.words.iter().filter(|(word, _)| word.counts);
        let whole = counting.map(|(_, worth)| worth).sum::<f32>().max(f32::MIN_POSITIVE);
        let words = weighed.words.len();
        Ok(Self {
            weighed,
            cursors,
            norms: (0..TEXTS).map(|field| norms_of_field(field, weighed.means[field])).collect(),
            window: Window::new(words),
            required: (0..words).filter(|at| weighed.words[*at].0.required).collect(),
            bits: bits_of_words(weighed),
            whole,
        })
    }

    /// Goes on to the next document with a word, and returns it.
    pub(super) fn next(&mut self) -> Option<u32> {
        self.window.clear_row();
        loop {
            if let Some(doc) = self.window.take_next() {
                return Some(doc);
            }
            self.fill_window()?;
        }
    }

    /// Reads the lists into the window that begins with the next document; `None` if there is none.
    fn fill_window(&mut self) -> Option<()> {
        let start = self.cursors.iter().map(|cursor| cursor.list.doc()).min()?;
        if start == TERMINATED {
            return None;
        }
        self.window.start = start;
        let end = start.saturating_add(WINDOW as u32).min(TERMINATED);
        for Cursor { word, field, list, lengths } in &mut self.cursors {
            let mut doc = list.doc();
            while doc < end {
                let (count, class) = (list.term_freq(), lengths.fieldnorm_id(doc));
                let norm = self.norms[*field][usize::from(class)];
                let at = (doc - start) as usize;
                self.window.add_count(at, *word, WEIGHTS[*field] * count as f32 / norm);
                if *field == NAME {
                    self.window.add_name(at, *word, count, FieldNormReader::id_to_fieldnorm(class));
                }
                doc = list.advance();
            }
        }
        Some(())
    }

    /// Returns the words of the present document with their weighed counts, in order.
    pub(super) fn present_words(&self) -> impl Iterator<Item = (usize, f32)> {
        self.window.count_row().iter().copied().enumerate().filter(|(_, count)| *count > 0.0)
    }

    /// Returns the counted words of the present document, one bit each.
    pub(super) fn matched_words(&self) -> u32 {
        self.present_words().fold(0, |all, (word, _)| all | self.bits[word])
    }

    /// Returns the sums of the present document; `None` if it lacks a required word or has only words that do not
    /// count.
    pub(super) fn word_sums(&self) -> Option<WordSums> {
        let row = self.window.count_row();
        if self.required.iter().any(|word| row[*word] == 0.0) {
            return None;
        }
        let (mut score, mut had) = (0.0, 0.0);
        for (at, count) in self.present_words() {
            let (word, worth) = &self.weighed.words[at];
            score += worth * (K1 + 1.0) * count / (K1 + count);
            had += if word.counts { *worth } else { 0.0 };
        }
        (score > 0.0 && had > 0.0).then_some(WordSums { score, had })
    }

    /// Returns the score of the present document, which has these sums.
    pub(super) fn present_score(&self, sums: WordSums) -> f32 {
        sums.score * (sums.had / self.whole).min(1.0).powf(COVERAGE) * (1.0 + NAMED * self.name_agreement())
    }

    /// Returns how much of the document's name and of the question agree, from 0 to 1.
    fn name_agreement(&self) -> f32 {
        let length = self.window.name_lengths[self.window.at];
        if length == 0 {
            return 0.0;
        }
        let counts = self.window.named_row();
        let of_name = counts.iter().sum::<u32>() as f32 / length as f32;
        let named = self.weighed.words.iter().zip(counts).filter(|(_, count)| **count > 0);
        let counting = named.filter(|((word, _), _)| word.counts);
        let of_question = counting.map(|((_, worth), _)| worth).sum::<f32>() / self.whole;
        of_name.min(1.0) * of_question.min(1.0)
    }
}

impl Window {
    fn new(words: usize) -> Self {
        Self {
            start: 0,
            words,
            counts: vec![0.0; WINDOW * words],
            named: vec![0; WINDOW * words],
            name_lengths: vec![0; WINDOW],
            waiting: [0; WINDOW / 64],
            at: 0,
        }
    }

    fn add_count(&mut self, at: usize, word: usize, count: f32) {
        self.counts[at * self.words + word] += count;
        self.waiting[at / 64] |= 1 << (at % 64);
    }

    fn add_name(&mut self, at: usize, word: usize, count: u32, length: u32) {
        self.named[at * self.words + word] = count;
        self.name_lengths[at] = length;
    }

    /// Goes on to the next document that waits in this window.
    fn take_next(&mut self) -> Option<u32> {
        let (at, bits) = self.waiting.iter_mut().enumerate().find(|(_, bits)| **bits != 0)?;
        let bit = bits.trailing_zeros();
        *bits &= *bits - 1;
        self.at = at * 64 + bit as usize;
        Some(self.start + self.at as u32)
    }

    /// Clears the row of the present document, for the next window.
    fn clear_row(&mut self) {
        let row = self.at * self.words..(self.at + 1) * self.words;
        self.counts[row.clone()].fill(0.0);
        if self.name_lengths[self.at] != 0 {
            self.named[row].fill(0);
            self.name_lengths[self.at] = 0;
        }
    }

    fn count_row(&self) -> &[f32] {
        &self.counts[self.at * self.words..(self.at + 1) * self.words]
    }

    fn named_row(&self) -> &[u32] {
        &self.named[self.at * self.words..(self.at + 1) * self.words]
    }
}

/// Returns the divisors of the counts of a field, by class of length; `mean` is the mean length.
fn norms_of_field(field: usize, mean: f32) -> [f32; LENGTH_CLASSES] {
    let norm = |class: usize| {
        let length = u8::try_from(class).map_or(0, FieldNormReader::id_to_fieldnorm);
        1.0 - LENGTHS[field] + LENGTHS[field] * (length as f32 / mean)
    };
    std::array::from_fn(norm)
}

/// Returns one bit for each counted word, in order; words beyond the 32nd have none.
fn bits_of_words(weighed: &WeighedWords<'_>) -> Vec<u32> {
    let mut at = 0;
    let bit = |(word, _): &(Word, f32)| {
        let bit = if word.counts { 1_u32.checked_shl(at).unwrap_or(0) } else { 0 };
        at += u32::from(word.counts);
        bit
    };
    weighed.words.iter().map(bit).collect()
}
