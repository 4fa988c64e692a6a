//! Parses a question: its words, its phrases in quotes, and its related words.
//!
//! Every text is a question. Words that every question has (`where`, `is`, `the`) are not searched, unless
//! there are no others. Two neighbouring words are also searched as one identifier, so that "make naive"
//! finds `make_naive` first. Words in quotes are all required; only the text can confirm that they are
//! consecutive ([`RankedQuestion::phrases_are_in`]), because the index keeps no positions.

use super::index::{RankedError, RankedIndex};
use super::schema::Prior;
use super::tokens::{RankedTokenShape, Splitter, tokens};

/// The factors for a document's score by its prior.
const TEST: f32 = 0.5;
const DATA: f32 = 0.4;
const PROSE: f32 = 0.6;
const VALUE: f32 = 0.6;

/// The factor for two neighbouring words as one identifier.
const PAIR: f32 = 0.8;

/// The factor for a word that is not in the question, but in the names of the best documents.
const RELATED: f32 = 0.25;
/// The number of names that must have such a word, and the most words that are added.
const RELATED_NAMES: usize = 3;
const MOST_RELATED: usize = 4;

/// Most words of a question that are searched: as many as there are bits to count them.
const MOST_WORDS: usize = 32;
/// Most words by which whole files are ranked.
const MOST_WIDE: usize = 160;
/// Length of the longest question, in bytes; words beyond it are not searched.
pub const LONGEST_QUESTION: usize = 64 << 10;

/// The number of words from which a text counts as an issue or a log: its words are weighed against each
/// other, and its quotes are quotations.
const LONG: usize = 40;
/// The weights of a word's occurrence in such a text: in its first line, written as code, anywhere else.
const TITLE: f32 = 3.0;
const CODE: f32 = 2.0;
const PLAIN: f32 = 1.0;
/// The highest weight of a word in a long text.
const HEAVIEST: f32 = 3.0;

/// Words that have no meaning in a search.
const EMPTY: &str = "a about all an and any are as at be been being but by can do doe does done each for from get gets give given \
                     has have how i if in into is it its made make me my of on one or our show so some than that the their them \
                     then there these they thing this to too used want was way we what when where which who why will with code would \
                     you your find happen place handled implement implemented implementation";

/// A parsed question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankedQuestion {
    pub(super) words: Vec<Word>,
    /// The phrases in quotes, each as its consecutive words.
    phrases: Vec<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) weight: f32,
    /// True if the word counts for the share of words that a document has.
    pub(super) counts: bool,
    /// True if only documents with the word are answers.
    pub(super) required: bool,
}

impl RankedQuestion {
    /// Parses a question. Every text is one: unclosed quotes, and signs without letters, are ignored.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        Self::parse_words(text, MOST_WORDS)
    }

    /// Parses a question for the ranking of whole files, which can search more words.
    #[must_use]
    pub fn parse_wide(text: &str) -> Self {
        Self::parse_words(text, MOST_WIDE)
    }

    fn parse_words(text: &str, most: usize) -> Self {
        let text = cut_to_bytes(text, LONGEST_QUESTION);
        if text.split_whitespace().nth(LONG).is_some() {
            let question = Self::read_long(text, most);
            if !question.is_empty() {
                return question;
            }
        }
        let question = Self::read(text, &|word| !says_nothing(word));
        let has_nothing = question.words.iter().all(|word| !word.counts);
        if has_nothing { Self::read(text, &|_| true) } else { question }
    }

    fn read(text: &str, counts: &dyn Fn(&str) -> bool) -> Self {
        let mut question = Self::default();
        let pieces: Vec<&str> = text.split('"').collect();
        for (at, piece) in pieces.iter().enumerate() {
            let is_quoted = at % 2 == 1 && at + 1 < pieces.len();
            question.add(piece, is_quoted, &|word| is_quoted || counts(word));
            let parts = word_parts(piece);
            if is_quoted && parts.len() > 1 {
                question.phrases.push(parts);
            }
        }
        question.words.sort_by_key(|word| std::cmp::Reverse(word.required));
        question
    }

    /// Parses an issue, a log or a message: keeps the words that occur first, as code, and most often.
    fn read_long(text: &str, most: usize) -> Self {
        let mut tallies: Vec<WordTally> = Vec::new();
        let title = text.lines().position(|line| !line.trim().is_empty());
        for (at, line) in text.lines().enumerate() {
            for run in line.split_whitespace().filter(|run| !says_nothing(run)) {
                let worth = match (Some(at) == title, is_code(run)) {
                    (true, _) => TITLE,
                    (false, true) => CODE,
                    (false, false) => PLAIN,
                };
                for (shape, text) in tokens(run) {
                    if text.chars().nth(1).is_none() || text.bytes().all(|byte| byte.is_ascii_digit()) {
                        continue;
                    }
                    match tallies.iter_mut().find(|tally| tally.text == text) {
                        Some(tally) => tally.worth += worth,
                        None => tallies.push(WordTally { text, shape, worth }),
                    }
                }
            }
        }
        // The sort is stable: earlier words win.
        tallies.sort_by(|a, b| b.worth.total_cmp(&a.worth));
        tallies.truncate(most);
        let word = |tally: WordTally| Word {
            weight: (1.0 + tally.worth.ln()).clamp(PLAIN, HEAVIEST),
            counts: tally.shape == RankedTokenShape::Part,
            text: tally.text,
            required: false,
        };
        Self { words: tallies.into_iter().map(word).collect(), phrases: Vec::new() }
    }

    fn add(&mut self, piece: &str, required: bool, counts: &dyn Fn(&str) -> bool) {
        let run: Vec<&str> = piece.split_whitespace().collect();
        for (shape, text) in run.iter().filter(|word| counts(word)).flat_map(|word| tokens(word)) {
            let is_part = shape == RankedTokenShape::Part;
            self.push(Word { text, weight: 1.0, counts: is_part, required: required && is_part });
        }
        // Pairs use the words of the question, so that `make naive` is one although `make` alone has no
        // meaning.
        for pair in run.windows(2) {
            if pair.iter().any(|word| counts(word)) {
                self.add_pair(&pair.concat());
            }
        }
    }

    fn add_pair(&mut self, joined: &str) {
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

    /// Returns the question with the project's own related words: those that the names of the best documents
    /// found for it share (pseudo-relevance feedback; Rocchio 1971). They raise documents that have them, and
    /// are not required. `None` if there are none.
    #[must_use]
    pub fn with_related<'n>(&self, names: impl Iterator<Item = &'n str>) -> Option<Self> {
        let mut counts: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
        for name in names {
            let mut words = word_parts(name);
            words.sort_unstable();
            words.dedup();
            words.into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
        }
        let is_new = |word: &str| word.len() > 2 && self.words.iter().all(|own| own.text != word);
        let mut related: Vec<(String, usize)> =
            counts.into_iter().filter(|(word, count)| *count >= RELATED_NAMES && is_new(word)).collect();
        related.sort_by(|(a, one), (b, other)| other.cmp(one).then_with(|| a.cmp(b)));
        related.truncate(MOST_RELATED);
        let mut wider = self.clone();
        for (text, _) in &related {
            wider.push(Word { text: text.clone(), weight: RELATED, counts: false, required: false });
        }
        (!related.is_empty()).then_some(wider)
    }

    /// Returns the factor for a document's prior; a question about tests means tests.
    pub(super) fn prior_factor(&self, prior: Prior) -> f32 {
        match prior {
            Prior::Test if !self.asks_for_tests() => TEST,
            Prior::Plain | Prior::Test => 1.0,
            Prior::Value => VALUE,
            Prior::Data => DATA,
            Prior::Prose => PROSE,
        }
    }

    /// Returns true if the question is about tests: then tests are meant as much as the code that they test.
    #[must_use]
    pub fn asks_for_tests(&self) -> bool {
        self.words.iter().any(|word| word.text == "test")
    }

    /// Returns true if the question has no word to search.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns true if the question has phrases, which only the text itself can confirm.
    #[must_use]
    pub fn has_phrases(&self) -> bool {
        !self.phrases.is_empty()
    }

    /// Returns true if every phrase is somewhere in `text`.
    #[must_use]
    pub fn phrases_are_in(&self, text: &str) -> bool {
        let parts = word_parts(text);
        let has =
            |phrase: &Vec<String>| parts.windows(phrase.len()).any(|window| window == phrase.as_slice());
        self.phrases.iter().all(has)
    }

    /// Returns a counter of the question's words in lines.
    #[must_use]
    pub fn word_counter(&self) -> QuestionWords<'_> {
        QuestionWords { question: self, splitter: Splitter::default() }
    }
}

impl RankedIndex {
    /// Returns the question with its most telling words in this index: the rarest, by their weight. Repeated
    /// words of a long text say less than those that few documents have.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn focus(&self, question: &RankedQuestion) -> Result<RankedQuestion, RankedError> {
        let mut worth = self.word_worths(question)?;
        worth.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        worth.truncate(MOST_WORDS);
        let words = worth.into_iter().map(|(word, _)| word).collect();
        Ok(RankedQuestion { words, phrases: question.phrases.clone() })
    }
}

/// A word of a long text with the worth of all its occurrences.
struct WordTally {
    text: String,
    shape: RankedTokenShape,
    worth: f32,
}

/// Returns true if a word is written as code: in backticks, called, dotted, with underscores or capitals inside.
fn is_code(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '`');
    let inner = bare.trim_matches('_');
    let has_hump =
        inner.chars().zip(inner.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let has_dot =
        inner.split('.').filter(|part| part.chars().all(|c| c.is_alphanumeric() || c == '_')).count() > 1;
    word.contains('`')
        || word.contains("()")
        || inner.contains('_')
        || has_hump
        || has_dot
        || bare.starts_with("__")
}

/// Counts the words of a question in lines.
#[derive(Debug)]
pub struct QuestionWords<'q> {
    question: &'q RankedQuestion,
    splitter: Splitter,
}

impl QuestionWords<'_> {
    /// Counts the different words of the question that the line has; an identifier of two of them counts
    /// double.
    pub fn in_line(&mut self, line: &str) -> u32 {
        self.found_in(line).count_ones()
    }

    /// Returns the words of the question that the line has, a bit for each in the question's order.
    pub fn found_in(&mut self, line: &str) -> u32 {
        let words = &self.question.words;
        let mut seen = 0_u32;
        self.splitter.split(line, &mut |_, token| {
            if let Some(at) = words.iter().position(|word| word.text == token) {
                seen |= 1 << at;
            }
        });
        seen
    }
}

fn word_parts(text: &str) -> Vec<String> {
    tokens(text)
        .into_iter()
        .filter(|(shape, _)| *shape == RankedTokenShape::Part)
        .map(|(_, text)| text)
        .collect()
}

/// Returns the beginning of a text, of at most `most` bytes.
#[must_use]
pub fn cut_to_bytes(text: &str, most: usize) -> &str {
    let most = most.min(text.len());
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}

/// Returns true if a word has no meaning in a search.
#[must_use]
pub fn says_nothing(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    EMPTY.split(' ').any(|empty| empty.eq_ignore_ascii_case(bare))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(text: &str) -> Vec<String> {
        RankedQuestion::parse(text).words.into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn words_that_say_nothing_count_only_alone() {
        assert_eq!(words_of("where is the parser"), ["pars", "theparser"]);
        assert_eq!(words_of("how"), ["how"]);
        assert!(words_of("").is_empty() && words_of("?! \"\" ...").is_empty());
    }

    #[test]
    fn neighbours_are_looked_for_as_one_identifier() {
        assert!(words_of("make naive").contains(&"makenaive".to_owned()));
        assert!(words_of("call make_naive()").contains(&"makenaive".to_owned()));
    }

    #[test]
    fn phrases_are_words_in_a_row_however_they_are_written() {
        let question = RankedQuestion::parse("\"send mail\" now");
        assert!(question.has_phrases());
        for text in ["def send_mail(x)", "sendMail()", "it sends mails"] {
            assert!(question.phrases_are_in(text), "{text}");
        }
        assert!(!question.phrases_are_in("mail was sent; send no mail"), "in a row");
        assert!(!question.phrases_are_in("mail send"));
        assert!(!RankedQuestion::parse("\"send mail").has_phrases(), "it does not close");
    }

    #[test]
    fn of_a_long_text_the_title_and_what_is_code_weigh_most() {
        let filler: String = ('a'..='z').map(|letter| format!("{letter}bako {letter}dumi ")).collect();
        let text =
            format!("Chords are dropped\n\n{filler}\nthe fault is in `on_chord_part_return()`, \"he said\".");
        let question = RankedQuestion::parse(&text);
        let weight =
            |text: &str| question.words.iter().find(|word| word.text == text).map(|word| word.weight);
        assert!(weight("chord") > weight("abako"), "{question:?}");
        assert!(weight("onchordpartreturn").is_some(), "{question:?}");
        assert!(!question.has_phrases(), "a quotation binds nothing");
        assert!(question.words.len() <= MOST_WORDS);
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!((cut_to_bytes("aü", 2), cut_to_bytes("aü", 3), cut_to_bytes("", 5)), ("a", "aü", ""));
    }

    #[test]
    fn a_question_takes_over_what_the_best_names_share() {
        let question = RankedQuestion::parse("device pairing");
        let names = ["Pairing.startHandshake", "finish_handshake", "HandshakeError", "pair_device"];
        let wider = question.with_related(names.into_iter()).expect("handshake is in three names");
        let added = wider.words.last().expect("it has words");
        assert!(added.text.starts_with("handshak"), "{added:?}");
        assert!(!added.counts && !added.required && added.weight < 1.0);
        assert_eq!(wider.words.len(), question.words.len() + 1);
        assert_eq!(question.with_related(["a", "b"].into_iter()), None);
    }
}
