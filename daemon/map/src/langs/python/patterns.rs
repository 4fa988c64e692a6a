//! Takes apart the pieces of statements: parameters, targets of assignments, `case` patterns, decorators.

use super::grammar::FIELDS;
use super::types::{last, text};
use crate::syntax::{Node, named_children};

/// The facts that the decorators of a function state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    /// True if the function has `@staticmethod`.
    pub is_static: bool,
    /// True if the function has `@classmethod`.
    pub is_class: bool,
    /// True if the function has `@overload`.
    pub overload: bool,
    /// True if the function has `@abstractmethod` or the like.
    pub is_abstract: bool,
    /// True if the function has `@property` or the like, and is read as an attribute.
    pub is_property: bool,
    /// True if the function has `@contextmanager` or the like.
    pub is_context: bool,
    /// True if the function has `@pytest.fixture` or the like.
    pub is_fixture: bool,
}

impl Marks {
    /// Reads the decorators of a decorated definition.
    pub(super) fn from_decorators(source: &[u8], decorated: Node<'_>) -> Self {
        let mut marks = Self::default();
        for decorator in named_children(decorated).filter(|n| n.kind() == "decorator") {
            let name = text(source, decorator).trim_start_matches('@').trim();
            let name = name.split_once('(').map_or(name, |(name, _)| name.trim_end());
            match last(name) {
                "staticmethod" => marks.is_static = true,
                "classmethod" => marks.is_class = true,
                "overload" => marks.overload = true,
                "contextmanager" | "asynccontextmanager" => marks.is_context = true,
                "fixture" | "yield_fixture" => marks.is_fixture = true,
                "property" | "cached_property" => marks.is_property = true,
                name => marks.is_abstract |= name.starts_with("abstract"),
            }
        }
        marks
    }
}

/// Calls `f` with the name and annotation of a parameter; several times for Python 2's tuples.
pub(super) fn each_parameter<'t>(parameter: Node<'t>, f: &mut dyn FnMut(Node<'t>, Option<Node<'t>>)) {
    match parameter.kind() {
        "identifier" => f(parameter, None),
        "default_parameter" | "typed_default_parameter" => {
            if let Some(name) = parameter.child_by_field_id(FIELDS.name) {
                let annotation = parameter.child_by_field_id(FIELDS.ty);
                each_target(name, &mut |name| f(name, annotation));
            }
        }
        "typed_parameter" => {
            if let Some(name) = parameter.named_child(0) {
                let plain = name.kind() == "identifier";
                let annotation = parameter.child_by_field_id(FIELDS.ty).filter(|_| plain);
                each_target(name, &mut |name| f(name, annotation));
            }
        }
        _ => each_target(parameter, &mut |name| f(name, None)),
    }
}

/// Calls `f` with every name and attribute that an assignment to `left` would bind.
pub(super) fn each_target<'t>(left: Node<'t>, f: &mut dyn FnMut(Node<'t>)) {
    let mut waiting = vec![left];
    while let Some(node) = waiting.pop() {
        match node.kind() {
            "identifier" | "attribute" => f(node),
            "pattern_list"
            | "tuple_pattern"
            | "list_pattern"
            | "list_splat_pattern"
            | "dictionary_splat_pattern"
            | "as_pattern_target"
            | "tuple"
            | "list"
            | "expression_list"
            | "parenthesized_expression"
            | "list_splat" => {
                let from = waiting.len();
                waiting.extend(named_children(node));
                waiting[from..].reverse();
            }
            _ => {}
        }
    }
}

/// Calls `f` with the names that a `case` pattern captures.
pub(super) fn each_capture<'t>(pattern: Node<'t>, f: &mut dyn FnMut(Node<'t>)) {
    let mut waiting = vec![pattern];
    while let Some(node) = waiting.pop() {
        let kind = node.kind();
        for (i, child) in named_children(node).enumerate() {
            match (kind, child.kind()) {
                ("case_pattern" | "keyword_pattern", "dotted_name") if child.named_child_count() == 1 => {
                    child.named_child(0).into_iter().for_each(&mut *f);
                }
                ("as_pattern", "identifier") | ("splat_pattern", "identifier") => f(child),
                ("keyword_pattern", "identifier") if i == 0 => {}
                _ => waiting.push(child),
            }
        }
    }
}
