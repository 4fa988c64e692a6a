//! Binds local names: parameters, variables, the parameters of lambdas.

use super::grammar::KotlinKind;
use super::infer::{Kotlin, type_child};
use super::rules::KotlinRules;
use crate::facts::StrId;
use crate::langs::support::{Syntax, child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

impl KotlinRules {
    pub(super) fn name_child<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        child_where(node, |c| self.g.kind(c) == KotlinKind::Ident)
    }

    fn bind(&mut self, name: Option<Node<'_>>, ty: Option<StrId>, cx: &mut Cx<'_>) {
        if let Some(name) = name {
            self.handled.mark(name);
            cx.bind(cx.text(name), binding_of_type(ty));
        }
    }

    pub(super) fn visit_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let ty = type_child(node).and_then(|ty| Kotlin.type_path(ty, cx));
        self.bind(self.name_child(node), ty, cx);
        WalkStep::Into
    }

    /// Binds a variable of a loop, a lambda or a `when`. Those of declarations are bound by
    /// [`KotlinRules::visit_local`].
    pub(super) fn visit_variable(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if self.handled.take_mark(node) {
            return WalkStep::Into;
        }
        self.visit_parameter(node, cx)
    }

    /// Binds a variable after its declaration: in `val x = x()` another `x` is called.
    pub(super) fn visit_local(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut variables = Vec::new();
        each_child(node, |child, _| match child.kind() {
            "variable_declaration" => variables.push(child),
            "multi_variable_declaration" => each_child(child, |c, _| {
                variables.extend((self.g.kind(c) == KotlinKind::Variable).then_some(c));
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
            self.pending.add(name, binding_of_type(ty), node.end_byte());
        }
        WalkStep::Into
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

    pub(super) fn visit_lambda(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.visit_code(node, cx);
        if child_where(node, |c| c.kind() == "lambda_parameters").is_none() {
            cx.bind("it", Binding::Opaque);
        }
        WalkStep::Into
    }

    pub(super) fn bind_catch(&mut self, node: Node<'_>, cx: &mut Cx<'_>) {
        if self.g.kind(node) != KotlinKind::Catch {
            return;
        }
        if let Some(name) = self.name_child(node) {
            let ty = type_child(node).and_then(|ty| Kotlin.type_path(ty, cx));
            self.handled.mark(name);
            if let Some(body) = child_where(node, |c| self.g.kind(c) == KotlinKind::Statements) {
                self.pending.enter_block(node);
                self.pending.add(name, binding_of_type(ty), body.start_byte());
            }
        }
    }

    pub(super) fn visit_type_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = child_where(node, |c| self.g.kind(c) == KotlinKind::TypeIdent) {
            cx.bind(cx.text(name), Binding::Opaque);
        }
        WalkStep::Into
    }

    /// Visits an argument: the name in `name = value` is no reference.
    pub(super) fn visit_argument(&mut self, node: Node<'_>) -> WalkStep {
        let is_named = child_where(node, |c| c.kind() == "=").is_some();
        let first = node.named_child(0).filter(|first| is_named && self.g.kind(*first) == KotlinKind::Ident);
        first.into_iter().for_each(|name| self.handled.mark(name));
        WalkStep::Into
    }
}

fn binding_of_type(ty: Option<StrId>) -> Binding {
    ty.map_or(Binding::Opaque, Binding::Typed)
}
