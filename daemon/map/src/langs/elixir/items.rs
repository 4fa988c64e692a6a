//! Defines modules, protocols and their implementations, functions, structs and tests.

use super::grammar::ElixirKind;
use super::heads::{arguments, do_block, function_head, key_text, keys, keyword, string_content};
use super::rules::{ElixirRules, OpenModule};
use crate::facts::{DefFlags, DefIdx, DefKind, Receiver, RefKind};
use crate::langs::support::{DefinitionLead, NewDef, each_child, refer_unbound, test_title};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// Most bytes of a test's title; a longer one was not closed.
const LONGEST: usize = 250;

/// A definition about to be made, in terms of nodes.
pub(super) struct ElixirItem<'t, 'a> {
    pub(super) node: Node<'t>,
    pub(super) name: &'a str,
    pub(super) name_at: (u32, u32),
    pub(super) kind: DefKind,
    pub(super) flags: DefFlags,
    /// The start of its qualified name, if the definition around it does not give that.
    pub(super) qualifier: Option<&'a str>,
    /// The byte at which its header ends.
    pub(super) end: usize,
}

impl ElixirRules {
    pub(super) fn define_item(
        &mut self,
        item: &ElixirItem<'_, '_>,
        scope: Option<bool>,
        cx: &mut Cx<'_>,
    ) -> Option<DefIdx> {
        let def = NewDef {
            node: item.node,
            name_at: item.name_at,
            name: item.name,
            kind: item.kind,
            flags: item.flags,
            parent: cx.owner().filter(|_| item.qualifier.is_none()),
            qualifier: item.qualifier,
            head: (item.node.start_byte(), item.end),
        };
        let outer = DefinitionLead { doc: std::mem::take(&mut self.doc), ..DefinitionLead::default() };
        def.make_def(cx, &outer, scope)
    }

    /// Defines the module of `defmodule A.B do` or `defprotocol Size do`.
    pub(super) fn visit_module(&mut self, node: Node<'_>, kind: DefKind, cx: &mut Cx<'_>) -> WalkStep {
        let Some(alias) = arguments(node).first().copied() else { return WalkStep::Into };
        if self.g.kind(alias) != ElixirKind::Alias {
            return WalkStep::Into;
        }
        let around = self.module_at(node.start_byte()).map(|module| module.name.clone());
        let written = cx.text(alias);
        let name = around.as_ref().map_or(written.to_owned(), |around| format!("{around}.{written}"));
        if around.is_none() && cx.facts.package_name().is_empty() {
            cx.facts.set_package(name.split('.').next().unwrap_or(&name));
        }
        if around.is_some() {
            let first = written.split('.').next().unwrap_or(written);
            let outer = name.strip_suffix(written).unwrap_or("");
            self.aliases.insert(first.to_owned(), format!("{outer}{first}"));
        }
        self.handled.mark(alias);
        self.open_module(node, alias, &name, kind, cx);
        WalkStep::Into
    }

    /// Defines the module of `defimpl Size, for: User do`: `Size.User`.
    pub(super) fn visit_implementation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let given = arguments(node);
        let Some(protocol) = given.first().copied().filter(|first| self.g.kind(*first) == ElixirKind::Alias)
        else {
            return WalkStep::Into;
        };
        let at = node.start_byte();
        let subject = keyword(&given, "for", cx);
        let is_named = |subject: &Node<'_>| self.g.kind(*subject) == ElixirKind::Alias;
        let name_at = subject.filter(is_named).unwrap_or(protocol);
        let subject = match subject.map(|subject| (self.g.kind(subject), subject)) {
            Some((ElixirKind::Alias, subject)) => self.full_name(cx.text(subject), at),
            Some((ElixirKind::List, list)) => {
                let first = list.named_child(0).filter(|first| self.g.kind(*first) == ElixirKind::Alias);
                first.map_or(String::new(), |first| self.full_name(cx.text(first), at))
            }
            Some(_) => String::new(),
            None => self.full_name("__MODULE__", at),
        };
        let name = format!("{}.{subject}", self.full_name(cx.text(protocol), at));
        self.open_module(node, name_at, name.trim_end_matches('.'), DefKind::Module, cx);
        self.refer_module(protocol, RefKind::Implements, cx);
        self.handled.mark(protocol);
        WalkStep::Into
    }

    /// Defines the module of a full name, and enters it.
    fn open_module(&mut self, node: Node<'_>, at: Node<'_>, name: &str, kind: DefKind, cx: &mut Cx<'_>) {
        let (qualifier, last) = name.rsplit_once('.').unwrap_or(("", name));
        let around = self.module_at(node.start_byte()).map(|module| module.name.clone());
        let is_plain = around.as_deref().unwrap_or("") == qualifier;
        let (line, col) = cx.position(at);
        // The last name of a nested path stands behind the parts before it.
        let before = cx.text(at).rfind('.').map_or(0, |dot| dot as u32 + 1);
        let end = arguments(node).last().map_or(at.end_byte(), |last| last.end_byte());
        let end = do_block(node).map_or(end, |block| block.start_byte());
        let item = ElixirItem {
            node,
            name: last,
            name_at: (line, col + before),
            kind,
            flags: DefFlags::EXPORTED,
            qualifier: Some(qualifier).filter(|_| !is_plain),
            end,
        };
        let def = self.define_item(&item, Some(false), cx);
        self.modules.push(OpenModule { end: node.end_byte(), def, name: name.to_owned() });
    }

    /// Defines the function of `def get(id) do`, `defp`, `defmacro`, `defguard` or `defdelegate`.
    pub(super) fn visit_function(&mut self, node: Node<'_>, keyword: &str, cx: &mut Cx<'_>) -> WalkStep {
        let Some(head) = arguments(node).first().and_then(|head| function_head(*head, cx)) else {
            return WalkStep::Into;
        };
        self.handled.mark(head.call);
        let module = self.module_at(node.start_byte()).and_then(|module| module.def);
        let key = (module, cx.facts.intern(cx.text(head.name)), head.arity);
        if let Some(&known) = self.functions.get(&key) {
            self.doc.clear();
            extend(known, node, cx);
            cx.reopen_scope(known, true);
            return WalkStep::Into;
        }
        let is_private = matches!(keyword, "defp" | "defmacrop" | "defguardp");
        let item = ElixirItem {
            node,
            name: cx.text(head.name),
            name_at: cx.position(head.name),
            kind: self.function_kind(keyword, module, cx),
            flags: self.function_flags(module, cx).with_if(!is_private, DefFlags::EXPORTED),
            qualifier: None,
            end: head.whole.end_byte(),
        };
        if let Some(def) = self.define_item(&item, Some(true), cx) {
            self.functions.insert(key, def);
        }
        if keyword == "defdelegate" {
            self.refer_delegate(node, item.name, head.arity, cx);
        }
        WalkStep::Into
    }

    fn function_kind(&self, keyword: &str, module: Option<DefIdx>, cx: &Cx<'_>) -> DefKind {
        match keyword {
            "defmacro" | "defmacrop" | "defguard" | "defguardp" => DefKind::Macro,
            _ if is_protocol(module, cx) => DefKind::Method,
            _ => DefKind::Function,
        }
    }

    fn function_flags(&self, module: Option<DefIdx>, cx: &Cx<'_>) -> DefFlags {
        DefFlags::default().with_if(is_protocol(module, cx), DefFlags::DECLARATION)
    }

    /// Defines the fields of `defstruct [:name, age: 0]` and `defexception`: one for each key.
    pub(super) fn visit_struct(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let mut fields = Vec::new();
        for part in arguments(node) {
            match self.g.kind(part) {
                ElixirKind::Keywords => fields.extend(keys(part)),
                ElixirKind::List => {
                    each_child(part, |child, _| match self.g.kind(child) {
                        ElixirKind::Atom => fields.push(child),
                        ElixirKind::Keywords => fields.extend(keys(child)),
                        _ => {}
                    });
                }
                _ => {}
            }
        }
        for field in fields {
            let (line, col) = cx.position(field);
            let is_atom = self.g.kind(field) == ElixirKind::Atom;
            let name = if is_atom { cx.text(field).trim_start_matches(':') } else { key_text(field, cx) };
            let item = ElixirItem {
                node: field,
                name,
                name_at: (line, col + u32::from(is_atom)),
                kind: DefKind::Field,
                flags: DefFlags::EXPORTED,
                qualifier: None,
                end: field.end_byte(),
            };
            self.define_item(&item, None, cx);
        }
        WalkStep::Into
    }

    /// Defines the test of `test "works" do`, or the group of `describe "get/1" do`; `None` for other calls.
    pub(super) fn visit_test(&mut self, node: Node<'_>, word: &str, cx: &mut Cx<'_>) -> Option<WalkStep> {
        let given = arguments(node);
        let block = do_block(node).or_else(|| keyword(&given, "do", cx))?;
        let text = given.first().copied()?;
        let is_title = |title: &&str| !title.is_empty() && title.len() <= LONGEST && !title.contains('\n');
        let title = string_content(text, cx).filter(is_title)?;
        let name = if word == "describe" { format!("{word} {title}") } else { test_title(word, title) };
        let item = ElixirItem {
            node,
            name: &name,
            name_at: cx.position(text),
            kind: if word == "describe" { DefKind::Module } else { DefKind::Function },
            flags: DefFlags::TEST,
            qualifier: None,
            end: block.start_byte(),
        };
        self.define_item(&item, Some(true), cx);
        Some(WalkStep::Into)
    }

    /// Records the function of another module that `defdelegate` calls.
    fn refer_delegate(&mut self, node: Node<'_>, name: &str, arity: usize, cx: &mut Cx<'_>) {
        let given = arguments(node);
        let renamed = keyword(&given, "as", cx).map(|atom| cx.text(atom).trim_start_matches(':'));
        let Some(to) = keyword(&given, "to", cx).filter(|to| self.g.kind(*to) == ElixirKind::Alias) else {
            return;
        };
        let receiver = Receiver::Path(cx.facts.intern(cx.text(to)));
        refer_unbound(cx, renamed.unwrap_or(name), to, RefKind::Call, receiver);
        self.record_arity(to, arity, cx);
        self.handled.mark(to);
    }
}

fn is_protocol(module: Option<DefIdx>, cx: &Cx<'_>) -> bool {
    module.is_some_and(|module| cx.facts.defs()[module.index()].kind == DefKind::Interface)
}

/// Makes a further clause part of the function that it belongs to.
fn extend(known: DefIdx, clause: Node<'_>, cx: &mut Cx<'_>) {
    let (_, last) = Cx::lines(clause);
    let def = cx.facts.def_mut(known);
    def.lines.1 = def.lines.1.max(last);
    def.bytes.1 = def.bytes.1.max(clause.end_byte() as u32);
}
