//! The `map_*` handlers.

use std::path::Path;
use std::time::{Duration, Instant};

use hob_base::{CancelToken, Deadline, WsPath};
use hob_map::Map;
use hob_map::graph::{
    Direction, EdgeKind, EdgeKinds, KindFilter, Lookup, NeighborsQuery, NodeRef, PathQuery, SearchQuery,
};
use hob_proto::tools::map::{NeighborsArgs, OverviewArgs, PathArgs, RebuildArgs, RebuildResult, SearchArgs};
use hob_proto::{NodeId, ToolError};
use hob_workspace::mapped_for_writing;

use super::{Needs, Outcome, ToolCall, data};
use crate::host::{Phase, Workspace};
use crate::to_proto::{errors, map as to_proto};

/// How long an overview waits for the first clusters.
pub(super) const DERIVE_PATIENCE: Duration = Duration::from_secs(10);

/// Nodes told of a name that several definitions share.
const CANDIDATES: usize = 20;

/// How long one graph question may take.
pub(super) const GRAPH_PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn overview(call: &mut ToolCall<'_>) -> Outcome {
    let args: OverviewArgs = call.args()?;
    let workspace = call.workspace(Needs::Map)?;
    let focus = args.focus.map(|focus| focus_of(&workspace, focus)).transpose()?;
    workspace.wait_derived(&call.cancel.with_deadline(call.first_time(DERIVE_PATIENCE)));
    let overview = workspace.map().overview(focus.as_deref(), args.hubs_per_cluster);
    if overview.focus_unknown {
        return Err(errors::unknown_focus(&workspace, &focus.unwrap_or_default()));
    }
    if let Some(file) = focus.as_deref().filter(|focus| workspace.map().file_at(focus).is_some()) {
        call.warn_of_unmapped(&workspace.map(), [file]);
    }
    if !overview.derived && overview.files > 0 {
        call.warnings.push(
            "Clusters are still being computed; files are grouped by folder and scores are missing.".into(),
        );
    }
    data(&to_proto::overview(overview, &workspace))
}

/// A path in any spelling as the map has it; other words stay as they are.
fn focus_of(workspace: &Workspace, focus: String) -> Result<String, ToolError> {
    let is_path =
        Path::new(&focus).is_absolute() || focus == "." || focus.starts_with("./") || focus.starts_with("..");
    if !is_path {
        return Ok(focus);
    }
    let inside = hob_workspace::confine(workspace.root(), &focus);
    inside.map(|path| path.to_string()).map_err(|error| errors::confine(&error, workspace.root()))
}

pub(super) fn search(call: &mut ToolCall<'_>) -> Outcome {
    let args: SearchArgs = call.args()?;
    let workspace = call.workspace(Needs::Map)?;
    let prefix = prefix(&workspace, args.path_prefix.as_deref())?;
    let query = SearchQuery {
        text: &args.query,
        kinds: kind_filter(&args.kind),
        path_prefix: prefix.as_ref().map_or("", WsPath::as_str),
        limit: args.limit,
    };
    call.wait_for_ranking(&workspace);
    let map = workspace.map();
    let answer = map.search(&query);
    if answer.hits.is_empty() {
        call.warn_of_unmapped_anywhere(&map);
    } else {
        call.warn_of_ranking(&map);
        call.warn_of_unmapped(&map, prefix.as_ref().map(WsPath::as_str));
    }
    drop(map);
    if answer.total_is_least {
        call.warnings.push("Very many names match: total is a lower bound. Pass a longer query.".into());
    }
    call.omit(
        "results",
        answer.total,
        answer.hits.len(),
        "Raise limit (<=100), or pass kind, pathPrefix or a longer query.",
    );
    data(&to_proto::search(answer, &workspace.stale()))
}

fn kind_filter(word: &str) -> KindFilter {
    match word {
        "function" => KindFilter::Function,
        "class" => KindFilter::Class,
        "method" => KindFilter::Method,
        "interface" => KindFilter::Interface,
        "variable" => KindFilter::Variable,
        "file" => KindFilter::File,
        _ => KindFilter::Any,
    }
}

/// A path argument as a path in the workspace.
pub(super) fn prefix(workspace: &Workspace, path: Option<&str>) -> Result<Option<WsPath>, ToolError> {
    path.map(|path| {
        hob_workspace::confine(workspace.root(), path).map_err(|e| errors::confine(&e, workspace.root()))
    })
    .transpose()
}

pub(super) fn neighbors(call: &mut ToolCall<'_>) -> Outcome {
    let args: NeighborsArgs = call.args()?;
    let workspace = call.workspace(Needs::Map)?;
    call.wait_for_ranking(&workspace);
    let map = workspace.map();
    let node = find_node(&map, &workspace, &args.node_id)?;
    let query = NeighborsQuery {
        node,
        direction: direction(&args.direction),
        kinds: edge_kinds(&args.edge_kinds),
        depth: u32::try_from(args.depth).unwrap_or(1),
        max_nodes: args.max_nodes.saturating_add(args.offset),
        cancel: patient(&call.cancel),
    };
    let mut answer = map.neighbors(&query).ok_or_else(|| errors::node_not_found(&args.node_id))?;
    if answer.incomplete {
        call.warnings
            .push("Time ran out before every edge was looked at: narrow with edgeKinds or direction.".into());
    }
    if answer.omitted_is_least {
        call.warnings.push(
            "There was no place for unresolved edges beyond the first step: omitted does not count them. Ask with depth=1 about \
             the node you mean."
                .into(),
        );
    }
    call.warn_of_ranking(&map);
    call.warn_of_unmapped_around(&map, node);
    answer.neighbors.drain(..args.offset.min(answer.neighbors.len()));
    call.omit(
        "neighbors",
        answer.omitted,
        0,
        "Pass direction and one of edgeKinds, with maxNodes up to 200, and offset for the next page.",
    );
    data(&to_proto::neighbors(&map, answer, (&workspace, args.edge_kinds.len() == 1)))
}

pub(super) fn patient(cancel: &CancelToken) -> CancelToken {
    cancel.with_deadline(Deadline::after(GRAPH_PATIENCE))
}

fn direction(word: &str) -> Direction {
    match word {
        "in" => Direction::In,
        "out" => Direction::Out,
        _ => Direction::Both,
    }
}

fn edge_kinds(words: &[String]) -> EdgeKinds {
    if words.is_empty() {
        return EdgeKinds::ALL;
    }
    words.iter().filter_map(|word| EdgeKind::parse(word)).collect()
}

/// The node of an ID, or of a path or name that stands for one alone.
fn find_node(map: &Map, workspace: &Workspace, text: &str) -> Result<NodeRef, ToolError> {
    let error = match text.parse::<NodeId>() {
        Ok(id) => return map.node(&id).ok_or_else(|| errors::missing_node(map, workspace, &id)),
        Err(error) => error,
    };
    // What was meant to be an ID is not taken for a name.
    let named = if NodeId::looks_like(text) { Lookup::None } else { map.lookup(text) };
    match named {
        Lookup::One(node) => Ok(node),
        Lookup::Ambiguous(nodes) => {
            let ids = nodes.iter().take(CANDIDATES).map(|node| map.id(*node).to_string()).collect();
            Err(errors::several_nodes(text, nodes.len(), ids))
        }
        Lookup::None => Err(errors::bad_node_id(&error, text)),
    }
}

pub(super) fn path(call: &mut ToolCall<'_>) -> Outcome {
    let args: PathArgs = call.args()?;
    let workspace = call.workspace(Needs::Map)?;
    let map = workspace.map();
    let query = PathQuery {
        from: find_node(&map, &workspace, &args.from)?,
        to: find_node(&map, &workspace, &args.to)?,
        max_len: u32::try_from(args.max_len).unwrap_or(6),
        include_references: args.include_references,
        cancel: patient(&call.cancel),
    };
    let answer = map.path(&query);
    if !answer.found() {
        call.warnings.push(match answer.incomplete {
            true => {
                "The search was given up before everything in reach was seen: a path may exist.".to_owned()
            }
            false => format!("There is no path of up to {} resolved edges.", args.max_len),
        });
    }
    data(&to_proto::path(&map, answer))
}

pub(super) fn rebuild(call: &mut ToolCall<'_>) -> Outcome {
    let args: RebuildArgs = call.args()?;
    let workspace = call.workspace(Needs::State)?;
    let scope = prefix(&workspace, args.scope.as_deref())?;
    let started = Instant::now();
    let cold = workspace.progress.now().phase != Phase::Done;
    let report = match cold {
        true => first_index(call, &workspace)?,
        false => workspace.rescan(scope, &call.cancel).map_err(|_| errors::cancelled())?,
    };
    data(&RebuildResult {
        files_scanned: report.scanned,
        files_extracted: report.mapped,
        files_deleted: report.deleted,
        duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        cold,
    })
}

/// The first index is under way already: waits for it to its end, however long that takes.
fn first_index(call: &ToolCall<'_>, workspace: &Workspace) -> Result<crate::host::Report, ToolError> {
    let report = |progressed: crate::host::Progressed| {
        if let Some(progress) = &call.progress {
            let (done, total) = progressed.overall();
            progress(done, total, progressed.phase.as_str());
        }
    };
    workspace.progress.wait_past(Phase::Map, &call.cancel, &report).map_err(|_| errors::cancelled())?;
    Ok(workspace.first_report())
}

/// Writes of which no event tells.
fn mapped(workspace: &Workspace) -> Option<String> {
    let mut files = mapped_for_writing(workspace.root());
    files.retain(|path| workspace.shows(path));
    let shown: Vec<&str> = files.iter().take(3).map(WsPath::as_str).collect();
    (!files.is_empty()).then(|| {
        format!(
            "{} file(s) are mapped into memory by programs that may write to them ({}): such a write shows when the file is \
             unmapped.",
            files.len(),
            shown.join(", ")
        )
    })
}

pub(super) fn status(call: &mut ToolCall<'_>) -> Outcome {
    let workspace = call.workspace(Needs::State)?;
    let mut result = to_proto::status(&workspace);
    result.notes.extend(mapped(&workspace));
    result.memory.insert("storeBytesOnDisk".into(), call.host.store_bytes().into());
    result.daemon.insert("uptimeS".into(), call.uptime.as_secs().into());
    result.daemon.insert("clients".into(), call.clients.into());
    result.daemon.insert("workspaces".into(), call.host.workspaces().len().into());
    data(&result)
}
