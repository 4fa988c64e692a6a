//! Finds where a definition's header starts and reads its modifiers, for grammars that put annotations inside the
//! definition.

use super::child_where;
use crate::syntax::Node;
use crate::walk::Cx;

/// Returns the first byte of a header without the annotations before it, for which `is_annotation` holds; a grammar's
/// `modifiers` node may hold them together with words.
pub(crate) fn header_start(node: Node<'_>, cx: &Cx<'_>, is_annotation: impl Fn(Node<'_>) -> bool) -> usize {
    let counts = |n: Node<'_>| !n.is_extra() && !is_annotation(n);
    let Some(first) = child_where(node, &counts) else { return node.start_byte() };
    if first.kind() != "modifiers" {
        return first.start_byte();
    }
    let start = child_where(first, &counts).map_or(first.end_byte(), |word| word.start_byte());
    let rest = cx.source.get(start..).unwrap_or(&[]);
    start + rest.iter().take_while(|b| b.is_ascii_whitespace()).count()
}

/// Returns true if some child of the node is written as one of these words.
pub(crate) fn has_word(node: Node<'_>, cx: &Cx<'_>, words: &[&str]) -> bool {
    child_where(node, |child| words.contains(&cx.text(child))).is_some()
}
