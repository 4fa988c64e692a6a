//! Describes the lexical scopes of C and C++: blocks, parameters, templates and lambdas, and types with their fields.
//!
//! A variable has its meaning from its own name on (`int x = x;`). Names at the level of a file or namespace are left
//! to the graph, which knows headers and other files; so are functions, whose overloads no scope tells apart.

use crate::langs::scope_rules::{
    Binder, BindingKind, BindingScope, LocalRules, Rebinding, ScopeKind, Visit, has_token, named_children,
};
use crate::syntax::Node;

pub(crate) static RULES: LocalRules = LocalRules {
    scope_of,
    bind,
    is_name,
    rebinding: Rebinding::First,
    branches: None,
    sees_members: true,
    binds_members: false,
    members: None,
};

/// The place of a declaration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeContext {
    Function,
    Type,
    Namespace,
}

fn scope_of(visit: &Visit<'_>) -> Option<ScopeKind> {
    Some(match visit.kind() {
        "translation_unit" => ScopeKind::File,
        "struct_specifier" | "class_specifier" | "union_specifier" if visit.child("body").is_some() => {
            ScopeKind::Type
        }
        "enum_specifier" if is_scoped(visit.node) => ScopeKind::Type,
        "function_definition" | "lambda_expression" => ScopeKind::Function,
        "parameter_list" if !is_of_body(visit) => ScopeKind::Block,
        "template_declaration"
        | "compound_statement"
        | "for_statement"
        | "for_range_loop"
        | "if_statement"
        | "while_statement"
        | "switch_statement"
        | "catch_clause"
        | "requires_expression" => ScopeKind::Block,
        _ => return None,
    })
}

/// Returns true if a list holds the parameters of code that follows it.
fn is_of_body(list: &Visit<'_>) -> bool {
    let around = list.ancestors().find(|node| !node.kind().ends_with("declarator"));
    around.is_some_and(|node| {
        matches!(
            node.kind(),
            "function_definition" | "lambda_expression" | "catch_clause" | "requires_expression"
        )
    })
}

fn is_scoped(enumeration: Node<'_>) -> bool {
    has_token(enumeration, "class") || has_token(enumeration, "struct")
}

fn bind(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    match visit.kind() {
        "declaration" => bind_variables(visit, binder),
        "parameter_declaration" | "optional_parameter_declaration" | "variadic_parameter_declaration" => {
            for name in visit.child("declarator").map(parameter_names).unwrap_or_default() {
                binder.visible_from(name.start_byte()).bind(name, BindingScope::Here);
            }
        }
        "field_declaration" => {
            let names = visit.children("declarator").into_iter().flat_map(declared_names);
            binder.of_kind(BindingKind::Shared).bind_all(names, BindingScope::Here);
        }
        "for_range_loop" => {
            let from = visit.child("right").map_or(visit.node.end_byte(), |range| range.end_byte());
            let names = visit.child("declarator").map(declared_names).unwrap_or_default();
            binder.visible_from(from).bind_all(names, BindingScope::Here);
        }
        "lambda_capture_initializer" => {
            binder.visible_from(visit.node.end_byte()).bind_all(visit.child("left"), BindingScope::Here);
        }
        "type_parameter_declaration"
        | "variadic_type_parameter_declaration"
        | "optional_type_parameter_declaration" => bind_type_parameter(visit, binder),
        "alias_declaration" => bind_type(visit, visit.child("name"), binder),
        "type_definition" => {
            let names = visit.children("declarator").into_iter().flat_map(declared_names);
            bind_type(visit, names, binder);
        }
        "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier"
            if visit.child("body").is_some() =>
        {
            bind_type(visit, visit.child("name"), binder);
        }
        "enumerator" => bind_type(visit, visit.child("name"), binder),
        "labeled_statement" => {
            binder.of_kind(BindingKind::Label).bind_all(visit.child("label"), BindingScope::Function);
        }
        "goto_statement" => visit.child("label").into_iter().for_each(|label| binder.jump_to(label)),
        _ => {}
    }
}

fn bind_variables(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    let all = visit.children("declarator").into_iter().flat_map(declared_names);
    let names: Vec<Node<'_>> = all.filter(|name| binder.is_it(*name)).collect();
    if names.is_empty() || surroundings(visit) != NodeContext::Function || is_extern(visit.node) {
        return;
    }
    // The types of an old-style function's parameters stand after the list that names them.
    let is_old_parameter = visit.parent_kind() == "function_definition";
    for name in names {
        let from = if is_old_parameter { 0 } else { name.start_byte() };
        binder.visible_from(from).bind(name, BindingScope::Here);
    }
}

/// Returns true for `extern int x;`, which means a variable elsewhere.
fn is_extern(declaration: Node<'_>) -> bool {
    let mut children = named_children(declaration).into_iter();
    children.any(|child| child.kind() == "storage_class_specifier" && has_token(child, "extern"))
}

fn bind_type_parameter(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    let default = visit.child("default_type");
    let mut names = named_children(visit.node).into_iter();
    let name = names.find(|child| child.kind() == "type_identifier" && Some(*child) != default);
    binder.bind_all(name, BindingScope::Here);
}

/// Binds names that may stand in a function, in a type or outside both.
fn bind_type<'n>(visit: &Visit<'_>, names: impl IntoIterator<Item = Node<'n>>, binder: &mut Binder<'_>) {
    let Some(name) = names.into_iter().find(|name| binder.is_it(*name)) else { return };
    let kind = match surroundings(visit) {
        NodeContext::Function => BindingKind::Variable,
        NodeContext::Type => BindingKind::Shared,
        NodeContext::Namespace => return,
    };
    let within = if visit.kind() == "enumerator" { BindingScope::Here } else { BindingScope::Outside };
    binder.of_kind(kind).bind(name, within);
}

fn surroundings(visit: &Visit<'_>) -> NodeContext {
    let mut around = visit.ancestors().filter_map(|node| match node.kind() {
        "compound_statement" | "function_definition" | "lambda_expression" => Some(NodeContext::Function),
        "field_declaration_list" => Some(NodeContext::Type),
        "translation_unit" | "declaration_list" => Some(NodeContext::Namespace),
        _ => None,
    });
    around.next().unwrap_or(NodeContext::Namespace)
}

/// Returns the names that a parameter's declarator declares; a parameter that is written as a function is a pointer to
/// it.
fn parameter_names(declarator: Node<'_>) -> Vec<Node<'_>> {
    match declarator.kind() {
        "function_declarator" => {
            declarator.child_by_field_name("declarator").map(declared_names).unwrap_or_default()
        }
        _ => declared_names(declarator),
    }
}

/// Returns the names that a declarator declares as variables or types: none for a function, several for a structured
/// binding.
fn declared_names(declarator: Node<'_>) -> Vec<Node<'_>> {
    let (mut node, mut is_function) = (declarator, false);
    loop {
        match node.kind() {
            "identifier" | "type_identifier" | "field_identifier" => {
                return if is_function { Vec::new() } else { vec![node] };
            }
            "structured_binding_declarator" => return named_children(node),
            "function_declarator" => is_function = !takes_values(node),
            "parenthesized_declarator" | "attributed_declarator" | "init_declarator" => {}
            kind if kind.ends_with("declarator") => is_function = false,
            _ => return Vec::new(),
        }
        let inner = node.child_by_field_name("declarator").or_else(|| node.named_child(0));
        match inner {
            Some(inner) => node = inner,
            None => return Vec::new(),
        }
    }
}

/// Returns true for the `(y)` of `T x(y)`, which the grammar takes for parameters: nothing in it has a name, and
/// nothing can only be a type.
fn takes_values(function: Node<'_>) -> bool {
    let list = function.child_by_field_name("parameters").map(named_children).unwrap_or_default();
    let is_value = |parameter: &Node<'_>| {
        parameter.kind() == "parameter_declaration"
            && parameter.named_child_count() == 1
            && parameter.named_child(0).is_some_and(|ty| ty.kind() == "type_identifier")
    };
    function.parent().is_some_and(|parent| parent.kind() == "declaration")
        && !list.is_empty()
        && list.iter().all(is_value)
}

fn is_name(visit: &Visit<'_>) -> bool {
    let is_declared = match visit.parent_kind() {
        "function_declarator" => visit.field == Some("declarator"),
        "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" => {
            visit.field == Some("name")
        }
        "attribute" | "concept_definition" => true,
        kind => kind.starts_with("preproc"),
    };
    matches!(visit.kind(), "identifier" | "type_identifier" | "namespace_identifier")
        && !is_declared
        && !is_in_path(visit)
}

/// Returns true for the `b` of `a::b`, `a::b<c>` and `a::b::c`.
fn is_in_path(visit: &Visit<'_>) -> bool {
    let mut inner = visit.node;
    for node in visit.ancestors() {
        match node.kind() {
            "template_type" | "template_function" | "dependent_name" => {
                if node.child_by_field_name("name").is_some_and(|name| name != inner) {
                    return false;
                }
            }
            "qualified_identifier" if node.child_by_field_name("name") == Some(inner) => return true,
            "qualified_identifier" => {}
            _ => return false,
        }
        inner = node;
    }
    false
}
