//! Records uses: calls, members, names, types, annotations.

use super::grammar::KotlinKind;
use super::infer::{Kotlin, type_child};
use super::rules::KotlinRules;
use crate::facts::{DefKind, Receiver, RefKind};
use crate::langs::support::{Syntax, child_where, is_capital, record_arguments};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl KotlinRules {
    pub(super) fn visit_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) && !matches!(cx.text(node), "field" | "it") {
            cx.record_use(name_of(node, cx), node, RefKind::Use, Receiver::None);
        }
        WalkStep::Skip
    }

    pub(super) fn visit_user_type(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            self.refer_type(node, RefKind::Type, cx);
        }
        WalkStep::Into
    }

    /// Returns the receiver of a type's last name: the path before it.
    pub(super) fn type_receiver(&self, ty: Node<'_>, cx: &mut Cx<'_>) -> Receiver {
        let segments = Kotlin.type_segments(ty).unwrap_or_default();
        let before = segments.split_last().map_or(&[][..], |(_, before)| before);
        let names: Vec<&str> = before.iter().map(|part| cx.text(*part)).collect();
        match names.is_empty() {
            true => Receiver::None,
            false => Receiver::Path(cx.facts.intern(&names.join("."))),
        }
    }

    /// Records a type's last name as a use of this kind, on the path before it; type arguments are left to the walk.
    pub(super) fn refer_type(&mut self, ty: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        self.handled.mark(ty);
        let receiver = self.type_receiver(ty, cx);
        if let Some(last) = Kotlin.type_segments(ty).and_then(|segments| segments.last().copied()) {
            cx.record_use(name_of(last, cx), last, kind, receiver);
        }
    }

    pub(super) fn visit_call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some((object, name)) = Kotlin.call_parts(node) else { return WalkStep::Into };
        match object {
            Some(object) => {
                node.named_child(0).into_iter().for_each(|callee| self.handled.mark(callee));
                let (members, handled) = (&mut self.members, &mut self.handled);
                members.refer_member(&Kotlin, object, name, RefKind::Call, handled, cx);
            }
            None => {
                self.handled.mark(name);
                cx.record_use(name_of(name, cx), name, RefKind::Call, Receiver::None);
            }
        }
        self.record_call_arguments(node, name, cx);
        WalkStep::Into
    }

    /// Records the arguments of a call; a lambda behind the brackets is the last one.
    fn record_call_arguments(&self, node: Node<'_>, name: Node<'_>, cx: &mut Cx<'_>) {
        let suffix = child_where(node, |c| c.kind() == "call_suffix").unwrap_or(node);
        let list = child_where(suffix, |c| c.kind() == "value_arguments");
        let lambda = child_where(suffix, |c| matches!(c.kind(), "annotated_lambda" | "lambda_literal"));
        record_arguments(name, list, usize::from(lambda.is_some()), cx);
    }

    pub(super) fn visit_navigation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if self.handled.take_mark(node) {
            return WalkStep::Into;
        }
        let Some((object, name)) = Kotlin.member_parts(node) else { return WalkStep::Into };
        let (members, handled) = (&mut self.members, &mut self.handled);
        members.refer_member(&Kotlin, object, name, RefKind::Use, handled, cx);
        WalkStep::Into
    }

    /// Records `a to b` as a call of `to` on `a`.
    pub(super) fn visit_infix(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let (Some(left), Some(name)) = (node.named_child(0), node.named_child(1))
            && self.g.kind(name) == KotlinKind::Ident
        {
            self.handled.mark(name);
            let receiver = self.members.receiver(&Kotlin, left, cx);
            cx.record_use(cx.text(name), name, RefKind::Call, receiver);
        }
        WalkStep::Into
    }

    /// Records `Type::name`, `value::name`, `::name` and `Type::class`.
    pub(super) fn visit_callable_reference(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let before =
            child_where(node, |c| matches!(self.g.kind(c), KotlinKind::TypeIdent | KotlinKind::UserType));
        let name = child_where(node, |c| self.g.kind(c) == KotlinKind::Ident);
        let receiver = match before {
            Some(before) if is_capital(cx.text(before)) => {
                cx.record_use(cx.text(before), before, RefKind::Type, Receiver::None);
                cx.path_receiver(cx.text(before))
            }
            Some(before) => {
                cx.record_use(cx.text(before), before, RefKind::Use, Receiver::None);
                cx.path_receiver(cx.text(before))
            }
            None => Receiver::None,
        };
        if let Some(name) = name {
            self.handled.mark(name);
            cx.record_use(cx.text(name), name, RefKind::Use, receiver);
        }
        WalkStep::Into
    }

    pub(super) fn visit_delegation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let owner = cx.owner().map(|owner| cx.facts.defs()[owner.index()].kind);
        let base = self.base_type(node, owner == Some(DefKind::Interface));
        if let Some((ty, kind)) = base.filter(|_| !self.handled.take_mark(node)) {
            self.refer_type(ty, kind, cx);
        }
        WalkStep::Into
    }

    /// Records an annotation as a call of its class.
    pub(super) fn visit_annotation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let called = child_where(node, |c| self.g.kind(c) == KotlinKind::ConstructorCall);
        let ty = called.and_then(|called| called.named_child(0)).or_else(|| type_child(node));
        if let Some(ty) = ty {
            self.refer_type(ty, RefKind::Call, cx);
        }
        WalkStep::Into
    }
}

/// Returns a name without the quotes that it may be written in.
fn name_of<'t>(node: Node<'_>, cx: &Cx<'t>) -> &'t str {
    let text = cx.text(node);
    text.strip_prefix('`').and_then(|name| name.strip_suffix('`')).unwrap_or(text)
}
