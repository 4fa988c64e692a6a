//! Computes the objects that values, variables and calls can be, from the flows of their files.

use std::rc::Rc;

use hob_base::FileId;

use super::{BindingCall, CallAt, FlowKey, FlowObject, is_followed, is_static, receiver_shift};
use crate::facts::{
    CallIdx, CallKind, DefIdx, FlowPart, FlowTarget, FlowValue, Label, ScopeIdx, ScopeKind, SlotIdx,
    SlotKind, StrId, TypePart, ValueIdx,
};
use crate::index::FileEntry;
use crate::node::DefRef;
use crate::resolve::{NameLookup, Resolver, Thing};

/// Most names of a chain that is resolved at once.
const CHAIN: usize = 8;

/// Most stores under keys that are searched for one container.
const ITEMS: usize = 64;

/// An argument of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ArgumentAt {
    /// The index of the argument among the parts of the file's flows.
    pub(super) part: u32,
    /// The value that is passed.
    pub(super) value: ValueIdx,
}

impl<'m> Resolver<'m> {
    pub(super) fn value_objects(
        &self,
        file: FileId,
        at: ValueIdx,
        bound: Option<BindingCall>,
    ) -> Vec<FlowObject> {
        let Some(entry) = self.entry(file) else { return Vec::new() };
        let opened = self.uses_in_file(file, entry);
        let flows = &opened.flows;
        let read = |at: ValueIdx| self.read(FlowKey::Value(file, at, bound));
        match flows.value(at) {
            FlowValue::Unknown => Vec::new(),
            FlowValue::Slot(slot) => {
                let own = bound.filter(|bound| flows.slots[slot.0 as usize].scope == bound.scope);
                self.read(FlowKey::Slot(file, slot, own))
            }
            FlowValue::Free(name, scope) => self.free_name_objects(file, entry, name, scope),
            FlowValue::This(scope) => self.this_objects(file, entry, scope, bound),
            FlowValue::Super(scope) => self.this_objects(file, entry, scope, bound),
            FlowValue::Text(text) => vec![FlowObject::Text(entry.facts.name(text).into())],
            FlowValue::Scope(scope) => vec![self.scope_object(file, entry, scope)],
            FlowValue::Container(_) => vec![FlowObject::Container(file, at)],
            FlowValue::OneOf(parts) => flows.parts(parts).iter().flat_map(|part| read(part.value)).collect(),
            FlowValue::Each(of) => read(of).iter().flat_map(|obj| self.parts_of(obj)).collect(),
            FlowValue::Item(of, key) => {
                let keys = read(key);
                if keys.is_empty() && !self.is_settled() {
                    return Vec::new();
                }
                read(of).iter().flat_map(|obj| self.under_key(obj, &keys)).collect()
            }
            FlowValue::Member(of, name) => self.member_value(file, entry, of, name, bound),
            FlowValue::Call(call) => self.result(file, entry, call, bound),
        }
    }

    pub(super) fn scope_object(&self, file: FileId, entry: &FileEntry, scope: ScopeIdx) -> FlowObject {
        match self.uses_in_file(file, entry).flows.scopes.get(scope.0 as usize).and_then(|scope| scope.def) {
            Some(def) => FlowObject::Def(DefRef { file, def }, false),
            None => FlowObject::Lambda(file, scope),
        }
    }

    fn free_name_objects(
        &self,
        file: FileId,
        entry: &'m FileEntry,
        name: StrId,
        scope: ScopeIdx,
    ) -> Vec<FlowObject> {
        let text = entry.facts.name(name);
        match self.resolve_bare(self.site_in(file, entry, scope), text) {
            NameLookup::Thing(Thing::Def(def), _) => self.read(FlowKey::Def(self.body_of(def))),
            NameLookup::Thing(Thing::Module(_), _) | NameLookup::Bound => Vec::new(),
            NameLookup::Thing(Thing::External(_), _) | NameLookup::Absent { .. } => {
                vec![FlowObject::Library(text.into())]
            }
        }
    }

    /// Returns the objects that a definition can be: those that its variable holds, or the definition itself.
    pub(super) fn def_objects(&self, def: DefRef) -> Vec<FlowObject> {
        let Some((_, found)) = self.def(def) else { return Vec::new() };
        let slot = self.variable_of(def);
        let held = slot.map(|slot| self.read(FlowKey::Slot(def.file, slot, None))).unwrap_or_default();
        if !held.is_empty() {
            return held;
        }
        if is_followed(found.kind) {
            return vec![FlowObject::Def(def, false)];
        }
        match self.type_of(def, TypePart::VALUE, None) {
            Some(Thing::Def(class)) if self.has_members(class) => vec![FlowObject::Instance(class, None)],
            _ => Vec::new(),
        }
    }

    /// Returns the variable to which a definition is assigned.
    pub(super) fn variable_of(&self, def: DefRef) -> Option<SlotIdx> {
        let (entry, found) = self.def(def)?;
        let uses = self.uses_in_file(def.file, entry);
        let scope = match found.parent {
            Some(parent) => uses.by_def.get(parent),
            None => Some(ScopeIdx(0)),
        };
        uses.variable_named(scope?, found.name)
    }

    pub(super) fn slot_objects(
        &self,
        file: FileId,
        slot: SlotIdx,
        bound: Option<BindingCall>,
    ) -> Vec<FlowObject> {
        let Some(entry) = self.entry(file) else { return Vec::new() };
        let opened = self.uses_in_file(file, entry);
        let flows = &opened.flows;
        let Some(var) = flows.slots.get(slot.0 as usize) else { return Vec::new() };
        let mut found = Vec::new();
        let mut is_given = false;
        let scope = flows.scopes[var.scope.0 as usize];
        if var.kind == SlotKind::Rest {
            let is_parameter = (scope.params..scope.params + scope.param_count).contains(&slot.0);
            let from = if is_parameter { slot.0 - scope.params } else { 0 };
            let calls = bound.map_or_else(|| self.callers(file, entry, var.scope), |bound| vec![bound]);
            found.extend(calls.into_iter().map(|call| FlowObject::Arguments(call, from)));
        }
        if var.kind == SlotKind::Parameter {
            let number = slot.0 - scope.params;
            let calls = match bound {
                Some(bound) => vec![bound],
                None => self.callers(file, entry, var.scope),
            };
            for call in calls {
                let given = self.argument_objects(call, number, entry.facts.name(var.name));
                is_given |= bound.is_some() && given.is_some();
                found.extend(given.unwrap_or_default());
            }
        }
        if !is_given {
            for value in flows.values_stored_in(FlowTarget::Slot(slot)) {
                found.extend(self.read(FlowKey::Value(file, value, bound)));
            }
        }
        found
    }

    pub(super) fn callers(&self, file: FileId, entry: &FileEntry, scope: ScopeIdx) -> Vec<BindingCall> {
        let key = match self.uses_in_file(file, entry).flows.scopes[scope.0 as usize].def {
            Some(def) => FlowKey::Callers(DefRef { file, def }),
            None => FlowKey::CallersOf(file, scope),
        };
        let bounds = self.read(key).into_iter();
        bounds
            .filter_map(|obj| if let FlowObject::Caller(bound) = obj { Some(bound) } else { None })
            .collect()
    }

    /// Returns the objects that a call passes for a parameter; `None` if it passes none.
    fn argument_objects(&self, call: BindingCall, number: u32, name: &str) -> Option<Vec<FlowObject>> {
        let argument = self.argument_for(call, number, name)?;
        Some(self.read(FlowKey::Value(call.by.file, argument.value, None)))
    }

    /// Returns the argument that a call passes for a parameter.
    pub(super) fn argument_for(&self, call: BindingCall, number: u32, name: &str) -> Option<ArgumentAt> {
        let (entry, found) = self.call(call.by)?;
        let opened = self.uses_in_file(call.by.file, entry);
        let fits = |part: &FlowPart| match part.label {
            Label::At(at) => at + call.shift == number,
            Label::Named(named) => entry.facts.name(named) == name,
            Label::Keyed(_) | Label::Spread => false,
        };
        let parts = opened.flows.parts(found.args);
        let at = parts.iter().rposition(fits)?;
        Some(ArgumentAt { part: found.args.start + at as u32, value: parts[at].value })
    }

    /// Returns the objects that a call passes from argument `from` on: those at these places behind it, or all of them.
    fn arguments_under(&self, call: BindingCall, from: u32, places: &[&str]) -> Vec<FlowObject> {
        let Some((entry, found)) = self.call(call.by) else { return Vec::new() };
        let opened = self.uses_in_file(call.by.file, entry);
        let places: Vec<u32> = places.iter().filter_map(|place| place.parse().ok()).collect();
        let is_wanted =
            |number: u32| number >= from && (places.is_empty() || places.contains(&(number - from)));
        let parts = opened.flows.parts(found.args).iter();
        let wanted = parts.filter(|part| matches!(part.label, Label::At(at) if is_wanted(at + call.shift)));
        wanted.flat_map(|part| self.read(FlowKey::Value(call.by.file, part.value, None))).collect()
    }

    pub(super) fn given_back(
        &self,
        file: FileId,
        to: FlowTarget,
        bound: Option<BindingCall>,
    ) -> Vec<FlowObject> {
        let Some(entry) = self.entry(file) else { return Vec::new() };
        self.uses_in_file(file, entry)
            .flows
            .values_stored_in(to)
            .flat_map(|value| self.read(FlowKey::Value(file, value, bound)))
            .collect()
    }

    /// Returns the receiver objects of a function: its `this` or `self`.
    fn this_objects(
        &self,
        file: FileId,
        entry: &'m FileEntry,
        scope: ScopeIdx,
        bound: Option<BindingCall>,
    ) -> Vec<FlowObject> {
        let opened = self.uses_in_file(file, entry);
        let flows = &opened.flows;
        let Some(found) = flows.scopes.get(scope.0 as usize) else { return Vec::new() };
        if let Some(home) = found.home {
            return self.read(FlowKey::Value(file, home, None));
        }
        let parent = flows.scopes[found.parent.0 as usize];
        let class = parent.def.filter(|_| parent.kind == ScopeKind::Class).map(|def| DefRef { file, def });
        match (class, is_static(found.kind)) {
            (Some(class), true) => vec![FlowObject::Def(class, false)],
            (Some(class), false) => {
                let made = bound.filter(|bound| bound.scope == scope).map(|bound| bound.by);
                vec![FlowObject::Instance(class, made)]
            }
            (None, _) => Vec::new(),
        }
    }

    fn member_value(
        &self,
        file: FileId,
        entry: &'m FileEntry,
        of: ValueIdx,
        name: StrId,
        bound: Option<BindingCall>,
    ) -> Vec<FlowObject> {
        let text = entry.facts.name(name);
        if let Some(found) = self.through_module(file, entry, of, text) {
            return found;
        }
        let above = matches!(self.uses_in_file(file, entry).flows.value(of), FlowValue::Super(_));
        let objects = self.read(FlowKey::Value(file, of, bound));
        objects.iter().flat_map(|obj| self.member_of_object(obj, text, above)).collect()
    }

    /// Returns the objects that a member of a module can be.
    fn through_module(
        &self,
        file: FileId,
        entry: &'m FileEntry,
        of: ValueIdx,
        name: &str,
    ) -> Option<Vec<FlowObject>> {
        match self.thing_in_module(file, entry, of, name)? {
            Thing::Def(def) => Some(self.read(FlowKey::Def(def))),
            Thing::External(_) => Some(vec![FlowObject::Library(name.into())]),
            Thing::Module(_) => None,
        }
    }

    /// Returns the definition or package that a member of a module means.
    pub(super) fn thing_in_module(
        &self,
        file: FileId,
        entry: &'m FileEntry,
        of: ValueIdx,
        name: &str,
    ) -> Option<Thing> {
        let opened = self.uses_in_file(file, entry);
        let flows = &opened.flows;
        let (mut at, mut names) = (of, vec![name]);
        let scope = loop {
            match flows.value(at) {
                FlowValue::Free(first, scope) => {
                    names.push(entry.facts.name(first));
                    break scope;
                }
                FlowValue::Member(of, name) if names.len() < CHAIN => {
                    names.push(entry.facts.name(name));
                    at = of;
                }
                _ => return None,
            }
        };
        names.reverse();
        let site = self.site_in(file, entry, scope);
        match self.resolve_bare(site, names[0]) {
            NameLookup::Thing(Thing::Module(_), _) => {}
            NameLookup::Thing(package @ Thing::External(_), _) => return Some(package),
            _ => return None,
        }
        match self.follow_path(site, &names.join(".")) {
            NameLookup::Thing(thing @ (Thing::Def(_) | Thing::External(_)), _) => Some(thing),
            _ => None,
        }
    }

    /// Returns the objects that a call in a file returns.
    pub(super) fn result(
        &self,
        file: FileId,
        entry: &'m FileEntry,
        call: CallIdx,
        bound: Option<BindingCall>,
    ) -> Vec<FlowObject> {
        let at = CallAt { file, call };
        let Some((_, found)) = self.call(at) else { return Vec::new() };
        let callees = self.read(FlowKey::Value(file, found.callee, bound));
        let mut given = Vec::new();
        let mut is_known = false;
        for callee in &callees {
            is_known |= matches!(callee, FlowObject::Def(..) | FlowObject::Lambda(..));
            given.extend(self.given_by(callee, at));
        }
        given.extend(self.library_result(at, entry, found, &callees, bound));
        // The result of an unknown decorator is most often called like the function that it decorates.
        if found.kind == CallKind::Decorator && !is_known && self.is_settled() {
            let opened = self.uses_in_file(file, entry);
            let args = opened.flows.parts(found.args);
            given.extend(args.iter().flat_map(|arg| self.read(FlowKey::Value(file, arg.value, bound))));
        }
        given
    }

    /// Returns the objects that a call of one object returns.
    fn given_by(&self, callee: &FlowObject, at: CallAt) -> Vec<FlowObject> {
        match callee {
            FlowObject::Def(def, is_bound) => {
                let Some((entry, found)) = self.def(*def) else { return Vec::new() };
                if found.kind.is_type() {
                    return vec![FlowObject::Instance(*def, Some(at))];
                }
                let Some(scope) = self.uses_in_file(def.file, entry).by_def.get(def.def) else {
                    return Vec::new();
                };
                let shift = receiver_shift(entry, *is_bound);
                self.run(def.file, entry, BindingCall { by: at, scope, shift })
            }
            FlowObject::Lambda(file, scope) => match self.entry(*file) {
                Some(entry) => self.run(*file, entry, BindingCall { by: at, scope: *scope, shift: 0 }),
                None => Vec::new(),
            },
            FlowObject::Instance(class, _) => match self.find_method(*class, "__call__") {
                Some(method) => self.given_by(&FlowObject::Def(method, true), at),
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn run(&self, file: FileId, entry: &FileEntry, bound: BindingCall) -> Vec<FlowObject> {
        match self.uses_in_file(file, entry).flows.scopes.get(bound.scope.0 as usize).map(|scope| scope.kind)
        {
            Some(ScopeKind::Generator) => vec![FlowObject::Yields(file, bound.scope, Some(bound))],
            Some(_) => self.read(FlowKey::Return(file, bound.scope, Some(bound))),
            None => Vec::new(),
        }
    }

    /// Returns the objects that iterating over an object yields.
    pub(super) fn parts_of(&self, obj: &FlowObject) -> Vec<FlowObject> {
        match obj {
            FlowObject::Container(..) | FlowObject::Arguments(..) => self.under_key(obj, &[]),
            FlowObject::Pairs(..) => vec![obj.clone()],
            FlowObject::Yields(file, scope, bound) => self.read(FlowKey::Yield(*file, *scope, *bound)),
            FlowObject::Gives(at) => self.mapped_results(*at),
            FlowObject::Instance(class, _) => match self.find_method(*class, "[Symbol.iterator]") {
                Some(method) => self.given_by_iterator(method),
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn given_by_iterator(&self, method: DefRef) -> Vec<FlowObject> {
        let Some((entry, _)) = self.def(method) else { return Vec::new() };
        let Some(scope) = self.uses_in_file(method.file, entry).by_def.get(method.def) else {
            return Vec::new();
        };
        self.read(FlowKey::Yield(method.file, scope, None))
    }

    /// Returns the objects that an object holds under any of some keys; without keys, all that it holds.
    pub(super) fn under_key(&self, obj: &FlowObject, keys: &[FlowObject]) -> Vec<FlowObject> {
        let texts: Vec<&str> = keys
            .iter()
            .filter_map(|key| if let FlowObject::Text(text) = key { Some(&**text) } else { None })
            .collect();
        match obj {
            FlowObject::Container(file, at) => self.held_in(*file, *at, &texts),
            FlowObject::Arguments(call, from) if keys.is_empty() || !texts.is_empty() => {
                self.arguments_under(*call, *from, &texts)
            }
            FlowObject::Pairs(file, at) if texts.is_empty() || texts.contains(&"1") => {
                self.held_in(*file, *at, &[])
            }
            FlowObject::Instance(..) if !texts.is_empty() => {
                let names = texts.iter().map(|text| text.trim_start_matches('\''));
                names.flat_map(|name| self.member_of_object(obj, name, false)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the objects that spreading an object into a container adds. A container may be spread into itself, by
    /// way of others, so its contents have a key of their own.
    fn spread_objects(&self, obj: &FlowObject, keys: &Rc<[Rc<str>]>) -> Vec<FlowObject> {
        if let FlowObject::Container(file, at) = obj {
            return self.read(FlowKey::Held(*file, *at, Rc::clone(keys)));
        }
        let keys: Vec<FlowObject> = keys.iter().cloned().map(FlowObject::Text).collect();
        self.under_key(obj, &keys)
    }

    pub(super) fn held_in(&self, file: FileId, at: ValueIdx, texts: &[&str]) -> Vec<FlowObject> {
        let Some(entry) = self.entry(file) else { return Vec::new() };
        let opened = self.uses_in_file(file, entry);
        let flows = &opened.flows;
        let FlowValue::Container(parts) = flows.value(at) else { return Vec::new() };
        let mut found = Vec::new();
        for part in flows.parts(parts) {
            if part.label == Label::Spread {
                let texts = if entry.lang().semantics().keyless_spreads { &[] } else { texts };
                let keys: Rc<[Rc<str>]> = texts.iter().map(|text| Rc::from(*text)).collect();
                for obj in self.read(FlowKey::Value(file, part.value, None)) {
                    found.extend(self.spread_objects(&obj, &keys));
                }
            } else if self.part_fits_keys(file, entry, part, texts) {
                found.extend(self.read(FlowKey::Value(file, part.value, None)));
            }
        }
        found.extend(self.put_in(file, entry, at, texts));
        found
    }

    fn part_fits_keys(&self, file: FileId, entry: &FileEntry, part: &FlowPart, texts: &[&str]) -> bool {
        if texts.is_empty() {
            return true;
        }
        match part.label {
            Label::At(at) => texts.contains(&&*at.to_string()),
            Label::Named(name) => texts.contains(&entry.facts.name(name)),
            Label::Keyed(key) => self.may_be(file, key, texts),
            Label::Spread => true,
        }
    }

    /// Returns true if a computed key can be one of these; an unknown key can be any.
    fn may_be(&self, file: FileId, key: ValueIdx, texts: &[&str]) -> bool {
        let keys = self.read(FlowKey::Value(file, key, None));
        (keys.is_empty() && self.is_settled())
            || keys.iter().any(|key| matches!(key, FlowObject::Text(text) if texts.contains(&&**text)))
    }

    /// Returns the objects that stores elsewhere in the file put into a container.
    fn put_in(&self, file: FileId, entry: &FileEntry, at: ValueIdx, texts: &[&str]) -> Vec<FlowObject> {
        let opened = self.uses_in_file(file, entry);
        let flows = &opened.flows;
        let container = FlowObject::Container(file, at);
        let mut found = Vec::new();
        let from =
            flows.stores.partition_point(|store| store.to < FlowTarget::Item(ValueIdx(0), ValueIdx(0)));
        for store in flows.stores[from..].iter().take(ITEMS) {
            let FlowTarget::Item(of, key) = store.to else { break };
            if self.read(FlowKey::Value(file, of, None)).contains(&container)
                && (texts.is_empty() || self.may_be(file, key, texts))
            {
                found.extend(self.read(FlowKey::Value(file, store.value, None)));
            }
        }
        for name in texts.iter().filter_map(|text| entry.facts.names.find(text.trim_start_matches('\''))) {
            for (of, value) in flows.stored_in_members(name).take(ITEMS) {
                if self.read(FlowKey::Value(file, of, None)).contains(&container) {
                    found.extend(self.read(FlowKey::Value(file, value, None)));
                }
            }
        }
        found
    }

    /// Returns true if the variable of a definition holds more than the definition itself, as a decorated function's
    /// does.
    pub(crate) fn is_rebound(&self, def: DefRef) -> bool {
        let Some((entry, found)) = self.def(def).filter(|(entry, _)| !entry.facts.flows.is_empty()) else {
            return false;
        };
        let uses = self.uses_in_file(def.file, entry);
        let parent: Option<DefIdx> = found.parent;
        let scope = parent.map_or(Some(ScopeIdx(0)), |parent| uses.by_def.get(parent));
        let Some(slot) = scope.and_then(|scope| uses.variable_named(scope, found.name)) else { return false };
        let opened = self.uses_in_file(def.file, entry);
        let flows = &opened.flows;
        let own = uses.by_def.get(def.def);
        flows.values_stored_in(FlowTarget::Slot(slot)).any(|value| match flows.value(value) {
            FlowValue::Scope(scope) => Some(scope) != own,
            _ => true,
        })
    }
}
