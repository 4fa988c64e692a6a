//! Derives from a parsed regex the conditions on its matches.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use super::GramQuery;
use super::strings::Strings;

/// Size of the largest character class that is spelled out.
const MAX_CLASS: usize = 16;
/// Most copies of a repeated part that are analysed.
const MAX_COPIES: u32 = 4;
/// Most conditions kept of a concatenation; to drop some only admits more files.
const MAX_CONDITIONS: usize = 128;

/// The conditions that hold for every match of a part of a regex.
#[derive(Clone, Debug)]
pub(super) struct RegexConditions {
    shape: RegexMatchShape,
    /// Conditions on the whole file, besides those that `shape` implies.
    conditions: Vec<GramQuery>,
}

#[derive(Clone, Debug)]
enum RegexMatchShape {
    /// A match is one of these strings.
    Exact(Strings),
    /// A match begins with one of `heads` and ends with one of `tails`; the two may overlap.
    Open { heads: Strings, tails: Strings },
}

/// Finds the conditions that hold for every match of `hir`. Recursion is bounded by the parser's nest limit.
pub(super) fn analyse_regex(hir: &Hir) -> RegexConditions {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => RegexConditions::empty(),
        HirKind::Literal(literal) => RegexConditions::from_exact(Strings::new([literal.0.to_vec()])),
        HirKind::Class(class) => {
            spelled_out(class).map_or_else(RegexConditions::without_knowledge, RegexConditions::from_exact)
        }
        HirKind::Repetition(repetition) => analyse_repetition(repetition),
        HirKind::Capture(capture) => analyse_regex(&capture.sub),
        HirKind::Concat(parts) => parts
            .iter()
            .map(analyse_regex)
            .fold(RegexConditions::empty(), |known, next| known.followed_by(next)),
        HirKind::Alternation(parts) => RegexConditions::either_of(parts.iter().map(analyse_regex).collect()),
    }
}

/// Returns the strings of a small class.
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

fn analyse_repetition(repetition: &Repetition) -> RegexConditions {
    let (min, max) = (repetition.min, repetition.max);
    if min == 0 {
        return match max {
            Some(0) => RegexConditions::empty(),
            Some(1) => {
                RegexConditions::either_of(vec![analyse_regex(&repetition.sub), RegexConditions::empty()])
            }
            _ => RegexConditions::without_knowledge(),
        };
    }
    let first = analyse_regex(&repetition.sub);
    // The other copies have the same conditions as the first.
    let copy = RegexConditions { shape: first.shape.clone(), conditions: Vec::new() };
    let copies = min.min(MAX_COPIES);
    let known = (1..copies).fold(first, |known, _| known.followed_by(copy.clone()));
    if max == Some(copies) { known } else { known.with_open_middle() }
}

impl RegexConditions {
    fn from_exact(strings: Strings) -> Self {
        let known = Self { shape: RegexMatchShape::Exact(strings), conditions: Vec::new() };
        known.with_limited_sets()
    }

    /// Returns the conditions of a part that matches only the empty string.
    fn empty() -> Self {
        Self { shape: RegexMatchShape::Exact(Strings::empty_string()), conditions: Vec::new() }
    }

    /// Returns the conditions of an unknown part.
    fn without_knowledge() -> Self {
        let shape = RegexMatchShape::Open { heads: Strings::empty_string(), tails: Strings::empty_string() };
        Self { shape, conditions: Vec::new() }
    }

    /// Returns the condition on a file that has a match.
    pub(super) fn query(mut self) -> GramQuery {
        match self.shape {
            RegexMatchShape::Exact(strings) => self.conditions.push(strings.query()),
            RegexMatchShape::Open { heads, tails } => self.conditions.extend([heads.query(), tails.query()]),
        }
        GramQuery::all_of(self.conditions)
    }

    /// Returns the conditions of a match of this part followed by a match of `next`.
    fn followed_by(mut self, next: Self) -> Self {
        next.conditions.into_iter().for_each(|condition| self.add_condition(condition));
        let shape = match (self.shape.clone(), next.shape) {
            (RegexMatchShape::Exact(a), RegexMatchShape::Exact(b)) => {
                RegexMatchShape::Exact(a.concatenate_each(&b))
            }
            (RegexMatchShape::Exact(a), RegexMatchShape::Open { heads, tails }) => {
                RegexMatchShape::Open { heads: a.concatenate_each(&heads), tails }
            }
            (RegexMatchShape::Open { heads, tails }, RegexMatchShape::Exact(b)) => {
                RegexMatchShape::Open { heads, tails: tails.concatenate_each(&b) }
            }
            (RegexMatchShape::Open { heads, tails: end }, RegexMatchShape::Open { heads: start, tails }) => {
                self.add_condition(end.concatenate_each(&start).query());
                RegexMatchShape::Open { heads, tails }
            }
        };
        Self { shape, ..self }.with_limited_sets()
    }

    /// Returns the conditions of a match of one of `branches`.
    fn either_of(branches: Vec<Self>) -> Self {
        if let Some(all) = branches.iter().map(Self::as_exact).collect::<Option<Vec<_>>>() {
            let strings = Strings::union_of(all.into_iter());
            if strings.is_small() {
                return Self::from_exact(strings);
            }
        }
        let heads =
            Strings::union_of(branches.iter().map(|branch| branch.shape.possible_heads())).into_heads();
        let tails =
            Strings::union_of(branches.iter().map(|branch| branch.shape.possible_tails())).into_tails();
        let condition = GramQuery::any_of(branches.into_iter().map(Self::query));
        let mut known = Self { shape: RegexMatchShape::Open { heads, tails }, conditions: Vec::new() };
        known.add_condition(condition);
        known
    }

    fn as_exact(&self) -> Option<&Strings> {
        match &self.shape {
            RegexMatchShape::Exact(strings) if self.conditions.is_empty() => Some(strings),
            _ => None,
        }
    }

    /// Returns the conditions of this part with any text between its beginning and its end.
    fn with_open_middle(self) -> Self {
        let shape = match self.shape {
            RegexMatchShape::Exact(strings) => {
                RegexMatchShape::Open { heads: strings.clone(), tails: strings }
            }
            open @ RegexMatchShape::Open { .. } => open,
        };
        Self { shape, ..self }
    }

    /// Turns sets that have grown too large into conditions, and keeps their ends.
    fn with_limited_sets(mut self) -> Self {
        self.shape = match self.shape.clone() {
            RegexMatchShape::Exact(strings) if strings.is_small() => RegexMatchShape::Exact(strings),
            RegexMatchShape::Exact(strings) => {
                self.add_condition(strings.query());
                RegexMatchShape::Open { heads: strings.clone().into_heads(), tails: strings.into_tails() }
            }
            RegexMatchShape::Open { heads, tails } => {
                for grown in [&heads, &tails] {
                    if !grown.is_small() {
                        self.add_condition(grown.query());
                    }
                }
                RegexMatchShape::Open { heads: heads.into_heads(), tails: tails.into_tails() }
            }
        };
        self
    }

    fn add_condition(&mut self, condition: GramQuery) {
        if condition != GramQuery::All && self.conditions.len() < MAX_CONDITIONS {
            self.conditions.push(condition);
        }
    }
}

impl RegexMatchShape {
    fn possible_heads(&self) -> &Strings {
        match self {
            Self::Exact(strings) | Self::Open { heads: strings, .. } => strings,
        }
    }

    fn possible_tails(&self) -> &Strings {
        match self {
            Self::Exact(strings) | Self::Open { tails: strings, .. } => strings,
        }
    }
}
