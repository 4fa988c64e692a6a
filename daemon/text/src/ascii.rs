//! Builds a smaller form of a regex, for text that is ASCII.
//!
//! Most files of most trees are ASCII, and there `\w` is 63 characters, not 140,000. To compile it for all of
//! them takes milliseconds, often far more than the whole search; so a pattern with such classes gets a
//! second, small program, in which every class is cut to its ASCII part, and the large one is compiled only
//! for a text that is not ASCII. On ASCII both match the same, because the omitted characters do not occur.

use regex_syntax::hir::print::Printer;
use regex_syntax::hir::{Capture, Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition};

use crate::pattern::parse;

/// Number of ranges below which a class takes hardly any time to compile.
const CHEAP_CLASS: usize = 16;

/// Counts the ranges of characters in the large classes of a regex, each class as often as its repetitions
/// are written out.
pub(crate) fn count_large_ranges(hir: &Hir) -> usize {
    let sum = |parts: &[Hir]| parts.iter().map(count_large_ranges).fold(0, usize::saturating_add);
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) if class.ranges().len() > CHEAP_CLASS => class.ranges().len(),
        HirKind::Class(_) | HirKind::Empty | HirKind::Literal(_) | HirKind::Look(_) => 0,
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            let copies = max.unwrap_or(min.saturating_add(1)).max(1);
            count_large_ranges(sub).saturating_mul(usize::try_from(copies).unwrap_or(usize::MAX))
        }
        HirKind::Capture(capture) => count_large_ranges(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
    }
}

/// Returns a pattern that matches the same in ASCII text; `None` if a class has no ASCII character, or if the
/// pattern cannot be printed: the printer writes a repetition of a repetition as a lazy one.
pub(crate) fn ascii_pattern(hir: &Hir) -> Option<String> {
    let narrow = cut_to_ascii(hir)?;
    let mut pattern = String::new();
    Printer::new().print(&narrow, &mut pattern).ok()?;
    parse(&pattern).is_ok_and(|again| again == narrow).then_some(pattern)
}

/// Cuts every class to its ASCII part. The parser's nest limit bounds the recursion.
fn cut_to_ascii(hir: &Hir) -> Option<Hir> {
    let all = |parts: &[Hir]| parts.iter().map(cut_to_ascii).collect::<Option<Vec<Hir>>>();
    Some(match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => Hir::class(Class::Unicode(ascii_part(class)?)),
        HirKind::Repetition(Repetition { min, max, greedy, sub }) => {
            let sub = Box::new(cut_to_ascii(sub)?);
            Hir::repetition(Repetition { min: *min, max: *max, greedy: *greedy, sub })
        }
        HirKind::Capture(Capture { index, name, sub }) => {
            Hir::capture(Capture { index: *index, name: name.clone(), sub: Box::new(cut_to_ascii(sub)?) })
        }
        HirKind::Concat(parts) => Hir::concat(all(parts)?),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)?),
        HirKind::Class(Class::Bytes(_)) | HirKind::Empty | HirKind::Literal(_) | HirKind::Look(_) => {
            hir.clone()
        }
    })
}

fn ascii_part(class: &ClassUnicode) -> Option<ClassUnicode> {
    let mut part = class.clone();
    part.intersect(&ClassUnicode::new([ClassUnicodeRange::new('\0', '\x7F')]));
    (!part.ranges().is_empty()).then_some(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_valid(pattern: &str) -> Hir {
        parse(pattern).expect("a valid pattern")
    }

    #[test]
    fn classes_keep_their_ascii_part() {
        let narrow = |pattern| ascii_pattern(&parse_valid(pattern)).expect("every class has an ASCII part");
        assert_eq!(parse_valid(&narrow(r"^a\w+?\b")), parse_valid(r"^a[0-9A-Z_a-z]+?\b"));
        assert_eq!(parse_valid(&narrow(r"(?i:k)|\d{2,}$")), parse_valid(r"[kK]|[0-9]{2,}$"));
        for pattern in [r"copy_\w+", r"\w{30,}", r"\w+\s+=\s+\w+;", r"(?i)k|(\d+)*\.\W"] {
            assert!(ascii_pattern(&parse_valid(pattern)).is_some(), "{pattern}");
        }
        for pattern in [r"\w[à-ü]", r"(?:\w{2})?", r"(?:\w*)?"] {
            assert_eq!(ascii_pattern(&parse_valid(pattern)), None, "{pattern}");
        }
    }

    #[test]
    fn repetitions_count_as_often_as_they_are_written_out() {
        let one = count_large_ranges(&parse_valid(r"\w"));
        assert!(one > 500);
        assert_eq!(count_large_ranges(&parse_valid(r"(?:a\w){3}")), 3 * one);
        assert_eq!(count_large_ranges(&parse_valid(r"\w{30,}|[a-z]")), 31 * one);
        assert_eq!(count_large_ranges(&parse_valid(r"(?i)deadlock.*\s")), 0);
    }
}
