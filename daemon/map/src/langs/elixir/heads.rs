//! Reads the parts of calls: their words, arguments and keywords, and the heads of definitions.

use super::grammar::{ElixirKind, GRAMMAR};
use crate::langs::support::{child_where, each_child};
use crate::syntax::Node;
use crate::walk::Cx;

/// The head of a function: `get(id)` of `def get(id) when is_integer(id)`.
pub(super) struct FunctionHead<'t> {
    /// The whole head with its guard.
    pub(super) whole: Node<'t>,
    /// The call or name without its guard.
    pub(super) call: Node<'t>,
    pub(super) name: Node<'t>,
    /// The number of parameters.
    pub(super) arity: usize,
}

/// Returns the word that a call begins with, if it is a bare name.
pub(super) fn word<'t>(call: Node<'t>) -> Option<Node<'t>> {
    call.child_by_field_id(GRAMMAR.f.target).filter(|target| GRAMMAR.kind(*target) == ElixirKind::Ident)
}

/// Returns the named children of a call's arguments, without comments.
pub(super) fn arguments(call: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    if let Some(list) = child_where(call, |child| GRAMMAR.kind(child) == ElixirKind::Arguments) {
        each_child(list, |child, _| {
            found.extend((child.is_named() && GRAMMAR.kind(child) != ElixirKind::Nothing).then_some(child));
        });
    }
    found
}

/// Returns the block of a call: `do … end`.
pub(super) fn do_block(call: Node<'_>) -> Option<Node<'_>> {
    child_where(call, |child| GRAMMAR.kind(child) == ElixirKind::DoBlock)
}

/// Returns the value of a keyword among arguments: `User` of `for: User`.
pub(super) fn keyword<'t>(arguments: &[Node<'t>], key: &str, cx: &Cx<'_>) -> Option<Node<'t>> {
    let keywords = arguments.last().filter(|last| GRAMMAR.kind(**last) == ElixirKind::Keywords)?;
    let pair = child_where(*keywords, |pair| key_of(pair).is_some_and(|found| key_text(found, cx) == key))?;
    pair.child_by_field_id(GRAMMAR.f.value)
}

fn key_of(pair: Node<'_>) -> Option<Node<'_>> {
    pair.child_by_field_id(GRAMMAR.f.key).filter(|key| GRAMMAR.kind(*key) == ElixirKind::Keyword)
}

/// Returns the text of a key without its colon.
pub(super) fn key_text<'s>(key: Node<'_>, cx: &Cx<'s>) -> &'s str {
    cx.text(key).trim_end().trim_end_matches(':')
}

/// Returns the keys of keywords, in order.
pub(super) fn keys(keywords: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    each_child(keywords, |pair, _| found.extend(key_of(pair)));
    found
}

/// Returns the operator of an expression with one or two sides; empty for other nodes.
pub(super) fn operator<'s>(node: Node<'_>, cx: &Cx<'s>) -> &'s str {
    node.child_by_field_id(GRAMMAR.f.operator).map_or("", |operator| cx.text(operator))
}

/// Returns the head of a function; `None` if its name is computed.
pub(super) fn function_head<'t>(whole: Node<'t>, cx: &Cx<'_>) -> Option<FunctionHead<'t>> {
    let is_guarded = GRAMMAR.kind(whole) == ElixirKind::Binary && operator(whole, cx) == "when";
    let call = if is_guarded { whole.child_by_field_id(GRAMMAR.f.left)? } else { whole };
    let (name, arity) = match GRAMMAR.kind(call) {
        ElixirKind::Ident => (call, 0),
        ElixirKind::Call => (word(call)?, arguments(call).len()),
        ElixirKind::Binary => (call.child_by_field_id(GRAMMAR.f.operator)?, 2),
        ElixirKind::Unary => (call.child_by_field_id(GRAMMAR.f.operator)?, 1),
        _ => return None,
    };
    Some(FunctionHead { whole, call, name, arity })
}

/// Returns the content of a plain string; `None` for one with expressions or escapes in it.
pub(super) fn string_content<'s>(text: Node<'_>, cx: &Cx<'s>) -> Option<&'s str> {
    let is_plain = GRAMMAR.kind(text) == ElixirKind::Text && text.named_child_count() == 1;
    let content = text.named_child(0).filter(|content| is_plain && content.kind() == "quoted_content")?;
    Some(cx.text(content))
}
