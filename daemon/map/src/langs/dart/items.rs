//! Defines types, values of enumerations and names for types, and records the bases of types.

use super::frameworks::given_member;
use super::grammar::DartKind;
use super::rules::{DartClass, DartRules};
use super::types::{names_in, type_arguments, type_child, type_path};
use crate::facts::{DefFlags, DefIdx, DefKind, Receiver, RefKind, TypePart};
use crate::langs::support::{NewDef, child_where, each_child, header_start};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// A definition about to be made.
pub(super) struct DartItem<'t, 'a> {
    pub(super) node: Node<'t>,
    /// The node at which its name stands.
    pub(super) at: Node<'t>,
    pub(super) name: &'a str,
    pub(super) kind: DefKind,
    pub(super) flags: DefFlags,
    /// The byte at which its signature ends.
    pub(super) end: usize,
}

/// Returns the flags of a definition by its name: private names begin with `_`.
pub(super) fn flags_of_name(name: &str) -> DefFlags {
    DefFlags::default().with_if(!name.starts_with('_'), DefFlags::EXPORTED)
}

impl DartRules {
    pub(super) fn define_item(
        &mut self,
        item: &DartItem<'_, '_>,
        scope: Option<bool>,
        cx: &mut Cx<'_>,
    ) -> Option<DefIdx> {
        let outer = self.lead.take_outer(item.node, cx);
        self.handled.mark(item.at);
        let is_annotation = |n: Node<'_>| self.g.kind(n) == DartKind::Annotation;
        let inner = child_where(item.node, |c| c.kind() == "method_declaration").unwrap_or(item.node);
        // The representation of an extension type stands in brackets.
        let start = header_start(inner, cx, is_annotation);
        let start = start + usize::from(cx.source.get(start) == Some(&b'('));
        let def = NewDef {
            node: item.node,
            name_at: cx.position(item.at),
            name: item.name,
            kind: item.kind,
            flags: item.flags,
            parent: cx.owner(),
            qualifier: None,
            head: (start, item.end),
        };
        def.make_def(cx, &outer, scope)
    }

    pub(super) fn visit_type_definition(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let body = child_where(node, |c| matches!(c.kind(), "class_body" | "enum_body" | "extension_body"));
        let at = self.type_name(node).or(body);
        let Some(at) = at else { return self.visit_code(node, cx) };
        let name = if Some(at) == body { "" } else { cx.text(at) };
        let (kind, is_extension) = match self.g.kind(node) {
            DartKind::Mixin => (DefKind::Trait, false),
            DartKind::Enum => (DefKind::Enum, false),
            DartKind::ExtensionType => (DefKind::Struct, false),
            kind => (DefKind::Class, kind == DartKind::Extension),
        };
        // An extension without a name goes by the type that it extends.
        let unnamed = format!("on {}", self.extended_name(node, cx).unwrap_or_default());
        let name = if name.is_empty() { unnamed.as_str() } else { name };
        let flags = flags_of_name(if Some(at) == body { "_" } else { name });
        let flags = flags.with_if(is_extension, DefFlags::EXTENSION);
        let at = if Some(at) == body { node.child_by_field_id(self.g.f.extended).unwrap_or(at) } else { at };
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let item = DartItem { node, at, name, kind, flags, end };
        let Some(idx) = self.define_item(&item, Some(true), cx) else { return WalkStep::Into };
        self.handled.take_mark(item.at);
        self.enter_type(node, item.at, idx, cx);
        WalkStep::Into
    }

    fn type_name<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let name = node.child_by_field_id(self.g.f.name);
        let name = name.or_else(|| child_where(node, |c| c.kind() == "mixin_application_class"))?;
        match name.kind() {
            "extension_type_name" | "mixin_application_class" => names_in(name).first().copied(),
            _ => Some(name),
        }
    }

    fn extended_name(&self, node: Node<'_>, cx: &mut Cx<'_>) -> Option<String> {
        node.child_by_field_id(self.g.f.extended).and_then(|ty| type_path(ty, cx))
    }

    /// Keeps the type for its members, and records its bases and the type that it represents or extends.
    fn enter_type(&mut self, node: Node<'_>, at: Node<'_>, idx: DefIdx, cx: &mut Cx<'_>) {
        if self.g.kind(at) == DartKind::Ident {
            self.handled.mark(at);
        }
        let name = cx.facts.defs()[idx.index()].name;
        let is_extension = self.g.kind(node) == DartKind::Extension;
        self.class = Some(DartClass { end: node.end_byte(), name, is_extension, given: None });
        if let Some(extended) = self.extended_name(node, cx) {
            cx.facts.type_hint(idx, TypePart::VALUE, &extended);
        }
        self.refer_bases(node, cx);
        if let Some(representation) = node.child_by_field_id(self.g.f.representation) {
            self.define_representation(representation, cx);
        }
    }

    /// Defines the value that an extension type stands for, which is a field of it.
    fn define_representation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) {
        let Some(at) = node.child_by_field_id(self.g.f.name) else { return };
        let (name, end) = (cx.text(at), at.end_byte());
        let item = DartItem { node, at, name, kind: DefKind::Field, flags: flags_of_name(name), end };
        let ty = node.child_by_field_id(self.g.f.ty).and_then(|ty| type_path(ty, cx));
        if let Some((idx, ty)) = self.define_item(&item, None, cx).zip(ty) {
            cx.facts.type_hint(idx, TypePart::VALUE, &ty);
        }
    }

    /// Records the bases of a type. A type that it mixes in counts as a class that it extends.
    fn refer_bases(&mut self, node: Node<'_>, cx: &mut Cx<'_>) {
        let is_mixin = self.g.kind(node) == DartKind::Mixin;
        let (mut bases, mut left) = (Vec::new(), vec![node]);
        while let Some(part) = left.pop() {
            each_child(part, |c, _| match (c.kind(), part.kind()) {
                ("superclass" | "mixins" | "interfaces" | "mixin_application_class", _)
                | ("mixin_application", _) => left.push(c),
                ("type", "superclass" | "mixin_application") => bases.push((c, RefKind::Extends, true)),
                ("type", "mixins") => bases.push((c, RefKind::Extends, false)),
                ("type", "mixin_declaration") if is_mixin => bases.push((c, RefKind::Extends, false)),
                ("type", "interfaces") => bases.push((c, RefKind::Implements, false)),
                _ => {}
            });
        }
        for (ty, kind, is_class) in bases {
            if is_class {
                self.record_given_type(ty, cx);
            }
            self.handled.mark(ty);
            self.refer_type(ty, kind, cx);
        }
    }

    /// Notes the member that a base of a framework gives the type.
    fn record_given_type(&mut self, base: Node<'_>, cx: &mut Cx<'_>) {
        let name = names_in(base).last().map_or("", |name| cx.text(*name));
        let Some((member, argument)) = given_member(name) else { return };
        let ty = type_arguments(base).get(argument).and_then(|ty| type_path(*ty, cx));
        if let (Some(ty), Some(class)) = (ty, &mut self.class) {
            class.given = Some((member, cx.facts.intern(&ty)));
        }
    }

    /// Defines a value of an enumeration, and records the constructor that makes it.
    pub(super) fn visit_enum_entry(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(at) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let (name, end) = (cx.text(at), node.end_byte());
        let item = DartItem { node, at, name, kind: DefKind::Constant, flags: flags_of_name(name), end };
        let idx = self.define_item(&item, Some(true), cx);
        let Some(class) = self.class_around(node).map(|class| class.name) else { return WalkStep::Into };
        if let Some(idx) = idx {
            let class = cx.facts.provisional_name(class).to_owned();
            cx.facts.type_hint(idx, TypePart::VALUE, &class);
        }
        let constructor = child_where(node, |c| self.g.kind(c) == DartKind::Ident && c != at);
        if let Some(constructor) = constructor {
            self.handled.mark(constructor);
            cx.record_use(cx.text(constructor), constructor, RefKind::Call, Receiver::Path(class));
        }
        WalkStep::Into
    }

    pub(super) fn visit_alias(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(at) = child_where(node, |c| self.g.kind(c) == DartKind::TypeIdent) else {
            return WalkStep::Into;
        };
        let (name, end) = (cx.text(at), node.end_byte());
        let item = DartItem { node, at, name, kind: DefKind::TypeAlias, flags: flags_of_name(name), end };
        let idx = self.define_item(&item, Some(true), cx);
        let ty = type_child(node).and_then(|ty| type_path(ty, cx));
        if let Some((idx, ty)) = idx.zip(ty) {
            cx.facts.type_hint(idx, TypePart::VALUE, &ty);
        }
        WalkStep::Into
    }
}
