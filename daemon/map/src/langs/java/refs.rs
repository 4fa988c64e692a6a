//! Uses: calls, creations, fields, names, types, annotations.

use tree_sitter::Node;

use super::grammar::K;
use super::rules::JavaRules;
use crate::facts::{Receiver, RefKind};
use crate::langs::support::refer_unbound;
use crate::walk::{Cx, Step};

impl JavaRules {
    pub(super) fn identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if !self.handled.take(node) {
            cx.refer(cx.text(node), node, RefKind::Use, Receiver::None);
        }
        Step::Skip
    }

    pub(super) fn type_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if !self.handled.take(node) && cx.text(node) != "var" {
            cx.refer(cx.text(node), node, RefKind::Type, Receiver::None);
        }
        Step::Skip
    }

    pub(super) fn invocation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return Step::Into };
        self.handled.mark(name);
        match node.child_by_field_id(self.g.f.object) {
            Some(object) => {
                let receiver = self.receiver(object, cx);
                self.type_on_path(object, receiver, cx);
                cx.refer(cx.text(name), name, RefKind::Call, receiver);
            }
            None => refer_unbound(cx, cx.text(name), name, RefKind::Call, Receiver::None),
        }
        Step::Into
    }

    /// In `a.b.Type.member` the type is used too; the names before it are packages, which are no definitions.
    fn type_on_path(&mut self, object: Node<'_>, receiver: Receiver, cx: &mut Cx<'_>) {
        let Some(path) = self.name_path(object).filter(|_| matches!(receiver, Receiver::Path(_))) else {
            return;
        };
        let is_type = |part: &&Node<'_>| cx.text(**part).starts_with(|c: char| c.is_uppercase());
        let Some(at) = path.iter().position(|part| is_type(&part)) else { return };
        self.handled.mark(object);
        path.iter().for_each(|part| self.handled.mark(*part));
        let before: Vec<&str> = path[..at].iter().map(|part| cx.text(*part)).collect();
        let receiver = match before.is_empty() {
            true => Receiver::None,
            false => Receiver::Path(cx.facts.intern(&before.join("."))),
        };
        cx.refer(cx.text(path[at]), path[at], RefKind::Type, receiver);
        // The accesses between the type and the member: `Type.FIELD.method()`.
        let mut node = object;
        while self.g.kind(node) == K::FieldAccess {
            self.handled.mark(node);
            match node.child_by_field_id(self.g.f.object) {
                Some(inner) => node = inner,
                None => break,
            }
        }
        for end in at + 1..path.len() {
            let names: Vec<&str> = path[..end].iter().map(|part| cx.text(*part)).collect();
            let receiver = Receiver::Path(cx.facts.intern(&names.join(".")));
            cx.refer(cx.text(path[end]), path[end], RefKind::Use, receiver);
        }
    }

    /// `object.field`; recorded where something is known of the object.
    pub(super) fn field_access(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let object = node.child_by_field_id(self.g.f.object);
        let (Some(object), Some(name)) = (object, node.child_by_field_id(self.g.f.member)) else {
            return Step::Into;
        };
        if self.handled.take(node) {
            return Step::Into;
        }
        self.handled.mark(name);
        if self.g.kind(name) == K::Ident {
            let receiver = self.receiver(object, cx);
            self.type_on_path(object, receiver, cx);
            if receiver != Receiver::Unknown {
                cx.refer(cx.text(name), name, RefKind::Use, receiver);
            }
        }
        Step::Into
    }

    pub(super) fn creation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if let Some(ty) = node.child_by_field_id(self.g.f.ty) {
            self.refer_type(ty, RefKind::Call, cx);
        }
        Step::Into
    }

    /// Records the use in a method reference: `Type::method`, `value::method`, `Type::new`.
    pub(super) fn method_reference(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let count = node.named_child_count();
        let (Some(object), Some(last)) =
            (node.named_child(0), node.child(node.child_count().saturating_sub(1)))
        else {
            return Step::Into;
        };
        if self.g.kind(last) == K::Ident && count > 1 {
            self.handled.mark(last);
            let receiver = match self.type_segments(object).filter(|_| self.g.kind(object) != K::Ident) {
                Some(_) => self.type_path(object, cx).map_or(Receiver::Unknown, Receiver::Typed),
                None => self.receiver(object, cx),
            };
            self.type_on_path(object, receiver, cx);
            cx.refer(cx.text(last), last, RefKind::Use, receiver);
        } else if last.kind() == "new" {
            match self.g.kind(object) {
                K::Ident => {
                    self.handled.mark(object);
                    cx.refer(cx.text(object), object, RefKind::Call, Receiver::None);
                }
                _ => self.refer_type(object, RefKind::Call, cx),
            }
        }
        Step::Into
    }

    pub(super) fn annotation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if let Some(name) = node.child_by_field_id(self.g.f.name) {
            self.handled.mark(name);
            self.refer_type(name, RefKind::Call, cx);
        }
        Step::Into
    }

    pub(super) fn scoped_type(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if !self.handled.take(node) {
            self.refer_type(node, RefKind::Type, cx);
        }
        Step::Into
    }

    /// Records a type's last name as a use of this kind, on the path before it; type arguments are left to the walk.
    pub(super) fn refer_type(&mut self, ty: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let Some(segments) = self.type_segments(ty) else { return };
        self.mark_type(ty);
        let Some((last, before)) = segments.split_last() else { return };
        let names: Vec<&str> = before.iter().map(|part| cx.text(*part)).collect();
        let receiver = match names.is_empty() {
            true => Receiver::None,
            false => Receiver::Path(cx.facts.intern(&names.join("."))),
        };
        cx.refer(cx.text(*last), *last, kind, receiver);
    }

    fn mark_type(&mut self, ty: Node<'_>) {
        let mut next = Some(ty);
        while let Some(node) = next {
            self.handled.mark(node);
            let last = node.named_child(node.named_child_count().saturating_sub(1) as u32);
            next = match self.g.kind(node) {
                K::Annotated => last,
                K::Generic => node.named_child(0),
                K::ScopedType | K::ScopedName => {
                    last.into_iter().for_each(|name| self.handled.mark(name));
                    node.named_child(0)
                }
                _ => None,
            };
        }
    }
}
