//! Names that Kotlin binds locally: parameters, variables, what a lambda gets.

use tree_sitter::Node;

use super::grammar::K;
use super::infer::{Kotlin, type_child};
use super::rules::KotlinRules;
use crate::facts::StrId;
use crate::langs::support::{Syntax, child_where, each_child};
use crate::walk::{Binding, Cx, Step};

impl KotlinRules {
    pub(super) fn name_child<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        child_where(node, |c| self.g.kind(c) == K::Ident)
    }

    fn bind(&mut self, name: Option<Node<'_>>, ty: Option<StrId>, cx: &mut Cx<'_>) {
        if let Some(name) = name {
            self.handled.mark(name);
            cx.bind(cx.text(name), binding(ty));
        }
    }

    pub(super) fn parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let ty = type_child(node).and_then(|ty| Kotlin.type_path(ty, cx));
        self.bind(self.name_child(node), ty, cx);
        Step::Into
    }

    /// A variable of a loop, a lambda, a `when`; those of declarations are told there.
    pub(super) fn variable(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if self.handled.take(node) {
            return Step::Into;
        }
        self.parameter(node, cx)
    }

    /// A variable is in scope after its declaration: in `val x = x()` another `x` is called.
    pub(super) fn local(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let mut variables = Vec::new();
        each_child(node, |child, _| match child.kind() {
            "variable_declaration" => variables.push(child),
            "multi_variable_declaration" => each_child(child, |c, _| {
                variables.extend((self.g.kind(c) == K::Variable).then_some(c));
            }),
            _ => {}
        });
        let value = self.initializer(node).filter(|_| variables.len() == 1);
        for variable in variables {
            self.handled.mark(variable);
            let Some(name) = self.name_child(variable) else { continue };
            self.handled.mark(name);
            let ty = match (type_child(variable), value) {
                (Some(ty), _) => Kotlin.type_path(ty, cx),
                (None, Some(value)) => self.members.type_of(&Kotlin, value, cx),
                (None, None) => None,
            };
            self.pending.add(name, binding(ty), node.end_byte());
        }
        Step::Into
    }

    /// Returns the expression that a property or variable is set to.
    pub(super) fn initializer<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let mut after = false;
        child_where(node, |c| {
            let found = after && c.is_named() && !c.is_extra();
            after |= c.kind() == "=";
            found
        })
    }

    pub(super) fn lambda(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        self.code(node, cx);
        if child_where(node, |c| c.kind() == "lambda_parameters").is_none() {
            cx.bind("it", Binding::Opaque);
        }
        Step::Into
    }

    pub(super) fn bind_catch(&mut self, node: Node<'_>, cx: &mut Cx<'_>) {
        if self.g.kind(node) != K::Catch {
            return;
        }
        if let Some(name) = self.name_child(node) {
            let ty = type_child(node).and_then(|ty| Kotlin.type_path(ty, cx));
            self.handled.mark(name);
            if let Some(body) = child_where(node, |c| self.g.kind(c) == K::Statements) {
                self.pending.block(node);
                self.pending.add(name, binding(ty), body.start_byte());
            }
        }
    }

    pub(super) fn type_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if let Some(name) = child_where(node, |c| self.g.kind(c) == K::TypeIdent) {
            cx.bind(cx.text(name), Binding::Opaque);
        }
        Step::Into
    }

    /// Handles an argument: the name in `name = value` is no reference.
    pub(super) fn argument(&mut self, node: Node<'_>) -> Step {
        let is_named = child_where(node, |c| c.kind() == "=").is_some();
        let first = node.named_child(0).filter(|first| is_named && self.g.kind(*first) == K::Ident);
        first.into_iter().for_each(|name| self.handled.mark(name));
        Step::Into
    }
}

fn binding(ty: Option<StrId>) -> Binding {
    ty.map_or(Binding::Opaque, Binding::Typed)
}
