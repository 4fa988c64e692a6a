//! Records uses of types, extensions and values of enumerations.

use super::grammar::ProtoKind;
use super::rules::ProtoRules;
use crate::facts::{Receiver, RefKind};
use crate::langs::support::{child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// Most names of a path that are read; no path by people comes near it.
const LIMIT: usize = 32;

impl ProtoRules {
    pub(super) fn visit_type_name(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.refer_path(node, RefKind::Type, cx);
        WalkStep::Skip
    }

    /// Records the type after `extend`, or the name of an extension in an option: `(acme.secret)`.
    pub(super) fn visit_full_ident(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let is_type = cx.parent().is_some_and(|parent| self.g.kind(parent) == ProtoKind::Extend);
        self.refer_path(node, if is_type { RefKind::Type } else { RefKind::Use }, cx);
        WalkStep::Skip
    }

    /// Records the value in `default = RED`, which belongs to the enumeration that is the field's type.
    pub(super) fn visit_field_option(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let option = node.named_child(0).filter(|name| self.g.kind(*name) == ProtoKind::Ident);
        let value = child_where(node, |child| self.g.kind(child) == ProtoKind::Constant);
        let name = value.and_then(|value| value.named_child(0));
        let name = name.filter(|name| self.g.kind(*name) == ProtoKind::FullIdent);
        if let (Some(option), Some(name)) = (option, name)
            && cx.text(option) == "default"
            && !self.field_type.is_empty()
        {
            let receiver = Receiver::Typed(cx.facts.intern(&self.field_type));
            cx.record_use(cx.text(name), name, RefKind::Use, receiver);
        }
        WalkStep::Into
    }

    /// Returns the names of a path, joined; with a dot before it if the file writes one.
    pub(super) fn path_of(&self, node: Node<'_>, cx: &Cx<'_>) -> String {
        let names: Vec<&str> = self.names_in(node).into_iter().map(|name| cx.text(name)).collect();
        format!("{}{}", if is_rooted(node, cx) { "." } else { "" }, names.join("."))
    }

    fn refer_path(&self, node: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let names = self.names_in(node);
        let Some(last) = names.last().copied() else { return };
        let path = self.path_of(node, cx);
        let receiver = match path.rsplit_once('.') {
            None => Receiver::None,
            Some(("", _)) => Receiver::Path(cx.facts.intern(".")),
            Some((before, _)) => Receiver::Path(cx.facts.intern(before)),
        };
        cx.record_use(cx.text(last), last, kind, receiver);
    }

    fn names_in<'t>(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut names = Vec::new();
        each_child(node, |child, _| {
            let is_name = self.g.kind(child) == ProtoKind::Ident && names.len() < LIMIT;
            names.extend(is_name.then_some(child));
        });
        names
    }
}

/// Returns true if a path begins with a dot, which some rules of the grammar keep outside the path.
fn is_rooted(node: Node<'_>, cx: &Cx<'_>) -> bool {
    let before = node.start_byte().checked_sub(1).and_then(|at| cx.source.get(at));
    cx.source.get(node.start_byte()) == Some(&b'.') || before == Some(&b'.')
}
