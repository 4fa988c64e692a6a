//! Records uses: values that name something, selectors that only ask, imports.

use super::grammar::CssKind;
use super::items::CssName;
use super::names::{is_animation_name, is_custom_name, marked_name};
use super::rules::CssRules;
use crate::facts::{DefKind, ImportInput, ImportKind, Receiver, RefKind};
use crate::langs::support::{DefinitionLead, child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl CssRules {
    /// Records a class or id in a question: `@scope (.card)`, `selector(.a)`.
    pub(super) fn visit_asked_selector(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some((name, at)) = self.selector_name(node, cx) {
            cx.refer(&name, at, RefKind::Use, Receiver::None);
        }
        WalkStep::Into
    }

    /// Visits `property: value;`, and defines or records the names in it.
    pub(super) fn visit_declaration(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let outer = self.lead.take_outer(node, cx);
        let Some(property) = child_where(node, |child| self.g.kind(child) == CssKind::Property) else {
            return WalkStep::Into;
        };
        match cx.text(property) {
            "animation" | "-webkit-animation" | "animation-name" | "-webkit-animation-name" => {
                self.refer_animations(node, cx);
            }
            "container" | "container-name" => self.define_container(node, &outer, cx),
            "font-family" => self.visit_fonts(node, cx),
            "composes" => self.refer_composed(node, cx),
            custom if custom.starts_with("--") => {
                let kind = DefKind::Variable;
                let name = CssName { name: custom, at: property, kind, node, head_end: node.end_byte() };
                if let Some(def) = self.define_or_refer(&name, &outer, cx) {
                    cx.reopen_scope(def, false);
                }
            }
            _ => {}
        }
        WalkStep::Into
    }

    /// Returns the words among the values of a declaration or statement.
    fn words<'t>(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut words = Vec::new();
        each_child(node, |child, _| words.extend((self.g.kind(child) == CssKind::Word).then_some(child)));
        words
    }

    fn refer_animations(&self, node: Node<'_>, cx: &mut Cx<'_>) {
        for word in self.words(node) {
            if is_animation_name(cx.text(word)) {
                let name = format!("@keyframes {}", cx.text(word));
                cx.refer(&name, word, RefKind::Call, Receiver::None);
            }
        }
    }

    /// Defines the container of `container: sidebar / inline-size` and `container-name: sidebar`.
    fn define_container(&mut self, node: Node<'_>, outer: &DefinitionLead, cx: &mut Cx<'_>) {
        let operation = child_where(node, |child| self.g.kind(child) == CssKind::Operation);
        let Some(at) = self.words(operation.unwrap_or(node)).first().copied() else { return };
        let name = cx.text(at).split('/').next().unwrap_or("");
        if is_custom_name(name) {
            let (kind, name) = (DefKind::Constant, format!("@container {name}"));
            let name = CssName { name: &name, at, kind, node, head_end: node.end_byte() };
            self.define_or_refer(&name, outer, cx);
        }
    }

    /// Defines or uses the font of `font-family: "Inter", sans-serif`: it is defined in `@font-face`, used elsewhere.
    /// Names of several words without quotes are left out.
    fn visit_fonts(&mut self, node: Node<'_>, cx: &mut Cx<'_>) {
        let mut strings = Vec::new();
        each_child(node, |child, _| strings.extend((self.g.kind(child) == CssKind::Text).then_some(child)));
        for string in strings {
            let Some(at) = string.named_child(0) else { continue };
            let (kind, name) = (DefKind::Constant, format!("@font-face {}", cx.text(at)));
            if node.start_byte() < self.font_until {
                let name = CssName { name: &name, at, kind, node, head_end: node.end_byte() };
                self.define_or_refer(&name, &DefinitionLead::default(), cx);
            } else {
                cx.refer(&name, at, RefKind::Use, Receiver::None);
            }
        }
    }

    /// Records the classes of `composes: btn large` of CSS modules, unless they come from another file.
    fn refer_composed(&self, node: Node<'_>, cx: &mut Cx<'_>) {
        let words = self.words(node);
        if !words.iter().any(|word| cx.text(*word) == "from") {
            words.into_iter().for_each(|word| refer_class(word, cx));
        }
    }

    /// Records the classes of `@apply btn card;`.
    pub(super) fn visit_postcss(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let word = child_where(node, |child| self.g.kind(child) == CssKind::AtWord);
        if word.is_some_and(|word| cx.text(word) == "@apply") {
            self.refer_applied(node, CssKind::Word, cx);
        }
        WalkStep::Into
    }

    /// Records the classes of an `@apply`, which are nodes of one kind.
    pub(super) fn refer_applied(&self, node: Node<'_>, kind: CssKind, cx: &mut Cx<'_>) {
        let mut words = Vec::new();
        each_child(node, |child, _| words.extend((self.g.kind(child) == kind).then_some(child)));
        words.into_iter().for_each(|word| refer_class(word, cx));
    }

    /// Records the custom property of `var(--brand)`.
    pub(super) fn visit_call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let is_var = node.named_child(0).is_some_and(|name| cx.text(name) == "var");
        let arguments = child_where(node, |child| self.g.kind(child) == CssKind::Arguments);
        if let Some(name) = arguments.filter(|_| is_var).and_then(|arguments| arguments.named_child(0))
            && cx.text(name).starts_with("--")
        {
            cx.refer(cx.text(name), name, RefKind::Use, Receiver::None);
        }
        WalkStep::Into
    }

    /// Records the sheet of `@import "base.css"` and `@import url(base.css)`.
    pub(super) fn visit_import(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let value = node.named_child(0);
        let value = match value.map(|value| self.g.kind(value)) {
            Some(CssKind::Call) => value.and_then(|call| call.named_child(1)?.named_child(0)),
            _ => value,
        };
        let module = value.map_or("", |value| cx.text(value).trim_matches(['"', '\'']));
        let is_outside = module.contains(':') || module.starts_with("//");
        if !module.is_empty() && !is_outside {
            cx.facts.add_import(&ImportInput {
                kind: ImportKind::Star,
                module,
                name: None,
                local: None,
                reexported: true,
                owner: None,
                line: node.start_position().row as u32 + 1,
            });
        }
        WalkStep::Skip
    }
}

/// Records a class that a value names without its dot.
fn refer_class(word: Node<'_>, cx: &mut Cx<'_>) {
    let name = marked_name('.', cx.text(word));
    cx.refer(&name, word, RefKind::Use, Receiver::None);
}
