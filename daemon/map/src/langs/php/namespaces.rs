//! Handles namespaces: the first that a file declares is the file's own, each further one a module within the file.
//!
//! A file may declare several, as `namespace A;` one after another or as `namespace A { ... }`. Definitions below a
//! further one, up to the next, belong to modules with the parts of its name, so that `A\B\Foo` has that qualified name
//! wherever it is written. A plain name of a class means one of the same namespace, and none of the file's first.

use super::grammar::PhpKind;
use super::names::dotted_path;
use super::rules::PhpRules;
use crate::facts::{DefFlags, DefIdx, DefKind};
use crate::langs::support::{DefinitionLead, NewDef, each_child};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl PhpRules {
    pub(super) fn visit_namespace<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let name = node.child_by_field_id(self.g.f.name);
        if let Some(name) = name {
            self.handled.mark(name);
        }
        self.namespace = dotted_path(name.map_or("", |name| cx.text(name)));
        self.uses.clear();
        self.own_types.clear();
        let is_first = !std::mem::replace(&mut self.has_namespace, true);
        if is_first && !self.namespace.is_empty() {
            cx.facts.set_package(&self.namespace);
        }
        self.is_further = !self.namespace.is_empty() && self.namespace != cx.facts.package_name();
        let body = node.child_by_field_id(self.g.f.body);
        if let Some(name) = name.filter(|_| self.is_further) {
            self.define_modules(node, name, cx);
        }
        match body {
            Some(body) => {
                self.record_function_types(body, cx);
                WalkStep::Into
            }
            None => WalkStep::Skip,
        }
    }

    /// Defines a module for each part of a further namespace; the last one holds the namespace's definitions.
    fn define_modules<'t>(&mut self, node: Node<'t>, name: Node<'t>, cx: &mut Cx<'t>) {
        let held = self.held_in_namespace(node);
        let last = held.last().copied().unwrap_or(node);
        let mut module = None;
        for part in self.namespace.clone().split('.') {
            let def = NewDef {
                node,
                name_at: cx.position(name),
                name: part,
                kind: DefKind::Module,
                flags: DefFlags::EXPORTED,
                parent: module,
                qualifier: None,
                head: (node.start_byte(), name.end_byte()),
            };
            let Some(made) = def.make_def(cx, &DefinitionLead::default(), None) else { return };
            extend_to(made, last, cx);
            module = Some(made);
        }
        let Some(module) = module else { return };
        for inside in held {
            cx.walk_inside(inside, module);
            self.record_own_types(inside, cx);
        }
    }

    /// Returns the block of a namespace, or the statements that follow it up to the next one.
    fn held_in_namespace<'t>(&self, node: Node<'t>) -> Vec<Node<'t>> {
        if let Some(body) = node.child_by_field_id(self.g.f.body) {
            return vec![body];
        }
        let mut held = Vec::new();
        let mut is_below = false;
        let Some(around) = node.parent() else { return held };
        each_child(around, |child, _| match self.g.kind(child) {
            PhpKind::Namespace => is_below = child == node,
            _ if is_below => held.push(child),
            _ => {}
        });
        held
    }

    /// Notes the name of a type, or those of the types in a block.
    fn record_own_types<'t>(&mut self, node: Node<'t>, cx: &Cx<'t>) {
        let mut types = vec![node];
        if node.kind() == "compound_statement" {
            each_child(node, |child, _| types.push(child));
        }
        for ty in types {
            let is_type = matches!(
                self.g.kind(ty),
                PhpKind::Class | PhpKind::Interface | PhpKind::Trait | PhpKind::Enum
            );
            let name = ty.child_by_field_id(self.g.f.name).filter(|_| is_type);
            self.own_types.extend(name.map(|name| cx.text(name).to_owned()));
        }
    }
}

/// Extends a definition to the end of a node.
fn extend_to(def: DefIdx, last: Node<'_>, cx: &mut Cx<'_>) {
    let line = Cx::lines(last).1;
    let def = cx.facts.def_mut(def);
    def.bytes.1 = def.bytes.1.max(last.end_byte() as u32);
    def.lines.1 = def.lines.1.max(line);
}
