//! Describes the flow of a file's values: what is assigned, passed, returned and stored, and what is called.
//!
//! In memory flows are packed, because a workspace has millions and a query reads those of a few files.
//!
//! They only cover what can carry a function or class: names, members, calls, containers; no arithmetic, no text except
//! the keys of containers. A read of a variable that only one assignment can have reached is that assignment's value,
//! so most local names leave no trace; the others are [`Slot`]s, each of which holds everything that is ever stored in
//! it. The definitions that a call reaches through its values are not here: they depend on other files, and `resolve`
//! computes them.

use hob_base::paged::PagedStore;

use super::column::Column;
use super::{DefIdx, StrId};

/// The index of a value in [`Flows::values`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ValueIdx(pub u32);

/// The index of a scope in [`Flows::scopes`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ScopeIdx(pub u32);

/// The index of a variable in [`Flows::slots`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SlotIdx(pub u32);

/// The index of a call in [`Flows::calls`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CallIdx(pub u32);

/// A range of [`Flows::parts`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct FlowParts {
    /// Index of the first part in [`Flows::parts`].
    pub start: u32,
    /// The number of parts.
    pub len: u32,
}

/// The origin of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FlowValue {
    /// All values that the variable is ever given.
    Slot(SlotIdx),
    /// A name that no scope of the file assigns, read in this scope.
    Free(StrId, ScopeIdx),
    /// The receiver of a function, its `this` or `self`.
    This(ScopeIdx),
    /// The receiver of a function, seen as an object of its base class.
    Super(ScopeIdx),
    /// A member of a value.
    Member(ValueIdx, StrId),
    /// The part of a value under a key; the key is a value too.
    Item(ValueIdx, ValueIdx),
    /// Each element of a value, as a loop yields them.
    Each(ValueIdx),
    /// A text or number that may be a key.
    Text(StrId),
    /// The function or class of a scope.
    Scope(ScopeIdx),
    /// The result of a call.
    Call(CallIdx),
    /// A list, tuple, dict or object with these parts.
    Container(FlowParts),
    /// One of these values.
    OneOf(FlowParts),
    /// A value that cannot be followed.
    Unknown,
}

/// The label of a part of a container, or of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Label {
    /// The place of the part, from 0.
    At(u32),
    /// A name in the source.
    Named(StrId),
    /// A computed key.
    Keyed(ValueIdx),
    /// All parts of the value.
    Spread,
}

/// A part of a container, an argument, or one of several values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlowPart {
    /// The place, name or key of the part.
    pub label: Label,
    /// The value of the part.
    pub value: ValueIdx,
}

/// The way in which code makes a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum CallKind {
    /// The source writes the call.
    Plain,
    /// A decorator is called with what it decorates.
    Decorator,
    /// The language calls a member by itself: `__iter__` in a loop, `__enter__` in a `with`.
    Implicit,
    /// The language makes an object of a class: `raise Error`.
    Made,
}

impl CallKind {
    /// Every kind, in order of its number on disk.
    pub const ALL: [Self; 4] = [Self::Plain, Self::Decorator, Self::Implicit, Self::Made];
}

/// One call of a function or class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// The called value.
    pub callee: ValueIdx,
    /// The innermost scope around the call.
    pub scope: ScopeIdx,
    /// 1-based line of the called name, or of the call.
    pub line: u32,
    /// 1-based UTF-16 column of the called name, or of the call.
    pub col: u32,
    /// The arguments of the call.
    pub args: FlowParts,
    /// The way in which code makes the call.
    pub kind: CallKind,
    /// True if every later statement of the scope runs only after the call.
    pub is_sure: bool,
}

/// The kinds of lexical scopes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ScopeKind {
    /// The scope of the whole file.
    File,
    /// The body of a class.
    Class,
    /// A function or method.
    Function,
    /// A method without a receiver.
    Static,
    /// A function whose calls yield values one by one.
    Generator,
    /// A method that is read like an attribute.
    Property,
}

impl ScopeKind {
    /// Every kind, in order of its number on disk.
    pub const ALL: [Self; 6] =
        [Self::File, Self::Class, Self::Function, Self::Static, Self::Generator, Self::Property];

    /// Returns true if a scope of this kind has parameters.
    #[must_use]
    pub fn is_function(self) -> bool {
        !matches!(self, Self::File | Self::Class)
    }
}

/// A scope that binds names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlowScope {
    /// The kind of this scope.
    pub kind: ScopeKind,
    /// The definition of the scope, if it has one.
    pub def: Option<DefIdx>,
    /// The scope around it; the file's is its own parent.
    pub parent: ScopeIdx,
    /// The object whose function the scope is: the scope of a class, or a container.
    pub home: Option<ValueIdx>,
    /// The index in [`Flows::slots`] of the first parameter; the other parameters follow.
    pub params: u32,
    /// Number of the scope's parameters.
    pub param_count: u32,
}

/// The origin of a variable's first value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum SlotKind {
    /// An assignment gives the first value.
    Variable,
    /// An argument of a call gives the first value.
    Parameter,
    /// All further arguments are its first value.
    Rest,
    /// All further named arguments are its first value.
    NamedRest,
}

impl SlotKind {
    /// Every kind, in order of its number on disk.
    pub const ALL: [Self; 4] = [Self::Variable, Self::Parameter, Self::Rest, Self::NamedRest];
}

/// One variable of a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The scope of the variable.
    pub scope: ScopeIdx,
    /// The name of the variable.
    pub name: StrId,
    /// The origin of the first value.
    pub kind: SlotKind,
}

/// The target of a store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FlowTarget {
    /// Into a variable of this file.
    Slot(SlotIdx),
    /// Into a member of this name, of this value.
    Member(StrId, ValueIdx),
    /// Under a key, the second, of the first value.
    Item(ValueIdx, ValueIdx),
    /// To the caller of the function of this scope.
    Return(ScopeIdx),
    /// To the code that iterates over the results of the function of this scope.
    Yield(ScopeIdx),
}

/// A store of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlowStore {
    /// The target of the store.
    pub to: FlowTarget,
    /// The value that is stored.
    pub value: ValueIdx,
    /// The scope of which every run stores the value in a member; `None` if a run may skip the store.
    pub sure_in: Option<ScopeIdx>,
}

/// The flow of one file's values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flows {
    /// The values; each comes after the values of which it is made.
    pub values: Box<[FlowValue]>,
    /// Parts of containers, arguments of calls, members of choices.
    pub parts: Box<[FlowPart]>,
    /// Calls in source order.
    pub calls: Box<[Call]>,
    /// Scopes, outer ones first.
    pub scopes: Box<[FlowScope]>,
    /// Variables. Parameters of one scope are adjacent, other variables need not be.
    pub slots: Box<[Slot]>,
    /// All stores, sorted by target.
    pub stores: Box<[FlowStore]>,
}

/// Flows in their stored form: compressed, with the names that the index needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PackedFlows {
    /// The bytes that [`crate::persist`] makes of the flows; empty if there are none.
    pub(crate) bytes: Column<u8>,
    /// The names of members that the language calls by itself, for which there are no references.
    pub(crate) implied: Box<[StrId]>,
}

impl PackedFlows {
    /// The same flows in a store.
    pub(super) fn placed_in(self, store: &PagedStore) -> Self {
        Self { bytes: self.bytes.placed_in(store), ..self }
    }

    /// Returns true if the file has no flows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the bytes that the packed flows hold on the heap.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.bytes.heap_bytes() + size_of_val(&*self.implied)
    }
}

impl Flows {
    /// Returns true if the file has no values to follow.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the value at an index; [`FlowValue::Unknown`] if it is out of range.
    #[must_use]
    pub fn value(&self, at: ValueIdx) -> FlowValue {
        self.values.get(at.0 as usize).copied().unwrap_or(FlowValue::Unknown)
    }

    /// Returns a range of parts; empty if it is out of range.
    #[must_use]
    pub fn parts(&self, of: FlowParts) -> &[FlowPart] {
        self.parts.get(of.start as usize..(of.start + of.len) as usize).unwrap_or(&[])
    }

    /// Yields the values that the file stores in one place.
    pub fn values_stored_in(&self, to: FlowTarget) -> impl Iterator<Item = ValueIdx> + '_ {
        let from = self.stores.partition_point(|store| store.to < to);
        self.stores[from..].iter().take_while(move |store| store.to == to).map(|store| store.value)
    }

    /// Yields the stores in members of this name, each as the value that has the member and the stored value.
    pub fn stored_in_members(&self, name: StrId) -> impl Iterator<Item = (ValueIdx, ValueIdx)> + '_ {
        self.member_stores(name).map(|(of, store)| (of, store.value))
    }

    /// Yields the values in whose member of this name every run of a scope stores something.
    pub(crate) fn surely_stored_in(
        &self,
        name: StrId,
        scope: ScopeIdx,
    ) -> impl Iterator<Item = ValueIdx> + '_ {
        let stores = self.member_stores(name).filter(move |(_, store)| store.sure_in == Some(scope));
        stores.map(|(of, _)| of)
    }

    fn member_stores(&self, name: StrId) -> impl Iterator<Item = (ValueIdx, &FlowStore)> + '_ {
        let from = self.stores.partition_point(|store| store.to < FlowTarget::Member(name, ValueIdx(0)));
        self.stores[from..].iter().map_while(move |store| match store.to {
            FlowTarget::Member(named, of) if named == name => Some((of, store)),
            _ => None,
        })
    }

    /// Packs the flows.
    pub(super) fn to_packed(&self) -> PackedFlows {
        if self.is_empty() {
            return PackedFlows::default();
        }
        let implied = self.calls.iter().filter(|call| call.kind == CallKind::Implicit);
        let name = |call: &Call| {
            if let FlowValue::Member(_, name) = self.value(call.callee) { Some(name) } else { None }
        };
        let mut implied: Vec<StrId> = implied.filter_map(name).collect();
        implied.sort_unstable();
        implied.dedup();
        PackedFlows { bytes: crate::persist::pack_flows(self).into(), implied: implied.into() }
    }

    /// Replaces the number of every name.
    pub(super) fn renumber_names(&mut self, new: impl Fn(StrId) -> StrId) {
        for value in &mut self.values {
            match value {
                FlowValue::Free(name, _) | FlowValue::Member(_, name) | FlowValue::Text(name) => {
                    *name = new(*name);
                }
                _ => {}
            }
        }
        for part in &mut self.parts {
            if let Label::Named(name) = &mut part.label {
                *name = new(*name);
            }
        }
        for slot in &mut self.slots {
            slot.name = new(slot.name);
        }
        for store in &mut self.stores {
            if let FlowTarget::Member(name, _) = &mut store.to {
                *name = new(*name);
            }
        }
    }

    /// Sorts the stores by target.
    pub(super) fn sort(&mut self) {
        self.stores.sort_by_key(|store| store.to);
    }
}
