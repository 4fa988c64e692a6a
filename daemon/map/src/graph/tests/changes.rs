//! A map that was changed step by step is the map that is built at once; numbers of files never show.

use hob_base::{CancelToken, FileId};
use proptest::prelude::*;

use crate::fixture::{files, map, set};
use crate::graph::{Edge, EdgeKinds, Map, MapChange, NodeRef};

/// Texts that define, import, re-export and use each other's names.
const TEXTS: [&str; 8] = [
    "def f(): pass\nclass A:\n    def m(self): f()\n",
    "from a import f as g\ndef h():\n    g()\n    A()\n",
    "from b import *\nfrom a import A\nclass B(A):\n    def n(self):\n        self.m()\n        h()\n",
    "import a, b\ndef f():\n    a.f()\n    b.h()\n    x().m()\n",
    "class A:\n    def m(self): pass\n    def m(self): pass\nregister = A().m\n",
    "from pkg import thing\nfrom pkg.c import B as Base\nthing.f()\nclass C(Base): pass\n",
    "import requests\nfrom requests import f\nf()\nrequests.h()\n",
    "",
];
const PATHS: [&str; 6] = ["a.py", "b.py", "pkg/__init__.py", "pkg/c.py", "pkg/thing.py", "pkg/a.py"];

fn built_at_once(texts: &[Option<usize>]) -> Map {
    let mut map = Map::new();
    let present = texts.iter().enumerate().filter_map(|(at, text)| Some((at, (*text)?)));
    // Numbers run the other way than in the map under test.
    map.apply(present.map(|(at, text)| set(50 - at as u32, PATHS[at], TEXTS[text])).collect());
    map
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn changes_leave_no_trace(
        steps in prop::collection::vec((0..PATHS.len(), prop::option::weighted(0.8, 0..TEXTS.len())), 1..12)
    ) {
        let mut map = Map::new();
        let mut texts = vec![None; PATHS.len()];
        for (path, text) in steps {
            texts[path] = text;
            let file = path as u32;
            map.apply(vec![match text {
                Some(text) => set(file, PATHS[path], TEXTS[text]),
                None => MapChange::Remove { file: FileId(file) },
            }]);
        }
        let scratch = built_at_once(&texts);
        prop_assert_eq!(map.export(), scratch.export());
        prop_assert_eq!(map.stats().symbols, scratch.stats().symbols);
        let (out, inbound) = both_ways(&map);
        let missing: Vec<&String> = out.iter().filter(|line| !inbound.contains(line)).collect();
        let extra: Vec<&String> = inbound.iter().filter(|line| !out.contains(line)).collect();
        prop_assert!(out == inbound, "not seen from the end: {missing:#?}, only seen from the end: {extra:#?}");
    }
}

/// Every edge within the project, found from its start and from its end.
fn both_ways(map: &Map) -> (Vec<String>, Vec<String>) {
    let files = PATHS.iter().filter_map(|path| map.file_at(path));
    let nodes: Vec<NodeRef> = files
        .flat_map(|file| {
            let defs = map.defs_of(file).into_iter().map(NodeRef::Def);
            std::iter::once(NodeRef::File(file)).chain(defs).collect::<Vec<_>>()
        })
        .collect();
    let lines = |edges: Vec<Edge>| {
        let inside = edges.into_iter().filter(|edge| edge.to.file().is_some());
        let line = |to: NodeRef, edge: &Edge| {
            let (from, to) = (map.id(edge.from), map.id(to));
            format!("{from} {:?} {to} {:?} {:?}", edge.kind, edge.confidence, edge.sites)
        };
        // An unresolved edge ends at each of its candidates.
        inside.flat_map(move |edge| {
            let ends = if edge.resolved() { vec![edge.to] } else { edge.candidates.clone() };
            ends.into_iter().map(|to| line(to, &edge)).collect::<Vec<_>>()
        })
    };
    let mut out: Vec<String> =
        nodes.iter().flat_map(|node| lines(map.edges_out(*node, EdgeKinds::ALL))).collect();
    let token = CancelToken::default();
    let inbound = nodes.iter().flat_map(|node| {
        let edges = map.edges_in(*node, EdgeKinds::ALL, &token).expect("no deadline");
        let own: Vec<Edge> =
            edges.into_iter().map(|edge| Edge { candidates: first(&edge), ..edge }).collect();
        lines(own)
    });
    let mut inbound: Vec<String> = inbound.collect();
    out.sort();
    inbound.sort();
    (out, inbound)
}

/// The node asked about, which comes first among the candidates.
fn first(edge: &Edge) -> Vec<NodeRef> {
    edge.candidates.iter().take(1).copied().collect()
}

#[test]
fn derivation_does_not_depend_on_file_numbers() {
    let fixture = "
//- /net/a.py
from net.b import f
def x(): f()
//- /net/b.py
def f(): pass
//- /net/c.py
from net.b import f
from db.q import r
def y():
    f()
    r()
//- /db/q.py
def r(): pass
//- /db/s.py
from db.q import r
def z(): r()
//- /top.py
import os
os.getcwd()
";
    let derive = |mut map: Map| {
        let mut job = map.derive_job();
        while !map.derive_step(&mut job, 2) {}
        map.install(job.finish());
        let overview = map.overview(None, 20);
        overview
            .clusters
            .iter()
            .map(|c| {
                let hubs = c.hubs.iter().map(|hub| format!("{} {}", hub.id, hub.score)).collect::<Vec<_>>();
                (c.label.clone(), c.files, hubs)
            })
            .collect::<Vec<_>>()
    };
    let forwards = derive(map(fixture));
    let mut other = Map::new();
    let numbered = files(fixture).into_iter().enumerate();
    other.apply(numbered.map(|(i, (path, text))| set((i as u32 * 7 + 3) % 11, &path, &text)).collect());
    assert_eq!(forwards, derive(other));
    assert!(forwards.iter().any(|(label, files, _)| label == "db" && *files >= 2));
}

#[test]
fn scores_survive_an_edit_by_name() {
    let mut map = map("
//- /a.py
def f(): pass
//- /b.py
from a import f
def g(): f()
");
    let mut job = map.derive_job();
    while !map.derive_step(&mut job, 10) {}
    map.install(job.finish());
    let score = |map: &Map| map.info(crate::fixture::node(map, "f")).expect("f").score;
    let before = score(&map);
    assert!(before > 0.5);
    map.apply(vec![set(0, "a.py", "def new(): pass\n\ndef f(): pass\n")]);
    assert_eq!(score(&map).to_bits(), before.to_bits());
    assert_eq!(map.info(crate::fixture::node(&map, "new")).expect("new").score.to_bits(), 0);
}

#[test]
fn a_file_may_move_and_a_number_be_used_again() {
    let mut map = map("//- /a.py\ndef f(): pass\n");
    map.apply(vec![set(0, "b.py", "def g(): pass\n")]);
    assert_eq!(map.file_at("a.py"), None);
    assert_eq!(map.export().len(), 3);
    map.apply(vec![set(7, "b.py", "def g(): pass\n")]);
    assert_eq!(map.export().len(), 3);
    map.apply(vec![MapChange::Remove { file: FileId(0) }, MapChange::Remove { file: FileId(7) }]);
    assert!(map.export().is_empty());
}
