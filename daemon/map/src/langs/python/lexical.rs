//! Describes the lexical scopes of Python: functions, classes and comprehensions are scopes, blocks are not; an
//! assignment binds a name in all of its function.

use crate::langs::scope_rules::{
    Binder, BindingKind, BindingScope, BranchRules, LocalRules, Rebinding, ScopeKind, Visit, named_children,
};
use crate::receiver::MemberRules;
use crate::syntax::Node;

pub(super) static RULES: LocalRules = LocalRules {
    scope_of,
    bind,
    is_name,
    rebinding: Rebinding::Same,
    branches: Some(&BRANCHES),
    sees_members: false,
    binds_members: true,
    members: Some(&MEMBERS),
};

static BRANCHES: BranchRules = BranchRules {
    branches: &["case_clause", "block", "elif_clause", "else_clause"],
    conditions: &["named_expression"],
    loops: &["for_statement", "while_statement"],
    functions: &["function_definition", "lambda"],
};

static MEMBERS: MemberRules = MemberRules {
    member: "attribute",
    object: "object",
    property: "attribute",
    calls: &["call"],
    callees: &["function"],
    item: "subscript",
    of: "value",
    index: "subscript",
    named_argument: Some("keyword_argument"),
    wrappers: &["parenthesized_expression", "await"],
};

fn scope_of(visit: &Visit<'_>) -> Option<ScopeKind> {
    Some(match visit.kind() {
        "module" => ScopeKind::File,
        "function_definition" | "lambda" => ScopeKind::Function,
        "class_definition" => ScopeKind::Type,
        "list_comprehension" | "set_comprehension" | "dictionary_comprehension" | "generator_expression" => {
            ScopeKind::Block
        }
        _ => return None,
    })
}

fn bind(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    match visit.kind() {
        "function_definition" | "class_definition" => {
            binder.bind_all(visit.child("name"), BindingScope::Outside);
        }
        "parameters" | "lambda_parameters" => bind_parameters(visit.node, binder),
        "assignment" => bind_target(visit.child("left"), BindingScope::Here, binder),
        "for_statement" | "for_in_clause" => bind_target(visit.child("left"), BindingScope::Here, binder),
        "named_expression" => binder.bind_all(visit.child("name"), BindingScope::Function),
        "as_pattern_target" => bind_target(named_children(visit.node), BindingScope::Here, binder),
        "except_clause" => bind_target(visit.child("alias"), BindingScope::Here, binder),
        "as_pattern" if visit.parent_kind() == "case_pattern" => {
            binder.bind_all(named_children(visit.node).pop(), BindingScope::Here);
        }
        "splat_pattern" => binder.bind_all(named_children(visit.node), BindingScope::Here),
        "case_pattern" | "keyword_pattern" => bind_capture(visit, binder),
        "type_alias_statement" => bind_target(visit.child("left"), BindingScope::Here, binder),
        "global_statement" => {
            named_children(visit.node).into_iter().for_each(|name| binder.pass_to(name, BindingScope::File));
        }
        "nonlocal_statement" => {
            named_children(visit.node)
                .into_iter()
                .for_each(|name| binder.pass_to(name, BindingScope::Outside));
        }
        "import_statement" | "import_from_statement" => bind_imports(visit, binder),
        _ => {}
    }
}

fn bind_parameters(parameters: Node<'_>, binder: &mut Binder<'_>) {
    for parameter in named_children(parameters) {
        let name = match parameter.kind() {
            "typed_parameter" => parameter.named_child(0),
            "default_parameter" | "typed_default_parameter" => parameter.child_by_field_name("name"),
            _ => Some(parameter),
        };
        bind_target(name, BindingScope::Here, binder);
    }
}

/// Binds the names of an assignment's target; members and elements of other values bind nothing.
fn bind_target<'t>(
    target: impl IntoIterator<Item = Node<'t>>,
    within: BindingScope,
    binder: &mut Binder<'_>,
) {
    let mut waiting: Vec<Node<'_>> = target.into_iter().collect();
    while let Some(node) = waiting.pop() {
        match node.kind() {
            "identifier" => binder.bind(node, within),
            "pattern_list"
            | "tuple_pattern"
            | "list_pattern"
            | "list_splat_pattern"
            | "tuple"
            | "list"
            | "dictionary_splat_pattern"
            | "type" => waiting.extend(named_children(node)),
            _ => {}
        }
    }
}

/// Binds the name of `case name:`; `case a.b:` compares and binds nothing.
fn bind_capture(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    let last = named_children(visit.node).pop().filter(|last| last.kind() == "dotted_name");
    let names = last.map(named_children).unwrap_or_default();
    if names.len() == 1 {
        binder.bind_all(names, BindingScope::Here);
    }
}

fn bind_imports(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    binder.of_kind(BindingKind::Shared);
    for name in visit.children("name") {
        match name.child_by_field_name("alias") {
            Some(alias) => binder.bind(alias, BindingScope::Here),
            None => binder.bind_all(name.named_child(0), BindingScope::Here),
        }
    }
}

fn is_name(visit: &Visit<'_>) -> bool {
    let is_member = match visit.parent_kind() {
        "attribute" => visit.field == Some("attribute"),
        "keyword_argument" => visit.field == Some("name"),
        "dotted_name" => visit.parent.and_then(|path| path.named_child(0)) != Some(visit.node),
        _ => false,
    };
    visit.kind() == "identifier" && !is_member
}
