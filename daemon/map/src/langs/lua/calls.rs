//! Records calls, and defines tests that are written as calls.

use super::grammar::LuaKind;
use super::items::LuaItem;
use super::rules::LuaRules;
use super::values::{call_arguments, required_module, string_literal};
use crate::facts::{DefFlags, DefKind, ImportInput, ImportKind, Receiver, RefKind};
use crate::langs::support::{child_where, refer_unbound, test_title};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl LuaRules {
    pub(super) fn visit_call<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        if let Some(module) = required_module(node, cx.source) {
            self.handled.mark(name);
            if !self.handled.take_mark(node) {
                self.import_for_effect(module, node, cx);
            }
            return WalkStep::Into;
        }
        match self.g.kind(name) {
            LuaKind::Ident => {
                self.handled.mark(name);
                if !self.define_spec(node, name, cx) {
                    cx.record_use(cx.text(name), name, RefKind::Call, Receiver::None);
                }
            }
            LuaKind::Dot => self.called_field(name, self.g.f.field, cx),
            LuaKind::Method => self.called_field(name, self.g.f.method, cx),
            _ => {}
        }
        WalkStep::Into
    }

    fn called_field(&mut self, name: Node<'_>, field: u16, cx: &mut Cx<'_>) {
        let (Some(table), Some(method)) =
            (name.child_by_field_id(self.g.f.table), name.child_by_field_id(field))
        else {
            return;
        };
        self.handled.mark(method);
        let receiver = self.receiver(table, cx);
        refer_unbound(cx, cx.text(method), method, RefKind::Call, receiver);
    }

    /// Records the import of a module that is loaded without a name of its own.
    fn import_for_effect(&mut self, module: &str, node: Node<'_>, cx: &mut Cx<'_>) {
        let owner = cx.owner();
        cx.facts.add_import(&ImportInput {
            kind: ImportKind::Effect,
            module,
            name: None,
            local: None,
            reexported: false,
            owner,
            line: Cx::lines(node).0,
        });
    }

    /// Defines a group or test of Busted, `describe("…", function() … end)` or `it`; returns false for other calls.
    fn define_spec<'t>(&mut self, node: Node<'t>, name: Node<'t>, cx: &mut Cx<'t>) -> bool {
        let (kind, flags) = match cx.text(name) {
            "describe" | "context" | "insulate" | "expose" => (DefKind::Module, DefFlags::TEST),
            "it" | "test" | "spec" => (DefKind::Function, DefFlags::TEST),
            _ => return false,
        };
        let [first, body, ..] = call_arguments(node)[..] else { return false };
        let Some(text) = string_literal(first, cx.source).filter(|text| !text.is_empty()) else {
            return false;
        };
        if self.g.kind(body) != LuaKind::Lambda {
            return false;
        }
        let at = child_where(first, |c| c.kind() == "string_content").unwrap_or(first);
        let named = test_title(cx.text(name), text);
        let item =
            LuaItem { node, at, name: &named, kind, flags, end: body.start_byte(), table: String::new() };
        self.define_item(&item, Some(true), cx);
        true
    }
}
