//! Walks a syntax tree for the extractors of all languages.
//!
//! One pre-order pass with a cursor and an explicit stack: no recursion (100,000 nested brackets must not end the
//! process), no queries (running one costs about as much again as parsing; a walk costs a few per cent). A language
//! implements [`Rules`]: the walk calls it once for every named node; it records facts through [`Cx`], and decides
//! whether the walk visits the node's children. Definitions and scopes that it opens on the way in are closed by the
//! walk on the way out.

use std::ops::Range;

use hob_base::line_index::mark_len;
use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Language;

use crate::facts::{DefIdx, DefInput, FactsBuilder, Receiver, RefInput, RefKind, StrId};
use crate::syntax::{Node, NodeCursor, StepTo, Tree};

/// The decision of a language on a node's children.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WalkStep {
    /// The walk visits the children.
    Into,
    /// The walk skips the whole node.
    Skip,
}

/// A language's rules for the walk.
pub trait Rules {
    /// Visits a named node; called once for each, parents first.
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep;
}

/// The meaning of a local name, within one file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binding {
    /// A value of unknown type; uses of the name are not recorded.
    Opaque,
    /// A value of this (dotted) type as written; calls on it become [`Receiver::Typed`].
    Typed(StrId),
}

/// Most nested scopes. A qualified name is as long as its definitions are deep; without a bound, 100,000 nested braces
/// would cost their square. No source written by people comes near it.
const MAX_SCOPES: usize = 256;

#[derive(Debug)]
struct WalkScope {
    /// The depth of the node that opened the scope; leaving it closes the scope.
    depth: usize,
    def: Option<DefIdx>,
    /// The number of local names that were bound when the scope was opened.
    outer_names: usize,
    /// True if names bound here hide those outside; class bodies do not, for bare names in most languages.
    binds: bool,
}

/// The context of a walk, which a language reads and writes.
#[derive(Debug)]
pub struct Cx<'t> {
    /// The bytes of the whole file.
    pub source: &'t [u8],
    /// The whole file as text, if it is valid UTF-8.
    whole: Option<&'t str>,
    /// The builder that collects the facts.
    pub facts: FactsBuilder,
    scopes: Vec<WalkScope>,
    locals: LocalNames,
    depth: usize,
    /// The nodes around the current one.
    parents: Vec<Node<'t>>,
    lines: LineTracker,
    /// The starts of names that are handed to a framework, until their use is recorded.
    handed: FxHashSet<usize>,
    /// The IDs of nodes that are walked inside a definition made before them.
    inside: FxHashMap<usize, DefIdx>,
}

impl<'t> Cx<'t> {
    /// Creates the context for a walk over `part` of a file: checking the whole file as text only pays if the part is
    /// not much smaller.
    fn new(source: &'t [u8], part: Range<usize>, facts: FactsBuilder) -> Self {
        let is_most = part.len() * 4 >= source.len();
        let whole = if is_most { std::str::from_utf8(source).ok() } else { None };
        let lines = LineTracker { is_ascii: whole.is_some_and(str::is_ascii), ..LineTracker::default() };
        Self {
            source,
            whole,
            facts,
            scopes: Vec::new(),
            locals: LocalNames::default(),
            depth: 0,
            parents: Vec::new(),
            lines,
            handed: FxHashSet::default(),
            inside: FxHashMap::default(),
        }
    }

    /// Returns the text of a node; empty if it is not UTF-8.
    #[must_use]
    pub fn text(&self, node: Node<'_>) -> &'t str {
        if let Some(whole) = self.whole {
            return whole.get(node.byte_range()).unwrap_or("");
        }
        self.source.get(node.byte_range()).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
    }

    /// Returns the text between two byte offsets, up to the first invalid UTF-8.
    #[must_use]
    pub fn slice(&self, from: usize, to: usize) -> &'t str {
        if let Some(text) = self.whole.and_then(|whole| whole.get(from..to.max(from))) {
            return text;
        }
        let bytes = self.source.get(from..to.max(from)).unwrap_or(&[]);
        match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or(""),
        }
    }

    /// Returns the parent of the current node.
    #[must_use]
    pub fn parent(&self) -> Option<Node<'t>> {
        self.parents.last().copied()
    }

    /// Returns the 1-based line and UTF-16 column at which a node starts.
    #[must_use]
    pub fn position(&mut self, node: Node<'_>) -> (u32, u32) {
        self.lines.position(self.source, node)
    }

    /// Returns the 1-based first and last line of a node. A node that ends at the start of a line ends on the line
    /// before.
    #[must_use]
    pub fn lines(node: Node<'_>) -> (u32, u32) {
        let (start, end) = (node.start_position(), node.end_position());
        let last = if end.column == 0 && end.row > start.row { end.row } else { end.row + 1 };
        (start.row as u32 + 1, last as u32)
    }

    /// Returns the innermost definition being walked.
    #[must_use]
    pub fn owner(&self) -> Option<DefIdx> {
        self.scopes.iter().rev().find_map(|scope| scope.def)
    }

    /// Records a definition without a scope (a field, a constant).
    pub fn define(&mut self, input: &DefInput<'_>) -> DefIdx {
        self.facts.define(input)
    }

    /// Records a definition whose children are walked inside it; `binds` as in [`Cx::open_scope`].
    pub fn define_scope(&mut self, input: &DefInput<'_>, binds: bool) -> DefIdx {
        let idx = self.facts.define(input);
        self.push_scope(Some(idx), binds);
        idx
    }

    /// Opens a scope without a definition (a lambda, a block), closed when the walk leaves the current node. With
    /// `binds`, names bound inside hide outer ones.
    pub fn open_scope(&mut self, binds: bool) {
        self.push_scope(None, binds);
    }

    /// Reopens the scope of an earlier definition (a second `impl` block); it is closed with the current node.
    pub fn reopen_scope(&mut self, def: DefIdx, binds: bool) {
        self.push_scope(Some(def), binds);
    }

    /// Makes the nodes below `node`, which the walk will reach, part of a definition.
    pub fn walk_inside(&mut self, node: Node<'_>, def: DefIdx) {
        self.inside.insert(node.id(), def);
    }

    /// Makes the kind of the use of the name at `name`, when it is recorded, [`RefKind::Framework`].
    pub fn mark_handed(&mut self, name: Node<'_>) {
        self.handed.insert(name.start_byte());
    }

    fn enter_inside(&mut self, node: Node<'_>) {
        // Usually there are none.
        if !self.inside.is_empty()
            && let Some(def) = self.inside.remove(&node.id())
        {
            self.push_scope(Some(def), false);
        }
    }

    /// Opens a scope. Beyond [`MAX_SCOPES`] it does nothing: deeper nodes belong to the innermost scope.
    fn push_scope(&mut self, def: Option<DefIdx>, binds: bool) {
        if self.scopes.len() >= MAX_SCOPES {
            return;
        }
        let outer_names = self.locals.bound_count();
        self.scopes.push(WalkScope { depth: self.depth, def, outer_names, binds });
    }

    /// Binds a local name in the innermost scope that binds. At file level there is none, and nothing happens: names
    /// there are definitions.
    pub fn bind(&mut self, name: &str, binding: Binding) {
        if name.is_empty() {
            return;
        }
        let id = self.facts.intern(name);
        if let Some(scope) = self.scopes.iter().rev().find(|scope| scope.binds) {
            self.locals.bind(id, binding, scope.outer_names);
        }
    }

    /// Returns the local meaning of a bare name, from the innermost scope outwards; `None` if no scope binds it.
    #[must_use]
    pub fn local_binding(&mut self, name: &str) -> Option<Binding> {
        let id = self.facts.intern(name);
        self.locals.binding_of(id)
    }

    /// Returns true if the walk is inside a function body (some scope binds).
    #[must_use]
    pub fn in_function(&self) -> bool {
        self.scopes.iter().any(|scope| scope.binds)
    }

    /// Records a use of `name` at `at`, unless the name is empty, or bare and bound locally.
    pub fn record_use(&mut self, name: &str, at: Node<'_>, kind: RefKind, receiver: Receiver) {
        if name.is_empty() || (receiver == Receiver::None && self.local_binding(name).is_some()) {
            return;
        }
        self.refer(name, at, kind, receiver);
    }

    /// Records a reference in the innermost definition, even if the name is bound locally.
    pub(crate) fn refer(&mut self, name: &str, at: Node<'_>, kind: RefKind, receiver: Receiver) {
        let is_handed = !self.handed.is_empty() && self.handed.remove(&at.start_byte());
        let kind = if is_handed { RefKind::Framework } else { kind };
        let (line, col) = self.position(at);
        let owner = self.owner();
        self.facts.add_reference(&RefInput { name, kind, receiver, owner, line, col });
    }

    /// Records a reference to a bare name in a definition that need not enclose it.
    pub(crate) fn refer_in(&mut self, owner: DefIdx, name: &str, at: Node<'_>, kind: RefKind) {
        let (line, col) = self.position(at);
        let receiver = Receiver::None;
        self.facts.add_reference(&RefInput { name, kind, receiver, owner: Some(owner), line, col });
    }

    /// Returns the receiver for a path of names: [`Receiver::Typed`] if the path is only a typed local name,
    /// [`Receiver::Unknown`] for any other path that begins with a local name, otherwise [`Receiver::Path`].
    pub fn path_receiver(&mut self, path: &str) -> Receiver {
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        match self.local_binding(first) {
            None => Receiver::Path(self.facts.intern(path)),
            Some(Binding::Typed(ty)) if rest.is_empty() => Receiver::Typed(ty),
            Some(_) => Receiver::Unknown,
        }
    }

    fn close_scopes(&mut self) {
        while let Some(scope) = self.scopes.pop_if(|scope| scope.depth >= self.depth) {
            // Names that are bound within a scope that does not bind belong to one around it.
            if scope.binds {
                self.locals.forget_inner(scope.outer_names);
            }
        }
    }
}

/// The local names that the open scopes bind. Each name knows its innermost binding, so that the cost of a search does
/// not depend on the number of open scopes, and a scope costs nothing.
#[derive(Debug, Default)]
struct LocalNames {
    /// The number of each name's innermost binding, plus one; 0 without one.
    innermost: Vec<u32>,
    /// The bindings, those of outer scopes first.
    bound: Vec<BoundName>,
}

#[derive(Debug)]
struct BoundName {
    name: StrId,
    binding: Binding,
    /// The former entry of the name in [`LocalNames::innermost`].
    hidden: u32,
}

impl LocalNames {
    fn bound_count(&self) -> usize {
        self.bound.len()
    }

    /// Binds a name in the innermost scope that binds, at whose opening `outer` names were bound.
    fn bind(&mut self, name: StrId, binding: Binding, outer: usize) {
        let at = name.0 as usize;
        if at >= self.innermost.len() {
            self.innermost.resize(at + 1, 0);
        }
        let hidden = self.innermost[at];
        match self.bound.get_mut((hidden as usize).wrapping_sub(1)) {
            Some(bound) if hidden as usize > outer => bound.binding = binding,
            _ => {
                self.bound.push(BoundName { name, binding, hidden });
                self.innermost[at] = self.bound.len() as u32;
            }
        }
    }

    fn binding_of(&self, name: StrId) -> Option<Binding> {
        let number = *self.innermost.get(name.0 as usize)? as usize;
        Some(self.bound.get(number.checked_sub(1)?)?.binding)
    }

    /// Drops all but the first `outer` bindings.
    fn forget_inner(&mut self, outer: usize) {
        for bound in self.bound.drain(outer.min(self.bound.len())..).rev() {
            self.innermost[bound.name.0 as usize] = bound.hidden;
        }
    }
}

/// Walks `tree` with `rules`; facts are added to `facts`.
pub fn walk<'t, R: Rules>(
    tree: &'t Tree,
    source: &'t [u8],
    facts: FactsBuilder,
    rules: &mut R,
) -> FactsBuilder {
    let mut cx = Cx::new(source, tree.root_node().byte_range(), facts);
    let mut node = tree.root_node();
    let mut cursor = NodeCursor::new(node);
    loop {
        cx.enter_inside(node);
        if rules.enter(node, &mut cx) == WalkStep::Into
            && let Some(child) = cursor.first_child(StepTo::Named)
        {
            cx.depth += 1;
            cx.parents.push(node);
            node = child;
            continue;
        }
        cx.close_scopes();
        node = loop {
            if let Some(next) = cursor.next_sibling(StepTo::Named) {
                break next;
            }
            if !cursor.goto_parent() {
                crate::recover::note_unmapped(tree, source, &mut cx.facts);
                return cx.facts;
            }
            cx.depth -= 1;
            cx.parents.pop();
            cx.close_scopes();
        };
    }
}

/// Maps node kinds to a language's own small enum, so that the walk's inner loop is an array look-up.
#[derive(Debug)]
pub struct KindTable<T> {
    table: Box<[T]>,
}

impl<T: Copy + Default> KindTable<T> {
    /// Creates a table. `kinds` pairs a grammar's node kind with its action; all other kinds get `T::default()`.
    /// Several IDs can share a name in a grammar, so the table is filled by walking the IDs. Without a grammar every
    /// kind gets the default.
    #[must_use]
    pub fn new(language: Option<&Language>, kinds: &[(&str, T)]) -> Self {
        let by_name: FxHashMap<&str, T> = kinds.iter().copied().collect();
        let ids = language
            .into_iter()
            .flat_map(|language| (0..language.node_kind_count() as u16).map(move |id| (language, id)));
        let table = ids
            .map(|(language, id)| {
                let name = language.node_kind_for_id(id).unwrap_or("");
                let named = language.node_kind_is_named(id);
                if named { by_name.get(name).copied().unwrap_or_default() } else { T::default() }
            })
            .collect();
        Self { table }
    }

    /// Returns the action for a node.
    #[must_use]
    pub fn get(&self, node: Node<'_>) -> T {
        self.table.get(usize::from(node.kind_id())).copied().unwrap_or_default()
    }
}

/// Converts columns into UTF-16 units; tree-sitter has columns in bytes. It keeps the last place, because a walk moves
/// mostly forwards and a line can be a megabyte long: counting from its start each time would be quadratic.
#[derive(Debug, Default)]
pub(crate) struct LineTracker {
    /// True if the text is ASCII, so that bytes and units are the same.
    is_ascii: bool,
    line_start: usize,
    byte: usize,
    units: u32,
}

impl LineTracker {
    /// Creates a tracker for a walk over a whole text.
    pub(crate) fn for_source(source: &[u8]) -> Self {
        Self { is_ascii: source.is_ascii(), ..Self::default() }
    }

    pub(crate) fn position(&mut self, source: &[u8], node: Node<'_>) -> (u32, u32) {
        let (at, byte) = (node.start_position(), node.start_byte());
        if self.is_ascii {
            return (at.row as u32 + 1, at.column as u32 + 1);
        }
        let line_start = byte.saturating_sub(at.column);
        // A byte order mark takes no column.
        let line_start = if at.row == 0 { line_start.max(mark_len(source)).min(byte) } else { line_start };
        let units =
            |from: usize, to: usize| hob_base::line_index::utf16_len(source.get(from..to).unwrap_or(&[]));
        let is_far_back = |last: usize| byte - line_start < last.saturating_sub(byte);
        if line_start != self.line_start || is_far_back(self.byte) {
            *self = Self { line_start, byte: line_start, ..Self::default() };
        }
        if byte < self.byte {
            // A step back: the walk reaches the name in `object.name` before the expression left of it.
            self.units -= units(byte, self.byte).min(self.units);
        } else {
            self.units += units(self.byte, byte);
        }
        self.byte = byte;
        (at.row as u32 + 1, self.units + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(ty: u32) -> Binding {
        Binding::Typed(StrId(ty))
    }

    #[test]
    fn a_name_has_its_innermost_binding_until_that_scope_closes() {
        let mut locals = LocalNames::default();
        let (a, b) = (StrId(7), StrId(0));
        locals.bind(a, Binding::Opaque, 0);
        locals.bind(a, typed(1), 0);
        assert_eq!(
            (locals.binding_of(a), locals.bound_count()),
            (Some(typed(1)), 1),
            "one scope, one binding"
        );
        let inner = locals.bound_count();
        locals.bind(b, typed(2), inner);
        locals.bind(a, typed(3), inner);
        assert_eq!((locals.binding_of(a), locals.binding_of(b)), (Some(typed(3)), Some(typed(2))));
        locals.forget_inner(inner);
        assert_eq!((locals.binding_of(a), locals.binding_of(b)), (Some(typed(1)), None));
        locals.forget_inner(0);
        assert_eq!((locals.binding_of(a), locals.binding_of(StrId(9_000))), (None, None));
    }
}
