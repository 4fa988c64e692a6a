//! Where the values of a file go: what is assigned, passed, returned and stored, and what is called.
//!
//! In memory they are packed, because a workspace has millions and a question looks into a few files.
//!
//! Only what a function or class can pass through is here: names, members, calls, containers; no arithmetic, no text but the keys of
//! containers. A variable that is read where only one assignment can have reached it is that assignment's value, so most local
//! names leave no trace of their own; the rest is a [`Slot`], which holds whatever is ever stored in it. Whom a call
//! reaches through its values is not here: that needs other files, and is computed in `resolve`.

use super::{DefIdx, StrId};

/// A value's place in [`Flows::values`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ValueIdx(pub u32);

/// A scope's place in [`Flows::scopes`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ScopeIdx(pub u32);

/// A variable's place in [`Flows::slots`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SlotIdx(pub u32);

/// A call's place in [`Flows::calls`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CallIdx(pub u32);

/// A stretch of [`Flows::parts`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct FlowParts {
    /// Index of the first part in [`Flows::parts`].
    pub start: u32,
    /// The number of them.
    pub len: u32,
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FlowValue {
    /// Whatever the variable is ever given.
    Slot(SlotIdx),
    /// A name that no scope of the file assigns, read in this scope.
    Free(StrId, ScopeIdx),
    /// The object at hand in a function.
    This(ScopeIdx),
    /// The same as its base.
    Super(ScopeIdx),
    /// A member of a value.
    Member(ValueIdx, StrId),
    /// The part of a value that stands under a key; the key is a value too.
    Item(ValueIdx, ValueIdx),
    /// Each part of a value, as a loop gets them.
    Each(ValueIdx),
    /// A text or number, as it serves for a key.
    Text(StrId),
    /// The function or class that a scope is.
    Scope(ScopeIdx),
    /// The value that a call gives.
    Call(CallIdx),
    /// A list, tuple, dict or object with these parts.
    Container(FlowParts),
    /// Any one of these values.
    OneOf(FlowParts),
    /// Nothing that could be followed.
    Unknown,
}

/// The label of a part of a container, or of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Label {
    /// By its place, from 0.
    At(u32),
    /// By a name that is written.
    Named(StrId),
    /// By a key that is computed.
    Keyed(ValueIdx),
    /// All parts of the value.
    Spread,
}

/// A part of a container, an argument, or one of several values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlowPart {
    /// The place, name or key that the part stands at.
    pub label: Label,
    /// The value of the part.
    pub value: ValueIdx,
}

/// The way in which a call comes about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum CallKind {
    /// The source writes the call as such.
    Plain,
    /// A decorator's call with what it decorates.
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
    /// The value that is called.
    pub callee: ValueIdx,
    /// The innermost scope that the call stands in.
    pub scope: ScopeIdx,
    /// 1-based line of the name that is called, or of the call.
    pub line: u32,
    /// 1-based UTF-16 column of the same.
    pub col: u32,
    /// The arguments of the call.
    pub args: FlowParts,
    /// The way in which the call comes about.
    pub kind: CallKind,
    /// True if all that follows in the scope runs only after the call.
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
    /// A method that gets no object.
    Static,
    /// A function whose calls give what it yields, one by one.
    Generator,
    /// Read like an attribute.
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
    /// The definition it is, if it is one.
    pub def: Option<DefIdx>,
    /// The scope around it; the file's is its own.
    pub parent: ScopeIdx,
    /// The object whose function it is: a class's scope, or a container.
    pub home: Option<ValueIdx>,
    /// Its first variable; parameters come first.
    pub params: u32,
    /// Number of the scope's parameters.
    pub param_count: u32,
}

/// The way in which a variable gets its first value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum SlotKind {
    /// An assignment gives the first value.
    Variable,
    /// An argument of a call gives the first value.
    Parameter,
    /// By all further arguments.
    Rest,
    /// By all further named arguments.
    NamedRest,
}

impl SlotKind {
    /// Every kind, in order of its number on disk.
    pub const ALL: [Self; 4] = [Self::Variable, Self::Parameter, Self::Rest, Self::NamedRest];
}

/// One variable of a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The scope it belongs to.
    pub scope: ScopeIdx,
    /// The name of the variable.
    pub name: StrId,
    /// The way in which it gets its first value.
    pub kind: SlotKind,
}

/// Where a value is put.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FlowTarget {
    /// Into a variable of this file.
    Slot(SlotIdx),
    /// Into a member of this name, of this value.
    Member(StrId, ValueIdx),
    /// Under a key, the second, of a value.
    Item(ValueIdx, ValueIdx),
    /// To whoever called the function of this scope.
    Return(ScopeIdx),
    /// To whoever goes through what the function gives.
    Yield(ScopeIdx),
}

/// A value that is put somewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlowStore {
    /// The place that the value goes to.
    pub to: FlowTarget,
    /// The value that is stored.
    pub value: ValueIdx,
    /// The scope whose every run stores the value in a member; `None` if a run may do without.
    pub sure_in: Option<ScopeIdx>,
}

/// Where the values of one file go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flows {
    /// The values; each comes after those that it is made of.
    pub values: Box<[FlowValue]>,
    /// Parts of containers, arguments of calls, members of choices.
    pub parts: Box<[FlowPart]>,
    /// Calls in source order.
    pub calls: Box<[Call]>,
    /// Scopes, outer ones first.
    pub scopes: Box<[FlowScope]>,
    /// Variables, those of one scope in a row only as far as they are parameters.
    pub slots: Box<[Slot]>,
    /// All stores of values, in order of their places.
    pub stores: Box<[FlowStore]>,
}

/// Flows as they are kept: compressed, with the names that the index needs of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackedFlows {
    /// The bytes that [`crate::persist`] makes of the flows; empty if there are none.
    pub(crate) bytes: Box<[u8]>,
    /// The names of members that the language calls by itself, which no reference names.
    pub(crate) implied: Box<[StrId]>,
}

impl PackedFlows {
    /// Returns true if the file has no flows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the bytes that the packed flows hold on the heap.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.bytes.len() + size_of_val(&*self.implied)
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

    /// Returns the parts of a stretch; empty if it is out of range.
    #[must_use]
    pub fn parts(&self, of: FlowParts) -> &[FlowPart] {
        self.parts.get(of.start as usize..(of.start + of.len) as usize).unwrap_or(&[])
    }

    /// Yields the values that the file stores in one place.
    pub fn values_stored_in(&self, to: FlowTarget) -> impl Iterator<Item = ValueIdx> + '_ {
        let from = self.stores.partition_point(|store| store.to < to);
        self.stores[from..].iter().take_while(move |store| store.to == to).map(|store| store.value)
    }

    /// Yields the values that the file stores in members of this name, each behind the value whose member it is.
    pub fn stored_in_members(&self, name: StrId) -> impl Iterator<Item = (ValueIdx, ValueIdx)> + '_ {
        self.member_stores(name).map(|(of, store)| (of, store.value))
    }

    /// Yields the values of whose member of this name every run of a scope stores something.
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

    /// The same to be kept.
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

    /// Gives every name its new number.
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

    /// Puts the stores in their order.
    pub(super) fn sort(&mut self) {
        self.stores.sort_by_key(|store| store.to);
    }
}
