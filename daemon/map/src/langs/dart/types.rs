//! Reads types: their names, references to them, and the hints that they give for definitions.

use super::grammar::{DartKind, GRAMMAR};
use super::rules::DartRules;
use crate::facts::{Receiver, RefKind, StrId};
use crate::langs::support::{child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

/// Returns true if a name is written as those of types are: with a capital, behind a mark that makes it private. A few
/// types of the language have lower case.
pub(super) fn is_type_name(name: &str) -> bool {
    matches!(name, "int" | "double" | "num" | "bool")
        || name.trim_start_matches(['_', '$']).starts_with(char::is_uppercase)
}

/// Returns the names that a node itself has, outermost first: `p.Foo` of `p.Foo<int>`.
pub(super) fn names_in<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut names = Vec::new();
    each_child(node, |c, _| {
        let is_name = matches!(GRAMMAR.kind(c), DartKind::TypeIdent | DartKind::Ident);
        names.extend(is_name.then_some(c));
    });
    names
}

/// Returns the first child that is a type.
pub(super) fn type_child(node: Node<'_>) -> Option<Node<'_>> {
    child_where(node, |c| GRAMMAR.kind(c) == DartKind::Type)
}

/// Returns the types between the angle brackets of a type.
pub(super) fn type_arguments(ty: Node<'_>) -> Vec<Node<'_>> {
    let mut types = Vec::new();
    if let Some(list) = child_where(ty, |c| c.kind() == "type_arguments") {
        each_child(list, |c, _| types.extend((GRAMMAR.kind(c) == DartKind::Type).then_some(c)));
    }
    types
}

/// Returns the dotted names of these nodes.
pub(super) fn dotted(names: &[Node<'_>], cx: &Cx<'_>) -> String {
    names.iter().map(|name| cx.text(*name)).collect::<Vec<_>>().join(".")
}

/// Returns the name of a type, as a hint or binding has it; `None` for type parameters, for `dynamic`, and for types
/// without a name. A future stands for its value: the members of the future itself belong to the language.
pub(super) fn type_path(ty: Node<'_>, cx: &mut Cx<'_>) -> Option<String> {
    let mut ty = ty;
    for _ in 0..8 {
        let names = names_in(ty);
        let first = cx.text(*names.first()?);
        if matches!(first, "dynamic" | "Never" | "Function") || cx.local_binding(first).is_some() {
            return None;
        }
        if !matches!(first, "Future" | "FutureOr") {
            return Some(dotted(&names, cx));
        }
        ty = type_arguments(ty).first().copied()?;
    }
    None
}

/// Returns the binding of a variable of a type.
pub(super) fn binding_of_type(ty: Option<String>, cx: &mut Cx<'_>) -> Binding {
    ty.map_or(Binding::Opaque, |ty| Binding::Typed(cx.facts.intern(&ty)))
}

/// Returns the receiver of a name behind these names.
pub(super) fn receiver_behind(names: &[Node<'_>], cx: &mut Cx<'_>) -> Receiver {
    match names.is_empty() {
        true => Receiver::None,
        false => Receiver::Path(intern_dotted(names, cx)),
    }
}

fn intern_dotted(names: &[Node<'_>], cx: &mut Cx<'_>) -> StrId {
    let path = dotted(names, cx);
    cx.facts.intern(&path)
}

impl DartRules {
    pub(super) fn visit_type(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            self.refer_type(node, RefKind::Type, cx);
        }
        WalkStep::Into
    }

    /// Records a type's last name as a use of this kind; its arguments are left to the walk.
    pub(super) fn refer_type(&mut self, ty: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        if let Some((last, before)) = names_in(ty).split_last() {
            let receiver = receiver_behind(before, cx);
            cx.record_use(cx.text(*last), *last, kind, receiver);
        }
    }

    /// Records a type that is named with a constructor or a prefix, and the constructor. Returns the names up to the
    /// type's.
    pub(super) fn refer_created<'t>(
        &mut self,
        names: &[Node<'t>],
        kind: RefKind,
        cx: &mut Cx<'_>,
    ) -> Vec<Node<'t>> {
        let at = names.iter().position(|name| is_type_name(cx.text(*name)));
        let Some(at) = at.or(names.len().checked_sub(1)) else { return Vec::new() };
        let (ty, constructor) = (names[at], names.get(at + 1));
        names.iter().for_each(|name| self.handled.mark(*name));
        let receiver = receiver_behind(&names[..at], cx);
        let type_kind = if constructor.is_some() { RefKind::Type } else { kind };
        cx.record_use(cx.text(ty), ty, type_kind, receiver);
        if let Some(constructor) = constructor {
            let receiver = receiver_behind(&names[..=at], cx);
            cx.record_use(cx.text(*constructor), *constructor, kind, receiver);
        }
        names[..=at].to_vec()
    }

    /// Binds a type parameter, which is no type of the project, whatever has its name.
    pub(super) fn visit_type_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = node.child_by_field_id(self.g.f.name) {
            cx.bind(cx.text(name), Binding::Opaque);
        }
        WalkStep::Into
    }

    /// Returns the name of a function's result type, unless it is one of the function's own parameters.
    pub(super) fn result_type(&self, signature: Node<'_>, cx: &mut Cx<'_>) -> Option<String> {
        let ty = signature.child_by_field_id(self.g.f.result)?;
        let path = type_path(ty, cx)?;
        let mut is_parameter = false;
        if let Some(list) = child_where(signature, |c| c.kind() == "type_parameters") {
            each_child(list, |c, _| {
                let name = c.child_by_field_id(self.g.f.name).map_or("", |name| cx.text(name));
                is_parameter |= !name.is_empty() && name == path;
            });
        }
        (!is_parameter).then_some(path)
    }
}
