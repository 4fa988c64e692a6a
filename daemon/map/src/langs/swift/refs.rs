//! Uses: calls, members, names, types.

use tree_sitter::Node;

use super::grammar::K;
use super::rules::SwiftRules;
use crate::facts::{Receiver, RefKind, StrId};
use crate::langs::support::{child_where, refer_unbound};
use crate::walk::{Cx, Step};

impl SwiftRules {
    pub(super) fn identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let text = cx.text(node);
        if !self.handled.take(node) && is_name(text) {
            cx.refer(plain(text), node, RefKind::Use, Receiver::None);
        }
        Step::Skip
    }

    pub(super) fn type_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if !self.handled.take(node) && cx.text(node) != "Self" {
            cx.refer(cx.text(node), node, RefKind::Type, Receiver::None);
        }
        Step::Skip
    }

    pub(super) fn user_type(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if !self.handled.take(node) {
            self.refer_type(node, RefKind::Type, cx);
        }
        Step::Into
    }

    pub(super) fn call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let Some(callee) = node.named_child(0).filter(|_| !self.is_subscript(node, cx)) else {
            return Step::Into;
        };
        match self.g.kind(callee) {
            K::Ident => self.call_bare(callee, cx),
            K::Navigation => {
                self.handled.mark(callee);
                self.member(callee, RefKind::Call, cx);
            }
            K::Prefix => {
                let name = callee.child_by_field_id(self.g.f.target);
                if let Some(name) = name.filter(|name| self.is_implicit(callee, *name, cx)) {
                    self.handled.mark(callee);
                    self.implicit_member(name, None, RefKind::Call, cx);
                }
            }
            _ => {}
        }
        Step::Into
    }

    fn call_bare(&mut self, callee: Node<'_>, cx: &mut Cx<'_>) {
        self.handled.mark(callee);
        let text = plain(cx.text(callee));
        match text {
            "Self" => refer_unbound(cx, "init", callee, RefKind::Call, Receiver::SelfType),
            _ if is_name(text) => cx.refer(text, callee, RefKind::Call, Receiver::None),
            _ => {}
        }
    }

    /// Records the call of a generic type: `Type<Arguments>(..)`.
    pub(super) fn construct(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if let Some(ty) = node.child_by_field_id(self.g.f.constructed) {
            self.refer_type(ty, RefKind::Call, cx);
        }
        Step::Into
    }

    pub(super) fn macro_call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if let Some(name) = child_where(node, |c| self.g.kind(c) == K::Ident) {
            self.handled.mark(name);
            refer_unbound(cx, cx.text(name), name, RefKind::Call, Receiver::None);
        }
        Step::Into
    }

    pub(super) fn navigation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if !self.handled.take(node) {
            self.member(node, RefKind::Use, cx);
        }
        Step::Into
    }

    /// Records the use of a member: `target.name`.
    fn member(&mut self, node: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let Some(target) = node.child_by_field_id(self.g.f.target) else { return };
        let Some(name) = self.suffix(node) else { return };
        self.handled.mark(name);
        let text = plain(cx.text(name));
        if matches!(text, "self" | "Type" | "Protocol") {
            return;
        }
        let receiver = self.receiver(target, cx);
        cx.refer(text, name, kind, receiver);
    }

    /// `.name`: a member of a type that the context tells.
    pub(super) fn prefix(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let name = node.child_by_field_id(self.g.f.target);
        let taken = self.handled.take(node);
        if let Some(name) = name.filter(|name| !taken && self.is_implicit(node, *name, cx)) {
            self.implicit_member(name, None, RefKind::Use, cx);
        }
        Step::Into
    }

    fn is_implicit(&self, prefix: Node<'_>, name: Node<'_>, cx: &Cx<'_>) -> bool {
        self.g.kind(name) == K::Ident && cx.source.get(prefix.start_byte()) == Some(&b'.')
    }

    pub(super) fn implicit_member(
        &mut self,
        name: Node<'_>,
        ty: Option<StrId>,
        kind: RefKind,
        cx: &mut Cx<'_>,
    ) {
        self.handled.mark(name);
        let receiver = ty.map_or(Receiver::Unknown, Receiver::Typed);
        let text = plain(cx.text(name));
        if text != "init" || receiver != Receiver::Unknown {
            refer_unbound(cx, text, name, kind, receiver);
        }
    }

    /// The label after `break` and `continue` is no use.
    pub(super) fn transfer(&mut self, node: Node<'_>, _cx: &mut Cx<'_>) -> Step {
        let word = node.child(0).map_or("", |word| word.kind());
        if matches!(word, "break" | "continue") { Step::Skip } else { Step::Into }
    }
}

/// Returns true if a name is one that code gave to something: not `$0`, `_` or `self`.
fn is_name(name: &str) -> bool {
    !name.starts_with('$') && !matches!(name, "_" | "self" | "Self" | "super")
}

/// A name without the back-quotes that keep it from being a keyword.
fn plain(name: &str) -> &str {
    name.strip_prefix('`').and_then(|name| name.strip_suffix('`')).unwrap_or(name)
}
