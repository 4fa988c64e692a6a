//! Answers `nav_callHierarchy`: from the language server if it knows call hierarchies, else from its references, else
//! from the map.
//!
//! A hierarchy that is not the server's own is approximate and says so, in `source`, `completeness` and a warning:
//! references are not all calls, and the map knows no types beyond those that files write down.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use hob_base::{Deadline, WsPath};
use hob_bridge::{AnsweredQuestion, Listed, UsesQuestion};
use hob_live::instance::{Instance, ServerAnswer};
use hob_live::live::LiveError;
use hob_live::requests::{self, CallItem, RequestPosition, ServerQueryContext};
use hob_live::uri::FileRef;
use hob_map::Map;
use hob_map::graph::{
    Confidence, Direction, EdgeKind, ExternalId, Neighbor, NeighborsQuery, NodeInfo, NodeKind, NodeRef,
};
use hob_proto::tools::nav::{Call, CallHierarchyArgs, CallHierarchyResult, CallRoot, CallSite, Completeness};
use hob_proto::{ErrorCode, ToolError};

use super::map::lacking_users;
use super::nav::{ADDED, LONG_PATIENCE, LSP, completeness_of};
use super::nav_query::{NavQuery, revision_of_call, word_at};
use super::scope::CallScope;
use super::{NeededIndex, ToolCall, ToolOutcome, left_out, stand_in, to_data};
use hob_host::Workspace;
use hob_results::{errors, live as to_proto};

/// Longest time that a server may take for a hierarchy; the map answers after it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Most callers or callees in an approximate hierarchy.
const MOST: usize = 200;

const FROM_REFERENCES: &str = "fallback-references";
const FROM_MAP: &str = "fallback-map";

pub(super) fn call_hierarchy(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: CallHierarchyArgs = call.parse_args()?;
    let mut asked = NavQuery::new(call, &args.at)?;
    let scope = call.parse_scope(&asked.workspace)?;
    let mut result = find_hierarchy(call, &mut asked, &args)?;
    if !scope.is_all() {
        let map = asked.workspace.map();
        result.calls.retain(|one| in_scope(&scope, &map, one));
        scope.warn_of_omissions(call, false);
    }
    to_data(&result)
}

/// Returns true if a caller or callee is in scope. A library's function is in no path.
fn in_scope(scope: &CallScope, map: &Map, one: &Call) -> bool {
    match WsPath::new(&one.file) {
        Ok(path) if !one.external => scope.admits_line(map, &path, one.line),
        _ => scope.admits_node(map, NodeRef::External(ExternalId(u32::MAX))),
    }
}

/// Finds callers or callees by the best source that can answer.
fn find_hierarchy(
    call: &mut ToolCall<'_>,
    asked: &mut NavQuery,
    args: &CallHierarchyArgs,
) -> Result<CallHierarchyResult, ToolError> {
    let awaited = asked.await_server(call);
    if let Err(error) = &awaited
        && stand_in::is_late(error)
        && let Some(result) = early_answer(call, asked, args, error)
    {
        return Ok(result);
    }
    let outcome = match awaited {
        Err(error) if !stand_in::is_late(&error) => Err(error),
        _ => from_server(call, asked, args),
    };
    match outcome {
        Ok(result) => Ok(result),
        Err(error) if error.code == ErrorCode::LspUnsupported && args.direction == "incoming" => {
            match from_references(call, asked, args) {
                Err(error) if stand_in::may_answer(&error) => {
                    call.notes.warnings.push(stand_in::stand_in_warning(&error));
                    from_map(call, asked, args)
                }
                outcome => outcome,
            }
        }
        Err(error) if error.code == ErrorCode::LspFailed || stand_in::may_answer(&error) => {
            call.notes.warnings.push(stand_in::stand_in_warning(&error));
            from_map(call, asked, args)
        }
        Err(error) => Err(error),
    }
}

/// Returns the map's answer while the server is late; `None` if the map has no calls.
fn early_answer(
    call: &mut ToolCall<'_>,
    asked: &NavQuery,
    args: &CallHierarchyArgs,
    error: &ToolError,
) -> Option<CallHierarchyResult> {
    let said = call.notes.warnings.len();
    call.notes.warnings.push(stand_in::stand_in_warning(error));
    let result = from_map(call, asked, args).ok().filter(|result| !result.calls.is_empty());
    if result.is_none() {
        call.notes.warnings.truncate(said);
        call.notes.omitted.clear();
    }
    result
}

fn from_server(
    call: &mut ToolCall<'_>,
    asked: &mut NavQuery,
    args: &CallHierarchyArgs,
) -> Result<CallHierarchyResult, ToolError> {
    let direction = match args.direction.as_str() {
        "outgoing" => requests::Direction::Outgoing,
        _ => requests::Direction::Incoming,
    };
    let question = |server: &Instance, at: &RequestPosition, asking: ServerQueryContext<'_>| {
        requests::call_hierarchy(server, at, direction, args.depth, asking)
    };
    let (at, word) = (asked.at.clone(), word_at(&asked.workspace, &asked.at));
    let (mut answer, mut held) = ask_for_calls(call, asked, direction, question)?;
    if answer.value.is_empty()
        && let Some(name_at) = asked.enclosing_name()
    {
        (asked.at.line, asked.at.col) = name_at;
        (answer, held) = ask_for_calls(call, asked, direction, question)?;
    }
    let completeness = completeness_of(call, &answer);
    let completeness = held.judge_completeness(call, completeness, ADDED);
    let Some(root) = answer.value.first() else { return Err(errors::no_function_at(&asked.at)) };
    call.notes.warnings.extend(about_another(&at, &word, root));
    let (file, _) = to_proto::file(&root.place.file);
    let (line, col) = root.place.start;
    let root = CallRoot { name: root.name.clone(), kind: root.kind.to_owned(), file, line, col };
    let mut calls: Vec<Call> = merge_calls(&answer.value).into_iter().map(to_proto::call).collect();
    calls.extend(left_out::calls_of_missing(&held.missing));
    asked.promote_answer(answer, |_, roots| AnsweredQuestion::Calls { direction, roots });
    Ok(CallHierarchyResult { root, calls, completeness, source: LSP.to_owned() })
}

/// Asks for callers or callees. Callers are compared with the map; callees are in the function itself, so it does not
/// matter which projects a server knows.
fn ask_for_calls(
    call: &mut ToolCall<'_>,
    asked: &NavQuery,
    direction: requests::Direction,
    question: impl Fn(
        &Instance,
        &RequestPosition,
        ServerQueryContext<'_>,
    ) -> Result<ServerAnswer<Vec<CallItem>>, LiveError>,
) -> Result<(ServerAnswer<Vec<CallItem>>, left_out::MapComparison), ToolError> {
    if direction == requests::Direction::Outgoing {
        return Ok((asked.ask_server(call, PATIENCE, question)?, left_out::MapComparison::default()));
    }
    let inquiry = left_out::UsesInquiry {
        question: UsesQuestion::Callers,
        patience: PATIENCE,
        listed: &|roots: &Vec<CallItem>| call_sites(roots),
        with_declarations: None,
        about: &|roots: &Vec<CallItem>| roots.iter().filter_map(place_of_name).collect(),
    };
    left_out::ask(call, asked, &inquiry, question)
}

/// Returns the place of a function's name, if that is in the workspace.
fn place_of_name(item: &CallItem) -> Option<RequestPosition> {
    let FileRef::Inside(file) = &item.place.file else { return None };
    Some(RequestPosition { file: file.clone(), line: item.place.start.0, col: item.place.start.1 })
}

/// Returns the lines of the calls of some functions.
fn call_sites(roots: &[CallItem]) -> Listed {
    let mut listed = Listed::default();
    for caller in roots.iter().flat_map(|root| &root.calls) {
        caller.call_sites.iter().for_each(|site| listed.add(&caller.place.file, site.0));
    }
    listed
}

/// Returns the callers or callees of all functions of the answer, each once: overloads are called by the same
/// functions.
fn merge_calls(roots: &[CallItem]) -> Vec<CallItem> {
    let mut all: Vec<CallItem> = Vec::new();
    for item in roots.iter().flat_map(|root| &root.calls) {
        match all.iter_mut().find(|known| known.place == item.place) {
            Some(known) => {
                known.call_sites.extend(&item.call_sites);
                known.call_sites.sort_unstable();
                known.call_sites.dedup();
            }
            None => all.push(item.clone()),
        }
    }
    all
}

/// Says which function an answer is about, if the question named no function but a place inside one.
fn about_another(at: &RequestPosition, word: &str, root: &CallItem) -> Option<String> {
    let FileRef::Inside(file) = &root.place.file else { return None };
    let is_around = *file == at.file && (root.lines.0..=root.lines.1).contains(&at.line);
    let is_its_name =
        root.place.start.0 == at.line && (root.place.start.1..=root.place.end.1).contains(&at.col);
    (is_around && !is_its_name && word != root.name).then(|| {
        let (line, col) = root.place.start;
        format!(
            "No function is named at {}:{}:{}: this is about `{}`, which is around it (its name is at {line}:{col}).",
            at.file, at.line, at.col, root.name
        )
    })
}

/// Returns the innermost function of a file around a line, as the map knows it.
fn function_around(map: &Map, file: &WsPath, line: u32) -> Option<NodeInfo> {
    let file = map.file_at(file.as_str())?;
    let infos = map.defs_of(file).into_iter().filter_map(|def| map.info(def.into()));
    let callable = |info: &NodeInfo| matches!(info.kind, NodeKind::Def(kind) if kind.is_callable());
    let around = infos.filter(|info| callable(info) && (info.lines.0..=info.lines.1).contains(&line));
    around.min_by_key(|info| info.lines.1 - info.lines.0)
}

/// Returns the workspace with its map as fresh as its text, and the function that the question is about.
fn function_asked(
    call: &mut ToolCall<'_>,
    asked: &NavQuery,
) -> Result<(Arc<Workspace>, NodeInfo), ToolError> {
    let workspace = call.workspace(NeededIndex::Map)?;
    let found = function_around(&workspace.map(), &asked.at.file, asked.at.line);
    found.map(|info| (workspace, info)).ok_or_else(|| errors::no_function_at(&asked.at))
}

fn root_of(info: &NodeInfo) -> CallRoot {
    CallRoot {
        name: info.name.clone(),
        kind: info.kind.as_str().to_owned(),
        file: info.path.as_ref().map(ToString::to_string).unwrap_or_default(),
        line: info.name_at.0,
        col: info.name_at.1,
    }
}

fn warn_approximate(call: &mut ToolCall<'_>, source: &str) {
    call.notes.warnings.push(format!("Call hierarchy derived via {source}: treat as approximate."));
}

/// Finds callers as the functions that hold the references to the name.
fn from_references(
    call: &mut ToolCall<'_>,
    asked: &NavQuery,
    args: &CallHierarchyArgs,
) -> Result<CallHierarchyResult, ToolError> {
    let (workspace, info) = function_asked(call, asked)?;
    let mut seen = HashSet::from([info.node]);
    let calls = callers(call, &workspace, &info, 1, args.depth, &mut seen)?;
    warn_approximate(call, FROM_REFERENCES);
    Ok(CallHierarchyResult {
        root: root_of(&info),
        calls,
        completeness: Completeness::Partial,
        source: FROM_REFERENCES.to_owned(),
    })
}

/// A function with the places where it uses the name.
struct Caller {
    info: NodeInfo,
    sites: Vec<CallSite>,
}

fn callers(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    of: &NodeInfo,
    depth: u32,
    most: u32,
    seen: &mut HashSet<NodeRef>,
) -> Result<Vec<Call>, ToolError> {
    let Some(file) = of.path.clone() else { return Ok(Vec::new()) };
    let at = RequestPosition { file, line: of.name_at.0, col: of.name_at.1.max(1) };
    let revision = revision_of_call(call, workspace);
    let asked = NavQuery { workspace: Arc::clone(workspace), at, revision };
    let answer = asked.ask_server(call, LONG_PATIENCE, |server, at, asking| {
        requests::references(server, at, false, asking)
    })?;
    let _ = completeness_of(call, &answer);
    let mut by_function: BTreeMap<(FileRef, (u32, u32)), Caller> = BTreeMap::new();
    for place in &answer.value {
        let FileRef::Inside(path) = &place.file else { continue };
        let Some(info) = function_around(&workspace.map(), path, place.start.0) else { continue };
        let key = (place.file.clone(), info.name_at);
        let caller = by_function.entry(key).or_insert_with(|| Caller { info, sites: Vec::new() });
        caller.sites.push(CallSite { line: place.start.0, col: Some(place.start.1) });
    }
    asked.promote_answer(answer, |at, found| AnsweredQuestion::References { at, found });
    let mut calls = Vec::new();
    for Caller { info, sites } in by_function.into_values().take(MOST) {
        let is_new = seen.insert(info.node);
        let further = match is_new && depth < most {
            true => callers(call, workspace, &info, depth + 1, most, seen)?,
            false => Vec::new(),
        };
        calls.push(one(&info, depth, sites, further));
    }
    Ok(calls)
}

fn one(info: &NodeInfo, depth: u32, call_sites: Vec<CallSite>, calls: Vec<Call>) -> Call {
    let CallRoot { name, kind, file, line, col } = root_of(info);
    Call { name, kind, file, line, col, depth, call_sites, calls, external: false, from_map: None }
}

/// Finds callers or callees in the map; candidates are left out and counted.
fn from_map(
    call: &mut ToolCall<'_>,
    asked: &NavQuery,
    args: &CallHierarchyArgs,
) -> Result<CallHierarchyResult, ToolError> {
    let (workspace, info) = function_asked(call, asked)?;
    let direction = if args.direction == "outgoing" { Direction::Out } else { Direction::In };
    let query = NeighborsQuery {
        node: info.node,
        direction,
        kinds: [EdgeKind::Calls].into_iter().collect(),
        depth: args.depth,
        max_nodes: MOST,
        family: false,
        cancel: call.cancel.with_deadline(Deadline::after(LONG_PATIENCE)),
    };
    let answer = workspace.map().neighbors(&query).ok_or_else(|| errors::no_function_at(&asked.at))?;
    call.notes.warnings.extend(lacking_users(answer.farther_users));
    let (unsure, sure): (Vec<Neighbor>, Vec<Neighbor>) =
        answer.neighbors.into_iter().partition(|found| found.confidence == Confidence::Candidate);
    if !unsure.is_empty() {
        let text = format!("{} more may be calls: map_neighbors lists them as candidates.", unsure.len());
        call.notes.warnings.push(text);
    }
    call.omit_items("calls", answer.omitted, 0, "Pass depth:1, or use map_neighbors.");
    warn_approximate(call, FROM_MAP);
    Ok(CallHierarchyResult {
        root: root_of(&info),
        calls: call_tree(&sure, info.node),
        completeness: Completeness::Partial,
        source: FROM_MAP.to_owned(),
    })
}

/// Returns the tree of the neighbours below `via`. Each node is reached once, so this ends.
fn call_tree(all: &[Neighbor], via: NodeRef) -> Vec<Call> {
    let below = all.iter().filter(|found| found.via == via && found.info.node != via);
    let site = |line: &u32| CallSite { line: *line, col: None };
    below
        .map(|found| {
            let sites = found.sites.iter().map(site).collect();
            one(&found.info, found.depth, sites, call_tree(all, found.info.node))
        })
        .collect()
}
