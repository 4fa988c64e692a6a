//! Holds the flows of a file with tables of where each value is used, so that a query follows a value in both directions.
//!
//! The first query that comes to a file opens its flows, and [`super::opened_flows`] keeps them for later ones. The tables
//! are lists, by number or sorted, which are made in a fraction of the time of hash tables and take less memory.

use crate::facts::{
    CallIdx, CallKind, DefIdx, FlowTarget, FlowValue, Flows, ScopeIdx, SlotIdx, StrId, ValueIdx,
};

/// The flows of a file, with the uses of each value.
#[derive(Debug, Default)]
pub(crate) struct FlowTables {
    pub(crate) flows: Flows,
    /// The uses of values, sorted by value.
    of: Vec<(ValueIdx, ValueUse)>,
    /// The value that reads each slot.
    pub(crate) slots: NumberedTable,
    /// The value that is the result of each call.
    pub(crate) calls: NumberedTable,
    /// The value that is the function or class of each scope.
    pub(crate) scopes: NumberedTable,
    pub(crate) by_def: SortedTable<DefIdx, ScopeIdx>,
    /// The values that read each name.
    pub(crate) named: SortedTable<StrId, ValueIdx>,
    pub(crate) vars: SortedTable<(ScopeIdx, StrId), SlotIdx>,
    /// The call at each line and column.
    pub(crate) sites: SortedTable<(u32, u32), CallIdx>,
}

/// One use of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ValueUse {
    Callee(CallIdx),
    /// The argument with this number.
    Argument(CallIdx, u32),
    Stored(FlowTarget),
    Inside(ValueIdx),
}

/// The values of things that have numbers: slots, calls or scopes.
#[derive(Debug, Default)]
pub(crate) struct NumberedTable(Vec<Option<ValueIdx>>);

impl NumberedTable {
    fn new(len: usize) -> Self {
        Self(vec![None; len])
    }

    fn set_value(&mut self, number: u32, value: ValueIdx) {
        if let Some(place) = self.0.get_mut(number as usize) {
            *place = Some(value);
        }
    }

    pub(crate) fn get(&self, number: u32) -> Option<ValueIdx> {
        *self.0.get(number as usize)?
    }
}

/// A sorted list of keys with their values.
#[derive(Debug)]
pub(crate) struct SortedTable<K, V>(Vec<(K, V)>);

impl<K, V> Default for SortedTable<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord + Copy, V: Copy> SortedTable<K, V> {
    fn from_rows(mut rows: Vec<(K, V)>) -> Self {
        // The sort is stable: values of one key stay in their order.
        rows.sort_by_key(|(key, _)| *key);
        Self(rows)
    }

    /// Returns the last value of a key.
    pub(crate) fn get(&self, key: K) -> Option<V> {
        let end = self.0.partition_point(|(other, _)| *other <= key);
        let (found, value) = *self.0.get(end.checked_sub(1)?)?;
        (found == key).then_some(value)
    }

    /// Returns all values of a key, in their order.
    pub(crate) fn values_of(&self, key: K) -> impl Iterator<Item = V> + '_ {
        let start = self.0.partition_point(|(other, _)| *other < key);
        self.0[start..].iter().take_while(move |(other, _)| *other == key).map(|(_, value)| *value)
    }
}

impl FlowTables {
    pub(super) fn new(flows: Flows) -> Self {
        let mut uses = Self {
            slots: NumberedTable::new(flows.slots.len()),
            calls: NumberedTable::new(flows.calls.len()),
            scopes: NumberedTable::new(flows.scopes.len()),
            ..Self::default()
        };
        uses.add_values(&flows);
        uses.add_calls(&flows);
        uses.of.extend(flows.stores.iter().map(|store| (store.value, ValueUse::Stored(store.to))));
        uses.of.sort_unstable();
        let scopes = flows.scopes.iter().zip(0..);
        let by_def = scopes.filter_map(|(scope, at)| Some((scope.def?, ScopeIdx(at)))).collect();
        let slots = flows.slots.iter().zip(0..);
        let vars = slots.map(|(slot, at)| ((slot.scope, slot.name), SlotIdx(at))).collect();
        Self { by_def: SortedTable::from_rows(by_def), vars: SortedTable::from_rows(vars), flows, ..uses }
    }

    fn add_calls(&mut self, flows: &Flows) {
        let mut sites = Vec::with_capacity(flows.calls.len());
        for (call, at) in flows.calls.iter().zip(0..) {
            let at = CallIdx(at);
            self.of.push((call.callee, ValueUse::Callee(at)));
            if call.kind != CallKind::Implicit {
                sites.push(((call.line, call.col), at));
            }
            for (arg, number) in flows.parts(call.args).iter().zip(0..) {
                self.of.push((arg.value, ValueUse::Argument(at, number)));
            }
        }
        self.sites = SortedTable::from_rows(sites);
    }

    fn add_values(&mut self, flows: &Flows) {
        let mut named = Vec::new();
        for (value, at) in flows.values.iter().zip(0..) {
            let at = ValueIdx(at);
            match *value {
                FlowValue::Slot(slot) => {
                    self.slots.set_value(slot.0, at);
                    named.push((flows.slots[slot.0 as usize].name, at));
                }
                FlowValue::Free(name, _) => named.push((name, at)),
                FlowValue::Member(of, name) => {
                    named.push((name, at));
                    self.of.push((of, ValueUse::Inside(at)));
                }
                FlowValue::Item(of, _) | FlowValue::Each(of) => self.of.push((of, ValueUse::Inside(at))),
                FlowValue::Scope(scope) => self.scopes.set_value(scope.0, at),
                FlowValue::Call(call) => self.calls.set_value(call.0, at),
                FlowValue::Container(parts) | FlowValue::OneOf(parts) => {
                    self.of.extend(flows.parts(parts).iter().map(|part| (part.value, ValueUse::Inside(at))));
                }
                FlowValue::This(_) | FlowValue::Super(_) | FlowValue::Text(_) | FlowValue::Unknown => {}
            }
        }
        self.named = SortedTable::from_rows(named);
    }

    /// Returns the number of values, which decides how much memory the tables take.
    pub(crate) fn value_count(&self) -> usize {
        self.flows.values.len()
    }

    pub(crate) fn uses_of_value(&self, value: ValueIdx) -> impl Iterator<Item = ValueUse> + '_ {
        let from = self.of.partition_point(|(at, _)| *at < value);
        self.of[from..].iter().take_while(move |(at, _)| *at == value).map(|(_, one)| *one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_a_key_counts_and_all_are_kept() {
        let table = SortedTable::from_rows(vec![(3, 'c'), (1, 'a'), (3, 'b'), (2, 'd')]);
        assert_eq!(
            [table.get(1), table.get(3), table.get(4), table.get(0)],
            [Some('a'), Some('b'), None, None]
        );
        assert_eq!(table.values_of(3).collect::<String>(), "cb");
        assert_eq!(table.values_of(5).count(), 0);
    }
}
