//! Describes the lexical scopes of Kotlin: a local has its meaning after its declaration; lambdas, loops and `when`
//! bind names of their own.
//!
//! Members are left to the graph, except parameters of a class that are properties, which its initialisers name as
//! parameters.

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
        "source_file" => ScopeKind::File,
        "class_declaration" | "object_declaration" | "companion_object" | "object_literal" | "type_alias" => {
            ScopeKind::Type
        }
        "function_declaration"
        | "secondary_constructor"
        | "anonymous_function"
        | "anonymous_initializer"
        | "lambda_literal"
        | "getter"
        | "setter" => ScopeKind::Function,
        // Nothing can use the names of a function type's parameters.
        "function_type_parameters" => ScopeKind::Block,
        "control_structure_body" | "for_statement" | "catch_block" | "when_expression" | "try_expression" => {
            ScopeKind::Block
        }
        "property_declaration" if !is_local(visit) => ScopeKind::Block,
        _ => return None,
    })
}

fn bind(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    match visit.kind() {
        "class_parameter" => {
            let is_property =
                named_children(visit.node).iter().any(|child| child.kind() == "binding_pattern_kind");
            if is_property {
                binder.of_kind(BindingKind::Shared);
            }
            binder.bind_all(name_of(visit.node), BindingScope::Here);
        }
        "parameter" | "parameter_with_optional_type" | "catch_block" => {
            binder.bind_all(name_of(visit.node), BindingScope::Here);
        }
        "variable_declaration" => bind_variable(visit, binder),
        "type_parameter" => {
            let names =
                named_children(visit.node).into_iter().filter(|child| child.kind() == "type_identifier");
            binder.bind_all(names.take(1), BindingScope::Here);
        }
        "function_declaration" if is_local(visit) => {
            binder.bind_all(name_of(visit.node), BindingScope::Outside);
        }
        _ => {}
    }
}

/// Binds a variable of a declaration, which is visible after it, or one of a loop, a lambda or a `when`.
fn bind_variable(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    let declaration = visit.ancestors().find(|node| node.kind() != "multi_variable_declaration");
    match declaration.filter(|node| node.kind() == "property_declaration") {
        None => binder.bind_all(name_of(visit.node), BindingScope::Here),
        Some(declaration) => {
            let mut around = visit.ancestors().skip_while(|node| *node != declaration).skip(1);
            if around.next().is_some_and(|parent| is_code(parent.kind())) {
                binder.visible_from(declaration.end_byte()).bind_all(name_of(visit.node), BindingScope::Here);
            }
        }
    }
}

/// Returns true for a declaration inside code.
fn is_local(visit: &Visit<'_>) -> bool {
    is_code(visit.parent_kind())
}

fn is_code(kind: &str) -> bool {
    matches!(kind, "statements" | "control_structure_body")
}

fn name_of(node: Node<'_>) -> Option<Node<'_>> {
    named_children(node).into_iter().find(|child| child.kind() == "simple_identifier")
}

fn is_name(visit: &Visit<'_>) -> bool {
    let is_other = match visit.parent_kind() {
        "navigation_suffix" | "identifier" | "label" | "enum_entry" | "callable_reference" => true,
        "function_declaration" | "object_declaration" | "class_declaration" => true,
        "value_argument" => visit.node.next_sibling().is_some_and(|next| next.kind() == "="),
        "user_type" => visit.parent.and_then(|path| path.named_child(0)) != Some(visit.node),
        _ => false,
    };
    matches!(visit.kind(), "simple_identifier" | "type_identifier" | "interpolated_identifier") && !is_other
}
