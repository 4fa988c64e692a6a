//! Describes the arguments of calls as far as they distinguish overloads: their number, and the kind of each.
//!
//! The facts of one call take 16 bytes, so that a file with many calls stays small. Only languages with overloads
//! record them, and only for calls of a name. They do not tell the type of an argument beyond these kinds.

/// The kind of an argument's value, as its text shows it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum ArgumentKind {
    /// The text does not show it.
    Unknown,
    /// An integer of the usual size, or a smaller one.
    Int,
    /// An integer of twice that size.
    Long,
    /// A floating-point number of the smaller size.
    Float,
    /// A floating-point number of the larger size.
    Double,
    /// One character.
    Char,
    /// A truth value.
    Bool,
    /// A string.
    Text,
    /// The null reference.
    Null,
    /// A lambda, an anonymous function, or a reference to a method.
    Function,
    /// An array.
    Array,
    /// An object of some class that is none of the above.
    Object,
}

impl ArgumentKind {
    const ALL: [Self; 12] = [
        Self::Unknown,
        Self::Int,
        Self::Long,
        Self::Float,
        Self::Double,
        Self::Char,
        Self::Bool,
        Self::Text,
        Self::Null,
        Self::Function,
        Self::Array,
        Self::Object,
    ];

    fn from_bits(bits: u64) -> Self {
        Self::ALL.get(bits as usize).copied().unwrap_or(Self::Unknown)
    }
}

/// A call with this many arguments or more is not recorded: the kinds of so many fill the 64 bits.
const MOST: usize = 15;

/// The arguments of one call, packed: their number in the lowest four bits, then four bits for the kind of each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Arguments(pub u64);

impl Arguments {
    /// Packs kinds; `None` if there are 15 or more.
    #[must_use]
    pub fn from_kinds(kinds: &[ArgumentKind]) -> Option<Self> {
        let packed = kinds.iter().rev().fold(0u64, |packed, kind| (packed | *kind as u64) << 4);
        (kinds.len() < MOST).then_some(Self(packed | kinds.len() as u64))
    }

    /// Returns the number of arguments.
    #[must_use]
    pub fn count(self) -> usize {
        (self.0 & 15) as usize
    }

    /// Yields the kinds of the arguments, in order.
    pub fn kinds(self) -> impl Iterator<Item = ArgumentKind> {
        (0..self.count()).map(move |at| ArgumentKind::from_bits((self.0 >> (4 + 4 * at)) & 15))
    }
}

/// The arguments of the call of the name at a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CallArguments {
    /// 1-based line of the called name.
    pub line: u32,
    /// 1-based UTF-16 column of the called name.
    pub col: u32,
    /// The number and the kinds of the arguments.
    pub arguments: Arguments,
}

#[cfg(test)]
mod tests {
    use super::ArgumentKind::{Bool, Object, Text};
    use super::*;

    #[test]
    fn kinds_come_back_in_order() {
        let packed = Arguments::from_kinds(&[Text, Bool, Object]).expect("few");
        assert_eq!(packed.count(), 3);
        assert_eq!(packed.kinds().collect::<Vec<_>>(), [Text, Bool, Object]);
        assert_eq!(Arguments::from_kinds(&[]).map(Arguments::count), Some(0));
        assert_eq!(Arguments::from_kinds(&[Text; 14]).map(|all| all.kinds().count()), Some(14));
        assert_eq!(Arguments::from_kinds(&[Text; 15]), None, "they are not told apart");
    }
}
