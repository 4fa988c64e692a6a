//! Translates Rust's regexes to Go's RE2, which Zoekt uses.
//!
//! The pattern is parsed as hob's own search parses it and printed from the parsed form, so that escapes,
//! flags and classes of Rust's syntax keep their meaning. If RE2 has no equivalent for a construct, the
//! printed pattern matches more:
//!
//! - `\b` of Unicode stays beside characters of ASCII words, where RE2's own matches whenever Rust's does,
//!   and is left out elsewhere, as `\B` is everywhere;
//! - a class of more than 64 ranges, such as `\w`, keeps its ASCII part exactly and takes every other character;
//! - a pattern in which letters match in both cases is sent without regard to case, because Zoekt drops the
//!   flag of a group from a plain text;
//! - a class of bytes with some beyond ASCII may become optional, because several bytes are one character;
//! - a repetition beyond the 1,000 that RE2 takes is without limit.
//!
//! No line holds a newline, so classes and `\s` are printed without it. Constructs that cannot be printed are
//! refused: the ends of the whole text, bytes that are no text, and a pattern that matches the empty text,
//! because it would fetch every line of the organisation.

use regex_syntax::hir::{Class, ClassBytes, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition};

/// Most ranges of a class that are printed one by one.
const MOST_RANGES: usize = 64;
/// Most repetitions that RE2 takes, nested ones multiplied.
const MOST_REPEATS: u32 = 1_000;
/// Longest query that is sent for one pattern, in bytes.
const LONGEST: usize = 16 * 1024;

/// A pattern in RE2's syntax.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Translation {
    /// The printed pattern. It matches every text that the original matches.
    pub re2: String,
    /// True if the pattern distinguishes upper and lower case.
    pub case_sensitive: bool,
    /// True if the pattern matches only texts that the original matches, so that its matches may be counted
    /// unseen.
    pub is_exact: bool,
}

/// The reason why hob cannot send a pattern to the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unsayable {
    /// The pattern is no regex; hob's own search reports the place of the mistake.
    #[error("it is not a regex")]
    Syntax,
    /// The pattern refers to the beginning or end of the whole text.
    #[error("Zoekt cannot search for `\\A`, `\\z` and CRLF line ends; use `^` and `$`")]
    TextEnds,
    /// The pattern has bytes that are no UTF-8.
    #[error("Zoekt cannot search for bytes that are no UTF-8")]
    Bytes,
    /// The pattern matches the empty text, and so every line.
    #[error("it matches every line, also an empty one")]
    EveryLine,
    /// The pattern is longer than a query should be.
    #[error("it is too long for a query to Zoekt")]
    Long,
}

/// Translates a pattern for a search in lines.
///
/// # Errors
/// [`Unsayable`].
pub fn translate_pattern(pattern: &str) -> Result<Translation, Unsayable> {
    let hir = parse_regex(pattern, true)?;
    if hir.properties().minimum_len().is_none_or(|len| len == 0) {
        return Err(Unsayable::EveryLine);
    }
    let mut printer = Printer::for_lines();
    printer.print(&hir, MOST_REPEATS)?;
    let translation = printer.finish()?;
    match parse_regex(&translation.re2, true)?.properties().minimum_len() {
        // Only optional classes of bytes remain.
        None | Some(0) => Err(Unsayable::EveryLine),
        Some(_) => Ok(translation),
    }
}

/// Translates a regex over whole paths, such as a compiled glob. The result matches at least the same paths.
///
/// # Errors
/// [`Unsayable`].
pub fn translate_path_regex(regex: &str) -> Result<Translation, Unsayable> {
    let hir = parse_regex(regex, false)?;
    let mut printer = Printer { is_of_paths: true, ..Printer::for_lines() };
    printer.print(&hir, MOST_REPEATS)?;
    printer.finish()
}

/// Escapes a text so that RE2 matches it literally.
#[must_use]
pub fn quoted_text(text: &str) -> String {
    let mut quoted = String::new();
    text.chars().for_each(|c| push_literal(&mut quoted, c));
    quoted
}

fn parse_regex(pattern: &str, multi_line: bool) -> Result<Hir, Unsayable> {
    let mut parser = regex_syntax::ParserBuilder::new().utf8(false).multi_line(multi_line).build();
    parser.parse(pattern).map_err(|_| Unsayable::Syntax)
}

/// The printed text so far, and the ways in which it is broader than the original.
struct Printer {
    out: String,
    is_exact: bool,
    /// True if letters that match in both cases were printed as one of them.
    is_folded: bool,
    /// True if letters were printed that match in one case only.
    is_sensitive: bool,
    is_of_paths: bool,
}

impl Printer {
    fn for_lines() -> Self {
        Self { out: String::new(), is_exact: true, is_folded: false, is_sensitive: false, is_of_paths: false }
    }

    fn finish(self) -> Result<Translation, Unsayable> {
        if self.out.len() > LONGEST {
            return Err(Unsayable::Long);
        }
        let is_exact = self.is_exact && !(self.is_folded && self.is_sensitive);
        Ok(Translation { re2: self.out, case_sensitive: !self.is_folded, is_exact })
    }

    /// Prints `hir`, which may be repeated `repeats` times altogether.
    fn print(&mut self, hir: &Hir, repeats: u32) -> Result<(), Unsayable> {
        if self.out.len() > LONGEST {
            return Err(Unsayable::Long);
        }
        match hir.kind() {
            HirKind::Empty => self.out.push_str("(?:)"),
            HirKind::Literal(literal) => self.print_text(&literal.0)?,
            HirKind::Class(Class::Bytes(bytes)) if has_bytes_beyond_ascii(bytes) => {
                self.is_exact = false;
                self.out.push_str("(?:");
                self.print_class(&Class::Bytes(bytes.clone()));
                self.out.push_str(")?");
            }
            HirKind::Class(class) => self.print_class(class),
            HirKind::Look(look) => self.print_look(*look, None)?,
            HirKind::Repetition(repetition) => self.print_repetition(repetition, repeats)?,
            HirKind::Capture(capture) => self.print_group(&capture.sub, repeats)?,
            HirKind::Concat(parts) => self.print_parts(parts, repeats)?,
            HirKind::Alternation(branches) => {
                self.out.push_str("(?:");
                for (at, branch) in branches.iter().enumerate() {
                    if at > 0 {
                        self.out.push('|');
                    }
                    self.print(branch, repeats)?;
                }
                self.out.push(')');
            }
        }
        Ok(())
    }

    fn print_group(&mut self, hir: &Hir, repeats: u32) -> Result<(), Unsayable> {
        self.out.push_str("(?:");
        self.print(hir, repeats)?;
        self.out.push(')');
        Ok(())
    }

    fn print_parts(&mut self, parts: &[Hir], repeats: u32) -> Result<(), Unsayable> {
        for (at, part) in parts.iter().enumerate() {
            match part.kind() {
                HirKind::Look(look) => {
                    let is_beside_word = parts.get(at + 1).is_some_and(begins_with_ascii_word)
                        || at.checked_sub(1).is_some_and(|before| ends_with_ascii_word(&parts[before]));
                    self.print_look(*look, Some(is_beside_word))?;
                }
                _ => self.print(part, repeats)?,
            }
        }
        Ok(())
    }

    fn print_text(&mut self, bytes: &[u8]) -> Result<(), Unsayable> {
        let text = std::str::from_utf8(bytes).map_err(|_| Unsayable::Bytes)?;
        for c in text.chars() {
            self.is_sensitive |= has_cases(c);
            push_literal(&mut self.out, c);
        }
        Ok(())
    }

    fn print_look(&mut self, look: Look, is_beside_word: Option<bool>) -> Result<(), Unsayable> {
        match look {
            Look::Start if self.is_of_paths => self.out.push('^'),
            Look::End if self.is_of_paths => self.out.push('$'),
            Look::StartLF => self.out.push_str("(?m:^)"),
            Look::EndLF => self.out.push_str("(?m:$)"),
            Look::WordAscii => self.out.push_str(r"\b"),
            Look::WordUnicode if is_beside_word == Some(true) => {
                self.is_exact = false;
                self.out.push_str(r"\b");
            }
            Look::Start | Look::End | Look::StartCRLF | Look::EndCRLF => return Err(Unsayable::TextEnds),
            // The printed pattern must match here wherever the original may.
            _ => {
                self.is_exact = false;
                self.out.push_str("(?:)");
            }
        }
        Ok(())
    }

    fn print_repetition(&mut self, repetition: &Repetition, repeats: u32) -> Result<(), Unsayable> {
        let Repetition { min, max, sub, greedy } = repetition;
        let counted = (*min).max(max.unwrap_or(0)).max(1);
        let is_counted = !matches!((min, max), (0 | 1, None) | (0, Some(1)));
        let fits = counted <= repeats;
        match sub.kind() {
            // Any number of bytes is any number of characters.
            HirKind::Class(class) if (*min, *max) == (0, None) => {
                self.out.push_str("(?:");
                self.print_class(class);
                self.out.push(')');
            }
            _ => self.print_group(sub, if is_counted && fits { repeats / counted } else { repeats })?,
        }
        match (min, max) {
            (0, None) => self.out.push('*'),
            (1, None) => self.out.push('+'),
            (0, Some(1)) => self.out.push('?'),
            _ if !fits => {
                self.is_exact = false;
                self.out.push(if *min == 0 { '*' } else { '+' });
            }
            (min, None) => self.out.push_str(&format!("{{{min},}}")),
            (min, Some(max)) if min == max => self.out.push_str(&format!("{{{min}}}")),
            (min, Some(max)) => self.out.push_str(&format!("{{{min},{max}}}")),
        }
        if !greedy {
            self.out.push('?');
        }
        Ok(())
    }

    fn print_class(&mut self, class: &Class) {
        let class = match class {
            Class::Unicode(class) => class.clone(),
            Class::Bytes(bytes) => self.class_of_bytes(bytes),
        };
        if !self.is_of_paths
            && let Some(letter) = folded_letter(&class)
        {
            self.is_folded = true;
            return push_literal(&mut self.out, letter);
        }
        let ranges = self.printed_ranges(&class);
        let has_letters = |range: &ClassUnicodeRange| has_cases(range.start()) || has_cases(range.end());
        self.is_sensitive |= ranges.iter().any(has_letters);
        self.out.push('[');
        for range in ranges {
            push_range(&mut self.out, range);
        }
        self.out.push(']');
    }

    /// Returns a class of bytes, with every character beyond ASCII if it has any byte there.
    fn class_of_bytes(&mut self, bytes: &ClassBytes) -> ClassUnicode {
        let ranges = bytes.ranges().iter();
        let has_others = has_bytes_beyond_ascii(bytes);
        let has_all_others =
            bytes.ranges().iter().any(|range| range.start() <= 0x80 && range.end() == u8::MAX);
        let ascii = ranges.filter(|range| range.start() <= 0x7F);
        let ascii =
            ascii.map(|range| ClassUnicodeRange::new(range.start().into(), range.end().min(0x7F).into()));
        let others = has_others.then(|| ClassUnicodeRange::new('\u{80}', char::MAX));
        self.is_exact &= has_all_others || !has_others;
        ClassUnicode::new(ascii.chain(others))
    }

    /// Returns the ranges of a class without the newline, which no line has; of a large class, the ASCII part
    /// and all other characters.
    fn printed_ranges(&mut self, class: &ClassUnicode) -> Vec<ClassUnicodeRange> {
        let mut class = class.clone();
        if !self.is_of_paths {
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
        }
        if class.ranges().len() > MOST_RANGES {
            self.is_exact = false;
            let others = ClassUnicode::new([ClassUnicodeRange::new('\u{80}', char::MAX)]);
            class.union(&others);
        }
        class.ranges().to_vec()
    }
}

fn has_bytes_beyond_ascii(bytes: &ClassBytes) -> bool {
    bytes.ranges().iter().any(|range| range.end() > 0x7F)
}

/// Returns the letter whose two cases make up the class, if it consists of one letter.
fn folded_letter(class: &ClassUnicode) -> Option<char> {
    let candidates = class.ranges().iter().map(|range| range.start());
    let ranges = class.ranges().len();
    let letter = candidates.filter(|c| c.is_lowercase()).min().filter(|_| (2..=4).contains(&ranges))?;
    let mut folded = ClassUnicode::new([ClassUnicodeRange::new(letter, letter)]);
    folded.try_case_fold_simple().ok()?;
    (folded == *class).then_some(letter)
}

fn has_cases(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase() || !c.is_ascii()
}

fn is_ascii_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns true if every text that `hir` matches begins with a character of an ASCII word.
fn begins_with_ascii_word(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.first().is_some_and(|byte| is_ascii_word((*byte).into())),
        HirKind::Concat(parts) => parts.first().is_some_and(begins_with_ascii_word),
        _ => is_of_ascii_word(hir, begins_with_ascii_word),
    }
}

/// Returns true if every text that `hir` matches ends with a character of an ASCII word.
fn ends_with_ascii_word(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.last().is_some_and(|byte| is_ascii_word((*byte).into())),
        HirKind::Concat(parts) => parts.last().is_some_and(ends_with_ascii_word),
        _ => is_of_ascii_word(hir, ends_with_ascii_word),
    }
}

/// Asks `side` about the parts of any construct but a text and a sequence.
fn is_of_ascii_word(hir: &Hir, side: fn(&Hir) -> bool) -> bool {
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => has_only_ascii_words(class),
        HirKind::Capture(capture) => side(&capture.sub),
        HirKind::Repetition(repetition) => repetition.min > 0 && side(&repetition.sub),
        HirKind::Alternation(branches) => branches.iter().all(side),
        _ => false,
    }
}

fn has_only_ascii_words(class: &ClassUnicode) -> bool {
    let of_words = [('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
    let within = |range: &ClassUnicodeRange| {
        of_words.iter().any(|(first, last)| (*first..=*last).contains(&range.start()) && range.end() <= *last)
    };
    !class.ranges().is_empty() && class.ranges().iter().all(within)
}

fn push_literal(out: &mut String, c: char) {
    if r"\.+*?()|[]{}^$".contains(c) {
        out.push('\\');
        out.push(c);
    } else if c.is_control() {
        out.push_str(&format!("\\x{{{:X}}}", c as u32));
    } else {
        out.push(c);
    }
}

fn push_range(out: &mut String, range: ClassUnicodeRange) {
    push_class_char(out, range.start());
    if range.start() != range.end() {
        out.push('-');
        push_class_char(out, range.end());
    }
}

fn push_class_char(out: &mut String, c: char) {
    if c.is_ascii_alphanumeric() || c == '_' {
        out.push(c);
    } else {
        out.push_str(&format!("\\x{{{:X}}}", c as u32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn re2(pattern: &str) -> String {
        let translation = translate_pattern(pattern).expect("it can be said");
        let marks = [(!translation.case_sensitive, " /i"), (!translation.is_exact, " +")];
        let marks: String = marks.iter().filter(|(holds, _)| *holds).map(|(_, mark)| *mark).collect();
        translation.re2 + &marks
    }

    #[test]
    fn what_both_say_alike_stays() {
        for same in ["charge_card", "größe", r"fn\(", "(?:ab|cd)e", "[a-f]x", r"a\.b"] {
            assert_eq!(re2(same), same);
        }
        assert_eq!(re2("^use x;$"), "(?m:^)use x;(?m:$)");
        assert_eq!(re2("(ab){2,3}c+?d*"), "(?:(?:ab)){2,3}(?:c)+?(?:d)*");
        assert_eq!(re2(r"(?-u:\b)x(?-u:\b)"), r"\bx\b");
    }

    #[test]
    fn rusts_own_syntax_is_printed_in_plain_words() {
        assert_eq!(
            re2(r"(?P<name>a)\x{62}(?x: c # a comment
            )"),
            "(?:a)bc"
        );
        assert_eq!(re2("[a-z&&[^aeiou]]x"), "[b-df-hj-np-tv-z]x");
        assert_eq!(re2(r"\u{e9}t"), "ét");
        assert_eq!(re2(r"a\tb"), "a\\x{9}b");
    }

    #[test]
    fn no_class_takes_a_newline() {
        assert_eq!(re2("a[^b]"), r"a[\x{0}-\x{9}\x{B}-ac-\x{10FFFF}]");
        assert_eq!(re2("a.b"), r"a[\x{0}-\x{9}\x{B}-\x{10FFFF}]b");
        assert!(!re2(r"a\s").contains(r"\x{9}-\x{D}"));
    }

    #[test]
    fn what_cannot_be_said_exactly_matches_more() {
        assert_eq!(re2(r"x\w"), r"x[0-9A-Z_a-z\x{80}-\x{10FFFF}] +");
        assert_eq!(re2(r"\bfoo\b"), r"\bfoo\b +");
        assert_eq!(re2(r"\béa\b"), r"(?:)éa\b +");
        assert_eq!(re2(r"foo\B"), "foo(?:) +");
        assert_eq!(re2(r"\b(?:get|set)x"), r"\b(?:get|set)x +");
        assert_eq!(re2("a{2000}"), "(?:a)+ +");
        assert_eq!(re2("(?:a{40}b){40}"), "(?:(?:a)+b){40} +");
    }

    #[test]
    fn bytes_of_one_character_may_be_left_out() {
        let other = r"[\x{0}-\x{9}\x{B}-\x{2B}\x{2D}-\x{10FFFF}]";
        assert_eq!(re2("(?-u)x[^,]{2}y"), format!("x(?:(?:{other})?){{2}}y +"));
        assert_eq!(re2("(?-u)x[^,]*y"), format!("x(?:{other})*y"));
    }

    #[test]
    fn letters_of_both_cases_are_asked_without_regard_to_case() {
        assert_eq!(re2("(?i)task_42"), "task_42 /i");
        assert_eq!(re2("(?i)ä"), "ä /i");
        assert_eq!(re2("(?i:get)Item"), "getItem /i +");
        assert_eq!(re2("[fF]oo"), "foo /i +");
    }

    #[test]
    fn what_cannot_be_said_at_all_is_refused() {
        for (pattern, why) in [
            (r"\Ause", Unsayable::TextEnds),
            (r"x\z", Unsayable::TextEnds),
            (r"(?R)x$", Unsayable::TextEnds),
            (r"(?-u)\xFF", Unsayable::Bytes),
            (r"(?-u)[^,]{2}", Unsayable::EveryLine),
            ("a*", Unsayable::EveryLine),
            ("^", Unsayable::EveryLine),
            ("(?=x)", Unsayable::Syntax),
            ("(", Unsayable::Syntax),
        ] {
            assert_eq!(translate_pattern(pattern), Err(why), "{pattern}");
        }
        assert_eq!(translate_pattern(&"x".repeat(20_000)), Err(Unsayable::Long));
    }

    #[test]
    fn globs_are_regexes_of_whole_paths() {
        let re2 = |regex: &str| translate_path_regex(regex).map(|path| (path.re2, path.is_exact));
        assert_eq!(
            re2(r"(?-u)^src/[^/]*\.rs$"),
            Ok((r"^src/(?:[\x{0}-\x{2E}0-\x{10FFFF}])*\.rs$".to_owned(), true))
        );
        assert_eq!(re2(r"(?-u)^\xc3\xa9$"), Ok(("^é$".to_owned(), true)));
    }

    #[test]
    fn a_text_is_quoted() {
        assert_eq!(quoted_text("a.b(c)\\[é]"), r"a\.b\(c\)\\\[é\]");
    }
}
