//! Describes the lexical scopes of JavaScript and TypeScript: `var` belongs to the function, other names to their
//! block, and types may have parameters.

use crate::langs::scope_rules::{
    Binder, BindingKind, BindingScope, LocalRules, NameSpace, Rebinding, ScopeKind, Visit, has_token,
    named_children,
};
use crate::receiver::MemberRules;
use crate::syntax::Node;

/// Most names of a path that are followed.
const PATH: usize = 32;

/// The rules of JavaScript, in which an assignment to a name that nothing binds makes a variable.
pub(super) static UNTYPED_RULES: LocalRules = LocalRules { bind: bind_all, ..RULES };

/// The rules of TypeScript, in which such an assignment is an error.
pub(super) static TYPED_RULES: LocalRules = RULES;

const RULES: LocalRules = LocalRules {
    scope_of,
    bind,
    is_name,
    rebinding: Rebinding::Same,
    branches: None,
    sees_members: false,
    binds_members: false,
    members: Some(&MEMBERS),
};

static MEMBERS: MemberRules = MemberRules {
    member: "member_expression",
    object: "object",
    property: "property",
    calls: &["call_expression", "new_expression"],
    callees: &["function", "constructor"],
    item: "subscript_expression",
    of: "object",
    index: "index",
    named_argument: None,
    wrappers: &["parenthesized_expression", "await_expression", "non_null_expression"],
};

fn scope_of(visit: &Visit<'_>) -> Option<ScopeKind> {
    Some(match visit.kind() {
        "program" => ScopeKind::File,
        "function_declaration"
        | "function_expression"
        | "generator_function"
        | "generator_function_declaration"
        | "arrow_function"
        | "method_definition"
        | "function_signature"
        | "method_signature"
        | "abstract_method_signature"
        | "construct_signature"
        | "call_signature"
        | "function_type"
        | "constructor_type"
        | "class_static_block" => ScopeKind::Function,
        "internal_module" | "module" => ScopeKind::Function,
        "class_declaration"
        | "class"
        | "abstract_class_declaration"
        | "interface_declaration"
        | "type_alias_declaration" => ScopeKind::Type,
        "statement_block" | "for_statement" | "for_in_statement" | "catch_clause" | "switch_body"
        | "labeled_statement" | "index_signature" | "conditional_type" | "while_statement"
        | "do_statement" | "if_statement" | "else_clause" | "with_statement" => ScopeKind::Block,
        _ => return None,
    })
}

fn bind(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    match visit.kind() {
        "identifier" | "shorthand_property_identifier" if is_value(visit) => {
            binder.seek_in(NameSpace::Values);
        }
        "type_identifier" => binder.seek_in(NameSpace::Types),
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            binder.in_space(NameSpace::Values).bind_all(visit.child("name"), BindingScope::Outside);
        }
        "interface_declaration" | "type_alias_declaration" => {
            binder.in_space(NameSpace::Types).bind_all(visit.child("name"), BindingScope::Outside);
        }
        "class_declaration" | "abstract_class_declaration" => {
            binder.bind_all(visit.child("name"), BindingScope::Outside);
        }
        "internal_module" | "module" => {
            binder.bind_all(visit.child("name").and_then(first_name), BindingScope::Outside);
        }
        "enum_declaration" => binder.bind_all(visit.child("name"), BindingScope::Here),
        "function_expression" | "generator_function" => {
            binder.in_space(NameSpace::Values).bind_all(visit.child("name"), BindingScope::Here);
        }
        "class" => binder.bind_all(visit.child("name"), BindingScope::Here),
        "formal_parameters" => bind_pattern(named_children(visit.node), BindingScope::Here, binder),
        "arrow_function" => bind_pattern(visit.child("parameter"), BindingScope::Here, binder),
        "variable_declarator" => {
            let is_var = visit.parent_kind() == "variable_declaration";
            let within = if is_var { BindingScope::Function } else { BindingScope::Here };
            bind_pattern(visit.child("name"), within, binder);
        }
        "for_in_statement" => {
            bind_loop(visit, binder);
        }
        "catch_clause" => bind_pattern(visit.child("parameter"), BindingScope::Here, binder),
        "type_parameter" | "mapped_type_clause" => {
            binder.in_space(NameSpace::Types).bind_all(visit.child("name"), BindingScope::Here);
        }
        "index_signature" => binder.bind_all(visit.child("name"), BindingScope::Here),
        "infer_type" => {
            binder.in_space(NameSpace::Types).bind_all(visit.node.named_child(0), BindingScope::Here);
        }
        "labeled_statement" => binder.bind_all(visit.child("label"), BindingScope::Here),
        "import_clause" | "namespace_import" | "import_require_clause" | "import_alias" => {
            let name = visit.node.named_child(0).filter(|name| name.kind() == "identifier");
            binder.of_kind(BindingKind::Shared).bind_all(name, BindingScope::Here);
        }
        "import_specifier" => {
            let name = visit.child("alias").or_else(|| visit.child("name"));
            binder.of_kind(BindingKind::Shared).bind_all(name, BindingScope::Here);
        }
        _ => {}
    }
}

/// Binds the names that a node binds, and those that it assigns and nothing binds.
fn bind_all(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    let is_assigned = match visit.kind() {
        "for_in_statement" => !bind_loop(visit, binder),
        "assignment_expression" => true,
        _ => {
            bind(visit, binder);
            false
        }
    };
    if is_assigned {
        bind_pattern(visit.child("left"), BindingScope::Function, binder.of_kind(BindingKind::Implicit));
    }
}

/// Returns the first name of a path: `A` of `namespace A.B`.
fn first_name(path: Node<'_>) -> Option<Node<'_>> {
    let mut at = path;
    for _ in 0..PATH {
        match at.kind() {
            "nested_identifier" | "member_expression" => at = at.named_child(0)?,
            _ => return Some(at),
        }
    }
    None
}

/// Binds the variable that a loop declares; false if it declares none.
fn bind_loop(visit: &Visit<'_>, binder: &mut Binder<'_>) -> bool {
    let kinds = [
        ("var", BindingScope::Function),
        ("let", BindingScope::Here),
        ("const", BindingScope::Here),
        ("using", BindingScope::Here),
    ];
    let declared = kinds.into_iter().find(|(token, _)| has_token(visit.node, token));
    if let Some((_, within)) = declared {
        bind_pattern(visit.child("left"), within, binder);
    }
    declared.is_some()
}

/// Binds the names of a pattern, but not those in its defaults, keys and types.
fn bind_pattern<'t>(
    pattern: impl IntoIterator<Item = Node<'t>>,
    within: BindingScope,
    binder: &mut Binder<'_>,
) {
    binder.in_space(NameSpace::Values);
    let mut waiting: Vec<Node<'_>> = pattern.into_iter().collect();
    while let Some(node) = waiting.pop() {
        match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => binder.bind(node, within),
            "required_parameter" | "optional_parameter" => {
                waiting.extend(node.child_by_field_name("pattern"));
            }
            "pair_pattern" => waiting.extend(node.child_by_field_name("value")),
            "assignment_pattern" | "object_assignment_pattern" => {
                waiting.extend(node.child_by_field_name("left"));
            }
            "object_pattern" | "array_pattern" | "rest_pattern" => waiting.extend(named_children(node)),
            _ => {}
        }
    }
}

/// Returns true for a name in an expression; clauses of exports and paths to types name types and namespaces too.
fn is_value(visit: &Visit<'_>) -> bool {
    !matches!(
        visit.parent_kind(),
        "export_specifier"
            | "import_specifier"
            | "export_statement"
            | "nested_identifier"
            | "nested_type_identifier"
            | "import_alias"
            | "class_heritage"
            | "extends_clause"
    )
}

fn is_name(visit: &Visit<'_>) -> bool {
    const NAMES: [&str; 5] = [
        "identifier",
        "shorthand_property_identifier",
        "shorthand_property_identifier_pattern",
        "type_identifier",
        "statement_identifier",
    ];
    let is_other = match visit.parent_kind() {
        "nested_type_identifier" => visit.field == Some("name"),
        "export_specifier" => visit.field == Some("alias"),
        "namespace_export" | "jsx_namespace_name" => true,
        "import_specifier" => {
            visit.field == Some("name")
                && visit.parent.is_some_and(|one| one.child_by_field_name("alias").is_some())
        }
        _ => false,
    };
    NAMES.contains(&visit.kind()) && !is_other
}
