//! Holds the flows of a file with tables of where each value is used, so that a query follows a value in both directions.
//!
//! The first query that comes to a file opens its flows, and [`super::opened_flows`] keeps them for later ones. The tables
//! are lists, by number or sorted, which are made in a fraction of the time of hash tables and take less memory. Those
//! that many files are never asked for are made when they are.

use std::sync::OnceLock;

use crate::facts::{
    CallIdx, CallKind, DefIdx, FlowTarget, FlowValue, Flows, ScopeIdx, SlotIdx, StrId, ValueIdx,
};

/// The flows of a file, with the uses of each value.
#[derive(Debug, Default)]
pub(crate) struct FlowTables {
    pub(crate) flows: Flows,
    /// The uses of each value; made when they are asked for, as all tables in a lock.
    uses: OnceLock<GroupedTable<StoredUse>>,
    /// The value that reads each slot.
    pub(crate) slots: NumberedTable,
    /// The value that is the result of each call.
    pub(crate) calls: NumberedTable,
    /// The value that is the function or class of each scope.
    pub(crate) scopes: NumberedTable,
    pub(crate) by_def: SortedTable<DefIdx, ScopeIdx>,
    /// The values that read each name.
    named: OnceLock<GroupedTable<ValueIdx>>,
    /// The variable of each scope and name.
    vars: OnceLock<SortedTable<(ScopeIdx, StrId), SlotIdx>>,
    /// The call at each line and column.
    sites: OnceLock<SortedTable<(u32, u32), CallIdx>>,
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

/// One use of a value in eight bytes: a store by its index, and arguments up to the 65,536th.
#[derive(Clone, Copy, Debug)]
enum StoredUse {
    Callee(CallIdx),
    Argument(CallIdx, u16),
    Store(u32),
    Inside(ValueIdx),
}

/// Items by the number of what they belong to, in the order in which they come.
#[derive(Debug)]
struct GroupedTable<T> {
    /// The index in `items` of the first item of each number; one more than there are numbers.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for GroupedTable<T> {
    fn default() -> Self {
        Self { starts: Vec::new(), items: Vec::new() }
    }
}

impl<T: Copy> GroupedTable<T> {
    /// Groups the items that `each` gives to its argument, twice the same, each with its number. Numbers beyond `numbers`
    /// are dropped.
    fn new(numbers: usize, placeholder: T, each: impl Fn(&mut dyn FnMut(u32, T))) -> Self {
        let mut starts = vec![0u32; numbers + 2];
        let is_known = |number: u32| (number as usize) < numbers;
        each(&mut |number, _| {
            if is_known(number) {
                starts[number as usize + 2] += 1;
            }
        });
        for at in 2..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut items = vec![placeholder; starts[numbers + 1] as usize];
        each(&mut |number, item| {
            if is_known(number) {
                let place = &mut starts[number as usize + 1];
                items[*place as usize] = item;
                *place += 1;
            }
        });
        starts.pop();
        Self { starts, items }
    }

    fn items_of(&self, number: u32) -> &[T] {
        let bounds = self.starts.get(number as usize).zip(self.starts.get(number as usize + 1));
        bounds.and_then(|(&start, &end)| self.items.get(start as usize..end as usize)).unwrap_or(&[])
    }
}

/// The values of things that have numbers: slots, calls or scopes.
#[derive(Debug, Default)]
pub(crate) struct NumberedTable(Vec<u32>);

impl NumberedTable {
    /// Stands for no value.
    const NONE: u32 = u32::MAX;

    fn new(len: usize) -> Self {
        Self(vec![Self::NONE; len])
    }

    fn set_value(&mut self, number: u32, value: ValueIdx) {
        if let Some(place) = self.0.get_mut(number as usize) {
            *place = value.0;
        }
    }

    pub(crate) fn get(&self, number: u32) -> Option<ValueIdx> {
        self.0.get(number as usize).filter(|value| **value != Self::NONE).map(|value| ValueIdx(*value))
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
}

impl FlowTables {
    pub(super) fn new(flows: Flows) -> Self {
        let mut tables = Self {
            slots: NumberedTable::new(flows.slots.len()),
            calls: NumberedTable::new(flows.calls.len()),
            scopes: NumberedTable::new(flows.scopes.len()),
            ..Self::default()
        };
        for (value, at) in flows.values.iter().zip(0..) {
            match *value {
                FlowValue::Slot(slot) => tables.slots.set_value(slot.0, ValueIdx(at)),
                FlowValue::Scope(scope) => tables.scopes.set_value(scope.0, ValueIdx(at)),
                FlowValue::Call(call) => tables.calls.set_value(call.0, ValueIdx(at)),
                _ => {}
            }
        }
        let scopes = flows.scopes.iter().zip(0..);
        let by_def = scopes.filter_map(|(scope, at)| Some((scope.def?, ScopeIdx(at)))).collect();
        Self { by_def: SortedTable::from_rows(by_def), flows, ..tables }
    }

    /// Returns the call at a line and column.
    pub(crate) fn call_at(&self, place: (u32, u32)) -> Option<CallIdx> {
        let rows = || {
            let calls = self.flows.calls.iter().zip(0..).filter(|(call, _)| call.kind != CallKind::Implicit);
            calls.map(|(call, at)| ((call.line, call.col), CallIdx(at))).collect()
        };
        self.sites.get_or_init(|| SortedTable::from_rows(rows())).get(place)
    }

    /// Returns the variable that a scope has under a name.
    pub(crate) fn variable_named(&self, scope: ScopeIdx, name: StrId) -> Option<SlotIdx> {
        let rows = || {
            let slots = self.flows.slots.iter().zip(0..);
            slots.map(|(slot, at)| ((slot.scope, slot.name), SlotIdx(at))).collect()
        };
        self.vars.get_or_init(|| SortedTable::from_rows(rows())).get((scope, name))
    }

    /// Returns the number of values, which decides how much memory the tables take.
    pub(crate) fn value_count(&self) -> usize {
        self.flows.values.len()
    }

    /// Yields the values that read a name.
    pub(crate) fn values_named(&self, name: StrId) -> impl Iterator<Item = ValueIdx> + '_ {
        self.named.get_or_init(|| grouped_by_name(&self.flows)).items_of(name.0).iter().copied()
    }

    /// Yields the uses of a value: as what is called, as arguments (up to the 65,536th of a call), in stores, in other
    /// values.
    pub(crate) fn uses_of_value(&self, value: ValueIdx) -> impl Iterator<Item = ValueUse> + '_ {
        let grouped = || {
            let flows = &self.flows;
            GroupedTable::new(flows.values.len(), StoredUse::Store(0), |add| each_use(flows, add))
        };
        self.uses.get_or_init(grouped).items_of(value.0).iter().filter_map(|one| {
            Some(match *one {
                StoredUse::Callee(call) => ValueUse::Callee(call),
                StoredUse::Argument(call, number) => ValueUse::Argument(call, u32::from(number)),
                StoredUse::Store(at) => ValueUse::Stored(self.flows.stores.get(at as usize)?.to),
                StoredUse::Inside(value) => ValueUse::Inside(value),
            })
        })
    }
}

/// Gives every use of a value to `add`, with the number of the value.
fn each_use(flows: &Flows, add: &mut dyn FnMut(u32, StoredUse)) {
    let calls = || flows.calls.iter().zip(0..).map(|(call, at)| (call, CallIdx(at)));
    calls().for_each(|(call, at)| add(call.callee.0, StoredUse::Callee(at)));
    for (call, at) in calls() {
        for (arg, number) in flows.parts(call.args).iter().zip(0..=u16::MAX) {
            add(arg.value.0, StoredUse::Argument(at, number));
        }
    }
    flows.stores.iter().zip(0..).for_each(|(store, at)| add(store.value.0, StoredUse::Store(at)));
    for (value, at) in flows.values.iter().zip(0..) {
        let inside = StoredUse::Inside(ValueIdx(at));
        match *value {
            FlowValue::Member(of, _) | FlowValue::Item(of, _) | FlowValue::Each(of) => add(of.0, inside),
            FlowValue::Container(parts) | FlowValue::OneOf(parts) => {
                flows.parts(parts).iter().for_each(|part| add(part.value.0, inside));
            }
            _ => {}
        }
    }
}

/// Groups the values that read a name by that name.
fn grouped_by_name(flows: &Flows) -> GroupedTable<ValueIdx> {
    let name_of = |value: &FlowValue| match *value {
        FlowValue::Slot(slot) => flows.slots.get(slot.0 as usize).map(|slot| slot.name),
        FlowValue::Free(name, _) | FlowValue::Member(_, name) => Some(name),
        _ => None,
    };
    let names = flows.values.iter().filter_map(name_of).map(|name| name.0 as usize + 1).max();
    GroupedTable::new(names.unwrap_or(0), ValueIdx(0), |add| {
        for (value, at) in flows.values.iter().zip(0..) {
            name_of(value).into_iter().for_each(|name| add(name.0, ValueIdx(at)));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_a_key_counts() {
        let table = SortedTable::from_rows(vec![(3, 'c'), (1, 'a'), (3, 'b'), (2, 'd')]);
        assert_eq!(
            [table.get(1), table.get(3), table.get(4), table.get(0)],
            [Some('a'), Some('b'), None, None]
        );
    }

    #[test]
    fn items_are_grouped_in_their_order() {
        let rows = [(2, 'c'), (0, 'a'), (2, 'b'), (9, 'x')];
        let table =
            GroupedTable::new(3, ' ', |add| rows.iter().for_each(|(number, item)| add(*number, *item)));
        let groups: Vec<String> = (0..4).map(|number| table.items_of(number).iter().collect()).collect();
        assert_eq!(groups, ["a", "", "cb", ""]);
    }
}
