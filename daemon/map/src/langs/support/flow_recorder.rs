//! Records on which lines the values of a file stand while the tracer goes through the file.
//!
//! Only the explanation of an edge asks for these places; the facts of a file are made without them. A variable that is
//! read where only one assignment can have reached it has that assignment's value. So the record also keeps through
//! which store an expression has its value: otherwise `b = a` would leave no trace between the two names.

use rustc_hash::FxHashMap;

use crate::facts::{FlowPart, FlowPlaces, FlowTarget, SeenIdx, SeenPlace, SlotIdx, StorePlace, ValueIdx};
use crate::syntax::Node;

/// The state of the outer expression, set aside while the recorder is in an inner one.
pub(crate) struct OuterExpression {
    line: u32,
    /// Number of expressions that ended before the inner one began.
    before: usize,
}

/// The state of the outer statement, set aside while the recorder is in an inner one.
pub(crate) struct OuterStatement {
    line: u32,
    since: usize,
}

/// Collects the places of one file.
pub(crate) struct FlowRecorder {
    places: FlowPlaces,
    /// 1-based line of the innermost expression or statement.
    line: u32,
    /// Number of expressions that ended before the innermost statement began.
    since: usize,
    /// The last store into each variable.
    last: FxHashMap<SlotIdx, u32>,
    /// The value that was just read, and the store through which it came.
    pending: Option<PendingRead>,
}

/// A value that was read, before the expression ends that reads it.
#[derive(Clone, Copy)]
struct PendingRead {
    value: ValueIdx,
    store: u32,
}

impl FlowRecorder {
    pub(super) fn new() -> Self {
        Self { places: FlowPlaces::default(), line: 1, since: 0, last: FxHashMap::default(), pending: None }
    }

    pub(super) fn into_places(self) -> FlowPlaces {
        self.places
    }

    pub(super) fn begin_expression(&mut self, node: Node<'_>) -> OuterExpression {
        let line = std::mem::replace(&mut self.line, line_of(node));
        self.pending = None;
        OuterExpression { line, before: self.places.seen.len() }
    }

    /// Ends an expression; `value` is `None` if its value is unknown.
    pub(super) fn end_expression(&mut self, outer: OuterExpression, value: Option<ValueIdx>) {
        // In parentheses the inner expression is the place.
        if let Some(value) = value.filter(|value| self.last_seen(outer.before, *value).is_none()) {
            self.push_seen(value);
        }
        self.pending = None;
        self.line = outer.line;
    }

    pub(super) fn begin_statement(&mut self, node: Node<'_>) -> OuterStatement {
        self.pending = None;
        OuterStatement {
            line: std::mem::replace(&mut self.line, line_of(node)),
            since: std::mem::replace(&mut self.since, self.places.seen.len()),
        }
    }

    pub(super) fn end_statement(&mut self, outer: OuterStatement) {
        (self.line, self.since) = (outer.line, outer.since);
    }

    pub(super) fn note_value(&mut self) {
        self.places.values.push(self.line);
    }

    /// Notes that a variable is read whose last store is known to be the one that counts.
    pub(super) fn note_read(&mut self, slot: SlotIdx, value: ValueIdx) {
        self.pending = self.last.get(&slot).map(|store| PendingRead { value, store: *store });
    }

    /// Notes that a value is read from a container whose last store under that key is known to be the one that counts.
    pub(super) fn note_held(&mut self, of: ValueIdx, value: ValueIdx) {
        let into = |store: &StorePlace| matches!(store.to, FlowTarget::Item(into, _) if into == of);
        let store = self.places.stores.iter().rposition(|store| into(store) && store.value == value);
        self.pending = store.map(|store| PendingRead { value, store: store as u32 });
    }

    pub(super) fn note_store(&mut self, to: FlowTarget, value: ValueIdx) {
        let seen = self.seen_in_statement(value);
        if let FlowTarget::Slot(slot) = to {
            self.last.insert(slot, self.places.stores.len() as u32);
        }
        self.places.stores.push(StorePlace { to, value, line: self.line, seen });
    }

    pub(super) fn note_parts(&mut self, parts: &[FlowPart]) {
        for part in parts {
            let seen = self.seen_in_statement(part.value);
            self.places.parts.push(seen);
        }
    }

    pub(super) fn note_call(&mut self, callee: ValueIdx) {
        let seen = self.seen_in_statement(callee);
        self.places.callees.push(seen);
    }

    /// Returns the last expression of the current statement that gave a value.
    fn seen_in_statement(&mut self, value: ValueIdx) -> Option<SeenIdx> {
        if self.pending.is_some_and(|read| read.value == value) {
            return Some(self.push_seen(value));
        }
        self.last_seen(self.since, value)
    }

    fn last_seen(&self, since: usize, value: ValueIdx) -> Option<SeenIdx> {
        let seen = self.places.seen.get(since..)?;
        seen.iter().rposition(|place| place.value == value).map(|at| SeenIdx((since + at) as u32))
    }

    fn push_seen(&mut self, value: ValueIdx) -> SeenIdx {
        let read = self.pending.take().filter(|read| read.value == value);
        let through = read.map(|read| read.store);
        self.places.seen.push(SeenPlace { value, line: self.line, through });
        SeenIdx(self.places.seen.len() as u32 - 1)
    }
}

fn line_of(node: Node<'_>) -> u32 {
    node.start_position().row as u32 + 1
}
