//! Splits a text into the words that a model knows: identifiers are split at their inner borders.
//!
//! The borders are those that ranked search knows (`_`, `camelCase`, `HTTPServer`, `utf8`), but no ending is
//! cut: models distinguish `parsing` and `parser`. All words are in lower case, because the case of a part of
//! an identifier depends on its place and not on its meaning.

/// Length of the longest word, in bytes: a longer one is encoded data.
const WORD_MAX: usize = 40;

/// Calls `each` with every word in order until it answers `false`.
pub fn each_word(text: &str, mut each: impl FnMut(&str) -> bool) {
    let mut lower = String::new();
    for run in text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
        let mut rest = run;
        while !rest.is_empty() {
            let (word, after) = rest.split_at(end_of_word(rest));
            rest = after;
            lower.clear();
            lower.extend(word.chars().flat_map(char::to_lowercase));
            if lower.len() <= WORD_MAX && !each(&lower) {
                return;
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LetterClass {
    Lower,
    Upper,
    Digit,
}

fn word_class(c: char) -> LetterClass {
    match c {
        c if c.is_numeric() => LetterClass::Digit,
        c if c.is_uppercase() => LetterClass::Upper,
        _ => LetterClass::Lower,
    }
}

/// Returns the length of the first word of a run, in bytes. The last capital before a small letter begins a
/// word (`HTTPServer`), but a plural of an acronym stays whole (`URLs`).
fn end_of_word(run: &str) -> usize {
    let mut chars = run.char_indices().peekable();
    let Some((_, first)) = chars.next() else { return 0 };
    let (mut last, mut capitals) = (word_class(first), usize::from(word_class(first) == LetterClass::Upper));
    while let Some((at, c)) = chars.next() {
        let now = word_class(c);
        let goes_on = match (last, now) {
            (LetterClass::Upper, LetterClass::Upper) => {
                let small = chars.peek().is_some_and(|&(_, next)| word_class(next) == LetterClass::Lower);
                !small || is_plural_end(&run[at + c.len_utf8()..])
            }
            (LetterClass::Upper, LetterClass::Lower) => capitals == 1 || is_plural_end(&run[at..]),
            (last, now) => last == now,
        };
        if !goes_on {
            return at;
        }
        capitals += usize::from(now == LetterClass::Upper);
        last = now;
    }
    run.len()
}

/// Returns true if a text begins with `s` and no small letter follows.
fn is_plural_end(text: &str) -> bool {
    text.strip_prefix('s')
        .is_some_and(|after| after.chars().next().is_none_or(|c| word_class(c) != LetterClass::Lower))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> String {
        let mut all = Vec::new();
        each_word(text, |word| {
            all.push(word.to_owned());
            true
        });
        all.join(" ")
    }

    #[test]
    fn identifiers_come_apart_where_their_writers_put_borders() {
        for (text, expected) in [
            ("get_object_or_404", "get object or 404"),
            ("getObjectOr404", "get object or 404"),
            ("HTTPServer", "http server"),
            ("parseURLs", "parse urls"),
            ("URLsFor", "urls for"),
            ("utf8Decode", "utf 8 decode"),
            ("__init__", "init"),
            ("ÜberGröße", "über größe"),
            ("Signs a cookie, twice.", "signs a cookie twice"),
            ("a.b->c", "a b c"),
            ("", ""),
            ("_-.", ""),
        ] {
            assert_eq!(split(text), expected, "{text}");
        }
        assert_eq!(split(&"x".repeat(41)), "");
    }

    #[test]
    fn whoever_has_enough_is_left_alone() {
        let mut seen = 0;
        each_word("one two three", |_| {
            seen += 1;
            seen < 2
        });
        assert_eq!(seen, 2);
    }
}
