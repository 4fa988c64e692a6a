//! The references of a file.
//!
//! A kernel has some twelve million of them, so each takes 20 bytes: what has few values shares a number with what is small.

use std::fmt;

use super::{DefIdx, StrId};

/// The ways in which a reference uses a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum RefKind {
    /// Called, instantiated, or applied as a decorator or macro.
    Call,
    /// A base class, or a super-interface of an interface; a Rust supertrait.
    Extends,
    /// An interface or trait that is implemented; the owner is the implementing type.
    Implements,
    /// Used as a type.
    Type,
    /// Read or written, without being called.
    Use,
    /// Handed to a framework, which calls it: the handler of a route, a task, a fixture, a command.
    Framework,
    /// Named by a parameter that a framework fills, such as a fixture of a test.
    Injected,
    /// A key of an object literal or of a pattern, which means a member of the object's type or nothing.
    Key,
}

impl RefKind {
    /// Every kind, in order of its number on disk.
    pub(crate) const ALL: [Self; 8] = [
        Self::Call,
        Self::Extends,
        Self::Implements,
        Self::Type,
        Self::Use,
        Self::Framework,
        Self::Injected,
        Self::Key,
    ];
}

/// The receiver of a reference: the part of the expression that stands before the name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Receiver {
    /// Nothing stands before the name: `f()`.
    None,
    /// The object or class at hand: `self.f()`, `this.f()`, `cls.f()`, `Self::f()`.
    SelfType,
    /// Its base: `super().f()`, `super.f()`.
    Super,
    /// A path of names, joined with `.` whatever the language writes: `os.path` in `os.path.join()`, `crate.net` in
    /// `crate::net::open()`, `Point` in `Point::new()`. Its first segment is not a local variable.
    Path(StrId),
    /// A value whose type is known from this file alone (annotation, constructor): the type's dotted name as written.
    Typed(StrId),
    /// Some expression; whose member this is cannot be told from this file.
    Unknown,
}

impl Receiver {
    /// The receiver as a number of its form, and the name that it holds or 0.
    pub(crate) fn to_parts(self) -> (u32, u32) {
        match self {
            Self::None => (0, 0),
            Self::SelfType => (1, 0),
            Self::Super => (2, 0),
            Self::Path(path) => (3, path.0),
            Self::Typed(ty) => (4, ty.0),
            Self::Unknown => (5, 0),
        }
    }

    /// The receiver with these parts; `None` if no form has the number.
    pub(crate) fn from_parts(form: u32, name: u32) -> Option<Self> {
        Some(match form {
            0 => Self::None,
            1 => Self::SelfType,
            2 => Self::Super,
            3 => Self::Path(StrId(name)),
            4 => Self::Typed(StrId(name)),
            5 => Self::Unknown,
            _ => return None,
        })
    }
}

/// Bits of the name in a packed receiver; its form takes the others. No file has that many names.
const NAME_BITS: u32 = 29;
/// Bits of the column that stands beside the kind. No file has a line that long.
const COLUMN_BITS: u32 = 28;

/// One use of a name. Names bound to local variables and parameters are not recorded.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ref {
    /// The name used (the last segment: `join` in `os.path.join()`).
    pub name: StrId,
    /// The innermost definition it stands in; `None` at file level.
    pub owner: Option<DefIdx>,
    /// 1-based line of the name.
    pub line: u32,
    /// The receiver: its form above its name.
    receiver: u32,
    /// The kind above the column.
    kind_and_column: u32,
}

impl Ref {
    /// A use at file level, with nothing before the name. The column is 1-based, in UTF-16 units.
    #[must_use]
    pub fn new(name: StrId, kind: RefKind, line: u32, column: u32) -> Self {
        let column = column.min(low_bits(COLUMN_BITS));
        let kind_and_column = (kind as u32) << COLUMN_BITS | column;
        Self { name, owner: None, line, receiver: 0, kind_and_column }
    }

    /// The same use with this before the name.
    #[must_use]
    pub fn with_receiver(self, receiver: Receiver) -> Self {
        let (form, name) = receiver.to_parts();
        debug_assert!(name <= low_bits(NAME_BITS), "no file has so many names");
        Self { receiver: form << NAME_BITS | (name & low_bits(NAME_BITS)), ..self }
    }

    /// The same use in this definition.
    #[must_use]
    pub fn with_owner(self, owner: Option<DefIdx>) -> Self {
        Self { owner, ..self }
    }

    /// The same use at this place.
    #[must_use]
    pub(super) fn moved_to(self, line: u32, column: u32) -> Self {
        Self::new(self.name, self.kind(), line, column).with_receiver(self.receiver()).with_owner(self.owner)
    }

    /// The way in which the name is used.
    #[must_use]
    pub fn kind(&self) -> RefKind {
        RefKind::ALL.get((self.kind_and_column >> COLUMN_BITS) as usize).copied().unwrap_or(RefKind::Use)
    }

    /// The part of the expression before the name.
    #[must_use]
    pub fn receiver(&self) -> Receiver {
        let parts = (self.receiver >> NAME_BITS, self.receiver & low_bits(NAME_BITS));
        Receiver::from_parts(parts.0, parts.1).unwrap_or(Receiver::Unknown)
    }

    /// 1-based UTF-16 column of the name.
    #[must_use]
    pub fn col(&self) -> u32 {
        self.kind_and_column & low_bits(COLUMN_BITS)
    }
}

impl fmt::Debug for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ref")
            .field("name", &self.name)
            .field("kind", &self.kind())
            .field("receiver", &self.receiver())
            .field("owner", &self.owner)
            .field("line", &self.line)
            .field("col", &self.col())
            .finish()
    }
}

/// A number whose lowest bits are set, as many as are asked for.
const fn low_bits(count: u32) -> u32 {
    (1 << count) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_says_what_it_was_made_of() {
        assert_eq!(size_of::<Ref>(), 20);
        let largest = StrId(low_bits(NAME_BITS));
        let receivers = [
            Receiver::None,
            Receiver::SelfType,
            Receiver::Super,
            Receiver::Path(StrId(0)),
            Receiver::Path(largest),
            Receiver::Typed(largest),
            Receiver::Unknown,
        ];
        for (receiver, kind) in
            receivers.into_iter().flat_map(|receiver| RefKind::ALL.map(|kind| (receiver, kind)))
        {
            for column in [1, 80, low_bits(COLUMN_BITS)] {
                let owner = Some(DefIdx::new(7));
                let r = Ref::new(StrId(3), kind, 9, column).with_receiver(receiver).with_owner(owner);
                assert_eq!((r.kind(), r.receiver(), r.col(), r.owner), (kind, receiver, column, owner));
                let moved = r.moved_to(11, 12);
                assert_eq!(
                    (moved.line, moved.col(), moved.kind(), moved.receiver()),
                    (11, 12, kind, receiver)
                );
            }
        }
        // A column beyond all bounds does not become another kind.
        assert_eq!(Ref::new(StrId(0), RefKind::Key, 1, u32::MAX).kind(), RefKind::Key);
    }
}
