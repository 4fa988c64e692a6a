//! Calls, and tests that are written as calls.

use tree_sitter::Node;

use super::grammar::K;
use super::items::Item;
use super::rules::LuaRules;
use super::values::{arguments, literal, required};
use crate::facts::{DefFlags, DefKind, ImportInput, ImportKind, Receiver, RefKind};
use crate::langs::support::{child_where, refer_unbound, title};
use crate::walk::{Cx, Step};

impl LuaRules {
    pub(super) fn call<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> Step {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return Step::Into };
        if let Some(module) = required(node, cx.source) {
            self.handled.mark(name);
            if !self.handled.take(node) {
                self.loaded(module, node, cx);
            }
            return Step::Into;
        }
        match self.g.kind(name) {
            K::Ident => {
                self.handled.mark(name);
                if !self.spec(node, name, cx) {
                    cx.refer(cx.text(name), name, RefKind::Call, Receiver::None);
                }
            }
            K::Dot => self.called_field(name, self.g.f.field, cx),
            K::Method => self.called_field(name, self.g.f.method, cx),
            _ => {}
        }
        Step::Into
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

    /// A module that is loaded without a name of its own.
    fn loaded(&mut self, module: &str, node: Node<'_>, cx: &mut Cx<'_>) {
        let owner = cx.owner();
        cx.facts.import(&ImportInput {
            kind: ImportKind::Effect,
            module,
            name: None,
            local: None,
            reexported: false,
            owner,
            line: Cx::lines(node).0,
        });
    }

    /// Busted's `describe("…", function() … end)` and `it`.
    fn spec<'t>(&mut self, node: Node<'t>, name: Node<'t>, cx: &mut Cx<'t>) -> bool {
        let (kind, flags) = match cx.text(name) {
            "describe" | "context" | "insulate" | "expose" => (DefKind::Module, DefFlags::TEST),
            "it" | "test" | "spec" => (DefKind::Function, DefFlags::TEST),
            _ => return false,
        };
        let [first, body, ..] = arguments(node)[..] else { return false };
        let Some(text) = literal(first, cx.source).filter(|text| !text.is_empty()) else { return false };
        if self.g.kind(body) != K::Lambda {
            return false;
        }
        let at = child_where(first, |c| c.kind() == "string_content").unwrap_or(first);
        let named = title(cx.text(name), text);
        let item = Item { node, at, name: &named, kind, flags, end: body.start_byte(), table: String::new() };
        self.define(&item, Some(true), cx);
        true
    }
}
