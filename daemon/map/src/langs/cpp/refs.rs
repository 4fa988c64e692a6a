//! Records uses that only C++ has: qualified names, templates, `new`; and infers the types behind `auto`.

use crate::facts::{Receiver, RefKind, StrId};
use crate::langs::c::Family;
use crate::langs::c::grammar::CKind;
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl Family {
    /// Records a qualified name in the place of a value or a type.
    pub(crate) fn visit_qualified_use(&mut self, node: Node<'_>, cx: &mut Cx<'_>, kind: RefKind) -> WalkStep {
        if !self.handled.take_mark(node) {
            let leaf = self.type_leaf(node, cx).map(|(leaf, _)| self.g.kind(leaf));
            let kind = if leaf == Some(CKind::TypeIdent) { RefKind::Type } else { kind };
            self.refer_qualified(node, kind, cx);
        }
        WalkStep::Into
    }

    /// Records `a::b::c` as a use of `c` on the path `a.b`, and passes over its parts; template arguments are walked.
    pub(crate) fn refer_qualified(&mut self, node: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        self.mark_parts(node);
        self.refer_scopes(node, cx);
        let Some((leaf, path)) = self.type_leaf(node, cx) else { return };
        if self.g.kind(leaf) == CKind::Operator || path.len() > 500 {
            return;
        }
        // `::name` is looked up at the top, where a bare name would end.
        let receiver = if path.is_empty() { Receiver::None } else { Receiver::Path(cx.facts.intern(&path)) };
        cx.record_use(cx.text(leaf), leaf, kind, receiver);
    }

    /// Records the namespaces and types before the last name of a path as used, as far as all of them are names. Those
    /// of the standard library are left out.
    pub(crate) fn refer_scopes(&self, node: Node<'_>, cx: &mut Cx<'_>) {
        let mut path = String::new();
        let mut next = Some(node).filter(|node| !node.has_error());
        while let Some(node) = next.filter(|node| self.g.kind(*node) == CKind::Qualified) {
            if let Some(scope) = node.child_by_field_id(self.g.f.scope) {
                let name = scope.child_by_field_id(self.g.f.name).unwrap_or(scope);
                let text = cx.text(name);
                let is_name =
                    matches!(name.kind(), "namespace_identifier" | "type_identifier" | "identifier");
                if !is_name || path.len() > 500 || (path.is_empty() && text == "std") {
                    return;
                }
                let receiver =
                    if path.is_empty() { Receiver::None } else { Receiver::Path(cx.facts.intern(&path)) };
                cx.record_use(text, name, RefKind::Use, receiver);
                path = if path.is_empty() { text.to_owned() } else { format!("{path}.{text}") };
            }
            next = node.child_by_field_id(self.g.f.name);
        }
    }

    /// Makes the walk pass over the names of a path.
    pub(crate) fn mark_parts(&mut self, node: Node<'_>) {
        let mut next = Some(node);
        while let Some(node) = next {
            next = match self.g.kind(node) {
                CKind::Qualified => {
                    if let Some(scope) = node.child_by_field_id(self.g.f.scope) {
                        self.mark_template(scope);
                    }
                    node.child_by_field_id(self.g.f.name)
                }
                CKind::TemplateType => node.child_by_field_id(self.g.f.name),
                _ => None,
            };
            if let Some(part) = next {
                self.handled.mark(part);
            }
        }
    }

    fn mark_template(&mut self, scope: Node<'_>) {
        if self.g.kind(scope) == CKind::TemplateType {
            self.handled.mark(scope);
            if let Some(name) = scope.child_by_field_id(self.g.f.name) {
                self.handled.mark(name);
            }
        }
    }

    /// Records `name<args>` as a type, if no other handler has recorded it.
    pub(crate) fn visit_template_use(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if !self.handled.take_mark(node) {
            let name = node.child_by_field_id(self.g.f.name);
            let kind = match name.map(|name| self.g.kind(name)) {
                Some(CKind::TypeIdent) => RefKind::Type,
                _ => RefKind::Use,
            };
            self.refer_template(node, kind, cx);
        }
        WalkStep::Into
    }

    /// Records the name before `<args>`, unless it is a cast's.
    pub(crate) fn refer_template(&mut self, node: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return };
        self.handled.mark(name);
        if matches!(self.g.kind(name), CKind::Ident | CKind::TypeIdent) && !is_cast(cx.text(name)) {
            cx.record_use(cx.text(name), name, kind, Receiver::None);
        }
    }

    pub(crate) fn visit_new_object(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(ty) = node.child_by_field_id(self.g.f.ty) {
            self.refer_instantiated(ty, cx);
        }
        WalkStep::Into
    }

    /// Records the creation of a value by a list: `Foo{1}`.
    pub(crate) fn visit_list_literal(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(ty) = node.child_by_field_id(self.g.f.ty) {
            self.refer_instantiated(ty, cx);
        }
        WalkStep::Into
    }

    fn refer_instantiated(&mut self, ty: Node<'_>, cx: &mut Cx<'_>) {
        match self.g.kind(ty) {
            CKind::TypeIdent => {
                self.handled.mark(ty);
                cx.record_use(cx.text(ty), ty, RefKind::Call, Receiver::None);
            }
            CKind::Qualified => {
                self.handled.mark(ty);
                self.refer_qualified(ty, RefKind::Call, cx);
            }
            CKind::TemplateType => {
                self.handled.mark(ty);
                self.refer_template(ty, RefKind::Call, cx);
            }
            _ => {}
        }
    }

    /// Records the members and bases that a constructor initialises: `Foo() : field(x), Base(y)`.
    pub(crate) fn visit_member_initialiser(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child(0) else { return WalkStep::Into };
        match self.g.kind(name) {
            CKind::FieldIdent => {
                let text = cx.text(name);
                let hidden = cx.local_binding(text).is_some();
                let receiver = if hidden { Receiver::SelfType } else { Receiver::None };
                cx.record_use(text, name, RefKind::Use, receiver);
            }
            CKind::Qualified => {
                self.handled.mark(name);
                self.refer_qualified(name, RefKind::Call, cx);
            }
            _ => {}
        }
        WalkStep::Into
    }

    /// Returns the type of an `auto` variable, from its initialiser.
    pub(crate) fn inferred_type(
        &self,
        ty: Option<Node<'_>>,
        declarator: Node<'_>,
        cx: &mut Cx<'_>,
    ) -> Option<StrId> {
        if self.g.kind(ty?) != CKind::Auto {
            return None;
        }
        self.value_type(declarator.child_by_field_id(self.g.f.value)?, cx)
    }

    /// Returns the type of `new T(..)`, `T{..}`, `make_unique<T>(..)`, and of `T(..)` if this file defines the type.
    pub(crate) fn value_type(&self, value: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        match self.g.kind(value) {
            CKind::New | CKind::Literal => self.type_name(value.child_by_field_id(self.g.f.ty), cx),
            CKind::Call => self.called_type(value.child_by_field_id(self.g.f.function)?, cx),
            _ => None,
        }
    }

    fn called_type(&self, function: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let (leaf, path) = self.type_leaf(function, cx)?;
        match self.g.kind(function) {
            CKind::Qualified | CKind::TemplateType
                if matches!(cx.text(leaf), "make_unique" | "make_shared") || is_cast(cx.text(leaf)) =>
            {
                self.first_argument_type(function, cx)
            }
            CKind::Ident | CKind::Qualified | CKind::TemplateType => {
                let leaf = cx.text(leaf);
                let name = if path.is_empty() { leaf.to_owned() } else { format!("{path}.{leaf}") };
                let id = cx.facts.intern(&name);
                self.types.contains_key(&id).then_some(id)
            }
            _ => None,
        }
    }

    /// Returns the type of a template's first argument: `T` in `make_unique<T>`.
    fn first_argument_type(&self, function: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let template = match self.g.kind(function) {
            CKind::Qualified => function.child_by_field_id(self.g.f.name)?,
            _ => function,
        };
        let argument = template.child_by_field_id(self.g.f.arguments)?.named_child(0)?;
        self.type_name(argument.child_by_field_id(self.g.f.ty), cx)
    }
}

/// Returns true for the casts that look like calls of a template.
fn is_cast(name: &str) -> bool {
    matches!(name, "static_cast" | "dynamic_cast" | "const_cast" | "reinterpret_cast")
}
