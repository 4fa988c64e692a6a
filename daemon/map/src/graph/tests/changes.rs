//! Checks that a map that was changed step by step equals the map that is built at once, and that numbers of files do
//! not matter.

use hob_base::{CancelToken, FileId};
use proptest::prelude::*;

use crate::fixture::{files, map, set};
use crate::graph::{Edge, EdgeKinds, Map, MapBatch, MapChange, NodeRef};

/// A small project of one language: paths, and texts that define, import, re-export and use each other's names.
pub(super) struct ChangeWorld {
    pub(super) paths: &'static [&'static str],
    pub(super) texts: &'static [&'static str],
}

pub(super) const PYTHON: ChangeWorld = ChangeWorld {
    paths: &["a.py", "b.py", "pkg/__init__.py", "pkg/c.py", "pkg/thing.py", "pkg/a.py"],
    texts: &[
        "def f(): pass\nclass A:\n    def m(self): f()\n",
        "from a import f as g\ndef h():\n    g()\n    A()\n",
        "from b import *\nfrom a import A\nclass B(A):\n    def n(self):\n        self.m()\n        h()\n",
        "import a, b\ndef f():\n    a.f()\n    b.h()\n    x().m()\n",
        "class A:\n    def m(self): pass\n    def m(self): pass\nregister = A().m\n",
        "from pkg import thing\nfrom pkg.c import B as Base\nthing.f()\nclass C(Base): pass\n",
        "import requests\nfrom requests import f\nf()\nrequests.h()\n",
        "",
    ],
};

pub(super) const TYPESCRIPT: ChangeWorld = ChangeWorld {
    paths: &["src/a.ts", "src/b.ts", "src/index.ts", "src/lib/index.ts", "src/lib/c.tsx", "package.json"],
    texts: &[
        "export default class A { m() {} }\nexport function f() {}\n",
        "export * from './a';\nexport { f as g, default as Z } from './a';\n",
        "import B, { f } from './a';\nimport * as lib from './lib';\nexport class D extends B { n() { this.m(); f(); lib.f(); } }\n",
        "import { g, Z } from './b';\ng(); new Z(); x().m();\nfunction local() { g(); }\nexport { local as f };\n",
        "import f from 'lodash';\nimport { A } from '../a';\nf();\nexport const A2 = A;\n",
        "const a = require('./a');\na.f();\na();\n",
        "{ \"name\": \"demo\", \"main\": \"src/index.ts\" }\n",
    ],
};

pub(super) const RUST: ChangeWorld = ChangeWorld {
    paths: &["src/lib.rs", "src/net.rs", "src/net/tcp.rs", "src/util.rs", "Cargo.toml"],
    texts: &[
        "pub mod net;\nmod util;\npub use net::Conn;\npub fn run() { Conn::open(); util::help(); net::tcp::dial(); }\n",
        "pub mod tcp;\nuse crate::util::help;\npub struct Conn;\nimpl Conn { pub fn open() { help(); Self::shut() } fn shut() {} }\n",
        "use super::Conn;\nuse crate::util::*;\npub fn dial() { Conn::open(); help(); x().shut(); }\nimpl Conn { fn more(&self) { self.open() } }\n",
        "pub fn help() {}\npub trait T { fn t(&self) {} }\nimpl T for crate::Conn {}\nmod tests { use super::*; fn u() { help() } }\n",
        "[package]\nname = \"demo\"\n",
    ],
};

pub(super) const GO: ChangeWorld = ChangeWorld {
    paths: &["go.mod", "main.go", "store/store.go", "store/load.go", "store/load_test.go"],
    texts: &[
        "module example.com/app\n",
        "package main\nimport \"example.com/app/store\"\nfunc main() { s := store.Open(); s.Put(); store.Load() }\n",
        "package store\ntype Store struct{}\nfunc Open() *Store { return load() }\nfunc (s *Store) Put() { s.check() }\n",
        "package store\nfunc load() *Store { return nil }\nfunc (s *Store) check() {}\nfunc Load() { load() }\n",
        "package store\nfunc check() { Open().check() }\nfunc load() {}\n",
    ],
};

pub(super) const C: ChangeWorld = ChangeWorld {
    paths: &["inc/api.h", "inc/list.h", "tools/inc/list.h", "src/a.c", "src/b.c", "src/c.cpp"],
    texts: &[
        "int open_it(int x);\nstruct ctx { int n; };\nclass Shape { public: void draw(); int size(); };\n",
        "#include \"api.h\"\nstatic inline void add(void) {}\n#define MAX 3\n",
        "#include \"../inc/list.h\"\nint open_it(int x) { add(); return MAX; }\nstatic int helper(void) { return 1; }\n",
        "#include \"inc/api.h\"\nint main(void) { struct ctx c; return open_it(1) + helper(); }\n",
        "#include \"../inc/api.h\"\nvoid Shape::draw() { size(); add(); open_it(2); }\n",
        "static inline void add(void) {}\nint MAX;\nint size(void) { return MAX; }\n",
    ],
};

pub(super) const JAVA: ChangeWorld = ChangeWorld {
    paths: &["src/a/A.java", "src/a/B.java", "src/b/C.java", "src/b/D.java"],
    texts: &[
        "package a;\npublic class A { public A() {} void m() { n(); } static void n() {} }\n",
        "package a;\npublic class B extends A implements I { void k() { m(); A.n(); new A(); } }\n",
        "package b;\nimport a.A;\nimport java.util.List;\nclass C extends A { List<A> x; void q() { m(); x.size(); y().k(); } }\n",
        "package b;\nimport a.*;\ninterface I { void k(); }\nclass D { B b; void r() { b.k(); C c = new C(); c.q(); } }\n",
    ],
};

pub(super) fn change_of_text(world: &ChangeWorld, file: u32, path: usize, text: Option<usize>) -> MapChange {
    match text {
        Some(text) => set(file, world.paths[path], world.texts[text]),
        None => MapChange::Remove { file: FileId(file) },
    }
}

pub(super) fn built_at_once(world: &ChangeWorld, texts: &[Option<usize>]) -> Map {
    let mut map = Map::new();
    let present = texts.iter().enumerate().filter(|(_, text)| text.is_some());
    // The files are numbered in the opposite order to the map under test.
    map.apply(present.map(|(at, text)| change_of_text(world, 50 - at as u32, at, *text)).collect());
    map
}

/// Returns the lines that only one end shows. An unresolved edge with many candidates may appear only at its start.
pub(super) fn one_sided_lines<'l>(out: &'l [String], inbound: &'l [String]) -> Vec<&'l String> {
    let unseen = out.iter().filter(|line| !inbound.contains(line));
    let extra = inbound.iter().filter(|line| !line.contains(" Candidate ") && !out.contains(line));
    unseen.chain(extra).collect()
}

/// Applies steps one by one, with queries in between that fill the caches.
fn check_changes(world: &ChangeWorld, steps: Vec<(usize, Option<usize>)>) -> Result<(), TestCaseError> {
    let mut map = Map::new();
    let mut texts = vec![None; world.paths.len()];
    for (path, text) in steps {
        let (path, text) = (path % world.paths.len(), text.map(|text| text % world.texts.len()));
        texts[path] = text;
        map.apply(vec![change_of_text(world, path as u32, path, text)]);
        both_ways(world, &map);
    }
    let scratch = built_at_once(world, &texts);
    prop_assert_eq!(map.export(), scratch.export());
    prop_assert_eq!(map.stats().symbols, scratch.stats().symbols);
    let (out, inbound) = both_ways(world, &map);
    prop_assert_eq!(&out, &both_ways(world, &scratch).0);
    prop_assert_eq!(one_sided_lines(&out, &inbound), Vec::<&String>::new());
    Ok(())
}

fn arbitrary_changes() -> impl Strategy<Value = Vec<(usize, Option<usize>)>> {
    prop::collection::vec((0usize..6, prop::option::weighted(0.85, 0usize..8)), 1..14)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn python_changes_leave_no_trace(steps in arbitrary_changes()) {
        check_changes(&PYTHON, steps)?;
    }

    #[test]
    fn typescript_changes_leave_no_trace(steps in arbitrary_changes()) {
        check_changes(&TYPESCRIPT, steps)?;
    }

    #[test]
    fn rust_changes_leave_no_trace(steps in arbitrary_changes()) {
        check_changes(&RUST, steps)?;
    }

    #[test]
    fn go_changes_leave_no_trace(steps in arbitrary_changes()) {
        check_changes(&GO, steps)?;
    }

    #[test]
    fn c_changes_leave_no_trace(steps in arbitrary_changes()) {
        check_changes(&C, steps)?;
    }

    #[test]
    fn java_changes_leave_no_trace(steps in arbitrary_changes()) {
        check_changes(&JAVA, steps)?;
    }
}

/// Returns every edge within the project, as found from its start and from its end.
pub(super) fn both_ways(world: &ChangeWorld, map: &Map) -> (Vec<String>, Vec<String>) {
    let files = world.paths.iter().filter_map(|path| map.file_at(path));
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
            let ends = if edge.is_resolved() { vec![edge.to] } else { edge.candidates.clone() };
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

/// Returns the queried node, which comes first among the candidates.
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
    let derive = |mut map: Map, refs_at_once: usize| {
        let mut job = map.derive_job();
        // The derivation is interrupted again and again, also within files.
        loop {
            let left = std::cell::Cell::new(refs_at_once);
            let go_on = || left.replace(left.get().saturating_sub(1)) > 0;
            if map.derive_while(&mut job, &go_on) {
                break;
            }
        }
        map.install_derived(job.finish());
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
    let forwards = derive(map(fixture), usize::MAX);
    assert_eq!(forwards, derive(map(fixture), 1));
    let mut other = Map::new();
    let numbered = files(fixture).into_iter().enumerate();
    other.apply(numbered.map(|(i, (path, text))| set((i as u32 * 7 + 3) % 11, &path, &text)).collect());
    assert_eq!(forwards, derive(other, 2));
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
    map.install_derived(job.finish());
    let score = |map: &Map| map.info(crate::fixture::lookup_node(map, "f")).expect("f").score;
    let before = score(&map);
    assert!(before > 0.5);
    map.apply(vec![set(0, "a.py", "def new(): pass\n\ndef f(): pass\n")]);
    assert_eq!(score(&map).to_bits(), before.to_bits());
    assert_eq!(map.info(crate::fixture::lookup_node(&map, "new")).expect("new").score.to_bits(), 0);
}

/// Scores are arranged for the map as it is. If it changes before they are installed, nothing is installed.
#[test]
fn scores_are_taken_over_by_the_map_that_they_were_arranged_for() {
    let mut map = map("//- /a.py\ndef f(): pass\n//- /b.py\nfrom a import f\ndef g(): f()\n");
    let mut job = map.derive_job();
    while !map.derive_step(&mut job, 10) {}
    let mut derived = job.finish();
    assert!(!map.install_arranged(&mut derived), "nothing is arranged");
    map.arrange_derived(&mut derived);
    map.apply(vec![set(0, "a.py", "def new(): pass\n\ndef f(): pass\n")]);
    assert!(!map.install_arranged(&mut derived) && map.stats().edges.is_none(), "of another map");
    map.arrange_derived(&mut derived);
    assert!(map.install_arranged(&mut derived));
    assert!(map.info(crate::fixture::lookup_node(&map, "f")).expect("f").score > 0.5, "by name");
    assert!(!map.install_arranged(&mut derived), "what it has now is of before");
}

/// A batch that is applied piece by piece leaves the same map as one that is applied at once.
#[test]
fn a_batch_in_pieces_makes_the_same_map() {
    let fixture =
        "//- /a.py\ndef f(): pass\n//- /b.py\nfrom a import f\ndef g(): f()\n//- /c.py\nclass C: pass\n";
    let changes = || {
        vec![
            set(2, "c.py", "from b import g\ng()\n"),
            MapChange::Remove { file: FileId(0) },
            set(7, "a.py", "def f(): pass\ndef more(): pass\n"),
            set(1, "b.py", "from a import more\ndef g(): more()\n"),
        ]
    };
    let (mut whole, mut pieces) = (map(fixture), map(fixture));
    whole.apply(changes());
    let mut batch = MapBatch::new(changes());
    let mut left = Vec::new();
    while !pieces.apply_while(&mut batch, &|| false) {
        left.push(batch.len());
        drop(pieces.take_waste());
    }
    assert_eq!(left, [3, 2, 1]);
    assert!(batch.is_empty() && pieces.apply_while(&mut batch, &|| false));
    assert_eq!(pieces.export(), whole.export());
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
