//! Handles `impl` blocks: whose members they hold, and which trait they implement.

use super::grammar::RustKind;
use super::rules::{RustImplBody, RustWalk};
use crate::facts::RefKind;
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl RustWalk {
    pub(super) fn visit_impl(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let of_trait = node.child_by_field_id(self.g.f.trait_);
        let ty = node.child_by_field_id(self.g.f.ty);
        let path = ty.and_then(|ty| self.implementing_type(node, ty, cx));
        // A blanket implementation is for no type in particular: its members are named by the trait and the type
        // parameter.
        let blanket =
            if path.is_none() { of_trait.and_then(|of_trait| self.dotted_path(of_trait, cx)) } else { None };
        let all = blanket.as_ref().map(|_| ty.and_then(|ty| self.parameter_of(ty, cx)).unwrap_or("impl"));
        let path = path.or(blanket);
        let name = path.as_deref().map(|path| path.rsplit('.').next().unwrap_or(path));
        let full = name.map(|name| in_module(name, cx));
        let full = full.map(|full| all.map_or(full.clone(), |all| format!("{full}.{all}")));
        let self_type = path.as_deref().map(|path| cx.facts.intern(path));
        let def =
            full.as_deref().map(|full| cx.facts.intern(full)).and_then(|id| self.types.get(&id).copied());
        let for_tests = self.lead.take_outer(node, cx).marked;
        match def {
            Some(def) => cx.reopen_scope(def, true),
            None => cx.open_scope(true),
        }
        let qualifier = if def.is_none() { full } else { None };
        self.body_around(node);
        let end = node.end_byte();
        self.bodies.push(RustImplBody {
            end,
            self_type,
            qualifier,
            def,
            of_trait: of_trait.is_some(),
            for_tests,
        });
        self.bind_parameters(node, cx);
        if let Some(of_trait) = of_trait {
            self.refer_type(of_trait, RefKind::Implements, cx);
        }
        WalkStep::Into
    }

    /// Returns the dotted name of the type that an `impl` is for, unless that is one of its own parameters.
    pub(super) fn implementing_type(&self, node: Node<'_>, ty: Node<'_>, cx: &mut Cx<'_>) -> Option<String> {
        let mut ty = ty;
        while self.g.kind(ty) == RustKind::RefType {
            ty = ty.child_by_field_id(self.g.f.ty)?;
        }
        if self.g.kind(ty) == RustKind::Primitive {
            return Some(cx.text(ty).to_owned());
        }
        let path = self.dotted_path(ty, cx)?;
        (!self.has_parameter(node, &path, cx)).then_some(path)
    }

    /// Returns the type parameter that a blanket implementation is for, if it is for one or a reference to one.
    fn parameter_of<'s>(&self, ty: Node<'_>, cx: &Cx<'s>) -> Option<&'s str> {
        let mut ty = ty;
        while self.g.kind(ty) == RustKind::RefType {
            ty = ty.child_by_field_id(self.g.f.ty)?;
        }
        (self.g.kind(ty) == RustKind::TypeIdent).then(|| cx.text(ty))
    }

    /// Returns true if an item has a type parameter of this name.
    pub(super) fn has_parameter(&self, node: Node<'_>, name: &str, cx: &Cx<'_>) -> bool {
        let list = crate::langs::support::child_where(node, |child| child.kind() == "type_parameters");
        list.is_some_and(|list| {
            crate::langs::support::child_where(list, |parameter| {
                parameter.child_by_field_id(self.g.f.name).is_some_and(|n| cx.text(n) == name)
            })
            .is_some()
        })
    }
}

/// Returns the qualified form, from the file's top, of a name that is written in a module.
fn in_module(name: &str, cx: &Cx<'_>) -> String {
    match cx.owner() {
        None => name.to_owned(),
        Some(owner) => {
            format!("{}.{name}", cx.facts.provisional_name(cx.facts.defs()[owner.index()].qualified))
        }
    }
}
