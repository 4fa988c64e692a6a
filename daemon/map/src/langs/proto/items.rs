//! Defines the package, messages, enumerations, services and their members, and records imports.

use super::grammar::ProtoKind;
use super::rules::ProtoRules;
use crate::facts::{DefFlags, DefIdx, DefKind, ImportInput, ImportKind, TypePart};
use crate::langs::support::{NewDef, child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl ProtoRules {
    pub(super) fn visit_package(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let name = child_where(node, |child| self.g.kind(child) == ProtoKind::FullIdent);
        if let Some(name) = name {
            let package: String = cx.text(name).split_whitespace().collect();
            cx.facts.set_package(&package);
        }
        WalkStep::Skip
    }

    pub(super) fn visit_import(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let path = node.child_by_field_id(self.g.f.path).map_or("", |path| cx.text(path));
        let module = path.trim_matches(['"', '\'']);
        if !module.is_empty() {
            let is_public = child_where(node, |child| child.kind() == "public").is_some();
            cx.facts.add_import(&ImportInput {
                kind: ImportKind::Star,
                module,
                name: None,
                local: None,
                reexported: is_public,
                owner: None,
                line: Cx::lines(node).0,
            });
        }
        WalkStep::Skip
    }

    /// Defines a call of a service. Its result is the message that it answers with, unless it answers with many.
    pub(super) fn visit_rpc(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = child_where(node, |child| self.g.kind(child) == ProtoKind::Name) {
            let made = self.define(node, name, DefKind::Method, Some(false), cx);
            let mut answer = None;
            each_child(node, |child, _| {
                if self.g.kind(child) == ProtoKind::TypeName {
                    answer = Some(child);
                }
            });
            let is_stream = |ty: Node<'_>| ty.prev_sibling().is_some_and(|before| before.kind() == "stream");
            if let (Some(made), Some(answer)) = (made, answer.filter(|ty| !is_stream(*ty))) {
                let path = self.path_of(answer, cx);
                cx.facts.type_hint(made, TypePart::RESULT, &path);
            }
        }
        WalkStep::Into
    }

    /// Defines a message, group, enumeration or service, which holds other definitions. Its name is a node of its own
    /// kind.
    pub(super) fn visit_scope(&mut self, node: Node<'_>, kind: DefKind, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = child_where(node, |child| self.g.kind(child) == ProtoKind::Name) {
            self.define(node, name, kind, Some(false), cx);
        }
        WalkStep::Into
    }

    /// Defines a member that opens no scope. Its name is its first identifier: a type is a node of another kind.
    pub(super) fn visit_member(&mut self, node: Node<'_>, kind: DefKind, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = child_where(node, |child| self.g.kind(child) == ProtoKind::Ident) {
            self.define(node, name, kind, None, cx);
        }
        WalkStep::Into
    }

    pub(super) fn visit_field(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let ty = child_where(node, |child| child.kind() == "type").and_then(|ty| ty.named_child(0));
        let ty = ty.filter(|ty| self.g.kind(*ty) == ProtoKind::TypeName);
        self.field_type = ty.map_or(String::new(), |ty| self.path_of(ty, cx));
        let Some(name) = child_where(node, |child| self.g.kind(child) == ProtoKind::Ident) else {
            return WalkStep::Into;
        };
        let made = self.define(node, name, DefKind::Field, None, cx);
        let is_one =
            node.kind() != "map_field" && child_where(node, |child| child.kind() == "repeated").is_none();
        if let Some(made) = made.filter(|_| is_one && !self.field_type.is_empty()) {
            cx.facts.type_hint(made, TypePart::VALUE, &self.field_type);
        }
        WalkStep::Into
    }

    fn define(
        &mut self,
        node: Node<'_>,
        name: Node<'_>,
        kind: DefKind,
        scope: Option<bool>,
        cx: &mut Cx<'_>,
    ) -> Option<DefIdx> {
        let outer = self.lead.take_outer(node, cx);
        let def = NewDef {
            node,
            name_at: cx.position(name),
            name: cx.text(name),
            kind,
            flags: DefFlags::EXPORTED,
            parent: cx.owner(),
            qualifier: None,
            head: (node.start_byte(), self.header_end(node)),
        };
        def.make_def(cx, &outer, scope)
    }

    /// Returns the byte at which the body begins, or the node's end.
    fn header_end(&self, node: Node<'_>) -> usize {
        let is_body = |child: Node<'_>| matches!(child.kind(), "{" | "message_body" | "enum_body");
        child_where(node, is_body).map_or(node.end_byte(), |body| body.start_byte())
    }
}
