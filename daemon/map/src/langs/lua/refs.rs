//! Records uses: names, fields, and the classes of values.

use super::grammar::LuaKind;
use super::rules::LuaRules;
use super::values::{call_arguments, callee_name, path};
use crate::facts::{Receiver, RefKind, StrId};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

impl LuaRules {
    pub(super) fn visit_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) && cx.text(node) != "self" {
            cx.record_use(cx.text(node), node, RefKind::Use, Receiver::None);
        }
        WalkStep::Skip
    }

    /// Visits `a.b` that is not called; it is recorded if anything is known of `a`.
    pub(super) fn visit_dot(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let (Some(table), Some(field)) =
            (node.child_by_field_id(self.g.f.table), node.child_by_field_id(self.g.f.field))
        else {
            return WalkStep::Into;
        };
        let seen = self.handled.take_mark(node);
        if !self.handled.take_mark(field) && !seen {
            let receiver = self.receiver(table, cx);
            if receiver != Receiver::Unknown {
                cx.record_use(cx.text(field), field, RefKind::Use, receiver);
            }
        }
        self.handled.mark(field);
        WalkStep::Into
    }

    /// Returns the receiver that references record for the value before `.` or `:`.
    pub(super) fn receiver(&mut self, table: Node<'_>, cx: &mut Cx<'_>) -> Receiver {
        if cx.text(table) == "self" && cx.local_binding("self").is_none() {
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

    /// Returns the path of a value's class, of `setmetatable({}, Foo)`, `Foo.new()`, `Foo:new()`, and `Foo()` of a
    /// class.
    pub(super) fn value_type(&mut self, value: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        match self.g.kind(value) {
            LuaKind::Ident => {
                let name = cx.text(value);
                match cx.local_binding(name) {
                    Some(Binding::Typed(ty)) => Some(ty),
                    Some(Binding::Opaque) => None,
                    None => {
                        let id = cx.facts.intern(name);
                        self.types.get(&id).copied()
                    }
                }
            }
            LuaKind::Call => self.constructed_class(value, cx),
            _ => None,
        }
    }

    fn constructed_class(&mut self, call: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let name = call.child_by_field_id(self.g.f.name)?;
        let class = match (callee_name(call, cx.source), self.g.kind(name)) {
            (Some("setmetatable"), _) => {
                let meta = *call_arguments(call).get(1)?;
                if cx.text(meta) == "self" {
                    self.self_at(call.start_byte())?.to_owned()
                } else {
                    path(meta, cx.source)?
                }
            }
            (Some(class), _) if self.tables.classes.contains(class) => class.to_owned(),
            (None, LuaKind::Dot | LuaKind::Method) => {
                let field = if self.g.kind(name) == LuaKind::Dot { self.g.f.field } else { self.g.f.method };
                let method = cx.text(name.child_by_field_id(field)?);
                if !matches!(method, "new" | "New") {
                    return None;
                }
                path(name.child_by_field_id(self.g.f.table)?, cx.source)?
            }
            _ => return None,
        };
        let first = class.split('.').next().unwrap_or("");
        (cx.local_binding(first).is_none() && first != "self").then(|| cx.facts.intern(&class))
    }
}
