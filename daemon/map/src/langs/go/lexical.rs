//! Describes the lexical scopes of Go: every block is a scope, a name is visible after its declaration, and `:=`
//! declares only names that its block has not yet.

use crate::langs::scope_rules::{
    Binder, BindingKind, BindingScope, LocalRules, Rebinding, ScopeKind, Visit, has_token, named_children,
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
        "source_file" => ScopeKind::File,
        "function_declaration" | "method_declaration" | "func_literal" | "function_type" | "method_elem" => {
            ScopeKind::Function
        }
        "type_spec" | "type_alias" => ScopeKind::Type,
        "block"
        | "if_statement"
        | "for_statement"
        | "expression_switch_statement"
        | "type_switch_statement"
        | "select_statement"
        | "expression_case"
        | "type_case"
        | "default_case"
        | "communication_case"
        | "labeled_statement" => ScopeKind::Block,
        _ => return None,
    })
}

fn bind(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    let end = visit.node.end_byte();
    match visit.kind() {
        "function_declaration" | "type_spec" | "type_alias" => {
            binder.bind_all(visit.child("name"), BindingScope::Outside);
        }
        "parameter_declaration" | "variadic_parameter_declaration" | "type_parameter_declaration" => {
            binder.bind_all(visit.children("name"), BindingScope::Here);
        }
        "short_var_declaration" => {
            binder.visible_from(end).bind_all(names_of(visit.child("left")), BindingScope::Here);
        }
        "var_spec" | "const_spec" => {
            let is_local = visit.parent.is_some_and(is_in_function);
            binder
                .visible_from(if is_local { end } else { 0 })
                .bind_all(visit.children("name"), BindingScope::Here);
        }
        "range_clause" | "receive_statement" if has_token(visit.node, ":=") => {
            binder.visible_from(end).bind_all(names_of(visit.child("left")), BindingScope::Here);
        }
        "type_switch_statement" => binder.bind_all(names_of(visit.child("alias")), BindingScope::Here),
        "import_spec" => {
            binder.of_kind(BindingKind::Shared);
            match visit.child("name") {
                Some(name) => binder.bind(name, BindingScope::Here),
                None => {
                    visit
                        .child("path")
                        .into_iter()
                        .for_each(|path| binder.bind_last_part(path, BindingScope::Here));
                }
            }
        }
        "labeled_statement" => binder.bind_all(visit.child("label"), BindingScope::Here),
        _ => {}
    }
}

/// Returns the plain names of a list of expressions.
fn names_of(list: Option<Node<'_>>) -> Vec<Node<'_>> {
    let all = list.map(named_children).unwrap_or_default();
    all.into_iter().filter(|node| node.kind() == "identifier").collect()
}

fn is_in_function(declaration: Node<'_>) -> bool {
    let around = std::iter::successors(Some(declaration), Node::parent).take(4);
    around.skip(1).any(|node| node.kind() == "statement_list" || node.kind() == "block")
}

fn is_name(visit: &Visit<'_>) -> bool {
    const NAMES: [&str; 4] = ["identifier", "type_identifier", "package_identifier", "label_name"];
    let is_member = visit.parent_kind() == "qualified_type" && visit.field == Some("name");
    NAMES.contains(&visit.kind()) && !is_member && !is_field_key(visit)
}

/// Returns true for the `x` of `Point{x: 1}`: the key of a literal that is not plainly a map.
fn is_field_key(visit: &Visit<'_>) -> bool {
    let element = visit.parent.filter(|parent| parent.kind() == "literal_element");
    let pair = element.and_then(|element| element.parent()).filter(|pair| pair.kind() == "keyed_element");
    if pair.and_then(|pair| pair.child_by_field_name("key")) != element || element.is_none() {
        return false;
    }
    let literal = pair.and_then(|pair| pair.parent()).and_then(|value| value.parent());
    let ty = literal.and_then(|literal| literal.child_by_field_name("type"));
    !ty.is_some_and(|ty| {
        matches!(ty.kind(), "map_type" | "array_type" | "slice_type" | "implicit_length_array_type")
    })
}
