//! Uses: calls, members, names, types, annotations.

use tree_sitter::Node;

use super::grammar::K;
use super::infer::{Kotlin, type_child};
use super::rules::KotlinRules;
use crate::facts::{DefKind, Receiver, RefKind};
use crate::langs::support::{Syntax, child_where, is_capital};
use crate::walk::{Cx, Step};

impl KotlinRules {
    pub(super) fn identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if !self.handled.take(node) && !matches!(cx.text(node), "field" | "it") {
            cx.refer(name_of(node, cx), node, RefKind::Use, Receiver::None);
        }
        Step::Skip
    }

    pub(super) fn user_type(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if !self.handled.take(node) {
            self.refer_type(node, RefKind::Type, cx);
        }
        Step::Into
    }

    /// The path before a type's last name.
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
            cx.refer(name_of(last, cx), last, kind, receiver);
        }
    }

    pub(super) fn call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let Some((object, name)) = Kotlin.called(node) else { return Step::Into };
        match object {
            Some(object) => {
                node.named_child(0).into_iter().for_each(|callee| self.handled.mark(callee));
                let (members, handled) = (&mut self.members, &mut self.handled);
                members.refer_member(&Kotlin, (object, name, RefKind::Call), handled, cx);
            }
            None => {
                self.handled.mark(name);
                cx.refer(name_of(name, cx), name, RefKind::Call, Receiver::None);
            }
        }
        Step::Into
    }

    pub(super) fn navigation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if self.handled.take(node) {
            return Step::Into;
        }
        let Some((object, name)) = Kotlin.member(node) else { return Step::Into };
        let (members, handled) = (&mut self.members, &mut self.handled);
        members.refer_member(&Kotlin, (object, name, RefKind::Use), handled, cx);
        Step::Into
    }

    /// `a to b` calls `to` on `a`.
    pub(super) fn infix(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if let (Some(left), Some(name)) = (node.named_child(0), node.named_child(1))
            && self.g.kind(name) == K::Ident
        {
            self.handled.mark(name);
            let receiver = self.members.receiver(&Kotlin, left, cx);
            cx.refer(cx.text(name), name, RefKind::Call, receiver);
        }
        Step::Into
    }

    /// `Type::name`, `value::name`, `::name`, `Type::class`.
    pub(super) fn callable_reference(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let before = child_where(node, |c| matches!(self.g.kind(c), K::TypeIdent | K::UserType));
        let name = child_where(node, |c| self.g.kind(c) == K::Ident);
        let receiver = match before {
            Some(before) if is_capital(cx.text(before)) => {
                cx.refer(cx.text(before), before, RefKind::Type, Receiver::None);
                cx.path_receiver(cx.text(before))
            }
            Some(before) => {
                cx.refer(cx.text(before), before, RefKind::Use, Receiver::None);
                cx.path_receiver(cx.text(before))
            }
            None => Receiver::None,
        };
        if let Some(name) = name {
            self.handled.mark(name);
            cx.refer(cx.text(name), name, RefKind::Use, receiver);
        }
        Step::Into
    }

    pub(super) fn delegation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let owner = cx.owner().map(|owner| cx.facts.defs()[owner.index()].kind);
        let base = self.base(node, owner == Some(DefKind::Interface));
        if let Some((ty, kind)) = base.filter(|_| !self.handled.take(node)) {
            self.refer_type(ty, kind, cx);
        }
        Step::Into
    }

    /// An annotation counts as a call of its class.
    pub(super) fn annotation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let called = child_where(node, |c| self.g.kind(c) == K::ConstructorCall);
        let ty = called.and_then(|called| called.named_child(0)).or_else(|| type_child(node));
        if let Some(ty) = ty {
            self.refer_type(ty, RefKind::Call, cx);
        }
        Step::Into
    }
}

/// A name without the quotes it may be written in.
fn name_of<'t>(node: Node<'_>, cx: &Cx<'t>) -> &'t str {
    let text = cx.text(node);
    text.strip_prefix('`').and_then(|name| name.strip_suffix('`')).unwrap_or(text)
}
