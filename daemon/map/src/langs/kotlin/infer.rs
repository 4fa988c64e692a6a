//! Describes how Kotlin writes values and types.

use super::grammar::{GRAMMAR, KotlinKind};
use crate::langs::support::{Syntax, TypedExpression, child_where, each_child};
use crate::syntax::Node;
use crate::walk::Cx;

/// Reads values and types as Kotlin writes them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kotlin;

impl Syntax for Kotlin {
    const CALLS_CREATE: bool = true;
    const CAPITAL_IS_TYPE: bool = true;

    fn value<'t>(&self, node: Node<'t>, _cx: &Cx<'_>) -> TypedExpression<'t> {
        let g = &*GRAMMAR;
        let found = match g.kind(node) {
            KotlinKind::Ident => Some(TypedExpression::Name(node)),
            KotlinKind::Text => Some(TypedExpression::Literal("String")),
            KotlinKind::Same | KotlinKind::Assignable if suffix_node(node).is_none() => {
                node.named_child(0).map(TypedExpression::Same)
            }
            KotlinKind::Cast => type_child(node).map(TypedExpression::Of),
            KotlinKind::Navigation | KotlinKind::Assignable => {
                self.member_parts(node).map(|(object, name)| TypedExpression::Member(object, name))
            }
            KotlinKind::Call => {
                self.call_parts(node).map(|(object, name)| TypedExpression::Call(object, name))
            }
            KotlinKind::This => {
                Some(node.named_child(0).map_or(TypedExpression::This, TypedExpression::Outer))
            }
            KotlinKind::Super => Some(TypedExpression::Super),
            _ => None,
        };
        found.unwrap_or(TypedExpression::Unknown)
    }

    fn type_segments<'t>(&self, ty: Node<'t>) -> Option<Vec<Node<'t>>> {
        let mut node = ty;
        for _ in 0..16 {
            match GRAMMAR.kind(node) {
                KotlinKind::TypeIdent => return Some(vec![node]),
                KotlinKind::NullableType => node = type_child(node)?,
                KotlinKind::UserType => {
                    let mut names = Vec::new();
                    each_child(node, |c, _| {
                        names.extend((GRAMMAR.kind(c) == KotlinKind::TypeIdent).then_some(c));
                    });
                    return Some(names).filter(|names| !names.is_empty());
                }
                _ => return None,
            }
        }
        None
    }
}

impl Kotlin {
    /// Returns the object and the name of `object.name`.
    pub(super) fn member_parts<'t>(&self, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
        let name = child_where(suffix_node(node)?, |c| GRAMMAR.kind(c) == KotlinKind::Ident)?;
        Some((node.named_child(0)?, name))
    }

    /// Returns the object, if any, and the name of a call.
    pub(super) fn call_parts<'t>(&self, call: Node<'t>) -> Option<(Option<Node<'t>>, Node<'t>)> {
        let callee = call.named_child(0)?;
        match GRAMMAR.kind(callee) {
            KotlinKind::Ident => Some((None, callee)),
            KotlinKind::Navigation => self.member_parts(callee).map(|(object, name)| (Some(object), name)),
            _ => None,
        }
    }
}

fn suffix_node(node: Node<'_>) -> Option<Node<'_>> {
    child_where(node, |c| GRAMMAR.kind(c) == KotlinKind::Suffix)
}

/// Returns the first child that is a type.
pub(super) fn type_child(node: Node<'_>) -> Option<Node<'_>> {
    child_where(node, |c| {
        matches!(GRAMMAR.kind(c), KotlinKind::UserType | KotlinKind::NullableType)
            && c.kind() != "receiver_type"
    })
}
