//! Asking the ranked index.
//!
//! The score is BM25F (Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple weighted fields", 2004): a word's
//! counts in all fields are weighed and added, and saturate once. Documents that have more of the question's words win over those
//! that have few of them often (`COVERAGE`). Two words of the question that stand side by side are also looked for as one
//! identifier: "make naive" finds `make_naive` first. Words that every question has (`where`, `is`, `the`) count only if there are
//! no others.
//!
//! Lists are walked in step, document by document, so that memory does not grow with them and the best can be kept in a
//! small heap under a total order: equal scores are told apart by file and definition, never by where the index has put them.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use hob_base::{CancelToken, Stopped};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, Searcher, SegmentReader, TERMINATED, Term};

use super::index::{RankedError, RankedIndex};
use super::schema::{DocKind, FILE, Prior, SLOT, TAG, TEXTS, untag};
use super::tokens::{Shape, Splitter, tokens};

/// Weights of name, context, signature, doc and body, and how much each field's length matters.
const WEIGHTS: [f32; TEXTS] = [4.0, 1.0, 1.5, 2.0, 1.0];
const LENGTHS: [f32; TEXTS] = [0.6, 0.4, 0.4, 0.4, 0.7];

/// Where a word's count saturates.
const K1: f32 = 1.2;

/// How much it matters to have all of the question's words: the exponent of the share that a document has.
const COVERAGE: f32 = 0.7;

/// What a document is worth by its prior.
const TEST: f32 = 0.5;
const DATA: f32 = 0.4;
const PROSE: f32 = 0.6;

/// What two neighbouring words as one identifier count for.
const PAIR: f32 = 0.8;

/// Most words of a question that are looked for, and longest question that is read, in bytes.
const MOST_WORDS: usize = 32;
const LONGEST: usize = 16 << 10;

/// Documents between two looks at the clock.
const PATIENCE: u32 = 4_096;

/// Words that say nothing about what is looked for.
const EMPTY: &[&str] = &[
    "a",
    "about",
    "all",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "been",
    "being",
    "but",
    "by",
    "can",
    "do",
    "doe",
    "does",
    "done",
    "each",
    "for",
    "from",
    "get",
    "gets",
    "give",
    "given",
    "has",
    "have",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "made",
    "make",
    "me",
    "my",
    "of",
    "on",
    "one",
    "or",
    "our",
    "show",
    "so",
    "some",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "this",
    "to",
    "used",
    "want",
    "was",
    "way",
    "we",
    "what",
    "when",
    "where",
    "which",
    "who",
    "why",
    "will",
    "with",
    "code",
    "would",
    "you",
    "your",
    "find",
    "happen",
    "place",
    "handled",
    "implement",
    "implemented",
    "implementation",
];

/// A question taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Question {
    words: Vec<Word>,
    /// What stood in quotes: words in a row.
    phrases: Vec<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq)]
struct Word {
    text: String,
    weight: f32,
    /// Counts for the share of words that a document has.
    counts: bool,
    /// Documents without it are no answer.
    required: bool,
}

impl Question {
    /// Reads a question. Everything is one: quotes that do not close, and signs without letters, mean nothing.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = cut(text, LONGEST);
        let mut question = Self::default();
        let pieces: Vec<&str> = text.split('"').collect();
        for (at, piece) in pieces.iter().enumerate() {
            let is_quoted = at % 2 == 1 && at + 1 < pieces.len();
            let parts = parts(piece);
            question.add(piece, is_quoted);
            if is_quoted && parts.len() > 1 {
                question.phrases.push(parts);
            }
        }
        question.finish();
        question
    }

    fn add(&mut self, piece: &str, required: bool) {
        let run: Vec<&str> = piece.split_whitespace().collect();
        let content: Vec<&str> = run.iter().copied().filter(|word| required || !is_empty(word)).collect();
        for word in &content {
            for (shape, text) in tokens(word) {
                let is_part = shape == Shape::Part;
                self.push(Word { text, weight: 1.0, counts: is_part, required: required && is_part });
            }
        }
        // Of the words as they were asked, so that `make naive` is one although `make` alone says nothing.
        for pair in run.windows(2) {
            if pair.iter().any(|word| !is_empty(word)) {
                self.pair(&pair.concat());
            }
        }
    }

    fn pair(&mut self, joined: &str) {
        let text: String =
            joined.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        self.push(Word { text, weight: PAIR, counts: false, required: false });
    }

    fn push(&mut self, word: Word) {
        if let Some(other) = self.words.iter_mut().find(|other| other.text == word.text) {
            other.required |= word.required;
        } else if self.words.len() < MOST_WORDS && !word.text.is_empty() {
            self.words.push(word);
        }
    }

    fn finish(&mut self) {
        self.words.sort_by_key(|word| std::cmp::Reverse(word.required));
    }

    /// What a document is worth by what it is; who asks about tests means tests.
    fn worth(&self, prior: Prior) -> f32 {
        match prior {
            Prior::Test if !self.words.iter().any(|word| word.text == "test") => TEST,
            Prior::Plain | Prior::Test => 1.0,
            Prior::Data => DATA,
            Prior::Prose => PROSE,
        }
    }

    /// Whether there is nothing to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether it has phrases, which only the text itself can confirm.
    #[must_use]
    pub fn has_phrases(&self) -> bool {
        !self.phrases.is_empty()
    }

    /// Whether every phrase is somewhere in `text`.
    #[must_use]
    pub fn phrases_are_in(&self, text: &str) -> bool {
        let parts = parts(text);
        let has =
            |phrase: &Vec<String>| parts.windows(phrase.len()).any(|window| window == phrase.as_slice());
        self.phrases.iter().all(has)
    }

    /// Counts how many of its words lines have.
    #[must_use]
    pub fn words(&self) -> Words<'_> {
        Words { question: self, splitter: Splitter::default() }
    }
}

/// Tells how much of a question is in a line.
#[derive(Debug)]
pub struct Words<'q> {
    question: &'q Question,
    splitter: Splitter,
}

impl Words<'_> {
    /// How many different words of the question the line has; identifiers that are two of them count double.
    pub fn in_line(&mut self, line: &str) -> u32 {
        let words = &self.question.words;
        let mut seen = 0_u32;
        self.splitter.split(line, &mut |_, token| {
            if let Some(at) = words.iter().position(|word| word.text == token) {
                seen |= 1 << at;
            }
        });
        seen.count_ones()
    }
}

fn parts(text: &str) -> Vec<String> {
    tokens(text).into_iter().filter(|(shape, _)| *shape == Shape::Part).map(|(_, text)| text).collect()
}

/// The beginning of a text, of at most so many bytes.
#[must_use]
pub fn cut(text: &str, most: usize) -> &str {
    let most = most.min(text.len());
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}

fn is_empty(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    EMPTY.contains(&bare.to_lowercase().as_str())
}

/// What is asked.
pub struct RankedRequest<'r> {
    /// The question.
    pub question: &'r Question,
    /// Documents of these kinds alone; none means all.
    pub kinds: &'r [DocKind],
    /// Documents of these files alone.
    pub admits: Option<&'r dyn Fn(u64) -> bool>,
    /// Most hits.
    pub limit: usize,
}

/// A document that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedHit {
    /// Its file's number.
    pub file: u64,
    /// See [`super::RankedDoc::slot`].
    pub slot: u32,
    /// What it stands for.
    pub kind: DocKind,
    /// How well it fits; comparable within one answer.
    pub score: f32,
}

impl Eq for RankedHit {}

impl PartialOrd for RankedHit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RankedHit {
    /// Better is less.
    fn cmp(&self, other: &Self) -> Ordering {
        let score = other.score.total_cmp(&self.score);
        score.then_with(|| (self.file, self.slot).cmp(&(other.file, other.slot)))
    }
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankedAnswer {
    /// Best first.
    pub hits: Vec<RankedHit>,
    /// Documents that have a word of the question, and all that are required.
    pub total: usize,
}

/// Why a search ended early.
#[derive(Debug, thiserror::Error)]
enum Ended {
    #[error(transparent)]
    Index(#[from] RankedError),
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl RankedIndex {
    /// The documents that fit best. Stopped early, it answers with what it has, and `false`.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn search(
        &self,
        request: &RankedRequest<'_>,
        cancel: &CancelToken,
    ) -> Result<(RankedAnswer, bool), RankedError> {
        let searcher = self.searcher();
        let mut best = Best { limit: request.limit, heap: BinaryHeap::new(), total: 0 };
        let words = Collection::of(self, &searcher)?.words(request.question, &searcher)?;
        for segment in searcher.segment_readers() {
            match self.search_segment(request, (&words, segment), &mut best, cancel) {
                Ok(()) => {}
                Err(Ended::Stopped(_)) => return Ok((best.answer(), false)),
                Err(Ended::Index(error)) => return Err(error),
            }
        }
        Ok((best.answer(), true))
    }

    fn search_segment(
        &self,
        request: &RankedRequest<'_>,
        (words, segment): (&Weighed<'_>, &SegmentReader),
        best: &mut Best,
        cancel: &CancelToken,
    ) -> Result<(), Ended> {
        let mut walk = Walk::new(words, segment)?;
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
            let (kind, prior) = untag(number(&tags));
            let file = number(&files);
            let is_asked_for = (request.kinds.is_empty() || request.kinds.contains(&kind))
                && request.admits.is_none_or(|admits| admits(file));
            if is_asked_for {
                let slot = u32::try_from(number(&slots)).unwrap_or(0);
                best.offer(RankedHit { file, slot, kind, score: score * request.question.worth(prior) });
            }
        }
        Ok(())
    }
}

/// The best so far; the worst of them on top.
struct Best {
    limit: usize,
    heap: BinaryHeap<RankedHit>,
    total: usize,
}

impl Best {
    fn offer(&mut self, hit: RankedHit) {
        self.total += 1;
        if self.heap.len() < self.limit {
            self.heap.push(hit);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && hit < *worst
        {
            *worst = hit;
        }
    }

    fn answer(self) -> RankedAnswer {
        RankedAnswer { hits: self.heap.into_sorted_vec(), total: self.total }
    }
}

/// What is known of all documents together.
struct Collection<'i> {
    index: &'i RankedIndex,
    docs: f32,
    /// Mean length of each field.
    means: [f32; TEXTS],
}

/// A question's words with what they are worth in this collection.
struct Weighed<'i> {
    index: &'i RankedIndex,
    means: [f32; TEXTS],
    words: Vec<(Word, f32)>,
}

impl<'i> Collection<'i> {
    fn of(index: &'i RankedIndex, searcher: &Searcher) -> Result<Self, RankedError> {
        let docs: u32 = searcher.segment_readers().iter().map(SegmentReader::max_doc).sum();
        let mut means = [1.0; TEXTS];
        for (mean, field) in means.iter_mut().zip(index.fields.texts) {
            let mut tokens = 0;
            for segment in searcher.segment_readers() {
                tokens += segment.inverted_index(field)?.total_num_tokens();
            }
            *mean = (tokens as f32 / docs.max(1) as f32).max(1.0);
        }
        Ok(Self { index, docs: docs as f32, means })
    }

    fn words(self, question: &Question, searcher: &Searcher) -> Result<Weighed<'i>, RankedError> {
        let mut words = Vec::new();
        for word in &question.words {
            let mut most = 0;
            for field in self.index.fields.texts {
                most = most.max(searcher.doc_freq(&Term::from_field_text(field, &word.text))?);
            }
            let rarity = (1.0 + (self.docs - most as f32 + 0.5) / (most as f32 + 0.5)).ln();
            words.push((word.clone(), rarity * word.weight));
        }
        Ok(Weighed { index: self.index, means: self.means, words })
    }
}

/// One list: a word in a field.
struct Cursor {
    word: usize,
    field: usize,
    list: SegmentPostings,
    lengths: FieldNormReader,
}

/// All lists of a question in one segment, in step.
struct Walk<'w> {
    weighed: &'w Weighed<'w>,
    cursors: Vec<Cursor>,
    /// Weighed counts of each word in the present document.
    counts: Vec<f32>,
    /// Worth of all words that count.
    whole: f32,
}

impl<'w> Walk<'w> {
    fn new(weighed: &'w Weighed<'w>, segment: &SegmentReader) -> Result<Self, RankedError> {
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
        Ok(Self { weighed, cursors, counts: vec![0.0; weighed.words.len()], whole })
    }

    /// The next document and its score; 0 for one that lacks what is required.
    fn next(&mut self) -> Option<(u32, f32)> {
        let doc =
            self.cursors.iter().map(|cursor| cursor.list.doc()).min().filter(|doc| *doc != TERMINATED)?;
        self.counts.fill(0.0);
        for Cursor { word, field, list, lengths } in &mut self.cursors {
            if list.doc() != doc {
                continue;
            }
            let length = lengths.fieldnorm(doc) as f32 / self.weighed.means[*field];
            let norm = 1.0 - LENGTHS[*field] + LENGTHS[*field] * length;
            self.counts[*word] += WEIGHTS[*field] * list.term_freq() as f32 / norm;
            list.advance();
        }
        self.cursors.retain(|cursor| cursor.list.doc() != TERMINATED);
        Some((doc, self.score()))
    }

    fn score(&self) -> f32 {
        let (mut score, mut had) = (0.0, 0.0);
        for ((word, worth), count) in self.weighed.words.iter().zip(&self.counts) {
            if *count > 0.0 {
                score += worth * (K1 + 1.0) * count / (K1 + count);
                had += if word.counts { *worth } else { 0.0 };
            } else if word.required {
                return 0.0;
            }
        }
        score * (had / self.whole).min(1.0).powf(COVERAGE)
    }
}
