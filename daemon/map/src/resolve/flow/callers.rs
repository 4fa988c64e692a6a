//! Finds the calls that can reach a function: it follows the function's values forwards, generously, and then checks
//! what each call that they reach calls.
//!
//! The arguments of a function come from all its calls ([`FlowKey::Callers`]), so its name is followed through every file
//! that mentions it, if these are few. A search for callers finds those whose name decides it by itself, and needs the calls
//! that reach the function through values ([`FlowKey::CallsThroughValues`]): it names the files in which the walk starts.

use std::collections::hash_map::Entry;

use hob_base::FileId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{BindingCall, CallAt, FlowKey, FlowObject, receiver_shift};
use crate::facts::{
    CallKind, DefFlags, FlowTarget, FlowValue, Import, ScopeIdx, ScopeKind, SlotIdx, StrId, ValueIdx,
};
use crate::index::{FileEntry, ValueUse};
use crate::node::DefRef;
use crate::resolve::{NameLookup, Resolver, Thing};

/// Most files that may mention a name that is followed everywhere; beyond, only its own file is searched.
const FILES: usize = 24;
/// Most files in which a search for calls through values starts, beside that of the definition.
pub(crate) const START_FILES: usize = FILES;
/// Most values that are followed.
const VALUES: usize = 400;

/// The values that are still to be followed, and the calls reached.
#[derive(Default)]
struct ForwardWalk {
    waiting: Vec<(FileId, ValueIdx)>,
    met: FxHashMap<(FileId, ValueIdx), ValueRole>,
    calls: FxHashSet<CallAt>,
    /// The variable of the definition that the walk starts from, if the files that read it are given.
    own: Option<(FileId, SlotIdx)>,
    /// True if a bound kept the walk from a file or a value.
    is_cut: bool,
}

/// The relation of a value on the way to the function that the walk started from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueRole {
    /// It may be the function itself.
    Itself,
    /// It is made of a value that may be the function, as the member `bind` of it is, whose call gives the function back.
    MadeOfIt,
}

impl ForwardWalk {
    fn visit_value(&mut self, file: FileId, value: ValueIdx) {
        self.visit_as(ValueRole::Itself, file, value);
    }

    fn visit_as(&mut self, role: ValueRole, file: FileId, value: ValueIdx) {
        let is_full = self.met.len() >= VALUES;
        match self.met.entry((file, value)) {
            Entry::Vacant(_) if is_full => self.is_cut = true,
            Entry::Vacant(free) => {
                free.insert(role);
                self.waiting.push((file, value));
            }
            // Its calls are looked at again, for their results.
            Entry::Occupied(mut known)
                if *known.get() == ValueRole::Itself && role == ValueRole::MadeOfIt =>
            {
                known.insert(role);
                self.waiting.push((file, value));
            }
            Entry::Occupied(_) => {}
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
        let mut way = self.walk_from_def(def);
        self.go_to_named(entry.facts.name(found.name), def.file, &mut way);
        let class = self.constructed_class(def);
        if let Some(class) = class {
            let name = self.def(class).map_or("", |(entry, class)| entry.facts.name(class.name));
            self.go_to_named(name, class.file, &mut way);
            self.go_to_scope(class, &mut way);
        }
        self.follow_all(&mut way);
        self.callers_among(&way, def, class)
    }

    /// Returns the calls that reach a definition through values which these files, or its own, read.
    pub(super) fn calls_through_values(&self, def: DefRef, files: &[FileId]) -> Vec<FlowObject> {
        if self.is_passing() {
            self.note_partial();
            return Vec::new();
        }
        let mut way = self.walk_from_def(def);
        way.own = self.variable_of(def).map(|slot| (def.file, slot));
        for file in std::iter::once(&def.file).chain(files) {
            let names = self.names_of_def_in(def, *file);
            self.go_to_names_in(*file, &names, &mut way);
        }
        self.follow_all(&mut way);
        self.callers_among(&way, def, None)
    }

    /// Begins a walk at the places where a definition stands, and at the objects of its class if it is what runs when these
    /// are called.
    fn walk_from_def(&self, def: DefRef) -> ForwardWalk {
        let mut way = ForwardWalk::default();
        self.go_to_scope(def, &mut way);
        if let Some((entry, found)) = self.def(def)
            && let Some(class) = found.parent.filter(|_| entry.facts.name(found.name) == "__call__")
        {
            self.go_to_made(DefRef { file: def.file, def: class }, &mut way);
        }
        way
    }

    /// Returns true if a definition is passed on or kept where it stands, in another variable than its own: a decorated
    /// function, a method of an object literal; or if calls of objects run it.
    pub(crate) fn is_value_where_it_stands(&self, def: DefRef) -> bool {
        let is_called_as_object =
            self.def(def).is_some_and(|(entry, found)| entry.facts.name(found.name) == "__call__");
        is_called_as_object || self.uses_where_it_stands(def).into_iter().any(|is_own| !is_own)
    }

    /// Returns true if a definition is stored in its own variable where it stands, as a method of an object literal is not.
    pub(crate) fn is_in_own_variable(&self, def: DefRef) -> bool {
        self.uses_where_it_stands(def).contains(&true)
    }

    /// Returns, for each use of a definition where it stands, true if that is the store in its own variable.
    fn uses_where_it_stands(&self, def: DefRef) -> Vec<bool> {
        let own = self.variable_of(def).map(FlowTarget::Slot);
        let is_own = |one: ValueUse| matches!(one, ValueUse::Stored(to) if Some(to) == own);
        let Some((entry, value)) = self.entry(def.file).zip(self.value_of_scope(def)) else {
            return Vec::new();
        };
        self.uses_in_file(def.file, entry).uses_of_value(value).map(is_own).collect()
    }

    fn go_to_scope(&self, def: DefRef, way: &mut ForwardWalk) {
        self.value_of_scope(def).into_iter().for_each(|value| way.visit_value(def.file, value));
    }

    /// Returns the value that is the function or class where its definition stands.
    fn value_of_scope(&self, def: DefRef) -> Option<ValueIdx> {
        let uses = self.uses_in_file(def.file, self.entry(def.file)?);
        uses.scopes.get(uses.by_def.get(def.def)?.0)
    }

    /// Returns the calls that a walk came to and that reach a definition, or the class that it constructs.
    fn callers_among(&self, way: &ForwardWalk, def: DefRef, class: Option<DefRef>) -> Vec<FlowObject> {
        let Some(entry) = self.entry(def.file) else { return Vec::new() };
        let scope = self.uses_in_file(def.file, entry).by_def.get(def.def).unwrap_or(ScopeIdx(u32::MAX));
        let reaching = way.calls.iter().filter_map(|at| {
            let shift = self.shift_if_reaching(*at, def, class)?;
            Some(FlowObject::Caller(BindingCall { by: *at, scope, shift }))
        });
        sorted_callers(reaching.collect())
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
        let Some(entry) = self.entry(file) else { return };
        let Some(id) = entry.facts.names.find(name) else { return };
        let renamed = entry.facts.imports.iter().filter(|import| import.name == Some(id));
        let names: Vec<StrId> = renamed.filter_map(|import| import.local).chain([id]).collect();
        self.go_to_names_in(file, &names, way);
    }

    fn go_to_names_in(&self, file: FileId, names: &[StrId], way: &mut ForwardWalk) {
        let Some(entry) = self.entry(file).filter(|entry| !entry.facts.flows.is_empty()) else { return };
        let uses = self.uses_in_file(file, entry);
        for name in names {
            uses.values_named(*name).for_each(|value| way.visit_value(file, value));
        }
    }

    /// Returns the names that may mean a definition in a file: its own, and those under which the file imports it.
    pub(crate) fn names_of_def_in(&self, def: DefRef, file: FileId) -> Vec<StrId> {
        let (Some((home, found)), Some(entry)) = (self.def(def), self.entry(file)) else { return Vec::new() };
        let own_name = home.facts.name(found.name);
        let own = entry.facts.names.find(own_name);
        let is_default = found.flags.has(DefFlags::DEFAULT);
        let default = if is_default { entry.facts.names.find("default") } else { None };
        let means_it = |import: &Import| {
            let meant = self.binding(file, entry, import);
            matches!(meant, NameLookup::Thing(Thing::Def(meant), _) if meant == def)
        };
        let imports = entry.facts.imports.iter().filter(|import| match import.name {
            Some(name) if Some(name) == default => means_it(import),
            Some(name) if Some(name) == own => true,
            // Another file may export it under another name.
            Some(_) => own.is_none() && means_it(import),
            None => false,
        });
        let mut names: Vec<StrId> = imports.filter_map(|import| import.local).chain(own).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Adds the objects of a class.
    fn go_to_made(&self, class: DefRef, way: &mut ForwardWalk) {
        let callers = self.read(FlowKey::Callers(class));
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
            let is_made_of_it = way.met.get(&(file, value)) == Some(&ValueRole::MadeOfIt);
            for one in uses.uses_of_value(value) {
                self.follow_one(file, entry, one, way);
                if is_made_of_it && let ValueUse::Callee(call) = one {
                    self.go_to_result_of_member(CallAt { file, call }, entry, way);
                }
            }
        }
        if way.is_cut {
            self.note_partial();
        }
    }

    fn follow_one(&self, file: FileId, entry: &'m FileEntry, one: ValueUse, way: &mut ForwardWalk) {
        match one {
            ValueUse::Callee(call) => drop(way.calls.insert(CallAt { file, call })),
            ValueUse::Argument(call, number) => self.follow_argument(CallAt { file, call }, number, way),
            ValueUse::Inside(value) => way.visit_as(ValueRole::MadeOfIt, file, value),
            ValueUse::Stored(to) => self.follow_stored(file, entry, to, way),
        }
    }

    /// Adds the result of a member's call, unless the call reaches code of the project, which says itself what it returns.
    fn go_to_result_of_member(&self, at: CallAt, entry: &FileEntry, way: &mut ForwardWalk) {
        let Some((_, call)) = self.call(at) else { return };
        let is_member =
            matches!(self.uses_in_file(at.file, entry).flows.value(call.callee), FlowValue::Member(..));
        if is_member && self.may_be_of_library(&self.read(FlowKey::Value(at.file, call.callee, None))) {
            self.go_to_result(at, way);
        }
    }

    /// Returns true if what is called is no code of the project, as far as that can still become known.
    fn may_be_of_library(&self, callees: &[FlowObject]) -> bool {
        let is_own = |callee: &FlowObject| matches!(callee, FlowObject::Def(..) | FlowObject::Lambda(..));
        if callees.is_empty() { self.is_settled() } else { !callees.iter().any(is_own) }
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
                if matches!(kind, ScopeKind::File | ScopeKind::Class) && way.own != Some((file, slot)) {
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
                    FlowValue::Free(name, _) => uses.variable_named(ScopeIdx(0), name),
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
