//! Takes the words of a user apart: the queried name, its container, and its expected kind.
//!
//! Words can be read in more than one way ("session file" is a name of two words, or a file with the name
//! session), so a subject is a list of readings, and a candidate counts by its best reading.

use hob_text::ranked::{Term, says_nothing, terms_of};

use super::kinds::kinds_of;

/// Most characters of a subject, which is a name or a phrase: a longer one is a text, and needs a search.
pub const LONGEST: usize = 500;

/// The factor for another name that the client gave.
const ALIAS: f64 = 0.97;
/// The factor for a reading that takes a word for a kind.
const TYPED: f64 = 1.0;

/// One way to read a subject.
#[derive(Clone, Debug)]
pub struct SubjectReading {
    /// The name as the user wrote it, without surrounding words.
    pub name: String,
    /// The words of the reading's name.
    pub terms: Vec<Term>,
    /// The container that the words name, as the user wrote it.
    pub inside: String,
    /// The words of the container.
    pub container: Vec<Term>,
    /// The kinds that the words allow; `None` if they name no kind.
    pub kinds: Option<&'static [&'static str]>,
    /// The factor of a fit with this reading.
    pub weight: f64,
}

/// A subject with all of its readings.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The user's words, without quotes.
    pub text: String,
    /// All ways to read it, the likeliest first.
    pub readings: Vec<SubjectReading>,
    /// The meaningful words, once each.
    pub content: Vec<Term>,
    /// True if the subject is a name and no description: one word, or a name of code with its kind or
    /// container.
    pub is_name: bool,
}

impl Subject {
    /// Parses the words of a user; `None` if they have no letter and no digit.
    pub fn parse(text: &str, aliases: &[String]) -> Option<Self> {
        let text = without_quotes(text);
        let content = content_words(text);
        if content.is_empty() {
            return None;
        }
        let mut readings = Vec::new();
        read(text, 1.0, &mut readings);
        for alias in aliases {
            read(without_quotes(alias), ALIAS, &mut readings);
        }
        let is_framed = |reading: &SubjectReading| reading.kinds.is_some() || !reading.inside.is_empty();
        let is_name = !text.contains(char::is_whitespace)
            || readings.iter().any(|reading| is_framed(reading) && is_code(&reading.name));
        Some(Self { text: text.to_owned(), readings, content, is_name })
    }

    /// Returns the names to look for: the name of every reading as the user wrote it, and joined as
    /// identifiers are.
    pub fn names_to_find(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let mut push = |name: String| {
            if name.len() > 1 && !names.contains(&name) {
                names.push(name);
            }
        };
        for reading in &self.readings {
            push(reading.name.clone());
            if !reading.inside.is_empty() && !reading.inside.contains(char::is_whitespace) {
                push(format!("{}.{}", reading.inside, reading.name));
            }
            // A path is searched as it is written.
            if reading.terms.len() > 1 && !reading.name.contains('/') {
                let words: Vec<&str> = reading.terms.iter().map(|term| term.word.as_str()).collect();
                push(words.join("_"));
                push(words.concat());
                push(words.join("-"));
            }
        }
        names
    }
}

/// Returns true if a name is one word, written as code and not as prose.
pub(super) fn is_code(name: &str) -> bool {
    let is_sign = |c: char| c == '_' || c.is_ascii_digit();
    !name.contains(char::is_whitespace)
        && (name.contains(is_sign) || name.chars().skip(1).any(char::is_uppercase))
}

/// Returns the meaningful words; all of them if none is.
fn content_words(text: &str) -> Vec<Term> {
    let all = terms_of(&text.replace("'s ", " ").replace("’s ", " "));
    let mut some: Vec<Term> = all.iter().filter(|term| !says_nothing(&term.word)).cloned().collect();
    if some.is_empty() {
        some = all;
    }
    let mut seen = std::collections::BTreeSet::new();
    some.retain(|term| seen.insert(term.stem.clone()));
    some
}

fn without_quotes(text: &str) -> &str {
    text.trim().trim_matches(|c: char| matches!(c, '"' | '`' | '\'' | '“' | '”')).trim()
}

/// Adds every reading of a text.
fn read(text: &str, weight: f64, readings: &mut Vec<SubjectReading>) {
    add(text, None, weight, readings);
    if let Some((rest, kinds)) = split_off_kind(text) {
        add(rest, Some(kinds), weight * TYPED, readings);
    }
}

/// Splits off a word for a kind before or behind the rest: "class Flask", "the session file".
fn split_off_kind(text: &str) -> Option<(&str, &'static [&'static str])> {
    let text = text.strip_prefix("the ").unwrap_or(text).trim();
    let (first, behind) = text.split_once(char::is_whitespace)?;
    if let Some(kinds) = kinds_of(first) {
        return Some((behind.trim(), kinds));
    }
    let (before, last) = text.rsplit_once(char::is_whitespace)?;
    Some((before.trim(), kinds_of(last)?))
}

fn add(text: &str, kinds: Option<&'static [&'static str]>, weight: f64, readings: &mut Vec<SubjectReading>) {
    let (name, inside) = split_off_container(text);
    let name = name.trim_end_matches("()").trim();
    let terms = content_in_order(name);
    if terms.is_empty() {
        return;
    }
    let container = content_in_order(&inside);
    readings.push(SubjectReading { name: name.to_owned(), terms, inside, container, kinds, weight });
}

/// Splits a text into the name and its container: `A.b`, `a::b`, "b of A", "b in A", "A's b".
fn split_off_container(text: &str) -> (&str, String) {
    for word in [" of ", " in ", " from ", " on "] {
        if let Some((name, container)) = text.rsplit_once(word) {
            // "turn a value into a response in the app" is no name in a container.
            let is_short = name.split_whitespace().count() <= 3 && container.split_whitespace().count() <= 4;
            if is_short && !name.trim().is_empty() {
                return (name.trim(), container.to_owned());
            }
        }
    }
    for mark in ["'s ", "’s "] {
        let Some((container, name)) = text.split_once(mark) else { continue };
        if container.split_whitespace().count() <= 3 && name.split_whitespace().count() <= 3 {
            return (name.trim(), container.to_owned());
        }
    }
    if text.contains(char::is_whitespace) || text.contains('/') {
        return (text, String::new());
    }
    for mark in ["::", "->", "#", "."] {
        // The ending of a file is no member.
        let Some((container, name)) = text.rsplit_once(mark) else { continue };
        if !container.is_empty() && !name.is_empty() {
            return (name, container.to_owned());
        }
    }
    (text, String::new())
}

/// Returns the meaningful words in order; all of them if none is.
fn content_in_order(text: &str) -> Vec<Term> {
    let all = terms_of(text);
    // In a word of code every part counts: `get_or_set`.
    if !text.contains(char::is_whitespace) {
        return all;
    }
    let some: Vec<Term> = all.iter().filter(|term| !is_article(&term.word)).cloned().collect();
    if some.is_empty() { all } else { some }
}

/// Returns true for a word that stands before names in prose and is part of no name.
fn is_article(word: &str) -> bool {
    matches!(word, "the" | "a" | "an" | "our" | "my" | "this" | "that" | "its")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings_of(text: &str) -> Vec<(String, String, bool)> {
        let subject = Subject::parse(text, &[]).expect("there are words");
        let words =
            |terms: &[Term]| terms.iter().map(|term| term.word.as_str()).collect::<Vec<_>>().join(" ");
        let each = |one: &SubjectReading| (words(&one.terms), words(&one.container), one.kinds.is_some());
        subject.readings.iter().map(each).collect()
    }

    #[test]
    fn names_are_told_from_what_they_are_in() {
        for (text, name, container) in [
            ("Flask.make_response", "make response", "flask"),
            ("std::fs::read", "read", "std fs"),
            ("wsgi_app of Flask", "wsgi app", "flask"),
            ("Flask's wsgi_app", "wsgi app", "flask"),
            ("`getObjectOr404()`", "get object or 404", ""),
            ("the session store", "session store", ""),
        ] {
            assert_eq!(readings_of(text)[0], (name.to_owned(), container.to_owned(), false), "{text}");
        }
    }

    #[test]
    fn a_word_for_a_kind_is_also_read_as_one() {
        assert_eq!(readings_of("class Flask").len(), 2);
        assert_eq!(readings_of("class Flask")[1], ("flask".to_owned(), String::new(), true));
        assert_eq!(readings_of("session file")[1].0, "session");
        assert_eq!(readings_of("file").len(), 1, "alone it is a name");
    }

    #[test]
    fn a_name_with_its_frame_is_a_name_and_a_phrase_is_none() {
        let is_name = |text: &str| Subject::parse(text, &[]).is_some_and(|subject| subject.is_name);
        for name in ["run", "struct sk_buff", "make_response of Flask", "class FlagSet"] {
            assert!(is_name(name), "{name}");
        }
        for phrase in ["session file", "session store", "where retries are decided", "end of the list"] {
            assert!(!is_name(phrase), "{phrase}");
        }
    }

    #[test]
    fn signs_alone_are_no_subject() {
        assert!(Subject::parse("?! ...", &[]).is_none());
        assert!(Subject::parse("", &[]).is_none());
        assert!(Subject::parse("the", &[]).is_some(), "better than nothing");
    }
}
