//! Describes how C# writes values and types.

use super::grammar::{CSharpKind, GRAMMAR};
use crate::langs::support::{Syntax, TypedExpression, child_where};
use crate::syntax::Node;
use crate::walk::Cx;

/// Longest chain of brackets, arrays and `.` that is followed.
const LIMIT: usize = 32;

/// Reads values and types as C# writes them.
#[derive(Clone, Copy, Debug)]
pub(super) struct CSharpSyntax;

impl Syntax for CSharpSyntax {
    const CALLS_CREATE: bool = false;
    // Properties and namespaces have capitals too.
    const CAPITAL_IS_TYPE: bool = false;

    fn value<'t>(&self, node: Node<'t>, _cx: &Cx<'_>) -> TypedExpression<'t> {
        let (g, f) = (&*GRAMMAR, &GRAMMAR.f);
        let found = match g.kind(node) {
            CSharpKind::Ident => Some(TypedExpression::Name(node)),
            CSharpKind::Text => Some(TypedExpression::Literal("string")),
            CSharpKind::New | CSharpKind::Cast => node.child_by_field_id(f.ty).map(TypedExpression::Of),
            CSharpKind::As => node.child_by_field_id(f.right).map(TypedExpression::Of),
            CSharpKind::Parens => node.named_child(0).map(TypedExpression::Same),
            CSharpKind::Member | CSharpKind::Conditional => {
                self.access_parts(node).map(|(object, name)| TypedExpression::Member(object, name))
            }
            CSharpKind::Invocation => {
                self.call_parts(node).map(|(object, name)| TypedExpression::Call(object, name))
            }
            _ => None,
        };
        found.unwrap_or(match node.kind() {
            "this" => TypedExpression::This,
            "base" => TypedExpression::Super,
            _ => TypedExpression::Unknown,
        })
    }

    fn type_segments<'t>(&self, ty: Node<'t>) -> Option<Vec<Node<'t>>> {
        let (g, f) = (&*GRAMMAR, &GRAMMAR.f);
        let mut segments = Vec::new();
        let mut node = ty;
        while segments.len() < LIMIT {
            match g.kind(node) {
                CSharpKind::Ident | CSharpKind::Builtin => {
                    segments.push(node);
                    segments.reverse();
                    return Some(segments);
                }
                CSharpKind::Generic => node = node.named_child(0)?,
                CSharpKind::Alias => node = node.child_by_field_id(f.name)?,
                CSharpKind::Qualified => {
                    segments.push(name_identifier(node.child_by_field_id(f.name)?)?);
                    node = node.child(0)?;
                }
                CSharpKind::Typed if matches!(node.kind(), "nullable_type" | "ref_type" | "scoped_type") => {
                    node = node.child_by_field_id(f.ty)?;
                }
                _ => return None,
            }
        }
        None
    }
}

impl CSharpSyntax {
    /// Returns the object and the name of `object.name` and `object?.name`.
    pub(super) fn access_parts<'t>(&self, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
        let (g, f) = (&*GRAMMAR, &GRAMMAR.f);
        if g.kind(node) == CSharpKind::Member {
            let name = name_identifier(node.child_by_field_id(f.name)?)?;
            return Some((node.child_by_field_id(f.expression)?, name));
        }
        let binding = child_where(node, |child| g.kind(child) == CSharpKind::MemberBinding)?;
        Some((node.child_by_field_id(f.condition)?, name_identifier(binding.child_by_field_id(f.name)?)?))
    }

    /// Returns the object, if any, and the name of a call.
    pub(super) fn call_parts<'t>(&self, call: Node<'t>) -> Option<(Option<Node<'t>>, Node<'t>)> {
        let function = call.child_by_field_id(GRAMMAR.f.function)?;
        match GRAMMAR.kind(function) {
            CSharpKind::Ident | CSharpKind::Generic => Some((None, name_identifier(function)?)),
            CSharpKind::Member | CSharpKind::Conditional => {
                self.access_parts(function).map(|(object, name)| (Some(object), name))
            }
            _ => None,
        }
    }
}

/// Returns the identifier of a name that may have type arguments.
pub(super) fn name_identifier(name: Node<'_>) -> Option<Node<'_>> {
    match GRAMMAR.kind(name) {
        CSharpKind::Ident => Some(name),
        CSharpKind::Generic => name.named_child(0).filter(|first| GRAMMAR.kind(*first) == CSharpKind::Ident),
        _ => None,
    }
}

/// The library's types of sequences that have one type of elements.
const SEQUENCES: &[&str] = &[
    "IEnumerable",
    "IAsyncEnumerable",
    "IQueryable",
    "ICollection",
    "IReadOnlyCollection",
    "IList",
    "IReadOnlyList",
    "ISet",
    "IReadOnlySet",
    "List",
    "LinkedList",
    "HashSet",
    "SortedSet",
    "Queue",
    "Stack",
    "ConcurrentBag",
    "ConcurrentQueue",
    "ObservableCollection",
    "ImmutableArray",
    "ImmutableList",
    "Span",
    "ReadOnlySpan",
];

/// Returns the type of the elements of an array or sequence.
pub(super) fn element_type<'t>(ty: Node<'t>, cx: &Cx<'_>) -> Option<Node<'t>> {
    let whole = ty.child_by_field_id(GRAMMAR.f.ty).filter(|_| ty.kind() == "nullable_type");
    let ty = whole.unwrap_or(ty);
    if ty.kind() == "array_type" {
        return ty.child_by_field_id(GRAMMAR.f.ty);
    }
    let name = name_identifier(ty).filter(|_| GRAMMAR.kind(ty) == CSharpKind::Generic)?;
    let arguments = child_where(ty, |child| GRAMMAR.kind(child) == CSharpKind::TypeArgs)?;
    let is_sequence = SEQUENCES.contains(&cx.text(name)) && arguments.named_child_count() == 1;
    arguments.named_child(0).filter(|_| is_sequence)
}

/// Returns the name under which the elements of a variable are bound; no name of the language has this form.
pub(super) fn elements_of(name: &str) -> String {
    format!("{name}[]")
}
