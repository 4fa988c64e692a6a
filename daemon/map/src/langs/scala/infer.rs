//! Describes how Scala writes values and types.

use tree_sitter::Node;

use super::grammar::{GRAMMAR, K};
use crate::langs::support::{Syntax, Value, child_where, each_child};
use crate::walk::Cx;

/// Longest chain of brackets and `.` that is followed.
const LIMIT: usize = 32;

/// Reads values and types as Scala writes them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scala;

impl Syntax for Scala {
    const CALLS_CREATE: bool = true;
    const CAPITAL_IS_TYPE: bool = true;

    fn value<'t>(&self, node: Node<'t>, cx: &Cx<'_>) -> Value<'t> {
        let (g, f) = (&*GRAMMAR, &GRAMMAR.f);
        let found = match g.kind(node) {
            K::Ident if cx.text(node) == "this" => Some(Value::This),
            K::Ident if cx.text(node) == "super" => Some(Value::Super),
            K::Ident => Some(Value::Name(node)),
            K::Text => Some(Value::Literal("String")),
            K::New => created(node).map(Value::Of),
            K::Ascription => node.child_by_field_id(f.ty).map(Value::Of),
            K::Parens => node.named_child(0).map(Value::Same),
            K::Generic => node.child_by_field_id(f.function).map(Value::Same),
            K::Field => self.field(node, cx),
            K::Call => self.called(node).map(|(object, name)| Value::Call(object, name)),
            _ => None,
        };
        found.unwrap_or(Value::Unknown)
    }

    fn type_segments<'t>(&self, ty: Node<'t>) -> Option<Vec<Node<'t>>> {
        let mut node = ty;
        for _ in 0..LIMIT {
            match GRAMMAR.kind(node) {
                K::TypeIdent | K::Ident => return Some(vec![node]),
                K::GenericType | K::WrappedType => {
                    node = child_where(node, |c| c.is_named() && !c.is_extra())?;
                }
                K::StableType => return stable(node),
                _ => return None,
            }
        }
        None
    }
}

impl Scala {
    fn field<'t>(&self, node: Node<'t>, cx: &Cx<'_>) -> Option<Value<'t>> {
        let object = node.child_by_field_id(GRAMMAR.f.value)?;
        let name = node.child_by_field_id(GRAMMAR.f.member)?;
        if GRAMMAR.kind(name) != K::Ident {
            return None;
        }
        let is_this = cx.text(name) == "this";
        Some(if is_this { Value::Outer(object) } else { Value::Member(object, name) })
    }

    /// The object, if any, and the name of a call.
    pub(super) fn called<'t>(&self, call: Node<'t>) -> Option<(Option<Node<'t>>, Node<'t>)> {
        let f = &GRAMMAR.f;
        let mut function = call.child_by_field_id(f.function)?;
        // Of `f(a)(b)` and `f[A](a)` the inner call is the one.
        for _ in 0..LIMIT {
            match GRAMMAR.kind(function) {
                K::Call | K::Generic => function = function.child_by_field_id(f.function)?,
                K::Ident => return Some((None, function)),
                K::Field => {
                    let name = function.child_by_field_id(f.member)?;
                    let object = function.child_by_field_id(f.value)?;
                    return (GRAMMAR.kind(name) == K::Ident).then_some((Some(object), name));
                }
                _ => return None,
            }
        }
        None
    }
}

/// The type that `new` makes.
pub(super) fn created(node: Node<'_>) -> Option<Node<'_>> {
    let is_type = |c: Node<'_>| {
        matches!(
            GRAMMAR.kind(c),
            K::TypeIdent | K::GenericType | K::WrappedType | K::StableType | K::Projected
        )
    };
    child_where(node, is_type)
}

/// The names of `a.b.C`.
fn stable(node: Node<'_>) -> Option<Vec<Node<'_>>> {
    let mut names = Vec::new();
    let mut next = vec![node];
    while let Some(node) = next.pop().filter(|_| names.len() < LIMIT) {
        match GRAMMAR.kind(node) {
            K::Ident | K::TypeIdent => names.push(node),
            K::StableType | K::Stable => {
                let from = next.len();
                each_child(node, |c, _| next.extend(c.is_named().then_some(c)));
                next[from..].reverse();
            }
            _ => return None,
        }
    }
    Some(names).filter(|names| !names.is_empty())
}
