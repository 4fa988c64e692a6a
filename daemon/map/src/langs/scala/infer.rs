//! Describes how Scala writes values and types.

use super::grammar::{GRAMMAR, ScalaKind};
use crate::langs::support::{Syntax, TypedExpression, child_where, each_child};
use crate::syntax::Node;
use crate::walk::Cx;

/// Longest chain of brackets and `.` that is followed.
const LIMIT: usize = 32;

/// Reads values and types as Scala writes them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scala;

impl Syntax for Scala {
    const CALLS_CREATE: bool = true;
    const CAPITAL_IS_TYPE: bool = true;

    fn value<'t>(&self, node: Node<'t>, cx: &Cx<'_>) -> TypedExpression<'t> {
        let (g, f) = (&*GRAMMAR, &GRAMMAR.f);
        let found = match g.kind(node) {
            ScalaKind::Ident if cx.text(node) == "this" => Some(TypedExpression::This),
            ScalaKind::Ident if cx.text(node) == "super" => Some(TypedExpression::Super),
            ScalaKind::Ident => Some(TypedExpression::Name(node)),
            ScalaKind::Text => Some(TypedExpression::Literal("String")),
            ScalaKind::New => created_type(node).map(TypedExpression::Of),
            ScalaKind::Ascription => node.child_by_field_id(f.ty).map(TypedExpression::Of),
            ScalaKind::Parens => node.named_child(0).map(TypedExpression::Same),
            ScalaKind::Generic => node.child_by_field_id(f.function).map(TypedExpression::Same),
            ScalaKind::Field => self.field_value(node, cx),
            ScalaKind::Call => {
                self.call_parts(node).map(|(object, name)| TypedExpression::Call(object, name))
            }
            _ => None,
        };
        found.unwrap_or(TypedExpression::Unknown)
    }

    fn type_segments<'t>(&self, ty: Node<'t>) -> Option<Vec<Node<'t>>> {
        let mut node = ty;
        for _ in 0..LIMIT {
            match GRAMMAR.kind(node) {
                ScalaKind::TypeIdent | ScalaKind::Ident => return Some(vec![node]),
                ScalaKind::GenericType | ScalaKind::WrappedType => {
                    node = child_where(node, |c| c.is_named() && !c.is_extra())?;
                }
                ScalaKind::StableType => return path_names(node),
                _ => return None,
            }
        }
        None
    }
}

impl Scala {
    fn field_value<'t>(&self, node: Node<'t>, cx: &Cx<'_>) -> Option<TypedExpression<'t>> {
        let object = node.child_by_field_id(GRAMMAR.f.value)?;
        let name = node.child_by_field_id(GRAMMAR.f.member)?;
        if GRAMMAR.kind(name) != ScalaKind::Ident {
            return None;
        }
        let is_this = cx.text(name) == "this";
        Some(if is_this { TypedExpression::Outer(object) } else { TypedExpression::Member(object, name) })
    }

    /// Returns the object, if any, and the name of a call.
    pub(super) fn call_parts<'t>(&self, call: Node<'t>) -> Option<(Option<Node<'t>>, Node<'t>)> {
        let f = &GRAMMAR.f;
        let mut function = call.child_by_field_id(f.function)?;
        // In `f(a)(b)` and `f[A](a)`, the inner call has the name.
        for _ in 0..LIMIT {
            match GRAMMAR.kind(function) {
                ScalaKind::Call | ScalaKind::Generic => function = function.child_by_field_id(f.function)?,
                ScalaKind::Ident => return Some((None, function)),
                ScalaKind::Field => {
                    let name = function.child_by_field_id(f.member)?;
                    let object = function.child_by_field_id(f.value)?;
                    return (GRAMMAR.kind(name) == ScalaKind::Ident).then_some((Some(object), name));
                }
                _ => return None,
            }
        }
        None
    }
}

/// Returns the type of the object that `new` makes.
pub(super) fn created_type(node: Node<'_>) -> Option<Node<'_>> {
    let is_type = |c: Node<'_>| {
        matches!(
            GRAMMAR.kind(c),
            ScalaKind::TypeIdent
                | ScalaKind::GenericType
                | ScalaKind::WrappedType
                | ScalaKind::StableType
                | ScalaKind::Projected
        )
    };
    child_where(node, is_type)
}

/// Returns the names of `a.b.C`.
fn path_names(node: Node<'_>) -> Option<Vec<Node<'_>>> {
    let mut names = Vec::new();
    let mut next = vec![node];
    while let Some(node) = next.pop().filter(|_| names.len() < LIMIT) {
        match GRAMMAR.kind(node) {
            ScalaKind::Ident | ScalaKind::TypeIdent => names.push(node),
            ScalaKind::StableType | ScalaKind::Stable => {
                let from = next.len();
                each_child(node, |c, _| next.extend(c.is_named().then_some(c)));
                next[from..].reverse();
            }
            _ => return None,
        }
    }
    Some(names).filter(|names| !names.is_empty())
}
