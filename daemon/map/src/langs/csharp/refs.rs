//! Records uses: calls, creations, members, names, types, attributes.

use super::grammar::CSharpKind;
use super::infer::CSharpSyntax;
use super::rules::CSharpRules;
use crate::facts::{Receiver, RefKind};
use crate::langs::support::{Syntax, each_child, record_arguments};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl CSharpRules {
    pub(super) fn visit_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let is_type = self.types.take_mark(node);
        if !self.handled.take_mark(node) {
            let kind = if is_type { RefKind::Type } else { RefKind::Use };
            cx.record_use(cx.text(node), node, kind, Receiver::None);
        }
        WalkStep::Skip
    }

    /// Records `A<T>`, `N.A` and `global::A` where no other handler has recorded them.
    pub(super) fn visit_type_name(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let is_type = self.types.take_mark(node);
        if !self.handled.take_mark(node) {
            self.refer_type(node, if is_type { RefKind::Type } else { RefKind::Use }, cx);
        }
        WalkStep::Into
    }

    /// Records a type's last name as a use of this kind, on the path before it; type arguments are left to the walk.
    pub(super) fn refer_type(&mut self, ty: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let Some(segments) = CSharpSyntax.type_segments(ty) else { return };
        self.mark_type(ty);
        let Some((last, before)) =
            segments.split_last().filter(|(last, _)| self.g.kind(**last) == CSharpKind::Ident)
        else {
            return;
        };
        let names: Vec<&str> = before.iter().map(|part| cx.text(*part)).collect();
        let receiver = match names.is_empty() {
            true => Receiver::None,
            false => Receiver::Path(cx.facts.intern(&names.join("."))),
        };
        cx.record_use(cx.text(*last), *last, kind, receiver);
        self.refer_qualifiers(before, cx);
    }

    /// Records the names before the last of a path: types around a type, or namespaces, which are no definitions.
    fn refer_qualifiers(&self, before: &[Node<'_>], cx: &mut Cx<'_>) {
        let names: Vec<&str> = before.iter().map(|part| cx.text(*part)).collect();
        if matches!(names.first(), Some(&("System" | "Microsoft"))) {
            return;
        }
        for (at, part) in before.iter().enumerate() {
            let receiver = match at {
                0 => Receiver::None,
                _ => Receiver::Path(cx.facts.intern(&names[..at].join("."))),
            };
            cx.record_use(names[at], *part, RefKind::Type, receiver);
        }
    }

    fn mark_type(&mut self, ty: Node<'_>) {
        let mut next = vec![ty];
        while let Some(node) = next.pop().filter(|_| next.len() < 100) {
            self.handled.mark(node);
            if !matches!(self.g.kind(node), CSharpKind::Ident | CSharpKind::TypeArgs) {
                each_child(node, |child, _| {
                    next.extend((self.g.kind(child) != CSharpKind::TypeArgs).then_some(child));
                });
            }
        }
    }

    pub(super) fn visit_invocation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(function) = node.child_by_field_id(self.g.f.function) else { return WalkStep::Into };
        let Some((object, name)) = CSharpSyntax.call_parts(node) else { return WalkStep::Into };
        self.handled.mark(function);
        self.mark_name(function);
        match object {
            Some(object) => {
                let (members, handled) = (&mut self.members, &mut self.handled);
                members.refer_member(&CSharpSyntax, object, name, RefKind::Call, handled, cx);
            }
            None if cx.text(name) == "nameof" => self.handled.mark(name),
            None => {
                self.handled.mark(name);
                cx.record_use(cx.text(name), name, RefKind::Call, Receiver::None);
            }
        }
        record_arguments(name, node.child_by_field_name("arguments"), 0, cx);
        WalkStep::Into
    }

    /// Marks the name of an access, which may be in a node with type arguments, or in one for the part behind `?`.
    fn mark_name(&mut self, access: Node<'_>) {
        let name = access.child_by_field_id(self.g.f.name);
        name.into_iter().for_each(|name| self.handled.mark(name));
        each_child(access, |child, _| {
            if self.g.kind(child) == CSharpKind::MemberBinding {
                let name = child.child_by_field_id(self.g.f.name);
                name.into_iter().for_each(|name| self.handled.mark(name));
            }
        });
    }

    pub(super) fn visit_member_access(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if self.handled.take_mark(node) {
            return WalkStep::Into;
        }
        let Some((object, name)) = CSharpSyntax.access_parts(node) else { return WalkStep::Into };
        self.mark_name(node);
        let (members, handled) = (&mut self.members, &mut self.handled);
        members.refer_member(&CSharpSyntax, object, name, RefKind::Use, handled, cx);
        WalkStep::Into
    }

    /// Marks the `.name` behind `?`, deeper in a chain, whose object is unknown.
    pub(super) fn visit_member_binding(&mut self, node: Node<'_>) -> WalkStep {
        let name = node.child_by_field_id(self.g.f.name);
        name.into_iter().for_each(|name| self.handled.mark(name));
        WalkStep::Into
    }

    pub(super) fn visit_creation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(ty) = node.child_by_field_id(self.g.f.ty) else { return WalkStep::Into };
        self.refer_type(ty, RefKind::Call, cx);
        let created = CSharpSyntax.type_path(ty, cx);
        if let (Some(created), Some(list)) = (created, node.child_by_field_id(self.g.f.initializer)) {
            let mut keys = Vec::new();
            each_child(list, |child, _| {
                if child.kind() == "assignment_expression" {
                    keys.extend(child.child_by_field_id(self.g.f.left));
                }
            });
            for key in keys.into_iter().filter(|key| self.g.kind(*key) == CSharpKind::Ident) {
                self.handled.mark(key);
                cx.record_use(cx.text(key), key, RefKind::Use, Receiver::Typed(created));
            }
        }
        WalkStep::Into
    }

    /// Records the use of an attribute: `[Fact]` means `FactAttribute`.
    pub(super) fn visit_attribute(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(ty) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let Some(segments) = CSharpSyntax.type_segments(ty) else { return WalkStep::Into };
        self.mark_type(ty);
        let Some((last, before)) = segments.split_last() else { return WalkStep::Into };
        let path = before.iter().map(|part| cx.text(*part)).collect::<Vec<_>>().join(".");
        let receiver = match path.is_empty() {
            true => Receiver::None,
            false => Receiver::Path(cx.facts.intern(&path)),
        };
        let name = cx.text(*last);
        let whole = if name.ends_with("Attribute") { name.to_owned() } else { format!("{name}Attribute") };
        cx.record_use(&whole, *last, RefKind::Call, receiver);
        WalkStep::Into
    }
}
