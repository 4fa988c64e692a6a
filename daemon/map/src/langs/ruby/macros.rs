//! Handles calls that define, import or mark: `attr_accessor :a`, `private`, `include M`, `require "x"`.

use super::grammar::RubyKind;
use super::items::{RubyItem, block_of, word_position};
use super::paths::text;
use super::rules::RubyRules;
use crate::facts::{DefFlags, DefKind, ImportInput, ImportKind, RefKind};
use crate::langs::support::each_child;
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl RubyRules {
    /// Handles a lone word that changes the methods behind it: `private`. Returns false for other words.
    pub(super) fn bare_macro(&mut self, node: Node<'_>, word: &str, _cx: &mut Cx<'_>) -> bool {
        let private = match word {
            "private" => true,
            "public" | "protected" | "module_function" => false,
            _ => return false,
        };
        let at = node.start_byte();
        if !self.in_class_body(at) {
            return false;
        }
        if let Some(class) = self.class_at(at) {
            class.private = private;
        }
        true
    }

    /// Handles a call without a receiver, if it is one of those that mean more than a call; `None` for others.
    pub(super) fn macro_call(&mut self, node: Node<'_>, word: &str, cx: &mut Cx<'_>) -> Option<WalkStep> {
        let arguments = self.call_arguments(node);
        match word {
            "require" | "load" | "require_relative" | "autoload" => self.record_require(&arguments, word, cx),
            "include" | "extend" | "prepend" => return self.mix_in(node, &arguments, cx),
            "attr_accessor" | "attr_reader" | "attr_writer" | "attr" | "cattr_accessor"
            | "mattr_accessor" | "class_attribute" | "cattr_reader" | "cattr_writer" | "mattr_reader"
            | "mattr_writer" => return self.define_attributes(node, word, &arguments, cx),
            "delegate"
            | "def_delegator"
            | "def_instance_delegator"
            | "def_delegators"
            | "def_instance_delegators"
            | "delegate_missing_to" => {
                self.define_delegates(node, word, &arguments, cx);
            }
            "prop" | "const" => self.define_property(node, word, &arguments, cx),
            "define_method" => return self.define_method(node, &arguments, cx),
            "alias_method" => return self.alias_method(node, &arguments, cx),
            "private"
            | "public"
            | "protected"
            | "private_class_method"
            | "module_function"
            | "private_constant" => return self.mark_visibility(node, word, &arguments, cx),
            _ if self.note_registration(node, word, &arguments, cx) => {}
            _ => return self.spec_macro(node, word, &arguments, cx),
        }
        None
    }

    /// Returns the arguments of a call; empty if it has none.
    pub(super) fn call_arguments<'t>(&self, call: Node<'t>) -> Vec<Node<'t>> {
        let mut arguments = Vec::new();
        if let Some(list) = call.child_by_field_id(self.g.f.arguments) {
            each_child(list, |c, _| arguments.extend(c.is_named().then_some(c)));
        }
        arguments
    }

    fn record_require(&mut self, arguments: &[Node<'_>], word: &str, cx: &mut Cx<'_>) {
        let path = if word == "autoload" { arguments.get(1) } else { arguments.first() };
        let Some(path) = path.and_then(|path| string_literal(*path, cx)).filter(|path| !path.is_empty())
        else {
            return;
        };
        let module = match word {
            "require_relative" if !path.starts_with('.') => format!("./{path}"),
            _ => path.to_owned(),
        };
        cx.facts.add_import(&ImportInput {
            kind: ImportKind::Effect,
            module: &module,
            name: None,
            local: None,
            reexported: false,
            owner: None,
            line: arguments.first().map_or(1, |first| Cx::lines(*first).0),
        });
    }

    /// Makes `M` of `include M` a base: the class has the module's members.
    fn mix_in(&mut self, node: Node<'_>, arguments: &[Node<'_>], cx: &mut Cx<'_>) -> Option<WalkStep> {
        let at = node.start_byte();
        if !self.in_class_body(at) || self.class_at(at).is_none_or(|class| class.def.is_none()) {
            return None;
        }
        let modules: Vec<&Node<'_>> = arguments
            .iter()
            .filter(|c| matches!(self.g.kind(**c), RubyKind::Constant | RubyKind::Scoped))
            .collect();
        if modules.is_empty() {
            // After `extend self`, the module's methods are called on the module.
            return arguments.first().filter(|c| self.g.kind(**c) == RubyKind::This).map(|_| WalkStep::Skip);
        }
        for module in modules {
            self.refer_constant(*module, RefKind::Implements, cx);
        }
        Some(WalkStep::Into)
    }

    /// Defines `a` and `a=` for `attr_accessor :a`, only the first for a reader, only the second for a writer.
    fn define_attributes(
        &mut self,
        node: Node<'_>,
        how: &str,
        arguments: &[Node<'_>],
        cx: &mut Cx<'_>,
    ) -> Option<WalkStep> {
        let at = node.start_byte();
        if !self.in_class_body(at) {
            return None;
        }
        let marked = self.marked.remove(&node.id());
        let private = marked.unwrap_or_else(|| self.class_at(at).is_some_and(|class| class.private));
        let outer = super::items::without_doc_marks(self.lead.take_outer(node, cx));
        for argument in
            arguments.iter().filter(|a| matches!(self.g.kind(**a), RubyKind::Symbol | RubyKind::Text))
        {
            let written = cx.text(*argument).trim_start_matches(':').trim_matches(['"', '\'']);
            let setter = format!("{written}=");
            let names = [
                (!how.ends_with("_writer")).then_some(written),
                (how != "attr" && !how.ends_with("_reader")).then_some(&*setter),
            ];
            for name in names.into_iter().flatten() {
                let item = RubyItem {
                    node,
                    name,
                    name_at: word_position(*argument, cx),
                    kind: DefKind::Method,
                    flags: Self::export_flags(private),
                    end: node.end_byte(),
                    within: None,
                };
                self.define_with(&item, &outer, None, cx);
            }
            self.visit_attribute(*argument, written, cx);
        }
        Some(WalkStep::Into)
    }

    /// Defines the method of `define_method(:name) { … }` with a literal name.
    fn define_method(&mut self, node: Node<'_>, arguments: &[Node<'_>], cx: &mut Cx<'_>) -> Option<WalkStep> {
        let name =
            arguments.first().filter(|a| matches!(self.g.kind(**a), RubyKind::Symbol | RubyKind::Text))?;
        let written = symbol_text(*name, cx)?;
        let at = node.start_byte();
        self.class_at(at)?;
        let marked = self.marked.remove(&node.id());
        let private = marked.unwrap_or_else(|| self.class_at(at).is_some_and(|class| class.private));
        let block = block_of(node);
        let item = RubyItem {
            node,
            name: written,
            name_at: word_position(*name, cx),
            kind: DefKind::Method,
            flags: Self::export_flags(private),
            end: block.map_or(node.end_byte(), |block| block.start_byte()),
            within: None,
        };
        self.define_item(&item, Some(true), cx);
        Some(WalkStep::Into)
    }

    fn alias_method(&mut self, node: Node<'_>, arguments: &[Node<'_>], cx: &mut Cx<'_>) -> Option<WalkStep> {
        let [new, old] = *arguments else { return None };
        let (to, from) = (symbol_text(new, cx)?, symbol_text(old, cx)?);
        self.alias_of(node, new, to, old, from, cx);
        Some(WalkStep::Skip)
    }

    /// Sets the visibility of the methods in `private :a, :b`, `private def a`, `private attr_reader :a`.
    fn mark_visibility(
        &mut self,
        node: Node<'_>,
        how: &str,
        arguments: &[Node<'_>],
        cx: &mut Cx<'_>,
    ) -> Option<WalkStep> {
        if !self.in_class_body(node.start_byte()) {
            return None;
        }
        let private = how.starts_with("private");
        for argument in arguments {
            match self.g.kind(*argument) {
                RubyKind::Method | RubyKind::SingletonMethod | RubyKind::Call => {
                    self.marked.insert(argument.id(), private);
                }
                RubyKind::Symbol | RubyKind::Text => {
                    if let Some(name) = symbol_text(*argument, cx) {
                        set_visibility(name, private, cx);
                    }
                }
                _ => {}
            }
        }
        Some(WalkStep::Into)
    }
}

/// Changes the visibility of the method that the current class has defined last under a name.
fn set_visibility(name: &str, private: bool, cx: &mut Cx<'_>) {
    let (owner, name) = (cx.owner(), cx.facts.intern(name));
    let last = cx.facts.defs().iter().rposition(|def| def.name == name && def.parent == owner);
    if let Some(at) = last {
        let def = cx.facts.def_mut(crate::facts::DefIdx::new(at as u32));
        let others = DefFlags(def.flags.0 & !DefFlags::EXPORTED.0);
        def.flags = others.with_if(!private, DefFlags::EXPORTED);
    }
}

/// Returns the text of a string without expressions in it; `None` for other nodes.
pub(super) fn string_literal<'t>(node: Node<'_>, cx: &Cx<'t>) -> Option<&'t str> {
    if node.kind() != "string" {
        return None;
    }
    let mut content = None;
    let mut plain = true;
    each_child(node, |c, _| match c.kind() {
        "string_content" if content.is_none() => content = Some(c),
        _ if c.is_named() => plain = false,
        _ => {}
    });
    if plain { content.map(|content| text(content, cx.source)) } else { None }
}

/// Returns the name that a symbol or plain string holds.
pub(super) fn symbol_text<'t>(node: Node<'_>, cx: &Cx<'t>) -> Option<&'t str> {
    match node.kind() {
        "simple_symbol" => Some(cx.text(node).trim_start_matches(':')),
        _ => string_literal(node, cx),
    }
    .filter(|word| !word.is_empty())
}
