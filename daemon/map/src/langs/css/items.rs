//! Defines selectors of rules, keyframes, layers and other rules with an `@`.

use super::grammar::CssKind;
use super::names::is_custom_name;
use super::rules::CssRules;
use crate::facts::{DefIdx, DefKind, Receiver, RefKind};
use crate::langs::support::{DefinitionLead, NewDef, child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// A name at one place, with the rule or declaration around it.
pub(super) struct CssName<'t, 'a> {
    pub(super) name: &'a str,
    /// The node at which the name begins.
    pub(super) at: Node<'t>,
    pub(super) kind: DefKind,
    /// The node of the whole rule or declaration, and the end of its head.
    pub(super) node: Node<'t>,
    pub(super) head_end: usize,
}

impl CssRules {
    /// Makes a definition of the first place of a name in the file, and a use of any other.
    pub(super) fn define_or_refer(
        &mut self,
        name: &CssName<'_, '_>,
        outer: &DefinitionLead,
        cx: &mut Cx<'_>,
    ) -> Option<DefIdx> {
        if let Some(&def) = self.known.get(name.name) {
            cx.refer(name.name, name.at, RefKind::Use, Receiver::None);
            return Some(def);
        }
        let item = NewDef {
            node: name.node,
            name_at: cx.position(name.at),
            name: name.name,
            kind: name.kind,
            flags: self.flags,
            parent: None,
            qualifier: None,
            head: (name.node.start_byte(), name.head_end),
        };
        let def = item.make_def(cx, outer, None)?;
        self.known.insert(name.name.to_owned(), def);
        Some(def)
    }

    /// Defines the names of `.card > .title, .b { }`; the block belongs to the last name of the first selector.
    pub(super) fn visit_rule<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let outer = self.lead.take_outer(node, cx);
        let Some(selectors) = child_where(node, |child| self.g.kind(child) == CssKind::Selectors) else {
            return WalkStep::Into;
        };
        let first_end = selectors.named_child(0).map_or(0, |selector| selector.end_byte());
        let mut owner = None;
        for found in self.selector_names(selectors, cx) {
            if found.is_asked {
                cx.refer(&found.name, found.at, RefKind::Use, Receiver::None);
                continue;
            }
            let kind = if found.name.starts_with('.') { DefKind::Class } else { DefKind::Constant };
            let at = found.at;
            let name = CssName { name: &found.name, at, kind, node, head_end: selectors.end_byte() };
            let def = self.define_or_refer(&name, &outer, cx);
            owner = if at.start_byte() < first_end { def.or(owner) } else { owner };
        }
        if let Some(owner) = owner {
            cx.reopen_scope(owner, false);
        }
        WalkStep::Into
    }

    /// Defines the animation of `@keyframes spin { }`.
    pub(super) fn visit_keyframes(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let outer = self.lead.take_outer(node, cx);
        if let Some(at) = child_where(node, |child| self.g.kind(child) == CssKind::KeyframesName) {
            let (kind, name) = (DefKind::Function, format!("@keyframes {}", cx.text(at)));
            let name = CssName { name: &name, at, kind, node, head_end: at.end_byte() };
            if let Some(def) = self.define_or_refer(&name, &outer, cx) {
                cx.reopen_scope(def, false);
            }
        }
        WalkStep::Into
    }

    /// Visits `@layer`, `@container`, `@property` or `@font-face`; other rules have no names.
    pub(super) fn visit_at_rule(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let outer = self.lead.take_outer(node, cx);
        let Some(word) = child_where(node, |child| self.g.kind(child) == CssKind::AtWord) else {
            return WalkStep::Into;
        };
        match cx.text(word) {
            "@layer" => self.define_queried(node, "@layer ", &outer, cx),
            "@property" => self.define_queried(node, "", &outer, cx),
            "@apply" => self.refer_applied(node, CssKind::Query, cx),
            "@container" => self.refer_container(node, cx),
            "@font-face" => self.font_until = node.end_byte(),
            _ => {}
        }
        WalkStep::Into
    }

    /// Defines the names of a rule, with `mark` before them: layers, or a custom property, which has only its own mark.
    fn define_queried(&mut self, node: Node<'_>, mark: &str, outer: &DefinitionLead, cx: &mut Cx<'_>) {
        let mut names = Vec::new();
        each_child(node, |child, _| {
            names.extend((self.g.kind(child) == CssKind::Query).then_some(child));
        });
        let kind = if mark.is_empty() { DefKind::Variable } else { DefKind::Module };
        let mut last = None;
        for at in names {
            let name = format!("{mark}{}", cx.text(at));
            let name = CssName { name: &name, at, kind, node, head_end: at.end_byte() };
            last = self.define_or_refer(&name, outer, cx);
        }
        if let Some(def) = last {
            cx.reopen_scope(def, false);
        }
    }

    /// Records the container of `@container sidebar (…)`, whose name the grammar takes for an error before the
    /// condition.
    fn refer_container(&self, node: Node<'_>, cx: &mut Cx<'_>) {
        let Some(first) = node.named_child(1) else { return };
        let name = if first.is_error() { first.named_child(0) } else { Some(first) };
        let name = name.filter(|name| self.g.kind(*name) == CssKind::Query);
        if let Some(at) = name.filter(|name| is_custom_name(cx.text(*name))) {
            cx.refer(&format!("@container {}", cx.text(at)), at, RefKind::Use, Receiver::None);
        }
    }
}
