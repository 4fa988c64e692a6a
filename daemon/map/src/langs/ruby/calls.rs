//! Records calls with a receiver, with arguments, or both.

use super::grammar::RubyKind;
use super::paths::{constant_path, is_constant};
use super::rules::{AssignedCall, RubyRules};
use crate::facts::{Receiver, RefKind};
use crate::langs::support::refer_unbound;
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl RubyRules {
    pub(super) fn visit_call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if self.handled.take_mark(node) {
            // The type that `Foo = Struct.new(…)` defines was handled with the assignment; the block's methods are the
            // type's.
            node.child_by_field_id(self.g.f.method).into_iter().for_each(|m| self.handled.mark(m));
            return WalkStep::Into;
        }
        let Some(method) = node.child_by_field_id(self.g.f.method) else { return WalkStep::Into };
        let receiver = node.child_by_field_id(self.g.f.receiver);
        self.handled.mark(method);
        match (receiver, self.g.kind(method)) {
            (None, RubyKind::Super) => self.super_call(method, cx),
            // In a class, `new` makes an object of it.
            (None, RubyKind::Ident) if cx.text(method) == "new" => {}
            (None, RubyKind::Ident) => {
                let word = cx.text(method);
                if let Some(step) = self.macro_call(node, word, cx) {
                    return step;
                }
                let receiver = self.bare_receiver(method);
                refer_unbound(cx, word, method, RefKind::Call, receiver);
            }
            // `Integer(x)`
            (None, RubyKind::Constant) => {
                let receiver = self.bare_receiver(method);
                refer_unbound(cx, cx.text(method), method, RefKind::Call, receiver);
            }
            (Some(receiver), _) => return self.call_on(node, receiver, method, cx),
            _ => {}
        }
        WalkStep::Into
    }

    fn call_on(&mut self, node: Node<'_>, receiver: Node<'_>, method: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let word = cx.text(method);
        if let Some(path) = self.described_class(receiver, cx) {
            self.handled.mark(receiver);
            let (before, name) = path.rsplit_once('.').unwrap_or(("", &path));
            let made = match before {
                "" => Receiver::None,
                before => Receiver::Path(cx.facts.intern(before)),
            };
            match word {
                "new" => refer_unbound(cx, name, receiver, RefKind::Call, made),
                _ => {
                    let on = Receiver::Path(cx.facts.intern(&path));
                    refer_unbound(cx, word, method, RefKind::Call, on);
                }
            }
            return WalkStep::Into;
        }
        if word == "new" && constant_path(receiver, cx.source).is_some() {
            self.refer_constant(receiver, RefKind::Call, cx);
            return WalkStep::Into;
        }
        if let Some(step) = self.spec_call(node, receiver, word, cx) {
            return step;
        }
        if is_constant(word) && node.child_by_field_id(self.g.f.arguments).is_none() {
            // `x::Y` is a constant of a value that is no constant.
            return WalkStep::Into;
        }
        let on = self.receiver(receiver, cx);
        let assigned = self.assigned.remove(&node.id());
        if assigned != Some(AssignedCall::Written) {
            refer_unbound(cx, word, method, RefKind::Call, on);
        }
        if assigned.is_some() {
            refer_unbound(cx, &format!("{word}="), method, RefKind::Call, on);
        }
        WalkStep::Into
    }

    /// Returns the receiver that references record for the value before the dot.
    fn receiver(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Receiver {
        if self.g.kind(node) == RubyKind::This || self.is_own_class(node, cx) {
            return self.bare_receiver(node);
        }
        if let Some(path) = constant_path(node, cx.source) {
            return Receiver::Path(cx.facts.intern(&path));
        }
        self.value_type(node, cx).map_or(Receiver::Unknown, Receiver::Typed)
    }

    /// Returns the constant that the enclosing test group describes, which is the meaning of RSpec's `described_class`.
    fn described_class(&mut self, node: Node<'_>, cx: &Cx<'_>) -> Option<String> {
        if self.g.kind(node) != RubyKind::Ident || cx.text(node) != "described_class" {
            return None;
        }
        while self.described.pop_if(|(end, _)| *end <= node.start_byte()).is_some() {}
        self.described.last().map(|(_, path)| path.clone())
    }

    /// Returns true if a node is `self.class`, or `class` alone.
    fn is_own_class(&self, node: Node<'_>, cx: &Cx<'_>) -> bool {
        let of_self = node
            .child_by_field_id(self.g.f.receiver)
            .is_some_and(|receiver| self.g.kind(receiver) == RubyKind::This);
        self.g.kind(node) == RubyKind::Call
            && node.child_by_field_id(self.g.f.method).is_some_and(|m| cx.text(m) == "class")
            && (of_self || node.child_by_field_id(self.g.f.receiver).is_none())
    }

    /// Records the call of a `super` without arguments.
    pub(super) fn visit_bare_super(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            self.super_call(node, cx);
        }
        WalkStep::Skip
    }

    /// Records a `super` as a call of the base's method of the same name.
    fn super_call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) {
        self.handled.mark(node);
        let Some(name) = self.method_at(node.start_byte()).map(str::to_owned) else { return };
        if self.class_at(node.start_byte()).is_some() {
            refer_unbound(cx, &name, node, RefKind::Call, Receiver::Super);
        }
    }
}
