//! Finds the functions and classes that a value can be, by following assigned, passed, returned and stored values
//! across files.
//!
//! A query is about one call, and computes only what that call depends on. Each fact (the objects of a value, of a
//! variable, of a function's result, the callers of a function) is a [`FlowKey`] with a growing set of objects. A key
//! is computed again when a key that it read has grown, until nothing grows: the least fixed point of PyCG's assignment
//! graph, built on demand. The order of statements counts only where the facts decide it. Results of functions are kept
//! apart by the calling call, one level deep, and fields of objects by the call that made the object, so that a
//! decorator does not mix everything that it decorates.
//!
//! Hard bounds: [`STEPS`] computations for a query, [`WIDTH`] objects for a key. A key that gets wider, or a query that
//! takes longer, has no result: no edge is made of half an answer.

mod callers;
mod chain;
mod eval;
mod library;
mod members;
mod overwritten;
mod receivers;

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use hob_base::FileId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Resolver, Site, WantedKind};
use crate::facts::{Call, CallIdx, DefIdx, DefKind, FlowTarget, ScopeIdx, ScopeKind, SlotIdx, ValueIdx};
use crate::index::{FileEntry, FlowTables};
use crate::node::DefRef;
pub(crate) use callers::START_FILES;
pub(crate) use chain::ChainPlace;

/// Most computations for one query.
const STEPS: u32 = 600;
/// Most computations for one query of a pass over the whole map.
const PASSING_STEPS: u32 = 80;
/// Most values in the files whose flows one query keeps open; most of them are those that stay open between queries.
const MOST_OPEN: usize = 2_000_000;
/// Most objects that a key may have; callers may be eight times as many.
const WIDTH: usize = 24;
/// Most keys that are kept; beyond, a query starts with an empty memory.
const KEPT: usize = 200_000;

/// The place of one call: its file, and its index in the file's flows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct CallAt {
    pub(crate) file: FileId,
    pub(crate) call: CallIdx,
}

/// A call that binds the parameters of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct BindingCall {
    by: CallAt,
    /// The scope of the function, in the function's own file.
    scope: ScopeIdx,
    /// Number of parameters that are bound before the first argument.
    shift: u32,
}

/// An object that a value can be.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum FlowObject {
    /// A function or class; `true` if it is bound to an object.
    Def(DefRef, bool),
    /// A function without a name.
    Lambda(FileId, ScopeIdx),
    /// An object of a class, with the call that made it, if that is known.
    Instance(DefRef, Option<CallAt>),
    /// A container literal in a file.
    Container(FileId, ValueIdx),
    /// Pairs of a key or number and a part of a container.
    Pairs(FileId, ValueIdx),
    /// The values that a generator yields.
    Yields(FileId, ScopeIdx, Option<BindingCall>),
    /// The results of the functions that a call passes to a library function, which applies them to elements.
    Gives(CallAt),
    /// The arguments of a call from a number on.
    Arguments(BindingCall, u32),
    /// A text, as a key.
    Text(Rc<str>),
    /// A value of the language or of a package outside, by name.
    Library(Rc<str>),
    /// A call that reaches a function.
    Caller(BindingCall),
}

/// A set of objects to compute.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum FlowKey {
    Value(FileId, ValueIdx, Option<BindingCall>),
    Slot(FileId, SlotIdx, Option<BindingCall>),
    /// The objects that a function returns.
    Return(FileId, ScopeIdx, Option<BindingCall>),
    Yield(FileId, ScopeIdx, Option<BindingCall>),
    Def(DefRef),
    /// A field of objects of a class, of all or of those that one call made.
    Field(DefRef, Option<CallAt>, Rc<str>),
    /// A field of the object that a call made, after the value of its constructor is overwritten.
    LaterField(DefRef, CallAt, Rc<str>),
    /// The objects that a container holds under these keys; without any, all of them.
    Held(FileId, ValueIdx, Rc<[Rc<str>]>),
    /// The calls that reach a function or class.
    Callers(DefRef),
    /// The calls that reach a function or class through values that these files, or its own, read.
    CallsThroughValues(DefRef, Rc<[FileId]>),
    CallersOf(FileId, ScopeIdx),
    /// The objects that a call returns.
    Result(CallAt),
    /// A member of the objects of another key.
    Member(Rc<Self>, Rc<str>),
    /// The objects that another key's objects hold under a key; without one, all of them.
    Item(Rc<Self>, Option<Rc<str>>),
}

#[derive(Debug, Default)]
struct FlowKeyState {
    set: Vec<FlowObject>,
    /// True if an object that is unknown now stays unknown, so that conclusions from its absence are allowed.
    is_settled: bool,
    readers: Vec<u32>,
    /// True if its objects, or those of a key that it reads, are not whole: a bound ended the search for them, or they come
    /// from callers, which a pass over the whole map does not follow.
    is_partial: bool,
    is_waiting: bool,
    /// True if its objects are too many, or a search ended before they were known: it has no result.
    is_too_wide: bool,
    /// True if that search was about something else, so that another one may find them.
    is_abandoned: bool,
}

/// The memory of the search: the objects that are known so far, shared by queries about many calls.
#[derive(Debug, Default)]
pub(super) struct FlowMemory {
    ids: FxHashMap<FlowKey, u32>,
    keys: Vec<FlowKey>,
    states: Vec<FlowKeyState>,
    waiting: VecDeque<u32>,
    files: FxHashMap<FileId, Arc<FlowTables>>,
    /// Number of values in `files`.
    open_values: usize,
    /// The key that is being computed.
    at: u32,
    /// Keys that wait until nothing grows, because they draw conclusions from the absence of an object.
    undecided: Vec<u32>,
    /// The definitions for which a bound cut the search for calls through values.
    cut_searches: FxHashSet<DefRef>,
    /// Number of solutions so far that a bound has cut, or that drew on one that it has cut.
    cut_solutions: u64,
}

/// The files in which a search for the calls of a definition through values starts, beside its own.
#[derive(Clone, Debug)]
pub(crate) struct StartFiles {
    pub(crate) files: Rc<[FileId]>,
    /// True if a bound kept the search from files that read the definition.
    pub(crate) is_cut: bool,
}

impl<'m> Resolver<'m> {
    /// Returns the call at a place.
    pub(crate) fn call_at(&self, file: FileId, place: (u32, u32)) -> Option<CallAt> {
        let entry = self.entry(file).filter(|entry| !entry.facts.flows.is_empty())?;
        let call = self.uses_in_file(file, entry).call_at(place)?;
        Some(CallAt { file, call })
    }

    /// Returns the definitions that a call reaches through values; empty if they are not known, or are too many.
    pub(crate) fn reached_defs(&self, at: CallAt) -> Vec<DefRef> {
        let Some((entry, call)) = self.call(at) else { return Vec::new() };
        let key = FlowKey::Value(at.file, call.callee, None);
        let key = self.key_of_overwritten(at).unwrap_or(key);
        let Some(callees) = self.solve(key) else { return Vec::new() };
        let mut found: Vec<DefRef> = callees.iter().filter_map(|obj| self.called_def(obj)).collect();
        for callback in self.callbacks(at, entry, call, &callees) {
            let passed = self.solve(FlowKey::Value(at.file, callback, None)).unwrap_or_default();
            found.extend(
                passed
                    .iter()
                    .filter(|obj| matches!(obj, FlowObject::Def(..)))
                    .filter_map(|obj| self.called_def(obj)),
            );
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns true if [`Self::reached_defs`] of a call drew on objects that are not whole, so that a resolver with callers,
    /// or with more patience, may find other definitions.
    pub(crate) fn may_reach_others(&self, at: CallAt) -> bool {
        let Some((entry, call)) = self.call(at) else { return true };
        let callee = || FlowKey::Value(at.file, call.callee, None);
        let key = self.key_of_overwritten(at).unwrap_or_else(callee);
        let callees = self.solve(key.clone()).unwrap_or_default();
        let passed = self.callbacks(at, entry, call, &callees).into_iter();
        let passed = passed.map(|value| FlowKey::Value(at.file, value, None));
        std::iter::once(key).chain(passed).any(|key| self.is_partial(&key))
    }

    /// Returns true if the objects of a key that was solved are not whole.
    fn is_partial(&self, key: &FlowKey) -> bool {
        let known = self.flow.borrow();
        // The memory may have been cleared meanwhile.
        known.ids.get(key).is_none_or(|id| known.states[*id as usize].is_partial)
    }

    /// Returns true if a call can reach only functions of the language, or from outside.
    pub(crate) fn is_of_library(&self, at: CallAt) -> bool {
        let Some((_, call)) = self.call(at) else { return false };
        let callees = self.solve(FlowKey::Value(at.file, call.callee, None)).unwrap_or_default();
        !callees.is_empty() && callees.iter().all(|callee| matches!(callee, FlowObject::Library(_)))
    }

    /// Returns the calls that may reach a definition through values. It may leave out calls whose name decides it.
    pub(crate) fn calls_reaching(&self, def: DefRef, start: &StartFiles) -> Vec<CallAt> {
        let Some(entry) = self.entry(def.file).filter(|entry| !entry.facts.flows.is_empty()) else {
            return Vec::new();
        };
        let kind = entry.facts.def(def.def).kind;
        if !(kind.is_callable() || kind.is_type()) {
            return Vec::new();
        }
        let key = FlowKey::CallsThroughValues(def, Rc::clone(&start.files));
        let callers = self.solve(key.clone());
        if callers.is_none() || start.is_cut || self.is_partial(&key) {
            self.flow.borrow_mut().cut_searches.insert(def);
        }
        let callers = callers.unwrap_or_default();
        let mut calls: Vec<CallAt> = callers
            .iter()
            .filter_map(|obj| if let FlowObject::Caller(bound) = obj { Some(bound.by) } else { None })
            .collect();
        calls.sort_unstable();
        calls.dedup();
        calls
    }

    /// Returns true if a bound cut the search for the calls of a definition through values, so that [`Self::calls_reaching`]
    /// may lack some. It is known once that has been asked.
    pub(crate) fn has_cut_search(&self, def: DefRef) -> bool {
        self.flow.borrow().cut_searches.contains(&def)
    }

    /// Returns the number of times that following values has ended at a bound so far, or has drawn on what ended at one. While it
    /// stays the same, the values that are found do not depend on what was asked before.
    pub(crate) fn cut_solutions(&self) -> u64 {
        self.flow.borrow().cut_solutions
    }

    /// Returns the definition that runs when an object is called.
    fn called_def(&self, obj: &FlowObject) -> Option<DefRef> {
        match obj {
            FlowObject::Def(def, _) => Some(*def),
            FlowObject::Instance(class, _) => self.find_method(*class, "__call__"),
            _ => None,
        }
    }

    fn call(&self, at: CallAt) -> Option<(&'m FileEntry, Call)> {
        let entry = self.entry(at.file)?;
        Some((entry, *self.uses_in_file(at.file, entry).flows.calls.get(at.call.0 as usize)?))
    }

    /// Returns the definition that encloses a call; `None` at file level.
    pub(crate) fn owner_of_call(&self, at: CallAt) -> Option<(Option<DefIdx>, Call)> {
        let (entry, call) = self.call(at)?;
        let opened = self.uses_in_file(at.file, entry);
        let flows = &opened.flows;
        let mut scope = call.scope;
        loop {
            let found = flows.scopes.get(scope.0 as usize)?;
            if found.def.is_some() || found.parent == scope {
                return Some((found.def, call));
            }
            scope = found.parent;
        }
    }

    pub(crate) fn uses_in_file(&self, file: FileId, entry: &FileEntry) -> Arc<FlowTables> {
        if let Some(known) = self.flow.borrow().files.get(&file) {
            return Arc::clone(known);
        }
        let uses = self.index.flows_of_file(file, entry, !self.is_passing());
        let mut known = self.flow.borrow_mut();
        known.open_values += uses.flows.values.len();
        if known.open_values > MOST_OPEN {
            known.files.clear();
            known.open_values = uses.flows.values.len();
        }
        known.files.insert(file, Arc::clone(&uses));
        uses
    }

    fn site_in(&self, file: FileId, entry: &'m FileEntry, scope: ScopeIdx) -> Site<'m> {
        let opened = self.uses_in_file(file, entry);
        let scopes = &opened.flows.scopes;
        let mut at = scope;
        let owner = loop {
            let Some(found) = scopes.get(at.0 as usize) else { break None };
            if found.def.is_some() || found.parent == at {
                break found.def;
            }
            at = found.parent;
        };
        Site { file, entry, owner, want: WantedKind::Callee }
    }

    /// Returns all objects of a key; `None` if that takes too long, or they are too many.
    fn solve(&self, key: FlowKey) -> Option<Vec<FlowObject>> {
        if self.flow.borrow().keys.len() > KEPT {
            let mut known = self.flow.borrow_mut();
            let (files, open_values) = (std::mem::take(&mut known.files), known.open_values);
            let cut_searches = std::mem::take(&mut known.cut_searches);
            let cut_solutions = known.cut_solutions;
            *known = FlowMemory { files, open_values, cut_searches, cut_solutions, ..FlowMemory::default() };
        }
        let id = self.flow.borrow_mut().id_of_root(key);
        let steps = if self.is_passing() { PASSING_STEPS } else { STEPS };
        for _ in 0..steps {
            let next = self.flow.borrow_mut().next();
            let Some(next) = next else { break };
            let key = self.flow.borrow().keys[next as usize].clone();
            let found = self.compute_key(&key);
            let is_too_wide = self.flow.borrow_mut().grow_key(next, found);
            if is_too_wide && !self.is_passing() {
                // For a pass it is whole: a query finds no more of it either.
                self.flow.borrow_mut().note_partial(next);
            }
        }
        let mut known = self.flow.borrow_mut();
        if !known.waiting.is_empty() || !known.undecided.is_empty() {
            known.cut_solutions += 1;
            known.give_up(id);
            return None;
        }
        known.cut_solutions += u64::from(known.states[id as usize].is_partial);
        let state = &known.states[id as usize];
        if state.is_too_wide { None } else { Some(state.set.clone()) }
    }

    /// Returns true if an unknown object may be taken for one that stays unknown; if false, the key that is being
    /// computed is computed again.
    fn is_settled(&self) -> bool {
        let mut known = self.flow.borrow_mut();
        let at = known.at;
        let is_settled = known.states[at as usize].is_settled;
        if !is_settled && !known.undecided.contains(&at) {
            known.undecided.push(at);
        }
        is_settled
    }

    /// Returns the objects of a key that are known so far; the reading key is computed again when they grow.
    fn read(&self, key: FlowKey) -> Vec<FlowObject> {
        let mut known = self.flow.borrow_mut();
        let (id, at) = (known.id(key), known.at);
        let state = &mut known.states[id as usize];
        if !state.readers.contains(&at) {
            state.readers.push(at);
        }
        if state.is_partial {
            known.note_partial(at);
        }
        let state = &known.states[id as usize];
        if state.is_too_wide { Vec::new() } else { state.set.clone() }
    }

    fn compute_key(&self, key: &FlowKey) -> Vec<FlowObject> {
        self.fuel.set(super::FUEL);
        match key {
            FlowKey::Value(file, value, bound) => self.value_objects(*file, *value, *bound),
            FlowKey::Slot(file, slot, bound) => self.slot_objects(*file, *slot, *bound),
            FlowKey::Return(file, scope, bound) => self.given_back(*file, FlowTarget::Return(*scope), *bound),
            FlowKey::Yield(file, scope, bound) => self.given_back(*file, FlowTarget::Yield(*scope), *bound),
            FlowKey::Def(def) => self.def_objects(*def),
            FlowKey::Field(class, made, name) => self.field_objects(*class, *made, name),
            FlowKey::LaterField(class, made, name) => self.later_objects(*class, *made, name),
            FlowKey::Held(file, at, keys) => {
                let texts: Vec<&str> = keys.iter().map(|key| &**key).collect();
                self.held_in(*file, *at, &texts)
            }
            FlowKey::Callers(def) => self.callers_of_def(*def),
            FlowKey::CallersOf(file, scope) => self.callers_of_lambda(*file, *scope),
            FlowKey::CallsThroughValues(def, files) => self.calls_through_values(*def, files),
            FlowKey::Result(at) => self.call_result(*at),
            FlowKey::Member(of, name) => {
                let objects = receivers::opened_objects(self.read((**of).clone()), |key| self.read(key));
                objects.iter().flat_map(|obj| self.member_of_object(obj, name, false)).collect()
            }
            FlowKey::Item(of, key) => {
                let keys: Vec<FlowObject> = key.iter().cloned().map(FlowObject::Text).collect();
                let objects = receivers::opened_objects(self.read((**of).clone()), |key| self.read(key));
                objects.iter().flat_map(|obj| self.under_key(obj, &keys)).collect()
            }
        }
    }
}

impl FlowMemory {
    fn id(&mut self, key: FlowKey) -> u32 {
        if let Some(&id) = self.ids.get(&key) {
            return id;
        }
        let id = self.keys.len() as u32;
        self.ids.insert(key.clone(), id);
        self.keys.push(key);
        self.states.push(FlowKeyState { is_waiting: true, ..FlowKeyState::default() });
        self.waiting.push_back(id);
        id
    }

    /// Returns the number of the key that a search is about, and has it computed if another search ended before it was.
    fn id_of_root(&mut self, key: FlowKey) -> u32 {
        let id = self.id(key);
        let state = &mut self.states[id as usize];
        if std::mem::take(&mut state.is_abandoned) {
            (state.is_waiting, state.is_too_wide) = (true, false);
            self.waiting.push_back(id);
        }
        id
    }

    /// Notes that the objects of a key, and of all that read it, are not whole.
    fn note_partial(&mut self, id: u32) {
        let mut partial = vec![id];
        while let Some(id) = partial.pop() {
            let state = &mut self.states[id as usize];
            if !std::mem::replace(&mut state.is_partial, true) {
                partial.extend(&state.readers);
            }
        }
    }

    /// Ends the search: the keys that were still to be computed have no result, unless a later search is about one of them.
    fn give_up(&mut self, root: u32) {
        for id in std::mem::take(&mut self.waiting)
            .into_iter()
            .chain(std::mem::take(&mut self.undecided))
            .chain([root])
        {
            let state = &mut self.states[id as usize];
            (state.is_waiting, state.is_too_wide, state.is_abandoned) = (false, true, id != root);
            self.note_partial(id);
        }
    }

    fn next(&mut self) -> Option<u32> {
        if self.waiting.is_empty() {
            for id in std::mem::take(&mut self.undecided) {
                let state = &mut self.states[id as usize];
                (state.is_settled, state.is_waiting) = (true, true);
                self.waiting.push_back(id);
            }
        }
        let next = self.waiting.pop_front()?;
        self.states[next as usize].is_waiting = false;
        self.at = next;
        Some(next)
    }

    /// Adds objects to a key, and lets the keys that read it be computed again. Returns true if it has too many now.
    fn grow_key(&mut self, id: u32, found: Vec<FlowObject>) -> bool {
        let is_callers = matches!(
            self.keys[id as usize],
            FlowKey::Callers(_) | FlowKey::CallersOf(..) | FlowKey::CallsThroughValues(..)
        );
        let most = if is_callers { 8 * WIDTH } else { WIDTH };
        let state = &mut self.states[id as usize];
        if state.is_too_wide {
            return false;
        }
        let before = state.set.len();
        for obj in found {
            if !state.set.contains(&obj) {
                state.set.push(obj);
            }
        }
        let is_too_wide = state.set.len() > most;
        state.is_too_wide = is_too_wide;
        if state.set.len() == before {
            return false;
        }
        for reader in state.readers.clone() {
            let reading = &mut self.states[reader as usize];
            if !reading.is_waiting {
                reading.is_waiting = true;
                self.waiting.push_back(reader);
            }
        }
        is_too_wide
    }
}

/// Returns 1 if the first parameter of a function that is called as a member is its receiver, otherwise 0.
fn receiver_shift(entry: &FileEntry, is_bound: bool) -> u32 {
    u32::from(is_bound && entry.lang().semantics().receiver_parameter)
}

/// Returns true if a definition has a scope whose values can be followed.
fn is_followed(kind: DefKind) -> bool {
    kind.is_callable() || kind.is_type()
}

fn is_static(kind: ScopeKind) -> bool {
    matches!(kind, ScopeKind::Static | ScopeKind::Class | ScopeKind::File)
}
