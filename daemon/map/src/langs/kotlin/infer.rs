//! Describes how Kotlin writes values and types.

use tree_sitter::Node;

use super::grammar::{GRAMMAR, K};
use crate::langs::support::{Syntax, Value, child_where, each_child};
use crate::walk::Cx;

/// Reads values and types as Kotlin writes them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kotlin;

impl Syntax for Kotlin {
    const CALLS_CREATE: bool = true;
    const CAPITAL_IS_TYPE: bool = true;

    fn value<'t>(&self, node: Node<'t>, _cx: &Cx<'_>) -> Value<'t> {
        let g = &*GRAMMAR;
        let found = match g.kind(node) {
            K::Ident => Some(Value::Name(node)),
            K::Text => Some(Value::Literal("String")),
            K::Same | K::Assignable if suffix(node).is_none() => node.named_child(0).map(Value::Same),
            K::Cast => type_child(node).map(Value::Of),
            K::Navigation | K::Assignable => {
                self.member(node).map(|(object, name)| Value::Member(object, name))
            }
            K::Call => self.called(node).map(|(object, name)| Value::Call(object, name)),
            K::This => Some(node.named_child(0).map_or(Value::This, Value::Outer)),
            K::Super => Some(Value::Super),
            _ => None,
        };
        found.unwrap_or(Value::Unknown)
    }

    fn type_segments<'t>(&self, ty: Node<'t>) -> Option<Vec<Node<'t>>> {
        let mut node = ty;
        for _ in 0..16 {
            match GRAMMAR.kind(node) {
                K::TypeIdent => return Some(vec![node]),
                K::NullableType => node = type_child(node)?,
                K::UserType => {
                    let mut names = Vec::new();
                    each_child(node, |c, _| names.extend((GRAMMAR.kind(c) == K::TypeIdent).then_some(c)));
                    return Some(names).filter(|names| !names.is_empty());
                }
                _ => return None,
            }
        }
        None
    }
}

impl Kotlin {
    /// The object and the name of `object.name`.
    pub(super) fn member<'t>(&self, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
        let name = child_where(suffix(node)?, |c| GRAMMAR.kind(c) == K::Ident)?;
        Some((node.named_child(0)?, name))
    }

    /// The object, if any, and the name of a call.
    pub(super) fn called<'t>(&self, call: Node<'t>) -> Option<(Option<Node<'t>>, Node<'t>)> {
        let callee = call.named_child(0)?;
        match GRAMMAR.kind(callee) {
            K::Ident => Some((None, callee)),
            K::Navigation => self.member(callee).map(|(object, name)| (Some(object), name)),
            _ => None,
        }
    }
}

fn suffix(node: Node<'_>) -> Option<Node<'_>> {
    child_where(node, |c| GRAMMAR.kind(c) == K::Suffix)
}

/// The first child that is a type.
pub(super) fn type_child(node: Node<'_>) -> Option<Node<'_>> {
    child_where(node, |c| {
        matches!(GRAMMAR.kind(c), K::UserType | K::NullableType) && c.kind() != "receiver_type"
    })
}
