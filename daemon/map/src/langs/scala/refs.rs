//! Uses: calls, members, names, types, bases, annotations.

use tree_sitter::Node;

use super::grammar::K;
use super::infer::{Scala, created};
use super::rules::ScalaRules;
use crate::facts::{DefKind, Receiver, RefKind};
use crate::langs::support::{Syntax, child_where, each_child, is_capital};
use crate::walk::{Cx, Step};

impl ScalaRules {
    pub(super) fn identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if !self.handled.take(node) && !matches!(cx.text(node), "this" | "super" | "_") {
            cx.refer(name_of(node, cx), node, RefKind::Use, Receiver::None);
        }
        Step::Skip
    }

    pub(super) fn type_name(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if !self.handled.take(node) {
            self.refer_type(node, RefKind::Type, cx);
        }
        Step::Skip
    }

    /// `a.B` in a pattern, or before `.type`.
    pub(super) fn stable(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let mut parts = Vec::new();
        each_child(node, |c, _| parts.extend(c.is_named().then_some(c)));
        if let [object, name] = parts[..]
            && self.g.kind(name) == K::Ident
        {
            let path: String = cx.text(object).split_whitespace().collect();
            let receiver = cx.path_receiver(&path);
            cx.refer(name_of(name, cx), name, RefKind::Use, receiver);
            if self.g.kind(object) == K::Ident && is_capital(&path) {
                cx.refer(&path, object, RefKind::Type, Receiver::None);
            }
        }
        Step::Skip
    }

    /// Records a type's last name as a use of this kind, on the path before it; type arguments are left to the walk.
    pub(super) fn refer_type(&mut self, ty: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let Some(segments) = Scala.type_segments(ty) else { return };
        let Some((last, before)) = segments.split_last() else { return };
        // The node that the walk will meet: inside a generic type, the name itself.
        let mut node = ty;
        while matches!(self.g.kind(node), K::GenericType | K::WrappedType) {
            match child_where(node, |c| c.is_named() && !c.is_extra()) {
                Some(inner) => node = inner,
                None => break,
            }
        }
        self.handled.mark(node);
        let names: Vec<&str> = before.iter().map(|part| cx.text(*part)).collect();
        let receiver = match names.is_empty() {
            true => Receiver::None,
            false => Receiver::Path(cx.facts.intern(&names.join("."))),
        };
        cx.refer(name_of(*last, cx), *last, kind, receiver);
    }

    pub(super) fn call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let is_curried = node
            .child_by_field_id(self.g.f.function)
            .is_some_and(|function| self.g.kind(function) == K::Call);
        let Some((object, name)) = Scala.called(node).filter(|_| !is_curried) else { return Step::Into };
        match object {
            Some(object) => {
                self.mark_field(node);
                let (members, handled) = (&mut self.members, &mut self.handled);
                members.refer_member(&Scala, (object, name, RefKind::Call), handled, cx);
            }
            None if matches!(cx.text(name), "this" | "super") => self.handled.mark(name),
            None => {
                self.handled.mark(name);
                cx.refer(name_of(name, cx), name, RefKind::Call, Receiver::None);
            }
        }
        Step::Into
    }

    /// The access that a call is made of is told by the call.
    fn mark_field(&mut self, call: Node<'_>) {
        let mut node = call;
        while let Some(function) = node.child_by_field_id(self.g.f.function) {
            node = function;
        }
        if self.g.kind(node) == K::Field {
            self.handled.mark(node);
        }
    }

    pub(super) fn field(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let name = node.child_by_field_id(self.g.f.member);
        let object = node.child_by_field_id(self.g.f.value);
        let (Some(name), Some(object)) = (name, object) else { return Step::Into };
        if self.handled.take(node) {
            return Step::Into;
        }
        self.handled.mark(name);
        if self.g.kind(name) == K::Ident && cx.text(name) != "this" {
            let (members, handled) = (&mut self.members, &mut self.handled);
            members.refer_member(&Scala, (object, name, RefKind::Use), handled, cx);
        }
        Step::Into
    }

    /// `a op b` calls `op` on `a`; what is written in signs belongs to values of any type.
    pub(super) fn infix(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let name = node.child_by_field_id(self.g.f.operator);
        let left = node.child_by_field_id(self.g.f.left);
        if let (Some(name), Some(left)) = (name, left) {
            self.handled.mark(name);
            let receiver = self.members.receiver(&Scala, left, cx);
            if self.g.kind(name) == K::Ident || matches!(receiver, Receiver::Typed(_) | Receiver::SelfType) {
                cx.refer(name_of(name, cx), name, RefKind::Call, receiver);
            }
        }
        Step::Into
    }

    pub(super) fn creation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if let Some(ty) = created(node) {
            self.refer_type(ty, RefKind::Call, cx);
        }
        Step::Into
    }

    /// Marks the names of named arguments, which are no uses: `f(name = value)`.
    pub(super) fn arguments(&mut self, node: Node<'_>) -> Step {
        each_child(node, |child, _| {
            if child.kind() == "assignment_expression" {
                let left = child.child_by_field_id(self.g.f.left);
                left.filter(|l| self.g.kind(*l) == K::Ident).into_iter().for_each(|l| self.handled.mark(l));
            }
        });
        Step::Into
    }

    /// The `s` of `s"…"`.
    pub(super) fn interpolator(&mut self, node: Node<'_>) -> Step {
        let name = node.child_by_field_id(self.g.f.interpolator);
        name.into_iter().for_each(|name| self.handled.mark(name));
        Step::Into
    }

    pub(super) fn pattern_class(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if let Some(ty) = node.child_by_field_id(self.g.f.ty) {
            self.refer_type(ty, RefKind::Type, cx);
        }
        Step::Into
    }

    pub(super) fn annotation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if let Some(ty) = node.child_by_field_id(self.g.f.name) {
            self.refer_type(ty, RefKind::Call, cx);
        }
        Step::Into
    }

    /// The first base is extended, those after `with` are implemented; a trait extends all.
    pub(super) fn bases(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let owner = cx.owner().map(|owner| cx.facts.defs()[owner.index()].kind);
        let mut types = Vec::new();
        each_child(node, |child, field| {
            let is_type = field == self.g.f.ty && child.is_named() && child.kind() != "arguments";
            types.extend(is_type.then_some(child));
        });
        for (at, ty) in types.into_iter().enumerate() {
            let first = at == 0 || owner == Some(DefKind::Trait);
            self.refer_type(ty, if first { RefKind::Extends } else { RefKind::Implements }, cx);
        }
        Step::Into
    }
}

/// A name without the quotes it may be written in.
fn name_of<'t>(node: Node<'_>, cx: &Cx<'t>) -> &'t str {
    let text = cx.text(node);
    text.strip_prefix('`').and_then(|name| name.strip_suffix('`')).unwrap_or(text)
}
