//! Records uses: calls, paths, fields, names, types.

use super::grammar::RustKind;
use super::rules::RustWalk;
use crate::facts::{Receiver, RefKind};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// Longest path that is followed, in segments.
const PATH_LIMIT: usize = 64;

impl RustWalk {
    pub(super) fn visit_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            cx.record_use(without_raw_prefix(cx.text(node)), node, RefKind::Use, Receiver::None);
        }
        WalkStep::Skip
    }

    pub(super) fn visit_type_identifier(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let name = cx.text(node);
        if !self.handled.take_mark(node) && name != "Self" {
            cx.record_use(without_raw_prefix(name), node, RefKind::Type, Receiver::None);
        }
        WalkStep::Skip
    }

    pub(super) fn visit_call(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(function) = node.child_by_field_id(self.g.f.function) else { return WalkStep::Into };
        let function = match self.g.kind(function) {
            RustKind::Turbofish => function.child_by_field_id(self.g.f.function).unwrap_or(function),
            _ => function,
        };
        match self.g.kind(function) {
            RustKind::Ident => {
                self.handled.mark(function);
                cx.record_use(without_raw_prefix(cx.text(function)), function, RefKind::Call, Receiver::None);
            }
            RustKind::Scoped => {
                self.handled.mark(function);
                self.refer_scoped(function, RefKind::Call, cx);
            }
            RustKind::FieldExpr => {
                self.handled.mark(function);
                self.note_route(node, function, cx);
                self.refer_field(function, RefKind::Call, cx);
            }
            _ => {}
        }
        self.pass_closures(node, cx);
        WalkStep::Into
    }

    /// Visits a field that is read or written; it is recorded if the receiver's type is known.
    pub(super) fn visit_field(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            let value = node.child_by_field_id(self.g.f.value);
            let receiver = value.map_or(Receiver::Unknown, |value| self.receiver(value, cx));
            if receiver != Receiver::Unknown {
                self.refer_field(node, RefKind::Use, cx);
            }
        }
        WalkStep::Into
    }

    fn refer_field(&mut self, node: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let name = node.child_by_field_id(self.g.f.member).filter(|n| self.g.kind(*n) == RustKind::FieldName);
        if let (Some(name), Some(value)) = (name, node.child_by_field_id(self.g.f.value)) {
            let receiver = self.receiver(value, cx);
            cx.record_use(without_raw_prefix(cx.text(name)), name, kind, receiver);
        }
    }

    pub(super) fn visit_scoped_path(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            let kind = if self.g.kind(node) == RustKind::ScopedType { RefKind::Type } else { RefKind::Use };
            self.refer_scoped(node, kind, cx);
        }
        WalkStep::Into
    }

    /// Records the type of `Foo { .. }` and `a::Foo { .. }`.
    pub(super) fn visit_struct_literal(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(name) = node.child_by_field_id(self.g.f.name) {
            self.refer_type(name, RefKind::Type, cx);
        }
        WalkStep::Into
    }

    /// Records `a::b::c` as a use of `c` on the path `a.b`, and a type on the way (`Foo` in `a::Foo::new`) as a use of it.
    pub(super) fn refer_scoped(&mut self, node: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        self.mark_parts(node);
        if let Some(segments) = self.segments(node, cx) {
            self.refer_segments(&segments, kind, cx);
        }
    }

    /// Records a path of segments, as [`RustWalk::refer_scoped`] records that of a node.
    pub(super) fn refer_segments(&mut self, segments: &[(&str, Node<'_>)], kind: RefKind, cx: &mut Cx<'_>) {
        let Some(((name, leaf), path)) = segments.split_last() else { return };
        if let Some(((ty, at), before)) = path.split_last()
            && ty.starts_with(|c: char| c.is_ascii_uppercase())
            && *ty != "Self"
        {
            let receiver = self.path_receiver(before, cx);
            cx.record_use(ty, *at, RefKind::Type, receiver);
        }
        let receiver = self.path_receiver(path, cx);
        cx.record_use(name, *leaf, kind, receiver);
    }

    fn path_receiver(&mut self, path: &[(&str, Node<'_>)], cx: &mut Cx<'_>) -> Receiver {
        match path {
            [] => Receiver::None,
            [("Self", _)] => Receiver::SelfType,
            [("Self", at), rest @ ..] => match self.body_around(*at).and_then(|body| body.self_type) {
                Some(own) => {
                    let rest = rest.iter().map(|(text, _)| *text).collect::<Vec<_>>().join(".");
                    let path = format!("{}.{rest}", cx.facts.provisional_name(own));
                    Receiver::Path(cx.facts.intern(&path))
                }
                None => Receiver::Unknown,
            },
            _ => {
                let names: Vec<&str> = path.iter().map(|(text, _)| *text).collect();
                let path = self.path_from_file(path[0].1, &names).join(".");
                // Variables are in another name space than modules; type parameters start in upper case.
                if path.starts_with(|c: char| c.is_ascii_uppercase()) {
                    cx.path_receiver(&path)
                } else {
                    Receiver::Path(cx.facts.intern(&path))
                }
            }
        }
    }

    /// Returns a path's segments from left to right, without generic arguments; `None` if part of it is no name.
    pub(super) fn segments<'t, 's>(&self, node: Node<'t>, cx: &Cx<'s>) -> Option<Vec<(&'s str, Node<'t>)>> {
        let mut segments = Vec::new();
        let mut node = node;
        loop {
            if segments.len() > PATH_LIMIT {
                return None;
            }
            match self.g.kind(node) {
                RustKind::Scoped | RustKind::ScopedType => {
                    let name = node.child_by_field_id(self.g.f.name)?;
                    segments.push((without_raw_prefix(cx.text(name)), name));
                    match node.child_by_field_id(self.g.f.path) {
                        Some(path) => node = path,
                        None => break,
                    }
                }
                RustKind::Generic | RustKind::Bracketed => node = self.type_inside(node)?,
                RustKind::Ident
                | RustKind::TypeIdent
                | RustKind::SelfValue
                | RustKind::Super
                | RustKind::Crate => {
                    segments.push((without_raw_prefix(cx.text(node)), node));
                    break;
                }
                _ => return None,
            }
        }
        segments.reverse();
        Some(segments)
    }

    /// Returns the type inside generic arguments or `<.. as Trait>`.
    fn type_inside<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        node.child_by_field_id(self.g.f.ty).or_else(|| node.named_child(0))
    }

    /// Makes the walk pass over the path's parts, but not over generic arguments in them.
    fn mark_parts(&mut self, node: Node<'_>) {
        let mut next = Some(node);
        while let Some(node) = next {
            match self.g.kind(node) {
                RustKind::Scoped | RustKind::ScopedType => {
                    if let Some(name) = node.child_by_field_id(self.g.f.name) {
                        self.handled.mark(name);
                    }
                    next = node.child_by_field_id(self.g.f.path);
                }
                RustKind::Generic | RustKind::Bracketed => next = self.type_inside(node),
                _ => next = None,
            }
            if let Some(part) = next {
                self.handled.mark(part);
            }
        }
    }
}

/// Returns a name without `r#`.
pub(super) fn without_raw_prefix(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}
