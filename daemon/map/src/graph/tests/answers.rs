//! Tests search, look-up, neighbours, paths and the overview.

use hob_base::CancelToken;

use crate::fixture::{lookup_node, map};
use crate::graph::{
    Direction, EdgeKind, EdgeKinds, KindFilter, Lookup, Map, MatchClass, NeighborsQuery, PathQuery,
    SearchQuery,
};

fn search(map: &Map, text: &str, kinds: KindFilter) -> Vec<(String, MatchClass)> {
    let query = SearchQuery { text, kinds, path_prefix: "", limit: 10 };
    map.search(&query).hits.into_iter().map(|hit| (hit.info.id.to_string(), hit.class)).collect()
}

fn hit_of(id: &str, class: MatchClass) -> (String, MatchClass) {
    (id.to_owned(), class)
}

const PROJECT: &str = "
//- /app/session.py
class Session:
    def refresh(self): pass
class SessionStore(Session):
    def open_session(self): pass
//- /app/use.py
from app.session import SessionStore
def run():
    SessionStore().open_session()
def main():
    run()
//- /tools/session.py
def session(): pass
";

#[test]
fn search_ranks_by_class_of_match() {
    let map = map(PROJECT);
    assert_eq!(
        search(&map, "session", KindFilter::Any),
        [
            hit_of("py:tools/session.py#session", MatchClass::Exact),
            hit_of("py:app/session.py", MatchClass::Exact),
            hit_of("py:tools/session.py", MatchClass::Exact),
            hit_of("py:app/session.py#Session", MatchClass::Exact),
            hit_of("py:app/session.py#SessionStore", MatchClass::Prefix),
            hit_of("py:app/session.py#SessionStore.open_session", MatchClass::Substring),
        ]
    );
    assert_eq!(
        search(&map, "SessionStore.open", KindFilter::Any),
        [hit_of("py:app/session.py#SessionStore.open_session", MatchClass::Qualified)]
    );
    assert_eq!(
        search(&map, "Session::refresh", KindFilter::Method),
        [hit_of("py:app/session.py#Session.refresh", MatchClass::Qualified)]
    );
    assert_eq!(search(&map, "app/us", KindFilter::Any), [hit_of("py:app/use.py", MatchClass::Path)]);
    assert_eq!(
        search(&map, "refesh", KindFilter::Any),
        [hit_of("py:app/session.py#Session.refresh", MatchClass::Fuzzy)]
    );
    assert_eq!(search(&map, "zzzz", KindFilter::Any), []);
}

#[test]
fn search_counts_more_than_it_shows_and_keeps_to_the_prefix() {
    let map = map(PROJECT);
    let query = SearchQuery { text: "session", kinds: KindFilter::Any, path_prefix: "app", limit: 1 };
    let answer = map.search(&query);
    assert_eq!((answer.hits.len(), answer.total), (1, 4));
    assert!(answer.hits[0].info.id.path().expect("a path").starts_with("app/"));
}

#[test]
fn targets_are_told_apart_or_listed() {
    let map = map(PROJECT);
    let one = |target: &str| match map.lookup(target) {
        Lookup::One(node) => map.id(node).to_string(),
        other => format!("{other:?}"),
    };
    assert_eq!(one("refresh"), "py:app/session.py#Session.refresh");
    assert_eq!(one("Session.refresh"), "py:app/session.py#Session.refresh");
    assert_eq!(one("Session::refresh"), "py:app/session.py#Session.refresh");
    assert_eq!(one("app.session.Session.refresh"), "py:app/session.py#Session.refresh");
    assert_eq!(one("sym:py:app/session.py#Session"), "py:app/session.py#Session");
    assert_eq!(one("app/use.py"), "py:app/use.py");
    assert_eq!(map.lookup("nothing.refresh"), Lookup::None);
    assert_eq!(map.lookup("py:app/session.py#Gone"), Lookup::None);
}

#[test]
fn same_names_are_ambiguous() {
    let map = map("
//- /a.py
class A:
    def save(self): pass
//- /b.py
class B:
    def save(self): pass
");
    let Lookup::Ambiguous(nodes) = map.lookup("save") else { panic!("ambiguous") };
    let ids: Vec<String> = nodes.iter().map(|node| map.id(*node).to_string()).collect();
    assert_eq!(ids, ["py:a.py#A.save", "py:b.py#B.save"]);
}

#[test]
fn the_innermost_symbol_spans_a_line() {
    let map = map("
//- /a.py
class A:
    def f(self):
        pass

x = 1
");
    let file = map.file_at("a.py").expect("the file");
    let at = |line| map.symbol_at(file, line).map(|def| map.id(def.into()).to_string());
    assert_eq!(at(1).as_deref(), Some("py:a.py#A"));
    assert_eq!(at(3).as_deref(), Some("py:a.py#A.f"));
    assert_eq!(at(4), None);
}

#[test]
fn neighbours_count_what_they_leave_out() {
    let callers: String = (0..30).map(|i| format!("def caller{i:02}():\n    f()\n")).collect();
    let map = map(&format!("//- /a.py\ndef f(): pass\n{callers}"));
    let query = NeighborsQuery {
        node: lookup_node(&map, "f"),
        direction: Direction::In,
        kinds: EdgeKinds::ALL,
        depth: 2,
        max_nodes: 50,
        family: false,
        cancel: CancelToken::default(),
    };
    let answer = map.neighbors(&query).expect("the node is there");
    let calls = answer.neighbors.iter().filter(|n| n.edge == EdgeKind::Calls).count();
    assert_eq!((calls, answer.omitted), (20, 10));
    let few = map
        .neighbors(&NeighborsQuery { max_nodes: 5, depth: 1, ..query.clone() })
        .expect("the node is there");
    assert_eq!((few.neighbors.len(), few.omitted), (5, 26));
    let only = [EdgeKind::Calls].into_iter().collect();
    let calls = map.neighbors(&NeighborsQuery { kinds: only, depth: 1, ..query }).expect("the node is there");
    assert_eq!((calls.neighbors.len(), calls.omitted), (30, 0));
}

#[test]
fn neighbours_of_neighbours_come_later_and_once() {
    let map = map(PROJECT);
    let query = NeighborsQuery {
        node: lookup_node(&map, "open_session"),
        direction: Direction::In,
        kinds: [EdgeKind::Calls].into_iter().collect(),
        depth: 3,
        max_nodes: 50,
        family: false,
        cancel: CancelToken::default(),
    };
    let answer = map.neighbors(&query).expect("the node is there");
    let shown: Vec<(String, u32)> =
        answer.neighbors.iter().map(|n| (n.info.qualified.clone(), n.depth)).collect();
    assert_eq!(shown, [("run".to_owned(), 1), ("main".to_owned(), 2)]);
}

#[test]
fn a_path_runs_over_edges_either_way() {
    let map = map("
//- /a.py
from b import hub
import os
def left():
    hub()
    os.getcwd()
//- /b.py
def hub(): pass
//- /c.py
import b, os
def right():
    b.hub()
    os.getcwd()
//- /d.py
def alone(): pass
//- /e.py
import os
def apart(): os.getcwd()
");
    let path = |from: &str, to: &str, max_len| {
        let query = PathQuery {
            from: lookup_node(&map, from),
            to: lookup_node(&map, to),
            max_len,
            kinds: EdgeKinds::ALL.without(EdgeKind::References),
            direction: Direction::Both,
            cancel: CancelToken::default(),
        };
        let chain = map.path(&query).chains.into_iter().next().unwrap_or_default();
        let steps = chain.steps.iter().map(|s| format!("{} {}", s.kind.as_str(), s.direction.as_str()));
        (chain.nodes.iter().map(|n| n.name.clone()).collect::<Vec<_>>(), steps.collect::<Vec<_>>())
    };
    let (nodes, steps) = path("left", "right", 6);
    assert_eq!(nodes, ["left", "hub", "right"]);
    assert_eq!(steps, ["calls out", "calls in"]);
    assert_eq!(path("left", "right", 1).0, Vec::<String>::new());
    assert_eq!(path("left", "alone", 10).0, Vec::<String>::new());
    assert_eq!(path("apart", "a.py", 10).0, Vec::<String>::new(), "a package connects nothing");
    assert_eq!(path("left", "left", 3), (vec!["left".to_owned()], Vec::new()));
}

#[test]
fn overview_groups_by_folder_until_derived_and_by_ties_after() {
    let mut map = map(PROJECT);
    let before = map.overview(None, 2);
    let labels = |overview: &crate::graph::Overview| {
        overview.clusters.iter().map(|c| (c.label.clone(), c.files)).collect::<Vec<_>>()
    };
    assert!(!before.derived);
    assert_eq!(labels(&before), [("app".to_owned(), 2), ("tools".to_owned(), 1)]);
    assert_eq!(before.languages, [("Python", 3)]);
    let mut job = map.derive_job();
    while !map.derive_step(&mut job, 1) {}
    let derived = job.finish();
    map.install_derived(derived);
    let after = map.overview(None, 2);
    assert!(after.derived);
    assert_eq!(labels(&after), [("app".to_owned(), 2), ("tools/session.py".to_owned(), 1)]);
    let hubs: Vec<&str> = after.clusters[0].hubs.iter().map(|hub| hub.name.as_str()).collect();
    assert_eq!(hubs, ["SessionStore", "run"]);
    assert!(after.clusters[0].hubs[0].score > 0.5);
    assert_eq!(labels(&map.overview(Some("tools"), 2)), [("tools".to_owned(), 1)]);
    assert!(map.overview(Some("no such thing"), 2).focus_unknown);
    assert!(map.stats().edges.expect("derived") > 3);
}

#[test]
fn a_declaration_shows_who_uses_what_it_declares() {
    let map = map("
//- /api.h
int open_it(int x);
//- /api.c
#include \"api.h\"
int open_it(int x) { return x; }
//- /use.c
#include \"api.h\"
int main(void) { return open_it(1); }
");
    let query = NeighborsQuery {
        node: map.node(&"c:api.h#open_it".parse().expect("an id")).expect("the declaration"),
        direction: Direction::In,
        kinds: [EdgeKind::Calls].into_iter().collect(),
        depth: 1,
        max_nodes: 5,
        family: false,
        cancel: CancelToken::default(),
    };
    let answer = map.neighbors(&query).expect("the node is there");
    let callers: Vec<&str> = answer.neighbors.iter().map(|n| n.info.name.as_str()).collect();
    assert_eq!(callers, ["main"]);
}

#[test]
fn a_map_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Map>();
    shared::<crate::graph::DeriveJob>();
    shared::<crate::graph::Derived>();
}

#[test]
fn a_name_that_very_many_files_mention_is_found_in_all_of_them() {
    let uses: String =
        (0..1500).map(|i| format!("//- /u{i}.py\nfrom a import f as g{i}\ng{i}()\n")).collect();
    let map = map(&format!("//- /a.py\ndef f(): pass\n{uses}"));
    let kinds = [EdgeKind::Calls].into_iter().collect();
    let edges = map.edges_in(lookup_node(&map, "f"), kinds, &CancelToken::default()).expect("no deadline");
    assert_eq!(edges.len(), 1500);
}
