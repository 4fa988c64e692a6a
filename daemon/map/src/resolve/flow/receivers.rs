//! Finds the members of an expression by the objects that its values can be: the objects have the member, or their
//! classes do.

use std::rc::Rc;

use hob_base::FileId;

use super::{CallAt, FlowKey, FlowObject};
use crate::facts::{DefIdx, DefKind, ScopeIdx, ValueIdx};
use crate::index::FileEntry;
use crate::node::DefRef;
use crate::receiver::ReceiverExpr;
use crate::resolve::members::MemberLookup;
use crate::resolve::{NameLookup, Resolver, Thing};

/// Most definitions that a member may mean.
const SHOWN: usize = 4;

/// Most nested objects whose keys are searched.
const NESTED: usize = 4;

impl<'m> Resolver<'m> {
    /// Returns the definitions of a member of an expression's values. `owner` is the definition that encloses the
    /// expression.
    pub(crate) fn members_through_values(
        &self,
        file: FileId,
        owner: Option<DefIdx>,
        receiver: &ReceiverExpr,
        name: &str,
    ) -> Vec<DefRef> {
        let Some(entry) = self.entry(file).filter(|entry| !entry.facts.flows.is_empty()) else {
            return Vec::new();
        };
        let scope = self.scope_of_owner(file, entry, owner);
        let objects = self.key_of(file, entry, scope, receiver).and_then(|key| self.solve(key));
        let known = |key| self.solve(key).unwrap_or_default();
        let objects = opened_objects(objects.unwrap_or_default(), known);
        let mut found: Vec<DefRef> = objects.iter().flat_map(|obj| self.defined_members(obj, name)).collect();
        found.sort_unstable();
        found.dedup();
        found.truncate(SHOWN);
        found
    }

    fn scope_of_owner(&self, file: FileId, entry: &FileEntry, owner: Option<DefIdx>) -> ScopeIdx {
        let uses = self.uses_in_file(file, entry);
        let mut at = owner;
        while let Some(def) = at {
            if let Some(scope) = uses.by_def.get(def) {
                return scope;
            }
            at = entry.facts.def(def).parent;
        }
        ScopeIdx(0)
    }

    fn key_of(
        &self,
        file: FileId,
        entry: &'m FileEntry,
        scope: ScopeIdx,
        receiver: &ReceiverExpr,
    ) -> Option<FlowKey> {
        let inner = |of: &ReceiverExpr| self.key_of(file, entry, scope, of).map(Rc::new);
        match receiver {
            ReceiverExpr::Name(name) => self.key_of_name(file, entry, scope, name),
            ReceiverExpr::Call(at) => self.call_at(file, (at.line, at.col)).map(FlowKey::Result),
            ReceiverExpr::Member(of, name) => Some(FlowKey::Member(inner(of)?, Rc::from(name.as_str()))),
            ReceiverExpr::Item(of, key) => Some(FlowKey::Item(inner(of)?, key.as_deref().map(Rc::from))),
        }
    }

    /// Returns the key of the variable that a name means at its place, or of the definition.
    fn key_of_name(
        &self,
        file: FileId,
        entry: &'m FileEntry,
        scope: ScopeIdx,
        name: &str,
    ) -> Option<FlowKey> {
        let opened = self.uses_in_file(file, entry);
        let mut at = scope;
        if let Some(id) = entry.facts.names.find(name) {
            while let Some(found) = opened.flows.scopes.get(at.0 as usize) {
                if let Some(slot) = opened.variable_named(at, id) {
                    return Some(FlowKey::Slot(file, slot, None));
                }
                if found.parent == at {
                    break;
                }
                at = found.parent;
            }
        }
        match self.resolve_bare(self.site_in(file, entry, scope), name) {
            NameLookup::Thing(Thing::Def(def), _) => Some(FlowKey::Def(self.body_of(def))),
            _ => None,
        }
    }

    /// Returns the objects that a call returns, for any caller of the enclosing function.
    pub(super) fn call_result(&self, at: CallAt) -> Vec<FlowObject> {
        let Some(entry) = self.entry(at.file) else { return Vec::new() };
        self.result(at.file, entry, at.call, None)
    }

    /// Returns the definitions of an object's member.
    fn defined_members(&self, obj: &FlowObject, name: &str) -> Vec<DefRef> {
        match obj {
            FlowObject::Instance(class, _) | FlowObject::Def(class, _) if self.has_members(*class) => {
                let is_type = matches!(obj, FlowObject::Def(..));
                match self.find_member(*class, name) {
                    // A class has no instance members.
                    MemberLookup::Found(def) if !is_type || self.is_of_type_itself(def) => vec![def],
                    MemberLookup::Found(_) | MemberLookup::Missing { .. } => Vec::new(),
                }
            }
            FlowObject::Container(file, at) => self.defined_keys(*file, *at, name),
            _ => Vec::new(),
        }
    }

    /// Returns the definitions of a key of a container: those inside the definitions of variables that hold it.
    fn defined_keys(&self, file: FileId, container: ValueIdx, name: &str) -> Vec<DefRef> {
        let Some(entry) = self.entry(file) else { return Vec::new() };
        let holds = |parent: DefIdx| {
            let objects = self.solve(self.key_of_holder(file, entry, parent, NESTED)).unwrap_or_default();
            objects.contains(&FlowObject::Container(file, container))
        };
        let keys = entry.defs_named(name).filter(|(_, key)| key.parent.is_some_and(&holds));
        keys.map(|(def, _)| DefRef { file, def }).collect()
    }

    /// Returns the key of a definition's objects. For a key of an object literal it is a member of the key of the
    /// object's variable.
    fn key_of_holder(&self, file: FileId, entry: &FileEntry, def: DefIdx, depth: usize) -> FlowKey {
        let found = entry.facts.def(def);
        let parent = found.parent.filter(|_| found.kind == DefKind::Field && depth > 0);
        match parent.filter(|parent| !entry.facts.def(*parent).kind.is_type()) {
            Some(parent) => {
                let of = self.key_of_holder(file, entry, parent, depth - 1);
                FlowKey::Member(Rc::new(of), Rc::from(entry.facts.name(found.name)))
            }
            None => FlowKey::Def(DefRef { file, def }),
        }
    }
}

/// Opens objects whose members are wanted: code that a library runs for its caller stands for what it yields and
/// returns.
pub(super) fn opened_objects(
    objects: Vec<FlowObject>,
    known: impl Fn(FlowKey) -> Vec<FlowObject>,
) -> Vec<FlowObject> {
    let open = |obj: FlowObject| match obj {
        FlowObject::Yields(file, scope, bound) => {
            let mut given = known(FlowKey::Yield(file, scope, bound));
            given.extend(known(FlowKey::Return(file, scope, bound)));
            given
        }
        other => vec![other],
    };
    objects.into_iter().flat_map(open).collect()
}
