//! Records uses: calls, selectors, names, types, keys of literals.

use super::grammar::GoKind;
use super::infer::is_basic;
use super::rules::{GoWalk, Keys};
use crate::facts::{Receiver, RefKind};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl GoWalk {
    pub(super) fn visit_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let name = cx.text(node);
        if !self.handled.take_mark(node) && name != "_" {
            // `[]byte(x)` and `f[int]` have types where the grammar sees names.
            let basic = is_basic(name);
            if !basic {
                cx.record_use(name, node, RefKind::Use, Receiver::None);
            }
        }
        WalkStep::Skip
    }

    pub(super) fn visit_type_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let name = cx.text(node);
        if !self.handled.take_mark(node) && !is_basic(name) {
            cx.record_use(name, node, RefKind::Type, Receiver::None);
        }
        WalkStep::Skip
    }

    pub(super) fn visit_qualified_type(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            self.refer_qualified(node, RefKind::Type, cx);
        }
        WalkStep::Skip
    }

    pub(super) fn refer_qualified(&mut self, node: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let package = node.child_by_field_id(self.g.f.package);
        if let (Some(package), Some(name)) = (package, node.child_by_field_id(self.g.f.name)) {
            self.handled.mark(name);
            let receiver = Receiver::Path(cx.facts.intern(cx.text(package)));
            cx.record_use(cx.text(name), name, kind, receiver);
        }
    }

    pub(super) fn visit_call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(function) = node.child_by_field_id(self.g.f.function) else { return WalkStep::Into };
        let function = match self.g.kind(function) {
            // `f[T](x)`.
            GoKind::Index => function.named_child(0).unwrap_or(function),
            _ => function,
        };
        match self.g.kind(function) {
            GoKind::Ident => {
                self.handled.mark(function);
                if !is_basic(cx.text(function)) {
                    cx.record_use(cx.text(function), function, RefKind::Call, Receiver::None);
                }
            }
            GoKind::Selector => {
                self.handled.mark(function);
                self.note_route(node, function, cx);
                self.refer_selector(function, RefKind::Call, cx);
            }
            _ => {}
        }
        WalkStep::Into
    }

    /// Visits `pkg.Name` and `x.field`; they are recorded if anything is known of the operand.
    pub(super) fn visit_selector(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            self.refer_selector(node, RefKind::Use, cx);
        }
        WalkStep::Into
    }

    fn refer_selector(&mut self, node: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let operand = node.child_by_field_id(self.g.f.operand);
        let (Some(operand), Some(name)) = (operand, node.child_by_field_id(self.g.f.member)) else { return };
        let receiver = self.receiver(operand, cx);
        if self.g.kind(operand) == GoKind::Ident && cx.local_binding(cx.text(operand)).is_none() {
            // The name of a package is no use of a definition.
            let name = cx.facts.intern(cx.text(operand));
            if self.packages.contains(&name) {
                self.handled.mark(operand);
            }
        }
        if kind == RefKind::Call || receiver != Receiver::Unknown {
            cx.record_use(cx.text(name), name, kind, receiver);
        }
    }

    pub(super) fn visit_composite_literal(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(ty) = node.child_by_field_id(self.g.f.ty) else { return WalkStep::Into };
        let keys = match self.g.kind(ty) {
            GoKind::Sequence => {
                Keys::Values(ty.child_by_field_id(self.g.f.element).and_then(|e| self.type_path(e, cx)))
            }
            GoKind::Map => {
                Keys::Values(ty.child_by_field_id(self.g.f.value).and_then(|v| self.type_path(v, cx)))
            }
            _ => Keys::Fields(self.type_path(ty, cx)),
        };
        if let Some(body) = node.child_by_field_id(self.g.f.body) {
            self.handled.mark(body);
            self.literals.push((body.end_byte(), keys));
        }
        WalkStep::Into
    }

    /// Visits `{...}` within a literal, without a type of its own.
    pub(super) fn visit_literal_value(&mut self, node: Node<'_>) -> WalkStep {
        let at = node.start_byte();
        while self.literals.pop_if(|(end, _)| *end <= at).is_some() {}
        if !self.handled.take_mark(node) {
            let keys = match self.literals.last() {
                Some((_, Keys::Values(element))) => Keys::Fields(*element),
                _ => Keys::Fields(None),
            };
            self.literals.push((node.end_byte(), keys));
        }
        WalkStep::Into
    }

    pub(super) fn visit_keyed_element(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let at = node.start_byte();
        while self.literals.pop_if(|(end, _)| *end <= at).is_some() {}
        let Some((_, Keys::Fields(ty))) = self.literals.last().copied() else { return WalkStep::Into };
        let key = node.child_by_field_id(self.g.f.key).and_then(|key| key.named_child(0));
        if let Some(key) = key.filter(|key| self.g.kind(*key) == GoKind::Ident) {
            self.handled.mark(key);
            if let Some(ty) = ty {
                cx.record_use(cx.text(key), key, RefKind::Use, Receiver::Typed(ty));
            }
        }
        WalkStep::Into
    }
}
