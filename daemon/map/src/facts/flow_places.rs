//! Records the lines of a file's values: where each is read, stored, passed and called.
//!
//! [`Flows`](super::Flows) only have the lines of calls, because nothing but an explanation needs the others, and a
//! workspace has millions of values. To explain an edge, a caller reads the file again and has the tracer record these
//! places. The numbers of values are a function of the file's bytes, so the places fit the flows that the map has for
//! the same bytes.

use super::{FlowTarget, StrId, ValueIdx};

/// The index of an expression in [`FlowPlaces::seen`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SeenIdx(pub(crate) u32);

/// An expression that has a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SeenPlace {
    /// The value of the expression.
    pub(crate) value: ValueIdx,
    /// 1-based line of the expression.
    pub(crate) line: u32,
    /// The index in [`FlowPlaces::stores`] of the store that gave the variable or container its value there.
    pub(crate) through: Option<u32>,
}

/// A store of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StorePlace {
    /// The target of the store.
    pub(crate) to: FlowTarget,
    /// The value that is stored.
    pub(crate) value: ValueIdx,
    /// 1-based line of the storing statement.
    pub(crate) line: u32,
    /// The expression of the stored value, if the same statement contains it.
    pub(crate) seen: Option<SeenIdx>,
}

/// The places of the values of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlowPlaces {
    /// The 1-based line of the first occurrence of each value.
    pub(crate) values: Vec<u32>,
    /// Expressions, in the order in which the tracer visits them.
    pub(crate) seen: Vec<SeenPlace>,
    /// The expression of each part of the flows.
    pub(crate) parts: Vec<Option<SeenIdx>>,
    /// The callee expression of each call of the flows.
    pub(crate) callees: Vec<Option<SeenIdx>>,
    /// Stores, in the order in which the tracer visits them.
    pub(crate) stores: Vec<StorePlace>,
}

impl FlowPlaces {
    /// Replaces the number of every name.
    pub(super) fn renumber_names(&mut self, new: impl Fn(StrId) -> StrId) {
        for store in &mut self.stores {
            if let FlowTarget::Member(name, _) = &mut store.to {
                *name = new(*name);
            }
        }
    }

    /// Replaces every line by its line in the file.
    pub(super) fn move_lines(&mut self, line_of: &dyn Fn(u32) -> u32) {
        self.values.iter_mut().for_each(|line| *line = line_of(*line));
        self.seen.iter_mut().for_each(|seen| seen.line = line_of(seen.line));
        self.stores.iter_mut().for_each(|store| store.line = line_of(store.line));
    }

    /// Returns the lines along which a value gets to an expression, in order; the last one is the expression's own.
    pub(crate) fn lines_to(&self, seen: Option<SeenIdx>) -> Vec<u32> {
        let mut lines = Vec::new();
        let mut at = seen;
        // A store precedes the expressions that read it, so the numbers fall.
        while let Some(place) = at.and_then(|at| self.seen.get(at.0 as usize)) {
            lines.push(place.line);
            let store = place.through.and_then(|store| self.stores.get(store as usize));
            lines.extend(store.map(|store| store.line));
            at = store.and_then(|store| store.seen);
        }
        lines.reverse();
        lines
    }

    /// Returns the lines along which a value gets to a store, in order; the last one is the store's own.
    pub(crate) fn lines_of_store(&self, to: FlowTarget, value: ValueIdx) -> Option<Vec<u32>> {
        let store = self.stores.iter().find(|store| store.to == to && store.value == value)?;
        let mut lines = self.lines_to(store.seen);
        lines.push(store.line);
        Some(lines)
    }
}
