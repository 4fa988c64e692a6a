//! Answers `map_overview`, `map_neighbors`, `map_rebuild` and `map_status`.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

use hob_base::{CancelToken, Deadline, FileId, WsPath};
use hob_live::requests::RequestPosition;
use hob_live::uri::FileRef;
use hob_map::Map;
use hob_map::graph::{
    Direction, EdgeKind, EdgeKinds, FartherUsers, NeighborsQuery, NodeInfo, NodeRef, SOME_FILES,
};
use hob_proto::tools::map::{Neighbor, NeighborsArgs, OverviewArgs, RebuildArgs, RebuildResult};
use hob_proto::{Form, ToolError};
use hob_workspace::mapped_for_writing;

use super::package_meaning::Opening;
use super::package_neighbors::{add_definitions, calls_into_headers, uses_of_packages};
use super::{
    NeededIndex, ToolCall, ToolOutcome, elsewhere, implementers, imported, route_requests, target, to_data,
    why,
};
use hob_host::{Phase, Workspace};
use hob_results::FileLineCache;
use hob_results::{errors, map as to_proto};

/// Longest time that an overview waits for the first clusters.
pub(super) const DERIVE_PATIENCE: Duration = Duration::from_secs(10);

/// Most neighbours that are found where a scope leaves some of them out.
const MOST_IN_SCOPE: usize = 5_000;

/// Longest time that one graph question may take.
const GRAPH_PATIENCE: Duration = Duration::from_secs(5);

/// Says that a bound ended the search for callers through values.
pub(super) const MAY_LACK_CALLERS: &str =
    "Something here is passed on as a value too widely to follow: callers through values may be missing.";

pub(super) fn overview(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: OverviewArgs = call.parse_args()?;
    let workspace = call.workspace(NeededIndex::Map)?;
    let focus = args.focus.map(|focus| focus_of(&workspace, focus)).transpose()?;
    let scope = call.parse_scope(&workspace)?;
    workspace.wait_derived(&call.cancel.with_deadline(call.first_time(Deadline::after(DERIVE_PATIENCE))));
    let mut overview = workspace.map().overview(focus.as_deref(), args.hubs_per_cluster);
    if !scope.is_all() {
        let map = workspace.map();
        for cluster in &mut overview.clusters {
            cluster.hubs.retain(|hub| scope.admits_node(&map, hub.node));
        }
        overview.clusters.retain(|cluster| !cluster.hubs.is_empty());
        scope.warn_of_omissions(call, true);
    }
    if overview.focus_unknown {
        return Err(errors::unknown_focus(&workspace, &focus.unwrap_or_default()));
    }
    if let Some(file) = focus.as_deref().filter(|focus| workspace.map().file_at(focus).is_some()) {
        call.warn_of_unmapped(&workspace.map(), [file]);
    }
    if !overview.derived && overview.files > 0 {
        call.notes.warnings.push(
            "Clusters are still being computed; files are grouped by folder and scores are missing.".into(),
        );
    }
    to_data(&to_proto::overview_result(overview, &workspace))
}

/// Converts a path in any spelling to the map's; other words stay as they are.
fn focus_of(workspace: &Workspace, focus: String) -> Result<String, ToolError> {
    let is_path =
        Path::new(&focus).is_absolute() || focus == "." || focus.starts_with("./") || focus.starts_with("..");
    if !is_path {
        return Ok(focus);
    }
    let inside = hob_workspace::confine(workspace.root(), &focus);
    inside.map(|path| path.to_string()).map_err(|error| errors::outside_workspace(&error, workspace.root()))
}

/// Resolves a path argument to a path in the workspace.
pub(super) fn confined_path(workspace: &Workspace, path: Option<&str>) -> Result<Option<WsPath>, ToolError> {
    path.map(|path| {
        hob_workspace::confine(workspace.root(), path)
            .map_err(|e| errors::outside_workspace(&e, workspace.root()))
    })
    .transpose()
}

pub(super) fn neighbors(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: NeighborsArgs = call.parse_args()?;
    let workspace = call.workspace(NeededIndex::Map)?;
    call.wait_for_ranking(&workspace);
    let scope = call.parse_scope(&workspace)?;
    let map = workspace.map();
    let node = target::one(call, &map, &workspace, &args.node_id)?;
    let kinds = further_kinds(edge_kinds(&args.edge_kinds), &args, node);
    let query = NeighborsQuery {
        node,
        direction: parse_direction(&args.direction),
        kinds,
        depth: u32::try_from(args.depth).unwrap_or(1),
        max_nodes: match scope.is_all() {
            true => most_neighbors(&args, kinds).saturating_add(args.offset),
            false => MOST_IN_SCOPE,
        },
        family: args.family,
        cancel: with_graph_deadline(&call.cancel),
    };
    let mut answer = map.neighbors(&query).ok_or_else(|| errors::node_not_found(&args.node_id))?;
    if !scope.is_all() {
        answer.neighbors.retain(|found| scope.admits_node(&map, found.info.node));
        answer.family.retain(|kin| scope.admits_node(&map, kin.method.into()));
        let most = most_neighbors(&args, kinds).saturating_add(args.offset);
        answer.omitted += answer.neighbors.len().saturating_sub(most);
        answer.neighbors.truncate(most);
        scope.warn_of_omissions(call, false);
    }
    if answer.incomplete {
        call.notes
            .warnings
            .push("Time ran out before every edge was looked at: narrow with edgeKinds or direction.".into());
    }
    if answer.may_lack_callers {
        call.notes.warnings.push(MAY_LACK_CALLERS.into());
    }
    call.notes.warnings.extend(lacking_users(answer.farther_users));
    if answer.omitted_is_least && answer.farther_users != FartherUsers::Earlier {
        call.notes.warnings.push(
            "There was no place for unresolved edges beyond the first step: omitted does not count them. Ask with depth=1 about \
             the node you mean."
                .into(),
        );
    }
    call.warn_of_ranking(&map);
    // This depends on the number of all neighbours, which is the same for every page, and so is the order.
    let in_all = answer.neighbors.len() + answer.omitted;
    if in_all <= most_neighbors(&args, kinds) && args.edge_kinds.len() == 1 && args.depth == 1 {
        put_files_together(&map, &mut answer.neighbors);
    }
    answer.neighbors.drain(..args.offset.min(answer.neighbors.len()));
    call.omit_items(
        "neighbors",
        answer.omitted,
        0,
        "Pass direction and one of edgeKinds, with maxNodes up to 1000, and offset for the next page.",
    );
    let routes = match asks_for_calls(&args) && answer.omitted == 0 {
        true => route_requests::routes_among(&map, node, direct_callers(&answer.neighbors)),
        false => Vec::new(),
    };
    let unexplained = if args.why { why::edges_to_explain(&map, &answer.neighbors) } else { Vec::new() };
    let mut result = to_proto::neighbors_result(&map, answer, &workspace, args.edge_kinds.len() == 1);
    // This holds the lock of the answer: the number of a definition means nothing once its file has changed.
    let account =
        lists_all_uses(call, &args, result.omitted).then(|| account_of(&map, node, args.family)).flatten();
    let named = map.info(node).and_then(|info| name_place(&info));
    let asks_outward = args.direction != "in" && args.depth == 1;
    let packages =
        asks_outward.then(|| map.info(node).and_then(|info| uses_of_packages(&map, &info))).flatten();
    drop(map);
    if let Some(place) = named {
        imported::confirm_users(&workspace, &place, &mut result.neighbors);
    }
    if let Some(packages) = packages {
        let opening = if args.direction == "out" { Opening::Allowed } else { Opening::Denied };
        add_definitions(call, &workspace, &packages, &mut result.neighbors, opening);
        if opening == Opening::Allowed && kinds.has(EdgeKind::Calls) {
            result.neighbors.extend(calls_into_headers(call, &workspace, &packages));
        }
    }
    why::add_chains(&mut result.neighbors, &unexplained, &workspace, &call.cancel);
    add_requests(call, &workspace, &routes, &mut result.neighbors, &|map, node| scope.admits_node(map, node));
    let left_out = result.neighbors.len().saturating_sub(most_neighbors(&args, kinds));
    result.neighbors.truncate(result.neighbors.len() - left_out);
    call.omit_items("neighbors", left_out, 0, "Raise maxNodes.");
    let mut lines = FileLineCache::in_workspace(&workspace);
    let uses = |found: &&mut Neighbor| found.direction == "in" && USES.contains(&found.edge.as_str());
    result.neighbors = implementers::name(result.neighbors, &mut lines);
    for found in result.neighbors.iter_mut().filter(uses) {
        found.text = text_at(&mut lines, &found.file, found.sites.first().copied());
    }
    if let Some(account) = account {
        elsewhere::tell(call, &workspace, &account.with_lines(lines_of(&result.neighbors)), &scope);
    }
    to_data(&result)
}

/// Returns the place of a node's name; `None` for packages.
fn name_place(info: &NodeInfo) -> Option<RequestPosition> {
    let (line, col) = info.name_at;
    Some(RequestPosition { file: info.path.clone()?, line, col })
}

/// Returns true if a model reads the answer, and expects every use of the symbol in it.
fn lists_all_uses(call: &ToolCall<'_>, args: &NeighborsArgs, omitted: usize) -> bool {
    let has_uses = |kinds: &[String]| {
        kinds.is_empty() || kinds.iter().any(|kind| kind == "calls" || kind == "references")
    };
    call.terms.form == Form::Text
        && omitted == 0
        && args.direction != "out"
        && args.depth == 1
        && args.offset == 0
        && has_uses(&args.edge_kinds)
}

/// Returns the name and the family of a definition, whose uses the answer lists; `None` for files and packages.
fn account_of(map: &Map, node: NodeRef, with_family: bool) -> Option<elsewhere::Listed> {
    let NodeRef::Def(def) = node else { return None };
    let family = if with_family { map.family(node) } else { Vec::new() };
    let family = family.into_iter().map(|kin| kin.method).chain([def]).collect();
    Some(elsewhere::Listed { family, name: map.info(node)?.name, lines: HashSet::new() })
}

/// Returns the path and line of each use by some neighbours.
fn lines_of(neighbors: &[Neighbor]) -> HashSet<(String, u32)> {
    let sites = |one: &Neighbor| one.sites.iter().map(|line| (one.file.clone(), *line)).collect::<Vec<_>>();
    neighbors.iter().flat_map(sites).collect()
}

/// Groups the neighbours of one file: files in the order of their best neighbour, those of tests last, the neighbours
/// of a file in the order of their lines. `neighbors` has those of all pages, so that every page has the same order.
fn put_files_together(map: &Map, neighbors: &mut [hob_map::graph::Neighbor]) {
    let mut order: HashMap<Option<FileId>, (bool, usize)> = HashMap::new();
    for found in neighbors.iter() {
        let next = order.len();
        order.entry(found.info.node.file()).or_insert((map.is_among_tests(found.info.node), next));
    }
    let line =
        |found: &hob_map::graph::Neighbor| found.sites.first().copied().unwrap_or(found.info.name_at.0);
    neighbors.sort_by_cached_key(|found| (order[&found.info.node.file()], line(found)));
}

/// Kinds of edges for which the text of their first line is shown.
const USES: [&str; 4] = ["calls", "references", "extends", "implements"];

/// Says which users steps beyond the first may lack; `None` if they lack none.
pub(super) fn lacking_users(looked_for: FartherUsers) -> Option<String> {
    let why = match looked_for {
        FartherUsers::All => return None,
        FartherUsers::InSomeFiles => format!(
            "Edges of the present files are not derived yet: beyond the first step, users were looked for in at most {SOME_FILES} \
             files of each name."
        ),
        FartherUsers::Earlier => {
            "Files have changed since edges were derived: beyond the first step, unresolved edges and uses in unchanged files that \
             mean something else since may be missing, and omitted counts users of before."
                .to_owned()
        }
    };
    Some(why + " Ask with depth=1 about the node you mean.")
}

/// Returns the most neighbours to show if the call names no number: many of one kind, which a model reads, or a
/// selection of several kinds.
fn most_neighbors(args: &NeighborsArgs, kinds: EdgeKinds) -> usize {
    let is_hierarchy = kinds == [EdgeKind::Extends, EdgeKind::Implements].into_iter().collect();
    args.max_nodes.unwrap_or(if args.edge_kinds.len() == 1 || is_hierarchy { 200 } else { 50 })
}

/// Returns a line of a file as answers show it; empty if there is none.
pub(super) fn text_at(lines: &mut FileLineCache<'_>, file: &str, line: Option<u32>) -> String {
    let path = WsPath::new(file).ok().map(FileRef::Inside);
    path.zip(line).and_then(|(path, line)| lines.line(&path, line)).unwrap_or_default()
}

/// Limits the time of one graph question.
pub(super) fn with_graph_deadline(cancel: &CancelToken) -> CancelToken {
    cancel.with_deadline(Deadline::after(GRAPH_PATIENCE))
}

pub(super) fn parse_direction(word: &str) -> Direction {
    match word {
        "in" => Direction::In,
        "out" => Direction::Out,
        _ => Direction::Both,
    }
}

/// Returns those of the neighbours that call the node itself.
fn direct_callers(neighbors: &[hob_map::graph::Neighbor]) -> impl Iterator<Item = NodeRef> + '_ {
    let is_caller = |found: &&hob_map::graph::Neighbor| {
        found.depth == 1 && found.direction == Direction::In && found.edge == EdgeKind::Calls
    };
    neighbors.iter().filter(is_caller).map(|found| found.info.node)
}

/// Adds the requests of the routes by their paths.
fn add_requests(
    call: &mut ToolCall<'_>,
    workspace: &Workspace,
    routes: &[String],
    neighbors: &mut Vec<Neighbor>,
    admits: &dyn Fn(&Map, NodeRef) -> bool,
) {
    let requests = route_requests::find_requests(workspace, routes, &call.cancel);
    requests.warn_of_gaps(&mut call.notes.warnings);
    neighbors.extend(route_requests::neighbors_by_requests(workspace, &requests.lines, admits));
}

/// Returns true if a question is about callers.
pub(super) fn asks_for_calls(args: &NeighborsArgs) -> bool {
    args.direction != "out"
        && (args.edge_kinds.is_empty() || args.edge_kinds.iter().any(|kind| kind == "calls"))
}

/// Returns the kinds to follow. Beyond the first step, the container of a definition, and the imports of it, would
/// bring everything for which the file is used: unless the call names kinds, only uses are followed.
fn further_kinds(kinds: EdgeKinds, args: &NeighborsArgs, node: NodeRef) -> EdgeKinds {
    let leads_on = args.depth > 1 && args.edge_kinds.is_empty() && matches!(node, NodeRef::Def(_));
    if leads_on { kinds.without(EdgeKind::Contains).without(EdgeKind::Imports) } else { kinds }
}

fn edge_kinds(words: &[String]) -> EdgeKinds {
    if words.is_empty() {
        return EdgeKinds::ALL;
    }
    words.iter().filter_map(|word| EdgeKind::parse(word)).collect()
}

pub(super) fn rebuild(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: RebuildArgs = call.parse_args()?;
    let workspace = call.workspace(NeededIndex::State)?;
    let scope = confined_path(&workspace, args.scope.as_deref())?;
    let started = Instant::now();
    let cold = workspace.progress.now().phase != Phase::Done;
    let report = match cold {
        true => first_index(call, &workspace)?,
        false => workspace.rescan(scope, &call.cancel).map_err(|_| errors::cancelled())?,
    };
    to_data(&RebuildResult {
        files_scanned: report.scanned,
        files_extracted: report.mapped,
        files_deleted: report.deleted,
        duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        cold,
    })
}

/// Waits for the end of the first index, which is under way already, however long that takes.
fn first_index(call: &ToolCall<'_>, workspace: &Workspace) -> Result<hob_host::Report, ToolError> {
    let report = |progressed: hob_host::Progressed| {
        if let Some(progress) = &call.request.progress {
            let (done, total) = progressed.overall_progress();
            progress(done, total, progressed.phase.as_str());
        }
    };
    workspace.progress.wait_past(Phase::Map, &call.cancel, &report).map_err(|_| errors::cancelled())?;
    Ok(workspace.first_report())
}

/// Returns a note about files to which programs may write without an event; `None` if there are none.
fn mapped_files_note(workspace: &Workspace) -> Option<String> {
    let mut files = mapped_for_writing(workspace.root());
    files.retain(|path| workspace.is_visible(path));
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

pub(super) fn status(call: &mut ToolCall<'_>) -> ToolOutcome {
    let workspace = call.workspace(NeededIndex::State)?;
    let mut result = to_proto::status(&workspace);
    result.notes.extend(mapped_files_note(&workspace));
    result.memory.insert("storeBytesOnDisk".into(), call.services.host.store_bytes().into());
    result.daemon.insert("uptimeS".into(), call.services.uptime.as_secs().into());
    result.daemon.insert("clients".into(), call.request.clients.into());
    result.daemon.insert("workspaces".into(), call.services.host.workspaces().len().into());
    to_data(&result)
}
