//! Finds calls of fields that surely have another value than the object's constructor stored.
//!
//! `const c = new Box(f); c.change(g); c.run()` calls `g` alone if every run of `change` stores `this.run`. Certain is
//! only what follows from the text: the object is made, changed and called in one scope, none of the three in a branch
//! or loop, and the change is a call of one function, which stores the field whenever it runs to its end. Anything else
//! only adds values to the field.

use hob_base::FileId;

use super::{CallAt, FlowKey, FlowObject, receiver_shift};
use crate::facts::{Call, FlowValue, Flows, Label, ScopeIdx, SlotIdx, StrId, ValueIdx};
use crate::resolve::Resolver;

/// Most calls between the call of the constructor and the call of the field.
const BETWEEN: usize = 32;
/// Most nested functions of which the innermost stores the field.
const WITHIN: usize = 3;

/// The object whose field is called.
struct CalledField<'e> {
    file: FileId,
    /// The value that has the field.
    of: ValueIdx,
    /// The name of the field.
    name: &'e str,
}

/// A field of a value in one file.
#[derive(Clone, Copy)]
struct FieldOf {
    of: FlowValue,
    name: StrId,
}

impl<'m> Resolver<'m> {
    /// Returns the key of the field that a call calls, if the value that the constructor stored there is overwritten.
    pub(super) fn key_of_overwritten(&self, at: CallAt) -> Option<FlowKey> {
        let (entry, call) = self.call(at)?;
        let opened = self.uses_in_file(at.file, entry);
        let flows = &opened.flows;
        let FlowValue::Member(of, name) = flows.value(call.callee) else { return None };
        let FlowValue::Call(made) = flows.value(of) else { return None };
        let maker = flows.calls.get(made.0 as usize).filter(|maker| maker.is_sure)?;
        let between = flows.calls.get(made.0 as usize + 1..at.call.0 as usize)?;
        let is_change = |change: &&Call| change.is_sure && touches_value(flows, change, of);
        let mut changes = between.iter().take(BETWEEN).filter(is_change).peekable();
        changes.peek().filter(|_| maker.scope == call.scope)?;
        let field = CalledField { file: at.file, of, name: entry.facts.name(name) };
        let made = CallAt { file: at.file, call: made };
        let objects = self.solve(FlowKey::Value(at.file, of, None))?;
        let [FlowObject::Instance(class, Some(by))] = objects[..] else { return None };
        let is_overwritten = by == made
            && changes
                .filter(|change| change.scope == call.scope)
                .any(|change| self.overwrites(change, &field));
        let key = FlowKey::LaterField(class, made, field.name.into());
        let is_known = is_overwritten && self.solve(key.clone()).is_some_and(|known| !known.is_empty());
        is_known.then_some(key)
    }

    /// Returns true if a call surely stores a field of an object that is its argument or receiver.
    fn overwrites(&self, change: &Call, field: &CalledField<'_>) -> bool {
        let callees = self.solve(FlowKey::Value(field.file, change.callee, None)).unwrap_or_default();
        let [FlowObject::Def(def, is_bound)] = callees[..] else { return false };
        let Some((entry, _)) = self.def(def) else { return false };
        let Some(name) = entry.facts.names.find(field.name) else { return false };
        let Some(from) = self.entry(field.file) else { return false };
        let calling = self.uses_in_file(field.file, from);
        let called = self.uses_in_file(def.file, entry);
        let Some(scope) = called.by_def.get(def.def) else { return false };
        let given = match calling.flows.value(change.callee) {
            FlowValue::Member(of, _) if of == field.of => Some(FlowValue::This(scope)),
            _ => parameter_given(&calling.flows, change, field.of)
                .map(|number| number + receiver_shift(entry, is_bound))
                .and_then(|number| parameter(&called.flows, scope, number)),
        };
        given.is_some_and(|of| surely_stores(&called.flows, scope, FieldOf { of, name }, WITHIN))
    }
}

/// Returns true if a value is an argument or the receiver of a call.
fn touches_value(flows: &Flows, call: &Call, of: ValueIdx) -> bool {
    matches!(flows.value(call.callee), FlowValue::Member(on, _) if on == of)
        || flows.parts(call.args).iter().any(|arg| arg.value == of)
}

/// Returns the number of the argument that is a value.
fn parameter_given(flows: &Flows, call: &Call, of: ValueIdx) -> Option<u32> {
    let arg = flows.parts(call.args).iter().find(|arg| arg.value == of)?;
    if let Label::At(number) = arg.label { Some(number) } else { None }
}

fn parameter(flows: &Flows, scope: ScopeIdx, number: u32) -> Option<FlowValue> {
    let found = flows.scopes.get(scope.0 as usize)?;
    (number < found.param_count).then_some(FlowValue::Slot(SlotIdx(found.params + number)))
}

/// Returns true if every run of a function stores a field, or calls an inner function that does.
fn surely_stores(flows: &Flows, scope: ScopeIdx, field: FieldOf, depth: usize) -> bool {
    if flows.surely_stored_in(field.name, scope).any(|of| flows.value(of) == field.of) {
        return true;
    }
    let calls = flows.calls.iter().filter(|call| call.scope == scope && call.is_sure);
    let mut within = calls.filter_map(|call| match flows.value(call.callee) {
        FlowValue::Scope(inner) if inner > scope && depth > 0 => Some(inner),
        _ => None,
    });
    within.any(|inner| surely_stores(flows, inner, field, depth - 1))
}
