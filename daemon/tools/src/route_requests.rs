//! Finds the requests of a route by their paths: `client.get("/orders/7")` for `@app.get("/orders/{id}")`.
//!
//! No edge of the map leads from a request to its route, because only the text of a path connects them. So the text
//! index is searched for string literals that fit the path of the route: a parameter of the route matches one segment,
//! and a host, or the part that a template puts in, may come before the path. Only if nothing requests the path as it
//! is, a longer path that ends with it counts, because routers are mounted below others. Each hit is a candidate and
//! reported as one: another service may answer the same path. Routes without a fixed segment (`/`, `/{id}`) are left
//! out, because any path would fit.
//!
//! The search needs no map of the route's project, so the requests may be in another project.

use std::time::Duration;

use hob_base::{CancelToken, Deadline, FileId};
use hob_host::Workspace;
use hob_map::Map;
use hob_map::facts::{DefKind, FileFacts};
use hob_map::graph::{Confidence, DefRef, Direction, EdgeKind, NodeKind, NodeRef};
use hob_proto::tools::map::Neighbor as NeighborEntry;
use hob_text::{LineMatch, SearchOutput, SearchRequest, search};

/// Longest time of the search: the answer itself is complete without it.
const PATIENCE: Duration = Duration::from_millis(100);

/// Most routes that one question searches.
const MOST_ROUTES: usize = 40;

/// Most requests that one search returns.
const MOST_REQUESTS: usize = 200;

/// The requests that were found.
#[derive(Default)]
pub(super) struct FoundRequests {
    /// Lines of code, each of which has a request of one of the routes.
    pub(super) lines: Vec<LineMatch>,
    /// False if there was no time or no room for all requests.
    pub(super) is_whole: bool,
}

impl FoundRequests {
    /// Returns no requests, because there is no route.
    fn of_nothing() -> Self {
        Self { lines: Vec::new(), is_whole: true }
    }

    /// Warns that requests may be missing, if so.
    pub(super) fn warn_of_gaps(&self, warnings: &mut Vec<String>) {
        if !self.is_whole {
            warnings.push("Not every request of its routes was looked for: there may be more.".to_owned());
        }
    }
}

/// Finds the lines of `workspace` that request one of the routes, which are paths as their framework writes them.
pub(super) fn find_requests(workspace: &Workspace, routes: &[String], cancel: &CancelToken) -> FoundRequests {
    let mut paths: Vec<String> = routes.iter().filter_map(|route| path_pattern(route)).collect();
    paths.sort_unstable();
    paths.dedup();
    let has_room = paths.len() <= MOST_ROUTES;
    paths.truncate(MOST_ROUTES);
    if paths.is_empty() {
        return FoundRequests::of_nothing();
    }
    let cancel = cancel.with_deadline(Deadline::after(PATIENCE));
    let mut found = requests_matching(workspace, literal_pattern("", &paths), &cancel);
    if found.lines.is_empty() && found.is_whole {
        found = requests_matching(workspace, literal_pattern(MOUNT, &paths), &cancel);
    }
    found.is_whole &= has_room;
    found
}

fn requests_matching(workspace: &Workspace, pattern: String, cancel: &CancelToken) -> FoundRequests {
    let request = SearchRequest {
        pattern,
        limit: Some(MOST_REQUESTS),
        output: SearchOutput::Lines,
        ..SearchRequest::default()
    };
    let (text, contents) = (workspace.text(), workspace.disk_contents());
    let found = workspace.query_pool().install(|| search(&text, &request, &contents, cancel));
    let Ok(found) = found else { return FoundRequests::default() };
    let is_whole =
        found.complete && found.unreadable == 0 && found.total_lines as usize == found.matches.len();
    let mut lines = found.matches;
    let map = workspace.map();
    lines.retain(|line| owner_of_request(&map, line).is_some());
    FoundRequests { lines, is_whole }
}

/// Returns the innermost function around a line that requests something, or else its file; `None` for a line of prose,
/// and for one that makes a route itself.
pub(super) fn owner_of_request(map: &Map, line: &LineMatch) -> Option<NodeRef> {
    let file = map.file_at(line.path.as_str())?;
    let (_, facts) = map.file(file)?;
    let makes_a_route = || {
        let mut routes = facts.defs_indexed().filter(|(_, def)| def.kind == DefKind::Route);
        routes.any(|(_, route)| (route.lines.0..=route.lines.1).contains(&line.line))
    };
    if facts.lang.is_prose() || makes_a_route() {
        return None;
    }
    Some(function_around(file, facts, line.line))
}

/// Makes candidate callers of the lines with requests: one neighbour for each function or file.
pub(super) fn neighbors_by_requests(
    workspace: &Workspace,
    requests: &[LineMatch],
    admits: &dyn Fn(&Map, NodeRef) -> bool,
) -> Vec<NeighborEntry> {
    let map = workspace.map();
    let of_line = |line: &LineMatch| neighbor_on(&map, line, Confidence::Candidate, admits);
    merge_sites(requests.iter().filter_map(of_line).collect())
}

/// Returns the function or file around a line of code as a neighbour that calls; `None` if it is not admitted.
pub(super) fn neighbor_on(
    map: &Map,
    line: &LineMatch,
    confidence: Confidence,
    admits: &dyn Fn(&Map, NodeRef) -> bool,
) -> Option<NeighborEntry> {
    let node = owner_of_request(map, line).filter(|node| admits(map, *node))?;
    let info = map.info(node)?;
    Some(NeighborEntry {
        id: info.id.to_string(),
        kind: info.kind.as_str().to_owned(),
        file: line.path.to_string(),
        line: info.name_at.0,
        score: hob_results::map::score(info.score),
        edge: EdgeKind::Calls.as_str().to_owned(),
        direction: Direction::In.as_str().to_owned(),
        resolved: confidence != Confidence::Candidate,
        confidence: confidence.as_str().to_owned(),
        depth: 1,
        sites: vec![line.line],
        text: line.text.trim().to_owned(),
        ..NeighborEntry::default()
    })
}

/// Merges entries of the same edge into one with all of its lines.
pub(super) fn merge_sites(entries: Vec<NeighborEntry>) -> Vec<NeighborEntry> {
    let mut merged: Vec<NeighborEntry> = Vec::new();
    for entry in entries {
        let is_same = |known: &&mut NeighborEntry| {
            (&known.id, &known.edge, &known.confidence) == (&entry.id, &entry.edge, &entry.confidence)
        };
        match merged.iter_mut().find(is_same) {
            Some(known) => known.sites.extend(entry.sites),
            None => merged.push(entry),
        }
    }
    merged
}

fn function_around(file: FileId, facts: &FileFacts, line: u32) -> NodeRef {
    let around = facts
        .defs_indexed()
        .filter(|(_, def)| def.kind.is_callable() && (def.lines.0..=def.lines.1).contains(&line));
    let innermost = around.max_by_key(|(_, def)| def.lines.0);
    innermost.map_or(NodeRef::File(file), |(def, _)| NodeRef::Def(DefRef { file, def }))
}

/// Returns the path of the node if it is a route, or else of the routes among its callers, for whose requests a
/// framework calls it.
pub(super) fn routes_among(map: &Map, node: NodeRef, callers: impl Iterator<Item = NodeRef>) -> Vec<String> {
    match path_of_route(map, node) {
        Some(path) => vec![path],
        None => callers.filter_map(|caller| path_of_route(map, caller)).collect(),
    }
}

/// Returns the path of a route as its framework writes it; `None` for any other node.
pub(super) fn path_of_route(map: &Map, node: NodeRef) -> Option<String> {
    let NodeRef::Def(def) = node else { return None };
    let is_route = map.info(node).is_some_and(|info| info.kind == NodeKind::Def(DefKind::Route));
    let (_, facts) = map.file(def.file).filter(|_| is_route)?;
    let (_, route) = facts.defs_indexed().find(|(at, _)| *at == def.def)?;
    Some(facts.name(route.name).to_owned())
}

/// The segments of a path below which a router is mounted.
const MOUNT: &str = r"(?:/[\w.-]+){1,4}";

/// Returns the regular expression of a string literal with one of the paths, alone or behind a host or the part that a
/// template puts in.
fn literal_pattern(mount: &str, paths: &[String]) -> String {
    format!(r#"(?:["'`}}]|//[^/\s"'`]+){mount}(?:{})/?["'`?#]"#, paths.join("|"))
}

/// Returns the regular expression of a route's path; `None` if no segment of it is fixed.
fn path_pattern(route: &str) -> Option<String> {
    let parts: Vec<&str> = route.split('/').filter(|part| !part.is_empty()).collect();
    let mut fixed = 0;
    let mut pattern = String::new();
    for part in parts {
        pattern.push('/');
        match is_parameter(part) {
            true => pattern.push_str(r#"[^/\s"'`?#]+"#),
            false => {
                fixed += 1;
                pattern.push_str(&regex::escape(part.trim_start_matches('^').trim_end_matches('$')));
            }
        }
    }
    (fixed > 0).then_some(pattern)
}

/// Returns true if a segment of a route matches any text: `<int:id>`, `:id`, `{id}`, `[id]`, `*`, `(?P<id>\d+)`.
fn is_parameter(part: &str) -> bool {
    part.contains(['<', '{', '[', '*', '(']) || part.starts_with(':')
}

#[cfg(test)]
mod tests {
    use super::{MOUNT, literal_pattern, path_pattern};

    #[track_caller]
    fn check(route: &str, line: &str, expected: bool) {
        assert_eq!(is_match("", route, line), expected, "{route} in {line}");
    }

    fn is_match(mount: &str, route: &str, line: &str) -> bool {
        let pattern = literal_pattern(mount, &[path_pattern(route).expect("it has a fixed part")]);
        regex::Regex::new(&pattern).expect("a pattern").is_match(line)
    }

    #[test]
    fn a_request_is_the_path_of_a_route_with_its_parameters_filled_in() {
        check("/orders/<int:id>", r#"client.get("/orders/7")"#, true);
        check("/orders/{id}/items", "fetch(`${API}/orders/${order.id}/items?page=1`)", true);
        check("/orders/:id", "axios.get('http://localhost:80/orders/7/')", true);
        check("/orders/<int:id>", r#"self.client.get(f"/orders/{order.id}")"#, true);
        check("/orders", r#"requests.post(BASE + "/orders", data)"#, true);
        check("/orders", r#"client.get("/orders/7")"#, false);
        check("/orders", r#"client.get("/old/orders")"#, false);
        check("/orders/<int:id>", r#"client.get("/orders")"#, false);
        check("/a.b", r#"get("/axb")"#, false);
    }

    #[test]
    fn a_router_may_be_mounted_below_a_path() {
        assert!(is_match(MOUNT, "/orders/{id}", r#"client.get("/api/v1/orders/7")"#));
        assert!(!is_match(MOUNT, "/orders/{id}", r#"client.get("/orders/7")"#));
        assert!(!is_match(MOUNT, "/orders/{id}", r#"see("a page of /api/orders/7")"#));
    }

    #[test]
    fn routes_that_anything_would_fit_are_not_looked_for() {
        assert_eq!(path_pattern("/"), None);
        assert_eq!(path_pattern("/<path:rest>"), None);
    }
}
