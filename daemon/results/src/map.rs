//! Turns answers of the map into tool results.

use std::time::SystemTime;

use hob_map::Map;
use hob_map::graph::{self, NodeInfo};
use hob_proto::tools::indexes::BelievedIndex;
use hob_proto::tools::map as proto;
use hob_workspace::{MANY_LINKS, WatcherState};
use serde_json::{Map as JsonMap, Value, json};

use super::errors;
use hob_host::{Phase, Stale, Workspace, resident_bytes};

/// Lines of uses for each neighbour, in an answer with several kinds of edges.
const SITES: usize = 10;

/// Most definitions in an answer that its unsure uses may mean.
const CANDIDATES: usize = 10;

/// Files with unmapped lines that the status names, and ranges of lines for each.
const UNMAPPED_FILES: usize = 10;
const UNMAPPED_STRETCHES: usize = 8;

/// Formats a time in RFC 3339, to the second.
#[must_use]
pub fn rfc3339(at: Option<SystemTime>) -> String {
    at.map(|at| humantime::format_rfc3339_seconds(at).to_string()).unwrap_or_default()
}

/// Rounds a hub score as answers show it.
#[must_use]
pub fn score(score: f32) -> f64 {
    (f64::from(score) * 10_000.0).round() / 10_000.0
}

fn file_of(info: &NodeInfo) -> String {
    info.path.as_ref().map(ToString::to_string).unwrap_or_default()
}

fn line_of(info: &NodeInfo) -> u32 {
    info.name_at.0
}

/// Converts a node by itself.
#[must_use]
pub fn node_entry(info: &NodeInfo) -> proto::Node {
    proto::Node {
        id: info.id.to_string(),
        kind: info.kind.as_str().to_owned(),
        file: file_of(info),
        line: line_of(info),
        signature: info.signature.clone(),
    }
}

/// Makes the result of `map_overview`.
#[must_use]
pub fn overview_result(overview: graph::Overview, workspace: &Workspace) -> proto::OverviewResult {
    proto::OverviewResult {
        built_at: rfc3339(workspace.changed_at()),
        files: overview.files,
        symbols: overview.symbols,
        stale_files: workspace.stale_files().count(),
        languages: language_counts(&overview.languages),
        clusters: overview.clusters.into_iter().map(cluster_entry).collect(),
    }
}

fn language_counts(list: &[(&'static str, usize)]) -> std::collections::BTreeMap<String, usize> {
    list.iter().map(|(name, files)| ((*name).to_owned(), *files)).collect()
}

fn cluster_entry(cluster: graph::Cluster) -> proto::Cluster {
    let hubs = cluster.hubs.into_iter().map(|info| proto::Hub {
        id: info.id.to_string(),
        kind: info.kind.as_str().to_owned(),
        signature: info.signature,
        doc: info.doc,
        score: score(info.score),
    });
    proto::Cluster { id: cluster.id, label: cluster.label, files: cluster.files, hubs: hubs.collect() }
}

/// Converts one of the hits of `map_search`.
#[must_use]
pub fn search_hit(info: graph::NodeInfo, stale: &Stale) -> proto::SearchHit {
    proto::SearchHit {
        id: info.id.to_string(),
        kind: info.kind.as_str().to_owned(),
        file: file_of(&info),
        line: line_of(&info).max(1),
        col: info.name_at.1.max(1),
        stale: info.path.as_ref().is_some_and(|path| stale.has(path)),
        name: info.name,
        signature: info.signature,
        score: score(info.score),
        query: None,
        maybe: None,
        own_file: None,
        tests: None,
    }
}

/// Makes the result of `map_neighbors`; with `all_sites` it has every line of a use. The handler adds the
/// texts of lines, because it reads files when it holds no lock.
#[must_use]
pub fn neighbors_result(
    map: &Map,
    answer: graph::NeighborsAnswer,
    workspace: &Workspace,
    all_sites: bool,
) -> proto::NeighborsResult {
    let stale = workspace.stale_files();
    let sites = if all_sites { usize::MAX } else { SITES };
    let candidates = shared_candidates(map, &answer);
    proto::NeighborsResult {
        node: node_entry(&answer.node),
        family: answer.family.iter().filter_map(|kin| family_member(map, kin)).collect(),
        neighbors: answer
            .neighbors
            .into_iter()
            .map(|found| neighbor_entry(map, found, &stale, sites))
            .collect(),
        candidates,
        omitted: answer.omitted,
        map_built_at: rfc3339(workspace.changed_at()),
        stale_files: stale.count(),
    }
}

/// Returns the nodes that the unresolved uses may mean instead: equal names have the same definitions for all
/// uses.
fn shared_candidates(map: &Map, answer: &graph::NeighborsAnswer) -> Vec<String> {
    let kin = |node: graph::NodeRef| answer.family.iter().any(|kin| node == kin.method.into());
    let mut times: Vec<(graph::NodeRef, usize)> = Vec::new();
    let unsure = answer.neighbors.iter().filter(|found| found.direction == graph::Direction::In);
    for candidate in unsure.flat_map(|found| &found.candidates) {
        if *candidate == answer.node.node || kin(*candidate) {
            continue;
        }
        match times.iter_mut().find(|(node, _)| node == candidate) {
            Some((_, times)) => *times += 1,
            None => times.push((*candidate, 1)),
        }
    }
    times.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    times.into_iter().take(CANDIDATES).map(|(node, _)| map.id(node).to_string()).collect()
}

fn family_member(map: &Map, kin: &graph::Relative) -> Option<proto::FamilyMember> {
    let info = map.info(kin.method.into())?;
    let is = match kin.kinship {
        graph::Kinship::Overridden => "overridden",
        graph::Kinship::Overriding => "overriding",
    };
    Some(proto::FamilyMember {
        id: info.id.to_string(),
        is: is.to_owned(),
        file: file_of(&info),
        line: line_of(&info),
    })
}

fn neighbor_entry(map: &Map, found: graph::Neighbor, stale: &Stale, sites: usize) -> proto::Neighbor {
    let resolved = found.confidence != graph::Confidence::Candidate;
    let derived = derived_apart(&found).map(ToOwned::to_owned);
    // Inward candidates belong to the answer as a whole, see `shared_candidates`.
    let candidates = if found.direction == graph::Direction::In { &[] } else { &found.candidates[..] };
    let info = found.info;
    proto::Neighbor {
        id: info.id.to_string(),
        kind: info.kind.as_str().to_owned(),
        file: file_of(&info),
        line: line_of(&info),
        edge: found.edge.as_str().to_owned(),
        direction: found.direction.as_str().to_owned(),
        resolved,
        confidence: found.confidence.as_str().to_owned(),
        depth: found.depth as usize,
        via: (found.depth > 1).then(|| map.id(found.via).to_string()),
        names: found.names.map(|node| map.id(node).to_string()),
        score: score(info.score),
        site_count: (found.site_count > found.sites.len().min(sites)).then_some(found.site_count),
        sites: found.sites.into_iter().take(sites).collect(),
        text: String::new(),
        derived,
        candidates: candidates.iter().map(|node| map.id(*node).to_string()).collect(),
        stale: info.path.as_ref().is_some_and(|path| stale.has(path)),
        chain: Vec::new(),
        chain_note: None,
        definitions: Vec::new(),
    }
}

/// Returns the name of a type whose base is declared outside of the type's own definition.
fn derived_apart(found: &graph::Neighbor) -> Option<&str> {
    let is_derived = matches!(found.edge, graph::EdgeKind::Extends | graph::EdgeKind::Implements);
    let (first, last) = found.info.lines;
    let is_apart = |line: &u32| !(first..=last).contains(line);
    let is_type =
        found.direction == graph::Direction::In && matches!(found.info.node, graph::NodeRef::Def(_));
    (is_derived && is_type && found.sites.iter().all(is_apart) && !found.sites.is_empty())
        .then_some(found.info.qualified.as_str())
}

/// Makes the result of `map_status`, without the facts of the daemon as a whole.
#[must_use]
pub fn status(workspace: &Workspace) -> proto::StatusResult {
    let stats = workspace.map().stats();
    let progressed = workspace.progress.now();
    let built = progressed.phase == Phase::Done;
    let progress = json!({"phase": progressed.phase.as_str(), "filesDone": progressed.done, "filesTotal": progressed.total});
    proto::StatusResult {
        root: workspace.root().to_string(),
        built,
        built_at: workspace.changed_at().map(|at| rfc3339(Some(at))),
        progress: (!built).then_some(progress),
        generation: workspace.generation().0,
        files: stats.files,
        symbols: stats.symbols,
        edges: stats.edges.unwrap_or(0),
        languages: language_counts(&stats.languages),
        stale_files: workspace.stale_files().count(),
        unmapped: unmapped_files(workspace),
        indexes: believed_indexes(workspace),
        watcher: watcher_status(workspace),
        text: text(workspace),
        lsp: server_entries(workspace),
        memory: memory_figures(workspace, stats.heap_bytes),
        daemon: daemon_facts(),
        notes: status_notes(workspace),
    }
}

/// Formats ranges of lines, the first `most` of them.
#[must_use]
pub fn line_ranges(lines: &[(u32, u32)], most: usize) -> Vec<String> {
    let written = |(first, last): &(u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    lines.iter().take(most).map(written).collect()
}

fn believed_indexes(workspace: &Workspace) -> Vec<BelievedIndex> {
    let all = workspace.index_statuses().into_iter();
    all.map(|one| BelievedIndex { name: one.name, files: one.files, believed: one.believed }).collect()
}

fn unmapped_files(workspace: &Workspace) -> Option<proto::Unmapped> {
    let (files, worst) = workspace.map().most_unmapped(UNMAPPED_FILES);
    let told = worst.iter().map(|file| proto::UnmappedFile {
        file: file.path.to_string(),
        lines: line_ranges(&file.lines, UNMAPPED_STRETCHES),
    });
    (files > 0).then(|| proto::Unmapped { files, worst: told.collect() })
}

/// Returns the notes of the scan, of the files without a map, and of the problems of the settings.
fn status_notes(workspace: &Workspace) -> Vec<String> {
    let settings = workspace.settings();
    let scan = workspace.scan_notes();
    let scan = scan.iter().map(|note| crate::to_sentence(&note.to_string()));
    let problems = settings.problems.iter().chain(&settings.project_problems).cloned();
    scan.chain(crate::text_only::text_only_note(workspace)).chain(problems).collect()
}

fn watcher_status(workspace: &Workspace) -> proto::WatcherStatus {
    match workspace.watcher().state() {
        WatcherState::Live => {
            proto::WatcherStatus { state: "live".into(), note: hard_links_note(workspace.linked_files()) }
        }
        WatcherState::Degraded { note } => {
            proto::WatcherStatus { state: "degraded".into(), note: Some(with_sweep_cost(note, workspace)) }
        }
        WatcherState::Off => proto::WatcherStatus {
            state: "off".into(),
            note: Some(with_sweep_cost("changes give no events here".into(), workspace)),
        },
    }
}

/// Adds the cost of unseen changes to their reason: the time of the last scan that a call had to make.
fn with_sweep_cost(reason: String, workspace: &Workspace) -> String {
    let cost = match workspace.last_sweep() {
        Some(took) => format!("which took the last one {:.1} ms", took.as_secs_f64() * 1_000.0),
        None => "which none had to yet".to_owned(),
    };
    format!("{reason}; every call looks at all files, {cost}")
}

/// Lists the language servers of this project by name; the name of a second one of a kind (other settings)
/// has a number behind it.
pub fn server_entries(workspace: &Workspace) -> JsonMap<String, Value> {
    let (mut shown, trusted) = (JsonMap::new(), workspace.is_trusted());
    for server in workspace.live().status().into_iter().filter(|server| server.key.root == *workspace.root())
    {
        let mut entry = object_of(json!({
            "state": server.state,
            "pid": server.pid,
            "rssBytes": server.rss_bytes,
            "root": server.key.root.to_string(),
            "clients": workspace.live().clients_of(&server.key),
        }));
        let spec = hob_live::catalogue::by_name(server.key.server);
        if let Some(restriction) =
            spec.and_then(|spec| errors::restriction_note(spec, workspace.root(), trusted))
        {
            entry.insert("restricted".to_owned(), restriction.into());
        }
        if !server.stderr_tail.is_empty() {
            entry.insert("stderrTail".to_owned(), json!(server.stderr_tail));
        }
        let mut name = server.key.server.to_owned();
        let mut number = 2;
        while shown.contains_key(&name) {
            name = format!("{} {number}", server.key.server);
            number += 1;
        }
        shown.insert(name, Value::Object(entry));
    }
    shown
}

/// Returns a note on the cost of many hard links; a few cost nothing noticeable.
fn hard_links_note(files: usize) -> Option<String> {
    (files >= MANY_LINKS).then(|| {
        format!(
            "{files} files have further names (hard links); writes through those give no event, so every call looks at \
             these files, which takes some microseconds each"
        )
    })
}

fn text(workspace: &Workspace) -> JsonMap<String, Value> {
    let stats = workspace.text().stats();
    object_of(
        json!({"files": stats.files, "segments": stats.segments, "indexBytes": stats.postings_bytes + stats.table_bytes}),
    )
}

fn memory_figures(workspace: &Workspace, map_bytes: usize) -> JsonMap<String, Value> {
    let (extracted, loaded) = workspace.facts_counts();
    let text = workspace.text().stats();
    let text_bytes = text.postings_bytes + text.table_bytes;
    let (ranked_disk, ranked_bytes) = workspace.ranked.disk_and_memory_bytes();
    object_of(json!({
        "residentBytes": resident_bytes(),
        "mapBytes": map_bytes,
        "pagedBytes": workspace.paged_bytes(),
        "textBytes": text_bytes,
        "rankedBytes": ranked_bytes,
        "rankedBytesOnDisk": ranked_disk,
        "vectorBytes": workspace.vector_bytes(),
        "textPrivateBytes": text.private_bytes,
        "contentBytes": workspace.text().contents().stats().disk_bytes,
        "factsExtracted": extracted,
        "factsFromStore": loaded,
    }))
}

fn daemon_facts() -> JsonMap<String, Value> {
    object_of(json!({"version": env!("CARGO_PKG_VERSION"), "pid": std::process::id()}))
}

fn object_of(value: Value) -> JsonMap<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => JsonMap::new(),
    }
}
