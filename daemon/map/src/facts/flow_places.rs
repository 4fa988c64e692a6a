//! The lines of a file on which its values stand: where each is read, stored, handed over and called.
//!
//! [`Flows`](super::Flows) have no lines but those of calls, because nothing but an explanation needs them, and a workspace has
//! millions of values. Whoever explains an edge reads the file once more and has the tracer record these places on the way. The numbers of
//! values are a function of the bytes of the file, so the places fit the flows that the map has of the same bytes.

use super::{FlowTarget, StrId, ValueIdx};

/// An expression's place in [`FlowPlaces::seen`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SeenIdx(pub(crate) u32);

/// An expression that has a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SeenPlace {
    /// The value that the expression gives.
    pub(crate) value: ValueIdx,
    /// 1-based line of the expression.
    pub(crate) line: u32,
    /// The number of the store through which a variable or container has the value there, in [`FlowPlaces::stores`].
    pub(crate) through: Option<u32>,
}

/// A store of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StorePlace {
    /// The place that the value goes to.
    pub(crate) to: FlowTarget,
    /// The value that is stored.
    pub(crate) value: ValueIdx,
    /// 1-based line of the statement that stores the value.
    pub(crate) line: u32,
    /// The expression whose value is stored, if it is written in the same statement.
    pub(crate) seen: Option<SeenIdx>,
}

/// The places of the values of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlowPlaces {
    /// The 1-based line on which each value is first met.
    pub(crate) values: Vec<u32>,
    /// Expressions, in the order in which they are gone through.
    pub(crate) seen: Vec<SeenPlace>,
    /// The expression of each part of the flows.
    pub(crate) parts: Vec<Option<SeenIdx>>,
    /// The expression that each call of the flows calls.
    pub(crate) callees: Vec<Option<SeenIdx>>,
    /// Stores, in the order in which they are gone through.
    pub(crate) stores: Vec<StorePlace>,
}

impl FlowPlaces {
    /// Gives every name its new number.
    pub(super) fn renumber_names(&mut self, new: impl Fn(StrId) -> StrId) {
        for store in &mut self.stores {
            if let FlowTarget::Member(name, _) = &mut store.to {
                *name = new(*name);
            }
        }
    }

    /// Gives every place the line that it has in the file.
    pub(super) fn move_lines(&mut self, line_of: &dyn Fn(u32) -> u32) {
        self.values.iter_mut().for_each(|line| *line = line_of(*line));
        self.seen.iter_mut().for_each(|seen| seen.line = line_of(seen.line));
        self.stores.iter_mut().for_each(|store| store.line = line_of(store.line));
    }

    /// Returns the lines through which a value comes to an expression, in order; the last one is the expression's own.
    pub(crate) fn lines_to(&self, seen: Option<SeenIdx>) -> Vec<u32> {
        let mut lines = Vec::new();
        let mut at = seen;
        // A store comes before what reads it, so that the numbers fall.
        while let Some(place) = at.and_then(|at| self.seen.get(at.0 as usize)) {
            lines.push(place.line);
            let store = place.through.and_then(|store| self.stores.get(store as usize));
            lines.extend(store.map(|store| store.line));
            at = store.and_then(|store| store.seen);
        }
        lines.reverse();
        lines
    }

    /// Returns the lines through which a value comes to a store, in order; the last one is the store's own.
    pub(crate) fn lines_of_store(&self, to: FlowTarget, value: ValueIdx) -> Option<Vec<u32>> {
        let store = self.stores.iter().find(|store| store.to == to && store.value == value)?;
        let mut lines = self.lines_to(store.seen);
        lines.push(store.line);
        Some(lines)
    }
}
