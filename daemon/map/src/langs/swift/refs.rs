//! Records uses: calls, members, names, types.

use super::grammar::SwiftKind;
use super::rules::SwiftRules;
use crate::facts::{Receiver, RefKind, StrId};
use crate::langs::support::{child_where, refer_unbound};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl SwiftRules {
    pub(super) fn visit_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let text = cx.text(node);
        if !self.handled.take_mark(node) && is_name(text) {
            cx.record_use(without_quotes(text), node, RefKind::Use, Receiver::None);
        }
        WalkStep::Skip
    }

    pub(super) fn visit_type_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) && cx.text(node) != "Self" {
            cx.record_use(cx.text(node), node, RefKind::Type, Receiver::None);
        }
        WalkStep::Skip
    }

    pub(super) fn visit_user_type(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            self.refer_type(node, RefKind::Type, cx);
        }
        WalkStep::Into
    }

    pub(super) fn visit_call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(callee) = node.named_child(0).filter(|_| !self.is_subscript(node, cx)) else {
            return WalkStep::Into;
        };
        match self.g.kind(callee) {
            SwiftKind::Ident => self.call_bare(callee, cx),
            SwiftKind::Navigation => {
                self.handled.mark(callee);
                self.refer_member(callee, RefKind::Call, cx);
            }
            SwiftKind::Prefix => {
                let name = callee.child_by_field_id(self.g.f.target);
                if let Some(name) = name.filter(|name| self.is_implicit(callee, *name, cx)) {
                    self.handled.mark(callee);
                    self.implicit_member(name, None, RefKind::Call, cx);
                }
            }
            _ => {}
        }
        WalkStep::Into
    }

    fn call_bare(&mut self, callee: Node<'_>, cx: &mut Cx<'_>) {
        self.handled.mark(callee);
        let text = without_quotes(cx.text(callee));
        match text {
            "Self" => refer_unbound(cx, "init", callee, RefKind::Call, Receiver::SelfType),
            _ if is_name(text) => cx.record_use(text, callee, RefKind::Call, Receiver::None),
            _ => {}
        }
    }

    /// Records the call of a generic type: `Type<Arguments>(..)`.
    pub(super) fn visit_construction(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(ty) = node.child_by_field_id(self.g.f.constructed) {
            self.refer_type(ty, RefKind::Call, cx);
        }
        WalkStep::Into
    }

    pub(super) fn visit_macro_call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = child_where(node, |c| self.g.kind(c) == SwiftKind::Ident) {
            self.handled.mark(name);
            refer_unbound(cx, cx.text(name), name, RefKind::Call, Receiver::None);
        }
        WalkStep::Into
    }

    pub(super) fn visit_navigation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            self.refer_member(node, RefKind::Use, cx);
        }
        WalkStep::Into
    }

    /// Records the use of a member: `target.name`.
    fn refer_member(&mut self, node: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let Some(target) = node.child_by_field_id(self.g.f.target) else { return };
        let Some(name) = self.suffix_name(node) else { return };
        self.handled.mark(name);
        let text = without_quotes(cx.text(name));
        if matches!(text, "self" | "Type" | "Protocol") {
            return;
        }
        let receiver = self.receiver(target, cx);
        cx.record_use(text, name, kind, receiver);
    }

    /// Records `.name`, a member of a type that the context tells.
    pub(super) fn visit_prefix(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let name = node.child_by_field_id(self.g.f.target);
        let taken = self.handled.take_mark(node);
        if let Some(name) = name.filter(|name| !taken && self.is_implicit(node, *name, cx)) {
            self.implicit_member(name, None, RefKind::Use, cx);
        }
        WalkStep::Into
    }

    fn is_implicit(&self, prefix: Node<'_>, name: Node<'_>, cx: &Cx<'_>) -> bool {
        self.g.kind(name) == SwiftKind::Ident && cx.source.get(prefix.start_byte()) == Some(&b'.')
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
        let text = without_quotes(cx.text(name));
        if text != "init" || receiver != Receiver::Unknown {
            refer_unbound(cx, text, name, kind, receiver);
        }
    }

    /// Skips the label after `break` and `continue`, which is no use.
    pub(super) fn visit_jump(&mut self, node: Node<'_>, _cx: &mut Cx<'_>) -> WalkStep {
        let word = node.child(0).map_or("", |word| word.kind());
        if matches!(word, "break" | "continue") { WalkStep::Skip } else { WalkStep::Into }
    }
}

/// Returns true for a name that code declares: not `$0`, `_` or `self`.
fn is_name(name: &str) -> bool {
    !name.starts_with('$') && !matches!(name, "_" | "self" | "Self" | "super")
}

/// Returns a name without the back-quotes that keep it from being a keyword.
fn without_quotes(name: &str) -> &str {
    name.strip_prefix('`').and_then(|name| name.strip_suffix('`')).unwrap_or(name)
}
