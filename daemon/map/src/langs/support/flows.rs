//! Collects where the values of a file go ([`Flows`]) while an extractor goes through its tree.
//!
//! A language says what is declared, assigned, read, called and stored, in the order in which it runs. The tracer keeps
//! which single assignment a variable was last given where the text runs straight on: a read is then of that value, so
//! that of `a = f; a = g; a()` only `g` is called. Where text may run or not, or run again, that knowledge ends.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{
    Call, CallIdx, CallKind, DefIdx, FactsBuilder, FlowPart, FlowParts, FlowScope, FlowStore, FlowTarget,
    FlowValue, Flows, Label, ScopeIdx, ScopeKind, Slot, SlotIdx, SlotKind, StrId, ValueIdx,
};
use crate::syntax::{Node, named_children};
use crate::walk::LineTracker;

use super::flow_recorder::{FlowRecorder, OuterExpression, OuterStatement};

/// Most values of one file; a file with more is a table of data, and gets no flows.
const MOST: usize = 1 << 18;

/// Longest text that may be a key, in bytes.
const LONGEST_KEY: usize = 24;

/// The file's own scope.
const FILE: ScopeIdx = ScopeIdx(0);

/// Collects the flows of one file.
pub(crate) struct Tracer<'t> {
    pub(crate) source: &'t [u8],
    /// The whole source as text; `None` if it is not UTF-8.
    whole: Option<&'t str>,
    facts: FactsBuilder,
    lines: LineTracker,
    values: Vec<FlowValue>,
    parts: Vec<FlowPart>,
    calls: Vec<Call>,
    scopes: Vec<FlowScope>,
    slots: Vec<Slot>,
    stores: Vec<FlowStore>,
    /// The index of each value that stands for all of its occurrences.
    interned: FxHashMap<FlowValue, ValueIdx>,
    names: FxHashMap<(ScopeIdx, StrId), SlotIdx>,
    /// The last value of each variable of the current scope, where no other value can have reached the current place.
    known: FxHashMap<SlotIdx, ValueIdx>,
    /// The last value under a key of a container, where no other value can have reached the current place.
    held: FxHashMap<(ValueIdx, StrId), ValueIdx>,
    /// Variables that were assigned since the innermost text began that may not run.
    assigned: Vec<SlotIdx>,
    put: Vec<(ValueIdx, StrId)>,
    /// Number of enclosing texts, in the current scope, that may not run; one more once the scope may have been left.
    doubts: u32,
    scope: ScopeIdx,
    /// The scopes of functions without a `this` of their own.
    arrows: FxHashSet<ScopeIdx>,
    /// The functions and classes that the file defines, by the positions of their names.
    made: FxHashMap<(u32, u32), DefIdx>,
    /// Records the lines on which values stand, if they are asked for.
    recorder: Option<FlowRecorder>,
}

/// The state of the outer scope, set aside while the tracer goes through an inner one.
pub(crate) struct OuterScope {
    scope: ScopeIdx,
    known: FxHashMap<SlotIdx, ValueIdx>,
    held: FxHashMap<(ValueIdx, StrId), ValueIdx>,
    assigned: Vec<SlotIdx>,
    put: Vec<(ValueIdx, StrId)>,
    doubts: u32,
}

/// The assignments that were noted before text began that may not run.
pub(crate) struct EarlierAssignments {
    assigned: Vec<SlotIdx>,
    put: Vec<(ValueIdx, StrId)>,
}

/// The number of times that a piece of text runs, if it is not exactly once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TracedRun {
    /// Once or not at all.
    Perhaps,
    /// Any number of times.
    Again,
}

/// Yields the named children of a node that are no comments.
pub(crate) fn children_but<'t, F: Fn(Node<'t>) -> bool>(
    node: Node<'t>,
    is_comment: F,
) -> impl Iterator<Item = Node<'t>> + use<'t, F> {
    named_children(node).filter(move |child| !is_comment(*child))
}

impl<'t> Tracer<'t> {
    pub(crate) fn new(source: &'t [u8], facts: FactsBuilder) -> Self {
        let file = FlowScope {
            kind: ScopeKind::File,
            def: None,
            parent: FILE,
            home: None,
            params: 0,
            param_count: 0,
        };
        let defs = facts.defs().iter().zip(0..);
        let code = defs.filter(|(def, _)| def.kind.is_callable() || def.kind.is_type());
        let made = code.map(|(def, at)| (def.name_at, DefIdx::new(at))).collect();
        let recorder = facts.wants_places().then(FlowRecorder::new);
        Self {
            source,
            whole: std::str::from_utf8(source).ok(),
            facts,
            lines: LineTracker::for_source(source),
            values: Vec::new(),
            parts: Vec::new(),
            calls: Vec::new(),
            scopes: vec![file],
            slots: Vec::new(),
            stores: Vec::new(),
            interned: FxHashMap::default(),
            names: FxHashMap::default(),
            known: FxHashMap::default(),
            held: FxHashMap::default(),
            assigned: Vec::new(),
            put: Vec::new(),
            doubts: 0,
            scope: FILE,
            arrows: FxHashSet::default(),
            made,
            recorder,
        }
    }

    /// Adds the collected flows to the facts and returns them; a file with too many values has none.
    pub(crate) fn finish(mut self) -> FactsBuilder {
        if self.values.len() < MOST {
            self.facts.set_flows(Flows {
                values: self.values.into(),
                parts: self.parts.into(),
                calls: self.calls.into(),
                scopes: self.scopes.into(),
                slots: self.slots.into(),
                stores: self.stores.into(),
            });
            if let Some(recorder) = self.recorder {
                self.facts.set_flow_places(recorder.into_places());
            }
        }
        self.facts
    }

    /// Returns true if the file has too many values to go on.
    pub(crate) fn is_full(&self) -> bool {
        self.values.len() >= MOST
    }

    /// Returns the bytes of a node.
    pub(crate) fn bytes(&self, node: Node<'_>) -> &'t [u8] {
        self.source.get(node.byte_range()).unwrap_or(&[])
    }

    pub(crate) fn text(&self, node: Node<'_>) -> &'t str {
        match self.whole {
            Some(whole) => whole.get(node.byte_range()).unwrap_or(""),
            None => std::str::from_utf8(self.bytes(node)).unwrap_or(""),
        }
    }

    pub(crate) fn intern(&mut self, name: &str) -> StrId {
        self.facts.intern(name)
    }

    /// Returns true if a name is this text, which need not be among the names of the file.
    pub(crate) fn is_name(&self, name: StrId, text: &str) -> bool {
        self.facts.provisional_name(name) == text
    }

    /// Returns the scope that the tracer goes through.
    pub(crate) fn current_scope(&self) -> ScopeIdx {
        self.scope
    }

    pub(crate) fn kind_of(&self, scope: ScopeIdx) -> ScopeKind {
        self.scopes[scope.0 as usize].kind
    }

    pub(crate) fn set_kind(&mut self, kind: ScopeKind) {
        self.scopes[self.scope.0 as usize].kind = kind;
    }

    /// Returns the scope whose `this` the current place sees: the innermost one that is no arrow function.
    pub(crate) fn scope_of_this(&self) -> ScopeIdx {
        let mut at = self.scope;
        while self.arrows.contains(&at) {
            at = self.scopes[at.0 as usize].parent;
        }
        at
    }

    /// Notes that the current scope has no `this` of its own, but that of the scope around it.
    pub(crate) fn is_arrow(&mut self) {
        self.arrows.insert(self.scope);
    }

    /// Sets the value whose member a function is that was just traced.
    pub(crate) fn set_home(&mut self, function: ValueIdx, home: ValueIdx) {
        if let FlowValue::Scope(scope) = self.value_at(function) {
            self.scopes[scope.0 as usize].home = Some(home);
        }
    }

    /// Returns the function or class whose name is this node.
    pub(crate) fn def_at(&mut self, name: Node<'_>) -> Option<DefIdx> {
        let at = self.lines.position(self.source, name);
        self.made.get(&at).copied()
    }

    /// Returns the index of a value that is the same wherever it occurs.
    pub(crate) fn value(&mut self, value: FlowValue) -> ValueIdx {
        if let Some(&known) = self.interned.get(&value) {
            return known;
        }
        let at = self.push_value(value);
        self.interned.insert(value, at);
        at
    }

    fn push_value(&mut self, value: FlowValue) -> ValueIdx {
        self.values.push(value);
        if let Some(recorder) = &mut self.recorder {
            recorder.note_value();
        }
        ValueIdx(self.values.len() as u32 - 1)
    }

    pub(crate) fn unknown_value(&mut self) -> ValueIdx {
        self.value(FlowValue::Unknown)
    }

    pub(crate) fn is_unknown(&self, at: ValueIdx) -> bool {
        self.value_at(at) == FlowValue::Unknown
    }

    pub(crate) fn value_at(&self, at: ValueIdx) -> FlowValue {
        self.values[at.0 as usize]
    }

    /// Begins an expression whose place is recorded.
    pub(crate) fn begin_expression(&mut self, node: Node<'_>) -> Option<OuterExpression> {
        self.recorder.as_mut().map(|recorder| recorder.begin_expression(node))
    }

    /// Ends an expression with the value that it gives.
    pub(crate) fn end_expression(&mut self, outer: Option<OuterExpression>, value: ValueIdx) {
        let is_unknown = self.is_unknown(value);
        if let Some((recorder, outer)) = self.recorder.as_mut().zip(outer) {
            recorder.end_expression(outer, Some(value).filter(|_| !is_unknown));
        }
    }

    /// Begins a statement whose place is recorded.
    pub(crate) fn begin_statement(&mut self, node: Node<'_>) -> Option<OuterStatement> {
        self.recorder.as_mut().map(|recorder| recorder.begin_statement(node))
    }

    /// Ends a statement; the recorder goes back to the outer one.
    pub(crate) fn end_statement(&mut self, outer: Option<OuterStatement>) {
        if let Some((recorder, outer)) = self.recorder.as_mut().zip(outer) {
            recorder.end_statement(outer);
        }
    }

    /// Enters a scope inside the current one.
    pub(crate) fn open(
        &mut self,
        kind: ScopeKind,
        def: Option<DefIdx>,
        home: Option<ValueIdx>,
    ) -> OuterScope {
        let params = self.slots.len() as u32;
        self.scopes.push(FlowScope { kind, def, parent: self.scope, home, params, param_count: 0 });
        let scope = std::mem::replace(&mut self.scope, ScopeIdx(self.scopes.len() as u32 - 1));
        OuterScope {
            scope,
            known: std::mem::take(&mut self.known),
            held: std::mem::take(&mut self.held),
            assigned: std::mem::take(&mut self.assigned),
            put: std::mem::take(&mut self.put),
            doubts: std::mem::take(&mut self.doubts),
        }
    }

    /// Leaves the current scope, and returns it as a value.
    pub(crate) fn close(&mut self, outer: OuterScope) -> ValueIdx {
        let scope = std::mem::replace(&mut self.scope, outer.scope);
        self.known = outer.known;
        self.held = outer.held;
        self.assigned = outer.assigned;
        self.put = outer.put;
        self.doubts = outer.doubts;
        self.value(FlowValue::Scope(scope))
    }

    /// Declares a parameter of the scope just opened; all parameters come before its variables.
    pub(crate) fn declare_parameter(&mut self, name: &str, kind: SlotKind) -> SlotIdx {
        let name = self.facts.intern(name);
        let slot = self.new_slot(name, kind);
        self.scopes[self.scope.0 as usize].param_count += 1;
        slot
    }

    fn new_slot(&mut self, name: StrId, kind: SlotKind) -> SlotIdx {
        self.slots.push(Slot { scope: self.scope, name, kind });
        let slot = SlotIdx(self.slots.len() as u32 - 1);
        self.names.insert((self.scope, name), slot);
        slot
    }

    /// Declares a variable of the current scope, unless it has one of that name.
    pub(crate) fn declare_variable(&mut self, name: &str) -> SlotIdx {
        let id = self.facts.intern(name);
        match self.names.get(&(self.scope, id)) {
            Some(&slot) => slot,
            None => self.new_slot(id, SlotKind::Variable),
        }
    }

    /// Declares a variable of the current scope that hides one of its name until that is revealed again.
    pub(crate) fn declare_hiding(&mut self, name: &str) -> (StrId, Option<SlotIdx>) {
        let id = self.facts.intern(name);
        let hidden = self.names.get(&(self.scope, id)).copied();
        self.new_slot(id, SlotKind::Variable);
        (id, hidden)
    }

    pub(crate) fn reveal_variable(&mut self, name: StrId, hidden: Option<SlotIdx>) {
        match hidden {
            Some(slot) => self.names.insert((self.scope, name), slot),
            None => self.names.remove(&(self.scope, name)),
        };
    }

    /// Returns the variable that a name means here. Names of a class are seen in its body alone.
    pub(crate) fn find(&mut self, name: &str) -> Option<SlotIdx> {
        let id = self.facts.intern(name);
        self.find_interned(id)
    }

    fn find_interned(&self, id: StrId) -> Option<SlotIdx> {
        let mut at = self.scope;
        loop {
            let scope = &self.scopes[at.0 as usize];
            if (scope.kind != ScopeKind::Class || at == self.scope)
                && let Some(&slot) = self.names.get(&(at, id))
            {
                return Some(slot);
            }
            if scope.parent == at {
                return None;
            }
            at = scope.parent;
        }
    }

    /// Returns the value that a name stands for here.
    pub(crate) fn read(&mut self, name: &str) -> ValueIdx {
        let name = self.facts.intern(name);
        let Some(slot) = self.find_interned(name) else {
            return self.value(FlowValue::Free(name, self.scope));
        };
        match self.known.get(&slot) {
            Some(&value) => {
                if let Some(recorder) = &mut self.recorder {
                    recorder.note_read(slot, value);
                }
                value
            }
            None => self.value(FlowValue::Slot(slot)),
        }
    }

    /// Returns the value of all arguments of the function whose `this` is seen here, under the name that the language
    /// has for them.
    pub(crate) fn read_arguments(&mut self, name: &str) -> ValueIdx {
        let scope = self.scope_of_this();
        let is_function = !matches!(self.kind_of(scope), ScopeKind::File | ScopeKind::Class);
        if !is_function || self.find(name).is_some() {
            return self.read(name);
        }
        let around = std::mem::replace(&mut self.scope, scope);
        let name = self.facts.intern(name);
        let slot = self.new_slot(name, SlotKind::Rest);
        self.scope = around;
        self.value(FlowValue::Slot(slot))
    }

    /// Assigns a value to a variable.
    pub(crate) fn assign_variable(&mut self, slot: SlotIdx, value: ValueIdx) {
        self.store_value(FlowTarget::Slot(slot), value);
        if self.slots[slot.0 as usize].scope == self.scope {
            self.known.insert(slot, value);
            self.assigned.push(slot);
        }
    }

    /// Records that a value is put somewhere; an unknown value is dropped.
    pub(crate) fn store_value(&mut self, to: FlowTarget, value: ValueIdx) {
        if !self.is_unknown(value) {
            let is_sure = self.doubts == 0 && matches!(to, FlowTarget::Member(..));
            let sure_in = is_sure.then_some(self.scope);
            self.stores.push(FlowStore { to, value, sure_in });
            if let Some(recorder) = &mut self.recorder {
                recorder.note_store(to, value);
            }
        }
    }

    /// Puts a value under a key of a container.
    pub(crate) fn store_item(&mut self, of: ValueIdx, key: ValueIdx, value: ValueIdx) {
        self.store_value(FlowTarget::Item(of, key), value);
        match self.value_at(key) {
            FlowValue::Text(text) if matches!(self.value_at(of), FlowValue::Container(_)) => {
                self.held.insert((of, text), value);
                self.put.push((of, text));
            }
            _ => self.held.retain(|(held, _), _| *held != of),
        }
    }

    /// Returns the value that another holds under a key.
    pub(crate) fn value_under_key(&mut self, of: ValueIdx, key: ValueIdx) -> ValueIdx {
        let FlowValue::Text(text) = self.value_at(key) else { return self.value(FlowValue::Item(of, key)) };
        if let Some(&value) = self.held.get(&(of, text)) {
            if let Some(recorder) = &mut self.recorder {
                recorder.note_held(of, value);
            }
            return value;
        }
        // A container inside a written container is the same one at every read, whatever is put into it later.
        let inner = self.written_part(of, Label::Named(text)).or_else(|| {
            let at = self.facts.provisional_name(text).parse().ok()?;
            self.written_part(of, Label::At(at))
        });
        match inner.filter(|inner| matches!(self.value_at(*inner), FlowValue::Container(_))) {
            Some(inner) => inner,
            None => self.value(FlowValue::Item(of, key)),
        }
    }

    /// Returns true if the file shows a value under a key of a container.
    pub(crate) fn holds_key(&mut self, of: ValueIdx, key: ValueIdx) -> bool {
        let FlowValue::Text(text) = self.value_at(key) else { return false };
        self.held.contains_key(&(of, text)) || self.written_part(of, Label::Named(text)).is_some()
    }

    /// Returns the part that a container is written with under this label; `None` if parts without a label may hide it.
    pub(crate) fn written_part(&mut self, of: ValueIdx, label: Label) -> Option<ValueIdx> {
        let FlowValue::Container(parts) = self.value_at(of) else { return None };
        let parts = &self.parts[parts.start as usize..(parts.start + parts.len) as usize];
        let is_open = parts.iter().any(|part| !matches!(part.label, Label::At(_) | Label::Named(_)));
        let found = parts.iter().rev().find(|part| part.label == label);
        found.filter(|_| !is_open).map(|part| part.value)
    }

    /// Returns the parts of a container literal; `None` for other values.
    pub(crate) fn parts_of(&self, of: ValueIdx) -> Option<Vec<FlowPart>> {
        let FlowValue::Container(parts) = self.value_at(of) else { return None };
        Some(self.parts[parts.start as usize..(parts.start + parts.len) as usize].to_vec())
    }

    /// Begins text that may not run, or run again: what it assigns counts as unknown once it ends.
    pub(crate) fn begin(&mut self, run: TracedRun) -> EarlierAssignments {
        if run == TracedRun::Again {
            self.known.clear();
            self.held.clear();
        }
        self.doubts += 1;
        EarlierAssignments {
            assigned: std::mem::take(&mut self.assigned),
            put: std::mem::take(&mut self.put),
        }
    }

    pub(crate) fn end(&mut self, before: EarlierAssignments) {
        self.doubts -= 1;
        for slot in std::mem::replace(&mut self.assigned, before.assigned) {
            self.known.remove(&slot);
            self.assigned.push(slot);
        }
        for place in std::mem::replace(&mut self.put, before.put) {
            self.held.remove(&place);
            self.put.push(place);
        }
    }

    /// Notes that the current scope may end here: what follows in it may not run.
    pub(crate) fn may_end_scope(&mut self) {
        self.doubts += 1;
    }

    fn keep_parts(&mut self, parts: &[FlowPart]) -> FlowParts {
        let start = self.parts.len();
        self.parts.extend_from_slice(parts);
        self.note_parts_from(start)
    }

    /// Returns the parts that were added from a number on, after noting their places.
    fn note_parts_from(&mut self, start: usize) -> FlowParts {
        let added = &self.parts[start..];
        if let Some(recorder) = &mut self.recorder {
            recorder.note_parts(added);
        }
        FlowParts { start: start as u32, len: added.len() as u32 }
    }

    pub(crate) fn make_container(&mut self, parts: &[FlowPart]) -> ValueIdx {
        let parts = self.keep_parts(parts);
        self.push_value(FlowValue::Container(parts))
    }

    /// Returns a value that may be any of several.
    pub(crate) fn one_of(&mut self, values: &[ValueIdx]) -> ValueIdx {
        let mut some: Vec<ValueIdx> = values.iter().copied().filter(|at| !self.is_unknown(*at)).collect();
        some.dedup();
        match some[..] {
            [] => self.unknown_value(),
            [one] => one,
            _ => {
                let parts: Vec<FlowPart> =
                    some.into_iter().map(|value| FlowPart { label: Label::Spread, value }).collect();
                let parts = self.keep_parts(&parts);
                self.push_value(FlowValue::OneOf(parts))
            }
        }
    }

    /// Records a call of `callee`, whose name stands at `at`, and returns its result.
    pub(crate) fn call(
        &mut self,
        callee: ValueIdx,
        at: Node<'_>,
        kind: CallKind,
        args: &[FlowPart],
    ) -> ValueIdx {
        let start = self.parts.len();
        for arg in args.iter().filter(|arg| self.values[arg.value.0 as usize] != FlowValue::Unknown) {
            self.parts.push(*arg);
        }
        let args = self.note_parts_from(start);
        let (line, col) = self.lines.position(self.source, at);
        let is_sure = self.doubts == 0;
        if let Some(recorder) = &mut self.recorder {
            recorder.note_call(callee);
        }
        self.calls.push(Call { callee, scope: self.scope, line, col, args, kind, is_sure });
        self.push_value(FlowValue::Call(CallIdx(self.calls.len() as u32 - 1)))
    }

    /// Returns the member of a value by its name.
    pub(crate) fn member_value(&mut self, of: ValueIdx, name: &str) -> ValueIdx {
        let name = self.facts.intern(name);
        self.value(FlowValue::Member(of, name))
    }

    /// Returns the content of a string as a value, if it can be a key. A quote before it tells it from a number.
    pub(crate) fn text_value(&mut self, content: &str) -> ValueIdx {
        if content.len() < LONGEST_KEY {
            self.literal_value(&format!("'{content}"))
        } else {
            self.unknown_value()
        }
    }

    /// Returns a string or number as it is written, if it can be a key: a message with spaces cannot.
    pub(crate) fn literal_value(&mut self, text: &str) -> ValueIdx {
        let is_key = text.len() <= LONGEST_KEY && !text.contains(char::is_whitespace);
        if is_key { self.key(text) } else { self.unknown_value() }
    }

    /// Returns a string or number as a key.
    pub(crate) fn key(&mut self, text: &str) -> ValueIdx {
        let text = self.facts.intern(text);
        self.value(FlowValue::Text(text))
    }
}
