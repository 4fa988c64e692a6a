//! Records uses: calls, members, names, types, bases, annotations.

use super::grammar::ScalaKind;
use super::infer::{Scala, created_type};
use super::rules::ScalaRules;
use crate::facts::{DefKind, Receiver, RefKind};
use crate::langs::support::{Syntax, child_where, each_child, is_capital};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl ScalaRules {
    pub(super) fn visit_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) && !matches!(cx.text(node), "this" | "super" | "_") {
            cx.record_use(name_of(node, cx), node, RefKind::Use, Receiver::None);
        }
        WalkStep::Skip
    }

    pub(super) fn visit_type_name(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            self.refer_type(node, RefKind::Type, cx);
        }
        WalkStep::Skip
    }

    /// Records the path `a.B` in a pattern, or before `.type`.
    pub(super) fn visit_stable_path(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut parts = Vec::new();
        each_child(node, |c, _| parts.extend(c.is_named().then_some(c)));
        if let [object, name] = parts[..]
            && self.g.kind(name) == ScalaKind::Ident
        {
            let path: String = cx.text(object).split_whitespace().collect();
            let receiver = cx.path_receiver(&path);
            cx.record_use(name_of(name, cx), name, RefKind::Use, receiver);
            if self.g.kind(object) == ScalaKind::Ident && is_capital(&path) {
                cx.record_use(&path, object, RefKind::Type, Receiver::None);
            }
        }
        WalkStep::Skip
    }

    /// Records a type's last name as a use of this kind, on the path before it; type arguments are left to the walk.
    pub(super) fn refer_type(&mut self, ty: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let Some(segments) = Scala.type_segments(ty) else { return };
        let Some((last, before)) = segments.split_last() else { return };
        // The walk will meet this node: inside a generic type, the name itself.
        let mut node = ty;
        while matches!(self.g.kind(node), ScalaKind::GenericType | ScalaKind::WrappedType) {
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
        cx.record_use(name_of(*last, cx), *last, kind, receiver);
    }

    pub(super) fn visit_call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let is_curried = node
            .child_by_field_id(self.g.f.function)
            .is_some_and(|function| self.g.kind(function) == ScalaKind::Call);
        let Some((object, name)) = Scala.call_parts(node).filter(|_| !is_curried) else {
            return WalkStep::Into;
        };
        match object {
            Some(object) => {
                self.mark_field(node);
                let (members, handled) = (&mut self.members, &mut self.handled);
                members.refer_member(&Scala, object, name, RefKind::Call, handled, cx);
            }
            None if matches!(cx.text(name), "this" | "super") => self.handled.mark(name),
            None => {
                self.handled.mark(name);
                cx.record_use(name_of(name, cx), name, RefKind::Call, Receiver::None);
            }
        }
        WalkStep::Into
    }

    /// Marks the access that a call is made of, which the call records.
    fn mark_field(&mut self, call: Node<'_>) {
        let mut node = call;
        while let Some(function) = node.child_by_field_id(self.g.f.function) {
            node = function;
        }
        if self.g.kind(node) == ScalaKind::Field {
            self.handled.mark(node);
        }
    }

    pub(super) fn visit_field(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let name = node.child_by_field_id(self.g.f.member);
        let object = node.child_by_field_id(self.g.f.value);
        let (Some(name), Some(object)) = (name, object) else { return WalkStep::Into };
        if self.handled.take_mark(node) {
            return WalkStep::Into;
        }
        self.handled.mark(name);
        if self.g.kind(name) == ScalaKind::Ident && cx.text(name) != "this" {
            let (members, handled) = (&mut self.members, &mut self.handled);
            members.refer_member(&Scala, object, name, RefKind::Use, handled, cx);
        }
        WalkStep::Into
    }

    /// Records `a op b` as a call of `op` on `a`; an operator in signs only if the type of `a` is known, since values
    /// of any type may have it.
    pub(super) fn visit_infix(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let name = node.child_by_field_id(self.g.f.operator);
        let left = node.child_by_field_id(self.g.f.left);
        if let (Some(name), Some(left)) = (name, left) {
            self.handled.mark(name);
            let receiver = self.members.receiver(&Scala, left, cx);
            if self.g.kind(name) == ScalaKind::Ident
                || matches!(receiver, Receiver::Typed(_) | Receiver::SelfType)
            {
                cx.record_use(name_of(name, cx), name, RefKind::Call, receiver);
            }
        }
        WalkStep::Into
    }

    pub(super) fn visit_creation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(ty) = created_type(node) {
            self.refer_type(ty, RefKind::Call, cx);
        }
        WalkStep::Into
    }

    /// Marks the names of named arguments, which are no uses: `f(name = value)`.
    pub(super) fn visit_arguments(&mut self, node: Node<'_>) -> WalkStep {
        each_child(node, |child, _| {
            if child.kind() == "assignment_expression" {
                let left = child.child_by_field_id(self.g.f.left);
                left.filter(|l| self.g.kind(*l) == ScalaKind::Ident)
                    .into_iter()
                    .for_each(|l| self.handled.mark(l));
            }
        });
        WalkStep::Into
    }

    /// Marks the `s` of `s"…"`, which is no use.
    pub(super) fn visit_interpolator(&mut self, node: Node<'_>) -> WalkStep {
        let name = node.child_by_field_id(self.g.f.interpolator);
        name.into_iter().for_each(|name| self.handled.mark(name));
        WalkStep::Into
    }

    pub(super) fn visit_pattern_class(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(ty) = node.child_by_field_id(self.g.f.ty) {
            self.refer_type(ty, RefKind::Type, cx);
        }
        WalkStep::Into
    }

    pub(super) fn visit_annotation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(ty) = node.child_by_field_id(self.g.f.name) {
            self.refer_type(ty, RefKind::Call, cx);
        }
        WalkStep::Into
    }

    /// Records the bases of a type: the first is extended, those after `with` are implemented; a trait extends all.
    pub(super) fn visit_bases(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
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
        WalkStep::Into
    }
}

/// Returns a name without the quotes that it may be written in.
fn name_of<'t>(node: Node<'_>, cx: &Cx<'t>) -> &'t str {
    let text = cx.text(node);
    text.strip_prefix('`').and_then(|name| name.strip_suffix('`')).unwrap_or(text)
}
