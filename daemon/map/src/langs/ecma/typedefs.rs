//! Defines types and namespaces: interfaces, aliases, enumerations, `namespace` and `declare`.

use super::Ecma;
use super::defs::{DeclarationWrapper, New};
use super::types::THIS;
use crate::facts::{DefKind, RefKind, TypePart};
use crate::langs::support::DefinitionLead;
use crate::syntax::{Node, named_children};
use crate::walk::{Cx, WalkStep};

impl Ecma {
    /// Defines an interface: `interface A {}`.
    pub(super) fn visit_interface<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if self.type_declaration(node, DefKind::Interface, cx) {
            self.bind_type_parameters(node, cx);
            if let Some(idx) = cx.owner() {
                self.add_base_types(idx, node, cx);
            }
            self.interface_body = node.child_by_field_id(self.grammar.fields.body).map_or(0, |b| b.id());
        }
        WalkStep::Into
    }

    /// Defines an alias: `type A = ...`.
    pub(super) fn visit_type_alias<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if self.type_declaration(node, DefKind::TypeAlias, cx) {
            self.bind_type_parameters(node, cx);
            let value = node.child_by_field_id(self.grammar.fields.value);
            self.say_aliased(value, cx);
            self.open_alias(value);
        }
        WalkStep::Into
    }

    /// Records the type that an alias stands for, and the result of a call if that is a function type.
    fn say_aliased<'t>(&self, value: Option<Node<'t>>, cx: &mut Cx<'t>) {
        let (Some(idx), Some(value)) = (cx.owner(), value) else { return };
        let is_function = value.kind() == "function_type";
        let (part, of) = match is_function {
            true => (TypePart::RESULT, value.child_by_field_id(self.grammar.fields.return_type)),
            false => (TypePart::VALUE, Some(value)),
        };
        let ty = of.and_then(|of| self.type_reader(cx).annotation_type(of)).filter(|ty| ty != THIS);
        let own = value.child_by_field_id(self.grammar.fields.type_parameters);
        if own.is_some() {
            return;
        }
        if let Some(ty) = ty {
            self.add_type_hint(idx, part, &ty, cx);
        }
        if is_function {
            self.say_callback(idx, 0, value, cx);
        }
    }

    /// Opens the object type that an alias names, whose members are like an interface's; the other parts of an
    /// intersection are its bases.
    fn open_alias(&mut self, value: Option<Node<'_>>) {
        let mut waiting: Vec<Node<'_>> = value.into_iter().collect();
        while let Some(part) = waiting.pop() {
            match part.kind() {
                "object_type" => self.interface_body = part.id(),
                "intersection_type" => {
                    let _ = self.mark_bases(part, RefKind::Extends);
                    let inner = named_children(part);
                    waiting.extend(
                        inner.filter(|inner| matches!(inner.kind(), "object_type" | "intersection_type")),
                    );
                }
                _ => {}
            }
        }
    }

    /// Defines an enumeration: `enum A {}`.
    pub(super) fn visit_enumeration<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        self.type_declaration(node, DefKind::Enum, cx);
        WalkStep::Into
    }

    fn type_declaration<'t>(&mut self, node: Node<'t>, kind: DefKind, cx: &mut Cx<'t>) -> bool {
        let wrap = self.take_wrap(node, cx);
        let Some(at) = node.child_by_field_id(self.grammar.fields.name) else { return false };
        if cx.text(at).is_empty() {
            return false;
        }
        self.handled.mark(at);
        let name = cx.text(at);
        self.hide_repeated(name, node, cx);
        let visible = self.is_visible(&wrap, node, cx);
        let head =
            if kind == DefKind::TypeAlias { (node.start_byte(), node.end_byte()) } else { self.head(node) };
        self.make_def(&New { name, at, kind, head, visible }, &wrap, Some(true), cx);
        true
    }

    /// Defines the members of an enumeration.
    pub(super) fn visit_enum_members<'t>(&mut self, body: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        for member in named_children(body) {
            let at = member.child_by_field_id(self.grammar.fields.name).unwrap_or(member);
            let Some(name) = self.property_name(at, cx).filter(|_| at.kind() != "comment") else { continue };
            let wrap = DeclarationWrapper::around_node(member, DefinitionLead::default());
            let head = (member.start_byte(), member.end_byte());
            self.make_def(&New { name, at, kind: DefKind::Constant, head, visible: true }, &wrap, None, cx);
        }
        WalkStep::Into
    }

    /// Defines `namespace A.B {}`: one definition for each part of the name.
    pub(super) fn visit_namespace<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let f = &self.grammar.fields;
        let (name, body) = (node.child_by_field_id(f.name), node.child_by_field_id(f.body));
        let wrap = self.take_wrap(node, cx);
        let Some(name) = name else { return WalkStep::Into };
        body.into_iter().for_each(|body| {
            self.plain_blocks.insert(body.id());
        });
        self.mark_path(name);
        let head = self.head(node);
        let text = self.type_reader(cx).string_text(name).unwrap_or_else(|| cx.text(name));
        let parts = text.split('.').filter(|_| name.kind() == "nested_identifier");
        let whole = std::iter::once(text).filter(|_| name.kind() != "nested_identifier");
        for (i, part) in parts.chain(whole).map(str::trim).filter(|p| !p.is_empty()).enumerate() {
            let visible = i > 0 || self.is_visible(&wrap, node, cx) || name.kind() == "string";
            let new = New { name: part, at: name, kind: DefKind::Module, head, visible };
            self.make_def(&new, &wrap, Some(false), cx);
        }
        WalkStep::Into
    }

    /// Marks the parts of `A.B.C`, which are no references.
    fn mark_path(&mut self, path: Node<'_>) {
        let mut at = Some(path);
        for _ in 0..32 {
            let Some(node) = at else { return };
            self.handled.mark(node);
            at = node.child_by_field_id(self.grammar.fields.object);
        }
    }
}
