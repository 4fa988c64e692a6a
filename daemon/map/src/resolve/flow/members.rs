//! Finds the members of objects: fields by the stores in them anywhere, methods by class.

use std::rc::Rc;

use hob_base::FileId;

use super::{BindingCall, CallAt, FlowKey, FlowObject, is_static, receiver_shift};
use crate::facts::{FlowValue, ScopeIdx, ScopeKind, ValueIdx};
use crate::index::FileEntry;
use crate::node::DefRef;
use crate::resolve::Resolver;
use crate::resolve::members::MemberLookup;

/// Most files that may mention or define the name of a member whose stores are followed.
const FILES: usize = 24;
/// Most stores examined in each file for members of one name.
const STORES: usize = 64;

impl<'m> Resolver<'m> {
    /// Finds a method of a class or of its bases.
    pub(super) fn find_method(&self, class: DefRef, name: &str) -> Option<DefRef> {
        match self.find_member(class, name) {
            MemberLookup::Found(def) => {
                self.def(def).filter(|(_, found)| found.kind.is_callable()).map(|_| def)
            }
            MemberLookup::Missing { .. } => None,
        }
    }

    /// Returns the objects that a member of an object can be; with `above` only the bases of its class are searched.
    pub(super) fn member_of_object(&self, obj: &FlowObject, name: &str, above: bool) -> Vec<FlowObject> {
        match obj {
            FlowObject::Instance(class, made) => self.member_of_instance(*class, *made, name, above),
            FlowObject::Def(def, _) => self.member_of_def(*def, name, above),
            FlowObject::Container(..) => {
                let (plain, quoted) =
                    (FlowObject::Text(name.into()), FlowObject::Text(format!("'{name}").into()));
                let keeps_apart = |entry: &FileEntry| entry.lang().semantics().keys_apart;
                let is_apart = matches!(obj, FlowObject::Container(file, _) if self.entry(*file).is_some_and(keeps_apart));
                if is_apart { Vec::new() } else { self.under_key(obj, &[plain, quoted]) }
            }
            _ => Vec::new(),
        }
    }

    fn member_of_instance(
        &self,
        class: DefRef,
        made: Option<CallAt>,
        name: &str,
        above: bool,
    ) -> Vec<FlowObject> {
        if !above {
            let fields = self.read(FlowKey::Field(class, made, Rc::from(name)));
            if !fields.is_empty() {
                return fields;
            }
        }
        let found = if above { self.find_inherited(class, name) } else { self.find_member(class, name) };
        let MemberLookup::Found(def) = found else { return Vec::new() };
        let Some((entry, _)) = self.def(def) else { return Vec::new() };
        let objects = self.read(FlowKey::Def(def));
        let scope = self.uses_in_file(def.file, entry).by_def.get(def.def);
        let kind = scope.and_then(|scope| self.kind_of_scope(def.file, entry, scope));
        if kind == Some(ScopeKind::Property)
            && let Some(scope) = scope
        {
            return self.read(FlowKey::Return(def.file, scope, None));
        }
        objects.into_iter().map(|obj| self.through_object(obj)).collect()
    }

    pub(super) fn kind_of_scope(
        &self,
        file: FileId,
        entry: &FileEntry,
        scope: ScopeIdx,
    ) -> Option<ScopeKind> {
        self.uses_in_file(file, entry).flows.scopes.get(scope.0 as usize).map(|scope| scope.kind)
    }

    /// Returns a function as read through an object: bound to it, unless it is static.
    pub(super) fn through_object(&self, obj: FlowObject) -> FlowObject {
        let FlowObject::Def(def, _) = obj else { return obj };
        let Some((entry, found)) = self.def(def) else { return obj };
        let scope = self.uses_in_file(def.file, entry).by_def.get(def.def);
        let kind = scope.and_then(|scope| self.kind_of_scope(def.file, entry, scope));
        let is_bound = found.kind.is_callable() && kind.is_some_and(|kind| !is_static(kind));
        FlowObject::Def(def, is_bound)
    }

    fn member_of_def(&self, def: DefRef, name: &str, above: bool) -> Vec<FlowObject> {
        let Some((_, found)) = self.def(def) else { return Vec::new() };
        if !found.kind.is_type() {
            return Vec::new();
        }
        if name == "prototype" {
            return vec![FlowObject::Def(def, false)];
        }
        let stored = self.stored_on(&FlowObject::Def(def, false), name);
        if !stored.is_empty() {
            return stored;
        }
        let found = if above { self.find_inherited(def, name) } else { self.find_member(def, name) };
        let MemberLookup::Found(member) = found else { return Vec::new() };
        let objects = self.read(FlowKey::Def(member));
        let is_class = self.is_class_method(member);
        objects.into_iter().map(|obj| if is_class { self.through_object(obj) } else { obj }).collect()
    }

    /// Returns true if a method's first parameter is the class: Python's `@classmethod`.
    fn is_class_method(&self, def: DefRef) -> bool {
        let Some((entry, _)) = self.def(def).filter(|(entry, _)| entry.lang().semantics().class_methods)
        else {
            return false;
        };
        let Some(scope) = self.uses_in_file(def.file, entry).by_def.get(def.def) else { return false };
        let opened = self.uses_in_file(def.file, entry);
        let flows = &opened.flows;
        let Some(found) = flows.scopes.get(scope.0 as usize).filter(|scope| scope.param_count > 0) else {
            return false;
        };
        let first = crate::facts::FlowTarget::Slot(crate::facts::SlotIdx(found.params));
        flows.values_stored_in(first).any(|value| flows.value(value) == FlowValue::Scope(found.parent))
    }

    /// Returns the objects that stores put into a member of this name of exactly this object.
    fn stored_on(&self, obj: &FlowObject, name: &str) -> Vec<FlowObject> {
        let mut found = Vec::new();
        for (file, _, of, value) in self.stores_of(name) {
            if self.read(FlowKey::Value(file, of, None)).contains(obj) {
                found.extend(self.read(FlowKey::Value(file, value, None)));
            }
        }
        found
    }

    /// Returns the stores in members of a name: file, entry, the value that has the member, and the stored value.
    pub(super) fn stores_of(&self, name: &str) -> Vec<(FileId, &'m FileEntry, ValueIdx, ValueIdx)> {
        let files = self.index.files_mentioning(name).iter().chain(self.index.files_defining(name));
        let mut files: Vec<u32> = files.copied().collect();
        files.sort_unstable();
        files.dedup();
        let mut found = Vec::new();
        if files.len() > FILES {
            return found;
        }
        for file in files.into_iter().map(FileId) {
            let Some(entry) = self.entry(file).filter(|entry| !entry.facts.flows.is_empty()) else {
                continue;
            };
            let Some(id) = entry.facts.names.find(name) else { continue };
            let opened = self.uses_in_file(file, entry);
            let stores = opened.flows.stored_in_members(id);
            found.extend(stores.take(STORES).map(|(of, value)| (file, entry, of, value)));
        }
        found
    }

    /// Returns the objects that a field of a class's objects holds: those that its own methods and those of its bases
    /// store, otherwise those that methods of derived classes store; and those stored from outside.
    pub(super) fn field_objects(&self, class: DefRef, made: Option<CallAt>, name: &str) -> Vec<FlowObject> {
        let (mut own, mut below) = (Vec::new(), Vec::new());
        let above = self.types_above(class);
        for (file, entry, of, value) in self.stores_of(name) {
            match self.class_of_this(file, entry, of) {
                Some((storing, scope)) if storing == class || above.contains(&storing) => {
                    own.extend(self.stored_by(file, entry, scope, value, made));
                }
                Some((storing, _)) if self.types_above(storing).contains(&class) => {
                    below.extend(self.read(FlowKey::Value(file, value, None)));
                }
                Some(_) => {}
                None if self.may_be_object(FlowKey::Value(file, of, None), class, made) => {
                    own.extend(self.read(FlowKey::Value(file, value, None)));
                }
                None => {}
            }
        }
        self.fuel.set(crate::resolve::FUEL);
        if own.is_empty() && self.find_method(class, name).is_none() { below } else { own }
    }

    /// Returns true if a value can be the object of a class that a call made, or, without a call, any object of the
    /// class.
    pub(super) fn may_be_object(&self, value: FlowKey, class: DefRef, made: Option<CallAt>) -> bool {
        self.read(value).iter().any(|obj| match obj {
            FlowObject::Instance(other, by) => {
                *other == class && (made.is_none() || by.is_none() || *by == made)
            }
            _ => false,
        })
    }

    /// Returns the objects that a field can hold, in the object that a call made, after the value of the constructor is
    /// overwritten.
    pub(super) fn later_objects(&self, class: DefRef, made: CallAt, name: &str) -> Vec<FlowObject> {
        let mut found = Vec::new();
        let above = self.types_above(class);
        for (file, entry, of, value) in self.stores_of(name) {
            let is_later = match self.class_of_this(file, entry, of) {
                Some((storing, scope)) => {
                    (storing == class || above.contains(&storing))
                        && !self.is_constructor_scope(file, entry, scope)
                }
                None => self.may_be_object(FlowKey::Value(file, of, None), class, Some(made)),
            };
            if is_later {
                found.extend(self.read(FlowKey::Value(file, value, None)));
            }
        }
        self.fuel.set(crate::resolve::FUEL);
        found
    }

    fn is_constructor_scope(&self, file: FileId, entry: &FileEntry, scope: ScopeIdx) -> bool {
        let opened = self.uses_in_file(file, entry);
        let def = opened.flows.scopes[scope.0 as usize].def;
        let name = def.map_or("", |def| entry.facts.name(entry.facts.def(def).name));
        matches!(name, "__init__" | "constructor")
    }

    /// Returns the objects that a method stores; for the constructor, as the call that made the object passes them.
    fn stored_by(
        &self,
        file: FileId,
        entry: &FileEntry,
        scope: ScopeIdx,
        value: ValueIdx,
        made: Option<CallAt>,
    ) -> Vec<FlowObject> {
        let bound = self.bound_of_store(file, entry, scope, made);
        self.read(FlowKey::Value(file, value, bound))
    }

    /// Returns the call that binds the parameters of a constructor, if the call that made the object is known.
    pub(super) fn bound_of_store(
        &self,
        file: FileId,
        entry: &FileEntry,
        scope: ScopeIdx,
        made: Option<CallAt>,
    ) -> Option<BindingCall> {
        let shift = receiver_shift(entry, true);
        let is_made = self.is_constructor_scope(file, entry, scope);
        made.filter(|_| is_made).map(|by| BindingCall { by, scope, shift })
    }

    /// Returns the class and the method of a value that is the receiver in a method.
    pub(super) fn class_of_this(
        &self,
        file: FileId,
        entry: &FileEntry,
        of: ValueIdx,
    ) -> Option<(DefRef, ScopeIdx)> {
        let opened = self.uses_in_file(file, entry);
        let flows = &opened.flows;
        let FlowValue::This(scope) = flows.value(of) else { return None };
        let parent = flows.scopes[flows.scopes[scope.0 as usize].parent.0 as usize];
        let class = parent.def.filter(|_| parent.kind == ScopeKind::Class)?;
        Some((DefRef { file, def: class }, scope))
    }
}
