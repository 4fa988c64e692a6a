//! Builds maps of whole projects from one string each, for tests.
//!
//! ```text
//! //- /pkg/a.py
//! def f(): ...
//! //- /pkg/b.py
//! from pkg.a import f
//! ```

use std::sync::Arc;

use hob_base::{CancelToken, FileId, WsPath};

use crate::graph::{
    Confidence, Direction, Edge, EdgeKind, EdgeKinds, Map, MapChange, NeighborsQuery, NodeRef,
};
use crate::locals::{NamePlace, local_name_at};
use crate::meaning::{Meaning, NameInFile};
use crate::resolve::Resolver;
use crate::{extract, language_of};

/// Returns the files of a fixture as pairs of path and text.
pub(crate) fn files(fixture: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in fixture.lines() {
        if let Some(path) = line.trim_start().strip_prefix("//- /") {
            files.push((path.trim().to_owned(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    files
}

/// Returns the change that adds a file.
pub(crate) fn set(file: u32, path: &str, text: &str) -> MapChange {
    let ws_path = WsPath::new(path).expect("a relative path");
    let lang = language_of(ws_path.file_name(), text.as_bytes()).expect("a known language");
    let facts = Arc::new(extract(lang, ws_path.file_name(), text.as_bytes()));
    MapChange::Set { file: FileId(file), path: ws_path, facts }
}

/// Returns a map of a fixture; files are numbered in order.
pub(crate) fn map(fixture: &str) -> Map {
    let mut map = Map::new();
    let numbered = files(fixture).into_iter().enumerate();
    map.apply(numbered.map(|(i, (path, text))| set(i as u32, &path, &text)).collect());
    map
}

/// Returns a map of a fixture with scores, clusters and the skeleton.
pub(crate) fn derived_map(fixture: &str) -> Map {
    let mut map = map(fixture);
    derive_map(&mut map);
    map
}

fn derive_map(map: &mut Map) {
    let mut job = map.derive_job();
    while !map.derive_step(&mut job, 100) {}
    map.install_derived(job.finish());
}

/// Returns the files of a map and their definitions; the files are numbered in order.
fn nodes_of(map: &Map) -> Vec<NodeRef> {
    let files = (0..).map(FileId).take_while(|file| map.file(*file).is_some());
    let nodes = files.flat_map(|file| {
        std::iter::once(NodeRef::File(file)).chain(map.defs_of(file).into_iter().map(NodeRef::Def))
    });
    nodes.collect()
}

/// Checks that the edges that end at each node, and its neighbours, are the same with a skeleton, which tells where to
/// look, as without one.
#[track_caller]
pub(crate) fn check_inbound_edges(mut map: Map) {
    derive_map(&mut map);
    check_known_outbound_edges(&map);
    let shown = |map: &Map| [inbound_edges(map), neighbors_of_all(map)].concat();
    let with_skeleton = shown(&map);
    map.remove_skeleton();
    let without = shown(&map);
    let missing: Vec<&String> = without.iter().filter(|edge| !with_skeleton.contains(edge)).collect();
    let added: Vec<&String> = with_skeleton.iter().filter(|edge| !without.contains(edge)).collect();
    assert!(with_skeleton == without, "missing with a skeleton: {missing:#?}\nadded: {added:#?}");
}

/// Checks that the edges other than calls which start at each definition, as far as a derivation knows them, and computed where
/// it does not, are those that are computed without one.
#[track_caller]
fn check_known_outbound_edges(map: &Map) {
    let kinds = EdgeKinds::ALL.without(EdgeKind::Contains).without(EdgeKind::Calls);
    for node in nodes_of(map) {
        let NodeRef::Def(from) = node else { continue };
        let facts = &map.index.entry(from.file).expect("it is there").facts;
        let refs: Vec<u32> =
            (0..).zip(&facts.refs).filter(|(_, r)| r.owner == Some(from.def)).map(|(at, _)| at).collect();
        let shown = |edges: Vec<Edge>| {
            let sure = edges.into_iter().filter(Edge::is_resolved);
            let mut all: Vec<String> =
                sure.map(|edge| format!("{} lines {:?}", show_edge(map, &edge), edge.sites)).collect();
            all.sort();
            all
        };
        let Some(known) = map.known_edges_out(&Resolver::new(&map.index), from, &refs, kinds) else {
            continue;
        };
        assert_eq!(shown(known), shown(map.edges_out(from.into(), kinds)), "from {}", map.id(from.into()));
    }
}

/// Shows the neighbours of each node over edges that end there, one step and two steps away, with and without its family,
/// sorted. Calls through values are left out: a skeleton may know some that a query does not find backwards.
fn neighbors_of_all(map: &Map) -> Vec<String> {
    let mut all = Vec::new();
    for node in nodes_of(map) {
        // With few places, two steps lead over the skeleton alone.
        for (depth, family, max_nodes) in [(1, false, 500), (1, true, 500), (2, false, 500), (2, false, 2)] {
            let (kinds, cancel) = (EdgeKinds::ALL, CancelToken::default());
            let direction = Direction::In;
            let query = NeighborsQuery { node, direction, kinds, depth, max_nodes, family, cancel };
            let found = map.neighbors(&query).expect("it is there").neighbors;
            let shown = found.iter().filter(|n| n.confidence != Confidence::Flow).map(|n| {
                let (id, edge, sure) = (&n.info.id, n.edge.as_str(), n.confidence.as_str());
                let candidates: Vec<String> =
                    n.candidates.iter().map(|node| map.id(*node).to_string()).collect();
                format!(
                    "{id} {edge} {sure} {} {} {:?} {candidates:?} {depth} {family} {max_nodes}",
                    map.id(node),
                    map.id(n.via),
                    n.sites
                )
            });
            all.extend(shown);
        }
    }
    all.sort();
    all
}

/// Shows the edges that end at each node, sorted.
fn inbound_edges(map: &Map) -> Vec<String> {
    let mut all = Vec::new();
    for node in nodes_of(map) {
        let edges = map.edges_in(node, EdgeKinds::ALL, &CancelToken::default()).expect("nothing stops it");
        all.extend(
            edges.iter().map(|edge| {
                format!("{} lines {:?} of {}", show_edge(map, edge), edge.sites, edge.site_count)
            }),
        );
    }
    all.sort();
    all
}

/// Returns the node that an ID or name means; panics if there is not exactly one.
pub(crate) fn lookup_node(map: &Map, target: &str) -> NodeRef {
    match map.lookup(target) {
        crate::graph::Lookup::One(node) => node,
        other => panic!("{target}: {other:?}\n{}", map.export().join("\n")),
    }
}

/// Shows an edge as `a.py#f calls b.py#g import`; candidates in brackets.
pub(crate) fn show_edge(map: &Map, edge: &Edge) -> String {
    let short = |node: NodeRef| {
        let id = map.id(node).to_string();
        if matches!(node, NodeRef::External(_)) {
            id
        } else {
            id.split_once(':').expect("an id").1.to_owned()
        }
    };
    let to = if edge.is_resolved() {
        short(edge.to)
    } else {
        let all: Vec<String> = edge.candidates.iter().map(|node| short(*node)).collect();
        format!("[{}]", all.join(" "))
    };
    format!("{} {} {to} {}", short(edge.from), edge.kind.as_str(), edge.confidence.as_str())
}

/// Shows every edge of a map except `contains` and `imports`, sorted.
pub(crate) fn shown_uses(map: &Map) -> Vec<String> {
    shown_edges(map, EdgeKinds::ALL.without(EdgeKind::Contains).without(EdgeKind::Imports))
}

/// Shows every edge of some kinds, sorted.
pub(crate) fn shown_edges(map: &Map, kinds: EdgeKinds) -> Vec<String> {
    let edges = nodes_of(map).into_iter().flat_map(|node| map.edges_out(node, kinds));
    let mut all: Vec<String> = edges.map(|edge| show_edge(map, &edge)).collect();
    all.sort();
    all
}

/// Compares the edges of a fixture, without `contains` and `imports`, with the expected ones, a line each, in any
/// order.
#[track_caller]
pub(crate) fn check_edges(fixture: &str, expected: &str) {
    let mut expected: Vec<String> =
        expected.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    expected.sort();
    let map = map(fixture);
    let found = shown_uses(&map);
    assert!(found == expected, "found:\n{}\nexpected:\n{}\n", found.join("\n"), expected.join("\n"));
    check_inbound_edges(map);
}

/// Checks the meanings of names. `§1` stands before a name, `¤1` before each definition that it must surely mean; other
/// digits mark other names. A name without a definition must have no sure meaning.
#[track_caller]
pub(crate) fn check_meanings(marked: &str) {
    let marked = files(marked);
    let plain: Vec<(String, String)> =
        marked.iter().map(|(path, text)| (path.clone(), without_marks(text))).collect();
    let mut map = Map::new();
    let numbered = plain.iter().enumerate();
    map.apply(numbered.map(|(i, (path, text))| set(i as u32, path, text)).collect());
    let marks: Vec<Mark> =
        marked.iter().enumerate().flat_map(|(file, (_, text))| marks_in(file, text)).collect();
    let mut wrong = Vec::new();
    for asked in marks.iter().filter(|mark| mark.sign == '§') {
        let (path, text) = &plain[asked.file];
        let wanted: Vec<String> = marks
            .iter()
            .filter(|mark| mark.sign == '¤' && mark.number == asked.number)
            .map(|mark| format!("{}:{}:{}", plain[mark.file].0, mark.at.line, mark.at.col))
            .collect();
        let found = meant_places(&map, path, text, asked.at);
        if found != wanted {
            let line = text.lines().nth(asked.at.line as usize - 1).unwrap_or_default();
            wrong.push(format!(
                "{path}:{}:{} `{line}` means {found:?}, not {wanted:?}",
                asked.at.line, asked.at.col
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    check_inbound_edges(map);
}

/// A mark in a text, with its place in the text without marks.
struct Mark {
    file: usize,
    sign: char,
    number: char,
    at: NamePlace,
}

fn without_marks(text: &str) -> String {
    let mut chars = text.chars();
    let mut plain = String::new();
    while let Some(c) = chars.next() {
        match c {
            '§' | '¤' => _ = chars.next(),
            c => plain.push(c),
        }
    }
    plain
}

fn marks_in(file: usize, text: &str) -> Vec<Mark> {
    let (mut found, mut line, mut col) = (Vec::new(), 1, 1);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '§' | '¤' => {
                let number = chars.next().unwrap_or_default();
                found.push(Mark { file, sign: c, number, at: NamePlace { line, col } });
            }
            '\n' => (line, col) = (line + 1, 1),
            c => col += c.len_utf16() as u32,
        }
    }
    found
}

/// Returns the places that a name surely means.
fn meant_places(map: &Map, path: &str, text: &str, at: NamePlace) -> Vec<String> {
    let line = text.lines().nth(at.line as usize - 1).unwrap_or_default();
    let rest: String = line.chars().skip(at.col as usize - 1).collect();
    let is_part = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let word: String = rest.chars().take_while(is_part).collect();
    let lang = language_of(path, text.as_bytes());
    let name = NameInFile { path, at, word: &word };
    let place = |path: &str, line: u32, col: u32| format!("{path}:{line}:{col}");
    match map.meaning_at(name, local_name_at(lang, text.as_bytes(), at, &|| true)) {
        Meaning::Local(local) => local.bindings.iter().map(|at| place(path, at.line, at.col)).collect(),
        Meaning::Nodes(nodes) => {
            let sure = nodes.into_iter().filter(|(_, sure)| *sure < crate::graph::Confidence::Name);
            let infos = sure.filter_map(|(node, _)| map.info(node));
            infos
                .map(|info| {
                    let path = info.path.as_ref().map(ToString::to_string).unwrap_or_default();
                    place(&path, info.name_at.0, info.name_at.1)
                })
                .collect()
        }
    }
}
