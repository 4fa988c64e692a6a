//! Decides what `const`, `let` and `var` define, by their place and their value.

use super::Ecma;
use super::defs::{DeclarationWrapper, New};
use super::scopes::EcmaValueKind;
use super::types::THIS;
use crate::facts::{DefKind, TypePart};
use crate::langs::support::DefinitionLead;
use crate::syntax::{Node, named_children};
use crate::walk::{Binding, Cx, WalkStep};

/// The plan for one variable of a declaration, carried out when the walk meets the variable.
#[derive(Clone, Debug)]
pub(super) struct EcmaVariablePlan {
    wrap: DeclarationWrapper,
    value: EcmaValueKind,
    is_const: bool,
    /// True if the variable stands in a function, so that only functions in its value count.
    is_local: bool,
    head: usize,
}

impl Ecma {
    /// Plans the definition or import of each variable of `const`, `let` and `var`; the plan is carried out when the
    /// walk meets the variable.
    pub(super) fn visit_declaration<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let f = &self.grammar.fields;
        let wrap = self.take_wrap(node, cx);
        let is_var = node.kind() == "variable_declaration";
        let is_const = node.child_by_field_id(f.kind).is_some_and(|kind| cx.text(kind) == "const");
        let in_head = node.start_byte() < self.local_until;
        let local = self.in_function(node) || in_head || (!is_var && self.in_block(node));
        let declarators = named_children(node).filter(|n| n.kind() == "variable_declarator");
        let declarators: Vec<Node<'_>> = declarators.collect();
        let alone = declarators.len() == 1;
        for (i, &declarator) in declarators.iter().enumerate() {
            let value = declarator.child_by_field_id(f.value);
            self.note_expected(declarator, cx);
            let value = value.map_or(EcmaValueKind::Plain, |value| self.value_kind(value, cx.source));
            let is_local = local && value == EcmaValueKind::Plain;
            if is_local && !self.holds_functions(declarator, cx) {
                continue;
            }
            let mut own = if alone {
                wrap.clone()
            } else {
                DeclarationWrapper::around_node(declarator, DefinitionLead::default())
            };
            own.exported = wrap.exported;
            if i == 0 {
                own.doc.clone_from(&wrap.doc);
            }
            let head = if i == 0 { node.start_byte() } else { declarator.start_byte() };
            self.plans
                .insert(declarator.id(), EcmaVariablePlan { wrap: own, value, is_const, is_local, head });
        }
        WalkStep::Into
    }

    /// Notes the types that the keys in a variable's value, and in a pattern in the place of its name, belong to.
    fn note_expected<'t>(&mut self, declarator: Node<'t>, cx: &mut Cx<'t>) {
        let f = &self.grammar.fields;
        let (name, value) = (declarator.child_by_field_id(f.name), declarator.child_by_field_id(f.value));
        self.expect_annotated(value, declarator.child_by_field_id(f.ty), cx);
        if let Some(pattern) = name.filter(|name| name.kind() != "identifier") {
            self.use_pattern_keys(pattern, self.declared_type(declarator, cx), cx);
        }
    }

    /// Carries out the plan for one variable.
    pub(super) fn visit_declarator<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if self.plans.is_empty() {
            return WalkStep::Into;
        }
        let Some(plan) = self.plans.remove(&node.id()) else { return WalkStep::Into };
        let f = &self.grammar.fields;
        let (name, value) = (node.child_by_field_id(f.name), node.child_by_field_id(f.value));
        let Some(name) = name else { return WalkStep::Into };
        let simple = name.kind() == "identifier" && !cx.text(name).is_empty();
        match (plan.value, value) {
            (EcmaValueKind::Module, Some(value)) => return self.bind_required(name, value, cx),
            (EcmaValueKind::Function, Some(value)) if simple => {
                self.function_variable(name, value, &plan, cx);
            }
            (EcmaValueKind::Class, Some(value)) if simple => {
                self.handled.mark(name);
                self.open_class(value, cx.text(name), name, &plan.wrap, cx);
                self.opened = value.id();
            }
            _ => self.define_variables(node, &plan, cx),
        }
        WalkStep::Into
    }

    fn function_variable<'t>(
        &mut self,
        name: Node<'t>,
        value: Node<'t>,
        plan: &EcmaVariablePlan,
        cx: &mut Cx<'t>,
    ) {
        let text = cx.text(name);
        self.skip = name.id();
        self.hide_repeated(text, name, cx);
        let visible = self.is_visible(&plan.wrap, name, cx);
        let head = (plan.head, self.head(value).1);
        let new = New { name: text, at: name, kind: DefKind::Function, head, visible };
        self.make_def(&new, &plan.wrap, Some(true), cx);
        if value.kind() != "arrow_function" {
            cx.bind(THIS, Binding::Opaque);
        }
        self.opened = value.id();
    }

    /// Defines variables of the file or of a namespace.
    fn define_variables<'t>(&mut self, node: Node<'t>, plan: &EcmaVariablePlan, cx: &mut Cx<'t>) {
        let f = &self.grammar.fields;
        let Some(pattern) = node.child_by_field_id(f.name) else { return };
        let value = node.child_by_field_id(f.value);
        let kind = if plan.is_const { DefKind::Constant } else { DefKind::Variable };
        let visible = self.is_visible(&plan.wrap, pattern, cx);
        let end = plan.wrap.bytes.1 as usize;
        let line = cx.slice(plan.head, end).lines().next().map_or(0, str::len);
        let head = (plan.head, plan.head + line);
        let mut names = Vec::new();
        self.each_name(pattern, &mut |name| names.push(name));
        names.retain(|name| !cx.text(*name).is_empty());
        let is_simple = pattern.kind() == "identifier";
        let object_type = self.object_type_of(node).filter(|_| is_simple && !plan.is_local);
        let has_inside = value.is_some_and(|value| self.has_inside(value));
        let scope = is_simple && (has_inside || object_type.is_some());
        let declared = self.declared_type(node, cx);
        let typed = match pattern.kind() {
            "identifier" => declared.into_iter().map(|ty| (pattern, ty.into_owned())).collect(),
            _ => declared
                .filter(|ty| ty != THIS)
                .map_or_else(Vec::new, |ty| self.pattern_types(pattern, ty.into_owned(), cx.source)),
        };
        for at in names {
            self.handled.mark(at);
            let new = New { name: cx.text(at), at, kind, head, visible };
            let idx = self.make_def(&new, &plan.wrap, scope.then_some(false), cx);
            if let Some(ty) = typed.iter().find(|(name, _)| name.id() == at.id()).map(|(_, ty)| ty) {
                self.add_type_hint(idx, TypePart::VALUE, ty, cx);
            }
            self.add_called_type(idx, node, cx);
        }
        if let Some(object_type) = object_type {
            self.interface_body = object_type.id();
        }
        if let Some(object) = value.and_then(|value| self.object_in(value)).filter(|_| scope) {
            let objects = if plan.is_local { &mut self.local_objects } else { &mut self.objects };
            objects.insert(object.id());
        }
        if value.is_some_and(|value| self.is_module_exports(value, cx)) {
            self.record_export(cx.text(pattern), "default", cx);
        }
    }

    /// Returns the object type that a variable is declared with: `let x: { a: A }`.
    fn object_type_of<'t>(&self, declarator: Node<'t>) -> Option<Node<'t>> {
        let written = declarator.child_by_field_id(self.grammar.fields.ty)?.named_child(0)?;
        (written.kind() == "object_type").then_some(written)
    }

    /// Returns true if a variable of a function is an object literal with functions among its members.
    fn holds_functions<'t>(&self, declarator: Node<'t>, cx: &Cx<'t>) -> bool {
        let f = &self.grammar.fields;
        let is_simple = declarator.child_by_field_id(f.name).is_some_and(|name| name.kind() == "identifier");
        let value = declarator.child_by_field_id(f.value).filter(|_| is_simple && cx.owner().is_some());
        value.is_some_and(|value| self.object_of_functions(value, cx).is_some())
    }

    /// Returns true if a value holds functions of its own: an object, or a call with a function or an object among its
    /// arguments.
    pub(super) fn has_inside(&self, value: Node<'_>) -> bool {
        if self.object_in(value).is_some() {
            return true;
        }
        let Some(arguments) = value.child_by_field_id(self.grammar.fields.arguments) else { return false };
        named_children(arguments).any(|argument| {
            matches!(argument.kind(), "arrow_function" | "function_expression" | "object" | "class")
        })
    }

    /// Returns the object literal that a value is, wrappers aside.
    pub(super) fn object_in<'t>(&self, value: Node<'t>) -> Option<Node<'t>> {
        let mut at = value;
        for _ in 0..4 {
            match at.kind() {
                "object" => return Some(at),
                "as_expression" | "satisfies_expression" | "parenthesized_expression" => {
                    at = at.named_child(0)?;
                }
                "type_assertion" => at = at.named_child(1)?,
                "call_expression" => {
                    let function = at.child_by_field_id(self.grammar.fields.function)?;
                    let freezes = function.kind() == "member_expression" && function.byte_range().len() == 13;
                    at = at
                        .child_by_field_id(self.grammar.fields.arguments)
                        .filter(|_| freezes)?
                        .named_child(0)?;
                }
                _ => return None,
            }
        }
        None
    }
}
