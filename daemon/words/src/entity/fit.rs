//! Compares a name with the words of a subject.
//!
//! A fit is a class and a figure from 0 to 1. The figure is no probability: `calibrate` measures the share of
//! right answers for each figure. Words are compared whole, by their stems, by their beginnings and with one
//! edit between them, because people shorten and misspell; in that order, because each says less than the one
//! before.

use hob_text::ranked::{Term, terms_of};

use super::subject::{SubjectReading, is_code};

/// The figure of an equal name: there is room above it for further evidence.
pub const EXACT: f64 = 0.94;

/// Fewest letters of a word in which one edit counts as a misspelling.
const SLIP_FROM: usize = 5;

/// The classes of matches, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NameMatchClass {
    /// The name is equal.
    Exact,
    /// The name differs only in upper and lower case, or in how its words are joined.
    Spelt,
    /// The name differs by one edit.
    Slip,
    /// The name has all of the words.
    Words,
    /// The name has some of the words.
    Part,
    /// The text of the candidate has the words, and its name has not.
    Text,
}

impl NameMatchClass {
    /// Returns the words for the class in an answer.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Spelt => "spelt otherwise",
            Self::Slip => "one edit away",
            Self::Words => "all words",
            Self::Part => "some words",
            Self::Text => "words of its text",
        }
    }
}

/// The match of a candidate: a class and a figure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fit {
    /// The kind of match.
    pub class: NameMatchClass,
    /// The quality of the match, 0 to 1.
    pub value: f64,
    /// The highest confidence of an answer with this fit, 0 to 1. A project may have names like the subject
    /// whether or not it has the subject itself: `ValueError` is not its `_CoeffValueError`.
    pub most_sure: f64,
}

impl Fit {
    /// The fit of an equal name.
    pub const VERY_NAME: Self = Self { class: NameMatchClass::Exact, value: EXACT, most_sure: 1.0 };

    /// Creates a fit whose confidence is not limited.
    pub const fn of(class: NameMatchClass, value: f64) -> Self {
        Self { class, value, most_sure: 1.0 }
    }
}

/// The highest confidence of an answer whose name differs from the subject only in spelling or in its
/// container, and of one whose name only has words of it.
const MOST_SURE_OF_LIKE: f64 = 0.88;
const MOST_SURE_OF_WORDS: f64 = 0.84;

/// A candidate's name, taken apart for the comparison.
#[derive(Clone, Debug)]
pub struct NameForms<'n> {
    /// The candidate's own name, as the code writes it.
    pub name: &'n str,
    /// The words of the candidate's own name.
    pub terms: Vec<Term>,
    /// The words of its containers' names.
    pub outer: Vec<Term>,
    /// The words of its path.
    pub path: Vec<Term>,
}

/// Returns the fit of a name with a reading that is a name; `None` if the name does not match at all.
pub fn name_match(reading: &SubjectReading, named: &NameForms<'_>) -> Option<Fit> {
    let placed = placement_factor(reading, named);
    let own = match_own_name(reading, named);
    let joint = match_across_container(reading, named);
    let best = own.into_iter().map(|fit| Fit { value: fit.value * placed, ..fit }).chain(joint);
    let best = best.reduce(|a, b| if b.value > a.value { b } else { a })?;
    let most_sure = most_sure_of(best.class, reading, named);
    Some(Fit { value: best.value * reading.weight, most_sure, ..best })
}

fn most_sure_of(class: NameMatchClass, reading: &SubjectReading, named: &NameForms<'_>) -> f64 {
    // A single plain word is in every program: some constant or test has that name in other letters.
    let is_telling = (is_code(&reading.name) || reading.terms.len() > 1)
        && is_cased_as_type(&reading.name) == is_cased_as_type(named.name);
    let is_name = class == NameMatchClass::Exact || (class == NameMatchClass::Spelt && is_telling);
    match class {
        _ if is_name && (reading.container.is_empty() || is_in_container(reading, named)) => 1.0,
        NameMatchClass::Exact | NameMatchClass::Spelt | NameMatchClass::Slip => MOST_SURE_OF_LIKE,
        _ => MOST_SURE_OF_WORDS,
    }
}

/// Returns true if a name is written as a type, `BigInteger`: a constant `BIG_INTEGER` is another thing.
fn is_cased_as_type(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
}

/// Returns true if a name is in the container that the reading names: in a class whose name ends with it
/// (`request` names `FixtureRequest`), at the top of a module of that name, or below a folder of that name.
fn is_in_container(reading: &SubjectReading, named: &NameForms<'_>) -> bool {
    let last = reading.inside.rsplit(['.', ':', '#', '/', ' ']).next().unwrap_or(&reading.inside);
    let said = joined_words(&terms_of(last));
    let is_said = |terms: &[Term]| joined_words(terms) == said;
    let ends_so = |terms: &[Term]| (0..terms.len()).any(|from| is_said(&terms[from..]));
    let has = |terms: &[Term]| (1..=terms.len()).any(|end| ends_so(&terms[..end]));
    !said.is_empty() && if named.outer.is_empty() { has(&named.path) } else { ends_so(&named.outer) }
}

/// The factor for a candidate's place: 1 in the container that the words name, or if they name none; from 0.55 to 0.95 elsewhere.
fn placement_factor(reading: &SubjectReading, named: &NameForms<'_>) -> f64 {
    if reading.container.is_empty() {
        return 1.0;
    }
    let share = |places: &[&[Term]]| {
        let has = |said: &&Term| places.iter().copied().flatten().any(|term| likeness_of(said, term) >= SLIP);
        reading.container.iter().filter(has).count() as f64 / reading.container.len() as f64
    };
    // A name in that container is where the words say; a name below such a folder, or with the word in it,
    // may be.
    if !named.outer.is_empty() && is_in_container(reading, named) && share(&[&named.outer]) == 1.0 {
        1.0
    } else {
        0.55 + 0.40 * share(&[&named.outer, &named.path, &named.terms])
    }
}

/// Compares the candidate's own name, without its container.
fn match_own_name(reading: &SubjectReading, named: &NameForms<'_>) -> Option<Fit> {
    if reading.name == named.name {
        return Some(Fit::VERY_NAME);
    }
    if reading.name.eq_ignore_ascii_case(named.name) {
        return Some(Fit::of(NameMatchClass::Spelt, EXACT - 0.08));
    }
    let (said, has) = (joined_words(&reading.terms), joined_words(&named.terms));
    if said == has {
        return Some(Fit::of(NameMatchClass::Spelt, EXACT - 0.09));
    }
    // The written names are compared first: joined words can be one edit apart where the written names are
    // not.
    let as_written = is_slip(&reading.name.to_lowercase(), &named.name.to_lowercase());
    if as_written || is_slip(&said, &has) {
        // The shorter a name, the more names are one edit away.
        let value = EXACT - if said.len() >= 8 { 0.10 } else { 0.14 } - if as_written { 0.0 } else { 0.06 };
        return Some(Fit::of(NameMatchClass::Slip, value));
    }
    by_words(&reading.terms, &named.terms)
}

/// Returns the fit of words that name and container share: "FlagSet Parse" is `FlagSet.Parse`.
fn match_across_container(reading: &SubjectReading, named: &NameForms<'_>) -> Option<Fit> {
    if !reading.container.is_empty() || reading.terms.len() < 2 {
        return None;
    }
    let (mut in_name, mut in_around, mut told) = (0.0, 0.0, vec![false; named.terms.len()]);
    for said in &reading.terms {
        let best = named.terms.iter().enumerate().map(|(at, term)| (likeness_of(said, term), at));
        let (own, at) = best.fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a });
        let outer = named.outer.iter().map(|term| likeness_of(said, term)).fold(0.0, f64::max);
        let path = named.path.iter().map(|term| likeness_of(said, term)).fold(0.0, f64::max);
        let around = outer.max(0.95 * path);
        if own > 0.0 && own >= around {
            in_name += own;
            told[at] = true;
        } else {
            in_around += around;
        }
    }
    let said = (in_name + in_around) / reading.terms.len() as f64;
    let own = told.iter().filter(|told| **told).count() as f64 / named.terms.len().max(1) as f64;
    if in_name == 0.0 || in_around == 0.0 {
        return None;
    }
    let class = if said >= 0.999 && own >= 0.999 { NameMatchClass::Spelt } else { NameMatchClass::Words };
    let value =
        if class == NameMatchClass::Spelt { EXACT - 0.09 } else { (0.50 + 0.35 * own) * said.powi(2) };
    Some(Fit::of(class, value))
}

/// Compares the words alone, in any order.
fn by_words(said: &[Term], has: &[Term]) -> Option<Fit> {
    if said.is_empty() || has.is_empty() {
        return None;
    }
    let mut told = vec![0.0_f64; has.len()];
    let mut explained = 0.0;
    for word in said {
        let best = has.iter().enumerate().map(|(at, term)| (likeness_of(word, term), at));
        let (how, at) = best.fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a });
        explained += how;
        told[at] = told[at].max(how);
    }
    let share = explained / said.len() as f64;
    if share == 0.0 {
        return None;
    }
    let letters = |terms: &[Term]| terms.iter().map(|term| term.word.len()).sum::<usize>().max(1) as f64;
    let covered: f64 = told.iter().zip(has).map(|(how, term)| how * term.word.len() as f64).sum();
    let covered = (covered / letters(has)).min(1.0);
    let class = if share >= 0.8 { NameMatchClass::Words } else { NameMatchClass::Part };
    // All of the words, however many others the name has, are worth more than some of them.
    Some(Fit::of(class, (0.50 + 0.38 * covered) * share.powi(2)))
}

/// The likeness of words with different endings, of a shortened word, and of a misspelt word.
const STEM: f64 = 0.92;
const BEGINNING: f64 = 0.85;
const SLIP: f64 = 0.8;

/// Returns the likeness of two words, from 0 to 1.
pub fn likeness_of(said: &Term, has: &Term) -> f64 {
    if said.word == has.word {
        return 1.0;
    }
    if said.stem == has.stem {
        return STEM;
    }
    let is_beginning = said.word.len() >= 3 && has.word.starts_with(&said.word);
    if is_beginning {
        return BEGINNING;
    }
    let long = said.word.len() >= SLIP_FROM && has.word.len() >= SLIP_FROM;
    if long && is_one_edit(&said.word, &has.word) { SLIP } else { 0.0 }
}

/// Joins the words of a name without separators.
pub fn joined_words(terms: &[Term]) -> String {
    terms.iter().map(|term| term.word.as_str()).collect()
}

fn is_slip(said: &str, has: &str) -> bool {
    said.len() >= SLIP_FROM && has.len() >= SLIP_FROM && is_one_edit(said, has)
}

/// Returns true if the two words differ by one inserted, deleted or replaced letter, or by two exchanged ones
/// (Damerau 1964).
pub fn is_one_edit(a: &str, b: &str) -> bool {
    // A letter has at most four bytes.
    if a.len().abs_diff(b.len()) > 4 {
        return false;
    }
    let same = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).map(|(x, _)| x.len_utf8()).sum();
    let (a, b) = (&a[same..], &b[same..]);
    let (mut letters_a, mut letters_b) = (a.chars(), b.chars());
    let firsts = (letters_a.next(), letters_b.next());
    let (rest_a, rest_b) = (letters_a.as_str(), letters_b.as_str());
    match firsts {
        (None, None) => false,
        (Some(_), None) => rest_a.is_empty(),
        (None, Some(_)) => rest_b.is_empty(),
        (Some(x), Some(y)) => {
            let exchanged = rest_a.strip_prefix(y).zip(rest_b.strip_prefix(x));
            rest_a == b || a == rest_b || rest_a == rest_b || exchanged.is_some_and(|(a, b)| a == b)
        }
    }
}

#[cfg(test)]
mod tests {
    use hob_text::ranked::terms_of;

    use super::super::subject::Subject;
    use super::*;

    fn value(said: &str, name: &str, around: &str) -> f64 {
        let subject = Subject::parse(said, &[]).expect("there are words");
        let (outer, path) = around.split_once(' ').unwrap_or((around, ""));
        let named = NameForms { name, terms: terms_of(name), outer: terms_of(outer), path: terms_of(path) };
        let fits = subject.readings.iter().filter_map(|reading| name_match(reading, &named));
        fits.map(|fit| fit.value).fold(0.0, f64::max)
    }

    #[test]
    fn one_edit_is_one_letter_or_an_exchange() {
        for (a, b) in [
            ("parse", "prase"),
            ("parse", "pars"),
            ("parse", "pparse"),
            ("parse", "porse"),
            ("größe", "große"),
            ("a日", "日a"),
        ] {
            assert!(is_one_edit(a, b) && is_one_edit(b, a), "{a} {b}");
        }
        for (a, b) in [
            ("parse", "parse"),
            ("parse", "psare"),
            ("parse", "pa"),
            ("", "ab"),
            ("größe", "grösse"),
            ("abcd", "badc"),
        ] {
            assert!(!is_one_edit(a, b), "{a} {b}");
        }
        assert!(is_one_edit("", "a"));
    }

    #[test]
    fn what_is_nearer_counts_more() {
        let order = [
            value("make_response", "make_response", "Flask"),
            value("Make_Response", "make_response", "Flask"),
            value("make response", "make_response", "Flask"),
            value("Flask make response", "make_response", "Flask src flask app"),
            value("make_respnse", "make_response", "Flask"),
            value("response", "make_response", "Flask"),
            value("make resp", "make_response", "Flask"),
            value("response kafka", "make_response", "Flask"),
        ];
        assert!(order.is_sorted_by(|a, b| a >= b) && order[0] > order[1], "{order:?}");
        assert!(
            order[5] > 0.6 && order[6] > 0.6 && order[7] < 0.4,
            "all of the words, or one of two: {order:?}"
        );
        assert_eq!(value("kafka", "make_response", "Flask"), 0.0);
    }

    #[test]
    fn a_name_that_is_not_there_is_not_surely_another() {
        let most_sure = |said: &str, name: &str, around: &str| {
            let subject = Subject::parse(said, &[]).expect("there are words");
            let (outer, path) = around.split_once(' ').unwrap_or((around, ""));
            let named =
                NameForms { name, terms: terms_of(name), outer: terms_of(outer), path: terms_of(path) };
            name_match(&subject.readings[0], &named).map_or(0.0, |fit| fit.most_sure)
        };
        for (said, name, around) in [
            ("ValueError", "_CoeffValueError", " sympy/polys.py"),
            ("string", "STRING", "TokenType expression.py"),
            ("test_xfailx", "test_xfail", " testing/skipping.py"),
            ("json.loads", "loads", "TaggedJSONSerializer flask/json/tag.py"),
            ("BigInteger", "BIG_INTEGER", "TypeAdapters TypeAdapters.java"),
            ("sys.path", "path", "TestSysPathsSnapshot pytester.py"),
        ] {
            assert!(most_sure(said, name, around) < 0.9, "{said} {name}");
        }
        for (said, name, around) in [
            ("ValueError", "ValueError", " errors.py"),
            ("addUrlRule", "add_url_rule", "Flask app.py"),
            ("json.loads", "loads", " flask/json/__init__.py"),
            ("request.getfixturevalue", "getfixturevalue", "FixtureRequest fixtures.py"),
            ("monkeypatch.setattr", "setattr", "MonkeyPatch monkeypatch.py"),
        ] {
            assert_eq!(most_sure(said, name, around), 1.0, "{said} {name}");
        }
    }

    #[test]
    fn what_it_is_said_to_be_in_counts() {
        assert_eq!(value("Flask.run", "run", "Flask app"), EXACT);
        assert!(value("Flask.run", "run", "Blueprint flask") < EXACT);
        assert!(value("Flask.run", "run", "Blueprint") < 0.6);
        assert!(value("run of Flask", "run", "Flask") > value("run of Flask", "run", "Cli"));
    }
}
