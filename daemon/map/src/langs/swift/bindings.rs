//! Binds local names: parameters, `let` and `var`, optional binding, patterns, captures.

use super::grammar::SwiftKind;
use super::rules::SwiftRules;
use crate::facts::{Receiver, RefKind, StrId};
use crate::langs::support::each_child;
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

/// Most names in one pattern that are read.
const PATTERN_LIMIT: usize = 256;

impl SwiftRules {
    /// Binds the names of `let x: T = v, y = w` in a function, each from the end of the declaration.
    pub(super) fn visit_locals(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut left: Option<Local<'_>> = None;
        let mut locals = Vec::new();
        each_child(node, |child, field| match self.g.kind(child) {
            SwiftKind::Pattern => {
                locals.extend(left.replace(Local { pattern: child, ty: None, value: None }));
            }
            SwiftKind::Annotation => left.iter_mut().for_each(|local| local.ty = Some(child)),
            _ if field == self.g.f.value => left.iter_mut().for_each(|local| local.value = Some(child)),
            _ => {}
        });
        locals.extend(left);
        for local in locals {
            let ty = match (local.ty, local.value) {
                (Some(ty), _) => self.annotated_type(ty, cx),
                (None, Some(value)) => self.value_type(value, cx),
                (None, None) => None,
            };
            let names = self.pattern_names(local.pattern);
            let ty = ty.filter(|_| names.len() == 1);
            for name in names {
                self.handled.mark(name);
                self.pending.add(name, binding_of_type(ty), node.end_byte());
            }
        }
        // The braces of a local computed property are a scope of their own.
        WalkStep::Into
    }

    /// Returns the names that a pattern of a declaration binds.
    pub(super) fn pattern_names<'t>(&mut self, pattern: Node<'t>) -> Vec<Node<'t>> {
        let mut names = Vec::new();
        let mut left = vec![pattern];
        while let Some(node) = left.pop() {
            self.handled.mark(node);
            if left.len() > PATTERN_LIMIT || names.len() > PATTERN_LIMIT {
                break;
            }
            let first = left.len();
            each_child(node, |child, _| match self.g.kind(child) {
                SwiftKind::Ident => names.push(child),
                SwiftKind::Pattern => left.push(child),
                _ => {}
            });
            left[first..].reverse();
        }
        names
    }

    /// Visits the head of `if`, `guard` and `while`, and binds its names: `let x = v`, `case .a(let n) = v`.
    pub(super) fn visit_conditions(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if node.kind() != "guard_statement" {
            self.visit_block(node, cx);
        }
        let mut clause = Clause::default();
        let mut clauses = Vec::new();
        each_child(node, |child, field| match child.kind() {
            "," | "{" | "statements" | "else" => clauses.push(std::mem::take(&mut clause)),
            "=" => clause.assigned = true,
            "." => clause.dotted = !clause.assigned,
            "value_binding_pattern" => clause.binds = true,
            "type_annotation" => clause.ty = Some(child),
            _ if clause.assigned => clause.value = clause.value.or(Some(child)),
            "simple_identifier" if field == self.g.f.bound => clause.name = Some(child),
            "simple_identifier" if std::mem::take(&mut clause.dotted) => clause.members.push(child),
            "pattern" => clause.patterns.push(child),
            _ => {}
        });
        clauses.push(clause);
        clauses.iter().for_each(|clause| self.bind_clause(clause, cx));
        WalkStep::Into
    }

    fn bind_clause(&mut self, clause: &Clause<'_>, cx: &mut Cx<'_>) {
        for member in &clause.members {
            self.implicit_member(*member, None, RefKind::Use, cx);
        }
        if clause.binds {
            for pattern in &clause.patterns {
                let names = self.bound_in(*pattern, cx);
                names.into_iter().for_each(|name| self.bind_at(name, None, name.end_byte(), cx));
            }
        }
        let Some(name) = clause.name else { return };
        let text = cx.text(name);
        if text == "self" {
            self.handled.mark(name);
            return;
        }
        let ty = match (clause.ty, clause.value) {
            (Some(ty), _) => self.annotated_type(ty, cx),
            (None, Some(value)) => self.value_type(value, cx),
            // `if let x` is `if let x = x`.
            (None, None) => {
                cx.record_use(text, name, RefKind::Use, Receiver::None);
                self.variable_type(name, cx)
            }
        };
        let from = clause.value.map_or(name.end_byte(), |value| value.end_byte());
        self.bind_at(name, ty, from, cx);
    }

    fn bind_at(&mut self, name: Node<'_>, ty: Option<StrId>, from: usize, _cx: &Cx<'_>) {
        self.handled.mark(name);
        self.pending.add(name, binding_of_type(ty), from);
    }

    /// Returns the names that a pattern under a `let` binds: all bare ones; those after a dot are members.
    fn bound_in<'t>(&mut self, pattern: Node<'t>, cx: &mut Cx<'_>) -> Vec<Node<'t>> {
        let mut names = Vec::new();
        let mut members = Vec::new();
        let mut left = vec![pattern];
        while let Some(node) = left.pop() {
            self.handled.mark(node);
            let mut dotted = false;
            each_child(node, |child, _| match child.kind() {
                "." => dotted = true,
                "simple_identifier" if std::mem::take(&mut dotted) => members.push(child),
                "simple_identifier" => names.push(child),
                "pattern" if left.len() < PATTERN_LIMIT => left.push(child),
                _ => {}
            });
        }
        members.into_iter().for_each(|member| self.implicit_member(member, None, RefKind::Use, cx));
        names
    }

    pub(super) fn visit_for_loop(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.visit_block(node, cx);
        if let Some(item) = node.child_by_field_id(self.g.f.item) {
            let names = self.bound_in(item, cx);
            let from = item.end_byte();
            names.into_iter().for_each(|name| self.bind_at(name, None, from, cx));
        }
        WalkStep::Into
    }

    /// Visits a pattern of `switch` or `catch`: names under a `let` are bound, `.name` is a member, other names are
    /// uses.
    pub(super) fn visit_pattern(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if self.handled.take_mark(node) {
            return WalkStep::Into;
        }
        let (mut binds, mut dotted) = (node.start_byte() < self.binds_until, false);
        let (mut names, mut members) = (Vec::new(), Vec::new());
        each_child(node, |child, field| match child.kind() {
            "." => dotted = true,
            "value_binding_pattern" => {
                binds = true;
                self.binds_until = self.binds_until.max(node.end_byte());
            }
            "simple_identifier" if std::mem::take(&mut dotted) => members.push(child),
            "simple_identifier" if binds || field == self.g.f.bound => names.push(child),
            _ => {}
        });
        for name in names {
            self.handled.mark(name);
            cx.bind(cx.text(name), Binding::Opaque);
        }
        members.into_iter().for_each(|member| self.implicit_member(member, None, RefKind::Use, cx));
        WalkStep::Into
    }

    pub(super) fn visit_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut name = None;
        each_child(node, |child, _| {
            if self.g.kind(child) == SwiftKind::Ident {
                self.handled.mark(child);
                name = Some(child);
            }
        });
        let ty = node.child_by_field_id(self.g.f.ty).and_then(|ty| self.type_path(ty, cx));
        if let Some(name) = name.filter(|name| !matches!(cx.text(*name), "_" | "self")) {
            cx.bind(cx.text(name), binding_of_type(ty));
        }
        WalkStep::Into
    }

    /// Visits a capture, `[weak self, x = y.z]`: the second binds a name of its own; a name alone still means the thing
    /// outside.
    pub(super) fn visit_capture(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let text = cx.text(name);
        let value = node.child_by_field_id(self.g.f.value);
        if text == "self" {
            self.handled.mark(name);
        } else if let Some(value) = value {
            let ty = self.value_type(value, cx);
            self.handled.mark(name);
            self.pending.add(name, binding_of_type(ty), node.end_byte());
        }
        WalkStep::Into
    }

    pub(super) fn visit_type_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let name = crate::langs::support::child_where(node, |c| self.g.kind(c) == SwiftKind::TypeIdent);
        if let Some(name) = name {
            self.handled.mark(name);
            cx.bind(cx.text(name), Binding::Opaque);
        }
        WalkStep::Into
    }
}

/// One `pattern: type = value` of a declaration.
struct Local<'t> {
    pattern: Node<'t>,
    ty: Option<Node<'t>>,
    value: Option<Node<'t>>,
}

/// One part of a condition, up to the comma.
#[derive(Default)]
struct Clause<'t> {
    binds: bool,
    assigned: bool,
    dotted: bool,
    name: Option<Node<'t>>,
    ty: Option<Node<'t>>,
    value: Option<Node<'t>>,
    members: Vec<Node<'t>>,
    patterns: Vec<Node<'t>>,
}

pub(super) fn binding_of_type(ty: Option<StrId>) -> Binding {
    ty.map_or(Binding::Opaque, Binding::Typed)
}
