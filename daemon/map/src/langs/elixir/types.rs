//! Handles attributes: documentation, types, callbacks, behaviours, and constants of the module.

use super::grammar::ElixirKind;
use super::heads::{FunctionHead, arguments, function_head, operator, string_content, word};
use super::items::ElixirItem;
use super::rules::ElixirRules;
use crate::facts::{DefFlags, DefKind, Receiver, RefKind};
use crate::langs::support::refer_unbound;
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// Attributes that mean something to the compiler or to its tools, and are no constants of the module.
const RESERVED: &[&str] = &[
    "after_compile",
    "after_verify",
    "before_compile",
    "compile",
    "deprecated",
    "derive",
    "describetag",
    "dialyzer",
    "enforce_keys",
    "external_resource",
    "fallback_to_any",
    "file",
    "impl",
    "moduletag",
    "nifs",
    "on_definition",
    "on_load",
    "optional_callbacks",
    "since",
    "tag",
    "undefined_impl_description",
    "vsn",
];

impl ElixirRules {
    pub(super) fn visit_unary(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(operand) = node.child_by_field_id(self.g.f.operand) else { return WalkStep::Into };
        match operator(node, cx) {
            "@" => self.visit_attribute(node, operand, cx),
            "&" => {
                self.visit_capture(operand, cx);
                WalkStep::Into
            }
            _ => WalkStep::Into,
        }
    }

    fn visit_attribute(&mut self, node: Node<'_>, operand: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if self.g.kind(operand) == ElixirKind::Ident && !cx.text(operand).is_empty() {
            let name = format!("@{}", cx.text(operand));
            refer_unbound(cx, &name, node, RefKind::Use, Receiver::None);
            return WalkStep::Skip;
        }
        let Some(name) = word(operand) else { return WalkStep::Into };
        self.handled.mark(operand);
        let value = arguments(operand).first().copied();
        match cx.text(name) {
            "moduledoc" | "doc" | "typedoc" | "shortdoc" => {
                self.keep_doc(node, cx.text(name), value, cx);
                return WalkStep::Skip;
            }
            "spec" => self.visit_spec(operand, value, cx),
            "type" | "typep" | "opaque" => self.define_type(operand, cx.text(name), value, cx),
            "callback" | "macrocallback" => self.define_callback(node, value, cx),
            "behaviour" => {
                if let Some(module) = value.filter(|value| self.g.kind(*value) == ElixirKind::Alias) {
                    self.handled.mark(module);
                    self.refer_module(module, RefKind::Implements, cx);
                }
            }
            reserved if RESERVED.contains(&reserved) => {}
            _ => self.define_attribute(node, name, cx),
        }
        WalkStep::Into
    }

    /// Gives documentation to the module around it, or keeps it for the next definition.
    fn keep_doc(&mut self, node: Node<'_>, word: &str, value: Option<Node<'_>>, cx: &mut Cx<'_>) {
        let text = value.and_then(|value| string_content(value, cx)).unwrap_or("");
        if word != "moduledoc" {
            text.clone_into(&mut self.doc);
        } else if let Some(module) = self.module_at(node.start_byte()).and_then(|module| module.def) {
            cx.facts.set_doc(module, text.trim_start());
        }
    }

    /// Defines `@timeout 5_000` at its first place; further places use it.
    fn define_attribute(&mut self, node: Node<'_>, name: Node<'_>, cx: &mut Cx<'_>) {
        let text = format!("@{}", cx.text(name));
        let module = self.module_at(node.start_byte()).and_then(|module| module.def);
        let key = (module, cx.facts.intern(&text));
        if self.attributes.contains_key(&key) {
            refer_unbound(cx, &text, node, RefKind::Use, Receiver::None);
            return;
        }
        let line_end = cx.text(node).find('\n').unwrap_or(node.end_byte() - node.start_byte());
        let item = ElixirItem {
            node,
            name: &text,
            name_at: cx.position(node),
            kind: DefKind::Constant,
            flags: DefFlags::default(),
            qualifier: None,
            end: node.start_byte() + line_end,
        };
        let doc = std::mem::take(&mut self.doc);
        if let Some(def) = self.define_item(&item, None, cx) {
            self.attributes.insert(key, def);
        }
        self.doc = doc;
    }

    /// Returns the head of `head :: type`, without the guard.
    fn typed_head<'t>(&self, value: Option<Node<'t>>, cx: &Cx<'_>) -> Option<FunctionHead<'t>> {
        let mut typed = value?;
        if operator(typed, cx) == "when" {
            typed = typed.child_by_field_id(self.g.f.left)?;
        }
        if operator(typed, cx) != "::" {
            return None;
        }
        function_head(typed.child_by_field_id(self.g.f.left)?, cx)
    }

    /// Marks the names in `node` as types, except the name at its head.
    fn read_types(&mut self, node: Node<'_>, head: Option<&FunctionHead<'_>>) {
        self.types_until = self.types_until.max(node.end_byte());
        head.into_iter().for_each(|head| self.handled.mark(head.call));
    }

    fn visit_spec(&mut self, node: Node<'_>, value: Option<Node<'_>>, cx: &Cx<'_>) {
        let head = self.typed_head(value, cx);
        self.read_types(node, head.as_ref());
    }

    /// Defines the type of `@type t :: term`.
    fn define_type(&mut self, node: Node<'_>, word: &str, value: Option<Node<'_>>, cx: &mut Cx<'_>) {
        let head = self.typed_head(value, cx);
        self.read_types(node, head.as_ref());
        let Some(head) = head else { return };
        let item = ElixirItem {
            node,
            name: cx.text(head.name),
            name_at: cx.position(head.name),
            kind: DefKind::TypeAlias,
            flags: DefFlags::default().with_if(word != "typep", DefFlags::EXPORTED),
            qualifier: None,
            end: node.end_byte(),
        };
        self.define_item(&item, Some(false), cx);
    }

    /// Defines the callback of `@callback open(id) :: t`.
    fn define_callback(&mut self, node: Node<'_>, value: Option<Node<'_>>, cx: &mut Cx<'_>) {
        let head = self.typed_head(value, cx);
        self.read_types(node, head.as_ref());
        let Some(head) = head else { return };
        let item = ElixirItem {
            node,
            name: cx.text(head.name),
            name_at: cx.position(head.name),
            kind: DefKind::Function,
            flags: DefFlags::EXPORTED.with(DefFlags::DECLARATION),
            qualifier: None,
            end: node.end_byte(),
        };
        self.define_item(&item, Some(false), cx);
    }

    /// Marks `id` of `id :: integer` among types, which is no type.
    pub(super) fn skip_named_type(&mut self, node: Node<'_>) {
        let left = node.child_by_field_id(self.g.f.left);
        left.filter(|left| self.g.kind(*left) == ElixirKind::Ident)
            .into_iter()
            .for_each(|left| self.handled.mark(left));
    }

    /// Visits a name without brackets, which is a type among types, and a variable elsewhere.
    pub(super) fn visit_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) && node.start_byte() < self.types_until {
            refer_unbound(cx, cx.text(node), node, RefKind::Type, Receiver::None);
        }
        WalkStep::Skip
    }
}
