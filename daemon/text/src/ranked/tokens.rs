//! Splits code and prose into words, which the ranked index counts.
//!
//! An identifier is split at its inner borders (`_`, `camelCase`, `HTTPServer`, `utf8`), and also kept whole,
//! without underscores and in lower case, so that `get_object_or_404`, `getObjectOr404` and the four words
//! all find it. Parts lose the commonest English endings (`parsing`, `parsed`, `parser`, `parses` and `parse`
//! are one word); wholes do not. Signs of scripts without spaces between words are separate words. Question
//! and text go through the same code: that makes them match, even if an ending is not cut where a grammarian
//! would.

/// Length of the longest part and of the longest whole, in bytes: a longer one is encoded data.
const PART_MAX: usize = 40;
const WHOLE_MAX: usize = 80;

/// Length of the longest run of digits.
const DIGITS_MAX: usize = 6;

/// The shape of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RankedTokenShape {
    /// A word, or a part of an identifier.
    Part,
    /// An identifier of several parts, as one token.
    Whole,
}

/// Splits texts; keeps its buffers from one text to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Splitter {
    part: String,
    whole: String,
}

impl Splitter {
    /// Calls `each` with every token in order; a whole comes after its parts.
    pub(super) fn split(&mut self, text: &str, each: &mut dyn FnMut(RankedTokenShape, &str)) {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        for run in text.split(|c| !is_word(c)).filter(|run| !run.is_empty()) {
            self.run(run, each);
        }
    }

    fn run(&mut self, run: &str, each: &mut dyn FnMut(RankedTokenShape, &str)) {
        self.whole.clear();
        let mut parts = 0;
        let mut rest = run;
        while let Some(part) = next_part(&mut rest) {
            parts += 1;
            self.part.clear();
            push_lowercase(part, &mut self.part);
            if self.whole.len() <= WHOLE_MAX {
                self.whole.push_str(&self.part);
            }
            let digits = self.part.len() > DIGITS_MAX && self.part.bytes().all(|byte| byte.is_ascii_digit());
            if self.part.len() <= PART_MAX && !digits {
                stem_word(&mut self.part);
                each(RankedTokenShape::Part, &self.part);
            }
        }
        if parts > 1 && self.whole.len() <= WHOLE_MAX {
            each(RankedTokenShape::Whole, &self.whole);
        }
    }
}

/// A word of an identifier or of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The word in lower case.
    pub word: String,
    /// The word without its ending, in the index's form.
    pub stem: String,
}

/// Returns the words of a text in order, with identifiers split.
#[must_use]
pub fn terms_of(text: &str) -> Vec<Term> {
    let term = |part| {
        let mut word = String::new();
        push_lowercase(part, &mut word);
        let mut stem = word.clone();
        stem_term(&mut stem);
        Term { word, stem }
    };
    parts_of(text).map(term).collect()
}

/// Finds terms in texts without making a list of each text's words.
#[derive(Debug)]
pub struct TermFinder<'t> {
    terms: &'t [Term],
    /// True for each byte that the stem of a term begins with.
    first_bytes: [bool; 256],
    word: String,
}

impl<'t> TermFinder<'t> {
    /// Creates a finder of terms.
    #[must_use]
    pub fn new(terms: &'t [Term]) -> Self {
        let mut first_bytes = [false; 256];
        terms
            .iter()
            .filter_map(|term| term.stem.bytes().next())
            .for_each(|byte| first_bytes[byte as usize] = true);
        Self { terms, first_bytes, word: String::new() }
    }

    /// Returns which of the terms a text has, by their indexes: those whose stem is the stem of one of its words.
    pub fn terms_in(&mut self, text: &str) -> Vec<bool> {
        let mut found = vec![false; self.terms.len()];
        let mut missing = found.len();
        for part in parts_of(text) {
            if missing == 0 {
                break;
            }
            // A stem begins as its word does, and most words begin as no term.
            let first = part.as_bytes().first().copied().unwrap_or(0);
            if first.is_ascii() && !self.first_bytes[first.to_ascii_lowercase() as usize] {
                continue;
            }
            self.word.clear();
            push_lowercase(part, &mut self.word);
            stem_term(&mut self.word);
            for (found, _) in found.iter_mut().zip(self.terms).filter(|(_, term)| term.stem == self.word) {
                missing -= usize::from(!*found);
                *found = true;
            }
        }
        found
    }
}

/// Yields the parts of a text's words, as written.
fn parts_of(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(move |c| !is_word(c)).flat_map(|mut run| std::iter::from_fn(move || next_part(&mut run)))
}

/// Cuts the ending off a term.
fn stem_term(word: &mut String) {
    if word.len() <= PART_MAX {
        stem_word(word);
    }
}

fn push_lowercase(part: &str, into: &mut String) {
    if part.is_ascii() {
        into.extend(part.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
    } else {
        into.extend(part.chars().flat_map(char::to_lowercase));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenCharClass {
    Lower,
    Upper,
    Digit,
    /// A sign of a script without spaces.
    Sign,
    Border,
}

fn class_of(c: char) -> TokenCharClass {
    match c {
        'a'..='z' => TokenCharClass::Lower,
        'A'..='Z' => TokenCharClass::Upper,
        '0'..='9' => TokenCharClass::Digit,
        '_' => TokenCharClass::Border,
        '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3134f}' => TokenCharClass::Sign,
        c if c.is_numeric() => TokenCharClass::Digit,
        c if c.is_uppercase() => TokenCharClass::Upper,
        _ => TokenCharClass::Lower,
    }
}

/// Removes the next part from the front, and returns it.
fn next_part<'t>(rest: &mut &'t str) -> Option<&'t str> {
    let text = rest.trim_start_matches('_');
    let mut chars = text.char_indices().peekable();
    let (_, first) = chars.next()?;
    let mut last = class_of(first);
    let (mut end, mut capitals) = (text.len(), usize::from(last == TokenCharClass::Upper));
    while let Some((at, c)) = chars.next() {
        let now = class_of(c);
        let goes_on = match (last, now) {
            (TokenCharClass::Sign, _) | (_, TokenCharClass::Sign | TokenCharClass::Border) => false,
            (TokenCharClass::Upper, TokenCharClass::Upper) => {
                // The last capital before a small letter begins the next word: `HTTPServer`.
                let before_small =
                    chars.peek().is_some_and(|&(_, next)| class_of(next) == TokenCharClass::Lower);
                // A plural of an acronym stays whole: `URLs`.
                !before_small || is_plural(&text[at..])
            }
            (TokenCharClass::Upper, TokenCharClass::Lower) => capitals == 1 || is_plural_end(&text[at..]),
            (last, now) => last == now,
        };
        if !goes_on {
            end = at;
            break;
        }
        capitals += usize::from(now == TokenCharClass::Upper);
        last = now;
    }
    let (part, after) = text.split_at(end);
    *rest = after;
    Some(part)
}

/// Returns true if the text continues like the end of `URLs`: a capital, `s`, and no small letter.
fn is_plural(text: &str) -> bool {
    text.chars().next().is_some_and(|first| is_plural_end(&text[first.len_utf8()..]))
}

fn is_plural_end(text: &str) -> bool {
    text.strip_prefix('s')
        .is_some_and(|after| after.chars().next().is_none_or(|c| class_of(c) != TokenCharClass::Lower))
}

/// Cuts common English endings off a word in lower case. After M. F. Porter, "An algorithm for suffix
/// stripping" (1980), with the rules that matter for names in code: plurals, `-ing`, `-ed`, `-er`, `-ion`,
/// `-ify`, a silent `e`.
fn stem_word(word: &mut String) {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    strip_plural(word);
    for ending in ["ing", "ed", "er", "or"] {
        let Some(start) = word.strip_suffix(ending) else { continue };
        let least = if ending.len() == 2 && ending != "ed" { 4 } else { 3 };
        if start.len() >= least && start.bytes().any(is_vowel) {
            word.truncate(word.len() - ending.len());
            strip_double_end(word);
        }
        break;
    }
    if word.len() > 6 && (word.ends_with("tion") || word.ends_with("sion")) {
        word.truncate(word.len() - 3);
    }
    if word.len() > 4 && word.ends_with('e') {
        word.pop();
    } else if word.len() > 3 && word.ends_with('y') {
        // An example is `queries`, which lost its end.
        word.pop();
        word.push('i');
    }
    // `slugify` makes a slug; `notify` and `verify` are whole words.
    if word.len() > 6 && word.ends_with("ifi") {
        word.truncate(word.len() - 3);
    }
}

fn strip_plural(word: &mut String) {
    // `cookies` and `queries` get the ends of `cookie` and `query`.
    let two = ["sses", "xes", "ches", "shes", "ies"].iter().any(|end| word.ends_with(end));
    if two && word.len() > 4 {
        word.truncate(word.len() - 2);
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        word.pop();
    }
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

/// Removes a doubled last consonant: `runn` to `run`.
fn strip_double_end(word: &mut String) {
    let bytes = word.as_bytes();
    if let [.., a, b] = bytes
        && a == b
        && !matches!(b, b'l' | b's' | b'z')
        && !is_vowel(*b)
    {
        word.pop();
    }
}

/// Returns the tokens of a text.
pub(super) fn tokens(text: &str) -> Vec<(RankedTokenShape, String)> {
    let mut all = Vec::new();
    Splitter::default().split(text, &mut |shape, token| all.push((shape, token.to_owned())));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part_tokens(text: &str) -> Vec<String> {
        tokens(text)
            .into_iter()
            .filter(|(shape, _)| *shape == RankedTokenShape::Part)
            .map(|(_, token)| token)
            .collect()
    }

    fn whole_tokens(text: &str) -> Vec<String> {
        tokens(text)
            .into_iter()
            .filter(|(shape, _)| *shape == RankedTokenShape::Whole)
            .map(|(_, token)| token)
            .collect()
    }

    #[test]
    fn identifiers_come_apart_where_their_writers_put_borders() {
        for (text, expected) in [
            ("get_object_or_404", "get object or 404"),
            ("getObjectOr404", "get object or 404"),
            ("HTTPServer", "http serv"),
            ("parseURLs", "pars url"),
            ("URLsFor", "url for"),
            ("utf8Decode", "utf 8 decod"),
            ("__init__", "init"),
            ("XMLHttpRequest2", "xml http request 2"),
            ("A", "a"),
            ("ÜberGröße", "über größe"),
            ("日本 go", "日 本 go"),
            ("a.b->c", "a b c"),
        ] {
            assert_eq!(part_tokens(text).join(" "), expected, "{text}");
        }
        assert_eq!(whole_tokens("get_object_or_404 getObjectOr404"), ["getobjector404", "getobjector404"]);
        assert!(whole_tokens("plain _ __ 7").is_empty());
    }

    #[test]
    fn words_of_one_family_are_one_word() {
        for family in [
            "parse parses parsed parsing parser parsers",
            "sign signs signed signing",
            "cookie cookies",
            "run runs running",
            "validate validates validated validating",
            "query queries",
            "class classes",
            "migrate migration migrations",
            "process processes processing",
            "slug slugs slugify slugifies slugified",
        ] {
            let mut stems = part_tokens(family);
            stems.dedup();
            assert_eq!(stems.len(), 1, "{family}: {stems:?}");
        }
        assert_ne!(part_tokens("string"), part_tokens("str"));
        assert_ne!(part_tokens("user"), part_tokens("use"));
        assert_ne!(part_tokens("notify"), part_tokens("not"));
    }

    #[test]
    fn terms_are_found_by_their_stems() {
        let terms = terms_of("parser cookies größe Übung 404 日 absent");
        let mut finder = TermFinder::new(&terms);
        let text = "parsedCookie GRÖSSE_Größe übung get_404 parser; 日本";
        let listed: Vec<bool> =
            terms.iter().map(|term| terms_of(text).iter().any(|word| word.stem == term.stem)).collect();
        assert_eq!(finder.terms_in(text), listed);
        assert_eq!(listed, [true, true, true, true, true, true, false]);
        assert!(finder.terms_in("nothing").iter().all(|found| !found));
    }

    #[test]
    fn data_is_not_kept() {
        assert!(part_tokens(&"x".repeat(41)).is_empty() && part_tokens("1234567").is_empty());
        assert_eq!(tokens(&"ab_".repeat(50)).len(), 50, "and no whole");
    }
}
