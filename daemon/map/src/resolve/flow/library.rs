//! Models the languages' own functions: which of them call their arguments, and which return their arguments.

use hob_base::FileId;

use super::{BindingCall, CallAt, FlowKey, FlowObject};
use crate::facts::{Call, FlowValue, Label, StrId, ValueIdx};
use crate::index::FileEntry;
use crate::resolve::Resolver;

/// Functions and methods that call their arguments.
const CALLING: [&str; 48] = [
    "map",
    "filter",
    "sorted",
    "min",
    "max",
    "sort",
    "reduce",
    "forEach",
    "find",
    "findIndex",
    "findLast",
    "some",
    "every",
    "flatMap",
    "reduceRight",
    "then",
    "catch",
    "finally",
    "setTimeout",
    "setInterval",
    "setImmediate",
    "queueMicrotask",
    "nextTick",
    "requestAnimationFrame",
    "addEventListener",
    "on",
    "once",
    "submit",
    "Thread",
    "Process",
    "Timer",
    "call_soon",
    "call_later",
    "run_in_executor",
    "to_thread",
    "partial",
    "apply",
    "call",
    "accumulate",
    "takewhile",
    "dropwhile",
    "starmap",
    "groupby",
    "register",
    "from",
    "defaultdict",
    "addListener",
    "replace",
];

/// Functions whose result stands for their first argument: it is the same value, its elements, or a wrapper of it.
const SAME: [&str; 20] = [
    "list",
    "tuple",
    "set",
    "sorted",
    "reversed",
    "iter",
    "frozenset",
    "deque",
    "dict",
    "OrderedDict",
    "copy",
    "deepcopy",
    "from",
    "freeze",
    "partial",
    "bind",
    "memo",
    "useCallback",
    "wraps",
    "next",
];

impl<'m> Resolver<'m> {
    /// Returns the arguments of a call that a library function calls.
    pub(super) fn callbacks(
        &self,
        at: CallAt,
        entry: &'m FileEntry,
        call: Call,
        callees: &[FlowObject],
    ) -> Vec<ValueIdx> {
        let Some(name) = self.library_name(at.file, entry, call, callees) else { return Vec::new() };
        let opened = self.uses_in_file(at.file, entry);
        let flows = &opened.flows;
        if !CALLING.contains(&name) || name == "partial" {
            return Vec::new();
        }
        flows.parts(call.args).iter().map(|arg| arg.value).collect()
    }

    /// Returns the name of the called function if it is the library's, or can be nothing else.
    fn library_name<'e>(
        &self,
        file: FileId,
        entry: &'e FileEntry,
        call: Call,
        callees: &[FlowObject],
    ) -> Option<&'e str>
    where
        'm: 'e,
    {
        let is_library = callees.iter().all(|obj| matches!(obj, FlowObject::Library(_)));
        let named = |name: StrId| entry.facts.name(name);
        match self.uses_in_file(file, entry).flows.value(call.callee) {
            FlowValue::Free(name, _) if is_library && !callees.is_empty() => Some(named(name)),
            FlowValue::Member(of, name) if is_library => {
                // A method of an object of the project is not the library's.
                let objects = self.read_known(FlowKey::Value(file, of, None));
                let is_own = objects.iter().any(|obj| matches!(obj, FlowObject::Instance(..)));
                Some(named(name)).filter(|_| !is_own)
            }
            _ => None,
        }
    }

    /// Returns the objects that are known of a key, without computing it.
    fn read_known(&self, key: FlowKey) -> Vec<FlowObject> {
        let known = self.flow.borrow();
        known.ids.get(&key).map(|id| known.states[*id as usize].set.clone()).unwrap_or_default()
    }

    /// Returns the objects that a call of a library function returns.
    pub(super) fn library_result(
        &self,
        at: CallAt,
        entry: &'m FileEntry,
        call: Call,
        callees: &[FlowObject],
        bound: Option<BindingCall>,
    ) -> Vec<FlowObject> {
        let opened = self.uses_in_file(at.file, entry);
        let flows = &opened.flows;
        let read = |value: ValueIdx| self.read(FlowKey::Value(at.file, value, bound));
        let first = flows.parts(call.args).iter().find(|arg| arg.label == Label::At(0)).map(|arg| arg.value);
        let mut found = Vec::new();
        if let FlowValue::Member(of, name) = flows.value(call.callee) {
            found.extend(self.method_result(
                at,
                entry.facts.name(name),
                &read(of),
                first.map(read).as_deref(),
            ));
        }
        for callee in callees {
            let FlowObject::Library(name) = callee else { continue };
            match &**name {
                "map" | "filter" | "starmap" => found.push(FlowObject::Gives(at)),
                "enumerate" | "entries" => {
                    found.extend(first.into_iter().flat_map(read).filter_map(as_pairs));
                }
                "values" => found.extend(first.into_iter().flat_map(read)),
                "getattr" => found.extend(self.getattr_objects(at, entry, call)),
                name if SAME.contains(&name) => {
                    let given = first.into_iter().flat_map(read);
                    if name == "next" {
                        found.extend(given.flat_map(|obj| self.parts_of(&obj)));
                    } else {
                        found.extend(given);
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Returns the objects that `getattr(x, "name")` returns.
    fn getattr_objects(&self, at: CallAt, entry: &FileEntry, call: Call) -> Vec<FlowObject> {
        let opened = self.uses_in_file(at.file, entry);
        let [of, name, ..] = opened.flows.parts(call.args) else { return Vec::new() };
        let names = self.read(FlowKey::Value(at.file, name.value, None));
        let objects = self.read(FlowKey::Value(at.file, of.value, None));
        let names =
            names.iter().filter_map(|name| if let FlowObject::Text(text) = name { Some(text) } else { None });
        names
            .flat_map(|name| objects.iter().map(move |obj| (obj, name.trim_start_matches('\''))))
            .flat_map(|(obj, name)| self.member_of_object(obj, name, false))
            .collect()
    }

    /// Returns the objects that a method of a container, or of a function, returns.
    pub(super) fn method_result(
        &self,
        at: CallAt,
        name: &str,
        of: &[FlowObject],
        first: Option<&[FlowObject]>,
    ) -> Vec<FlowObject> {
        let mut found = Vec::new();
        for obj in of {
            match (obj, name) {
                (FlowObject::Container(..), "get" | "pop" | "setdefault" | "at" | "shift" | "popleft") => {
                    found.extend(self.under_key(obj, first.unwrap_or(&[])));
                }
                (FlowObject::Container(..), "find" | "findLast") => found.extend(self.parts_of(obj)),
                (FlowObject::Container(file, value), "items" | "entries") => {
                    found.push(FlowObject::Pairs(*file, *value));
                }
                (
                    FlowObject::Container(..),
                    "values" | "copy" | "slice" | "filter" | "concat" | "reverse" | "sort",
                ) => {
                    found.push(obj.clone());
                }
                (_, "map" | "flatMap") => found.push(FlowObject::Gives(at)),
                (FlowObject::Def(..) | FlowObject::Lambda(..), "bind") => found.push(obj.clone()),
                (FlowObject::Yields(..), "next" | "__next__") => found.extend(self.parts_of(obj)),
                _ => {}
            }
        }
        found
    }

    /// Returns the results of the functions that a call passes to a library function, which applies them to elements.
    pub(super) fn mapped_results(&self, at: CallAt) -> Vec<FlowObject> {
        let Some((entry, call)) = self.call(at) else { return Vec::new() };
        let mut found = Vec::new();
        for arg in self.uses_in_file(at.file, entry).flows.parts(call.args) {
            for obj in self.read(FlowKey::Value(at.file, arg.value, None)) {
                found.extend(self.returned_unbound(&obj));
            }
        }
        found
    }

    fn returned_unbound(&self, obj: &FlowObject) -> Vec<FlowObject> {
        let (file, scope) = match obj {
            FlowObject::Def(def, _) => {
                let Some((entry, _)) = self.def(*def) else { return Vec::new() };
                let Some(scope) = self.uses_in_file(def.file, entry).by_def.get(def.def) else {
                    return Vec::new();
                };
                (def.file, scope)
            }
            FlowObject::Lambda(file, scope) => (*file, *scope),
            _ => return Vec::new(),
        };
        self.read(FlowKey::Return(file, scope, None))
    }

    /// Returns true if a library function returns its arguments in its result.
    pub(super) fn hands_on(&self, callee: &FlowObject) -> bool {
        matches!(callee, FlowObject::Library(name) if SAME.contains(&&**name) || matches!(&**name, "map" | "filter" | "enumerate"))
    }
}

fn as_pairs(obj: FlowObject) -> Option<FlowObject> {
    if let FlowObject::Container(file, value) = obj { Some(FlowObject::Pairs(file, value)) } else { None }
}
