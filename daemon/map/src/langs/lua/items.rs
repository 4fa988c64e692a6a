//! Defines functions and variables, and records imports.

use super::grammar::LuaKind;
use super::rules::LuaRules;
use super::values::{assignment_pairs, required_module};
use crate::facts::{DefFlags, DefIdx, DefKind, ImportInput, ImportKind, Receiver, RefInput, RefKind};
use crate::langs::support::{DefinitionLead, NewDef, child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

/// A definition about to be made, in terms of nodes.
pub(super) struct LuaItem<'t, 'a> {
    pub(super) node: Node<'t>,
    pub(super) at: Node<'t>,
    pub(super) name: &'a str,
    pub(super) kind: DefKind,
    pub(super) flags: DefFlags,
    /// The byte at which its header ends.
    pub(super) end: usize,
    /// The path of the table that it is in; empty for none.
    pub(super) table: String,
}

/// A function with a name, as it is written.
pub(super) struct LuaFunction<'t> {
    pub(super) node: Node<'t>,
    /// The node of its name.
    pub(super) at: Node<'t>,
    /// The path of the table that it is in; empty for none.
    pub(super) table: String,
    /// True if a colon stands before its name, which gives it a `self`.
    pub(super) colon: bool,
    pub(super) kind: DefKind,
    pub(super) exported: bool,
}

impl<'t> LuaFunction<'t> {
    /// Makes a function that is in no table.
    fn plain(node: Node<'t>, at: Node<'t>, exported: bool) -> Self {
        Self { node, at, table: String::new(), colon: false, kind: DefKind::Function, exported }
    }
}

impl LuaRules {
    pub(super) fn define_item(
        &mut self,
        item: &LuaItem<'_, '_>,
        scope: Option<bool>,
        cx: &mut Cx<'_>,
    ) -> Option<DefIdx> {
        let outer = self.lead.take_outer(item.node, cx);
        let outer = self.take_annotations(outer);
        let first = item.table.split('.').next().unwrap_or("");
        let parent = if item.table.is_empty() { cx.owner() } else { self.known.get(first).copied() };
        let qualifier = (!item.table.is_empty()).then_some(item.table.as_str());
        let def = NewDef {
            node: item.node,
            name_at: cx.position(item.at),
            name: item.name,
            kind: item.kind,
            flags: item.flags,
            parent,
            qualifier,
            head: (item.node.start_byte(), item.end),
        };
        let made = def.make_def(cx, &outer, scope)?;
        let path = if item.table.is_empty() {
            item.name.to_owned()
        } else {
            format!("{}.{}", item.table, item.name)
        };
        if parent.is_none() || !item.table.is_empty() {
            self.known.entry(path).or_insert(made);
        }
        Some(made)
    }

    /// Removes the marks of the documentation, and keeps the types that its annotations state.
    fn take_annotations(&mut self, mut outer: DefinitionLead) -> DefinitionLead {
        self.annotated.clear();
        let mut lines = Vec::new();
        for line in outer.doc.lines() {
            let line = line.trim_start_matches('-').trim_start_matches("[[").trim_end_matches("]]").trim();
            let mut words = line.split_whitespace();
            match words.next() {
                Some("@param") => {
                    let name = words.next().unwrap_or("").trim_end_matches('?').to_owned();
                    self.annotated.push((name, words.next().unwrap_or("").to_owned()));
                }
                Some("@type") => self.annotated.push((String::new(), words.next().unwrap_or("").to_owned())),
                Some(word) if word.starts_with('@') => {}
                _ => lines.push(line),
            }
        }
        outer.doc = lines.join("\n").trim().to_owned();
        outer
    }

    /// Returns the class that annotations give to a parameter, if it is a plain name.
    fn annotated_class(&self, name: &str) -> Option<String> {
        let (_, ty) = self.annotated.iter().find(|(parameter, _)| parameter == name)?;
        let plain = ty.starts_with(char::is_alphabetic)
            && ty.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
        let builtin = matches!(
            ty.as_str(),
            "any"
                | "boolean"
                | "function"
                | "integer"
                | "nil"
                | "number"
                | "self"
                | "string"
                | "table"
                | "thread"
                | "userdata"
        );
        (plain && !builtin).then(|| ty.clone())
    }

    pub(super) fn visit_function<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let Some(written) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let local = child_where(node, |c| c.kind() == "local").is_some();
        let (at, table) = match self.g.kind(written) {
            LuaKind::Method => {
                (written.child_by_field_id(self.g.f.method), written.child_by_field_id(self.g.f.table))
            }
            LuaKind::Dot => {
                (written.child_by_field_id(self.g.f.field), written.child_by_field_id(self.g.f.table))
            }
            _ => (Some(written), None),
        };
        let Some(at) = at else { return WalkStep::Into };
        self.mark_definition_name(written);
        let table = table.and_then(|table| self.table_path(table, cx)).unwrap_or_default();
        let method = self.g.kind(written) == LuaKind::Method || self.tables.classes.contains(&table);
        let kind = if method { DefKind::Method } else { DefKind::Function };
        let colon = self.g.kind(written) == LuaKind::Method;
        let function = LuaFunction { node, at, table, colon, kind, exported: !local };
        self.function_def(function, cx);
        WalkStep::Into
    }

    /// Defines a function under a name, and enters it.
    pub(super) fn function_def<'t>(&mut self, written: LuaFunction<'t>, cx: &mut Cx<'t>) {
        let LuaFunction { node, at, table, colon, kind, exported } = written;
        let function =
            if self.g.kind(node) == LuaKind::Function { node } else { lambda_of(node).unwrap_or(node) };
        let parameters = function.child_by_field_id(self.g.f.parameters);
        let nested = cx.in_function() && table.is_empty();
        let flags = DefFlags::default().with_if(exported && !nested, DefFlags::EXPORTED);
        let class = self.tables.classes.contains(&table).then(|| table.clone());
        let item = LuaItem {
            node,
            at,
            name: cx.text(at),
            kind,
            flags,
            end: parameters.map_or(node.end_byte(), |list| list.end_byte()),
            table,
        };
        self.define_item(&item, Some(true), cx);
        let first = parameters.and_then(|list| list.named_child(0)).map_or("", |first| cx.text(first));
        let class = class.filter(|_| colon || first == "self");
        self.self_at(node.start_byte());
        if colon || class.is_some() {
            self.selves.push((node.end_byte(), class));
        }
        self.bind_parameters(function, cx);
    }

    fn bind_parameters(&mut self, function: Node<'_>, cx: &mut Cx<'_>) {
        let Some(list) = function.child_by_field_id(self.g.f.parameters) else { return };
        let mut names = Vec::new();
        each_child(list, |c, _| names.extend((self.g.kind(c) == LuaKind::Ident).then_some(c)));
        for name in names {
            self.handled.mark(name);
            let ty = self.annotated_class(cx.text(name)).map(|ty| cx.facts.intern(&ty));
            cx.bind(cx.text(name), ty.map_or(Binding::Opaque, Binding::Typed));
        }
    }

    pub(super) fn visit_lambda(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            self.annotated.clear();
            cx.open_scope(true);
            self.bind_parameters(node, cx);
        }
        WalkStep::Into
    }

    pub(super) fn loop_names(&mut self, node: Node<'_>, cx: &mut Cx<'_>) {
        let Some(clause) = node.child_by_field_id(self.g.f.clause) else { return };
        let mut names = Vec::new();
        each_child(clause, |c, field| match c.kind() {
            "identifier" if field == self.g.f.name => names.push(c),
            "variable_list" => {
                each_child(c, |n, _| names.extend((self.g.kind(n) == LuaKind::Ident).then_some(n)));
            }
            _ => {}
        });
        for name in names {
            self.handled.mark(name);
            cx.bind(cx.text(name), Binding::Opaque);
        }
    }

    /// Visits `local a, b = …`.
    pub(super) fn visit_local<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let inner = child_where(node, |c| matches!(c.kind(), "assignment_statement" | "variable_list"));
        let Some(inner) = inner else { return WalkStep::Into };
        self.handled.mark(inner);
        let mut assigned = assignment_pairs(inner);
        if inner.kind() == "variable_list" {
            each_child(inner, |c, _| {
                assigned.extend((self.g.kind(c) == LuaKind::Ident).then_some((c, None)));
            });
        }
        for (name, value) in assigned {
            self.handled.mark(name);
            self.local_name(node, name, value, cx);
        }
        WalkStep::Into
    }

    fn local_name<'t>(&mut self, node: Node<'t>, at: Node<'t>, value: Option<Node<'t>>, cx: &mut Cx<'t>) {
        if let Some(value) = value
            && self.try_import(at, value, cx)
        {
            return;
        }
        let lambda = value.filter(|value| self.g.kind(*value) == LuaKind::Lambda);
        if let Some(lambda) = lambda {
            self.handled.mark(lambda);
            self.function_def(LuaFunction::plain(node, at, false), cx);
            return;
        }
        let ty = value.and_then(|value| self.value_type(value, cx));
        if cx.in_function() {
            let binding = ty.map_or(Binding::Opaque, Binding::Typed);
            self.pending.add(at, binding, node.end_byte());
            return;
        }
        self.define_variable(node, at, value, DefFlags::default(), ty, cx);
    }

    /// Defines a variable at file level.
    fn define_variable<'t>(
        &mut self,
        node: Node<'t>,
        at: Node<'t>,
        value: Option<Node<'t>>,
        flags: DefFlags,
        ty: Option<crate::facts::StrId>,
        cx: &mut Cx<'t>,
    ) {
        let name = cx.text(at);
        if self.known.contains_key(name) {
            return;
        }
        let class = self.tables.classes.contains(name);
        let kind = match value.map(|value| self.g.kind(value)) {
            _ if class => DefKind::Class,
            Some(LuaKind::Table | LuaKind::Call) if self.tables.modules.contains(name) => DefKind::Module,
            _ => DefKind::Variable,
        };
        let returned = self.tables.returned.as_deref() == Some(name);
        let flags = flags.with_if(returned, DefFlags::EXPORTED.with(DefFlags::DEFAULT));
        let table = value.filter(|value| self.g.kind(*value) == LuaKind::Table);
        let end = table.map_or(node.end_byte(), |table| table.start_byte());
        let item = LuaItem { node, at, name, kind, flags, end, table: String::new() };
        let Some(def) = self.define_item(&item, None, cx) else { return };
        let annotated = self.annotated_class("").map(|ty| cx.facts.intern(&ty));
        if let Some(ty) = ty.or(annotated) {
            let id = cx.facts.intern(name);
            self.types.insert(id, ty);
        }
        if returned {
            cx.facts.add_export(name, "default");
        }
        if class {
            self.refer_base(def, name, at, cx);
        }
        if let Some(table) = table {
            self.fields_of(table, name, cx);
        }
    }

    /// Records the base of a class.
    fn refer_base(&mut self, class: DefIdx, name: &str, at: Node<'_>, cx: &mut Cx<'_>) {
        let Some(base) = self.tables.bases.get(name).cloned() else { return };
        let (before, last) = base.rsplit_once('.').unwrap_or(("", &base));
        let receiver = match before {
            "" => Receiver::None,
            before => Receiver::Path(cx.facts.intern(before)),
        };
        let (line, col) = cx.position(at);
        let kind = RefKind::Extends;
        cx.facts.add_reference(&RefInput { name: last, kind, receiver, owner: Some(class), line, col });
    }

    /// Records the import of `local x = require "m"`, `local f = require("m").f`, or `local f = m.f` of an imported
    /// `m`; returns false for other values.
    pub(super) fn try_import(&mut self, at: Node<'_>, value: Node<'_>, cx: &mut Cx<'_>) -> bool {
        let local = cx.text(at);
        if let Some(module) = required_module(value, cx.source) {
            self.bind_import(module, "default", local, at, cx);
            self.imported.insert(local.to_owned(), module.to_owned());
            self.handled.mark(value);
            return true;
        }
        if self.g.kind(value) != LuaKind::Dot {
            return false;
        }
        let (Some(table), Some(field)) =
            (value.child_by_field_id(self.g.f.table), value.child_by_field_id(self.g.f.field))
        else {
            return false;
        };
        let through = required_module(table, cx.source).map(str::to_owned);
        let module = through.or_else(|| self.imported.get(cx.text(table)).cloned());
        let Some(module) = module.filter(|_| !cx.in_function() || self.g.kind(table) == LuaKind::Call) else {
            return false;
        };
        self.bind_import(&module, cx.text(field), local, at, cx);
        if self.g.kind(table) == LuaKind::Call {
            self.handled.mark(table);
        }
        true
    }

    fn bind_import(&mut self, module: &str, name: &str, local: &str, at: Node<'_>, cx: &mut Cx<'_>) {
        let owner = cx.owner();
        cx.facts.add_import(&ImportInput {
            kind: ImportKind::Named,
            module,
            name: Some(name),
            local: Some(local),
            reexported: false,
            owner,
            line: Cx::lines(at).0,
        });
    }

    pub(super) fn visit_assignment<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if self.handled.take_mark(node) {
            return WalkStep::Into;
        }
        for (left, value) in assignment_pairs(node) {
            match self.g.kind(left) {
                LuaKind::Ident => self.assigned_name(node, left, value, cx),
                LuaKind::Dot => self.assigned_field(node, left, value, cx),
                _ => {}
            }
        }
        WalkStep::Into
    }

    /// Visits `x = …`, which assigns a local, or a global that this introduces.
    fn assigned_name<'t>(&mut self, node: Node<'t>, at: Node<'t>, value: Option<Node<'t>>, cx: &mut Cx<'t>) {
        let name = cx.text(at);
        self.handled.mark(at);
        if cx.local_binding(name).is_some() {
            let ty = value.filter(|v| v.kind() != "nil").and_then(|value| self.value_type(value, cx));
            if value.is_some_and(|v| v.kind() != "nil") {
                crate::langs::support::assign_type(cx, name, ty);
            }
            return;
        }
        if self.known.contains_key(name) || self.imported.contains_key(name) {
            return;
        }
        if let Some(value) = value
            && !cx.in_function()
            && self.try_import(at, value, cx)
        {
            return;
        }
        if let Some(lambda) = value.filter(|value| self.g.kind(*value) == LuaKind::Lambda) {
            self.handled.mark(lambda);
            self.function_def(LuaFunction::plain(node, at, true), cx);
        } else if !cx.in_function() {
            let ty = value.and_then(|value| self.value_type(value, cx));
            self.define_variable(node, at, value, DefFlags::EXPORTED, ty, cx);
        }
    }
}

/// Returns the function literal in a statement that stores one.
fn lambda_of(node: Node<'_>) -> Option<Node<'_>> {
    let mut node = node;
    for _ in 0..4 {
        let next = child_where(node, |c| {
            matches!(c.kind(), "function_definition" | "assignment_statement" | "expression_list")
        })?;
        if next.kind() == "function_definition" {
            return Some(next);
        }
        node = next;
    }
    None
}
