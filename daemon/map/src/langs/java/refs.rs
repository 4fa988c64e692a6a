//! Records uses: calls, creations, fields, names, types, annotations.

use super::grammar::JavaKind;
use super::rules::JavaRules;
use crate::facts::{Receiver, RefKind};
use crate::langs::support::{each_child, record_arguments, refer_unbound};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// Types besides enumerations that a `switch` can be about: their labels are constants from anywhere.
const PLAIN_SWITCHES: &[&str] =
    &["String", "Integer", "Character", "Short", "Byte", "int", "char", "short", "byte", "long"];

impl JavaRules {
    pub(super) fn visit_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            cx.record_use(cx.text(node), node, RefKind::Use, Receiver::None);
        }
        WalkStep::Skip
    }

    pub(super) fn visit_type_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) && cx.text(node) != "var" {
            cx.record_use(cx.text(node), node, RefKind::Type, Receiver::None);
        }
        WalkStep::Skip
    }

    pub(super) fn visit_invocation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        match node.child_by_field_id(self.g.f.object) {
            Some(object) => {
                let receiver = self.receiver(object, cx);
                self.type_on_path(object, receiver, cx);
                cx.record_use(cx.text(name), name, RefKind::Call, receiver);
            }
            None => refer_unbound(cx, cx.text(name), name, RefKind::Call, Receiver::None),
        }
        record_arguments(name, node.child_by_field_name("arguments"), 0, cx);
        WalkStep::Into
    }

    /// Records the use of the type in `a.b.Type.member`; the names before it are packages, which are no definitions.
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
        cx.record_use(cx.text(path[at]), path[at], RefKind::Type, receiver);
        // The walk passes over the accesses between the type and the member: `Type.FIELD.method()`.
        let mut node = object;
        while self.g.kind(node) == JavaKind::FieldAccess {
            self.handled.mark(node);
            match node.child_by_field_id(self.g.f.object) {
                Some(inner) => node = inner,
                None => break,
            }
        }
        for end in at + 1..path.len() {
            let names: Vec<&str> = path[..end].iter().map(|part| cx.text(*part)).collect();
            let receiver = Receiver::Path(cx.facts.intern(&names.join(".")));
            cx.record_use(cx.text(path[end]), path[end], RefKind::Use, receiver);
        }
    }

    /// Visits `object.field`; it is recorded if anything is known of the object.
    pub(super) fn visit_field_access(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let object = node.child_by_field_id(self.g.f.object);
        let (Some(object), Some(name)) = (object, node.child_by_field_id(self.g.f.member)) else {
            return WalkStep::Into;
        };
        if self.handled.take_mark(node) {
            return WalkStep::Into;
        }
        self.handled.mark(name);
        if self.g.kind(name) == JavaKind::Ident {
            let receiver = self.receiver(object, cx);
            self.type_on_path(object, receiver, cx);
            if receiver != Receiver::Unknown {
                cx.record_use(cx.text(name), name, RefKind::Use, receiver);
            }
        }
        WalkStep::Into
    }

    pub(super) fn visit_creation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(ty) = node.child_by_field_id(self.g.f.ty) else { return WalkStep::Into };
        let outer = node.named_child(0).filter(|outer| outer.end_byte() < ty.start_byte());
        let outer = outer.filter(|outer| matches!(self.g.kind(*outer), JavaKind::Ident | JavaKind::This));
        let receiver = outer.map_or(Receiver::Unknown, |outer| self.receiver(outer, cx));
        match self.type_segments(ty).as_deref() {
            // `outer.new Inner()` means a type inside the type of the value.
            Some(&[name]) if matches!(receiver, Receiver::Typed(_)) => {
                self.mark_type(ty);
                cx.record_use(cx.text(name), name, RefKind::Call, receiver);
            }
            _ => self.refer_type(ty, RefKind::Call, cx),
        }
        WalkStep::Into
    }

    /// Records the use in a method reference: `Type::method`, `value::method`, `Type::new`.
    pub(super) fn visit_method_reference(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let count = node.named_child_count();
        let (Some(object), Some(last)) =
            (node.named_child(0), node.child(node.child_count().saturating_sub(1)))
        else {
            return WalkStep::Into;
        };
        if self.g.kind(last) == JavaKind::Ident && count > 1 {
            self.handled.mark(last);
            let receiver = match self.type_segments(object).filter(|_| self.g.kind(object) != JavaKind::Ident)
            {
                Some(_) => self.type_path(object, cx).map_or(Receiver::Unknown, Receiver::Typed),
                None => self.receiver(object, cx),
            };
            self.type_on_path(object, receiver, cx);
            cx.record_use(cx.text(last), last, RefKind::Call, receiver);
        } else if last.kind() == "new" {
            match self.g.kind(object) {
                JavaKind::Ident => {
                    self.handled.mark(object);
                    cx.record_use(cx.text(object), object, RefKind::Call, Receiver::None);
                }
                _ => self.refer_type(object, RefKind::Call, cx),
            }
        }
        WalkStep::Into
    }

    /// Visits `case RED:`, which names a constant of the enumeration that the `switch` is about, whatever else has that
    /// name.
    pub(super) fn visit_switch_label(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let names: Vec<_> =
            crate::syntax::named_children(node).filter(|c| self.g.kind(*c) == JavaKind::Ident).collect();
        let mut around = std::iter::successors(node.parent(), Node::parent).take(3);
        let switch = around.find(|n| n.kind() == "switch_expression").filter(|_| !names.is_empty());
        let value = switch.and_then(|switch| switch.child_by_field_name("condition"));
        let ty = value.and_then(|value| self.value_type(value, cx));
        if let Some(ty) = ty.filter(|ty| !PLAIN_SWITCHES.contains(&cx.facts.provisional_name(*ty))) {
            for name in names {
                self.handled.mark(name);
                refer_unbound(cx, cx.text(name), name, RefKind::Use, Receiver::Typed(ty));
            }
        }
        WalkStep::Into
    }

    pub(super) fn visit_annotation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = node.child_by_field_id(self.g.f.name) {
            self.handled.mark(name);
            self.refer_type(name, RefKind::Call, cx);
            self.refer_elements(node, name, cx);
        }
        WalkStep::Into
    }

    /// Records the keys of `@A(key = value)` as calls of methods of the annotation's type.
    fn refer_elements(&mut self, annotation: Node<'_>, name: Node<'_>, cx: &mut Cx<'_>) {
        let Some(ty) = self.type_path(name, cx) else { return };
        let Some(arguments) = annotation.child_by_field_name("arguments") else { return };
        let mut keys = Vec::new();
        each_child(arguments, |pair, _| keys.extend(pair.child_by_field_name("key")));
        for key in keys {
            cx.record_use(cx.text(key), key, RefKind::Call, Receiver::Typed(ty));
        }
    }

    pub(super) fn visit_scoped_type(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            self.refer_type(node, RefKind::Type, cx);
        }
        WalkStep::Into
    }

    /// Records a type's last name as a use of this kind, on the path before it; type arguments are left to the walk.
    pub(super) fn refer_type(&mut self, ty: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let Some(segments) = self.type_segments(ty) else { return };
        self.mark_type(ty);
        let Some((last, before)) = segments.split_last() else { return };
        let names: Vec<&str> = before.iter().map(|part| cx.text(*part)).collect();
        for at in 0..before.len() {
            // Names without a capital are packages, which are no definitions.
            if names[at].starts_with(char::is_uppercase) {
                let receiver = path_receiver(&names[..at], cx);
                cx.record_use(names[at], before[at], RefKind::Type, receiver);
            }
        }
        let receiver = path_receiver(&names, cx);
        cx.record_use(cx.text(*last), *last, kind, receiver);
    }

    fn mark_type(&mut self, ty: Node<'_>) {
        let mut next = Some(ty);
        while let Some(node) = next {
            self.handled.mark(node);
            let last = node.named_child(node.named_child_count().saturating_sub(1) as u32);
            next = match self.g.kind(node) {
                JavaKind::Annotated => last,
                JavaKind::Generic => node.named_child(0),
                JavaKind::ScopedType | JavaKind::ScopedName => {
                    last.into_iter().for_each(|name| self.handled.mark(name));
                    node.named_child(0)
                }
                _ => None,
            };
        }
    }
}

/// Returns the receiver of a name on a path, which is empty for a bare name.
fn path_receiver(path: &[&str], cx: &mut Cx<'_>) -> Receiver {
    match path {
        [] => Receiver::None,
        _ => Receiver::Path(cx.facts.intern(&path.join("."))),
    }
}
