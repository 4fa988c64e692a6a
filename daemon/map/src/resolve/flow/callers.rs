//! Finds the calls that can reach a function: it follows the function's values forwards, generously, and then checks
//! what each call that they reach calls.

use hob_base::FileId;
use rustc_hash::FxHashSet;

use super::{BindingCall, CallAt, FlowKey, FlowObject, receiver_shift};
use crate::facts::{CallKind, FlowTarget, FlowValue, ScopeIdx, ScopeKind, SlotIdx, ValueIdx};
use crate::index::{FileEntry, ValueUse};
use crate::node::DefRef;
use crate::resolve::Resolver;

/// Most files that may mention a name that is followed everywhere; beyond, only its own file is searched.
const FILES: usize = 24;
/// Most values that are followed.
const VALUES: usize = 400;

/// The values that are still to be followed, and the calls reached.
#[derive(Default)]
struct ForwardWalk {
    waiting: Vec<(FileId, ValueIdx)>,
    met: FxHashSet<(FileId, ValueIdx)>,
    calls: FxHashSet<CallAt>,
    /// True if a bound kept the walk from a file or a value.
    is_cut: bool,
}

impl ForwardWalk {
    fn visit_value(&mut self, file: FileId, value: ValueIdx) {
        if self.met.len() >= VALUES {
            self.is_cut |= !self.met.contains(&(file, value));
        } else if self.met.insert((file, value)) {
            self.waiting.push((file, value));
        }
    }
}

impl<'m> Resolver<'m> {
    /// Returns the calls that reach a definition. A pass over the whole map gets none: it would ask for every function
    /// that has parameters.
    pub(super) fn callers_of_def(&self, def: DefRef) -> Vec<FlowObject> {
        if self.is_passing() {
            self.note_partial();
            return Vec::new();
        }
        let Some((entry, found)) = self.def(def) else { return Vec::new() };
        let uses = self.uses_in_file(def.file, entry);
        let scope = uses.by_def.get(def.def).unwrap_or(ScopeIdx(u32::MAX));
        let mut way = ForwardWalk::default();
        if let Some(value) = uses.scopes.get(scope.0) {
            way.visit_value(def.file, value);
        }
        let name = entry.facts.name(found.name);
        self.go_to_named(name, def.file, &mut way);
        let class = self.constructed_class(def);
        if let Some(class) = class {
            let name = self.def(class).map_or("", |(entry, class)| entry.facts.name(class.name));
            self.go_to_named(name, class.file, &mut way);
            let value = uses.by_def.get(class.def).and_then(|scope| uses.scopes.get(scope.0));
            value.into_iter().for_each(|value| way.visit_value(class.file, value));
        }
        if name == "__call__"
            && let Some(class) = found.parent
        {
            self.go_to_made(DefRef { file: def.file, def: class }, &mut way);
        }
        self.follow_all(&mut way);
        if way.is_cut {
            self.flow.borrow_mut().cut_callers.insert(def);
        }
        let mut bounds = Vec::new();
        for at in &way.calls {
            bounds.extend(
                self.shift_if_reaching(*at, def, class)
                    .map(|shift| FlowObject::Caller(BindingCall { by: *at, scope, shift })),
            );
        }
        sorted_callers(bounds)
    }

    /// Notes that the objects of the key that is being computed are not whole.
    fn note_partial(&self) {
        let mut known = self.flow.borrow_mut();
        let at = known.at;
        known.note_partial(at);
    }

    pub(super) fn callers_of_lambda(&self, file: FileId, scope: ScopeIdx) -> Vec<FlowObject> {
        if self.is_passing() {
            self.note_partial();
            return Vec::new();
        }
        let Some(entry) = self.entry(file) else { return Vec::new() };
        let mut way = ForwardWalk::default();
        if let Some(value) = self.uses_in_file(file, entry).scopes.get(scope.0) {
            way.visit_value(file, value);
        }
        self.follow_all(&mut way);
        let lambda = FlowObject::Lambda(file, scope);
        let calls = way.calls.iter().filter(|at| {
            let callee = self.call(**at).map(|(_, call)| FlowKey::Value(at.file, call.callee, None));
            callee.is_some_and(|key| self.read(key).contains(&lambda))
        });
        sorted_callers(calls.map(|at| FlowObject::Caller(BindingCall { by: *at, scope, shift: 0 })).collect())
    }

    /// Returns the class whose constructor a method is; `None` for any other method.
    pub(crate) fn constructed_class(&self, def: DefRef) -> Option<DefRef> {
        let (entry, found) = self.def(def)?;
        let is_constructor = matches!(entry.facts.name(found.name), "__init__" | "constructor");
        found.parent.filter(|_| is_constructor).map(|class| DefRef { file: def.file, def: class })
    }

    /// Returns the number of parameters that a call binds before its first argument; `None` if it does not reach the
    /// function.
    fn shift_if_reaching(&self, at: CallAt, def: DefRef, class: Option<DefRef>) -> Option<u32> {
        let (entry, call) = self.call(at)?;
        let callees = self.read(FlowKey::Value(at.file, call.callee, None));
        let shift = receiver_shift(entry, true);
        for callee in &callees {
            match callee {
                FlowObject::Def(found, is_bound) if *found == def => {
                    return Some(u32::from(*is_bound) * shift);
                }
                FlowObject::Def(found, _) if Some(*found) == class => return Some(shift),
                FlowObject::Instance(..) if self.called_def(callee) == Some(def) => return Some(shift),
                _ => {}
            }
        }
        let passed = self.callbacks(at, entry, call, &callees);
        let is_passed = |value: &ValueIdx| {
            let objects = self.read(FlowKey::Value(at.file, *value, None));
            objects.iter().any(|obj| matches!(obj, FlowObject::Def(found, _) if *found == def))
        };
        // The call passes the function to the library, which calls it: the arguments are not known.
        passed.iter().any(is_passed).then_some(u32::MAX / 2)
    }

    /// Adds the values that a name can stand for in the files that mention it.
    fn go_to_named(&self, name: &str, home: FileId, way: &mut ForwardWalk) {
        let files = self.index.files_mentioning(name);
        if files.len() > FILES {
            way.is_cut = true;
            return self.go_to_named_in(home, name, way);
        }
        self.go_to_named_in(home, name, way);
        files
            .iter()
            .filter(|file| **file != home.0)
            .for_each(|file| self.go_to_named_in(FileId(*file), name, way));
    }

    fn go_to_named_in(&self, file: FileId, name: &str, way: &mut ForwardWalk) {
        let Some(entry) = self.entry(file).filter(|entry| !entry.facts.flows.is_empty()) else { return };
        let Some(id) = entry.facts.names.find(name) else { return };
        let uses = self.uses_in_file(file, entry);
        let renamed = entry.facts.imports.iter().filter(|import| import.name == Some(id));
        let names = renamed.filter_map(|import| import.local).chain([id]);
        for name in names {
            uses.values_named(name).for_each(|value| way.visit_value(file, value));
        }
    }

    /// Adds the objects of a class.
    fn go_to_made(&self, class: DefRef, way: &mut ForwardWalk) {
        let callers = self.read(FlowKey::Callers(class));
        way.is_cut |= self.has_cut_callers(class);
        for caller in callers {
            let FlowObject::Caller(bound) = caller else { continue };
            self.go_to_result(bound.by, way);
        }
    }

    fn go_to_result(&self, at: CallAt, way: &mut ForwardWalk) {
        let Some(entry) = self.entry(at.file) else { return };
        if let Some(value) = self.uses_in_file(at.file, entry).calls.get(at.call.0) {
            way.visit_value(at.file, value);
        }
    }

    fn follow_all(&self, way: &mut ForwardWalk) {
        while let Some((file, value)) = way.waiting.pop() {
            let Some(entry) = self.entry(file) else { continue };
            let uses = self.uses_in_file(file, entry);
            for one in uses.uses_of_value(value) {
                self.follow_one(file, entry, one, way);
            }
        }
    }

    fn follow_one(&self, file: FileId, entry: &'m FileEntry, one: ValueUse, way: &mut ForwardWalk) {
        match one {
            ValueUse::Callee(call) => {
                let at = CallAt { file, call };
                way.calls.insert(at);
                if let Some((_, found)) = self.call(at)
                    && matches!(
                        self.uses_in_file(file, entry).flows.value(found.callee),
                        FlowValue::Member(..)
                    )
                {
                    self.go_to_result(at, way);
                }
            }
            ValueUse::Argument(call, number) => self.follow_argument(CallAt { file, call }, number, way),
            ValueUse::Inside(value) => way.visit_value(file, value),
            ValueUse::Stored(to) => self.follow_stored(file, entry, to, way),
        }
    }

    fn follow_argument(&self, at: CallAt, number: u32, way: &mut ForwardWalk) {
        let Some((entry, call)) = self.call(at) else { return };
        let callees = self.read(FlowKey::Value(at.file, call.callee, None));
        let opened = self.uses_in_file(at.file, entry);
        let Some(part) = opened.flows.parts(call.args).get(number as usize) else { return };
        for callee in &callees {
            self.follow_into(callee, entry, part.label, way);
            if self.hands_on(callee) {
                self.go_to_result(at, way);
            }
        }
        let is_own =
            callees.iter().any(|callee| matches!(callee, FlowObject::Def(..) | FlowObject::Lambda(..)));
        if !is_own {
            way.calls.insert(at);
            if call.kind == CallKind::Decorator
                || matches!(self.uses_in_file(at.file, entry).flows.value(call.callee), FlowValue::Member(..))
            {
                self.go_to_result(at, way);
            }
        }
    }

    /// Follows a value into the parameter of a called function.
    fn follow_into(
        &self,
        callee: &FlowObject,
        from: &FileEntry,
        label: crate::facts::Label,
        way: &mut ForwardWalk,
    ) {
        let (file, scope, is_bound) = match callee {
            FlowObject::Def(def, is_bound) => match self.scope_that_runs(*def) {
                Some((at, scope)) => (at, scope, *is_bound || at_class(self, *def)),
                None => return,
            },
            FlowObject::Lambda(file, scope) => (*file, *scope, false),
            _ => return,
        };
        let Some(entry) = self.entry(file) else { return };
        let opened = self.uses_in_file(file, entry);
        let flows = &opened.flows;
        let Some(found) = flows.scopes.get(scope.0 as usize) else { return };
        let shift = receiver_shift(entry, is_bound);
        let slots = (0..found.param_count).map(|number| (number, SlotIdx(found.params + number)));
        for (number, slot) in slots {
            let fits = match label {
                crate::facts::Label::At(at) => at + shift == number,
                crate::facts::Label::Named(name) => {
                    entry.facts.name(flows.slots[slot.0 as usize].name) == from.facts.name(name)
                }
                _ => false,
            };
            if fits && let Some(value) = self.uses_in_file(file, entry).slots.get(slot.0) {
                way.visit_value(file, value);
            }
        }
    }

    /// Returns the scope of a function, or of a class's constructor.
    fn scope_that_runs(&self, def: DefRef) -> Option<(FileId, ScopeIdx)> {
        let (_, found) = self.def(def)?;
        let runs = if found.kind.is_type() {
            self.find_method(def, "__init__").or_else(|| self.find_method(def, "constructor"))?
        } else {
            def
        };
        let (entry, _) = self.def(runs)?;
        Some((runs.file, self.uses_in_file(runs.file, entry).by_def.get(runs.def)?))
    }

    fn follow_stored(&self, file: FileId, entry: &'m FileEntry, to: FlowTarget, way: &mut ForwardWalk) {
        let opened = self.uses_in_file(file, entry);
        let flows = &opened.flows;
        let uses = self.uses_in_file(file, entry);
        match to {
            FlowTarget::Slot(slot) => {
                uses.slots.get(slot.0).into_iter().for_each(|value| way.visit_value(file, value));
                let var = flows.slots[slot.0 as usize];
                let kind = flows.scopes[var.scope.0 as usize].kind;
                if matches!(kind, ScopeKind::File | ScopeKind::Class) {
                    self.go_to_named(entry.facts.name(var.name), file, way);
                }
            }
            FlowTarget::Member(name, of) => {
                way.visit_value(file, of);
                self.go_to_named(entry.facts.name(name), file, way);
            }
            FlowTarget::Item(of, _) => {
                way.visit_value(file, of);
                let slot = match flows.value(of) {
                    FlowValue::Slot(slot) => Some(slot),
                    FlowValue::Free(name, _) => uses.vars.get((ScopeIdx(0), name)),
                    _ => None,
                };
                if let Some(slot) = slot {
                    uses.slots.get(slot.0).into_iter().for_each(|value| way.visit_value(file, value));
                    flows
                        .values_stored_in(FlowTarget::Slot(slot))
                        .for_each(|value| way.visit_value(file, value));
                }
            }
            FlowTarget::Return(scope) | FlowTarget::Yield(scope) => {
                let key = match flows.scopes[scope.0 as usize].def {
                    Some(def) => FlowKey::Callers(DefRef { file, def }),
                    None => FlowKey::CallersOf(file, scope),
                };
                for caller in self.read(key) {
                    if let FlowObject::Caller(bound) = caller {
                        self.go_to_result(bound.by, way);
                    }
                }
            }
        }
    }
}

fn at_class(resolver: &Resolver<'_>, def: DefRef) -> bool {
    resolver.def(def).is_some_and(|(_, found)| found.kind.is_type())
}

fn sorted_callers(mut found: Vec<FlowObject>) -> Vec<FlowObject> {
    found.sort_by_key(|obj| if let FlowObject::Caller(bound) = obj { Some(*bound) } else { None });
    found
}
