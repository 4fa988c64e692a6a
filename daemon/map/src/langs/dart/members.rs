//! Defines members of types, and functions and variables of the file.

use super::grammar::DartKind;
use super::items::{DartItem, flags_of_name};
use super::rules::DartRules;
use super::types::{binding_of_type, type_child, type_path};
use crate::facts::{DefFlags, DefKind, TypePart};
use crate::langs::support::{child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

impl DartRules {
    /// Visits a member of a type, whose signature or fields stand one or two nodes below.
    pub(super) fn visit_member(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let inner = child_where(node, |c| matches!(c.kind(), "declaration" | "method_declaration"));
        let Some(inner) = inner else { return WalkStep::Into };
        let holder = inner.child_by_field_id(self.g.f.signature).unwrap_or(inner);
        match child_where(holder, |c| c.kind().ends_with("_signature")) {
            Some(signature) => {
                let body = inner.child_by_field_id(self.g.f.body);
                self.define_signature(node, signature, body, cx);
            }
            None => self.define_fields(node, inner, cx),
        }
        WalkStep::Into
    }

    /// Visits a function, getter or setter of the file.
    pub(super) fn visit_function(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        match node.child_by_field_id(self.g.f.signature) {
            Some(signature) => {
                let body = node.child_by_field_id(self.g.f.body);
                self.define_signature(node, signature, body, cx);
                WalkStep::Into
            }
            None => self.visit_code(node, cx),
        }
    }

    fn define_signature(
        &mut self,
        node: Node<'_>,
        signature: Node<'_>,
        body: Option<Node<'_>>,
        cx: &mut Cx<'_>,
    ) {
        let is_constructor = self.is_constructor(signature, cx);
        let Some(at) = self.signature_name(signature, is_constructor) else { return cx.open_scope(true) };
        let name = cx.text(at);
        let is_value = matches!(signature.kind(), "getter_signature" | "setter_signature");
        let kind = match (cx.owner().is_some(), is_value) {
            (true, true) => DefKind::Field,
            (true, false) => DefKind::Method,
            (false, true) => DefKind::Variable,
            (false, false) => DefKind::Function,
        };
        let has_none = body.is_none() && !is_constructor;
        let is_added = self.class_around(node).is_some_and(|class| class.is_extension);
        let flags = flags_of_name(name)
            .with_if(has_none, DefFlags::DECLARATION)
            .with_if(is_added, DefFlags::EXTENSION);
        let end = self.header_end(node, signature, body);
        let item = DartItem { node, at, name, kind, flags, end };
        let ty = if is_constructor {
            self.class_around(node).map(|class| cx.facts.provisional_name(class.name).to_owned())
        } else {
            self.result_type(signature, cx)
        };
        let part = if is_value { TypePart::VALUE } else { TypePart::RESULT };
        if let Some((idx, ty)) = self.define_item(&item, Some(true), cx).zip(ty) {
            cx.facts.type_hint(idx, part, &ty);
        }
    }

    /// Returns true if a signature is a constructor's. One without parameters and without its type in front differs
    /// from a method by its name alone.
    fn is_constructor(&mut self, signature: Node<'_>, cx: &Cx<'_>) -> bool {
        let mut names = Vec::new();
        each_child(signature, |c, field| names.extend((field == self.g.f.name).then_some(c)));
        // The class's name in front of a constructor's is no use of the class.
        let is_constructor = signature.kind().contains("constructor_signature");
        if is_constructor {
            names.iter().for_each(|name| self.handled.mark(*name));
        }
        let class = self.class_around(signature).map_or("", |class| cx.facts.provisional_name(class.name));
        is_constructor && names.first().is_some_and(|first| cx.text(*first) == class || names.len() > 1)
    }

    /// Returns the node of a member's name: the own name of a named constructor, the sign of an operator.
    fn signature_name<'t>(&self, signature: Node<'t>, is_constructor: bool) -> Option<Node<'t>> {
        let mut last = signature.child_by_field_id(self.g.f.name);
        let first = last;
        if is_constructor {
            each_child(signature, |c, field| last = if field == self.g.f.name { Some(c) } else { last });
            // `Order.new` is the unnamed constructor.
            return last.filter(|last| self.g.kind(*last) == DartKind::Ident).or(first);
        }
        last.or_else(|| signature.child_by_field_id(self.g.f.operator))
    }

    /// Returns the end of a header: before the body, and for constructors behind the parameters.
    fn header_end(&self, node: Node<'_>, signature: Node<'_>, body: Option<Node<'_>>) -> usize {
        let end = if signature.kind().contains("constructor") {
            child_where(signature, |c| self.g.kind(c) == DartKind::Parameters)
        } else {
            None
        };
        let end = end.map(|list| list.end_byte());
        end.or(body.map(|body| body.start_byte())).unwrap_or(node.end_byte())
    }

    fn define_fields(&mut self, node: Node<'_>, declaration: Node<'_>, cx: &mut Cx<'_>) {
        let is_const = child_where(declaration, |c| c.kind() == "const").is_some();
        let kind = if is_const { DefKind::Constant } else { DefKind::Field };
        self.define_variables(node, declaration, kind, cx);
    }

    pub(super) fn visit_top_variables(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let is_const = child_where(node, |c| c.kind() == "const").is_some();
        let kind = if is_const { DefKind::Constant } else { DefKind::Variable };
        self.define_variables(node, node, kind, cx);
        WalkStep::Into
    }

    /// Defines the variables of a declaration. A single one owns the definitions inside the declaration.
    fn define_variables(&mut self, node: Node<'_>, declaration: Node<'_>, kind: DefKind, cx: &mut Cx<'_>) {
        let written = type_child(declaration).and_then(|ty| type_path(ty, cx));
        let is_typed = type_child(declaration).is_some();
        let variables = self.variables(declaration);
        let scope = (variables.len() == 1).then_some(true);
        for variable in variables {
            let at = variable.child_by_field_id(self.g.f.name).unwrap_or(variable);
            self.handled.mark(variable);
            let value = variable.child_by_field_id(self.g.f.value).filter(|_| !is_typed);
            let ty = written.clone().or_else(|| value.and_then(|value| self.value_type(value, cx)));
            let name = cx.text(at);
            let item = DartItem { node, at, name, kind, flags: flags_of_name(name), end: at.end_byte() };
            if let Some((idx, ty)) = self.define_item(&item, scope, cx).zip(ty) {
                cx.facts.type_hint(idx, TypePart::VALUE, &ty);
            }
        }
        if scope.is_none() {
            cx.open_scope(true);
        }
    }

    /// Returns the nodes of the variables that a declaration has: names, or names with values.
    fn variables<'t>(&self, declaration: Node<'t>) -> Vec<Node<'t>> {
        let lists = ["initialized_identifier_list", "static_final_declaration_list", "identifier_list"];
        let mut variables = Vec::new();
        if let Some(list) = child_where(declaration, |c| lists.contains(&c.kind())) {
            each_child(list, |c, _| variables.extend((c.is_named() && !c.is_extra()).then_some(c)));
        }
        variables
    }

    /// Binds a function inside a function, which is no definition.
    pub(super) fn visit_local_function(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let signature = child_where(node, |c| c.kind() == "function_signature");
        if let Some(name) = signature.and_then(|signature| signature.child_by_field_id(self.g.f.name)) {
            self.handled.mark(name);
            cx.bind(cx.text(name), Binding::Opaque);
        }
        cx.open_scope(true);
        WalkStep::Into
    }

    /// Binds the variable of `var a = 1` in code; the second name of `var a = 1, b = 2` is a node of its own inside the
    /// first.
    pub(super) fn visit_local(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if self.handled.take_mark(node) {
            return WalkStep::Into;
        }
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        let written = type_child(node);
        let value = node.child_by_field_id(self.g.f.value);
        let ty = match (written, value) {
            (Some(ty), _) => type_path(ty, cx),
            (None, Some(value)) => self.value_type(value, cx),
            (None, None) => None,
        };
        let binding = binding_of_type(ty, cx);
        cx.bind(cx.text(name), binding);
        WalkStep::Into
    }
}
