//! Defines properties, constants and enumeration cases; records traits and bases; binds parameters.

use super::grammar::PhpKind;
use super::items::PhpItem;
use super::rules::PhpRules;
use crate::facts::{DefFlags, DefKind, RefKind, StrId, TypePart};
use crate::langs::support::{assign_type, child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

impl PhpRules {
    pub(super) fn visit_properties<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if self.in_anonymous(node) {
            return WalkStep::Into;
        }
        let flags = self.visibility(node);
        let mut elements = Vec::new();
        each_child(node, |c, _| elements.extend((c.kind() == "property_element").then_some(c)));
        for element in elements {
            let Some(name) = element.child_by_field_id(self.g.f.name) else { continue };
            let at = child_where(name, |c| self.g.kind(c) == PhpKind::Name).unwrap_or(name);
            self.handled.mark(at);
            let (kind, end) = (DefKind::Field, name.end_byte());
            let item = PhpItem { node, at, name: cx.text(at), kind, flags, end };
            let class = self.classes_around(node).last().and_then(|class| class.name);
            if let Some(def) = self.define_item(&item, None, cx) {
                self.add_field_type_hint(def, cx.text(at), class, cx);
            }
        }
        WalkStep::Into
    }

    pub(super) fn visit_constants<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if self.in_anonymous(node) {
            return WalkStep::Into;
        }
        let flags = self.visibility(node);
        let mut elements = Vec::new();
        each_child(node, |c, _| elements.extend((c.kind() == "const_element").then_some(c)));
        for element in elements {
            let Some(at) = child_where(element, |c| self.g.kind(c) == PhpKind::Name) else { continue };
            self.handled.mark(at);
            let (kind, end) = (DefKind::Constant, element.end_byte());
            self.define_item(&PhpItem { node, at, name: cx.text(at), kind, flags, end }, None, cx);
        }
        WalkStep::Into
    }

    pub(super) fn visit_enum_case<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let Some(at) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(at);
        let (kind, flags, end) = (DefKind::Constant, DefFlags::EXPORTED, node.end_byte());
        let made = self.define_item(&PhpItem { node, at, name: cx.text(at), kind, flags, end }, None, cx);
        if let Some(def) = made {
            cx.facts.type_hint(def, TypePart::VALUE, "=self");
        }
        WalkStep::Into
    }

    pub(super) fn visit_bases(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let kind =
            if self.g.kind(node) == PhpKind::Implements { RefKind::Implements } else { RefKind::Extends };
        self.refer_bases(node, kind, cx);
        WalkStep::Skip
    }

    pub(super) fn refer_bases(&mut self, node: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        // A class without a name has no node that could have bases.
        let kind = if self.in_anonymous(node) { RefKind::Type } else { kind };
        let mut names = Vec::new();
        each_child(node, |c, _| {
            names.extend(
                matches!(self.g.kind(c), PhpKind::Name | PhpKind::Qualified | PhpKind::Relative).then_some(c),
            );
        });
        names.into_iter().for_each(|name| self.refer_class(name, kind, cx));
    }

    pub(super) fn visit_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = node.child_by_field_id(self.g.f.name) {
            let text = cx.text(name).trim_start_matches('&');
            let declared = node.child_by_field_id(self.g.f.ty);
            let ty = match declared {
                _ if node.kind() == "variadic_parameter" => None,
                Some(ty) => self.type_path(ty, cx),
                None => self.documented_type("param", text, cx),
            };
            cx.bind(text, ty.map_or(Binding::Opaque, Binding::Typed));
        }
        WalkStep::Into
    }

    /// Defines the property that a constructor's parameter makes.
    pub(super) fn visit_promoted<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        self.visit_parameter(node, cx);
        let Some(written) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let variable = child_where(written, |c| self.g.kind(c) == PhpKind::Variable).unwrap_or(written);
        let at = child_where(variable, |c| self.g.kind(c) == PhpKind::Name).unwrap_or(variable);
        let class = self.classes_around(node).last().and_then(|class| class.name);
        if let Some(class) = class {
            let owner = cx.facts.defs().iter().position(|def| def.qualified == class && def.kind.is_type());
            let def = crate::langs::support::NewDef {
                node,
                name_at: cx.position(at),
                name: cx.text(at),
                kind: DefKind::Field,
                flags: self.visibility(node),
                parent: owner.map(|at| crate::facts::DefIdx::new(at as u32)),
                qualifier: None,
                head: (node.start_byte(), written.end_byte()),
            };
            let outer = self.lead.take_outer(node, cx);
            if let Some(made) = def.make_def(cx, &outer, None) {
                self.add_field_type_hint(made, cx.text(at), Some(class), cx);
            }
        }
        WalkStep::Into
    }

    pub(super) fn visit_assignment(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let (Some(left), Some(right)) =
            (node.child_by_field_id(self.g.f.left), node.child_by_field_id(self.g.f.right))
        else {
            return WalkStep::Into;
        };
        if self.g.kind(left) == PhpKind::Variable {
            let text = cx.text(left);
            if self.g.kind(right) != PhpKind::Nothing || right.kind() != "null" {
                let ty = self.value_type(right, cx);
                assign_type(cx, text, ty);
            }
        }
        WalkStep::Into
    }

    pub(super) fn visit_foreach(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut names = Vec::new();
        let mut first = true;
        each_child(node, |c, _| {
            if c.is_named() {
                match c.kind() {
                    _ if first => {}
                    "variable_name" => names.push(c),
                    "pair" | "by_ref" => {
                        each_child(c, |v, _| names.extend((v.kind() == "variable_name").then_some(v)));
                    }
                    _ => {}
                }
                first = false;
            }
        });
        for name in names {
            // `/** @var Foo $x */` before the loop says more than the loop.
            if !matches!(cx.local_binding(cx.text(name)), Some(Binding::Typed(_))) {
                cx.bind(cx.text(name), Binding::Opaque);
            }
        }
        WalkStep::Into
    }

    pub(super) fn visit_catch(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = node.child_by_field_id(self.g.f.name) {
            let list = node.child_by_field_id(self.g.f.ty).filter(|list| list.named_child_count() == 1);
            let ty = list.and_then(|list| list.named_child(0)).and_then(|ty| self.type_path(ty, cx));
            cx.bind(cx.text(name), ty.map_or(Binding::Opaque, Binding::Typed));
        }
        WalkStep::Into
    }

    /// Binds `$x` of `global $x;` without a type: it is the file's `$x`, and other files'.
    pub(super) fn visit_global(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut names = Vec::new();
        each_child(node, |c, _| names.extend((self.g.kind(c) == PhpKind::Variable).then_some(c)));
        for name in names {
            if cx.local_binding(cx.text(name)).is_none() {
                cx.bind(cx.text(name), Binding::Opaque);
            }
        }
        WalkStep::Skip
    }

    /// Returns the path of a type that is one class, such as `?Foo` and `Foo|null`.
    pub(super) fn type_path(&self, ty: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let mut classes = Vec::new();
        let mut others = 0;
        match ty.kind() {
            "named_type" => classes.push(ty),
            "optional_type" | "union_type" => each_child(ty, |c, _| match c.kind() {
                "named_type" => classes.push(c),
                "primitive_type" if cx.text(c).eq_ignore_ascii_case("null") => {}
                _ if c.is_named() => others += 1,
                _ => {}
            }),
            _ => return None,
        }
        let [class] = classes[..] else { return None };
        let named = self.class_named(class.named_child(0).filter(|_| others == 0)?, cx)?;
        Some(cx.facts.intern(&named.path()))
    }
}
