//! Finds how an object gets into a container and out of it: through parts of the literal, and through later stores.

use hob_base::FileId;

use super::{Carried, ChainSearch, ValueAt};
use crate::facts::{FlowTarget, FlowValue, Label, StrId, ValueIdx};
use crate::resolve::flow::{BindingCall, FlowKey, FlowObject};

impl ChainSearch<'_, '_> {
    /// Finds the way through any container that has the object under one of the keys (under any key, without keys):
    /// into the container, and along the way of the container.
    pub(super) fn reach_part_of(
        &mut self,
        of: ValueAt,
        keys: Option<&[FlowObject]>,
        obj: &FlowObject,
    ) -> Option<Carried> {
        let holders = self.resolver.solve(of.key())?;
        holders.iter().find_map(|holder| {
            let found = match keys {
                Some(keys) => self.resolver.under_key(holder, keys),
                None => self.resolver.parts_of(holder),
            };
            found.contains(obj).then_some(())?;
            let mut carried = self.enter_container(holder, keys, obj)?;
            carried.extend(self.carry(&of.key(), holder)?);
            Some(carried)
        })
    }

    /// Finds the way of an object into a container.
    pub(super) fn enter_container(
        &mut self,
        holder: &FlowObject,
        keys: Option<&[FlowObject]>,
        obj: &FlowObject,
    ) -> Option<Carried> {
        match holder {
            FlowObject::Container(file, at) => {
                let written = self.enter_written(ValueAt::new(*file, *at), keys, obj);
                written.or_else(|| self.enter_put(holder, *file, keys, obj))
            }
            _ if holder == obj => Some(Vec::new()),
            FlowObject::Pairs(file, at) => {
                self.enter_container(&FlowObject::Container(*file, *at), None, obj)
            }
            FlowObject::Arguments(call, from) => self.enter_arguments(*call, *from, obj),
            FlowObject::Yields(file, scope, bound) => self.carry(&FlowKey::Yield(*file, *scope, *bound), obj),
            _ => None,
        }
    }

    /// Finds the way through a part of the container's literal.
    fn enter_written(
        &mut self,
        container: ValueAt,
        keys: Option<&[FlowObject]>,
        obj: &FlowObject,
    ) -> Option<Carried> {
        let opened = self.opened(container.file)?;
        let FlowValue::Container(parts) = opened.uses.flows.value(container.value) else { return None };
        let written = opened.uses.flows.parts(parts).iter().zip(parts.start..);
        written.into_iter().find_map(|(part, at)| {
            let value = container.with_value(part.value);
            let mut carried = match part.label {
                Label::Spread => self.reach_part_of(value, keys, obj)?,
                label => {
                    self.may_fit(container.file, label, keys).then_some(())?;
                    self.carry(&value.key(), obj)?
                }
            };
            let places = (self.places)(container.file)?;
            let lines = places.lines_to(*places.parts.get(at as usize)?);
            carried.extend(super::on_lines(container.file, lines));
            Some(carried)
        })
    }

    /// Returns true if a part with this label can be under one of the keys.
    fn may_fit(&self, file: FileId, label: Label, keys: Option<&[FlowObject]>) -> bool {
        let Some(texts) = keys.map(texts_of).filter(|texts| !texts.is_empty()) else { return true };
        match label {
            Label::At(at) => texts.contains(&&*at.to_string()),
            Label::Named(name) => self.is_text(file, name, &texts),
            Label::Keyed(key) => self.may_be_key(file, key, &texts),
            Label::Spread => true,
        }
    }

    fn is_text(&self, file: FileId, name: StrId, texts: &[&str]) -> bool {
        self.resolver.entry(file).is_some_and(|entry| texts.contains(&entry.facts.name(name)))
    }

    /// Returns true if a computed key can be one of these; an unknown key can be any.
    fn may_be_key(&self, file: FileId, key: ValueIdx, texts: &[&str]) -> bool {
        let keys = self.resolver.solve(FlowKey::Value(file, key, None)).unwrap_or_default();
        keys.is_empty() || texts_of(&keys).iter().any(|key| texts.contains(key))
    }

    /// Finds the way through a store under a key, or in a member, of the container.
    fn enter_put(
        &mut self,
        container: &FlowObject,
        file: FileId,
        keys: Option<&[FlowObject]>,
        obj: &FlowObject,
    ) -> Option<Carried> {
        let opened = self.opened(file)?;
        let texts = keys.map(texts_of).unwrap_or_default();
        opened.uses.flows.stores.iter().find_map(|store| {
            let of = match store.to {
                FlowTarget::Item(of, key) => {
                    (texts.is_empty() || self.may_be_key(file, key, &texts)).then_some(of)?
                }
                FlowTarget::Member(name, of) => {
                    let plain: Vec<&str> = texts.iter().map(|text| text.trim_start_matches('\'')).collect();
                    self.is_text(file, name, &plain).then_some(of)?
                }
                _ => return None,
            };
            self.has(&FlowKey::Value(file, of, None), container).then_some(())?;
            let mut carried = self.carry(&FlowKey::Value(file, store.value, None), obj)?;
            carried.extend(self.store_places(file, store.to, store.value)?);
            Some(carried)
        })
    }

    /// Finds the way through one of the arguments of a call, from a number on.
    fn enter_arguments(&mut self, call: BindingCall, from: u32, obj: &FlowObject) -> Option<Carried> {
        let (entry, found) = self.resolver.call(call.by)?;
        let uses = self.resolver.uses_in_file(call.by.file, entry);
        let parts = uses.flows.parts(found.args).iter().zip(found.args.start..);
        let given = |label: Label| matches!(label, Label::At(at) if at + call.shift >= from);
        parts.filter(|(part, _)| given(part.label)).find_map(|(part, at)| {
            let mut carried = self.carry(&ValueAt::new(call.by.file, part.value).key(), obj)?;
            carried.extend(self.part_places(call.by, at)?);
            Some(carried)
        })
    }
}

fn texts_of(keys: &[FlowObject]) -> Vec<&str> {
    keys.iter()
        .filter_map(|key| if let FlowObject::Text(text) = key { Some(&**text) } else { None })
        .collect()
}
