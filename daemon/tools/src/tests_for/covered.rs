//! Finds everything that a test covers: all that `flow_trace` finds below it, without tests and packages outside.

use hob_base::CancelToken;
use hob_map::Map;
use hob_map::graph::{FlowQuery, FlowStep, NodeRef};

use super::{ReachStep, ReachedSet};

/// Most definitions of a file from which a trace starts, and most steps below each.
const ROOTS: usize = 300;
const STEPS: usize = 2_000;

/// Returns all definitions that the nodes reach.
pub(super) fn covered_by(map: &Map, nodes: &[NodeRef], max_depth: u32, cancel: &CancelToken) -> ReachedSet {
    let mut reached = ReachedSet::default();
    for root in nodes.iter().flat_map(|node| roots_of(map, *node)) {
        if cancel.check().is_err() {
            reached.is_incomplete = true;
            break;
        }
        let query = FlowQuery { node: root, max_depth, max_steps: STEPS, cancel: cancel.clone() };
        let answer = map.trace_flow(&query);
        for step in &answer.steps {
            add_step(map, &answer.steps, step, &mut reached);
        }
        reached.truncated_at = reached.truncated_at.or(answer.whole_to);
        reached.is_incomplete |= answer.incomplete;
    }
    reached
}

/// Returns the nodes at which a trace begins: a file with its definitions, or the node itself.
fn roots_of(map: &Map, node: NodeRef) -> Vec<NodeRef> {
    match node {
        NodeRef::File(file) => {
            let defs = map.defs_of(file).into_iter().take(ROOTS).map(NodeRef::Def);
            std::iter::once(node).chain(defs).collect()
        }
        other => vec![other],
    }
}

/// Adds a callee and the types that it instantiates; an unresolved call is counted.
fn add_step(map: &Map, all: &[FlowStep], step: &FlowStep, reached: &mut ReachedSet) {
    let leaf = |node: NodeRef| ReachStep {
        node,
        depth: step.depth + 1,
        confidence: step.confidence,
        via: Some(step.node),
    };
    let leaves = step.leaves.iter().copied().filter(|node| is_covered(map, *node));
    reached.steps.extend(leaves.map(leaf));
    if !step.candidates.is_empty() {
        reached.possible += 1;
        return;
    }
    if step.depth > 0 && is_covered(map, step.node) {
        let via = step.parent.and_then(|parent| all.get(parent)).map(|parent| parent.node);
        reached.steps.push(ReachStep {
            node: step.node,
            depth: step.depth,
            confidence: step.confidence,
            via,
        });
    }
}

fn is_covered(map: &Map, node: NodeRef) -> bool {
    matches!(node, NodeRef::Def(_)) && !map.is_among_tests(node)
}
