//! Finds the chain of places along which a definition gets to a call through values: its definition, each assignment,
//! argument, result, field and key that carries it, and the call.
//!
//! The solver says that a call can reach a definition, not along which places, because it keeps sets and not their
//! reasons. So a chain is searched backwards, on demand: from the called value to a key whose objects include the same
//! one and from which the language carries them over, until a key that makes the object itself. Each step is thus
//! checked twice, by the solver's sets and by the flows, and its line comes from a new reading of the file
//! ([`FlowPlaces`]). The chain is one of perhaps several, not the shortest.
//!
//! Hard bounds: [`DEPTH`] nested keys, [`ASKED`] keys for a chain. If they do not suffice, or the way of a key is of a
//! kind that this search does not know, there is no chain: none is guessed.

mod containers;
mod values;

use std::rc::Rc;
use std::sync::Arc;

use hob_base::FileId;
use rustc_hash::FxHashMap;

use super::{BindingCall, CallAt, FlowKey, FlowObject};
use crate::facts::{FlowPlaces, FlowTarget, ScopeIdx, ScopeKind, SlotIdx, SlotKind, ValueIdx};
use crate::index::{FileEntry, FlowTables};
use crate::node::DefRef;
use crate::resolve::Resolver;

/// Most nested keys.
const DEPTH: usize = 48;
/// Most keys searched for one chain.
const ASKED: usize = 2_000;

/// A line of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ChainPlace {
    pub(crate) file: FileId,
    /// 1-based line.
    pub(crate) line: u32,
}

/// Reads the places of a file's values; `None` if the file is not as the map has it.
pub(crate) type PlacesByFile<'p> = dyn Fn(FileId) -> Option<Rc<FlowPlaces>> + 'p;

/// The places over which an object gets to a key, in order.
type Carried = Vec<ChainPlace>;

/// A value of a file, for one call of the enclosing function.
#[derive(Clone, Copy)]
struct ValueAt {
    file: FileId,
    value: ValueIdx,
    bound: Option<BindingCall>,
}

impl ValueAt {
    fn new(file: FileId, value: ValueIdx) -> Self {
        Self { file, value, bound: None }
    }

    fn with_value(self, value: ValueIdx) -> Self {
        Self { value, ..self }
    }

    fn key(self) -> FlowKey {
        FlowKey::Value(self.file, self.value, self.bound)
    }
}

/// The search for one chain.
struct ChainSearch<'r, 'm> {
    resolver: &'r Resolver<'m>,
    places: &'r PlacesByFile<'r>,
    /// The result for each key and object; `None` also while the search for it runs.
    found: FxHashMap<(FlowKey, FlowObject), Option<Carried>>,
    depth: usize,
}

impl<'m> Resolver<'m> {
    /// Finds the places along which a definition gets to a call, in that order; `None` if no chain is found.
    pub(crate) fn chain_to_call(
        &self,
        at: CallAt,
        def: DefRef,
        places: &PlacesByFile<'_>,
    ) -> Option<Vec<ChainPlace>> {
        let mut search = ChainSearch { resolver: self, places, found: FxHashMap::default(), depth: 0 };
        let carried = search.reach_call(at, def)?;
        let (_, found) = self.def(def)?;
        let (_, call) = self.call(at)?;
        let first = ChainPlace { file: def.file, line: found.name_at.0 };
        Some(joined(first, carried, ChainPlace { file: at.file, line: call.line }))
    }
}

/// Joins the parts of a chain; a line that carries a value twice appears once, the call last.
fn joined(first: ChainPlace, carried: Carried, call: ChainPlace) -> Vec<ChainPlace> {
    let mut chain = vec![first];
    for place in carried {
        if !chain.contains(&place) && place != call {
            chain.push(place);
        }
    }
    chain.push(call);
    chain.dedup();
    chain
}

impl<'m> ChainSearch<'_, 'm> {
    fn reach_call(&mut self, at: CallAt, def: DefRef) -> Option<Carried> {
        let resolver = self.resolver;
        let (entry, call) = resolver.call(at)?;
        let own = FlowKey::Value(at.file, call.callee, None);
        let key = resolver.key_of_overwritten(at).unwrap_or(own);
        let callees = resolver.solve(key.clone())?;
        for obj in callees.iter().filter(|obj| resolver.called_def(obj) == Some(def)) {
            if let Some(mut carried) = self.carry(&key, obj) {
                carried.extend(self.callee_places(at)?);
                return Some(carried);
            }
        }
        let passed = resolver.callbacks(at, entry, call, &callees);
        passed.into_iter().find_map(|value| self.reach_callback(at, value, def))
    }

    /// Finds the places to an argument that a library function calls.
    fn reach_callback(&mut self, at: CallAt, value: ValueIdx, def: DefRef) -> Option<Carried> {
        let passed = ValueAt::new(at.file, value);
        let objects = self.resolver.solve(passed.key())?;
        let is_def = |obj: &&FlowObject| matches!(obj, FlowObject::Def(found, _) if *found == def);
        let mut carried = objects.iter().filter(is_def).find_map(|obj| self.carry(&passed.key(), obj))?;
        carried.extend(self.argument_places(at, value)?);
        Some(carried)
    }

    /// Finds the places over which an object gets to a key; `None` if the key cannot have the object, or no way is
    /// found.
    fn carry(&mut self, key: &FlowKey, obj: &FlowObject) -> Option<Carried> {
        let asked = (key.clone(), obj.clone());
        if let Some(known) = self.found.get(&asked) {
            return known.clone();
        }
        if self.depth >= DEPTH || self.found.len() >= ASKED || !self.has(key, obj) {
            return None;
        }
        self.resolver.fuel.set(crate::resolve::FUEL);
        self.found.insert(asked.clone(), None);
        self.depth += 1;
        let carried = self.carry_to_key(key, obj);
        self.depth -= 1;
        self.found.insert(asked, carried.clone());
        carried
    }

    fn has(&self, key: &FlowKey, obj: &FlowObject) -> bool {
        self.resolver.solve(key.clone()).is_some_and(|objects| objects.contains(obj))
    }

    fn carry_to_key(&mut self, key: &FlowKey, obj: &FlowObject) -> Option<Carried> {
        match key {
            FlowKey::Value(file, value, bound) => {
                self.reach_value(ValueAt { file: *file, value: *value, bound: *bound }, obj)
            }
            FlowKey::Slot(file, slot, bound) => self.reach_variable(*file, *slot, *bound, obj),
            FlowKey::Return(file, scope, bound) => {
                self.reach_store(*file, FlowTarget::Return(*scope), *bound, obj)
            }
            FlowKey::Yield(file, scope, bound) => {
                self.reach_store(*file, FlowTarget::Yield(*scope), *bound, obj)
            }
            FlowKey::Def(def) => self.reach_def(*def, obj),
            FlowKey::Field(class, made, name) => self.reach_field(*class, *made, name, obj),
            FlowKey::LaterField(class, _, name) => self.reach_field(*class, None, name, obj),
            _ => None,
        }
    }

    fn opened(&self, file: FileId) -> Option<OpenedFile<'m>> {
        let entry = self.resolver.entry(file)?;
        Some(OpenedFile { entry, uses: self.resolver.uses_in_file(file, entry) })
    }

    /// Finds the way through any value that the file stores in a place.
    fn reach_store(
        &mut self,
        file: FileId,
        to: FlowTarget,
        bound: Option<BindingCall>,
        obj: &FlowObject,
    ) -> Option<Carried> {
        let opened = self.opened(file)?;
        let mut values = opened.uses.flows.values_stored_in(to);
        values.find_map(|value| {
            let mut carried = self.carry(&FlowKey::Value(file, value, bound), obj)?;
            carried.extend(self.store_places(file, to, value)?);
            Some(carried)
        })
    }

    fn reach_variable(
        &mut self,
        file: FileId,
        slot: SlotIdx,
        bound: Option<BindingCall>,
        obj: &FlowObject,
    ) -> Option<Carried> {
        let opened = self.opened(file)?;
        let var = *opened.uses.flows.slots.get(slot.0 as usize)?;
        if var.kind == SlotKind::Rest && matches!(obj, FlowObject::Arguments(..)) {
            return Some(Vec::new());
        }
        if var.kind == SlotKind::Parameter {
            let number = slot.0 - opened.uses.flows.scopes.get(var.scope.0 as usize)?.params;
            let callers = || self.resolver.callers(file, opened.entry, var.scope);
            let calls = bound.map_or_else(callers, |bound| vec![bound]);
            let name = opened.entry.facts.name(var.name);
            let given = calls.into_iter().find_map(|call| self.reach_argument(call, number, name, obj));
            if given.is_some() {
                return given;
            }
        }
        self.reach_store(file, FlowTarget::Slot(slot), bound, obj)
    }

    /// Finds the way through the argument that a call passes for a parameter.
    fn reach_argument(
        &mut self,
        call: BindingCall,
        number: u32,
        name: &str,
        obj: &FlowObject,
    ) -> Option<Carried> {
        let argument = self.resolver.argument_for(call, number, name)?;
        let mut carried = self.carry(&ValueAt::new(call.by.file, argument.value).key(), obj)?;
        carried.extend(self.part_places(call.by, argument.part)?);
        Some(carried)
    }

    fn reach_def(&mut self, def: DefRef, obj: &FlowObject) -> Option<Carried> {
        if let Some(slot) = self.resolver.variable_of(def) {
            let key = FlowKey::Slot(def.file, slot, None);
            if !self.resolver.solve(key.clone())?.is_empty() {
                return self.carry(&key, obj);
            }
        }
        let (_, found) = self.resolver.def(def)?;
        Some(vec![ChainPlace { file: def.file, line: found.name_at.0 }])
    }

    /// Finds the way through a store in a field of a class's objects.
    fn reach_field(
        &mut self,
        class: DefRef,
        made: Option<CallAt>,
        name: &str,
        obj: &FlowObject,
    ) -> Option<Carried> {
        let resolver = self.resolver;
        let above = resolver.types_above(class);
        resolver.stores_of(name).into_iter().find_map(|(file, entry, of, value)| {
            let bound = match resolver.class_of_this(file, entry, of) {
                Some((storing, scope)) if storing == class || above.contains(&storing) => {
                    resolver.bound_of_store(file, entry, scope, made)
                }
                Some((storing, _)) => {
                    resolver.types_above(storing).contains(&class).then_some(())?;
                    None
                }
                None => {
                    resolver.may_be_object(FlowKey::Value(file, of, None), class, made).then_some(())?;
                    None
                }
            };
            let mut carried = self.carry(&FlowKey::Value(file, value, bound), obj)?;
            let to = FlowTarget::Member(entry.facts.names.find(name)?, of);
            carried.extend(self.store_places(file, to, value)?);
            Some(carried)
        })
    }

    fn store_places(&self, file: FileId, to: FlowTarget, value: ValueIdx) -> Option<Carried> {
        let lines = (self.places)(file)?.lines_of_store(to, value)?;
        Some(on_lines(file, lines))
    }

    fn value_place(&self, at: ValueAt) -> Option<Carried> {
        let line = *(self.places)(at.file)?.values.get(at.value.0 as usize)?;
        Some(on_lines(at.file, vec![line]))
    }

    /// Returns the places of a call's callee expression.
    fn callee_places(&self, at: CallAt) -> Option<Carried> {
        let places = (self.places)(at.file)?;
        let seen = *places.callees.get(at.call.0 as usize)?;
        Some(on_lines(at.file, places.lines_to(seen)))
    }

    /// Returns the places of a call's argument: those of its expression, or the call's own if it has none.
    fn part_places(&self, at: CallAt, part: u32) -> Option<Carried> {
        let places = (self.places)(at.file)?;
        let lines = places.lines_to(*places.parts.get(part as usize)?);
        if lines.is_empty() { self.call_place(at) } else { Some(on_lines(at.file, lines)) }
    }

    fn argument_places(&self, at: CallAt, value: ValueIdx) -> Option<Carried> {
        let (entry, call) = self.resolver.call(at)?;
        let uses = self.resolver.uses_in_file(at.file, entry);
        let number = uses.flows.parts(call.args).iter().position(|part| part.value == value)?;
        self.part_places(at, call.args.start + number as u32)
    }

    fn call_place(&self, at: CallAt) -> Option<Carried> {
        let (_, call) = self.resolver.call(at)?;
        Some(on_lines(at.file, vec![call.line]))
    }

    fn scope_kind(&self, file: FileId, scope: ScopeIdx) -> Option<ScopeKind> {
        self.resolver.kind_of_scope(file, self.resolver.entry(file)?, scope)
    }
}

/// A file's entry and flows.
struct OpenedFile<'m> {
    entry: &'m FileEntry,
    uses: Arc<FlowTables>,
}

fn on_lines(file: FileId, lines: Vec<u32>) -> Carried {
    lines.into_iter().map(|line| ChainPlace { file, line }).collect()
}
