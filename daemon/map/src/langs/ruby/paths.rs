//! Reads constants from expressions: `A::B::C` as `A.B.C`.

use super::grammar::{GRAMMAR, RubyKind};
use crate::facts::DefKind;
use crate::syntax::Node;

/// Longest chain of `::` that is followed.
const LIMIT: usize = 32;

/// Returns the dotted path of a constant, if the node is nothing but names.
pub(super) fn constant_path(node: Node<'_>, source: &[u8]) -> Option<String> {
    let mut names = Vec::new();
    let mut node = node;
    while names.len() < LIMIT {
        match GRAMMAR.kind(node) {
            RubyKind::Constant => {
                names.push(text(node, source));
                break;
            }
            RubyKind::Scoped => {
                names.push(text(node.child_by_field_id(GRAMMAR.f.name)?, source));
                match node.child_by_field_id(GRAMMAR.f.scope) {
                    Some(scope) => node = scope,
                    None => break,
                }
            }
            _ => return None,
        }
    }
    names.reverse();
    (names.len() < LIMIT && names.iter().all(|name| !name.is_empty())).then(|| names.join("."))
}

/// Returns the path of the class that `Foo.new` makes; `None` for other values.
pub(super) fn created_class(value: Node<'_>, source: &[u8]) -> Option<String> {
    if GRAMMAR.kind(value) != RubyKind::Call {
        return None;
    }
    let method = value.child_by_field_id(GRAMMAR.f.method)?;
    let receiver = value.child_by_field_id(GRAMMAR.f.receiver)?;
    if text(method, source) == "new" { constant_path(receiver, source) } else { None }
}

/// Returns the call that makes a type, and the kind of the type: `Struct.new(…)`, `Class.new(Base)`, `Data.define(…)`.
pub(super) fn made_type<'t>(value: Node<'t>, source: &[u8]) -> Option<(DefKind, Node<'t>)> {
    if GRAMMAR.kind(value) != RubyKind::Call {
        return None;
    }
    let receiver = value.child_by_field_id(GRAMMAR.f.receiver)?;
    let method = value.child_by_field_id(GRAMMAR.f.method)?;
    let kind = match (text(receiver, source), text(method, source)) {
        ("Struct", "new") | ("Data", "define") => DefKind::Struct,
        ("Class", "new") => DefKind::Class,
        ("Module", "new") => DefKind::Module,
        _ => return None,
    };
    Some((kind, value))
}

/// Returns a node's text; empty if it is not UTF-8.
pub(super) fn text<'t>(node: Node<'_>, source: &'t [u8]) -> &'t str {
    source.get(node.byte_range()).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
}

/// Returns true if a word is a constant's name.
pub(super) fn is_constant(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}
