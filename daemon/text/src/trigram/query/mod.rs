//! Computes the condition that a file's trigrams must satisfy for a regex to match in it.
//!
//! The method is that of Russ Cox, "Regular Expression Matching with a Trigram Index" (2012,
//! <https://swtch.com/~rsc/regexp/regexp4.html>), on bytes instead of characters: `analyse` walks the parsed
//! regex and keeps, for each part, the small set of strings that it can be or must begin and end with
//! (`strings`), and turns sets that grow too large into trigram conditions. In doubt, every step admits a
//! file.

mod analyse;
mod strings;

use regex_syntax::hir::Hir;

use super::grams::Gram;

/// A condition on the set of a file's trigrams.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GramQuery {
    /// Every file may match: the pattern gives no condition.
    All,
    /// No file can match.
    None,
    /// The file must have this trigram.
    Gram(Gram),
    /// The file must satisfy all of these.
    And(Vec<GramQuery>),
    /// The file must satisfy one of these.
    Or(Vec<GramQuery>),
}

impl GramQuery {
    /// Returns the condition for a regex, which must have been parsed as bytes (`utf8(false)`) and be used
    /// line by line: a match that needs a `\n` counts as impossible.
    #[must_use]
    pub fn from_regex(hir: &Hir) -> Self {
        analyse::analyse_regex(hir).query()
    }

    /// Returns the condition that a plain string occurs within a line.
    #[must_use]
    pub fn from_literal(text: &[u8]) -> Self {
        Self::all_of(Gram::grams_of(text).map(Self::Gram))
    }

    /// Returns true if a set of trigrams, given as a membership test, satisfies the condition.
    pub fn admits(&self, has: &impl Fn(Gram) -> bool) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            Self::Gram(gram) => has(*gram),
            Self::And(all) => all.iter().all(|query| query.admits(has)),
            Self::Or(any) => any.iter().any(|query| query.admits(has)),
        }
    }

    /// Returns the condition that all of `queries` hold, simplified.
    fn all_of(queries: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Vec::new();
        for query in queries {
            match query {
                Self::All => {}
                Self::None => return Self::None,
                Self::And(inner) => all.extend(inner),
                other => all.push(other),
            }
        }
        Self::unless_single(all, Self::All, Self::And)
    }

    /// Returns the condition that one of `queries` holds, simplified.
    fn any_of(queries: impl IntoIterator<Item = Self>) -> Self {
        let mut any = Vec::new();
        for query in queries {
            match query {
                Self::None => {}
                Self::All => return Self::All,
                Self::Or(inner) => any.extend(inner),
                other => any.push(other),
            }
        }
        Self::unless_single(any, Self::None, Self::Or)
    }

    fn unless_single(mut queries: Vec<Self>, empty: Self, join: fn(Vec<Self>) -> Self) -> Self {
        queries.sort_unstable();
        queries.dedup();
        match queries.len() {
            0 => empty,
            1 => queries.swap_remove(0),
            _ => join(queries),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats the query readably: `&` before `|`, trigrams as escaped ASCII.
    fn readable_form(query: &GramQuery) -> String {
        let joined = |queries: &[GramQuery], by: &str| {
            let parts: Vec<String> = queries
                .iter()
                .map(|query| match query {
                    GramQuery::Or(_) => format!("({})", readable_form(query)),
                    _ => readable_form(query),
                })
                .collect();
            parts.join(by)
        };
        match query {
            GramQuery::All => "all".to_owned(),
            GramQuery::None => "none".to_owned(),
            GramQuery::Gram(gram) => gram.number().to_be_bytes()[1..].escape_ascii().to_string(),
            GramQuery::And(all) => joined(all, " "),
            GramQuery::Or(any) => joined(any, "|"),
        }
    }

    #[track_caller]
    fn check_query(pattern: &str, expected: &str) {
        let parser = regex_syntax::ParserBuilder::new().utf8(false).multi_line(true).build();
        let hir = { parser }.parse(pattern).expect("a valid pattern");
        assert_eq!(readable_form(&GramQuery::from_regex(&hir)), expected, "{pattern}");
    }

    #[test]
    fn literals_need_all_their_trigrams() {
        check_query("hello", "ell hel llo");
        check_query("ab", "all");
        check_query("", "all");
        check_query("é!", r"\xc3\xa9!");
    }

    #[test]
    fn parts_join_across_their_border() {
        check_query("a(b)c", "abc");
        check_query("ab+c", "all");
        check_query("abc+def", "abc cde def");
    }

    #[test]
    fn alternatives_are_or() {
        check_query("abc|xyz", "abc|xyz");
        check_query("(?:abc|xyz)d", "abc bcd|xyz yzd");
        check_query("abc|", "all");
        check_query("abc|.*", "all");
    }

    #[test]
    fn anchors_and_boundaries_take_no_room() {
        check_query(r"^abc\b", "abc");
        check_query(r"ab\bcd$", "abc bcd");
    }

    #[test]
    fn small_classes_expand_and_large_ones_do_not() {
        check_query("ab[cd]", "abc|abd");
        check_query("abc[a-z]def", "abc def");
        check_query(r"\w+", "all");
        check_query("[^a]bcd", "bcd");
    }

    #[test]
    fn case_folding_includes_unicode() {
        check_query("(?i)ab1", "AB1|Ab1|aB1|ab1");
        check_query("(?i)k12", r"K12|k12|\x84\xaa1 \xaa12 \xe2\x84\xaa");
    }

    #[test]
    fn repetitions_count_what_is_certain() {
        check_query("(?:abc){2}", "abc bca cab");
        check_query("x(?:abc)*y", "all");
        check_query("(?:abcd)?", "all");
        check_query("(?:abcd)+", "abc bcd");
        check_query("a{3,}", "aaa");
    }

    #[test]
    fn what_needs_a_newline_cannot_match() {
        check_query("abc[\n]", "none");
        check_query("ab[c\n]", "abc");
    }
}
