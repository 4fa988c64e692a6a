//! Describes the lexical scopes of C#: locals of a block hold in all of it, patterns and `out var` bind where they
//! stand, queries have variables of their own.
//!
//! Members are left to the graph, which knows bases and the other parts of a partial type; and a type may have the name
//! of the property that has it (`Color Color`).

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

fn scope_of(visit: &Visit<'_>) -> Option<ScopeKind> {
    Some(match visit.kind() {
        "compilation_unit" => ScopeKind::File,
        "class_declaration" | "struct_declaration" | "interface_declaration" | "record_declaration" => {
            ScopeKind::Type
        }
        "delegate_declaration"
        | "method_declaration"
        | "constructor_declaration"
        | "destructor_declaration"
        | "operator_declaration"
        | "conversion_operator_declaration"
        | "indexer_declaration"
        | "property_declaration"
        | "accessor_declaration"
        | "local_function_statement"
        | "lambda_expression"
        | "anonymous_method_expression" => ScopeKind::Function,
        "block"
        | "for_statement"
        | "foreach_statement"
        | "while_statement"
        | "using_statement"
        | "fixed_statement"
        | "switch_section"
        | "switch_expression_arm"
        | "catch_clause"
        | "query_expression" => ScopeKind::Block,
        _ => return None,
    })
}

fn bind(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    match visit.kind() {
        "parameter" => {
            if visit.ancestors().nth(1).is_some_and(|owner| owner.kind() == "record_declaration") {
                binder.of_kind(BindingKind::Shared);
            }
            binder.bind_all(visit.child("name"), BindingScope::Here);
        }
        // A `params` parameter has no node but its name in the list.
        "parameter_list"
        | "bracketed_parameter_list"
        | "type_parameter"
        | "declaration_expression"
        | "declaration_pattern"
        | "recursive_pattern"
        | "var_pattern"
        | "list_pattern"
        | "tuple_pattern"
        | "parenthesized_variable_designation"
        | "catch_declaration"
        | "from_clause" => binder.bind_all(visit.children("name"), BindingScope::Here),
        "implicit_parameter" => binder.bind(visit.node, BindingScope::Here),
        "variable_declarator" if !is_member(visit) => {
            binder.bind_all(visit.child("name"), BindingScope::Here);
        }
        "foreach_statement" => {
            let name = visit.child("left").filter(|left| left.kind() == "identifier");
            binder.bind_all(name.filter(|_| visit.child("type").is_some()), BindingScope::Here);
        }
        "let_clause" | "join_into_clause" => binder.bind_all(visit.node.named_child(0), BindingScope::Here),
        "join_clause" => {
            let ty = visit.child("type");
            let name = named_children(visit.node).into_iter().find(|child| Some(*child) != ty);
            binder.bind_all(name, BindingScope::Here);
        }
        "query_expression" => {
            let names = named_children(visit.node).into_iter().filter(is_identifier);
            binder.bind_all(names, BindingScope::Here);
        }
        "local_function_statement" => binder.bind_all(visit.child("name"), BindingScope::Outside),
        "labeled_statement" => {
            binder.of_kind(BindingKind::Label).bind_all(visit.node.named_child(0), BindingScope::Function);
        }
        "goto_statement" => {
            visit.node.named_child(0).filter(is_identifier).into_iter().for_each(|to| binder.jump_to(to));
        }
        _ => {}
    }
}

fn is_identifier(node: &Node<'_>) -> bool {
    node.kind() == "identifier"
}

/// Returns true for a field or an event.
fn is_member(declarator: &Visit<'_>) -> bool {
    let statement = declarator.ancestors().nth(1);
    statement.is_some_and(|node| matches!(node.kind(), "field_declaration" | "event_field_declaration"))
}

fn is_name(visit: &Visit<'_>) -> bool {
    let is_other = match visit.parent_kind() {
        "labeled_statement" => visit.parent.and_then(|parent| parent.named_child(0)) == Some(visit.node),
        "goto_statement" | "attribute" | "using_directive" | "explicit_interface_specifier" => true,
        "generic_name" => {
            visit.ancestors().nth(1).and_then(|access| access.child_by_field_name("name")) == visit.parent
        }
        "assignment_expression" => visit.field == Some("left") && is_key(visit),
        "subpattern" => is_before(visit.node, ":"),
        "anonymous_object_creation_expression" | "with_initializer" | "attribute_argument" => {
            is_before(visit.node, "=")
        }
        _ => visit.field == Some("name"),
    };
    matches!(visit.kind(), "identifier" | "implicit_parameter") && !is_other
}

/// Returns true for the `X` of `new A { X = 1 }`.
fn is_key(visit: &Visit<'_>) -> bool {
    let mut around = visit.ancestors().skip(1);
    let is_list = around.next().is_some_and(|list| list.kind() == "initializer_expression");
    is_list && around.next().is_some_and(|owner| owner.kind().ends_with("object_creation_expression"))
}

fn is_before(name: Node<'_>, token: &str) -> bool {
    name.next_sibling().is_some_and(|next| next.kind() == token)
}
