//! Describes the lexical scopes of Dart: every block is a scope, a name is visible in all of its block, and members of
//! the enclosing type are known by bare names.

use crate::langs::scope_rules::{
    Binder, BindingKind, BindingScope, LocalRules, Rebinding, ScopeKind, Visit, named_children,
};
use crate::syntax::Node;

pub(super) static RULES: LocalRules = LocalRules {
    scope_of,
    bind,
    is_name,
    rebinding: Rebinding::First,
    branches: None,
    sees_members: true,
    binds_members: false,
    members: None,
};

const TYPES: &[&str] = &[
    "class_declaration",
    "mixin_declaration",
    "enum_declaration",
    "extension_declaration",
    "extension_type_declaration",
    "type_alias",
];

fn scope_of(visit: &Visit<'_>) -> Option<ScopeKind> {
    Some(match visit.kind() {
        "source_file" => ScopeKind::File,
        kind if TYPES.contains(&kind) => ScopeKind::Type,
        "member_declaration" if !is_variable_member(visit.node) => ScopeKind::Function,
        "function_declaration"
        | "getter_declaration"
        | "setter_declaration"
        | "external_function_declaration"
        | "local_function_declaration"
        | "function_expression"
        | "function_type" => ScopeKind::Function,
        "block"
        | "for_statement"
        | "for_element"
        | "if_statement"
        | "if_element"
        | "switch_statement_case"
        | "switch_statement_default"
        | "switch_expression_case"
        | "try_statement"
        | "labeled_statement" => ScopeKind::Block,
        // These are the parameters of a parameter that is a function.
        "formal_parameter_list" if visit.parent_kind() == "formal_parameter" => ScopeKind::Function,
        _ => return None,
    })
}

fn is_variable_member(member: Node<'_>) -> bool {
    let lists = ["initialized_identifier_list", "static_final_declaration_list", "identifier_list"];
    let declaration = named_children(member).into_iter().find(|c| c.kind() == "declaration");
    declaration.is_some_and(|d| named_children(d).iter().any(|c| lists.contains(&c.kind())))
}

fn bind(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    match visit.kind() {
        "class_declaration" | "mixin_declaration" | "enum_declaration" | "extension_declaration" => {
            binder.of_kind(BindingKind::Shared).bind_all(visit.child("name"), BindingScope::Outside);
        }
        "type_alias" | "extension_type_name" | "mixin_application_class" => {
            let name = named_children(visit.node).into_iter().find(is_identifier);
            binder.of_kind(BindingKind::Shared).bind_all(name, BindingScope::File);
        }
        "member_declaration"
        | "function_declaration"
        | "getter_declaration"
        | "setter_declaration"
        | "external_function_declaration" => {
            binder.of_kind(BindingKind::Shared).bind_all(function_name(visit.node), BindingScope::Outside);
        }
        "local_function_declaration" => binder.bind_all(function_name(visit.node), BindingScope::Outside),
        "initialized_identifier" | "static_final_declaration" => bind_variable(visit, binder),
        "identifier_list" => {
            binder.of_kind(BindingKind::Shared).bind_all(named_children(visit.node), BindingScope::Here);
        }
        "enum_entry" => binder.of_kind(BindingKind::Shared).bind_all(visit.child("name"), BindingScope::Here),
        "extension_type_representation" => {
            binder.of_kind(BindingKind::Shared).bind_all(visit.child("name"), BindingScope::Here);
        }
        "initialized_variable_declaration" | "variable_pattern" | "type_parameter" => {
            binder.bind_all(visit.child("name"), BindingScope::Here);
        }
        "for_statement" | "for_element" => binder.bind_all(visit.child("name"), BindingScope::Here),
        "formal_parameter" => bind_parameter(visit, binder),
        "catch_clause" => {
            let names = visit.child("exception").into_iter().chain(visit.child("stack_trace"));
            binder.bind_all(names, BindingScope::Here);
        }
        "labeled_statement" => binder.bind_all(visit.node.named_child(0), BindingScope::Here),
        "import_specification" => bind_import(visit, binder),
        _ => {}
    }
}

/// Returns the name of a function, getter or setter, whose signature stands up to three nodes below.
fn function_name(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    for _ in 0..3 {
        let parts = ["declaration", "method_declaration", "method_signature"];
        let signatures = ["function_signature", "getter_signature", "setter_signature"];
        let below = named_children(at);
        if let Some(signature) = below.iter().find(|c| signatures.contains(&c.kind())) {
            return signature.child_by_field_name("name");
        }
        at = below.into_iter().find(|c| parts.contains(&c.kind()))?;
    }
    None
}

fn bind_variable(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    if visit.parent_kind() != "initialized_variable_declaration" {
        binder.of_kind(BindingKind::Shared);
    }
    binder.bind_all(visit.child("name"), BindingScope::Here);
}

/// Binds a parameter, whose name is in a field or, without a type, its only child; `this.name` has the field's name.
fn bind_parameter(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    let named = visit.child("name");
    let name = named.or_else(|| named_children(visit.node).into_iter().find(|c| c.kind() == "identifier"));
    binder.bind_all(name, BindingScope::Here);
}

fn bind_import(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    binder.of_kind(BindingKind::Shared).bind_all(visit.child("alias"), BindingScope::File);
}

fn is_identifier(node: &Node<'_>) -> bool {
    matches!(node.kind(), "identifier" | "type_identifier")
}

fn is_name(visit: &Visit<'_>) -> bool {
    let is_other = match visit.parent_kind() {
        "member_expression"
        | "null_aware_member_expression"
        | "assignable_expression"
        | "cascade_member_expression"
        | "cascade_null_aware_member_expression"
        | "cascade_call_expression" => visit.field == Some("property"),
        // A constructor signature may have several names: its own is behind that of the class.
        "constructor_signature"
        | "constant_constructor_signature"
        | "factory_constructor_signature"
        | "redirecting_factory_constructor_signature" => true,
        "field_formal_parameter" | "super_formal_parameter" | "field_initializer" | "typed_identifier" => {
            visit.field == Some("name")
        }
        "label" | "combinator" | "uri_test" | "dotted_identifier_list" | "symbol_literal" => true,
        "cascade_selector" | "redirection" | "initializer_list_entry" | "static_member_shorthand" => true,
        "type"
        | "constructor_tearoff"
        | "constant_pattern"
        | "qualified_name"
        | "object_pattern"
        | "constructor_invocation" => visit.parent.and_then(|p| p.named_child(0)) != Some(visit.node),
        "new_expression" | "const_object_expression" => visit.field == Some("constructor"),
        _ => false,
    };
    matches!(visit.kind(), "identifier" | "type_identifier" | "identifier_dollar_escaped") && !is_other
}
