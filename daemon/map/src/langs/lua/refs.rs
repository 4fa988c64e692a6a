//! Uses: names, fields, and the classes of values.

use tree_sitter::Node;

use super::grammar::K;
use super::rules::LuaRules;
use super::values::{arguments, callee, path};
use crate::facts::{Receiver, RefKind, StrId};
use crate::walk::{Binding, Cx, Step};

impl LuaRules {
    pub(super) fn identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        if !self.handled.take(node) && cx.text(node) != "self" {
            cx.refer(cx.text(node), node, RefKind::Use, Receiver::None);
        }
        Step::Skip
    }

    /// `a.b` that is not called; recorded where something is known of `a`.
    pub(super) fn dot(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        let (Some(table), Some(field)) =
            (node.child_by_field_id(self.g.f.table), node.child_by_field_id(self.g.f.field))
        else {
            return Step::Into;
        };
        let seen = self.handled.take(node);
        if !self.handled.take(field) && !seen {
            let receiver = self.receiver(table, cx);
            if receiver != Receiver::Unknown {
                cx.refer(cx.text(field), field, RefKind::Use, receiver);
            }
        }
        self.handled.mark(field);
        Step::Into
    }

    /// Returns what is known of the value before `.` or `:`.
    pub(super) fn receiver(&mut self, table: Node<'_>, cx: &mut Cx<'_>) -> Receiver {
        if cx.text(table) == "self" && cx.binding("self").is_none() {
            return match self.self_at(table.start_byte()) {
                Some(_) => Receiver::SelfType,
                None => Receiver::Unknown,
            };
        }
        if let Some(ty) = self.value_type(table, cx) {
            return Receiver::Typed(ty);
        }
        match path(table, cx.source) {
            Some(path) if path.starts_with("self.") => Receiver::Unknown,
            Some(path) => cx.path_receiver(&path),
            None => Receiver::Unknown,
        }
    }

    /// The path of a value's class: `setmetatable({}, Foo)`, `Foo.new()`, `Foo:new()`, `Foo()` of a class.
    pub(super) fn value_type(&mut self, value: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        match self.g.kind(value) {
            K::Ident => {
                let name = cx.text(value);
                match cx.binding(name) {
                    Some(Binding::Typed(ty)) => Some(ty),
                    Some(Binding::Opaque) => None,
                    None => {
                        let id = cx.facts.intern(name);
                        self.types.get(&id).copied()
                    }
                }
            }
            K::Call => self.made(value, cx),
            _ => None,
        }
    }

    fn made(&mut self, call: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let name = call.child_by_field_id(self.g.f.name)?;
        let class = match (callee(call, cx.source), self.g.kind(name)) {
            (Some("setmetatable"), _) => {
                let meta = *arguments(call).get(1)?;
                if cx.text(meta) == "self" {
                    self.self_at(call.start_byte())?.to_owned()
                } else {
                    path(meta, cx.source)?
                }
            }
            (Some(class), _) if self.tables.classes.contains(class) => class.to_owned(),
            (None, K::Dot | K::Method) => {
                let field = if self.g.kind(name) == K::Dot { self.g.f.field } else { self.g.f.method };
                let method = cx.text(name.child_by_field_id(field)?);
                if !matches!(method, "new" | "New") {
                    return None;
                }
                path(name.child_by_field_id(self.g.f.table)?, cx.source)?
            }
            _ => return None,
        };
        let first = class.split('.').next().unwrap_or("");
        (cx.binding(first).is_none() && first != "self").then(|| cx.facts.intern(&class))
    }
}
