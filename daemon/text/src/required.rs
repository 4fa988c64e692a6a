//! Finds what every match of a regex contains: literals, and runs of bytes of one class.
//!
//! `struct .*ops = \{` has the literals `struct ` and `ops = {`; `\w{30,}` has a run of 30 bytes that word characters are
//! made of. Either leads to the lines that may match, and some lead there much sooner than the regex itself: see
//! [`crate::prefilter`], which chooses. The trigram query is another condition, on whole blocks.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

/// Most pieces of a regex that are looked at for runs.
const MOST_PIECES: usize = 256;
/// Most literals that are kept.
const MOST_LITERALS: usize = 64;
/// Length of the shortest literal that counts, in bytes: the index knows nothing of shorter ones.
const SHORTEST: usize = 3;

/// A set of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByteClass([u64; 4]);

impl ByteClass {
    fn of(bytes: impl IntoIterator<Item = u8>) -> Self {
        let mut class = Self::default();
        bytes.into_iter().for_each(|byte| class.insert(byte));
        class
    }

    fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte / 64)] |= 1 << (byte % 64);
    }

    fn remove(&mut self, byte: u8) {
        self.0[usize::from(byte / 64)] &= !(1 << (byte % 64));
    }

    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte / 64)] & 1 << (byte % 64) != 0
    }

    fn and_those_of(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    fn is_within(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).all(|(mine, theirs)| mine & !theirs == 0)
    }
}

/// A literal that every match contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequiredLiteral {
    pub(crate) bytes: Box<[u8]>,
    /// True if every match begins with it.
    pub(crate) is_prefix: bool,
}

/// A run of bytes that every match contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequiredRun {
    /// The bytes of which the run consists; a newline is never among them.
    pub(crate) class: ByteClass,
    /// Its least length in bytes.
    pub(crate) len: usize,
}

/// The literals and runs that every match of a regex contains.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequiredParts {
    /// The literals of three bytes or more, each once, in order.
    pub(crate) literals: Vec<RequiredLiteral>,
    /// The runs of classes, each as long as its neighbours extend it.
    pub(crate) runs: Vec<RequiredRun>,
    /// True if the regex is nothing but one literal.
    pub(crate) is_literal: bool,
    /// The run that the regex is, if it is nothing else.
    pub(crate) whole_run: Option<WholeRun>,
}

/// A regex that is a greedy repetition of one class, such as `[0-9a-f]{40}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WholeRun {
    pub(crate) class: ByteClass,
    /// Least and most characters of a match.
    pub(crate) min: usize,
    pub(crate) max: Option<usize>,
}

impl WholeRun {
    fn of_regex(hir: &Hir) -> Option<Self> {
        match hir.kind() {
            HirKind::Capture(capture) => Self::of_regex(&capture.sub),
            HirKind::Repetition(Repetition { min, max, greedy: true, sub })
                if *min > 0 && matches!(sub.kind(), HirKind::Class(_)) =>
            {
                let mut class = bytes_of(sub);
                class.remove(b'\n');
                let as_length = |times: u32| usize::try_from(times).unwrap_or(usize::MAX);
                Some(Self { class, min: as_length(*min), max: max.map(as_length) })
            }
            _ => None,
        }
    }

    /// Returns true if each character of the class is one byte in this text.
    pub(crate) fn is_of_bytes(&self, is_ascii_text: bool) -> bool {
        is_ascii_text || !(0x80..=u8::MAX).any(|byte| self.class.contains(byte))
    }

    /// Returns the number of matches in a longest run of `len` characters.
    pub(crate) fn matches_within(&self, len: usize) -> usize {
        match self.max {
            None => usize::from(len >= self.min),
            Some(max) => len / max + usize::from(len % max >= self.min),
        }
    }
}

/// A stretch of a match: it has these bytes alone, and at least `len` of them.
struct Piece<'h> {
    class: ByteClass,
    len: usize,
    /// The bytes of the stretch, if they are always the same.
    literal: Option<&'h [u8]>,
}

impl RequiredParts {
    /// Finds the parts of a regex that was parsed as bytes.
    pub(crate) fn of_regex(hir: &Hir) -> Self {
        let mut pieces = Vec::new();
        add_pieces(hir, &mut pieces);
        let mut literals: Vec<RequiredLiteral> = Vec::new();
        for (at, piece) in pieces.iter().enumerate() {
            let is_new = |bytes: &&[u8]| literals.iter().all(|known| *known.bytes != **bytes);
            let bytes = piece.literal.filter(|bytes| bytes.len() >= SHORTEST).filter(is_new);
            literals.extend(bytes.map(|bytes| RequiredLiteral { bytes: bytes.into(), is_prefix: at == 0 }));
            if literals.len() >= MOST_LITERALS {
                break;
            }
        }
        Self {
            literals,
            runs: runs_of(&pieces),
            whole_run: WholeRun::of_regex(hir),
            is_literal: matches!(&pieces[..], [Piece { literal: Some(_), .. }]),
        }
    }
}

/// Adds the stretches of which every match of a regex consists, in order.
fn add_pieces<'h>(hir: &'h Hir, pieces: &mut Vec<Piece<'h>>) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => {
            pieces.push(Piece { literal: Some(&literal.0), ..any_match(hir) });
        }
        HirKind::Class(_) | HirKind::Alternation(_) => pieces.push(any_match(hir)),
        HirKind::Capture(capture) => add_pieces(&capture.sub, pieces),
        HirKind::Concat(parts) => parts.iter().for_each(|part| add_pieces(part, pieces)),
        HirKind::Repetition(Repetition { min: 0, sub, .. }) => {
            pieces.push(Piece { len: 0, ..any_match(sub) });
        }
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            add_pieces(sub, pieces);
            if *max != Some(1) {
                let others = any_match(sub);
                let times = usize::try_from(*min - 1).unwrap_or(usize::MAX);
                pieces.push(Piece { len: others.len.saturating_mul(times), ..others });
            }
        }
    }
}

/// Returns a whole match of a regex as one piece.
fn any_match<'h>(hir: &Hir) -> Piece<'h> {
    Piece { class: bytes_of(hir), len: hir.properties().minimum_len().unwrap_or(0), literal: None }
}

/// Returns the bytes that matches of a regex may have.
fn bytes_of(hir: &Hir) -> ByteClass {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => ByteClass::default(),
        HirKind::Literal(literal) => ByteClass::of(literal.0.iter().copied()),
        HirKind::Class(Class::Bytes(class)) => {
            ByteClass::of(class.ranges().iter().flat_map(|range| range.start()..=range.end()))
        }
        HirKind::Class(Class::Unicode(class)) => {
            let ascii = class.ranges().iter().map_while(|range| {
                let start = u8::try_from(range.start()).ok().filter(u8::is_ascii)?;
                Some(start..=u8::try_from(range.end()).ok().filter(u8::is_ascii).unwrap_or(0x7F))
            });
            // Any other byte may be in the encoding of some other character. Ranges are in order.
            let has_others = class.ranges().last().is_some_and(|last| !last.end().is_ascii());
            let others = has_others.then_some(0x80..=0xFF);
            ByteClass::of(ascii.flatten().chain(others.into_iter().flatten()))
        }
        HirKind::Repetition(Repetition { sub, .. }) => bytes_of(sub),
        HirKind::Capture(capture) => bytes_of(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(bytes_of).fold(ByteClass::default(), ByteClass::and_those_of)
        }
    }
}

/// Returns the runs of which a class is the longest class.
fn runs_of(pieces: &[Piece<'_>]) -> Vec<RequiredRun> {
    if pieces.len() > MOST_PIECES {
        return Vec::new();
    }
    let mut runs: Vec<RequiredRun> = Vec::new();
    for (at, base) in pieces.iter().enumerate().filter(|(_, piece)| piece.literal.is_none() && piece.len > 0)
    {
        let mut class = base.class;
        class.remove(b'\n');
        let before = length_within(pieces[..at].iter().rev(), &class, |literal| {
            literal.iter().rev().take_while(|byte| class.contains(**byte)).count()
        });
        let after = length_within(pieces[at + 1..].iter(), &class, |literal| {
            literal.iter().take_while(|byte| class.contains(**byte)).count()
        });
        let run = RequiredRun { class, len: base.len.saturating_add(before).saturating_add(after) };
        if !runs.contains(&run) {
            runs.push(run);
        }
    }
    runs
}

/// Returns the least number of bytes that the pieces beside a run add to it. `bytes_within` counts those at the near end
/// of a literal.
fn length_within<'p>(
    beside: impl Iterator<Item = &'p Piece<'p>>,
    class: &ByteClass,
    bytes_within: impl Fn(&[u8]) -> usize,
) -> usize {
    let mut len = 0usize;
    for piece in beside {
        let mut bytes = piece.class;
        bytes.remove(b'\n');
        if bytes.is_within(class) {
            len = len.saturating_add(piece.len);
        } else {
            return len.saturating_add(piece.literal.map_or(0, bytes_within));
        }
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::parse;

    fn parts(pattern: &str) -> RequiredParts {
        RequiredParts::of_regex(&parse(pattern).expect("a valid pattern"))
    }

    #[track_caller]
    fn check_literals(pattern: &str, expected: &[(&str, bool)]) {
        let found: Vec<(String, bool)> = parts(pattern)
            .literals
            .iter()
            .map(|literal| (String::from_utf8_lossy(&literal.bytes).into_owned(), literal.is_prefix))
            .collect();
        let expected: Vec<(String, bool)> =
            expected.iter().map(|(text, prefix)| ((*text).to_owned(), *prefix)).collect();
        assert_eq!(found, expected, "{pattern}");
    }

    #[test]
    fn literals_are_those_of_every_match() {
        check_literals(r"struct .*ops = \{", &[("struct ", true), ("ops = {", false)]);
        check_literals(r"\bEIO\b", &[("EIO", true)]);
        check_literals(r"(?:abc)?def(?:ghi)+", &[("def", false), ("ghi", false)]);
        check_literals(r"x(foo|bar)(baz)y", &[("baz", false)]);
        check_literals(r"\w+(longer)\w", &[("longer", false)]);
        check_literals(r"(?i)deadlock|ab", &[]);
    }

    /// Checks the length of the longest run of which the bytes are all of `sample`.
    #[track_caller]
    fn check_run(pattern: &str, sample: &str, expected: usize) {
        let of_sample = ByteClass::of(sample.bytes());
        let runs = parts(pattern).runs;
        let longest = runs.iter().filter(|run| of_sample.is_within(&run.class)).map(|run| run.len).max();
        assert_eq!(longest.unwrap_or(0), expected, "{pattern}: {runs:?}");
    }

    #[test]
    fn runs_extend_to_neighbours_of_the_same_class() {
        check_run(r"\w{30,}", "aZ_9", 30);
        check_run(r"0x[0-9a-f]{8}\b", "0f", 8);
        check_run(r"ab[a-f]{4}[0-9]*cd", "af", 6);
        check_run(r"ab[a-f]{4}c*cd", "af", 8);
        check_run(r"ab[a-f]{4}[a-g]cd", "af", 9);
        check_run(r"^\s{40,}\S", "\t ", 40);
        check_run(r"(?:[0-9]{3}|[0-9]{5})[0-9]", "09", 4);
        check_run(r"-{20,}", "-", 20);
        check_run(r"(?:ab){4}", "ab", 8);
        check_run(r".{120,}", "xyz", 120);
        check_run(r"[à-ü]{4}", "\u{e0}", 8);
        check_run(r"x*", "x", 0);
    }

    #[test]
    fn no_run_has_a_newline() {
        assert!(parts(r"\s{40}|[^a]{9}").runs.iter().all(|run| !run.class.contains(b'\n')));
    }
}
