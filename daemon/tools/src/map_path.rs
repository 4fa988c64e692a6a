//! Answers `map_path`: chains from one symbol to another, with the text of each step.

use hob_map::graph::{EdgeKind, EdgeKinds, NodeRef, PathQuery};
use hob_proto::tools::path::PathArgs;

use super::map::{parse_direction, text_at, with_graph_deadline};
use super::{NeededIndex, ToolCall, ToolOutcome, target, to_data, why};
use hob_results::FileLineCache;
use hob_results::path as to_proto;

pub(super) fn path(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: PathArgs = call.parse_args()?;
    let workspace = call.workspace(NeededIndex::Map)?;
    call.wait_for_ranking(&workspace);
    let scope = call.parse_scope(&workspace)?;
    let map = workspace.map();
    let query = PathQuery {
        from: target::one(call, &map, &workspace, &args.from)?,
        to: target::one(call, &map, &workspace, &args.to)?,
        max_len: u32::try_from(args.max_len).unwrap_or(12),
        kinds: path_kinds(&args),
        direction: parse_direction(&args.direction),
        cancel: with_graph_deadline(&call.cancel),
    };
    let admits = |node| scope.rules().has_node(&map, node);
    let admits: Option<&dyn Fn(NodeRef) -> bool> = if scope.is_all() { None } else { Some(&admits) };
    let answer = match wants_calls_alone(&args) {
        true => map.path_by_calls_or_names(&query, admits),
        false => map.path_through(&query, admits),
    };
    if answer.by_names {
        call.notes
            .warnings
            .push("No chain of calls alone: what a step `names` it hands over or only mentions.".to_owned());
    }
    if !answer.is_connected() {
        call.notes.warnings.push(none_found(&args, answer.incomplete));
        let narrowed = "Only what `paths` and `tests` admit was passed through.";
        call.notes.warnings.extend(admits.map(|_| narrowed.to_owned()));
    }
    let unexplained = match answer.chains.first() {
        Some(best) if args.why => why::steps_to_explain(&map, best),
        _ => Vec::new(),
    };
    let mut result = to_proto::path(&map, answer);
    drop(map);
    why::add_chains_of_steps(&mut result.best, &unexplained, &workspace, &call.cancel);
    let mut lines = FileLineCache::in_workspace(&workspace);
    for chain in std::iter::once(&mut result.best).chain(&mut result.others) {
        for (at, edge) in chain.edges.iter_mut().enumerate() {
            let start = if edge.direction == "in" { at + 1 } else { at };
            let file = chain.nodes.get(start).map_or("", |node| &node.file);
            edge.text = text_at(&mut lines, file, edge.line);
        }
    }
    to_data(&result)
}

/// Returns true if a question leaves the kinds of edges to hob, which are calls in their direction.
fn wants_calls_alone(args: &PathArgs) -> bool {
    args.edge_kinds.is_empty() && args.direction == "out" && !args.include_references
}

/// Returns the kinds of edges to follow: calls, unless the question names others.
fn path_kinds(args: &PathArgs) -> EdgeKinds {
    let references = [EdgeKind::References].into_iter().filter(|_| args.include_references);
    match (&args.edge_kinds[..], args.direction.as_str()) {
        ([], "both") if args.include_references => EdgeKinds::ALL,
        ([], "both") => EdgeKinds::ALL.without(EdgeKind::References),
        ([], _) => std::iter::once(EdgeKind::Calls).chain(references).collect(),
        (words, _) => words.iter().filter_map(|word| EdgeKind::parse(word)).chain(references).collect(),
    }
}

fn none_found(args: &PathArgs, incomplete: bool) -> String {
    if incomplete {
        return "The search was given up before everything in reach was seen: a path may exist.".to_owned();
    }
    match (args.direction.as_str(), &args.edge_kinds[..]) {
        ("out", []) => format!(
            "No chain of up to {} calls leads from one to the other: pass direction in for the way back, or direction both for \
             any connection.",
            args.max_len
        ),
        _ => format!("There is no path of up to {} resolved edges.", args.max_len),
    }
}
