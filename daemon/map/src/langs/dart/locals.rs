//! Binds local names: parameters, variables of loops and handlers, patterns.

use super::grammar::DartKind;
use super::rules::DartRules;
use super::types::{binding_of_type, dotted, names_in, type_child, type_path};
use crate::facts::{Receiver, RefKind};
use crate::langs::support::{child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

impl DartRules {
    /// Visits a list of parameters; those in the type of a parameter get a scope that nothing uses.
    pub(super) fn visit_parameters(&mut self, cx: &mut Cx<'_>) -> WalkStep {
        if cx.parent().is_some_and(|parent| self.g.kind(parent) == DartKind::Parameter) {
            cx.open_scope(true);
        }
        WalkStep::Into
    }

    pub(super) fn visit_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let named = node.child_by_field_id(self.g.f.name);
        let name = named.or_else(|| child_where(node, |c| self.g.kind(c) == DartKind::Ident));
        if let Some(name) = name {
            self.handled.mark(name);
            let is_function = child_where(node, |c| self.g.kind(c) == DartKind::Parameters).is_some();
            let ty = type_child(node).filter(|_| !is_function);
            let ty = ty.and_then(|ty| type_path(ty, cx));
            let binding = binding_of_type(ty, cx);
            cx.bind(cx.text(name), binding);
        }
        WalkStep::Into
    }

    /// Records the field that `this.total` in a constructor sets.
    pub(super) fn visit_field_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = node.child_by_field_id(self.g.f.name) {
            self.handled.mark(name);
            cx.record_use(cx.text(name), name, RefKind::Use, Receiver::SelfType);
        }
        WalkStep::Into
    }

    pub(super) fn pass_over_name(&mut self, node: Node<'_>) -> WalkStep {
        node.child_by_field_id(self.g.f.name).into_iter().for_each(|name| self.handled.mark(name));
        WalkStep::Into
    }

    pub(super) fn visit_labeled(&mut self, node: Node<'_>) -> WalkStep {
        let label = child_where(node, |c| self.g.kind(c) == DartKind::Ident);
        label.into_iter().for_each(|label| self.handled.mark(label));
        WalkStep::Into
    }

    /// Binds a loop's variable; without `var` it is an existing one, which is used.
    pub(super) fn visit_for(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        cx.open_scope(true);
        if let Some(name) = node.child_by_field_id(self.g.f.name) {
            self.handled.mark(name);
            let ty = type_child(node).and_then(|ty| type_path(ty, cx));
            let binding = binding_of_type(ty, cx);
            cx.bind(cx.text(name), binding);
        }
        WalkStep::Into
    }

    /// Binds the names of handlers, each with the type before it. They hold for all handlers of the statement, which
    /// shadows nothing in practice.
    pub(super) fn visit_try(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        cx.open_scope(true);
        let (mut caught, mut clauses) = (None, Vec::new());
        each_child(node, |child, _| match child.kind() {
            "type" => caught = Some(child),
            "catch_clause" => clauses.push((child, caught.take())),
            "block" => caught = None,
            _ => {}
        });
        for (clause, ty) in clauses {
            let ty = ty.and_then(|ty| type_path(ty, cx));
            let exception = clause.child_by_field_id(self.g.f.exception);
            let stack = clause.child_by_field_id(self.g.f.stack_trace);
            let types = [ty, Some("StackTrace".to_owned())];
            for (name, ty) in [exception, stack].into_iter().zip(types) {
                let Some(name) = name else { continue };
                self.handled.mark(name);
                let known = cx.local_binding(cx.text(name));
                let binding = binding_of_type(ty, cx);
                let agrees = known.is_none_or(|known| known == binding);
                cx.bind(cx.text(name), if agrees { binding } else { Binding::Opaque });
            }
        }
        WalkStep::Into
    }

    /// Binds the name of `var x`, `int x` and `:final x` in a pattern.
    pub(super) fn visit_variable_pattern(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = node.child_by_field_id(self.g.f.name) {
            self.handled.mark(name);
            let ty = type_child(node).and_then(|ty| type_path(ty, cx));
            let binding = binding_of_type(ty, cx);
            cx.bind(cx.text(name), binding);
        }
        WalkStep::Into
    }

    /// Records the members of `Circle` that `Circle(r: var radius, :final side)` uses.
    pub(super) fn visit_object_pattern(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut names = Vec::new();
        each_child(node, |c, _| names.extend((self.g.kind(c) == DartKind::TypeIdent).then_some(c)));
        let named = self.refer_created(&names, RefKind::Type, cx);
        let receiver = Receiver::Typed(cx.facts.intern(&dotted(&named, cx)));
        let mut follows_colon = false;
        let mut used = Vec::new();
        each_child(node, |child, _| {
            match child.kind() {
                "label" => used.extend(names_in(child).first().copied()),
                "variable_pattern" if follows_colon => used.extend(child.child_by_field_id(self.g.f.name)),
                _ => {}
            }
            follows_colon = child.kind() == ":";
        });
        for name in used {
            cx.record_use(cx.text(name), name, RefKind::Use, receiver);
        }
        WalkStep::Into
    }

    /// Records a constant by its name, or by the path to it; `_` is none.
    pub(super) fn visit_constant_pattern(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let names = names_in(node);
        let [_, .., last] = names[..] else { return WalkStep::Into };
        let at = names.len() - 1;
        for name in &names[..at] {
            self.handled.mark(*name);
        }
        self.refer_path(&names[..at], cx);
        self.handled.mark(last);
        let receiver = cx.path_receiver(&dotted(&names[..at], cx));
        cx.record_use(cx.text(last), last, RefKind::Use, receiver);
        WalkStep::Into
    }
}
