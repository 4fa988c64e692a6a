//! Finds the bindings of a local name whose value it can have at a place, without those in other branches of one
//! statement.
//!
//! Only one of the `case` clauses of a statement, or of the parts of an `if`, runs. A place cannot see a binding in
//! another of them, unless a loop around the statement, in the same function, runs the statement again.

use crate::langs::scope_rules::BranchRules;
use crate::syntax::{Node, Tree};

/// Returns the bindings of a name that may reach a place, all given by their first bytes; all of them if none seems to.
pub(super) fn reaching_bindings(
    rules: &BranchRules,
    tree: &Tree,
    place: usize,
    bindings: &[usize],
) -> Vec<usize> {
    let root = tree.root_node();
    let around = root.nodes_around_byte(place);
    let may_reach = |binding: &usize| !is_excluded(rules, &around, &root.nodes_around_byte(*binding));
    let found: Vec<usize> = bindings.iter().copied().filter(may_reach).collect();
    if found.is_empty() { bindings.to_vec() } else { found }
}

/// Returns true if a binding and a place are in two branches of which only one runs.
fn is_excluded(rules: &BranchRules, place: &[Node<'_>], binding: &[Node<'_>]) -> bool {
    let shared = place.iter().zip(binding).take_while(|(a, b)| a == b).count();
    let (Some(one), Some(other)) = (place.get(shared), binding.get(shared)) else { return false };
    let is_branch = |node: &Node<'_>| rules.branches.contains(&node.kind());
    // A condition runs before the branches behind it.
    let is_condition = binding.iter().skip(shared).any(|node| rules.conditions.contains(&node.kind()));
    let above = place.iter().take(shared).rev().map(|node| node.kind());
    let mut in_function = above.take_while(|kind| !rules.functions.contains(kind));
    let runs_again = in_function.any(|kind| rules.loops.contains(&kind));
    is_branch(one) && is_branch(other) && !is_condition && !runs_again
}
