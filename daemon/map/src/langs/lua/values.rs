//! Reads the text of an expression: dotted names, required modules, plain strings, lists of both sides of `=`.

use super::grammar::{GRAMMAR, LuaKind};
use crate::langs::support::each_child;
use crate::syntax::Node;

/// Longest chain of `.` that is followed.
const LIMIT: usize = 16;

/// Returns a node's text; empty if it is not UTF-8.
pub(super) fn text<'t>(node: Node<'_>, source: &'t [u8]) -> &'t str {
    source.get(node.byte_range()).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
}

/// Returns the names of `a.b.c`, if it is nothing but names.
pub(super) fn path_names(node: Node<'_>) -> Option<Vec<Node<'_>>> {
    let mut names = Vec::new();
    let mut node = node;
    while names.len() < LIMIT {
        match GRAMMAR.kind(node) {
            LuaKind::Ident => {
                names.push(node);
                names.reverse();
                return Some(names);
            }
            LuaKind::Dot => {
                names.push(node.child_by_field_id(GRAMMAR.f.field)?);
                node = node.child_by_field_id(GRAMMAR.f.table)?;
            }
            _ => return None,
        }
    }
    None
}

/// Returns the dotted path of `a.b.c`, if it is nothing but names.
pub(super) fn path(node: Node<'_>, source: &[u8]) -> Option<String> {
    let names: Vec<&str> = path_names(node)?.into_iter().map(|name| text(name, source)).collect();
    Some(names.join("."))
}

/// Returns the content of a string literal; `None` for other nodes.
pub(super) fn string_literal<'t>(node: Node<'_>, source: &'t [u8]) -> Option<&'t str> {
    let content =
        node.child_by_field_id(GRAMMAR.f.content).filter(|_| GRAMMAR.kind(node) == LuaKind::Text)?;
    Some(text(content, source))
}

/// Returns the arguments of a call, without comments; empty if it has none.
pub(super) fn call_arguments(call: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    if let Some(list) = call.child_by_field_id(GRAMMAR.f.arguments) {
        each_child(list, |c, _| {
            found.extend((c.is_named() && GRAMMAR.kind(c) != LuaKind::Comment).then_some(c));
        });
    }
    found
}

/// Returns the name of the called function, if that is a plain name.
pub(super) fn callee_name<'t>(call: Node<'_>, source: &'t [u8]) -> Option<&'t str> {
    let name = call.child_by_field_id(GRAMMAR.f.name).filter(|_| GRAMMAR.kind(call) == LuaKind::Call)?;
    (GRAMMAR.kind(name) == LuaKind::Ident).then(|| text(name, source))
}

/// Returns the module of `require "a.b"`.
pub(super) fn required_module<'t>(value: Node<'_>, source: &'t [u8]) -> Option<&'t str> {
    if callee_name(value, source)? != "require" {
        return None;
    }
    string_literal(*call_arguments(value).first()?, source).filter(|module| !module.is_empty())
}

/// Returns the targets of an assignment, each with its value, if there is one.
pub(super) fn assignment_pairs(assignment: Node<'_>) -> Vec<(Node<'_>, Option<Node<'_>>)> {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    each_child(assignment, |side, _| {
        let target = match side.kind() {
            "variable_list" => &mut left,
            "expression_list" => &mut right,
            _ => return,
        };
        each_child(side, |c, _| target.extend((c.is_named() && c.kind() != "attribute").then_some(c)));
    });
    let values = right.into_iter().map(Some).chain(std::iter::repeat(None));
    left.into_iter().zip(values).collect()
}
