//! Finds how an object gets to a value: through names, members, choices and the results of calls.

use hob_base::FileId;

use super::{Carried, ChainPlace, ChainSearch, ValueAt};
use crate::facts::{Call, CallIdx, CallKind, FlowParts, FlowValue, ScopeIdx, ScopeKind, StrId, ValueIdx};
use crate::node::DefRef;
use crate::resolve::flow::{BindingCall, CallAt, FlowKey, FlowObject, receiver_shift};
use crate::resolve::members::MemberLookup;
use crate::resolve::{NameLookup, Thing};

/// A member of a value.
#[derive(Clone, Copy)]
pub(super) struct MemberAt<'n> {
    /// The value that has the member.
    of: ValueAt,
    name: &'n str,
    /// True if the search covers only the bases of the class.
    above: bool,
}

impl ChainSearch<'_, '_> {
    pub(super) fn reach_value(&mut self, at: ValueAt, obj: &FlowObject) -> Option<Carried> {
        let opened = self.opened(at.file)?;
        match opened.uses.flows.value(at.value) {
            FlowValue::Slot(slot) => {
                let scope = opened.uses.flows.slots.get(slot.0 as usize)?.scope;
                let own = at.bound.filter(|bound| bound.scope == scope);
                self.carry(&FlowKey::Slot(at.file, slot, own), obj)
            }
            FlowValue::Free(name, scope) => self.reach_free_name(at.file, name, scope, obj),
            FlowValue::This(scope) | FlowValue::Super(scope) => {
                match opened.uses.flows.scopes.get(scope.0 as usize)?.home {
                    Some(home) => self.carry(&ValueAt::new(at.file, home).key(), obj),
                    None => Some(Vec::new()),
                }
            }
            FlowValue::Scope(_) => match obj {
                FlowObject::Def(def, _) => self.def_place(*def),
                _ => self.value_place(at),
            },
            FlowValue::Container(_) => self.value_place(at),
            FlowValue::OneOf(parts) => self.reach_one_of(at, parts, obj),
            FlowValue::Each(of) => self.reach_part_of(at.with_value(of), None, obj),
            FlowValue::Item(of, key) => {
                let keys = self.resolver.solve(at.with_value(key).key())?;
                self.reach_part_of(at.with_value(of), Some(&keys), obj)
            }
            FlowValue::Member(of, name) => self.reach_member_value(at, of, name, obj),
            FlowValue::Call(call) => self.reach_result(at, call, obj),
            FlowValue::Text(_) | FlowValue::Unknown => None,
        }
    }

    fn def_place(&self, def: DefRef) -> Option<Carried> {
        let (_, found) = self.resolver.def(def)?;
        Some(vec![ChainPlace { file: def.file, line: found.name_at.0 }])
    }

    fn reach_free_name(
        &mut self,
        file: FileId,
        name: StrId,
        scope: ScopeIdx,
        obj: &FlowObject,
    ) -> Option<Carried> {
        let resolver = self.resolver;
        let entry = resolver.entry(file)?;
        match resolver.resolve_bare(resolver.site_in(file, entry, scope), entry.facts.name(name)) {
            NameLookup::Thing(Thing::Def(def), _) => self.carry(&FlowKey::Def(resolver.body_of(def)), obj),
            _ => None,
        }
    }

    fn reach_one_of(&mut self, at: ValueAt, parts: FlowParts, obj: &FlowObject) -> Option<Carried> {
        let opened = self.opened(at.file)?;
        let mut parts = opened.uses.flows.parts(parts).iter();
        parts.find_map(|part| self.carry(&at.with_value(part.value).key(), obj))
    }

    fn reach_member_value(
        &mut self,
        at: ValueAt,
        of: ValueIdx,
        name: StrId,
        obj: &FlowObject,
    ) -> Option<Carried> {
        let opened = self.opened(at.file)?;
        let name = opened.entry.facts.name(name);
        if let Some(thing) = self.resolver.thing_in_module(at.file, opened.entry, of, name) {
            let Thing::Def(def) = thing else { return None };
            return self.carry(&FlowKey::Def(def), obj);
        }
        let above = matches!(opened.uses.flows.value(of), FlowValue::Super(_));
        self.reach_member(MemberAt { of: at.with_value(of), name, above }, obj)
    }

    /// Finds the way through any object that has the member: into the member, and along the way of that object.
    fn reach_member(&mut self, member: MemberAt<'_>, obj: &FlowObject) -> Option<Carried> {
        let holders = self.resolver.solve(member.of.key())?;
        holders.iter().find_map(|holder| {
            let found = self.resolver.member_of_object(holder, member.name, member.above);
            found.contains(obj).then_some(())?;
            let mut carried = self.enter_member(holder, member, obj)?;
            carried.extend(self.carry(&member.of.key(), holder)?);
            Some(carried)
        })
    }

    /// Finds the way of an object into a member of another.
    fn enter_member(
        &mut self,
        holder: &FlowObject,
        member: MemberAt<'_>,
        obj: &FlowObject,
    ) -> Option<Carried> {
        match holder {
            FlowObject::Instance(class, made) => {
                let field = FlowKey::Field(*class, *made, member.name.into());
                if !member.above && self.has(&field, obj) {
                    return self.carry(&field, obj);
                }
                self.enter_method(*class, member, obj)
            }
            FlowObject::Def(class, _) if member.name == "prototype" => self.def_place(*class),
            FlowObject::Def(class, _) => {
                let stored = self.reach_stored_on(holder, member.name, obj);
                stored.or_else(|| self.enter_method(*class, member, obj))
            }
            FlowObject::Container(..) => {
                let keys = [
                    FlowObject::Text(member.name.into()),
                    FlowObject::Text(format!("'{}", member.name).into()),
                ];
                self.enter_container(holder, Some(&keys), obj)
            }
            _ => None,
        }
    }

    /// Finds the way of an object into a member that a class defines.
    fn enter_method(&mut self, class: DefRef, member: MemberAt<'_>, obj: &FlowObject) -> Option<Carried> {
        let resolver = self.resolver;
        let found = match member.above {
            true => resolver.find_inherited(class, member.name),
            false => resolver.find_member(class, member.name),
        };
        let MemberLookup::Found(def) = found else { return None };
        let objects = resolver.solve(FlowKey::Def(def))?;
        let is_same = |one: &&FlowObject| *one == obj || resolver.through_object((*one).clone()) == *obj;
        if let Some(one) = objects.iter().find(is_same) {
            return self.carry(&FlowKey::Def(def), one);
        }
        let scope = self.opened(def.file)?.uses.by_def.get(def.def)?;
        self.carry(&FlowKey::Return(def.file, scope, None), obj)
    }

    /// Finds the way through a store in a member of exactly this object.
    fn reach_stored_on(&mut self, holder: &FlowObject, name: &str, obj: &FlowObject) -> Option<Carried> {
        self.resolver.stores_of(name).into_iter().find_map(|(file, entry, of, value)| {
            self.has(&FlowKey::Value(file, of, None), holder).then_some(())?;
            let mut carried = self.carry(&FlowKey::Value(file, value, None), obj)?;
            let to = crate::facts::FlowTarget::Member(entry.facts.names.find(name)?, of);
            carried.extend(self.store_places(file, to, value)?);
            Some(carried)
        })
    }

    /// Finds the way through the result of a call.
    fn reach_result(&mut self, at: ValueAt, call: CallIdx, obj: &FlowObject) -> Option<Carried> {
        let place = CallAt { file: at.file, call };
        let (_, found) = self.resolver.call(place)?;
        let callees = self.resolver.solve(at.with_value(found.callee).key())?;
        let given = callees.iter().find_map(|callee| self.given_by(callee, place, obj));
        let carried = given
            .or_else(|| self.given_by_method(at, place, found, obj))
            .or_else(|| self.handed_on(at, found, &callees, obj));
        let mut carried = carried?;
        carried.extend(self.call_place(place)?);
        Some(carried)
    }

    /// Finds the way of an object through the result of one callee.
    fn given_by(&mut self, callee: &FlowObject, at: CallAt, obj: &FlowObject) -> Option<Carried> {
        match callee {
            FlowObject::Def(def, is_bound) => {
                let (entry, found) = self.resolver.def(*def)?;
                if found.kind.is_type() {
                    return (*obj == FlowObject::Instance(*def, Some(at))).then(Vec::new);
                }
                let scope = self.opened(def.file)?.uses.by_def.get(def.def)?;
                let bound = BindingCall { by: at, scope, shift: receiver_shift(entry, *is_bound) };
                self.out_of(def.file, bound, obj)
            }
            FlowObject::Lambda(file, scope) => {
                self.out_of(*file, BindingCall { by: at, scope: *scope, shift: 0 }, obj)
            }
            FlowObject::Instance(class, _) => {
                let method = self.resolver.find_method(*class, "__call__")?;
                self.given_by(&FlowObject::Def(method, true), at, obj)
            }
            _ => None,
        }
    }

    fn out_of(&mut self, file: FileId, bound: BindingCall, obj: &FlowObject) -> Option<Carried> {
        if self.scope_kind(file, bound.scope)? == ScopeKind::Generator {
            return (*obj == FlowObject::Yields(file, bound.scope, Some(bound))).then(Vec::new);
        }
        self.carry(&FlowKey::Return(file, bound.scope, Some(bound)), obj)
    }

    /// Finds the way through the result of a method of the language's containers and functions.
    fn given_by_method(
        &mut self,
        at: ValueAt,
        call: CallAt,
        found: Call,
        obj: &FlowObject,
    ) -> Option<Carried> {
        let opened = self.opened(at.file)?;
        let FlowValue::Member(of, name) = opened.uses.flows.value(found.callee) else { return None };
        let of = at.with_value(of);
        let name = opened.entry.facts.name(name);
        let first = opened.uses.flows.parts(found.args).first().map(|part| at.with_value(part.value));
        let first = first.and_then(|first| self.resolver.solve(first.key())).unwrap_or_default();
        let given = self.resolver.method_result(call, name, &self.resolver.solve(of.key())?, Some(&first));
        given.contains(obj).then_some(())?;
        if self.has(&of.key(), obj) {
            return self.carry(&of.key(), obj);
        }
        self.reach_part_of(of, Some(&first), obj)
    }

    /// Finds the way through an argument that a library function, or an unknown decorator, returns.
    fn handed_on(
        &mut self,
        at: ValueAt,
        found: Call,
        callees: &[FlowObject],
        obj: &FlowObject,
    ) -> Option<Carried> {
        let is_known =
            callees.iter().any(|callee| matches!(callee, FlowObject::Def(..) | FlowObject::Lambda(..)));
        let is_decorator = found.kind == CallKind::Decorator && !is_known;
        (is_decorator || callees.iter().any(|callee| self.resolver.hands_on(callee))).then_some(())?;
        let opened = self.opened(at.file)?;
        let mut args = opened.uses.flows.parts(found.args).iter();
        args.find_map(|arg| self.carry(&at.with_value(arg.value).key(), obj))
    }
}
