//! Names that C# binds locally: parameters, variables, patterns, queries; and names that are keys rather than uses.

use tree_sitter::Node;

use super::grammar::K;
use super::infer::Sharp;
use super::rules::CSharpRules;
use crate::facts::StrId;
use crate::langs::support::{Body, Syntax, each_child};
use crate::walk::{Binding, Cx, Step};

impl CSharpRules {
    /// The type in a field of a node, by its number, marked as one.
    pub(super) fn mark_types(&mut self, node: Node<'_>) {
        let fields = [self.g.f.ty, self.g.f.returns];
        each_child(node, |child, field| {
            if fields.contains(&field) {
                self.types.mark(child);
            }
        });
    }

    pub(super) fn typed(&mut self, node: Node<'_>) -> Step {
        self.mark_types(node);
        if let Some(right) = node.child_by_field_id(self.g.f.right).filter(|_| self.g.kind(node) == K::As) {
            self.types.mark(right);
        }
        Step::Into
    }

    pub(super) fn type_arguments(&mut self, node: Node<'_>) -> Step {
        each_child(node, |child, _| self.types.mark(child));
        Step::Into
    }

    pub(super) fn parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        self.mark_types(node);
        let ty = node.child_by_field_id(self.g.f.ty);
        self.bind_to(node.child_by_field_id(self.g.f.name), ty, cx);
        Step::Into
    }

    /// A `params` parameter has no node of its own.
    pub(super) fn parameters(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        self.mark_types(node);
        let mut names = Vec::new();
        each_child(node, |child, field| names.extend((field == self.g.f.name).then_some(child)));
        names.into_iter().for_each(|name| self.bind_to(Some(name), None, cx));
        Step::Into
    }

    fn bind_to(&mut self, name: Option<Node<'_>>, ty: Option<Node<'_>>, cx: &mut Cx<'_>) {
        let ty = ty.and_then(|ty| Sharp.type_path(ty, cx));
        self.bind(name, ty, cx);
    }

    fn bind(&mut self, name: Option<Node<'_>>, ty: Option<StrId>, cx: &mut Cx<'_>) {
        if let Some(name) = name {
            self.handled.mark(name);
            cx.bind(cx.text(name), ty.map_or(Binding::Opaque, Binding::Typed));
        }
    }

    /// `T a = x, b;` in code; fields are told where they are defined.
    pub(super) fn declaration(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        self.mark_types(node);
        if self.handled.take(node) {
            return Step::Into;
        }
        let ty = node.child_by_field_id(self.g.f.ty);
        let mut declarators = Vec::new();
        each_child(node, |child, _| {
            declarators.extend((child.kind() == "variable_declarator").then_some(child));
        });
        for declarator in declarators {
            let name = declarator.child_by_field_id(self.g.f.name);
            let inferred = ty.is_some_and(|ty| ty.kind() == "implicit_type");
            let value = declarator.named_child((declarator.named_child_count().max(1) - 1) as u32);
            let ty = match (inferred, value) {
                (true, Some(value)) if Some(value) != name => self.members.type_of(&Sharp, value, cx),
                (true, _) => None,
                _ => ty.and_then(|ty| Sharp.type_path(ty, cx)),
            };
            self.bind(name, ty, cx);
        }
        Step::Into
    }

    pub(super) fn for_each(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        self.members.enter(node, Body::Code);
        cx.open_scope(true);
        self.mark_types(node);
        let ty = node.child_by_field_id(self.g.f.ty);
        let left = node.child_by_field_id(self.g.f.left);
        self.bind_to(left.filter(|left| self.g.kind(*left) == K::Ident), ty, cx);
        Step::Into
    }

    pub(super) fn lambda_name(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        cx.bind(cx.text(node), Binding::Opaque);
        Step::Skip
    }

    /// `out var x`, `is T x`, `(a, b)`: every name in a field `name` is bound.
    pub(super) fn designation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        self.mark_types(node);
        let ty = node.child_by_field_id(self.g.f.ty);
        let mut names = Vec::new();
        each_child(node, |child, field| names.extend((field == self.g.f.name).then_some(child)));
        names.into_iter().for_each(|name| self.bind_to(Some(name), ty, cx));
        Step::Into
    }

    /// `let x = …`, `join x in …`, `into x`: the first name is bound.
    pub(super) fn query_names(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        self.mark_types(node);
        let mut names = Vec::new();
        each_child(node, |child, _| names.extend((self.g.kind(child) == K::Ident).then_some(child)));
        self.bind(names.first().copied(), None, cx);
        Step::Into
    }

    pub(super) fn type_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> Step {
        self.bind(node.child_by_field_id(self.g.f.name), None, cx);
        Step::Into
    }

    /// Handles an argument: the name in `name: value` is no reference.
    pub(super) fn argument(&mut self, node: Node<'_>) -> Step {
        node.child_by_field_id(self.g.f.name).into_iter().for_each(|name| self.handled.mark(name));
        Step::Into
    }

    /// `{ A = x }`: the names before `=` are told by the creation, or are keys.
    pub(super) fn keys(&mut self, node: Node<'_>) -> Step {
        let mut last: Option<Node<'_>> = None;
        each_child(node, |child, _| {
            let key = match child.kind() {
                "=" => last,
                "assignment_expression" if self.g.kind(node) == K::Initializer => {
                    child.child_by_field_id(self.g.f.left)
                }
                _ => None,
            };
            key.filter(|key| self.g.kind(*key) == K::Ident).into_iter().for_each(|k| self.handled.mark(k));
            last = Some(child);
        });
        Step::Into
    }

    /// `Name: pattern`, `label: statement`.
    pub(super) fn first_is_key(&mut self, node: Node<'_>) -> Step {
        let first = node.named_child(0).filter(|first| self.g.kind(*first) == K::Ident);
        let follows = first.and_then(|first| first.next_sibling()).is_some_and(|next| next.kind() == ":");
        first.filter(|_| follows).into_iter().for_each(|first| self.handled.mark(first));
        Step::Into
    }

    /// Symbols of the preprocessor are no names of the program.
    pub(super) fn condition(&mut self, node: Node<'_>) -> Step {
        if let Some(condition) = node.child_by_field_id(self.g.f.condition) {
            self.handled.mark(condition);
            let mut next = vec![condition];
            while let Some(node) = next.pop().filter(|_| next.len() < 1000) {
                self.handled.mark(node);
                each_child(node, |child, _| next.push(child));
            }
        }
        Step::Into
    }
}
