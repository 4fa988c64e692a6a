//! Describes the scopes of PHP's variables: each function has its own, wherever in it they are assigned first.
//!
//! A closure sees those that its `use` names, an arrow function all around it. Names of functions, classes and
//! constants belong to namespaces and not to scopes; properties are members.

use crate::langs::scope_rules::{
    Binder, BindingScope, LocalRules, Rebinding, ScopeKind, Visit, named_children,
};
use crate::syntax::Node;

pub(super) static RULES: LocalRules = LocalRules {
    scope_of,
    bind,
    is_name,
    rebinding: Rebinding::First,
    branches: None,
    sees_members: false,
    binds_members: false,
    members: None,
};

fn scope_of(visit: &Visit<'_>) -> Option<ScopeKind> {
    Some(match visit.kind() {
        "program" => ScopeKind::File,
        "function_definition" | "method_declaration" | "anonymous_function" | "property_hook" => {
            ScopeKind::Closed
        }
        "arrow_function" => ScopeKind::Function,
        _ => return None,
    })
}

fn bind(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    match visit.kind() {
        "simple_parameter" | "variadic_parameter" | "property_promotion_parameter" => {
            binder.bind_all(visit.child("name").and_then(variable_in), BindingScope::Here);
        }
        "assignment_expression" | "augmented_assignment_expression" | "reference_assignment_expression" => {
            bind_target(visit.child("left"), binder);
        }
        // The pass goes on into a list, and binds its parts one by one.
        "list_literal" | "array_element_initializer" if is_target(visit) => {
            bind_targets(visit.node, 0, binder);
        }
        "foreach_statement" => bind_targets(visit.node, 1, binder),
        "pair" if visit.parent_kind() == "foreach_statement" => bind_targets(visit.node, 0, binder),
        "by_ref" if visit.parent_kind() == "foreach_statement" => bind_targets(visit.node, 0, binder),
        "catch_clause" | "static_variable_declaration" => bind_target(visit.child("name"), binder),
        "global_declaration" => {
            named_children(visit.node)
                .into_iter()
                .filter_map(variable_in)
                .for_each(|name| binder.pass_to(name, BindingScope::File));
        }
        "anonymous_function_use_clause" => {
            named_children(visit.node)
                .into_iter()
                .filter_map(variable_in)
                .for_each(|name| binder.pass_to(name, BindingScope::Outside));
        }
        _ => {}
    }
}

/// Returns true if a list takes a value apart: it is on the left, or inside such a list.
fn is_target(visit: &Visit<'_>) -> bool {
    visit.kind() == "list_literal" || visit.parent_kind() == "list_literal"
}

/// Binds the variables among the named children of a node, from one of them on.
fn bind_targets(node: Node<'_>, from: usize, binder: &mut Binder<'_>) {
    named_children(node).into_iter().skip(from).for_each(|target| bind_target(Some(target), binder));
}

fn bind_target(target: Option<Node<'_>>, binder: &mut Binder<'_>) {
    binder.bind_all(target.and_then(variable_in), BindingScope::Function);
}

/// Returns the name of `$name` or `&$name`, without the signs.
fn variable_in(node: Node<'_>) -> Option<Node<'_>> {
    let variable = if node.kind() == "by_ref" { node.named_child(0)? } else { node };
    variable.named_child(0).filter(|_| variable.kind() == "variable_name")
}

fn is_name(visit: &Visit<'_>) -> bool {
    let Some(variable) = visit.parent.filter(|parent| parent.kind() == "variable_name") else { return false };
    let around = variable.parent();
    let is_member = around.is_some_and(|around| {
        let names_it =
            |field: &str| around.child_by_field_name(field).is_some_and(|at| at.id() == variable.id());
        around.kind() == "property_element"
            || (around.kind() == "scoped_property_access_expression" && names_it("name"))
    });
    !is_member
}
