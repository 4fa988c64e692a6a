//! Defines methods that a class body makes by naming them: `delegate :name, to: :owner`, `def_delegators :@list,
//! :size`, and the typed properties of Sorbet, `prop :name, String`.

use super::grammar::RubyKind;
use super::items::word_position;
use super::macros::symbol_text;
use super::rules::RubyRules;
use crate::facts::{DefFlags, Receiver, RefInput, RefKind};
use crate::syntax::Node;
use crate::walk::Cx;

impl RubyRules {
    /// Defines the methods that a delegation makes.
    pub(super) fn define_delegates(
        &mut self,
        node: Node<'_>,
        how: &str,
        arguments: &[Node<'_>],
        cx: &mut Cx<'_>,
    ) {
        if !self.in_class_body(node.start_byte()) {
            return;
        }
        let symbols: Vec<Node<'_>> =
            arguments.iter().copied().filter(|node| self.g.kind(*node) == RubyKind::Symbol).collect();
        match (how, &symbols[..]) {
            ("delegate", names) => {
                let to = self.option("to", arguments, cx);
                let prefix = self.delegate_prefix(to, arguments, cx);
                names.iter().for_each(|name| self.define_delegate(node, *name, &prefix, cx));
                to.into_iter().for_each(|to| self.refer_delegate(to, cx));
            }
            ("delegate_missing_to", [to, ..]) => self.refer_delegate(*to, cx),
            ("def_delegator" | "def_instance_delegator", [to, method, rest @ ..]) => {
                let name = rest.first().unwrap_or(method);
                self.define_delegate(node, *name, "", cx);
                self.refer_delegate(*to, cx);
            }
            ("def_delegators" | "def_instance_delegators", [to, names @ ..]) => {
                names.iter().for_each(|name| self.define_delegate(node, *name, "", cx));
                self.refer_delegate(*to, cx);
            }
            _ => {}
        }
    }

    /// Defines a reader and a writer for `prop :name, String`, a reader alone for `const`.
    pub(super) fn define_property(
        &mut self,
        node: Node<'_>,
        how: &str,
        arguments: &[Node<'_>],
        cx: &mut Cx<'_>,
    ) {
        let [name, _, ..] = *arguments else { return };
        if self.g.kind(name) != RubyKind::Symbol || !self.in_class_body(node.start_byte()) {
            return;
        }
        let word = cx.text(name);
        let is_fixed = self.option("immutable", arguments, cx).is_some_and(|value| cx.text(value) == "true");
        self.define_word(node, name, word, DefFlags::EXPORTED, cx);
        if how == "prop" && !is_fixed {
            self.define_word(node, name, &format!("{word}="), DefFlags::EXPORTED, cx);
        }
    }

    fn define_delegate(&mut self, node: Node<'_>, name: Node<'_>, prefix: &str, cx: &mut Cx<'_>) {
        let Some(word) = symbol_text(name, cx) else { return };
        self.define_word(node, name, &format!("{prefix}{word}"), DefFlags::EXPORTED, cx);
    }

    /// Returns the prefix that `prefix:` gives to each name.
    fn delegate_prefix(&self, to: Option<Node<'_>>, arguments: &[Node<'_>], cx: &Cx<'_>) -> String {
        let Some(prefix) = self.option("prefix", arguments, cx) else { return String::new() };
        let word = match cx.text(prefix) {
            "true" => to.and_then(|to| symbol_text(to, cx)).map(|to| to.trim_start_matches('@')),
            _ => symbol_text(prefix, cx),
        };
        word.map(|word| format!("{word}_")).unwrap_or_default()
    }

    /// Returns the value of an option of a call: `:owner` of `to: :owner`.
    fn option<'t>(&self, key: &str, arguments: &[Node<'t>], cx: &Cx<'_>) -> Option<Node<'t>> {
        let pairs = arguments.iter().filter(|node| self.g.kind(**node) == RubyKind::Pair);
        let is_it = |pair: &&Node<'t>| {
            let name = pair.child_by_field_id(self.g.f.key);
            name.is_some_and(|name| cx.text(name).trim_matches(':') == key)
        };
        pairs.into_iter().find(is_it)?.child_by_field_id(self.g.f.value)
    }

    /// Records the use of the method or variable that a class hands calls on to.
    fn refer_delegate(&mut self, to: Node<'_>, cx: &mut Cx<'_>) {
        let Some(name) = symbol_text(to, cx).filter(|name| *name != "class" && *name != "self") else {
            return;
        };
        let kind = if name.starts_with('@') { RefKind::Use } else { RefKind::Call };
        let (owner, (line, col)) = (cx.owner(), word_position(to, cx));
        cx.facts.add_reference(&RefInput { name, kind, receiver: Receiver::SelfType, owner, line, col });
    }
}
