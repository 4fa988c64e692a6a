//! Uses: calls, selectors, names, types, keys of literals.

use tree_sitter::Node;

use super::grammar::K;
use super::infer::is_basic;
use super::rules::{GoRules, Keys};
use crate::facts::{Receiver, RefKind};
use crate::walk::{Cx, Step};

impl GoRules {
    pub(super) fn identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let name = cx.text(node);
        if !self.handled.take(node) && name != "_" {
            // `[]byte(x)` and `f[int]` have types where the grammar sees names.
            let basic = is_basic(name);
            if !basic {
                cx.refer(name, node, RefKind::Use, Receiver::None);
            }
        }
        Step::Skip
    }

    pub(super) fn type_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let name = cx.text(node);
        if !self.handled.take(node) && !is_basic(name) {
            cx.refer(name, node, RefKind::Type, Receiver::None);
        }
        Step::Skip
    }

    pub(super) fn qualified_type(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if !self.handled.take(node) {
            self.refer_qualified(node, RefKind::Type, cx);
        }
        Step::Skip
    }

    pub(super) fn refer_qualified(&mut self, node: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let package = node.child_by_field_id(self.g.f.package);
        if let (Some(package), Some(name)) = (package, node.child_by_field_id(self.g.f.name)) {
            self.handled.mark(name);
            let receiver = Receiver::Path(cx.facts.intern(cx.text(package)));
            cx.refer(cx.text(name), name, kind, receiver);
        }
    }

    pub(super) fn call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let Some(function) = node.child_by_field_id(self.g.f.function) else { return Step::Into };
        let function = match self.g.kind(function) {
            // `f[T](x)`.
            K::Index => function.named_child(0).unwrap_or(function),
            _ => function,
        };
        match self.g.kind(function) {
            K::Ident => {
                self.handled.mark(function);
                if !is_basic(cx.text(function)) {
                    cx.refer(cx.text(function), function, RefKind::Call, Receiver::None);
                }
            }
            K::Selector => {
                self.handled.mark(function);
                self.refer_selector(function, RefKind::Call, cx);
            }
            _ => {}
        }
        Step::Into
    }

    /// `pkg.Name` and `x.field`; recorded where something is known of what stands before the point.
    pub(super) fn selector(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if !self.handled.take(node) {
            self.refer_selector(node, RefKind::Use, cx);
        }
        Step::Into
    }

    fn refer_selector(&mut self, node: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let operand = node.child_by_field_id(self.g.f.operand);
        let (Some(operand), Some(name)) = (operand, node.child_by_field_id(self.g.f.member)) else { return };
        let receiver = self.receiver(operand, cx);
        if self.g.kind(operand) == K::Ident && cx.binding(cx.text(operand)).is_none() {
            // A package's name is no use of anything.
            let name = cx.facts.intern(cx.text(operand));
            if self.packages.contains(&name) {
                self.handled.mark(operand);
            }
        }
        if kind == RefKind::Call || receiver != Receiver::Unknown {
            cx.refer(cx.text(name), name, kind, receiver);
        }
    }

    pub(super) fn composite(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let Some(ty) = node.child_by_field_id(self.g.f.ty) else { return Step::Into };
        let keys = match self.g.kind(ty) {
            K::Sequence => {
                Keys::Values(ty.child_by_field_id(self.g.f.element).and_then(|e| self.type_path(e, cx)))
            }
            K::Map => Keys::Values(ty.child_by_field_id(self.g.f.value).and_then(|v| self.type_path(v, cx))),
            _ => Keys::Fields(self.type_path(ty, cx)),
        };
        if let Some(body) = node.child_by_field_id(self.g.f.body) {
            self.handled.mark(body);
            self.literals.push((body.end_byte(), keys));
        }
        Step::Into
    }

    /// `{...}` within a literal, its type left out.
    pub(super) fn literal_value(&mut self, node: Node<'_>) -> Step {
        let at = node.start_byte();
        while self.literals.pop_if(|(end, _)| *end <= at).is_some() {}
        if !self.handled.take(node) {
            let keys = match self.literals.last() {
                Some((_, Keys::Values(element))) => Keys::Fields(*element),
                _ => Keys::Fields(None),
            };
            self.literals.push((node.end_byte(), keys));
        }
        Step::Into
    }

    pub(super) fn keyed(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let at = node.start_byte();
        while self.literals.pop_if(|(end, _)| *end <= at).is_some() {}
        let Some((_, Keys::Fields(ty))) = self.literals.last().copied() else { return Step::Into };
        let key = node.child_by_field_id(self.g.f.key).and_then(|key| key.named_child(0));
        if let Some(key) = key.filter(|key| self.g.kind(*key) == K::Ident) {
            self.handled.mark(key);
            if let Some(ty) = ty {
                cx.refer(cx.text(key), key, RefKind::Use, Receiver::Typed(ty));
            }
        }
        Step::Into
    }
}
