//! Records uses: calls, members, names, types.

use super::grammar::{CKind, is_keyword};
use super::rules::Family;
use crate::facts::{Receiver, RefKind, StrId};
use crate::langs::support::record_arguments;
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

impl Family {
    pub(crate) fn visit_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if self.handled.take_mark(node) {
            return WalkStep::Skip;
        }
        let name = cx.text(node);
        if !is_keyword(name) {
            cx.record_use(name, node, RefKind::Use, Receiver::None);
        }
        WalkStep::Skip
    }

    pub(crate) fn visit_type_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) && !is_keyword(cx.text(node)) {
            cx.record_use(cx.text(node), node, RefKind::Type, Receiver::None);
        }
        WalkStep::Skip
    }

    pub(crate) fn visit_call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(function) = node.child_by_field_id(self.g.f.function) else { return WalkStep::Into };
        match self.g.kind(function) {
            CKind::Ident => {
                self.handled.mark(function);
                if !is_keyword(cx.text(function)) {
                    cx.record_use(cx.text(function), function, RefKind::Call, Receiver::None);
                }
            }
            CKind::Member => {
                self.handled.mark(function);
                self.refer_member(function, RefKind::Call, cx);
            }
            CKind::Qualified => {
                self.handled.mark(function);
                self.refer_qualified(function, RefKind::Call, cx);
            }
            CKind::TemplateType => {
                self.handled.mark(function);
                self.refer_template(function, RefKind::Call, cx);
            }
            _ => {}
        }
        if self.g.cpp {
            record_arguments(called_name(function), node.child_by_field_id(self.g.f.arguments), 0, cx);
        }
        WalkStep::Into
    }

    /// Visits a field that is read or written. C programs do that so often that the uses would outweigh all other
    /// facts, while the receiver's type is mostly declared in another file; so the use is recorded in C++ alone, if the
    /// type is known.
    pub(crate) fn visit_member(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) && self.g.cpp {
            let known = node.child_by_field_id(self.g.f.argument).map(|argument| self.receiver(argument, cx));
            if matches!(known, Some(Receiver::SelfType | Receiver::Typed(_))) {
                self.refer_member(node, RefKind::Use, cx);
            }
        }
        WalkStep::Into
    }

    fn refer_member(&mut self, member: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let Some(field) = member.child_by_field_id(self.g.f.member) else { return };
        let receiver = match member.child_by_field_id(self.g.f.argument) {
            Some(argument) => self.receiver(argument, cx),
            None => Receiver::Unknown,
        };
        let Some((leaf, _)) = self.type_leaf(field, cx) else { return };
        cx.record_use(cx.text(leaf), leaf, kind, receiver);
    }

    /// Returns the receiver that references record for the value before `.` or `->`.
    fn receiver(&mut self, argument: Node<'_>, cx: &mut Cx<'_>) -> Receiver {
        let ty = match self.g.kind(argument) {
            CKind::This => return Receiver::SelfType,
            CKind::Ident => self.variable_type(cx.text(argument), cx),
            CKind::Member => self.field_type(argument, cx),
            CKind::Call | CKind::New | CKind::Literal => self.value_type(argument, cx),
            _ => None,
        };
        ty.map_or(Receiver::Unknown, Receiver::Typed)
    }

    fn variable_type(&self, name: &str, cx: &mut Cx<'_>) -> Option<StrId> {
        match cx.local_binding(name) {
            Some(Binding::Typed(ty)) => Some(ty),
            Some(Binding::Opaque) => None,
            None => {
                let id = cx.facts.intern(name);
                let own = self.own_type(cx).and_then(|owner| self.field_types.get(&(owner, id)));
                own.or_else(|| self.globals.get(&id)).copied()
            }
        }
    }

    /// Returns the type of `x->field`, where the struct is in this file.
    fn field_type(&self, member: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let argument = member.child_by_field_id(self.g.f.argument)?;
        let owner = match self.g.kind(argument) {
            CKind::This => self.own_type(cx)?,
            CKind::Ident => self.variable_type(cx.text(argument), cx)?,
            _ => return None,
        };
        let field = cx.facts.intern(cx.text(member.child_by_field_id(self.g.f.member)?));
        self.field_types.get(&(owner, field)).copied()
    }

    /// Returns the qualified name of the type whose member function the walk is in.
    fn own_type(&self, cx: &mut Cx<'_>) -> Option<StrId> {
        let defs = cx.facts.defs();
        let own = defs[cx.owner()?.index()];
        if let Some(parent) = own.parent.filter(|p| defs[p.index()].kind.is_type()) {
            return Some(defs[parent.index()].qualified);
        }
        let qualified = cx.facts.provisional_name(own.qualified).to_owned();
        let (owner, _) = qualified.rsplit_once('.')?;
        Some(cx.facts.intern(owner))
    }
}

/// Returns the node of the name that a call ends with: `open` in `net::Conn::open<int>(1)`.
fn called_name(function: Node<'_>) -> Node<'_> {
    let mut at = function;
    loop {
        let field = if at.kind() == "field_expression" { "field" } else { "name" };
        match at.child_by_field_name(field) {
            Some(inner) => at = inner,
            None => return at,
        }
    }
}
