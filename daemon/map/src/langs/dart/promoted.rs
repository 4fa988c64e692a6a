//! Tracks variables that a test shows to have a type: `x` in `if (x is Order) { x.total; }` and behind `x is Order &&`.
//!
//! A field may change between the test and its use, so a test says nothing about fields.

use super::grammar::DartKind;
use super::rules::DartRules;
use super::types::{type_child, type_path};
use crate::langs::support::{child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

/// Most conditions joined by `&&` that are read.
const CONDITIONS: usize = 16;

impl DartRules {
    /// Binds the variables whose types a condition shows, for the conditions behind it.
    pub(super) fn visit_conjunction(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        cx.open_scope(true);
        for test in self.tests_in(node) {
            if let Some((name, ty)) = self.shown_type(test, cx) {
                let ty = cx.facts.intern(&ty);
                cx.bind(cx.text(name), Binding::Typed(ty));
            }
        }
        WalkStep::Into
    }

    /// Notes the types that the condition of a statement shows, for the block that runs if it holds.
    pub(super) fn note_tested(&mut self, node: Node<'_>, cx: &mut Cx<'_>) {
        let (mut condition, mut code) = (None, None);
        each_child(node, |c, _| match c.kind() {
            "type_test_expression" | "logical_and_expression" if condition.is_none() => condition = Some(c),
            "block" | "else" if code.is_none() => code = Some(c),
            _ => {}
        });
        let code = code.filter(|code| code.kind() == "block");
        let Some((condition, code)) = condition.zip(code) else { return };
        for test in self.tests_in(condition) {
            if let Some((name, ty)) = self.shown_type(test, cx) {
                let (name, ty) = (cx.facts.intern(cx.text(name)), cx.facts.intern(&ty));
                self.shown.push((code.id(), name, ty));
            }
        }
    }

    /// Binds the variables that were noted for a block.
    pub(super) fn bind_shown(&mut self, node: Node<'_>, cx: &mut Cx<'_>) {
        while let Some((_, name, ty)) = self.shown.pop_if(|(code, ..)| *code == node.id()) {
            let name = cx.facts.provisional_name(name).to_owned();
            cx.bind(&name, Binding::Typed(ty));
        }
    }

    /// Returns the tests of types among conditions that are joined by `&&`.
    fn tests_in<'t>(&self, condition: Node<'t>) -> Vec<Node<'t>> {
        let (mut tests, mut left) = (Vec::new(), vec![condition]);
        for _ in 0..2 * CONDITIONS {
            let Some(part) = left.pop() else { break };
            match self.g.kind(part) {
                DartKind::Conjunction => each_child(part, |c, _| {
                    let is_condition = matches!(c.kind(), "type_test_expression" | "logical_and_expression");
                    left.extend(is_condition.then_some(c));
                }),
                _ => tests.push(part),
            }
        }
        tests
    }

    /// Returns the variable that is tested, and the type that it has if the test holds.
    fn shown_type<'t>(&self, expression: Node<'t>, cx: &mut Cx<'_>) -> Option<(Node<'t>, String)> {
        let test = child_where(expression, |c| c.kind() == "type_test")?;
        let operator = child_where(test, |c| c.kind() == "is_operator")?;
        let name = expression.named_child(0).filter(|name| self.g.kind(*name) == DartKind::Ident)?;
        if cx.text(operator).contains('!') || cx.local_binding(cx.text(name)).is_none() {
            return None;
        }
        Some((name, type_child(test).and_then(|ty| type_path(ty, cx))?))
    }
}
