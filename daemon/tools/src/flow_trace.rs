//! Answers `flow_trace`: the tree of callees, cut to its budget from its ends.
//!
//! The usual cut shortens lists, which in a tree would throw away a whole branch to save a leaf. So the tree is cut
//! here: steps are taken level by level, on each level sure ones before packages and candidates, for as long as they
//! fit. What is shown is then always a tree, and everything that it leaves out is farther from the root or worth less
//! than what it shows.

use hob_budget::chars_of;
use hob_map::Map;
use hob_map::graph::{FlowAnswer, FlowQuery, FlowStep, NodeInfo, NodeKind, NodeRef, Occurrence};
use hob_proto::tools::flow::{FlowArgs, FlowDetail, FlowNode, FlowResult};

use super::call::note_room;
use super::map::with_graph_deadline;
use super::symbol_question::{SymbolQuestion, ask_about};
use super::{NeededIndex, ToolCall, ToolOutcome, to_data};
use hob_host::{Stale, Workspace};

/// Most lines of calls that each step shows.
const SITES: usize = 5;

/// Most overriding methods that each step shows.
const OVERRIDING: usize = 12;

/// Least cost of a step in characters.
const LEAST_STEP: usize = 12;

const WAY: &str = "Raise tokenBudget, pass response_format:'concise', or trace a callee by itself.";

pub(super) fn flow_trace(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: FlowArgs = call.parse_args()?;
    let workspace = call.workspace(NeededIndex::Map)?;
    let SymbolQuestion { map, scope, node } = match ask_about(call, &workspace, &args.symbol)? {
        Ok(question) => question,
        Err(several) => return to_data(&FlowResult { ambiguous: vec![several], ..FlowResult::default() }),
    };
    let mut answer = map.trace_flow(&FlowQuery {
        node,
        max_depth: args.max_depth,
        max_steps: (call.terms.room / LEAST_STEP).max(500),
        cancel: with_graph_deadline(&call.cancel),
    });
    if !scope.is_all() {
        keep_in_scope(&mut answer, &|node| scope.admits_node(&map, node));
        scope.warn_of_omissions(call, answer.incomplete);
    }
    let room = call.room_for_data();
    let mut tree = FlowTree::new(&map, &workspace, &answer, args.response_format == "concise");
    if tree.cost_of_steps(1) > room.saturating_sub(note_room(room)) {
        // There is so little room that details would leave none even for the root.
        tree = FlowTree::new(&map, &workspace, &answer, true);
    }
    let shown = tree.most_within(room);
    call.omit_items("calls", answer.steps.len(), shown, WAY);
    if answer.incomplete {
        call.notes.warnings.push(format!(
            "The trace was given up after {} calls: it is whole to depth {}.",
            answer.steps.len().saturating_sub(1),
            answer.whole_to.unwrap_or(0)
        ));
    }
    to_data(&tree.result(shown))
}

/// Removes the steps that are not in scope, except those on the way to one that is. Parents stand before their steps.
fn keep_in_scope(answer: &mut FlowAnswer, admits: &dyn Fn(NodeRef) -> bool) {
    let mut kept: Vec<bool> =
        answer.steps.iter().map(|step| step.parent.is_none() || admits(step.node)).collect();
    for at in (0..kept.len()).rev() {
        if let Some(parent) = answer.steps[at].parent.filter(|_| kept[at]) {
            kept[parent] = true;
        }
    }
    let mut place = vec![0; kept.len()];
    let mut next = 0;
    for (at, is_kept) in kept.iter().enumerate() {
        place[at] = next;
        next += usize::from(*is_kept);
    }
    let mut flags = kept.iter();
    answer.steps.retain(|_| flags.next() == Some(&true));
    for step in &mut answer.steps {
        step.parent = step.parent.map(|parent| place[parent]);
    }
}

/// An answer that is ready to be cut: its steps as they are shown, and the order in which they are taken.
struct FlowTree<'a> {
    answer: &'a FlowAnswer,
    nodes: Vec<FlowNode>,
    names: Vec<String>,
    /// Indexes in `nodes`, in the order in which they are shown. A step never comes before its parent.
    order: Vec<usize>,
}

impl<'a> FlowTree<'a> {
    fn new(map: &Map, workspace: &Workspace, answer: &'a FlowAnswer, concise: bool) -> Self {
        let stale = workspace.stale_files();
        let infos: Vec<Option<NodeInfo>> = answer.steps.iter().map(|step| map.info(step.node)).collect();
        let nodes: Vec<FlowNode> = answer
            .steps
            .iter()
            .zip(&infos)
            .map(|(step, info)| {
                let Some(info) = info else { return FlowNode::default() };
                let node = concise_node(map, step, info, concise);
                let caller = step.parent.and_then(|parent| infos[parent].as_ref());
                let is_near = concise && caller.is_some_and(|caller| caller.path == info.path);
                let file = if is_near { String::new() } else { file_of(info) };
                let detail = (!concise).then(|| flow_detail(map, step, info, &stale));
                FlowNode { file, detail, ..node }
            })
            .collect();
        let names =
            nodes.iter().map(|node| node.detail.as_ref().map_or(&node.name, |detail| &detail.uid).clone());
        let worth = |at: &usize| {
            let outside =
                matches!(infos[*at].as_ref().map(|info| info.kind), Some(NodeKind::External) | None);
            (answer.steps[*at].depth, !answer.steps[*at].candidates.is_empty(), outside)
        };
        let mut order: Vec<usize> = (0..answer.steps.len()).collect();
        order.sort_by_key(worth);
        Self { answer, names: names.collect(), nodes, order }
    }

    /// Returns the number of steps that fit into `room` characters; at least 1, the root.
    fn most_within(&self, room: usize) -> usize {
        let all = self.order.len();
        if self.cost_of_steps(all) <= room {
            return all;
        }
        let room = room.saturating_sub(note_room(room));
        let (mut low, mut high) = (1, all);
        while low < high {
            let mid = (low + high).div_ceil(2);
            if self.cost_of_steps(mid) <= room { low = mid } else { high = mid - 1 }
        }
        low
    }

    fn cost_of_steps(&self, steps: usize) -> usize {
        chars_of(&self.result(steps))
    }

    /// Returns the result with the first `steps` steps.
    fn result(&self, steps: usize) -> FlowResult {
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut kept: Vec<usize> = self.order.iter().copied().take(steps).collect();
        kept.sort_unstable();
        let mut left_out = vec![0; self.nodes.len()];
        self.answer.steps.iter().filter_map(|step| step.parent).for_each(|parent| left_out[parent] += 1);
        for &at in &kept {
            if let Some(parent) = self.answer.steps[at].parent {
                below[parent].push(at);
                left_out[parent] -= 1;
            }
        }
        let closing = kept.iter().filter(|at| self.answer.steps[**at].met == Occurrence::Cycle);
        let cut_at = self.order.get(steps).map(|at| self.answer.steps[*at].depth.saturating_sub(1));
        FlowResult {
            cycles: closing.map(|at| self.cycle_path(*at)).collect(),
            truncated_at: cut_at.into_iter().chain(self.answer.whole_to).min(),
            root: (!self.nodes.is_empty()).then(|| self.node_with_calls(0, &below, &left_out)),
            ambiguous: Vec::new(),
        }
    }

    fn node_with_calls(&self, at: usize, below: &[Vec<usize>], left_out: &[usize]) -> FlowNode {
        let calls = below[at].iter().map(|child| self.node_with_calls(*child, below, left_out)).collect();
        let more = left_out[at] + self.answer.steps[at].beyond;
        FlowNode { calls, more, ..self.nodes[at].clone() }
    }

    /// Returns the names on the way from a symbol down to the call of itself.
    fn cycle_path(&self, closing: usize) -> Vec<String> {
        let mut way = vec![self.names[closing].clone()];
        let mut above = self.answer.steps[closing].parent;
        while let Some(at) = above {
            way.push(self.names[at].clone());
            if self.answer.steps[at].node == self.answer.steps[closing].node {
                break;
            }
            above = self.answer.steps[at].parent;
        }
        way.reverse();
        way
    }
}

fn concise_node(map: &Map, step: &FlowStep, info: &NodeInfo, concise: bool) -> FlowNode {
    let named = |node: &NodeRef| map.info(*node).map(|info| name_of(&info));
    let mut leaves: Vec<String> = Vec::new();
    for leaf in step.leaves.iter().filter_map(named) {
        if !leaves.contains(&leaf) {
            leaves.push(leaf);
        }
    }
    let over = step.overriding.iter().take(OVERRIDING);
    FlowNode {
        name: name_of(info),
        line: (info.kind != NodeKind::External).then_some(info.name_at.0),
        unresolved: concise && !step.candidates.is_empty(),
        cycle: step.met == Occurrence::Cycle,
        seen: step.met == Occurrence::Again,
        leaves,
        overriding: match concise {
            true => over.filter_map(named).collect(),
            false => over.map(|node| map.id(*node).to_string()).collect(),
        },
        ..FlowNode::default()
    }
}

fn flow_detail(map: &Map, step: &FlowStep, info: &NodeInfo, stale: &Stale) -> FlowDetail {
    FlowDetail {
        uid: info.id.to_string(),
        kind: info.kind.as_str().to_owned(),
        depth: step.depth,
        confidence: step.confidence.as_str().to_owned(),
        sites: step.sites.iter().copied().take(SITES).collect(),
        site_count: (step.site_count > SITES).then_some(step.site_count),
        candidates: step.candidates.iter().map(|node| map.id(*node).to_string()).collect(),
        stale: info.path.as_ref().is_some_and(|path| stale.has(path)),
    }
}

/// Returns the name of a node in answers about flow: its qualified name, or the name of a file or package.
pub(super) fn name_of(info: &NodeInfo) -> String {
    if info.qualified.is_empty() { info.name.clone() } else { info.qualified.clone() }
}

/// Returns the path of a node's file; empty for packages outside the workspace.
pub(super) fn file_of(info: &NodeInfo) -> String {
    info.path.as_ref().map(ToString::to_string).unwrap_or_default()
}
