//! From a parsed regex to what is known about its matches.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use super::GramQuery;
use super::strings::Strings;

/// Largest character class that is spelled out.
const MAX_CLASS: usize = 16;
/// Copies of a repeated part that are looked at.
const MAX_COPIES: u32 = 4;
/// Most conditions kept of a concatenation; leaving some out only admits more files.
const MAX_CONDITIONS: usize = 128;

/// The conditions that hold for every match of a part of a regex.
#[derive(Clone, Debug)]
pub(super) struct Known {
    shape: Shape,
    /// Conditions on the whole file, besides those that `shape` implies.
    conditions: Vec<GramQuery>,
}

#[derive(Clone, Debug)]
enum Shape {
    /// A match is one of these strings.
    Exact(Strings),
    /// A match begins with one of `heads` and ends with one of `tails`; the two may overlap.
    Open { heads: Strings, tails: Strings },
}

/// Finds the conditions that hold for every match of `hir`. Recursion is bounded by the parser's nest limit.
pub(super) fn analyse(hir: &Hir) -> Known {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Known::empty(),
        HirKind::Literal(literal) => Known::exact(Strings::new([literal.0.to_vec()])),
        HirKind::Class(class) => spelled_out(class).map_or_else(Known::anything, Known::exact),
        HirKind::Repetition(repetition) => repeated(repetition),
        HirKind::Capture(capture) => analyse(&capture.sub),
        HirKind::Concat(parts) => {
            parts.iter().map(analyse).fold(Known::empty(), |known, next| known.then(next))
        }
        HirKind::Alternation(parts) => Known::either(parts.iter().map(analyse).collect()),
    }
}

/// The strings of a small class.
fn spelled_out(class: &Class) -> Option<Strings> {
    let small = |len: usize| len <= MAX_CLASS;
    match class {
        Class::Unicode(class) => {
            let chars = || class.iter().flat_map(|range| range.start()..=range.end());
            let len = class.iter().map(regex_syntax::hir::ClassUnicodeRange::len).sum();
            small(len).then(|| Strings::new(chars().map(|c| c.to_string().into_bytes())))
        }
        Class::Bytes(class) => {
            let bytes = || class.iter().flat_map(|range| range.start()..=range.end());
            let len = class.iter().map(regex_syntax::hir::ClassBytesRange::len).sum();
            small(len).then(|| Strings::new(bytes().map(|byte| vec![byte])))
        }
    }
}

fn repeated(repetition: &Repetition) -> Known {
    let (min, max) = (repetition.min, repetition.max);
    if min == 0 {
        return match max {
            Some(0) => Known::empty(),
            Some(1) => Known::either(vec![analyse(&repetition.sub), Known::empty()]),
            _ => Known::anything(),
        };
    }
    let first = analyse(&repetition.sub);
    // The copies' own conditions are the first one's.
    let copy = Known { shape: first.shape.clone(), conditions: Vec::new() };
    let copies = min.min(MAX_COPIES);
    let known = (1..copies).fold(first, |known, _| known.then(copy.clone()));
    if max == Some(copies) { known } else { known.opened() }
}

impl Known {
    fn exact(strings: Strings) -> Self {
        let known = Self { shape: Shape::Exact(strings), conditions: Vec::new() };
        known.kept_small()
    }

    /// Matches of what takes no room.
    fn empty() -> Self {
        Self { shape: Shape::Exact(Strings::empty_string()), conditions: Vec::new() }
    }

    /// Returns the conditions of a part of which nothing is known.
    fn anything() -> Self {
        let shape = Shape::Open { heads: Strings::empty_string(), tails: Strings::empty_string() };
        Self { shape, conditions: Vec::new() }
    }

    /// The condition on a file that has a match.
    pub(super) fn query(mut self) -> GramQuery {
        match self.shape {
            Shape::Exact(strings) => self.conditions.push(strings.query()),
            Shape::Open { heads, tails } => self.conditions.extend([heads.query(), tails.query()]),
        }
        GramQuery::and(self.conditions)
    }

    /// A match of this followed by a match of `next`.
    fn then(mut self, next: Self) -> Self {
        next.conditions.into_iter().for_each(|condition| self.require(condition));
        let shape = match (self.shape.clone(), next.shape) {
            (Shape::Exact(a), Shape::Exact(b)) => Shape::Exact(a.cross(&b)),
            (Shape::Exact(a), Shape::Open { heads, tails }) => Shape::Open { heads: a.cross(&heads), tails },
            (Shape::Open { heads, tails }, Shape::Exact(b)) => Shape::Open { heads, tails: tails.cross(&b) },
            (Shape::Open { heads, tails: end }, Shape::Open { heads: start, tails }) => {
                self.require(end.cross(&start).query());
                Shape::Open { heads, tails }
            }
        };
        Self { shape, ..self }.kept_small()
    }

    /// A match of one of `branches`.
    fn either(branches: Vec<Self>) -> Self {
        if let Some(all) = branches.iter().map(Self::as_exact).collect::<Option<Vec<_>>>() {
            let strings = Strings::union(all.into_iter());
            if strings.is_small() {
                return Self::exact(strings);
            }
        }
        let heads = Strings::union(branches.iter().map(|branch| branch.shape.heads())).into_heads();
        let tails = Strings::union(branches.iter().map(|branch| branch.shape.tails())).into_tails();
        let condition = GramQuery::or(branches.into_iter().map(Self::query));
        let mut known = Self { shape: Shape::Open { heads, tails }, conditions: Vec::new() };
        known.require(condition);
        known
    }

    fn as_exact(&self) -> Option<&Strings> {
        match &self.shape {
            Shape::Exact(strings) if self.conditions.is_empty() => Some(strings),
            _ => None,
        }
    }

    /// This with anything between its beginning and its end.
    fn opened(self) -> Self {
        let shape = match self.shape {
            Shape::Exact(strings) => Shape::Open { heads: strings.clone(), tails: strings },
            open @ Shape::Open { .. } => open,
        };
        Self { shape, ..self }
    }

    /// Turns sets that have grown too large into conditions and keeps their ends.
    fn kept_small(mut self) -> Self {
        self.shape = match self.shape.clone() {
            Shape::Exact(strings) if strings.is_small() => Shape::Exact(strings),
            Shape::Exact(strings) => {
                self.require(strings.query());
                Shape::Open { heads: strings.clone().into_heads(), tails: strings.into_tails() }
            }
            Shape::Open { heads, tails } => {
                for grown in [&heads, &tails] {
                    if !grown.is_small() {
                        self.require(grown.query());
                    }
                }
                Shape::Open { heads: heads.into_heads(), tails: tails.into_tails() }
            }
        };
        self
    }

    fn require(&mut self, condition: GramQuery) {
        if condition != GramQuery::All && self.conditions.len() < MAX_CONDITIONS {
            self.conditions.push(condition);
        }
    }
}

impl Shape {
    fn heads(&self) -> &Strings {
        match self {
            Self::Exact(strings) | Self::Open { heads: strings, .. } => strings,
        }
    }

    fn tails(&self) -> &Strings {
        match self {
            Self::Exact(strings) | Self::Open { tails: strings, .. } => strings,
        }
    }
}
