//! Records uses: calls with their number of arguments, captures, modules.

use super::grammar::ElixirKind;
use super::heads::{arguments, do_block, operator, word};
use super::rules::ElixirRules;
use crate::facts::{ArgumentKind, Arguments, CallArguments, DefKind, Receiver, RefKind};
use crate::langs::support::refer_unbound;
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// Most arguments of a call that are recorded.
const MANY: usize = 15;

impl ElixirRules {
    pub(super) fn visit_call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if self.handled.take_mark(node) {
            word(node).into_iter().for_each(|name| self.handled.mark(name));
            return WalkStep::Into;
        }
        let Some(name) = word(node) else { return self.visit_qualified(node, cx) };
        let text = cx.text(name);
        self.handled.mark(name);
        match text {
            "defmodule" => self.visit_module(node, DefKind::Module, cx),
            "defprotocol" => self.visit_module(node, DefKind::Interface, cx),
            "defimpl" => self.visit_implementation(node, cx),
            "def" | "defp" | "defmacro" | "defmacrop" | "defguard" | "defguardp" | "defdelegate" => {
                self.visit_function(node, text, cx)
            }
            "defstruct" | "defexception" => self.visit_struct(node, cx),
            "alias" | "import" | "require" | "use" => self.visit_directive(node, text, cx),
            "test" | "describe" | "property" => {
                let test = self.visit_test(node, text, cx);
                test.unwrap_or_else(|| self.visit_bare_call(node, name, cx))
            }
            "quote" => {
                self.quoted_until = self.quoted_until.max(node.end_byte());
                WalkStep::Into
            }
            _ => self.visit_bare_call(node, name, cx),
        }
    }

    /// Records `helper(x)`, unless it is quoted code.
    fn visit_bare_call(&mut self, node: Node<'_>, name: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if name.start_byte() >= self.quoted_until {
            self.refer_call(node, name, Receiver::None, cx);
        }
        WalkStep::Into
    }

    /// Records `Repo.get(x)` and `__MODULE__.get(x)`. A call on a value is unknown.
    fn visit_qualified(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let target = node.child_by_field_id(self.g.f.target);
        let Some(dot) = target.filter(|target| self.g.kind(*target) == ElixirKind::Dot) else {
            return WalkStep::Into;
        };
        let left = dot.child_by_field_id(self.g.f.left);
        let right = dot.child_by_field_id(self.g.f.right);
        let Some((left, name)) = left.zip(right) else { return WalkStep::Into };
        if self.g.kind(name) != ElixirKind::Ident {
            return WalkStep::Into;
        }
        match self.g.kind(left) {
            ElixirKind::Alias => {
                let receiver = cx.path_receiver(cx.text(left));
                self.handled.mark(left);
                self.refer_call(node, name, receiver, cx);
            }
            ElixirKind::Ident if cx.text(left) == "__MODULE__" => {
                self.refer_call(node, name, Receiver::SelfType, cx);
            }
            _ => {}
        }
        self.handled.mark(name);
        WalkStep::Into
    }

    fn refer_call(&mut self, node: Node<'_>, name: Node<'_>, receiver: Receiver, cx: &mut Cx<'_>) {
        let captured = self.captured.remove(&node.id());
        let is_type = name.start_byte() < self.types_until;
        let kind = match captured {
            _ if is_type => RefKind::Type,
            Some(_) => RefKind::Use,
            None => RefKind::Call,
        };
        refer_unbound(cx, cx.text(name), name, kind, receiver);
        let block = usize::from(do_block(node).is_some());
        let piped = usize::from(self.piped.take_mark(node));
        let arity = captured.unwrap_or_else(|| arguments(node).len() + block + piped);
        if !is_type {
            self.record_arity(name, arity, cx);
        }
    }

    /// Records the number of a call's arguments.
    pub(super) fn record_arity(&self, name: Node<'_>, arity: usize, cx: &mut Cx<'_>) {
        let (line, col) = cx.position(name);
        if let Some(arguments) = Arguments::from_kinds(&vec![ArgumentKind::Unknown; arity.min(MANY)]) {
            cx.facts.add_call_arguments(CallArguments { line, col, arguments });
        }
    }

    /// Visits an operation: `x |> run(y)` gives the call one more argument.
    pub(super) fn visit_binary(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        match operator(node, cx) {
            "|>" => {
                if let Some(right) = node.child_by_field_id(self.g.f.right) {
                    self.visit_pipe_end(right, cx);
                }
            }
            "::" if node.start_byte() < self.types_until => self.skip_named_type(node),
            _ => {}
        }
        WalkStep::Into
    }

    fn visit_pipe_end(&mut self, right: Node<'_>, cx: &mut Cx<'_>) {
        match self.g.kind(right) {
            ElixirKind::Call => self.piped.mark(right),
            ElixirKind::Ident if right.start_byte() >= self.quoted_until => {
                refer_unbound(cx, cx.text(right), right, RefKind::Call, Receiver::None);
                self.record_arity(right, 1, cx);
            }
            _ => {}
        }
    }

    /// Records the functions of `&run/2` and `&Repo.get/2`.
    pub(super) fn visit_capture(&mut self, operand: Node<'_>, cx: &mut Cx<'_>) {
        if self.g.kind(operand) != ElixirKind::Binary || operator(operand, cx) != "/" {
            return;
        }
        let (left, right) =
            (operand.child_by_field_id(self.g.f.left), operand.child_by_field_id(self.g.f.right));
        let arity = right.and_then(|arity| cx.text(arity).parse::<usize>().ok());
        let Some((left, arity)) = left.zip(arity) else { return };
        match self.g.kind(left) {
            ElixirKind::Ident if left.start_byte() >= self.quoted_until => {
                refer_unbound(cx, cx.text(left), left, RefKind::Use, Receiver::None);
                self.record_arity(left, arity, cx);
            }
            ElixirKind::Call => {
                self.captured.insert(left.id(), arity);
            }
            _ => {}
        }
    }

    /// Records a module as a value, in a struct, or as an argument.
    pub(super) fn visit_alias(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            self.refer_module(node, RefKind::Type, cx);
        }
        WalkStep::Skip
    }

    /// Records the use of a module by its written name, with the part before the last name as a path.
    pub(super) fn refer_module(&mut self, node: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        match cx.text(node).rsplit_once('.') {
            Some((path, name)) => {
                let receiver = Receiver::Path(cx.facts.intern(path));
                refer_unbound(cx, name, node, kind, receiver);
            }
            None => refer_unbound(cx, cx.text(node), node, kind, Receiver::None),
        }
    }
}
