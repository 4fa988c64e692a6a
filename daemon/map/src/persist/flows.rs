//! Encodes the tables of flows. Reading checks every index, so that a damaged one does not lead out of its list.

use super::PersistError::{self, Damaged};
use super::columns::Coding::{self, Delta, Plain};
use super::columns::{Input, put_table};
use super::{FactsLimits, option_number};
use crate::facts::{
    Call, CallIdx, CallKind, FlowPart, FlowParts, FlowScope, FlowStore, FlowTarget, FlowValue, Flows, Label,
    ScopeIdx, ScopeKind, Slot, SlotIdx, SlotKind, ValueIdx,
};

const VALUES: [Coding; 3] = [Plain, Delta, Plain];
const PARTS: [Coding; 3] = [Plain, Delta, Delta];
const CALLS: [Coding; 7] = [Delta, Delta, Delta, Plain, Delta, Plain, Plain];
const SCOPES: [Coding; 6] = [Plain, Delta, Plain, Delta, Delta, Plain];
const SLOTS: [Coding; 3] = [Delta, Plain, Plain];
const STORES: [Coding; 5] = [Plain, Delta, Plain, Delta, Plain];

/// The bit in the number of a call's kind that is set if the call is sure.
const SURE: u32 = 1 << 4;

pub(super) fn put_flows(out: &mut Vec<u8>, flows: &Flows) {
    put_table(out, &SCOPES, flows.scopes.iter().map(scope_row));
    put_table(out, &SLOTS, flows.slots.iter().map(|slot| [slot.scope.0, slot.name.0, slot.kind as u32]));
    put_table(out, &PARTS, flows.parts.iter().map(part_row));
    put_table(out, &CALLS, flows.calls.iter().map(call_row));
    put_table(out, &VALUES, flows.values.iter().map(value_row));
    put_table(out, &STORES, flows.stores.iter().map(store_row));
}

fn scope_row(scope: &FlowScope) -> [u32; 6] {
    let (def, home) =
        (option_number(scope.def.map(|def| def.number())), option_number(scope.home.map(|home| home.0)));
    [scope.kind as u32, scope.parent.0, def, home, scope.params, scope.param_count]
}

fn part_row(part: &FlowPart) -> [u32; 3] {
    let (label, of) = match part.label {
        Label::At(at) => (0, at),
        Label::Named(name) => (1, name.0),
        Label::Keyed(key) => (2, key.0),
        Label::Spread => (3, 0),
    };
    [label, of, part.value.0]
}

fn call_row(call: &Call) -> [u32; 7] {
    let kind = call.kind as u32 | if call.is_sure { SURE } else { 0 };
    [call.line, call.callee.0, call.scope.0, call.col, call.args.start, call.args.len, kind]
}

fn value_row(value: &FlowValue) -> [u32; 3] {
    match *value {
        FlowValue::Unknown => [0, 0, 0],
        FlowValue::Slot(slot) => [1, slot.0, 0],
        FlowValue::Free(name, scope) => [2, name.0, scope.0],
        FlowValue::This(scope) => [3, scope.0, 0],
        FlowValue::Super(scope) => [4, scope.0, 0],
        FlowValue::Member(of, name) => [5, of.0, name.0],
        FlowValue::Item(of, key) => [6, of.0, key.0],
        FlowValue::Each(of) => [7, of.0, 0],
        FlowValue::Text(text) => [8, text.0, 0],
        FlowValue::Scope(scope) => [9, scope.0, 0],
        FlowValue::Call(call) => [10, call.0, 0],
        FlowValue::Container(parts) => [11, parts.start, parts.len],
        FlowValue::OneOf(parts) => [12, parts.start, parts.len],
    }
}

fn store_row(store: &FlowStore) -> [u32; 5] {
    let (to, of, key) = match store.to {
        FlowTarget::Slot(slot) => (0, slot.0, 0),
        FlowTarget::Member(name, of) => (1, of.0, name.0),
        FlowTarget::Item(of, key) => (2, of.0, key.0),
        FlowTarget::Return(scope) => (3, scope.0, 0),
        FlowTarget::Yield(scope) => (4, scope.0, 0),
    };
    [to, of, key, store.value.0, option_number(store.sure_in.map(|scope| scope.0))]
}

/// The length of each list that was read so far.
#[derive(Clone, Copy, Default)]
struct FlowCounts {
    values: u32,
    scopes: u32,
    slots: u32,
    calls: u32,
    parts: u32,
}

fn within<T>(at: u32, count: u32, make: fn(u32) -> T) -> Result<T, PersistError> {
    if at < count { Ok(make(at)) } else { Err(Damaged("a flow is out of range")) }
}

impl FlowCounts {
    fn value(self, at: u32) -> Result<ValueIdx, PersistError> {
        within(at, self.values, ValueIdx)
    }

    fn scope(self, at: u32) -> Result<ScopeIdx, PersistError> {
        within(at, self.scopes, ScopeIdx)
    }

    fn checked_parts(self, start: u32, len: u32) -> Result<FlowParts, PersistError> {
        let end = start.checked_add(len).filter(|end| *end <= self.parts);
        end.map(|_| FlowParts { start, len }).ok_or(Damaged("parts are out of range"))
    }
}

/// Reads flows. Some tables refer to later ones, so those references are checked at the end.
pub(super) fn read(input: &mut Input<'_>, limits: FactsLimits<'_>) -> Result<Flows, PersistError> {
    let scopes = input.read_table(&SCOPES, |_, row| scope_from(limits, row))?;
    let mut counts = FlowCounts { scopes: scopes.len() as u32, ..FlowCounts::default() };
    let slots = input.read_table(&SLOTS, |_, [scope, name, kind]| {
        let kind = *SlotKind::ALL.get(kind as usize).ok_or(Damaged("a variable's kind is unknown"))?;
        Ok(Slot { scope: counts.scope(scope)?, name: limits.name(name)?, kind })
    })?;
    let parts = input.read_table(&PARTS, |_, row| part_from(limits, row))?;
    (counts.slots, counts.parts) = (slots.len() as u32, parts.len() as u32);
    let calls = input.read_table(&CALLS, |_, row| call_from(counts, row))?;
    counts.calls = calls.len() as u32;
    let values = input.read_table(&VALUES, |at, row| {
        counts.values = at;
        value_from(counts, limits, row)
    })?;
    counts.values = values.len() as u32;
    let stores = input.read_table(&STORES, |_, row| store_from(counts, limits, row))?;
    let flows = Flows { values, parts, calls, scopes, slots, stores };
    if is_sound(&flows, counts) { Ok(flows) } else { Err(Damaged("a flow leads nowhere")) }
}

fn is_sound(flows: &Flows, counts: FlowCounts) -> bool {
    let known = |at: ValueIdx| at.0 < counts.values;
    let scope = |(at, scope): (usize, &FlowScope)| {
        let end = scope.params.checked_add(scope.param_count);
        scope.home.is_none_or(known)
            && end.is_some_and(|end| end <= counts.slots)
            && (scope.parent.0 as usize) < at.max(1)
    };
    let labelled = |label| if let Label::Keyed(key) = label { known(key) } else { true };
    flows.scopes.iter().enumerate().all(scope)
        && flows.parts.iter().all(|part| known(part.value) && labelled(part.label))
        && flows.calls.iter().all(|call| known(call.callee))
        && flows.stores.is_sorted_by_key(|store| store.to)
}

fn scope_from(limits: FactsLimits<'_>, row: [u32; 6]) -> Result<FlowScope, PersistError> {
    let [kind, parent, def, home, params, param_count] = row;
    let kind = *ScopeKind::ALL.get(kind as usize).ok_or(Damaged("a scope's kind is unknown"))?;
    let (def, home) = (limits.opt_def(def)?, home.checked_sub(1).map(ValueIdx));
    Ok(FlowScope { kind, def, parent: ScopeIdx(parent), home, params, param_count })
}

fn part_from(limits: FactsLimits<'_>, [label, of, value]: [u32; 3]) -> Result<FlowPart, PersistError> {
    let label = match label {
        0 => Label::At(of),
        1 => Label::Named(limits.name(of)?),
        2 => Label::Keyed(ValueIdx(of)),
        3 => Label::Spread,
        _ => return Err(Damaged("a label is unknown")),
    };
    Ok(FlowPart { label, value: ValueIdx(value) })
}

fn call_from(counts: FlowCounts, row: [u32; 7]) -> Result<Call, PersistError> {
    let [line, callee, scope, col, start, len, kind] = row;
    let is_sure = kind & SURE != 0;
    let kind = CallKind::ALL.get((kind & !SURE) as usize);
    let kind = *kind.ok_or(Damaged("a call's kind is unknown"))?;
    let args = counts.checked_parts(start, len)?;
    Ok(Call { callee: ValueIdx(callee), scope: counts.scope(scope)?, line, col, args, kind, is_sure })
}

/// Reads a value. It comes after the values of which it is made, so `counts` has only those before it.
fn value_from(counts: FlowCounts, limits: FactsLimits<'_>, row: [u32; 3]) -> Result<FlowValue, PersistError> {
    let [kind, a, b] = row;
    Ok(match kind {
        0 => FlowValue::Unknown,
        1 => FlowValue::Slot(within(a, counts.slots, SlotIdx)?),
        2 => FlowValue::Free(limits.name(a)?, counts.scope(b)?),
        3 => FlowValue::This(counts.scope(a)?),
        4 => FlowValue::Super(counts.scope(a)?),
        5 => FlowValue::Member(counts.value(a)?, limits.name(b)?),
        6 => FlowValue::Item(counts.value(a)?, counts.value(b)?),
        7 => FlowValue::Each(counts.value(a)?),
        8 => FlowValue::Text(limits.name(a)?),
        9 => FlowValue::Scope(counts.scope(a)?),
        10 => FlowValue::Call(within(a, counts.calls, CallIdx)?),
        11 => FlowValue::Container(counts.checked_parts(a, b)?),
        12 => FlowValue::OneOf(counts.checked_parts(a, b)?),
        _ => return Err(Damaged("a value is unknown")),
    })
}

fn store_from(counts: FlowCounts, limits: FactsLimits<'_>, row: [u32; 5]) -> Result<FlowStore, PersistError> {
    let [to, of, key, value, sure_in] = row;
    let to = match to {
        0 => FlowTarget::Slot(within(of, counts.slots, SlotIdx)?),
        1 => FlowTarget::Member(limits.name(key)?, counts.value(of)?),
        2 => FlowTarget::Item(counts.value(of)?, counts.value(key)?),
        3 => FlowTarget::Return(counts.scope(of)?),
        4 => FlowTarget::Yield(counts.scope(of)?),
        _ => return Err(Damaged("a store is unknown")),
    };
    let sure_in = sure_in.checked_sub(1).map(|scope| counts.scope(scope)).transpose()?;
    Ok(FlowStore { to, value: counts.value(value)?, sure_in })
}
