//! Describes the lexical scopes of Java: blocks are scopes, a variable is visible after its declaration, and members of
//! the enclosing types are known by bare names.

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
        "program" => ScopeKind::File,
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "annotation_type_declaration"
        | "class_body" => ScopeKind::Type,
        "method_declaration"
        | "constructor_declaration"
        | "compact_constructor_declaration"
        | "lambda_expression"
        | "static_initializer" => ScopeKind::Function,
        "block"
        | "constructor_body"
        | "for_statement"
        | "enhanced_for_statement"
        | "catch_clause"
        | "try_with_resources_statement"
        | "switch_block_statement_group"
        | "switch_rule"
        | "labeled_statement" => ScopeKind::Block,
        _ => return None,
    })
}

fn bind(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    match visit.kind() {
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "annotation_type_declaration" => {
            binder.of_kind(BindingKind::Shared).bind_all(visit.child("name"), BindingScope::Outside);
        }
        "formal_parameter" | "catch_formal_parameter" | "resource" | "enhanced_for_statement" => {
            binder.bind_all(visit.child("name"), BindingScope::Here);
        }
        "variable_declarator" => bind_variable(visit, binder),
        "enum_constant" => {
            binder.of_kind(BindingKind::Shared).bind_all(visit.child("name"), BindingScope::Here);
        }
        "lambda_expression" => {
            let single = visit.child("parameters").filter(|one| one.kind() == "identifier");
            binder.bind_all(single, BindingScope::Here);
        }
        "inferred_parameters" => binder.bind_all(named_children(visit.node), BindingScope::Here),
        "instanceof_expression" => binder.bind_all(visit.child("name"), BindingScope::Here),
        "type_pattern" | "record_pattern_component" => {
            binder.bind_all(named_children(visit.node).pop().filter(is_identifier), BindingScope::Here);
        }
        "type_parameter" => {
            let name =
                named_children(visit.node).into_iter().find(|child| child.kind().ends_with("identifier"));
            binder.bind_all(name, BindingScope::Here);
        }
        "labeled_statement" => binder.bind_all(visit.node.named_child(0), BindingScope::Here),
        "import_declaration" => bind_import(visit, binder),
        _ => {}
    }
}

fn bind_variable(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    if visit.parent_kind() == "field_declaration" || visit.parent_kind() == "constant_declaration" {
        binder.of_kind(BindingKind::Shared);
    } else {
        binder.visible_from(visit.node.start_byte());
    }
    binder.bind_all(visit.child("name"), BindingScope::Here);
}

fn bind_import(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    let children = named_children(visit.node);
    if children.iter().any(|child| child.kind() == "asterisk") {
        return;
    }
    let path = children.first().copied();
    let name = path.map(|path| path.child_by_field_name("name").unwrap_or(path));
    binder.of_kind(BindingKind::Shared).bind_all(name, BindingScope::Here);
}

fn is_identifier(node: &Node<'_>) -> bool {
    node.kind() == "identifier"
}

fn is_name(visit: &Visit<'_>) -> bool {
    let is_other = match visit.parent_kind() {
        "field_access" => visit.field == Some("field"),
        "method_invocation" | "method_declaration" | "constructor_declaration" | "scoped_identifier" => {
            visit.field == Some("name")
        }
        "element_value_pair" => visit.field == Some("key"),
        "scoped_type_identifier" | "method_reference" => {
            visit.parent.and_then(|parent| parent.named_child(0)) != Some(visit.node)
        }
        "marker_annotation" | "annotation" => true,
        _ => false,
    };
    matches!(visit.kind(), "identifier" | "type_identifier") && !is_other
}
