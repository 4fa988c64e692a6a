//! Defines tests that are written as calls: RSpec and minitest's `describe` and `it`, Rails' `test "…" do`,
//! `let(:name)`.

use super::grammar::RubyKind;
use super::items::{RubyItem, block_of, word_position};
use super::macros::{string_literal, symbol_text};
use super::paths::constant_path;
use super::rules::RubyRules;
use crate::facts::{DefFlags, DefKind};
use crate::langs::support::test_title;
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

const GROUPS: &[&str] = &[
    "describe",
    "context",
    "feature",
    "shared_examples",
    "shared_examples_for",
    "shared_context",
    "xdescribe",
    "fdescribe",
    "xcontext",
    "fcontext",
];
const TESTS: &[&str] = &["it", "specify", "scenario", "example", "test", "should", "xit", "fit"];
const VALUES: &[&str] = &["let", "let!", "subject", "subject!", "given", "given!"];

impl RubyRules {
    /// Reads a test group, `RSpec.describe Foo do`; `None` for any other call.
    pub(super) fn spec_call(
        &mut self,
        node: Node<'_>,
        receiver: Node<'_>,
        name: &str,
        cx: &mut Cx<'_>,
    ) -> Option<WalkStep> {
        if cx.text(receiver) != "RSpec" || !GROUPS.contains(&name) {
            return None;
        }
        let arguments = self.call_arguments(node);
        self.spec_macro(node, name, &arguments, cx)
    }

    pub(super) fn spec_macro(
        &mut self,
        node: Node<'_>,
        name: &str,
        arguments: &[Node<'_>],
        cx: &mut Cx<'_>,
    ) -> Option<WalkStep> {
        while self.described.pop_if(|(end, _)| *end <= node.start_byte()).is_some() {}
        let known = [GROUPS, TESTS, VALUES].iter().any(|list| list.contains(&name));
        let block = block_of(node).filter(|_| known)?;
        let first = *arguments.first()?;
        if VALUES.contains(&name) {
            return self.spec_value(node, first, block, cx);
        }
        let group = GROUPS.contains(&name);
        let named = match self.g.kind(first) {
            RubyKind::Constant | RubyKind::Scoped if group => described_name(name, arguments, cx),
            _ => test_title(name, symbol_text(first, cx)?),
        };
        if self.method_at(node.start_byte()).is_some() {
            return None;
        }
        let kind = if group { DefKind::Module } else { DefKind::Function };
        let item = RubyItem {
            node,
            name: &named,
            name_at: word_position(first, cx),
            kind,
            flags: DefFlags::TEST,
            end: block.start_byte(),
            within: None,
        };
        let def = self.define_item(&item, Some(!group), cx);
        if group {
            self.enter_class(node, def, true);
            let described = constant_path(first, cx.source);
            let around = self.described.last().map(|(_, path)| path.clone());
            if let Some(path) = described.or(around) {
                self.described.push((node.end_byte(), path));
            }
        }
        Some(WalkStep::Into)
    }

    /// Defines `name` of `let(:name) { … }` as a method of its group.
    fn spec_value(
        &mut self,
        node: Node<'_>,
        name: Node<'_>,
        block: Node<'_>,
        cx: &mut Cx<'_>,
    ) -> Option<WalkStep> {
        let written = symbol_text(name, cx)?;
        if !self.class_at(node.start_byte())?.group {
            return None;
        }
        let item = RubyItem {
            node,
            name: written,
            name_at: word_position(name, cx),
            kind: DefKind::Method,
            flags: DefFlags::default(),
            end: block.start_byte(),
            within: None,
        };
        self.define_item(&item, Some(true), cx);
        Some(WalkStep::Into)
    }
}

/// Returns the name of a group: it has the constant that the group describes, with the word before it, so that the
/// group is not taken for the constant.
fn described_name(name: &str, arguments: &[Node<'_>], cx: &Cx<'_>) -> String {
    let what = arguments.first().map_or("", |first| cx.text(*first));
    match arguments.get(1).and_then(|second| string_literal(*second, cx)) {
        Some(more) => format!("{name} {what} {more}"),
        None => format!("{name} {what}"),
    }
}
