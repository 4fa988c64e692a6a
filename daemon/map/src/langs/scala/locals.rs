//! Binds local names: parameters, values, patterns.

use super::grammar::ScalaKind;
use super::infer::Scala;
use super::rules::ScalaRules;
use crate::facts::StrId;
use crate::langs::support::{SurroundingBody, Syntax, child_where, each_child, is_capital};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

/// Most parts of one pattern that are read.
const PARTS: usize = 1000;

impl ScalaRules {
    pub(super) fn bind(&mut self, name: Node<'_>, ty: Option<StrId>, cx: &mut Cx<'_>) {
        self.handled.mark(name);
        cx.bind(cx.text(name), ty.map_or(Binding::Opaque, Binding::Typed));
    }

    pub(super) fn type_of_field(&self, node: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        node.child_by_field_id(self.g.f.ty).and_then(|ty| Scala.type_path(ty, cx))
    }

    pub(super) fn visit_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let ty = self.type_of_field(node, cx);
        if let Some(name) = node.child_by_field_id(self.g.f.name) {
            self.bind(name, ty, cx);
        }
        WalkStep::Into
    }

    /// Binds the type parameters of `[A, B <: C]`.
    pub(super) fn visit_type_parameters(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut names = Vec::new();
        each_child(node, |child, field| names.extend((field == self.g.f.name).then_some(child)));
        names.into_iter().for_each(|name| self.bind(name, None, cx));
        WalkStep::Into
    }

    pub(super) fn visit_lambda(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.visit_code(node, cx);
        let parameter = child_where(node, |c| c.is_named());
        if let Some(name) = parameter.filter(|p| self.g.kind(*p) == ScalaKind::Ident) {
            self.bind(name, None, cx);
        }
        WalkStep::Into
    }

    pub(super) fn visit_case(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.visit_code(node, cx);
        if let Some(pattern) = node.child_by_field_id(self.g.f.pattern) {
            self.bind_pattern(pattern, None, cx);
        }
        WalkStep::Into
    }

    /// Binds the names of `pattern <- value` and `pattern = value`.
    pub(super) fn visit_enumerator(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let binds = child_where(node, |c| matches!(c.kind(), "<-" | "=")).is_some();
        if let Some(pattern) = node.named_child(0).filter(|_| binds) {
            self.bind_pattern(pattern, None, cx);
        }
        WalkStep::Into
    }

    /// Binds the names in a pattern; a name that starts with a capital is used, not bound.
    fn bind_pattern(&mut self, pattern: Node<'_>, ty: Option<StrId>, cx: &mut Cx<'_>) {
        for (name, written) in self.pattern_names(pattern, cx) {
            let ty = written.and_then(|ty| Scala.type_path(ty, cx)).or(ty);
            self.bind(name, ty, cx);
        }
    }

    /// Returns the names that a pattern binds, with the types that it gives them.
    pub(super) fn pattern_names<'t>(
        &self,
        pattern: Node<'t>,
        cx: &Cx<'_>,
    ) -> Vec<(Node<'t>, Option<Node<'t>>)> {
        let (mut names, mut next, mut left) = (Vec::new(), vec![(pattern, None)], PARTS);
        while let Some((node, ty)) = next.pop() {
            left -= 1;
            if left == 0 {
                break;
            }
            match node.kind() {
                "identifier" if !is_capital(cx.text(node)) => names.push((node, ty)),
                "typed_pattern" => {
                    let ty = node.child_by_field_id(self.g.f.ty);
                    next.extend(node.child_by_field_id(self.g.f.pattern).map(|inner| (inner, ty)));
                }
                "capture_pattern" => {
                    names.extend(node.child_by_field_id(self.g.f.name).map(|name| (name, None)));
                    next.extend(node.child_by_field_id(self.g.f.pattern).map(|inner| (inner, None)));
                }
                "case_class_pattern" => each_child(node, |c, field| {
                    next.extend((field == self.g.f.pattern && c.is_named()).then_some((c, None)));
                }),
                "tuple_pattern"
                | "infix_pattern"
                | "alternative_pattern"
                | "named_pattern"
                | "identifiers"
                | "repeat_pattern"
                | "named_tuple_pattern" => each_child(node, |c, field| {
                    let is_part = c.is_named() && field != self.g.f.operator;
                    next.extend(is_part.then_some((c, None)));
                }),
                _ => {}
            }
        }
        names.sort_by_key(|(name, _)| name.start_byte());
        names
    }

    /// Binds the name of `val x = …` in code.
    pub(super) fn visit_local(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let ty = match node.child_by_field_id(self.g.f.ty) {
            Some(ty) => Scala.type_path(ty, cx),
            None => {
                let value = node.child_by_field_id(self.g.f.value);
                value.and_then(|value| self.members.type_of(&Scala, value, cx))
            }
        };
        match node.child_by_field_id(self.g.f.pattern) {
            Some(pattern) => {
                let plain = self.g.kind(pattern) == ScalaKind::Ident;
                self.bind_pattern(pattern, ty.filter(|_| plain), cx);
            }
            None => {
                let mut names = Vec::new();
                each_child(node, |child, field| names.extend((field == self.g.f.name).then_some(child)));
                names.into_iter().for_each(|name| self.bind(name, ty, cx));
            }
        }
        WalkStep::Into
    }

    /// Binds `self` of `self: Type =>`, another name for `this`.
    pub(super) fn visit_self_type(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let class = match self.members.innermost_body(node) {
            Some(SurroundingBody::Type { name, .. }) => Some(name),
            _ => None,
        };
        if let Some(name) = child_where(node, |c| self.g.kind(c) == ScalaKind::Ident) {
            self.bind(name, class, cx);
        }
        WalkStep::Into
    }
}
