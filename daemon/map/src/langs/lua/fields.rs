//! Records the fields of tables: those that a constructor names, those that are assigned, and those of the table that
//! a file returns.

use super::grammar::LuaKind;
use super::items::{LuaFunction, LuaItem};
use super::rules::LuaRules;
use super::values::{path, path_names, string_literal};
use crate::facts::{DefFlags, DefKind};
use crate::langs::support::each_child;
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

impl LuaRules {
    /// Defines the fields that a table's constructor names.
    pub(super) fn fields_of<'t>(&mut self, table: Node<'t>, path: &str, cx: &mut Cx<'t>) {
        let mut fields = Vec::new();
        each_child(table, |c, _| fields.extend((self.g.kind(c) == LuaKind::Field).then_some(c)));
        for field in fields {
            let Some(name) =
                field.child_by_field_id(self.g.f.name).filter(|n| self.g.kind(*n) == LuaKind::Ident)
            else {
                continue;
            };
            let value = field.child_by_field_id(self.g.f.value);
            if value.is_some_and(|value| self.g.kind(value) == LuaKind::Lambda) {
                // It is defined when the walk comes to it, so that its body is walked inside it.
                self.handled.mark(field);
                self.members.insert(field.id(), path.to_owned());
                continue;
            }
            self.handled.mark(name);
            let (kind, flags) = (DefKind::Field, DefFlags::EXPORTED);
            let item = LuaItem {
                node: field,
                at: name,
                name: cx.text(name),
                kind,
                flags,
                end: field.end_byte(),
                table: path.to_owned(),
            };
            self.define_item(&item, None, cx);
        }
    }

    /// Visits `name = value` in a table's constructor.
    pub(super) fn visit_field<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let name = node.child_by_field_id(self.g.f.name).filter(|name| self.g.kind(*name) == LuaKind::Ident);
        let Some(name) = name else { return WalkStep::Into };
        self.handled.mark(name);
        if let Some(table) = self.members.remove(&node.id()) {
            let lambda = node.child_by_field_id(self.g.f.value);
            lambda.into_iter().for_each(|lambda| self.handled.mark(lambda));
            let method = self.tables.classes.contains(&table);
            let kind = if method { DefKind::Method } else { DefKind::Function };
            let function = LuaFunction { node, at: name, table, colon: false, kind, exported: true };
            self.function_def(function, cx);
        }
        WalkStep::Into
    }

    /// Defines the member that `M.x = …` or `self.x = …` introduces.
    pub(super) fn assigned_field<'t>(
        &mut self,
        node: Node<'t>,
        left: Node<'t>,
        value: Option<Node<'t>>,
        cx: &mut Cx<'t>,
    ) {
        let (Some(table), Some(at)) =
            (left.child_by_field_id(self.g.f.table), left.child_by_field_id(self.g.f.field))
        else {
            return;
        };
        let name = cx.text(at);
        let Some(path) = self.table_path(table, cx) else { return };
        let first = path.split('.').next().unwrap_or("").to_owned();
        let whole = format!("{path}.{name}");
        if name.starts_with("__") || self.known.contains_key(&whole) || !self.known.contains_key(&first) {
            return;
        }
        self.mark_definition_name(left);
        if let Some(lambda) = value.filter(|value| self.g.kind(*value) == LuaKind::Lambda) {
            self.handled.mark(lambda);
            let method = self.tables.classes.contains(&path);
            let kind = if method { DefKind::Method } else { DefKind::Function };
            let function = LuaFunction { node, at, table: path, colon: false, kind, exported: true };
            self.function_def(function, cx);
            return;
        }
        let (kind, flags, end) = (DefKind::Field, DefFlags::EXPORTED, node.end_byte());
        self.define_item(&LuaItem { node, at, name, kind, flags, end, table: path }, None, cx);
    }

    /// Returns the path of a table of this file: `M.a`, or the class of `self`.
    pub(super) fn table_path(&mut self, table: Node<'_>, cx: &mut Cx<'_>) -> Option<String> {
        let written = path(table, cx.source)?;
        let (first, rest) = written.split_once('.').map_or((&*written, ""), |(first, rest)| (first, rest));
        if first == "self"
            && let Some(class) = self.self_at(table.start_byte())
        {
            return rest.is_empty().then(|| class.to_owned());
        }
        match cx.local_binding(first) {
            None => Some(written),
            Some(Binding::Typed(ty)) if rest.is_empty() => Some(cx.facts.provisional_name(ty).to_owned()),
            Some(_) => None,
        }
    }

    /// Marks the names in the written name of a definition, which are no uses, except the table's.
    pub(super) fn mark_definition_name(&mut self, written: Node<'_>) {
        let field = match self.g.kind(written) {
            LuaKind::Method => written.child_by_field_id(self.g.f.method),
            LuaKind::Dot => written.child_by_field_id(self.g.f.field),
            _ => Some(written),
        };
        self.handled.mark(written);
        field.into_iter().for_each(|name| self.handled.mark(name));
        let table = written.child_by_field_id(self.g.f.table);
        for name in table.and_then(path_names).unwrap_or_default() {
            self.handled.mark(name);
        }
        if let Some(table) = table {
            self.handled.mark(table);
        }
    }

    /// Records the exports of a file from its last `return`: the fields of the returned table.
    pub(super) fn visit_return<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if cx.in_function() || cx.parent().is_none_or(|parent| parent.kind() != "chunk") {
            return WalkStep::Into;
        }
        let list = node.named_child(0);
        let value =
            list.map(|list| list.named_child(0).filter(|_| list.kind() == "expression_list").unwrap_or(list));
        let Some(table) = value.filter(|value| self.g.kind(*value) == LuaKind::Table) else {
            return WalkStep::Into;
        };
        let mut fields = Vec::new();
        each_child(table, |c, _| fields.extend((self.g.kind(c) == LuaKind::Field).then_some(c)));
        for field in fields {
            let (Some(name), Some(value)) =
                (field.child_by_field_id(self.g.f.name), field.child_by_field_id(self.g.f.value))
            else {
                continue;
            };
            match self.g.kind(value) {
                LuaKind::Lambda => {
                    self.members.insert(field.id(), String::new());
                }
                LuaKind::Ident => {
                    self.handled.mark(name);
                    cx.facts.add_export(cx.text(value), cx.text(name));
                }
                _ => {
                    self.handled.mark(name);
                    let (kind, flags, end) = (DefKind::Variable, DefFlags::EXPORTED, field.end_byte());
                    let table = String::new();
                    if !string_literal(name, cx.source).is_some_and(str::is_empty) {
                        let item =
                            LuaItem { node: field, at: name, name: cx.text(name), kind, flags, end, table };
                        self.define_item(&item, None, cx);
                    }
                }
            }
        }
        WalkStep::Into
    }
}
