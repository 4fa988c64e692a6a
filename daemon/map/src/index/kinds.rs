//! Holds the kinds of a name's definitions, so that a search need not visit the definitions.
//!
//! There is no count for each kind: a name that loses a definition keeps its kind, and is unsure from then on.

use crate::facts::DefKind;

/// A set of kinds of definitions, and whether it may have kinds too many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Kinds(u16);

/// The bit that is set if one of the kinds may have no definition any more.
const UNSURE: u16 = 1 << 15;

/// The share of the definitions of a name that a query wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Share {
    /// None of them are wanted.
    None,
    /// Some of them may be wanted.
    Some,
    /// All of them are wanted.
    All,
}

impl Kinds {
    /// Returns the kinds for which `test` returns true.
    pub(crate) fn matching(test: impl Fn(DefKind) -> bool) -> Self {
        DefKind::ALL.into_iter().filter(|kind| test(*kind)).collect()
    }

    /// Replaces the kinds that a file had of a name by those that it has now.
    pub(super) fn apply_change(&mut self, was: Self, is: Self) {
        self.0 |= is.0 | if was.0 & !is.0 == 0 { 0 } else { UNSURE };
    }

    /// Returns the share of a name's definitions that are of the wanted kinds.
    pub(crate) fn share(self, wanted: Self) -> Share {
        match (self.0 & wanted.0 & !UNSURE, self.0 & !wanted.0) {
            (0, _) => Share::None,
            (_, 0) => Share::All,
            _ => Share::Some,
        }
    }
}

impl FromIterator<DefKind> for Kinds {
    fn from_iter<I: IntoIterator<Item = DefKind>>(kinds: I) -> Self {
        Self(kinds.into_iter().fold(0, |set, kind| set | 1 << kind as u16))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_makes_unsure() {
        let kinds = |list: &[DefKind]| list.iter().copied().collect::<Kinds>();
        let (function, class) = (kinds(&[DefKind::Function]), kinds(&[DefKind::Class]));
        let mut name = Kinds::default();
        name.apply_change(Kinds::default(), function);
        assert_eq!((name.share(function), name.share(class)), (Share::All, Share::None));
        name.apply_change(Kinds::default(), class);
        assert_eq!((name.share(function), name.share(class)), (Share::Some, Share::Some));
        assert_eq!(name.share(kinds(&[DefKind::Class, DefKind::Function])), Share::All);
        name.apply_change(class, Kinds::default());
        assert_eq!((name.share(function), name.share(class)), (Share::Some, Share::Some));
        assert_eq!(name.share(kinds(&[DefKind::Macro])), Share::None);
    }
}
