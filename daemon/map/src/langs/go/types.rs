//! Writes types as the extractor keeps them: the dotted name of a type, behind `[]` for each slice, array, map or
//! channel that holds it; and struct and interface types without a name, which go by the path of the field or variable
//! that has them.

use super::grammar::GoKind;
use super::rules::GoWalk;
use crate::facts::{DefIdx, StrId, TypePart};
use crate::langs::support::each_child;
use crate::syntax::Node;
use crate::walk::{Binding, Cx};

/// Deepest nesting of types that is looked through.
const DEPTH: usize = 8;

/// The type of a field or variable, if it has no name.
pub(super) struct AnonymousType<'t> {
    pub(super) node: Node<'t>,
    /// `[]` for each slice, array, map or channel around it.
    pub(super) holders: String,
}

impl GoWalk {
    /// Returns a type with its holders, as `[]T`; `None` for types without a name.
    pub(super) fn kept_type(&self, ty: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let (inner, holders) = self.held_type(ty)?;
        let path = self.type_path(inner, cx)?;
        if holders.is_empty() {
            return Some(path);
        }
        let text = format!("{holders}{}", cx.facts.provisional_name(path));
        Some(cx.facts.intern(&text))
    }

    /// Returns the type inside slices, arrays, maps, channels and pointers, and a `[]` for each of these but pointers.
    fn held_type<'t>(&self, ty: Node<'t>) -> Option<(Node<'t>, String)> {
        let (mut ty, mut holders) = (ty, String::new());
        for _ in 0..DEPTH {
            ty = match self.g.kind(ty) {
                GoKind::Pointer | GoKind::Parens => ty.named_child(0)?,
                GoKind::Sequence => {
                    holders.push_str("[]");
                    ty.child_by_field_id(self.g.f.element)?
                }
                GoKind::Map | GoKind::Channel => {
                    holders.push_str("[]");
                    ty.child_by_field_id(self.g.f.value)?
                }
                _ => return Some((ty, holders)),
            };
        }
        None
    }

    /// Returns the type that a declaration gives, if it is a struct or interface without a name.
    pub(super) fn anonymous_type<'t>(&self, ty: Node<'t>) -> Option<AnonymousType<'t>> {
        let (node, holders) = self.held_type(ty)?;
        let is_anonymous = matches!(self.g.kind(node), GoKind::Struct | GoKind::Interface);
        (is_anonymous && node.named_child_count() > 0).then_some(AnonymousType { node, holders })
    }

    /// Returns the type of a variable likewise, from its declaration or its value.
    pub(super) fn anonymous_type_of<'t>(&self, spec: Node<'t>) -> Option<AnonymousType<'t>> {
        if let Some(ty) = spec.child_by_field_id(self.g.f.ty) {
            return self.anonymous_type(ty);
        }
        let value = spec.child_by_field_id(self.g.f.value).filter(|list| list.named_child_count() == 1);
        let value = value?.named_child(0).filter(|value| self.g.kind(*value) == GoKind::Composite)?;
        self.anonymous_type(value.child_by_field_id(self.g.f.ty)?)
    }

    /// Notes the types of a struct's fields, and of those of structs within it.
    pub(super) fn record_field_types(&mut self, body: Node<'_>, owner: &str, cx: &mut Cx<'_>) {
        let mut waiting = vec![(body, owner.to_owned())];
        while let Some((body, owner)) = waiting.pop() {
            let list = body.named_child(0).filter(|_| self.g.kind(body) == GoKind::Struct);
            let mut fields = Vec::new();
            list.into_iter().for_each(|list| each_child(list, |field, _| fields.push(field)));
            for field in fields.into_iter().filter(|field| self.g.kind(*field) == GoKind::Field) {
                let inner = self.record_field_type(field, &owner, cx);
                waiting.extend(inner.filter(|(_, path)| path.matches('.').count() < DEPTH));
            }
        }
    }

    /// Notes the type of a field. Returns the struct without a name that it has, and the path that this goes by.
    fn record_field_type<'t>(
        &mut self,
        field: Node<'t>,
        owner: &str,
        cx: &mut Cx<'_>,
    ) -> Option<(Node<'t>, String)> {
        let ty = field.child_by_field_id(self.g.f.ty)?;
        let mut names = Vec::new();
        each_child(field, |child, id| names.extend((id == self.g.f.name).then_some(child)));
        let anonymous = self.anonymous_type(ty);
        let path = names.first().map(|name| format!("{owner}.{}", cx.text(*name)));
        let kept = match (&anonymous, &path) {
            (Some(anonymous), Some(path)) => Some(cx.facts.intern(&format!("{}{path}", anonymous.holders))),
            _ => self.kept_type(ty, cx),
        }?;
        for name in &names {
            let key = cx.facts.intern(&format!("{owner}.{}", cx.text(*name)));
            self.known.fields.insert(key, kept);
        }
        if names.is_empty() {
            let text = cx.facts.provisional_name(kept);
            let key = format!("{owner}.{}", text.rsplit('.').next().unwrap_or(text));
            let key = cx.facts.intern(&key);
            self.known.fields.insert(key, kept);
        }
        Some((anonymous?.node, path?))
    }

    /// Returns the type of the elements of a slice, an array, a map or a channel.
    pub(super) fn element_type(&self, holder: StrId, cx: &mut Cx<'_>) -> Option<StrId> {
        let text = cx.facts.provisional_name(holder).to_owned();
        if let Some(path) = text.strip_prefix('=') {
            return Some(cx.facts.intern(&format!("={path}.[]")));
        }
        match text.strip_prefix("[]") {
            Some(held) => Some(cx.facts.intern(held)),
            None => self.known.elements.get(&holder).copied(),
        }
    }

    /// Records the type of a definition for other files.
    pub(super) fn add_type_hint(
        &self,
        def: Option<DefIdx>,
        part: TypePart,
        ty: Option<Node<'_>>,
        cx: &mut Cx<'_>,
    ) {
        let (Some(def), Some(ty)) = (def, ty) else { return };
        if let Some(kept) = self.kept_type(ty, cx) {
            let says = cx.facts.provisional_name(kept).to_owned();
            cx.facts.type_hint(def, part, &says);
        }
    }

    /// Returns the type of a function's first result.
    pub(super) fn first_result<'t>(&self, function: Node<'t>) -> Option<Node<'t>> {
        let result = function.child_by_field_id(self.g.f.result)?;
        match result.kind() {
            "parameter_list" => result.named_child(0)?.child_by_field_id(self.g.f.ty),
            _ => Some(result),
        }
    }

    /// Returns the path of a value, in names, members and calls, where only other files tell its type.
    pub(super) fn value_path(&self, value: Node<'_>, depth: usize, cx: &mut Cx<'_>) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        match self.g.kind(value) {
            GoKind::Parens | GoKind::Unary => {
                let path = self.value_path(value.named_child(0)?, depth, cx)?;
                Some(if cx.text(value).starts_with("<-") { format!("{path}.[]") } else { path })
            }
            GoKind::Ident => {
                let name = cx.text(value);
                match (self.variable_type(name, cx), cx.local_binding(name)) {
                    (Some(ty), _) => Some(path_of_type(cx.facts.provisional_name(ty))),
                    (None, None) if !super::infer::is_basic(name) => Some(name.to_owned()),
                    _ => None,
                }
            }
            GoKind::Selector => {
                let member = value.child_by_field_id(self.g.f.member)?;
                let operand = value.child_by_field_id(self.g.f.operand)?;
                Some(format!("{}.{}", self.value_path(operand, depth, cx)?, cx.text(member)))
            }
            GoKind::Call => {
                let function = value.child_by_field_id(self.g.f.function)?;
                let is_named = matches!(self.g.kind(function), GoKind::Ident | GoKind::Selector);
                let path =
                    self.value_path(function, depth, cx).filter(|path| is_named && !path.ends_with('~'))?;
                Some(format!("{path}()"))
            }
            GoKind::Index => Some(format!("{}.[]", self.value_path(value.named_child(0)?, depth, cx)?)),
            GoKind::Composite | GoKind::Assertion => {
                let ty = self.type_path(value.child_by_field_id(self.g.f.ty)?, cx)?;
                Some(path_of_type(cx.facts.provisional_name(ty)))
            }
            _ => None,
        }
    }

    /// Returns the type of a value, or its path behind a `=`.
    pub(super) fn type_or_path(&self, value: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        if let Some(ty) = self.value_type(value, cx) {
            return Some(ty);
        }
        let path = self.value_path(value, DEPTH, cx).filter(|path| path.contains(['.', '(']))?;
        Some(cx.facts.intern(&format!("={path}")))
    }

    /// Returns the binding of a type parameter to the one interface that constrains it, whose members its values have.
    pub(super) fn constraint_binding(&self, parameter: Node<'_>, cx: &mut Cx<'_>) -> Binding {
        let constraint = parameter.child_by_field_id(self.g.f.ty);
        let only =
            constraint.filter(|list| list.named_child_count() == 1).and_then(|list| list.named_child(0));
        only.and_then(|ty| self.type_path(ty, cx)).map_or(Binding::Opaque, Binding::Typed)
    }
}

/// Returns the beginning of a path at a value of this type.
fn path_of_type(ty: &str) -> String {
    ty.strip_prefix('=').map_or_else(|| format!("{ty}~"), str::to_owned)
}
