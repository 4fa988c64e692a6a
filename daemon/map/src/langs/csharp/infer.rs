//! Describes how C# writes values and types.

use tree_sitter::Node;

use super::grammar::{GRAMMAR, K};
use crate::langs::support::{Syntax, Value, child_where};
use crate::walk::Cx;

/// Longest chain of brackets, arrays and `.` that is followed.
const LIMIT: usize = 32;

/// Reads values and types as C# writes them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sharp;

impl Syntax for Sharp {
    const CALLS_CREATE: bool = false;
    // Properties and namespaces have capitals too.
    const CAPITAL_IS_TYPE: bool = false;

    fn value<'t>(&self, node: Node<'t>, _cx: &Cx<'_>) -> Value<'t> {
        let (g, f) = (&*GRAMMAR, &GRAMMAR.f);
        let found = match g.kind(node) {
            K::Ident => Some(Value::Name(node)),
            K::Text => Some(Value::Literal("string")),
            K::New | K::Cast => node.child_by_field_id(f.ty).map(Value::Of),
            K::As => node.child_by_field_id(f.right).map(Value::Of),
            K::Parens => node.named_child(0).map(Value::Same),
            K::Member | K::Conditional => self.access(node).map(|(object, name)| Value::Member(object, name)),
            K::Invocation => self.called(node).map(|(object, name)| Value::Call(object, name)),
            _ => None,
        };
        found.unwrap_or(match node.kind() {
            "this" => Value::This,
            "base" => Value::Super,
            _ => Value::Unknown,
        })
    }

    fn type_segments<'t>(&self, ty: Node<'t>) -> Option<Vec<Node<'t>>> {
        let (g, f) = (&*GRAMMAR, &GRAMMAR.f);
        let mut segments = Vec::new();
        let mut node = ty;
        while segments.len() < LIMIT {
            match g.kind(node) {
                K::Ident | K::Builtin => {
                    segments.push(node);
                    segments.reverse();
                    return Some(segments);
                }
                K::Generic => node = node.named_child(0)?,
                K::Alias => node = node.child_by_field_id(f.name)?,
                K::Qualified => {
                    segments.push(simple(node.child_by_field_id(f.name)?)?);
                    node = node.child(0)?;
                }
                K::Typed if matches!(node.kind(), "nullable_type" | "ref_type" | "scoped_type") => {
                    node = node.child_by_field_id(f.ty)?;
                }
                _ => return None,
            }
        }
        None
    }
}

impl Sharp {
    /// The object and the name of `object.name` and `object?.name`.
    pub(super) fn access<'t>(&self, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
        let (g, f) = (&*GRAMMAR, &GRAMMAR.f);
        if g.kind(node) == K::Member {
            let name = simple(node.child_by_field_id(f.name)?)?;
            return Some((node.child_by_field_id(f.expression)?, name));
        }
        let binding = child_where(node, |child| g.kind(child) == K::MemberBinding)?;
        Some((node.child_by_field_id(f.condition)?, simple(binding.child_by_field_id(f.name)?)?))
    }

    /// The object, if any, and the name of a call.
    pub(super) fn called<'t>(&self, call: Node<'t>) -> Option<(Option<Node<'t>>, Node<'t>)> {
        let function = call.child_by_field_id(GRAMMAR.f.function)?;
        match GRAMMAR.kind(function) {
            K::Ident | K::Generic => Some((None, simple(function)?)),
            K::Member | K::Conditional => self.access(function).map(|(object, name)| (Some(object), name)),
            _ => None,
        }
    }
}

/// The identifier of a name that may have type arguments.
pub(super) fn simple(name: Node<'_>) -> Option<Node<'_>> {
    match GRAMMAR.kind(name) {
        K::Ident => Some(name),
        K::Generic => name.named_child(0).filter(|first| GRAMMAR.kind(*first) == K::Ident),
        _ => None,
    }
}
