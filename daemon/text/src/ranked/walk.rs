//! Adds up what the documents of a segment have of a question's words, in order of the documents.
//!
//! The posting lists are read window by window: each list as far as the window goes, into a table with a row for each
//! document. A heap of lists would move a list up and down for every posting; here a posting costs an addition.
//! Tantivy's and Lucene's unions of many lists work in this way. Within a document, the lists come in a fixed order, so
//! that sums of fractions do not depend on where a window begins.
//!
//! Lists of words that no document needs to be among the best (`essential`) are not walked, except for names, but looked
//! into at the documents that have other words.
//!
//! A walk goes over a part of a segment, so that several threads can share one.

use std::ops::Range;

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::BlockSegmentPostings;
use tantivy::schema::IndexRecordOption;
use tantivy::{SegmentReader, TantivyError, Term};

use super::essential::{WordBounds, WordOrder};
use super::index::RankedError;
use super::query::{WeighedWords, coverage_weight};
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

/// A factor larger than any rounding of sums of fractions.
const ROUNDED_UP: f32 = 1.001;

/// Number of documents of a window: with ten words, its table fits into a core's own cache. Tests have few documents.
const WINDOW: usize = if cfg!(test) { 64 } else { 1_024 };

/// Number of levels of a share in the table of upper bounds.
const SHARE_LEVELS: usize = 256;

/// The lengths of fields that an index tells apart.
const LENGTH_CLASSES: usize = 256;

/// A place in the posting list of one word in one field.
#[derive(Clone)]
struct Cursor {
    word: usize,
    field: usize,
    /// The list, at one of its blocks; an empty block is its end.
    list: BlockSegmentPostings,
    /// The next posting of the block.
    at: usize,
    lengths: FieldNormReader,
}

/// The posting lists of a question's words in one segment.
pub(super) struct SegmentWords<'w> {
    weighed: &'w WeighedWords<'w>,
    /// The lists, at their beginnings.
    cursors: Vec<Cursor>,
    /// The divisor of a count, by field and class of length.
    norms: Vec<[f32; LENGTH_CLASSES]>,
    /// The words that a document must have.
    required: Vec<usize>,
    /// The worth of each word.
    worths: Vec<f32>,
    /// The worth of each counted word; 0 for the others.
    counted_worths: Vec<f32>,
    /// The bit of each counted word; none beyond the 32nd.
    bits: Vec<u32>,
    /// The worth of all counted words.
    whole: f32,
    /// The words in the order in which they become nonessential.
    order: WordOrder,
    factors: ShareFactors,
}

/// A walk over the documents of a part of a segment that have a word of the question.
pub(super) struct RankedWalk<'w> {
    words: &'w SegmentWords<'w>,
    cursors: Vec<Cursor>,
    /// The first document behind the part.
    end: u32,
    window: Window,
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
    /// The length of each document's name; 0 if no word is in it.
    name_lengths: Vec<u32>,
    /// An upper bound of what each document's words are worth, summed posting by posting.
    bounds: Vec<WordBounds>,
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

/// Upper bounds of the factors by which a share of the question's worth multiplies a score. It is a table, because a root
/// for each document takes as long as adding up its words.
struct ShareFactors {
    /// Number of levels for each unit of worth.
    levels: f32,
    /// The factor of each level of a document whose name may agree with the question.
    named: [f32; SHARE_LEVELS + 1],
    /// The factor of each level of a document whose name has no word of the question.
    unnamed: [f32; SHARE_LEVELS + 1],
}

impl ShareFactors {
    /// Makes the table for a question with counted words of a worth of `whole`.
    fn new(whole: f32) -> Self {
        let unnamed = |level: usize| coverage_weight(level as f32 / SHARE_LEVELS as f32) * ROUNDED_UP;
        let named = |level: usize| unnamed(level) * (1.0 + NAMED * level as f32 / SHARE_LEVELS as f32);
        Self {
            levels: SHARE_LEVELS as f32 / whole,
            named: std::array::from_fn(named),
            unnamed: std::array::from_fn(unnamed),
        }
    }

    /// Returns a level that is not below a worth; 0 for none.
    fn level_of_worth(&self, worth: f32) -> usize {
        if worth > 0.0 { ((worth * self.levels) as u32 as usize + 1).min(SHARE_LEVELS) } else { 0 }
    }
}

/// Holds what the worth of each posting of one list is computed from.
struct PostingWorth<'w> {
    word: usize,
    field: usize,
    /// The divisor of a count, by class of length.
    norms: &'w [f32; LENGTH_CLASSES],
    /// The worth of the word.
    worth: f32,
    /// The same if the word counts, otherwise 0.
    counted_worth: f32,
}

impl<'w> PostingWorth<'w> {
    fn of_list(words: &'w SegmentWords<'_>, cursor: &Cursor) -> Self {
        let Cursor { word, field, .. } = *cursor;
        let (worth, counted_worth) = (words.worths[word], words.counted_worths[word]);
        Self { word, field, norms: &words.norms[field], worth, counted_worth }
    }
}

impl Cursor {
    /// Goes on to the first posting of this or a later document.
    fn seek(&mut self, doc: u32) {
        self.at = self.list.seek(doc);
        self.leave_passed_block();
    }

    /// Calls `take` with the place, count and class of length of each posting of a waiting document.
    fn take_waiting(&mut self, window: &mut Window, mut take: impl FnMut(&mut Window, usize, u32, u8)) {
        let mut from = 0;
        while let Some(at) = window.next_waiting(from) {
            let wanted = window.start + at as u32;
            let Some(mut doc) = self.doc() else { return };
            if doc < wanted {
                self.seek(wanted);
                let Some(next) = self.doc() else { return };
                doc = next;
            }
            if doc == wanted {
                take(window, at, self.list.freqs()[self.at], self.lengths.fieldnorm_id(doc));
                from = at + 1;
            } else {
                from = (doc - window.start) as usize;
            }
        }
    }

    /// Goes on to the next block if all postings of this one are behind the cursor.
    fn leave_passed_block(&mut self) {
        if self.at >= self.list.block_len() && self.list.block_len() > 0 {
            self.list.advance();
            self.at = 0;
        }
    }

    /// Returns the document of the next posting.
    fn doc(&self) -> Option<u32> {
        self.list.docs().get(self.at).copied()
    }

    /// Calls `take` with the document and the count of each posting before a document.
    fn take_before(&mut self, end: u32, mut take: impl FnMut(u32, u32, &FieldNormReader)) {
        loop {
            let (docs, counts) = (&self.list.docs()[self.at..], &self.list.freqs()[self.at..]);
            let taken = docs.partition_point(|doc| *doc < end);
            for (doc, count) in docs.iter().zip(counts).take(taken) {
                take(*doc, *count, &self.lengths);
            }
            self.at += taken;
            if taken == 0 || self.at < self.list.block_len() {
                return;
            }
            self.leave_passed_block();
        }
    }
}

impl<'w> SegmentWords<'w> {
    pub(super) fn open(weighed: &'w WeighedWords<'w>, segment: &SegmentReader) -> Result<Self, RankedError> {
        let mut cursors = Vec::new();
        for (field, text) in weighed.index.fields.texts.into_iter().enumerate() {
            let lists = segment.inverted_index(text)?;
            for (word, (asked, _)) in weighed.words.iter().enumerate() {
                let term = Term::from_field_text(text, &asked.text);
                let list = lists.read_block_postings(&term, IndexRecordOption::WithFreqs);
                if let Some(list) = list.map_err(TantivyError::from)? {
                    let lengths = segment.get_fieldnorms_reader(text)?;
                    cursors.push(Cursor { word, field, list, at: 0, lengths });
                }
            }
        }
        let counted = |(word, worth): &(Word, f32)| if word.counts { *worth } else { 0.0 };
        let counted_worths: Vec<f32> = weighed.words.iter().map(counted).collect();
        let whole = counted_worths.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let worths: Vec<f32> = weighed.words.iter().map(|(_, worth)| *worth).collect();
        let bounds = worths.iter().zip(&counted_worths);
        let bounds: Vec<WordBounds> =
            bounds.map(|(worth, had)| WordBounds { most: worth * (K1 + 1.0), had: *had }).collect();
        Ok(Self {
            weighed,
            cursors,
            order: WordOrder::new(&bounds),
            factors: ShareFactors::new(whole),
            worths,
            counted_worths,
            norms: (0..TEXTS).map(|field| norms_of_field(field, weighed.means[field])).collect(),
            required: (0..weighed.words.len()).filter(|at| weighed.words[*at].0.required).collect(),
            bits: bits_of_words(weighed),
            whole,
        })
    }

    /// Returns a score that a document with these words cannot exceed, whatever its kind and prior.
    fn highest_score(&self, words: WordBounds, may_be_named: bool) -> f32 {
        let factors = if may_be_named { &self.factors.named } else { &self.factors.unnamed };
        words.most * factors[self.factors.level_of_worth(words.had)]
    }

    pub(super) fn word_count(&self) -> usize {
        self.weighed.words.len()
    }

    /// Makes a walk over the documents of a part of the segment.
    pub(super) fn walk_part(&'w self, part: Range<u32>) -> RankedWalk<'w> {
        let mut cursors = self.cursors.clone();
        cursors.iter_mut().for_each(|cursor| cursor.seek(part.start));
        RankedWalk { words: self, cursors, end: part.end, window: Window::new(self.word_count()) }
    }
}

impl RankedWalk<'_> {
    /// Goes on to the next document with a word, and returns it. Documents whose score is certainly below `least` may be
    /// passed over; from call to call it must not fall.
    pub(super) fn next(&mut self, least: f32) -> Option<u32> {
        self.window.clear_row(self.window.at);
        loop {
            if let Some(doc) = self.window.take_next() {
                return Some(doc);
            }
            self.fill_window(least)?;
        }
    }

    /// Reads the lists into the window that begins with the next document; `None` if there is none. No document waits in it
    /// if all are below `least`.
    fn fill_window(&mut self, least: f32) -> Option<()> {
        let (words, window) = (self.words, &mut self.window);
        // The lists of names are short, and all are walked. So documents that have nonessential words alone get nothing for
        // their names.
        let nonessential = words.order.nonessential_count(least, |bounds| words.highest_score(bounds, false));
        let is_essential =
            |cursor: &Cursor| cursor.field == NAME || words.order.is_essential(cursor.word, nonessential);
        let next = self.cursors.iter().filter(|cursor| is_essential(cursor)).filter_map(Cursor::doc).min();
        let start = next.filter(|start| *start < self.end)?;
        let end = start.saturating_add(WINDOW as u32).min(self.end);
        window.start = start;
        for cursor in self.cursors.iter_mut().filter(|cursor| is_essential(cursor)) {
            let posting = PostingWorth::of_list(words, cursor);
            cursor.take_before(end, |doc, count, lengths| {
                window.add_posting(&posting, (doc - start) as usize, count, lengths.fieldnorm_id(doc));
            });
        }
        for (word, rest) in words.order.nonessential_words(nonessential) {
            window.drop_documents(|bounds, is_named| words.highest_score(bounds + rest, is_named) < least);
            let is_due = |cursor: &&mut Cursor| cursor.word == word && !is_essential(cursor);
            for cursor in self.cursors.iter_mut().filter(is_due) {
                let posting = PostingWorth::of_list(words, cursor);
                cursor.take_waiting(window, |window, at, count, class| {
                    window.add_posting(&posting, at, count, class);
                });
            }
        }
        Some(())
    }

    /// Returns the weighed counts of all words in the present document.
    pub(super) fn word_counts(&self) -> &[f32] {
        self.window.count_row()
    }

    /// Returns the words of the present document with their weighed counts, in order.
    fn present_words(&self) -> impl Iterator<Item = (usize, f32)> {
        self.window.count_row().iter().copied().enumerate().filter(|(_, count)| *count > 0.0)
    }

    /// Returns the counted words of the present document, one bit each.
    pub(super) fn matched_words(&self) -> u32 {
        self.present_words().fold(0, |all, (word, _)| all | self.words.bits[word])
    }

    /// Returns true if the present document has all required words, and a word that counts.
    pub(super) fn is_match(&self) -> bool {
        let row = self.window.count_row();
        self.window.bounds[self.window.at].had > 0.0
            && self.words.required.iter().all(|word| row[*word] > 0.0)
    }

    /// Returns a score that the present document cannot exceed, whatever its kind and prior.
    pub(super) fn highest_score(&self) -> f32 {
        let at = self.window.at;
        self.words.highest_score(self.window.bounds[at], self.window.name_lengths[at] != 0)
    }

    /// Returns the sums of the present document.
    pub(super) fn word_sums(&self) -> WordSums {
        let (mut score, mut had) = (0.0, 0.0);
        for (word, count) in self.present_words() {
            score += self.words.worths[word] * saturated(count);
            had += self.words.counted_worths[word];
        }
        WordSums { score, had }
    }

    /// Returns the score of the present document, which has these sums.
    pub(super) fn present_score(&self, sums: WordSums) -> f32 {
        sums.score * coverage_weight(sums.had / self.words.whole) * (1.0 + NAMED * self.name_agreement())
    }

    /// Returns how much of the document's name and of the question agree, from 0 to 1.
    fn name_agreement(&self) -> f32 {
        let length = self.window.name_lengths[self.window.at];
        if length == 0 {
            return 0.0;
        }
        let counts = self.window.named_row();
        let of_name = counts.iter().sum::<u32>() as f32 / length as f32;
        let named = self.words.weighed.words.iter().zip(counts).filter(|(_, count)| **count > 0);
        let counting = named.filter(|((word, _), _)| word.counts);
        let of_question = counting.map(|((_, worth), _)| worth).sum::<f32>() / self.words.whole;
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
            bounds: vec![WordBounds::default(); WINDOW],
            waiting: [0; WINDOW / 64],
            at: 0,
        }
    }

    fn add_posting(&mut self, posting: &PostingWorth<'_>, at: usize, count: u32, class: u8) {
        let PostingWorth { word, field, norms, worth, counted_worth } = *posting;
        let count_of_word = WEIGHTS[field] * count as f32 / norms[usize::from(class)];
        let is_first = self.add_count(at, word, count_of_word);
        let bounds = &mut self.bounds[at];
        bounds.most += worth * saturated(count_of_word);
        bounds.had += if is_first { counted_worth } else { 0.0 };
        if field == NAME {
            self.add_name(at, word, count, FieldNormReader::id_to_fieldnorm(class));
        }
    }

    /// Returns the first waiting document's place that is not before `from`.
    fn next_waiting(&self, from: usize) -> Option<usize> {
        let (first, bit) = (from / 64, from % 64);
        let masked = self.waiting.get(first)? & (u64::MAX << bit);
        if masked != 0 {
            return Some(first * 64 + masked.trailing_zeros() as usize);
        }
        let (word, bits) = self.waiting.iter().enumerate().skip(first + 1).find(|(_, bits)| **bits != 0)?;
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    /// Drops the waiting documents whose bounds meet a condition.
    fn drop_documents(&mut self, is_dropped: impl Fn(WordBounds, bool) -> bool) {
        let waiting = self.waiting;
        for at in places_of_bits(&waiting) {
            if is_dropped(self.bounds[at], self.name_lengths[at] != 0) {
                self.waiting[at / 64] &= !(1 << (at % 64));
                self.clear_row(at);
            }
        }
    }

    /// Adds to the count of a word. Returns true if the document had none of it before.
    fn add_count(&mut self, at: usize, word: usize, count: f32) -> bool {
        let known = &mut self.counts[at * self.words + word];
        let is_first = *known == 0.0;
        *known += count;
        self.waiting[at / 64] |= 1 << (at % 64);
        is_first
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

    /// Clears the row of a document, for the next window.
    fn clear_row(&mut self, at: usize) {
        let row = at * self.words..(at + 1) * self.words;
        self.counts[row.clone()].fill(0.0);
        self.bounds[at] = WordBounds::default();
        if self.name_lengths[at] != 0 {
            self.named[row].fill(0);
            self.name_lengths[at] = 0;
        }
    }

    fn count_row(&self) -> &[f32] {
        &self.counts[self.at * self.words..(self.at + 1) * self.words]
    }

    fn named_row(&self) -> &[u32] {
        &self.named[self.at * self.words..(self.at + 1) * self.words]
    }
}

/// Yields the places of the bits that are set, in order.
pub(super) fn places_of_bits(bits: &[u64]) -> impl Iterator<Item = usize> {
    bits.iter().enumerate().flat_map(|(word, bits)| {
        let mut rest = *bits;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros())?;
            rest &= rest - 1;
            Some(word * 64 + bit as usize)
        })
    })
}

/// Returns the weight of a word's count beside that of one: more of a word is worth ever less.
fn saturated(count: f32) -> f32 {
    (K1 + 1.0) * count / (K1 + count)
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
