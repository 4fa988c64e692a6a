//! Collects the types that a file's items state, before the walk: an `impl` may stand before its struct, a call
//! before its function.

use super::grammar::RustKind;
use super::rules::{Returned, RustWalk};
use crate::facts::StrId;
use crate::langs::support::each_child;
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl RustWalk {
    /// Reads the items at file level.
    pub(super) fn visit_file(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        for item in children(node) {
            match self.g.kind(item) {
                RustKind::Struct => self.record_struct_types(item, cx),
                RustKind::Fn => self.record_result_type(item, None, cx),
                RustKind::Impl => self.record_impl_types(item, cx),
                RustKind::Trait => {
                    let name = item.child_by_field_id(self.g.f.name).map_or("", |name| cx.text(name));
                    let owner = cx.facts.intern(name);
                    self.record_method_types(item, owner, cx);
                }
                _ => {}
            }
        }
        WalkStep::Into
    }

    fn record_struct_types(&mut self, item: Node<'_>, cx: &mut Cx<'_>) {
        let name = item.child_by_field_id(self.g.f.name);
        let (Some(name), Some(body)) = (name, item.child_by_field_id(self.g.f.body)) else { return };
        let owner = cx.facts.intern(cx.text(name));
        for field in children(body) {
            let name =
                field.child_by_field_id(self.g.f.name).filter(|_| self.g.kind(field) == RustKind::Field);
            let ty = field.child_by_field_id(self.g.f.ty).and_then(|ty| self.type_name(ty, cx));
            if let (Some(name), Some(ty)) = (name, ty.filter(|ty| !self.is_parameter(&[item], *ty, cx))) {
                let name = cx.facts.intern(cx.text(name));
                self.field_types.insert((owner, name), ty);
            }
        }
    }

    fn record_impl_types(&mut self, item: Node<'_>, cx: &mut Cx<'_>) {
        let ty = item.child_by_field_id(self.g.f.ty);
        if let Some(path) = ty.and_then(|ty| self.implementing_type(item, ty, cx)) {
            let owner = cx.facts.intern(&path);
            self.record_method_types(item, owner, cx);
        }
    }

    fn record_method_types(&mut self, item: Node<'_>, owner: StrId, cx: &mut Cx<'_>) {
        let Some(body) = item.child_by_field_id(self.g.f.body) else { return };
        for method in children(body) {
            if matches!(self.g.kind(method), RustKind::Fn | RustKind::FnSig) {
                self.record_result_type(method, Some((item, owner)), cx);
            }
        }
    }

    fn record_result_type(&mut self, function: Node<'_>, of: Option<(Node<'_>, StrId)>, cx: &mut Cx<'_>) {
        let name = function.child_by_field_id(self.g.f.name);
        let (Some(name), Some(result)) = (name, function.child_by_field_id(self.g.f.result)) else { return };
        let inner = self.wrapped_type(result, cx);
        let (ty, wrapped) = (inner.unwrap_or(result), inner.is_some());
        let own = self.dotted_path(ty, cx).as_deref() == Some("Self");
        let ty = if own { of.map(|(_, owner)| owner) } else { self.type_name(ty, cx) };
        let around = [function, of.map_or(function, |(item, _)| item)];
        let Some(ty) = ty.filter(|ty| !self.is_parameter(&around, *ty, cx)) else { return };
        let name = cx.facts.intern(cx.text(name));
        self.results.insert((of.map(|(_, owner)| owner), name), Returned { ty, wrapped });
    }

    /// Returns `T` of `Result<T, E>` and `Option<T>`.
    pub(super) fn wrapped_type<'t>(&self, ty: Node<'t>, cx: &Cx<'_>) -> Option<Node<'t>> {
        let name = (self.g.kind(ty) == RustKind::Generic).then(|| self.dotted_path(ty, cx)).flatten()?;
        let wraps = matches!(name.rsplit('.').next(), Some("Result" | "Option"));
        ty.child_by_field_id(self.g.f.type_arguments).filter(|_| wraps)?.named_child(0)
    }

    pub(super) fn is_parameter(&self, items: &[Node<'_>], ty: StrId, cx: &Cx<'_>) -> bool {
        let name = cx.facts.provisional_name(ty);
        items.iter().any(|item| self.has_parameter(*item, name, cx))
    }
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut all = Vec::new();
    each_child(node, |child, _| all.extend(child.is_named().then_some(child)));
    all
}
