//! Describes the scopes of Ruby's local variables: an assignment makes one in the innermost method, class or block,
//! unless a block around it has one of that name.
//!
//! Methods, classes and modules see no variable around them; blocks do. Instance variables outside of classes, as in
//! scripts and groups of tests, belong to the file here; those of classes are definitions of the map.

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
    sees_members: false,
    binds_members: false,
    members: None,
};

/// Most nodes around an instance variable that are searched for its class.
const DEPTH: usize = 64;

fn scope_of(visit: &Visit<'_>) -> Option<ScopeKind> {
    Some(match visit.kind() {
        "program" => ScopeKind::File,
        "method" | "singleton_method" | "class" | "module" | "singleton_class" => ScopeKind::Closed,
        "block" | "do_block" | "lambda" => ScopeKind::Block,
        _ => return None,
    })
}

fn bind(visit: &Visit<'_>, binder: &mut Binder<'_>) {
    binder.visible_from(visit.node.start_byte());
    match visit.kind() {
        "assignment" | "operator_assignment" => assign(visit.child("left"), binder),
        "left_assignment_list"
        | "destructured_left_assignment"
        | "rest_assignment"
        | "exception_variable" => {
            named_children(visit.node).into_iter().for_each(|target| assign(Some(target), binder));
        }
        "for" => assign(visit.child("pattern"), binder),
        "method_parameters" | "block_parameters" | "lambda_parameters" | "destructured_parameter" => {
            binder.bind_all(identifiers_in(visit.node), BindingScope::Here);
        }
        "optional_parameter" | "keyword_parameter" | "block_parameter" => {
            binder.bind_all(visit.child("name"), BindingScope::Here);
        }
        // Such a parameter may stand in a pattern too.
        "splat_parameter" | "hash_splat_parameter" => {
            let is_pattern = visit.parent_kind().ends_with("pattern");
            let within = if is_pattern { BindingScope::Nearest } else { BindingScope::Here };
            binder.bind_all(visit.child("name"), within);
        }
        "array_pattern" | "find_pattern" => {
            binder.bind_all(identifiers_in(visit.node), BindingScope::Nearest);
        }
        "in_clause" | "match_pattern" | "test_pattern" => assign(visit.child("pattern"), binder),
        "as_pattern" => binder.bind_all(visit.child("name"), BindingScope::Nearest),
        "keyword_pattern" => match visit.child("value") {
            Some(value) => assign(Some(value), binder),
            None => binder.bind_all(visit.child("key"), BindingScope::Nearest),
        },
        _ => {}
    }
}

/// Binds a plain name that a value is assigned to.
fn assign(target: Option<Node<'_>>, binder: &mut Binder<'_>) {
    let Some(target) = target else { return };
    match target.kind() {
        "identifier" => binder.bind(target, BindingScope::Nearest),
        "instance_variable" if binder.is_it(target) && !is_in_class(target) => {
            binder.of_kind(BindingKind::Implicit).bind(target, BindingScope::File);
        }
        _ => {}
    }
    binder.of_kind(BindingKind::Variable);
}

fn identifiers_in(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    named_children(node).into_iter().filter(|child| child.kind() == "identifier")
}

/// Returns true if a node stands in a class or module, or too deep to tell.
fn is_in_class(node: Node<'_>) -> bool {
    let mut around = std::iter::successors(node.parent(), Node::parent).take(DEPTH);
    around
        .find(|node| matches!(node.kind(), "class" | "module" | "singleton_class" | "program"))
        .is_none_or(|node| node.kind() != "program")
}

fn is_name(visit: &Visit<'_>) -> bool {
    match visit.kind() {
        "identifier" => {
            let is_called = visit.parent_kind() == "call" && visit.field == Some("method");
            let is_defined =
                matches!(visit.parent_kind(), "method" | "singleton_method") && visit.field == Some("name");
            !is_called && !is_defined && !matches!(visit.parent_kind(), "setter" | "alias" | "undef")
        }
        // `{x:}` has the value of `x`.
        "hash_key_symbol" => {
            visit.parent_kind() == "pair"
                && visit.parent.is_some_and(|pair| pair.child_by_field_name("value").is_none())
        }
        "instance_variable" => !is_in_class(visit.node),
        _ => false,
    }
}
