//! Answers `tests_for`: the tests that reach a symbol, a file or a change by edges, nearest first, with command lines
//! that run them; or in the other direction, everything that a test covers.
//!
//! A test that requests the path of a route (`client.get("/orders/7")`) may run the code behind the route: such tests
//! are candidates.
//!
//! Tests are distinguished as in `impact`, and cover the code that `flow_trace` finds below them.

mod commands;
mod covered;
mod runners;

use hob_base::CancelToken;
use hob_map::Map;
use hob_map::graph::{Affected, Confidence, DefRef, Following, ImpactAnswer, ImpactQuery, NodeKind, NodeRef};
use hob_proto::ToolError;
use hob_proto::tools::change::ChangeArgs;
use hob_proto::tools::tests_for::{ReachedNode, TestCounts, TestsArgs, TestsResult};
use rustc_hash::{FxHashMap, FxHashSet};

use super::change_impact::{changed_nodes, read_change};
use super::flow_trace::{file_of, name_of};
use super::impact::items_that_fit;
use super::map::with_graph_deadline;
use super::route_requests::{find_requests, owner_of_request, path_of_route};
use super::scope::CallScope;
use super::whole_tests::whole_test;
use super::{NeededIndex, ToolCall, ToolOutcome, target, to_data};
use commands::commands_for;
use covered::covered_by;
use hob_budget::chars_of;
use hob_host::Workspace;
use hob_text::LineMatch;
use runners::TestPlace;

/// Steps from the request of a route to the code behind it: the route is one between them.
const STEPS_OF_REQUEST: u32 = 2;

/// Most functions with requests of a route whose tests are searched.
const MOST_REQUESTING: usize = 64;

const WAY: &str = "Pass offset for the next page, or narrow with paths.";

/// A node that was reached, with the way to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReachStep {
    pub(super) node: NodeRef,
    pub(super) depth: u32,
    pub(super) confidence: Confidence,
    /// The neighbour on the way.
    pub(super) via: Option<NodeRef>,
}

/// All nodes that were reached.
#[derive(Default)]
pub(super) struct ReachedSet {
    pub(super) steps: Vec<ReachStep>,
    pub(super) possible: usize,
    /// The type whose tests replace those of a method that no test reaches by calls.
    pub(super) standing_in: Option<NodeRef>,
    pub(super) truncated_at: Option<u32>,
    pub(super) is_incomplete: bool,
}

/// The nodes that a question is about, and words for them.
struct TestSubject {
    nodes: Vec<NodeRef>,
    words: String,
}

pub(super) fn tests_for(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: TestsArgs = call.parse_args()?;
    if args.target.is_some() && (args.change.is_some() || args.base.is_some()) {
        return Err(ToolError::bad_args("target and change exclude each other.")
            .hint("Pass target for a symbol or file, or change for a change."));
    }
    let workspace = call.workspace(NeededIndex::Map)?;
    let (result, places) = match &args.target {
        Some(target) => {
            let scope = call.parse_scope(&workspace)?;
            let id = {
                let map = workspace.map();
                map.id(target::one(call, &map, &workspace, target)?)
            };
            let nodes = |map: &Map| map.node(&id).into_iter().collect::<Vec<_>>();
            let requests = requests_reaching(call, &workspace, &args, &nodes);
            let map = workspace.map();
            let subject = TestSubject { nodes: nodes(&map), words: id.to_string() };
            answer(call, &AnswerParts { map: &map, scope: &scope, args: &args, requests: &requests }, subject)
        }
        None => of_change(call, &workspace, &args)?,
    };
    let commands = if args.direction == "in" { commands_for(&workspace, &places) } else { Vec::new() };
    to_data(&fitted(call, TestsResult { commands, ..result }, args.offset))
}

/// The inputs of an answer.
struct AnswerParts<'a> {
    map: &'a Map,
    scope: &'a CallScope,
    args: &'a TestsArgs,
    /// Lines with requests of a route behind which the subject may run.
    requests: &'a [LineMatch],
}

fn of_change(
    call: &mut ToolCall<'_>,
    workspace: &Workspace,
    args: &TestsArgs,
) -> Result<(TestsResult, Vec<TestPlace>), ToolError> {
    let asked = ChangeArgs {
        change: args.change.clone(),
        base: args.base.clone(),
        max_depth: args.max_depth,
        offset: args.offset,
    };
    // The scope is about the tests, not about the change.
    let scope = call.parse_scope(workspace)?;
    let change = read_change(call, workspace, &asked)?;
    let comparison = change.compare_sides();
    let nodes = |map: &Map| changed_nodes(map, &comparison).0;
    let requests = requests_reaching(call, workspace, args, &nodes);
    let map = workspace.map();
    let (nodes, missing) = changed_nodes(&map, &comparison);
    if missing > 0 {
        call.notes.warnings.push(format!(
            "{missing} symbols of the change are not on the map of now (removed, or of files that have changed since): no test of them is known."
        ));
    }
    let parts = AnswerParts { map: &map, scope: &scope, args, requests: &requests };
    Ok(answer(call, &parts, TestSubject { nodes, words: change.words }))
}

/// Finds the lines with requests of a route that leads to one of the nodes. The map is released before files are read.
fn requests_reaching(
    call: &mut ToolCall<'_>,
    workspace: &Workspace,
    args: &TestsArgs,
    nodes: &dyn Fn(&Map) -> Vec<NodeRef>,
) -> Vec<LineMatch> {
    if args.direction == "out" {
        return Vec::new();
    }
    let routes = {
        let map = workspace.map();
        let cancel = with_graph_deadline(&call.cancel);
        let mut routes = Vec::new();
        for node in nodes(&map) {
            let query = query_for(node, args.max_depth, &cancel);
            let affected = map.impact(&query).affected.into_iter().map(|hit| hit.node);
            routes.extend(affected.chain([node]).filter_map(|node| path_of_route(&map, node)));
        }
        routes
    };
    let found = find_requests(workspace, &routes, &call.cancel);
    found.warn_of_gaps(&mut call.notes.warnings);
    found.lines
}

/// Asks the map, and returns the uncut result, with the places of the tests for the command lines.
fn answer(
    call: &mut ToolCall<'_>,
    parts: &AnswerParts<'_>,
    subject: TestSubject,
) -> (TestsResult, Vec<TestPlace>) {
    let AnswerParts { map, scope, args, requests } = parts;
    let cancel = with_graph_deadline(&call.cancel);
    let mut reached = match args.direction.as_str() {
        "out" => covered_by(map, &subject.nodes, args.max_depth, &cancel),
        _ => {
            let mut reached = ReachedSet::default();
            for node in &subject.nodes {
                if cancel.check().is_err() {
                    reached.is_incomplete = true;
                    break;
                }
                let query = query_for(*node, args.max_depth, &cancel);
                reached.add_tests(map, &query);
            }
            reached.add_tests_by_requests(map, requests, args.max_depth, &cancel);
            if let [node] = subject.nodes[..]
                && reached.steps.is_empty()
            {
                let query = query_for(node, args.max_depth, &cancel);
                reached.add_tests_of_type(map, &query);
            }
            reached
        }
    };
    reached.steps.retain(|step| scope.admits_node(map, step.node));
    scope.warn_of_omissions(call, reached.is_incomplete);
    nearest_first(map, &mut reached.steps);
    if let Some(owner) = reached.standing_in.filter(|_| !reached.steps.is_empty()) {
        let name = map.id(owner).to_string();
        call.notes.warnings.push(format!("No test reaches it by calls; these reach its type `{name}`."));
    }
    let only_guesses = !reached.steps.is_empty()
        && reached.steps.iter().all(|step| step.confidence == Confidence::Candidate);
    if only_guesses && reached.standing_in.is_none() && requests.is_empty() && args.direction == "in" {
        call.notes.warnings.push(
            "No test reaches it by calls; these may run it, because they make or use objects of its type."
                .to_owned(),
        );
    }
    if reached.is_incomplete {
        call.notes.warnings.push("There was no time to follow everything: more may be reached.".to_owned());
    }
    let targets: FxHashSet<NodeRef> = subject.nodes.iter().copied().collect();
    let found: Vec<ReachedNode> = reached.steps.iter().map(|step| told_step(map, step, &targets)).collect();
    let files: FxHashSet<&str> = found.iter().map(|node| node.file.as_str()).collect();
    let counts = TestCounts { found: found.len(), files: files.len(), possible: reached.possible };
    let places = reached.steps.iter().filter_map(|step| TestPlace::of_node(map, step.node)).collect();
    let result = TestsResult {
        of: subject.words,
        direction: args.direction.clone(),
        counts,
        truncated_at: reached.truncated_at,
        found,
        commands: Vec::new(),
    };
    (result, places)
}

impl ReachedSet {
    /// Adds the tests that reach a node; the node itself too, if it is a test.
    fn add_tests(&mut self, map: &Map, query: &ImpactQuery) {
        let answer = map.impact(query);
        if map.is_test(query.node) {
            self.steps.push(ReachStep {
                node: query.node,
                depth: 0,
                confidence: Confidence::Exact,
                via: None,
            });
        }
        let tests = answer.affected.iter().filter(|hit| hit.is_test);
        self.steps.extend(tests.map(|hit| step_of(map, hit)));
        self.add_possible(map, query, &answer);
        self.truncated_at = self.truncated_at.or(answer.whole_to);
        self.is_incomplete |= answer.incomplete;
    }

    /// Adds as candidates the tests that request a route, and those that call a function that does.
    fn add_tests_by_requests(
        &mut self,
        map: &Map,
        requests: &[LineMatch],
        max_depth: u32,
        cancel: &CancelToken,
    ) {
        let mut seen = FxHashSet::default();
        let owners = requests.iter().filter_map(|line| owner_of_request(map, line));
        let mut owners = owners.filter(|node| seen.insert(*node));
        for node in owners.by_ref().take(MOST_REQUESTING) {
            let mut by_request = Self::default();
            by_request.add_tests(map, &query_for(node, max_depth, cancel));
            let behind_route = |step: ReachStep| ReachStep {
                confidence: Confidence::Candidate,
                depth: step.depth + STEPS_OF_REQUEST,
                ..step
            };
            self.steps.extend(by_request.steps.into_iter().map(behind_route));
            self.is_incomplete |= by_request.is_incomplete;
        }
        self.is_incomplete |= owners.next().is_some();
    }

    /// Adds as candidates the tests that reach the type of a method that no test reaches by calls: a protocol of the
    /// language calls it, or a base or framework outside of the project.
    fn add_tests_of_type(&mut self, map: &Map, query: &ImpactQuery) {
        let Some(node) = type_of_method(map, query.node) else { return };
        let answer = map.impact(&ImpactQuery { node, ..query.clone() });
        let candidate = |hit: &Affected| {
            let confidence = Confidence::Candidate;
            ReachStep { confidence, ..step_of(map, hit) }
        };
        self.steps.extend(answer.affected.iter().filter(|hit| hit.is_test).map(candidate));
        self.standing_in = Some(node);
        self.is_incomplete |= answer.incomplete;
    }

    /// Adds as candidates the tests with an unresolved use of a method that also reach its type: for example through a
    /// fixture whose value hob does not follow. Other tests with such a use are counted.
    fn add_possible(&mut self, map: &Map, query: &ImpactQuery, answer: &ImpactAnswer) {
        let mut possible = answer.possible.iter().filter(|hit| hit.is_test).peekable();
        let owner = possible.peek().and_then(|_| type_of_method(map, query.node));
        let of_type = owner.map(|node| map.impact(&ImpactQuery { node, ..query.clone() }));
        let reaching: FxHashSet<NodeRef> =
            of_type.iter().flat_map(|answer| &answer.affected).map(|hit| hit.node).collect();
        let (likely, others): (Vec<&Affected>, Vec<&Affected>) =
            possible.partition(|hit| reaching.contains(&hit.node));
        self.steps.extend(likely.into_iter().map(|hit| step_of(map, hit)));
        self.possible += others.len();
    }
}

/// Makes a query for everything that may run a node: a test that may run it is worth naming.
fn query_for(node: NodeRef, max_depth: u32, cancel: &CancelToken) -> ImpactQuery {
    ImpactQuery { node, max_depth, following: Following::MayRun, cancel: cancel.clone() }
}

fn step_of(map: &Map, hit: &Affected) -> ReachStep {
    ReachStep {
        node: whole_test(map, hit.node),
        depth: hit.depth,
        confidence: hit.confidence,
        via: Some(hit.via),
    }
}

fn type_of_method(map: &Map, node: NodeRef) -> Option<NodeRef> {
    let NodeRef::Def(def) = node else { return None };
    let is_type = |def: &DefRef| {
        let kind = map.info(NodeRef::Def(*def)).map(|info| info.kind);
        matches!(kind, Some(NodeKind::Def(kind)) if kind.is_type())
    };
    map.ancestors_of(def).into_iter().rfind(is_type).map(NodeRef::Def)
}

/// Sorts the nearest steps first, and keeps the nearest step of each node.
fn nearest_first(map: &Map, steps: &mut Vec<ReachStep>) {
    let mut best: FxHashMap<NodeRef, ReachStep> = FxHashMap::default();
    for step in steps.drain(..) {
        let known = best.entry(step.node).or_insert(step);
        if (step.depth, step.confidence) < (known.depth, known.confidence) {
            *known = step;
        }
    }
    steps.extend(best.into_values());
    steps.sort_by_cached_key(|step| {
        let info = map.info(step.node);
        let line = info.as_ref().map_or(0, |info| info.name_at.0);
        (step.depth, step.confidence, info.as_ref().map(file_of), line)
    });
}

fn told_step(map: &Map, step: &ReachStep, targets: &FxHashSet<NodeRef>) -> ReachedNode {
    let info = map.info(step.node);
    let via = step.via.filter(|via| !targets.contains(via));
    ReachedNode {
        uid: map.id(step.node).to_string(),
        name: info.as_ref().map(name_of).unwrap_or_default(),
        file: info.as_ref().map(file_of).unwrap_or_default(),
        line: info.map_or(0, |info| info.name_at.0),
        depth: step.depth,
        confidence: step.confidence.as_str().to_owned(),
        via: via.map(|via| map.id(via).to_string()),
    }
}

/// Cuts an answer to its budget. Command lines come first, because they say it all.
fn fitted(call: &mut ToolCall<'_>, mut result: TestsResult, offset: usize) -> TestsResult {
    let found = std::mem::take(&mut result.found);
    let commands = std::mem::take(&mut result.commands);
    let room = call.room_beside_note().saturating_sub(chars_of(&result));
    let all = commands.len();
    let (commands, used) = items_that_fit(commands.into_iter().filter(|_| offset == 0), room / 2);
    if offset == 0 && commands.len() < all {
        call.omit_items("commands", all, commands.len(), WAY);
    }
    let left = found.len().saturating_sub(offset);
    let (shown, _) = items_that_fit(found.into_iter().skip(offset), room - used);
    if shown.len() < left {
        call.omit_items("found", left, shown.len(), WAY);
    }
    TestsResult { found: shown, commands, ..result }
}
