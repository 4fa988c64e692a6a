//! Holds the kinds that the definitions of a name have, so that a search need not look at the definitions.
//!
//! Nobody counts how many there are of each kind: what loses a definition keeps its kind, and is unsure from then on.

use crate::facts::DefKind;

/// Some kinds of definitions, and whether there might be fewer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Kinds(u16);

/// Beside the kinds: one of these may have no definition any more.
const UNSURE: u16 = 1 << 15;

/// The share of the definitions of a name that a query wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Share {
    /// None of them is wanted.
    None,
    /// Some of it, or that cannot be told.
    Some,
    /// All of them are wanted.
    All,
}

impl Kinds {
    /// Those that pass a test.
    pub(crate) fn matching(test: impl Fn(DefKind) -> bool) -> Self {
        DefKind::ALL.into_iter().filter(|kind| test(*kind)).collect()
    }

    /// Takes in what a file has in place of what it had.
    pub(super) fn apply_change(&mut self, was: Self, is: Self) {
        self.0 |= is.0 | if was.0 & !is.0 == 0 { 0 } else { UNSURE };
    }

    /// Returns the share of the definitions that are of the wanted kinds.
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
