//! Binds local names: parameters, variables, patterns, queries; and marks names that are keys rather than uses.

use super::grammar::CSharpKind;
use super::infer::{CSharpSyntax, element_type, elements_of};
use super::rules::CSharpRules;
use crate::facts::StrId;
use crate::langs::support::{SurroundingBody, Syntax, each_child};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

impl CSharpRules {
    /// Marks the types in a node's fields as types.
    pub(super) fn mark_types(&mut self, node: Node<'_>) {
        let fields = [self.g.f.ty, self.g.f.returns];
        each_child(node, |child, field| {
            if fields.contains(&field) {
                self.types.mark(child);
            }
        });
    }

    pub(super) fn visit_type_operand(&mut self, node: Node<'_>) -> WalkStep {
        self.mark_types(node);
        if let Some(right) =
            node.child_by_field_id(self.g.f.right).filter(|_| self.g.kind(node) == CSharpKind::As)
        {
            self.types.mark(right);
        }
        WalkStep::Into
    }

    pub(super) fn visit_type_arguments(&mut self, node: Node<'_>) -> WalkStep {
        each_child(node, |child, _| self.types.mark(child));
        WalkStep::Into
    }

    pub(super) fn visit_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.mark_types(node);
        let ty = node.child_by_field_id(self.g.f.ty);
        self.bind_to(node.child_by_field_id(self.g.f.name), ty, cx);
        WalkStep::Into
    }

    /// Binds a `params` parameter, which has no node of its own.
    pub(super) fn visit_parameters(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.mark_types(node);
        let mut names = Vec::new();
        each_child(node, |child, field| names.extend((field == self.g.f.name).then_some(child)));
        names.into_iter().for_each(|name| self.bind_to(Some(name), None, cx));
        WalkStep::Into
    }

    fn bind_to(&mut self, name: Option<Node<'_>>, ty: Option<Node<'_>>, cx: &mut Cx<'_>) {
        self.bind_elements(name, ty, cx);
        let ty = ty.and_then(|ty| CSharpSyntax.type_path(ty, cx));
        self.bind(name, ty, cx);
    }

    /// Binds the type of the elements of a variable that is a sequence.
    fn bind_elements(&mut self, name: Option<Node<'_>>, ty: Option<Node<'_>>, cx: &mut Cx<'_>) {
        let element = ty.and_then(|ty| element_type(ty, cx)).and_then(|ty| CSharpSyntax.type_path(ty, cx));
        if let (Some(name), Some(element)) = (name, element) {
            cx.bind(&elements_of(cx.text(name)), Binding::Typed(element));
        }
    }

    /// Returns the type of the elements of a variable or member.
    fn type_of_elements(&mut self, sequence: Node<'_>, cx: &mut Cx<'_>) -> Option<StrId> {
        let name = match sequence.child_by_field_id(self.g.f.expression) {
            None if self.g.kind(sequence) == CSharpKind::Ident => sequence,
            Some(object) if object.kind() == "this" => sequence.child_by_field_id(self.g.f.name)?,
            _ => return None,
        };
        let elements = elements_of(cx.text(name));
        if name == sequence && cx.local_binding(cx.text(name)).is_some() {
            return match cx.local_binding(&elements) {
                Some(Binding::Typed(ty)) => Some(ty),
                _ => None,
            };
        }
        self.members.member_around(&elements, name, cx)
    }

    /// Binds the variable of `from x in xs`, which is an element.
    pub(super) fn visit_from(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.mark_types(node);
        let name = node.child_by_field_id(self.g.f.name);
        match node.child_by_field_id(self.g.f.ty) {
            Some(ty) => self.bind_to(name, Some(ty), cx),
            None => {
                let sequence = node.named_child(node.named_child_count().saturating_sub(1) as u32);
                let ty = sequence.and_then(|sequence| self.type_of_elements(sequence, cx));
                self.bind(name, ty, cx);
            }
        }
        WalkStep::Into
    }

    fn bind(&mut self, name: Option<Node<'_>>, ty: Option<StrId>, cx: &mut Cx<'_>) {
        if let Some(name) = name {
            self.handled.mark(name);
            cx.bind(cx.text(name), ty.map_or(Binding::Opaque, Binding::Typed));
        }
    }

    /// Binds the variables of `T a = x, b;` in code; those of fields are defined with their type.
    pub(super) fn visit_declaration(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.mark_types(node);
        if self.handled.take_mark(node) {
            return WalkStep::Into;
        }
        let ty = node.child_by_field_id(self.g.f.ty);
        let mut declarators = Vec::new();
        each_child(node, |child, _| {
            declarators.extend((child.kind() == "variable_declarator").then_some(child));
        });
        for declarator in declarators {
            let name = declarator.child_by_field_id(self.g.f.name);
            let created = declarator.named_child((declarator.named_child_count().max(1) - 1) as u32);
            let created = created.filter(|value| self.g.kind(*value) == CSharpKind::New);
            let written = ty.filter(|ty| ty.kind() != "implicit_type");
            let of = written.or_else(|| created.and_then(|value| value.child_by_field_id(self.g.f.ty)));
            self.bind_elements(name, of, cx);
            let inferred = ty.is_some_and(|ty| ty.kind() == "implicit_type");
            let value = declarator.named_child((declarator.named_child_count().max(1) - 1) as u32);
            let ty = match (inferred, value) {
                (true, Some(value)) if Some(value) != name => self.members.type_of(&CSharpSyntax, value, cx),
                (true, _) => None,
                _ => ty.and_then(|ty| CSharpSyntax.type_path(ty, cx)),
            };
            self.bind(name, ty, cx);
        }
        WalkStep::Into
    }

    pub(super) fn visit_for_each(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.members.enter_body(node, SurroundingBody::Code);
        cx.open_scope(true);
        self.mark_types(node);
        let ty = node.child_by_field_id(self.g.f.ty);
        let left = node.child_by_field_id(self.g.f.left);
        let left = left.filter(|left| self.g.kind(*left) == CSharpKind::Ident);
        if ty.is_some_and(|ty| ty.kind() == "implicit_type") {
            let sequence = node.child_by_field_id(self.g.f.right);
            let ty = sequence.and_then(|sequence| self.type_of_elements(sequence, cx));
            self.bind(left, ty, cx);
        } else {
            self.bind_to(left, ty, cx);
        }
        WalkStep::Into
    }

    pub(super) fn visit_lambda_name(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        cx.bind(cx.text(node), Binding::Opaque);
        WalkStep::Skip
    }

    /// Binds every name in a field `name`: `out var x`, `is T x`, `(a, b)`.
    pub(super) fn visit_designation(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.mark_types(node);
        let ty = node.child_by_field_id(self.g.f.ty);
        let mut names = Vec::new();
        each_child(node, |child, field| names.extend((field == self.g.f.name).then_some(child)));
        names.into_iter().for_each(|name| self.bind_to(Some(name), ty, cx));
        WalkStep::Into
    }

    /// Binds the first name of `let x = …`, `join x in …` and `into x`.
    pub(super) fn visit_query_names(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.mark_types(node);
        let mut names = Vec::new();
        each_child(node, |child, _| names.extend((self.g.kind(child) == CSharpKind::Ident).then_some(child)));
        let sequence = names.get(1).copied().filter(|_| node.kind() == "join_clause");
        let ty = sequence.and_then(|sequence| self.type_of_elements(sequence, cx));
        self.bind(names.first().copied(), ty, cx);
        WalkStep::Into
    }

    pub(super) fn visit_type_parameter(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        self.bind(node.child_by_field_id(self.g.f.name), None, cx);
        WalkStep::Into
    }

    /// Visits an argument: the name in `name: value` is no reference.
    pub(super) fn visit_argument(&mut self, node: Node<'_>) -> WalkStep {
        node.child_by_field_id(self.g.f.name).into_iter().for_each(|name| self.handled.mark(name));
        WalkStep::Into
    }

    /// Marks the names before `=` in `{ A = x }`: they are recorded with the creation, or are keys.
    pub(super) fn visit_keys(&mut self, node: Node<'_>) -> WalkStep {
        let mut last: Option<Node<'_>> = None;
        each_child(node, |child, _| {
            let key = match child.kind() {
                "=" => last,
                "assignment_expression" if self.g.kind(node) == CSharpKind::Initializer => {
                    child.child_by_field_id(self.g.f.left)
                }
                _ => None,
            };
            key.filter(|key| self.g.kind(*key) == CSharpKind::Ident)
                .into_iter()
                .for_each(|k| self.handled.mark(k));
            last = Some(child);
        });
        WalkStep::Into
    }

    /// Marks the first name of `Name: pattern` and `label: statement`.
    pub(super) fn first_is_key(&mut self, node: Node<'_>) -> WalkStep {
        let first = node.named_child(0).filter(|first| self.g.kind(*first) == CSharpKind::Ident);
        let follows = first.and_then(|first| first.next_sibling()).is_some_and(|next| next.kind() == ":");
        first.filter(|_| follows).into_iter().for_each(|first| self.handled.mark(first));
        WalkStep::Into
    }

    /// Marks the symbols in a condition of the preprocessor, which are no names of the program.
    pub(super) fn visit_condition(&mut self, node: Node<'_>) -> WalkStep {
        if let Some(condition) = node.child_by_field_id(self.g.f.condition) {
            self.handled.mark(condition);
            let mut next = vec![condition];
            while let Some(node) = next.pop().filter(|_| next.len() < 1000) {
                self.handled.mark(node);
                each_child(node, |child, _| next.push(child));
            }
        }
        WalkStep::Into
    }
}
