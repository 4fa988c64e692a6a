//! Reads the lexical scopes of a tree for one name: its bindings, its mentions, and the bindings that each place means.
//!
//! One pre-order pass opens scopes, and records the bindings of the name and its mentions. Because most languages
//! hoist, meanings are resolved only after the pass.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::langs::scope_rules::{
    Binder, BindingKind, BindingScope, BoundName, LocalRules, NameSpace, Rebinding, ScopeKind, Visit,
};
use crate::syntax::{Node, Tree};

struct Scope {
    kind: ScopeKind,
    parent: Option<usize>,
    bindings: Vec<BoundName>,
    /// The scope in which the name is looked up instead, if a statement (`global`, `nonlocal`) says so.
    passes: Option<BindingScope>,
}

struct Mention {
    place: Range<usize>,
    scope: usize,
    /// True if the mention is of a label: labels have a name space of their own.
    is_label: bool,
    space: NameSpace,
}

/// The meaning of a place: bindings of one scope, by their indexes.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Meaning {
    scope: usize,
    bindings: Vec<usize>,
}

impl Meaning {
    /// Returns true if both meanings share a binding: a class is both a type and a value, beside an interface of its
    /// name.
    fn overlaps(&self, other: &Self) -> bool {
        self.scope == other.scope && self.bindings.iter().any(|at| other.bindings.contains(at))
    }
}

/// The scopes of a tree with the bindings and mentions of one name.
pub(super) struct ScopeTree<'r> {
    rules: &'r LocalRules,
    scopes: Vec<Scope>,
    mentions: Vec<Mention>,
    /// The scope and index of each explicit binding, by the first byte of the name.
    bound_at: FxHashMap<usize, BindingSite>,
}

/// The scope of a binding, and its index there.
#[derive(Clone, Copy)]
struct BindingSite {
    scope: usize,
    number: usize,
}

/// A pass over a tree.
struct ScopeReading<'r, 't> {
    tree: ScopeTree<'r>,
    source: &'t [u8],
    name: &'t str,
    /// The nodes around the current place of the pass.
    parents: Vec<Node<'t>>,
    /// The open scopes: the depth of the node that opened each, and its index.
    open: Vec<(usize, usize)>,
}

impl<'t> ScopeReading<'_, 't> {
    fn enter(&mut self, visit: &Visit<'_>) {
        let opened = (self.tree.rules.scope_of)(visit);
        if let Some(kind) = opened {
            let parent = self.open.last().map(|(_, scope)| *scope);
            self.open.push((visit.around.len(), self.tree.scopes.len()));
            self.tree.scopes.push(Scope { kind, parent, bindings: Vec::new(), passes: None });
        }
        let Some((_, innermost)) = self.open.last().copied() else { return };
        let mut binder = Binder::new(self.source, self.name);
        (self.tree.rules.bind)(visit, &mut binder);
        for mut bound in binder.bound {
            let scope = self.tree.scope_within(innermost, bound.within, opened.is_some());
            if self.tree.rules.binds_members && self.tree.scopes[scope].kind == ScopeKind::Type {
                bound.kind = BindingKind::Shared;
            }
            let site = BindingSite { scope, number: self.tree.scopes[scope].bindings.len() };
            if bound.kind != BindingKind::Implicit {
                self.tree.bound_at.entry(bound.place.start).or_insert(site);
            }
            self.tree.scopes[scope].bindings.push(bound);
        }
        let labels = binder.labels.into_iter();
        let space = NameSpace::Any;
        let jump = |place| Mention { place, scope: innermost, is_label: true, space };
        self.tree.mentions.extend(labels.map(jump));
        if binder.passes.is_some() {
            let function = self.tree.scope_within(innermost, BindingScope::Function, false);
            self.tree.scopes[function].passes = binder.passes;
        }
        let place = visit.node.byte_range();
        let is_it = visit.node.is_leaf() && self.source.get(place.clone()) == Some(self.name.as_bytes());
        if is_it && (self.tree.rules.is_name)(visit) {
            let space = binder.sought_in;
            self.tree.mentions.push(Mention { place, scope: innermost, is_label: false, space });
        }
    }

    fn close(&mut self) {
        let depth = self.parents.len();
        while self.open.last().is_some_and(|(at, _)| *at >= depth) {
            self.open.pop();
        }
    }
}

impl<'r> ScopeTree<'r> {
    /// Reads a tree for one name.
    pub(super) fn of_name(rules: &'r LocalRules, tree: &Tree, source: &[u8], name: &str) -> Self {
        let empty = Self { rules, scopes: Vec::new(), mentions: Vec::new(), bound_at: FxHashMap::default() };
        let mut reading = ScopeReading { tree: empty, source, name, parents: Vec::new(), open: Vec::new() };
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            if node.is_named() {
                let around = std::mem::take(&mut reading.parents);
                let parent = around.last().copied();
                reading.enter(&Visit { node, parent, field: cursor.field_name(), around: &around });
                reading.parents = around;
            }
            if cursor.goto_first_child() {
                reading.parents.push(node);
                continue;
            }
            reading.close();
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return reading.tree;
                }
                reading.parents.pop();
                reading.close();
            }
        }
    }

    /// Returns the meaning of the name at a byte, which is a binding or a mention.
    pub(super) fn meaning_at(&self, byte: usize) -> Option<Meaning> {
        if let Some(bound) = self.meaning_of_binding(byte) {
            return Some(bound);
        }
        // The pass visits the text in order, so the mentions are sorted.
        let at = self.mentions.binary_search_by_key(&byte, |mention| mention.place.start).ok()?;
        self.meaning_of(&self.mentions[at])
    }

    /// Returns true if only one function, block or type sees the name.
    pub(super) fn is_local(&self, meaning: &Meaning) -> bool {
        self.scopes[meaning.scope].kind != ScopeKind::File && self.is_variable(meaning)
    }

    /// Returns true if a declaration binds the name, and no import.
    pub(super) fn is_variable(&self, meaning: &Meaning) -> bool {
        let scope = &self.scopes[meaning.scope];
        let is_variable =
            |at: &usize| matches!(scope.bindings[*at].kind, BindingKind::Variable | BindingKind::Label);
        meaning.bindings.iter().any(is_variable)
    }

    /// Returns the first bytes of a meaning's bindings, in order.
    pub(super) fn places_of(&self, meaning: &Meaning) -> Vec<usize> {
        let bindings = &self.scopes[meaning.scope].bindings;
        let mut places: Vec<usize> = meaning.bindings.iter().map(|at| bindings[*at].place.start).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Returns the first bytes of the other places with the same meaning, in order.
    pub(super) fn uses_of(&self, meaning: &Meaning) -> Vec<usize> {
        let bindings = self.places_of(meaning);
        let starts = self.mentions.iter().map(|mention| mention.place.start);
        let others = starts.filter(|start| !bindings.contains(start));
        let is_same = |start: &usize| self.meaning_at(*start).is_some_and(|other| other.overlaps(meaning));
        others.filter(is_same).collect()
    }

    fn meaning_of_binding(&self, byte: usize) -> Option<Meaning> {
        let site = self.bound_at.get(&byte)?;
        let bound = &self.scopes[site.scope].bindings[site.number];
        // A declaration that repeats another one is a use of it.
        let mention = Mention {
            place: bound.from.max(bound.place.start)..bound.place.end,
            scope: site.scope,
            is_label: bound.kind == BindingKind::Label,
            space: bound.space,
        };
        self.meaning_in(site.scope, &mention)
    }

    fn meaning_of(&self, mention: &Mention) -> Option<Meaning> {
        let (mut next, mut is_inside) = (Some(mention.scope), false);
        while let Some(at) = next {
            let scope = &self.scopes[at];
            next = match scope.passes {
                Some(BindingScope::File) => Some(0).filter(|file| *file != at),
                _ => scope.parent,
            };
            let is_hidden = scope.kind == ScopeKind::Type && is_inside && !self.rules.sees_members;
            if scope.passes.is_none()
                && let Some(found) = self.meaning_in(at, mention)
                && !(is_hidden && self.is_shared(&found))
            {
                return Some(found);
            }
            is_inside |= scope.kind == ScopeKind::Function;
            if matches!(scope.kind, ScopeKind::File | ScopeKind::Closed) && scope.passes.is_none() {
                break;
            }
        }
        if mention.space == NameSpace::Types { None } else { self.implicit_meaning(mention.scope) }
    }

    fn is_shared(&self, meaning: &Meaning) -> bool {
        let scope = &self.scopes[meaning.scope];
        meaning.bindings.iter().any(|at| scope.bindings[*at].kind == BindingKind::Shared)
    }

    /// Returns the bindings of one scope that a mention sees.
    fn meaning_in(&self, scope: usize, mention: &Mention) -> Option<Meaning> {
        let all = self.scopes[scope].bindings.iter().enumerate();
        let is_seen = |bound: &BoundName| {
            bound.kind != BindingKind::Implicit
                && (bound.kind == BindingKind::Label) == mention.is_label
                && bound.from <= mention.place.start
                && bound.space.meets(mention.space)
        };
        let seen = all.filter(|(_, bound)| is_seen(bound));
        let seen: Vec<(usize, &BoundName)> = seen.collect();
        let chosen = match self.rules.rebinding {
            Rebinding::Same => seen,
            Rebinding::First => seen.into_iter().take(1).collect(),
            Rebinding::Hides => {
                let last = seen.iter().map(|(_, bound)| bound.from).max()?;
                seen.into_iter().filter(|(_, bound)| bound.from == last).collect()
            }
        };
        let bindings: Vec<usize> = chosen.into_iter().map(|(at, _)| at).collect();
        (!bindings.is_empty()).then_some(Meaning { scope, bindings })
    }

    /// Returns the first assignment to a name without declarations, in the innermost scope that has one.
    fn implicit_meaning(&self, innermost: usize) -> Option<Meaning> {
        let around = std::iter::successors(Some(innermost), |scope| self.scopes.get(*scope)?.parent);
        around.into_iter().find_map(|scope| {
            let bindings = &self.scopes.get(scope)?.bindings;
            let first = bindings.iter().position(|bound| bound.kind == BindingKind::Implicit)?;
            Some(Meaning { scope, bindings: vec![first] })
        })
    }

    fn scope_within(&self, innermost: usize, within: BindingScope, opened: bool) -> usize {
        let parent = |scope: usize| self.scopes[scope].parent;
        match within {
            BindingScope::Here => innermost,
            BindingScope::Outside if opened => parent(innermost).unwrap_or(innermost),
            BindingScope::Outside => innermost,
            BindingScope::File => 0,
            BindingScope::Function => {
                let is_end = |scope: &usize| self.ends_function(*scope);
                std::iter::successors(Some(innermost), |scope| parent(*scope)).find(is_end).unwrap_or(0)
            }
            BindingScope::Nearest => self.nearest_binding(innermost).unwrap_or(innermost),
        }
    }

    /// Returns the innermost scope that binds the name, among a scope and those around it up to the function.
    fn nearest_binding(&self, innermost: usize) -> Option<usize> {
        let mut scope = innermost;
        while self.scopes[scope].bindings.iter().all(|bound| bound.kind == BindingKind::Implicit) {
            scope = self.scopes[scope].parent.filter(|_| !self.ends_function(scope))?;
        }
        Some(scope)
    }

    fn ends_function(&self, scope: usize) -> bool {
        matches!(self.scopes[scope].kind, ScopeKind::Function | ScopeKind::Closed | ScopeKind::File)
    }
}
