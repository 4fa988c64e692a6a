//! Finds the tables of a file that are classes or modules.
//!
//! One pass reads the file before the walk, because a table is made long before the assignments that show what it is.

use rustc_hash::{FxHashMap, FxHashSet};

use super::grammar::{GRAMMAR, LuaKind};
use super::values::{assignment_pairs, call_arguments, callee_name, path, path_names, text};
use crate::langs::support::each_child;
use crate::syntax::{Node, Tree};

/// The tables of a file that are classes or modules, by the name of the variable.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Tables that have methods, or are metatables.
    pub(super) classes: FxHashSet<String>,
    /// Tables that have functions, or are returned.
    pub(super) modules: FxHashSet<String>,
    /// The table in which a class looks up the members that it lacks, by the class.
    pub(super) bases: FxHashMap<String, String>,
    /// The name that the file returns; `None` if it returns no name.
    pub(super) returned: Option<String>,
}

/// Collects the tables of a file.
pub(super) fn scan_tables(tree: &Tree, source: &[u8]) -> Tables {
    let mut tables = Tables::default();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        match GRAMMAR.kind(node) {
            LuaKind::Function => tables.note_function(node, source),
            LuaKind::Assign => tables.note_assignment(node, source),
            LuaKind::Call => tables.call(node, source),
            LuaKind::Return if node.parent().is_some_and(|p| p.kind() == "chunk") => {
                tables.note_return(node, source);
            }
            _ => {}
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return tables;
            }
        }
    }
}

impl Tables {
    fn note_function(&mut self, node: Node<'_>, source: &[u8]) {
        let Some(name) = node.child_by_field_id(GRAMMAR.f.name) else { return };
        let Some(table) = name.child_by_field_id(GRAMMAR.f.table).and_then(|table| path(table, source))
        else {
            return;
        };
        if GRAMMAR.kind(name) == LuaKind::Method {
            self.classes.insert(table)
        } else {
            self.modules.insert(table)
        };
    }

    fn note_assignment(&mut self, node: Node<'_>, source: &[u8]) {
        for (left, right) in assignment_pairs(node) {
            let Some(right) = right else { continue };
            let owner = path_names(left).filter(|names| names.len() == 2);
            let owner = owner.map(|names| (text(names[0], source).to_owned(), text(names[1], source)));
            match (owner, GRAMMAR.kind(right)) {
                (Some((table, "__index")), _) => {
                    self.classes.insert(table);
                }
                (Some((table, _)), LuaKind::Lambda) => {
                    self.modules.insert(table);
                }
                (None, LuaKind::Call) if GRAMMAR.kind(left) == LuaKind::Ident => {
                    self.note_derived_class(left, right, source);
                }
                _ => {}
            }
        }
    }

    /// Notes the class and the base of `Foo = setmetatable({}, {__index = Base})`, `Foo = Base:extend()`, `Foo =
    /// class("Foo", Base)`.
    fn note_derived_class(&mut self, left: Node<'_>, call: Node<'_>, source: &[u8]) {
        let name = text(left, source).to_owned();
        let base = match callee_name(call, source) {
            Some("setmetatable") => call_arguments(call).get(1).and_then(|meta| index_of(*meta, source)),
            Some("class" | "Class" | "defclass") => {
                self.classes.insert(name.clone());
                call_arguments(call).into_iter().rev().find_map(|argument| path(argument, source))
            }
            _ => extended_base(call, source),
        };
        if let Some(base) = base.filter(|base| *base != name) {
            self.classes.insert(name.clone());
            self.bases.insert(name, base);
        }
    }

    /// Notes the class `Foo` of `setmetatable(x, Foo)`, and its base in `setmetatable(Foo, {__index = Base})`.
    fn call(&mut self, node: Node<'_>, source: &[u8]) {
        if callee_name(node, source) != Some("setmetatable") {
            return;
        }
        let [object, meta] = call_arguments(node)[..] else { return };
        match (GRAMMAR.kind(object), GRAMMAR.kind(meta)) {
            (_, LuaKind::Ident) if text(meta, source) != "self" => {
                self.classes.insert(text(meta, source).to_owned());
            }
            (LuaKind::Ident, LuaKind::Table) => {
                if let Some(base) = index_of(meta, source) {
                    let name = text(object, source).to_owned();
                    if base != name && name != "self" {
                        self.classes.insert(name.clone());
                        self.bases.insert(name, base);
                    }
                }
            }
            _ => {}
        }
    }

    fn note_return(&mut self, node: Node<'_>, source: &[u8]) {
        let Some(list) = node.named_child(0) else { return };
        let value = if list.kind() == "expression_list" { list.named_child(0) } else { Some(list) };
        let mut value = value;
        // `return setmetatable(M, …)`
        if let Some(call) = value.filter(|v| callee_name(*v, source) == Some("setmetatable")) {
            value = call_arguments(call).first().copied();
        }
        if let Some(name) = value.filter(|v| GRAMMAR.kind(*v) == LuaKind::Ident) {
            self.modules.insert(text(name, source).to_owned());
            self.returned = Some(text(name, source).to_owned());
        }
    }
}

/// Returns `Base` of `{__index = Base}`.
fn index_of(meta: Node<'_>, source: &[u8]) -> Option<String> {
    let mut found = None;
    each_child(meta, |field, _| {
        let name = field.child_by_field_id(GRAMMAR.f.name).map(|name| text(name, source));
        if name == Some("__index") && found.is_none() {
            found = field.child_by_field_id(GRAMMAR.f.value).and_then(|value| path(value, source));
        }
    });
    found
}

/// Returns `Base` of `Base:extend()` and `Base:subclass("x")`.
fn extended_base(call: Node<'_>, source: &[u8]) -> Option<String> {
    let name =
        call.child_by_field_id(GRAMMAR.f.name).filter(|name| GRAMMAR.kind(*name) == LuaKind::Method)?;
    let method = text(name.child_by_field_id(GRAMMAR.f.method)?, source);
    let base = name.child_by_field_id(GRAMMAR.f.table)?;
    if matches!(method, "extend" | "subclass" | "derive") { path(base, source) } else { None }
}
