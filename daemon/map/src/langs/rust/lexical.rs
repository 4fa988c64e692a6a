//! Describes the lexical scopes of Rust: each `let` hides those before it, patterns bind where they match, and items
//! are visible in all of their block.

use crate::langs::scope_rules::{
    Binder, BindingKind, BindingScope, LocalRules, Rebinding, ScopeKind, Visit, named_children,
};
use crate::syntax::Node;

pub(super) static RULES: LocalRules = LocalRules {
    scope_of,
    bind,
    is_name,
    rebinding: Rebinding::Hides,
    branches: None,
    sees_members: false,
    binds_members: false,
    members: None,
};

fn scope_of(visit: &Visit<'_>) -> Option<ScopeKind> {
    Some(match visit.kind() {
        "source_file" | "mod_item" => ScopeKind::File,
        "impl_item" | "trait_item" | "struct_item" | "enum_item" | "union_item" | "type_item" => {
            ScopeKind::Type
        }
        "function_item" | "function_signature_item" | "closure_expression" => ScopeKind::Function,
        "block" | "match_arm" | "if_expression" | "while_expression" | "for_expression" => ScopeKind::Block,
        _ => return None,
    })
}

fn bind(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    let end = visit.node.end_byte();
    match visit.kind() {
        "function_item"
        | "function_signature_item"
        | "struct_item"
        | "enum_item"
        | "trait_item"
        | "union_item"
        | "type_item"
        | "mod_item" => {
            binder.of_kind(BindingKind::Shared).bind_all(visit.child("name"), BindingScope::Outside);
        }
        "const_item" | "static_item" | "macro_definition" => {
            binder.of_kind(BindingKind::Shared).bind_all(visit.child("name"), BindingScope::Here);
        }
        "parameter" => bind_pattern(visit.child("pattern"), binder),
        "closure_parameters" => bind_pattern(named_children(visit.node), binder),
        "let_declaration" | "let_condition" => {
            bind_pattern(visit.child("pattern"), binder.visible_from(end));
        }
        "for_expression" => {
            let from = visit.child("body").map_or(end, |body| body.start_byte());
            bind_pattern(visit.child("pattern"), binder.visible_from(from));
        }
        "match_pattern" => bind_pattern(visit.node.named_child(0), binder),
        "type_parameter" | "const_parameter" => binder.bind_all(visit.child("name"), BindingScope::Here),
        "use_declaration" => bind_uses(visit, binder),
        _ => {}
    }
}

/// Binds the names of a pattern; a name that begins with a capital is a constant or variant.
fn bind_pattern<'t>(pattern: impl IntoIterator<Item = Node<'t>>, binder: &mut Binder<'_>) {
    let mut waiting: Vec<Node<'_>> = pattern.into_iter().collect();
    while let Some(node) = waiting.pop() {
        match node.kind() {
            "identifier" | "shorthand_field_identifier" if !binder.is_capital(node) => {
                binder.bind(node, BindingScope::Here);
            }
            "field_pattern" => {
                let pattern =
                    node.child_by_field_name("pattern").or_else(|| node.child_by_field_name("name"));
                waiting.extend(pattern);
            }
            "struct_pattern" | "tuple_struct_pattern" => {
                let ty = node.child_by_field_name("type");
                waiting.extend(named_children(node).into_iter().filter(|child| Some(*child) != ty));
            }
            "tuple_pattern" | "slice_pattern" | "or_pattern" | "ref_pattern" | "reference_pattern"
            | "mut_pattern" | "captured_pattern" => waiting.extend(named_children(node)),
            _ => {}
        }
    }
}

/// Binds the last name of each path of a `use`.
fn bind_uses(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    let binder = binder.of_kind(BindingKind::Shared);
    let mut waiting: Vec<Node<'_>> = visit.child("argument").into_iter().collect();
    while let Some(node) = waiting.pop() {
        match node.kind() {
            "identifier" => binder.bind(node, BindingScope::Here),
            "scoped_identifier" => binder.bind_all(node.child_by_field_name("name"), BindingScope::Here),
            "use_as_clause" => binder.bind_all(node.child_by_field_name("alias"), BindingScope::Here),
            "scoped_use_list" => waiting.extend(node.child_by_field_name("list")),
            "use_list" => waiting.extend(named_children(node)),
            _ => {}
        }
    }
}

fn is_name(visit: &Visit<'_>) -> bool {
    let is_other = match visit.parent_kind() {
        "scoped_identifier" | "scoped_type_identifier" => true,
        "lifetime" | "label" | "macro_invocation" => true,
        "token_tree" => {
            let before = visit.node.prev_sibling();
            before.is_some_and(|token| matches!(token.kind(), "." | "::"))
        }
        _ => false,
    };
    matches!(visit.kind(), "identifier" | "shorthand_field_identifier" | "type_identifier") && !is_other
}
