//! Checks that surroundings of several steps over the skeleton equal those over computed edges.

use hob_base::CancelToken;
use proptest::prelude::*;

use crate::fixture::derived_map;
use crate::graph::{Direction, EdgeKind, EdgeKinds, Map, NeighborsAnswer, NeighborsQuery, NodeRef};
use hob_base::FileId;

/// Returns a project of C files with a header, and of Python modules, with `names` names for sixteen functions each.
pub(super) fn calling_project(calls: &[(u8, u8)], names: u8) -> String {
    let mut files = "//- /api.h\nint c0(int);\nint c1(int);\nstruct S { int member; };\n".to_owned();
    for file in 0..4u8 {
        files += &format!("//- /m{file}.py\nimport os\nfrom m{} import *\n", (file + 1) % 4);
        for function in 0..4 {
            let number = file * 4 + function;
            files += &format!("def f{}():\n    os.getcwd()\n", number % names);
            let called = calls.iter().filter(|(from, _)| from % 16 == number);
            called.for_each(|(_, to)| files += &format!("    f{}()\n", to % names));
        }
        files += &format!("//- /c{file}.c\n#include \"api.h\"\n");
        for function in 0..4 {
            let number = file * 4 + function;
            files += &format!("int c{}(int x) {{ struct S s;\n", number % names);
            let called = calls.iter().filter(|(from, _)| from % 16 == number);
            called.for_each(|(_, to)| files += &format!("  c{}(x); c{}(x);\n", to % names, to % 7));
            files += "  return s.member; }\n";
        }
    }
    files
}

fn all_nodes(map: &Map) -> Vec<NodeRef> {
    let files = (0..9).map(FileId).filter(|file| map.file(*file).is_some());
    files
        .flat_map(|file| {
            [NodeRef::File(file)].into_iter().chain(map.defs_of(file).into_iter().map(NodeRef::Def))
        })
        .collect()
}

pub(super) fn shown_neighbors(answer: &NeighborsAnswer, map: &Map) -> Vec<String> {
    let show = |n: &crate::graph::Neighbor| {
        let (id, via) = (&n.info.id, map.id(n.via));
        let (edge, way, sure) = (n.edge.as_str(), n.direction.as_str(), n.confidence.as_str());
        let candidates: String = n.candidates.iter().map(|one| format!("or {} ", map.id(*one))).collect();
        format!("{id} {edge} {way} {sure} {} {via} {:?} {} {candidates}", n.depth, n.sites, n.site_count)
    };
    answer.neighbors.iter().map(show).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_drawn_graph_shows_what_computed_edges_do(
        calls in prop::collection::vec((any::<u8>(), any::<u8>()), 0..60),
        max_nodes in 1usize..40,
        way in 0usize..3,
        only_calls in any::<bool>(),
        is_unique in any::<bool>(),
    ) {
        let fixture = calling_project(&calls, if is_unique { 16 } else { 13 });
        let (derived, mut plain) = (derived_map(&fixture), derived_map(&fixture));
        plain.standing.skeleton = None;
        for (node, same) in all_nodes(&derived).into_iter().zip(all_nodes(&plain)) {
            let query = |node, depth| NeighborsQuery {
                node,
                direction: [Direction::In, Direction::Out, Direction::Both][way],
                kinds: if only_calls { [EdgeKind::Calls].into_iter().collect() } else { EdgeKinds::ALL },
                depth,
                max_nodes,
                family: false,
                cancel: CancelToken::default(),
            };
            for depth in 1..=3 {
                let one = derived.neighbors(&query(node, depth)).expect("it is there");
                let other = plain.neighbors(&query(same, depth)).expect("it is there");
                prop_assert_eq!(shown_neighbors(&one, &derived), shown_neighbors(&other, &plain));
                prop_assert!(one.omitted <= other.omitted);
                // Unresolved edges are not looked for if they would not be shown.
                prop_assert!(one.omitted == other.omitted || (depth > 1 && !is_unique));
            }
        }
    }
}

#[test]
fn what_is_left_out_two_steps_away_is_counted() {
    let callers: String = (0..100).map(|i| format!("def caller{i:03}():\n    g()\n")).collect();
    let fixture = format!("//- /a.py\ndef f():\n    g()\ndef g(): pass\n{callers}");
    let map = derived_map(&fixture);
    let query = NeighborsQuery {
        node: crate::fixture::lookup_node(&map, "f"),
        direction: Direction::Both,
        kinds: EdgeKinds::ALL,
        depth: 2,
        max_nodes: 10,
        family: false,
        cancel: CancelToken::default(),
    };
    let answer = map.neighbors(&query).expect("it is there");
    // The file contains the hundred callers, and they call g.
    assert_eq!((answer.neighbors.len(), answer.omitted), (10, 200 - 8));
}

#[test]
fn a_node_two_steps_away_has_the_lines_of_the_step_that_is_shown() {
    let fixture = "
        //- /a.py
        def f():
            a()
            b()
        def a():
            c()
        def b():
            c()
            c()
        def c(): pass
    ";
    let (derived, mut plain) = (derived_map(fixture), derived_map(fixture));
    plain.remove_skeleton();
    for map in [derived, plain] {
        let query = NeighborsQuery {
            node: crate::fixture::lookup_node(&map, "f"),
            direction: Direction::Out,
            kinds: [EdgeKind::Calls].into_iter().collect(),
            depth: 2,
            max_nodes: 10,
            family: true,
            cancel: CancelToken::default(),
        };
        let answer = map.neighbors(&query).expect("it is there");
        let found = answer.neighbors.iter().find(|n| n.info.qualified == "c").expect("c is two steps away");
        let via = map.info(found.via).expect("a node").qualified;
        let lines: &[u32] = if via == "a" { &[5] } else { &[7, 8] };
        assert_eq!((&*found.sites, found.site_count), (lines, lines.len()), "via {via}");
    }
}

/// A derivation has no callers, so it does not know which keys a table is asked for, nor what a setter is given.
#[test]
fn what_callers_decide_is_left_open() {
    let hooked: String = (0..60).map(|at| format!("function use{at}() {{ hook(); }}\n")).collect();
    let fixtures = [
        "//- /table.py\ndef load(): pass\ndef save(): pass\nHANDLERS = {'load': load, 'save': save}\n\
         def dispatch(name):\n    HANDLERS[name]()\ndef main():\n    dispatch('load')\n"
            .to_owned(),
        format!(
            "//- /hook.js\nexport let hook = null;\nexport function setHook(h) {{ hook = h; }}\n\
             function impl() {{}}\nsetHook(impl);\n{hooked}"
        ),
        "//- /run.py\nclass Job:\n    def run_all(self): pass\n    def go(self, other):\n        self.run_all()\n        \
         other.run_all()\n"
            .to_owned(),
        "//- /ambient.d.ts\ndeclare module 'x' {\n  export interface Opts {}\n  export const Opts: Opts;\n}\n\
         //- /user.ts\nimport { Opts } from 'x';\nconst one: Opts = Opts;\n"
            .to_owned(),
    ];
    for fixture in fixtures {
        crate::fixture::check_inbound_edges(crate::fixture::map(&fixture));
    }
}

#[test]
fn a_file_that_comes_and_goes_during_a_derivation_leaves_no_edge_out() {
    let mut map =
        crate::fixture::map("//- /a.py\nfrom b import g\ndef f():\n    g()\n//- /c.py\ndef g(): pass\n");
    let mut job = map.derive_job();
    let facts = crate::extract(crate::Lang::Python, "b.py", b"def g(): pass\n");
    let path = hob_base::WsPath::new("b.py").expect("a path");
    map.apply(vec![crate::MapChange::Set { file: FileId(7), path, facts: std::sync::Arc::new(facts) }]);
    while !map.derive_step(&mut job, 100) {}
    map.apply(vec![crate::MapChange::Remove { file: FileId(7) }]);
    map.install_derived(job.finish());
    assert!(map.surroundings().is_none(), "the derivation saw another project");
    crate::fixture::check_inbound_edges(map);
}
