//! Defines functions, variables and aliases.

use super::grammar::ShellKind;
use super::rules::ShellRules;
use crate::facts::{DefFlags, DefIdx, DefKind};
use crate::langs::support::{DefinitionLead, NewDef, each_child};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

/// A definition about to be made, in terms of nodes.
pub(super) struct ShellItem<'t, 'a> {
    pub(super) node: Node<'t>,
    pub(super) name: &'a str,
    pub(super) name_at: (u32, u32),
    pub(super) kind: DefKind,
    pub(super) flags: DefFlags,
    /// The byte at which its header ends.
    pub(super) end: usize,
}

impl ShellRules {
    pub(super) fn define_item(&mut self, item: &ShellItem<'_, '_>, scope: Option<bool>, cx: &mut Cx<'_>) {
        let outer = self.lead.take_outer(item.node, cx);
        self.define_with(item, outer, scope, cx);
    }

    pub(super) fn define_with(
        &mut self,
        item: &ShellItem<'_, '_>,
        mut outer: DefinitionLead,
        scope: Option<bool>,
        cx: &mut Cx<'_>,
    ) -> Option<DefIdx> {
        let lines = outer.doc.lines().map(|line| line.trim_matches('#').trim());
        outer.doc = lines.collect::<Vec<_>>().join("\n").trim().to_owned();
        let def = NewDef {
            node: item.node,
            name_at: item.name_at,
            name: item.name,
            kind: item.kind,
            flags: item.flags,
            // A function inside another is visible everywhere, once that has run.
            parent: cx.owner().filter(|_| item.kind == DefKind::Function),
            qualifier: None,
            head: (item.node.start_byte(), item.end),
        };
        def.make_def(cx, &outer, scope)
    }

    pub(super) fn visit_function<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let body = node.child_by_field_id(self.g.f.body);
        let item = ShellItem {
            node,
            name: cx.text(name),
            name_at: cx.position(name),
            kind: DefKind::Function,
            flags: DefFlags::EXPORTED,
            end: body.map_or(node.end_byte(), |body| body.start_byte()),
        };
        self.define_item(&item, Some(true), cx);
        WalkStep::Into
    }

    pub(super) fn visit_for_loop(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(variable) = node.child_by_field_id(self.g.f.variable) {
            self.define_assigned(node, variable, false, cx);
        }
        WalkStep::Into
    }

    /// Visits `NAME=value` outside of a command.
    pub(super) fn visit_assignment(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let name =
            node.child_by_field_id(self.g.f.name).filter(|name| self.g.kind(*name) == ShellKind::Variable);
        if !self.handled.take_mark(node)
            && let Some(name) = name
        {
            self.define_assigned(node, name, false, cx);
        }
        name.into_iter().for_each(|name| self.handled.mark(name));
        WalkStep::Into
    }

    /// Defines an assigned variable, once; in a function or a test only if it is a constant.
    fn define_assigned(&mut self, node: Node<'_>, name: Node<'_>, constant: bool, cx: &mut Cx<'_>) {
        self.handled.mark(name);
        let text = cx.text(name);
        let in_test = self.test_at(node.start_byte()).is_some();
        if in_test && !cx.in_function() {
            self.locals.insert(cx.facts.intern(text));
        }
        if (cx.in_function() || in_test) && !constant {
            return;
        }
        let id = cx.facts.intern(text);
        if !self.variables.insert(id) {
            return;
        }
        self.define_variable(node, name, constant, cx);
    }

    fn define_variable(&mut self, node: Node<'_>, name: Node<'_>, constant: bool, cx: &mut Cx<'_>) {
        let item = ShellItem {
            node,
            name: cx.text(name),
            name_at: cx.position(name),
            kind: if constant { DefKind::Constant } else { DefKind::Variable },
            flags: DefFlags::EXPORTED,
            end: first_line_end(node, cx),
        };
        self.define_item(&item, None, cx);
    }

    /// Visits `local`, `declare`, `export` or `readonly`, with its names.
    pub(super) fn visit_declaration(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let word = node.child(0).map_or("", |word| word.kind());
        let mut names = Vec::new();
        let mut flags = String::new();
        each_child(node, |c, _| match self.g.kind(c) {
            ShellKind::Assignment => {
                names.extend(c.child_by_field_id(self.g.f.name).map(|name| (c, name, true)));
            }
            ShellKind::Variable => names.push((c, c, false)),
            _ if c.kind() == "word" && cx.text(c).starts_with('-') => flags.push_str(cx.text(c)),
            _ => {}
        });
        let global = word == "export" || word == "readonly" || flags.contains('g');
        let inside = cx.in_function() || self.test_at(node.start_byte()).is_some();
        let local = inside && !global;
        let constant = word == "readonly" || flags.contains('r');
        for (whole, name, assigned) in names {
            if local {
                cx.bind(cx.text(name), Binding::Opaque);
                self.locals.insert(cx.facts.intern(cx.text(name)));
                self.handled.mark(name);
            } else if assigned || word == "declare" || word == "typeset" {
                let before = cx.in_function() && global;
                self.define_declared(node, name, constant, before, cx);
            } else if word == "export" && is_function(&flags) {
                self.handled.mark(name);
                self.refer_name(name, crate::facts::RefKind::Use, cx);
            }
            self.handled.mark(whole);
            self.handled.mark(name);
        }
        WalkStep::Into
    }

    fn define_declared(
        &mut self,
        node: Node<'_>,
        name: Node<'_>,
        constant: bool,
        global: bool,
        cx: &mut Cx<'_>,
    ) {
        let id = cx.facts.intern(cx.text(name));
        if cx.in_function() && !global || !self.variables.insert(id) {
            return;
        }
        self.define_variable(node, name, constant, cx);
    }

    /// Defines an alias: `alias name='…'`.
    pub(super) fn define_alias(&mut self, argument: Node<'_>, cx: &mut Cx<'_>) {
        let text = cx.text(argument);
        let Some((name, _)) = text.split_once('=') else { return };
        let name = name.trim_matches(['"', '\'']);
        if name.is_empty() || name.contains(['$', '`', ' ']) {
            return;
        }
        let item = ShellItem {
            node: argument,
            name,
            name_at: cx.position(argument),
            kind: DefKind::Macro,
            flags: DefFlags::EXPORTED,
            end: first_line_end(argument, cx),
        };
        self.define_item(&item, None, cx);
    }
}

fn is_function(flags: &str) -> bool {
    flags.contains('f')
}

/// Returns the end of a node, or of its first line.
fn first_line_end(node: Node<'_>, cx: &Cx<'_>) -> usize {
    let text = cx.slice(node.start_byte(), node.end_byte());
    node.start_byte() + text.find('\n').unwrap_or(text.len())
}
