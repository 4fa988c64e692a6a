//! Checks surroundings of several steps while the skeleton is of before the last changes.

use hob_base::CancelToken;
use proptest::prelude::*;

use super::changes::{C, ChangeWorld, GO, JAVA, PYTHON, RUST, TYPESCRIPT, change_of_text};
use super::surroundings::{calling_project, shown_neighbors};
use crate::fixture::{derived_map, files, lookup_node, set};
use crate::graph::{
    Direction, Edge, EdgeKind, EdgeKinds, FartherUsers, Map, Neighbor, NeighborsAnswer, NeighborsQuery,
    NodeRef, SOME_FILES,
};

/// Texts of files by their paths, and later ones; `None` removes a file.
type ChangeSteps = (Vec<(usize, usize)>, Vec<(usize, Option<usize>)>);

fn neighbors_within(
    map: &Map,
    node: NodeRef,
    direction: Direction,
    depth: u32,
    max_nodes: usize,
) -> NeighborsAnswer {
    let (kinds, family, cancel) = (EdgeKinds::ALL, false, CancelToken::default());
    let query = NeighborsQuery { node, direction, kinds, depth, max_nodes, family, cancel };
    map.neighbors(&query).expect("the node is there")
}

fn all_nodes(map: &Map) -> Vec<NodeRef> {
    let mut nodes = Vec::new();
    for file in (0..60).map(hob_base::FileId).filter(|file| map.file(*file).is_some()) {
        nodes.push(NodeRef::File(file));
        nodes.extend(map.defs_of(file).into_iter().map(NodeRef::Def));
    }
    nodes
}

/// Shows an edge that an answer has.
fn shown_edge(found: &Neighbor) -> String {
    let (id, kind, way) = (&found.info.id, found.edge.as_str(), found.direction.as_str());
    format!("{id} {kind} {way} {:?} {:?} {}", found.confidence, found.sites, found.site_count)
}

/// Checks that each edge of the answers of a map is among the neighbours of its near end.
fn check_truth(map: &Map, plain: &Map) -> Result<(), TestCaseError> {
    for node in all_nodes(map) {
        for max_nodes in [2, 4, 9] {
            let answer = neighbors_within(map, node, Direction::Both, 3, max_nodes);
            for found in answer.neighbors.iter().filter(|found| found.candidates.is_empty()) {
                if matches!(found.via, NodeRef::External(_)) {
                    // A search for the users of a package asks only the files that import it themselves.
                    let out = map.edges_out(found.info.node, EdgeKinds::ALL);
                    let is_it = |edge: &Edge| edge.to == found.via && edge.sites == found.sites;
                    prop_assert!(out.iter().any(is_it), "{}: {:?}", shown_edge(found), out);
                    continue;
                }
                let around = neighbors_within(plain, found.via, found.direction, 1, 10_000);
                let edges: Vec<String> = around.neighbors.iter().map(shown_edge).collect();
                prop_assert!(edges.contains(&shown_edge(found)), "{}: {:?}", shown_edge(found), edges);
            }
            let same = neighbors_within(plain, node, Direction::Both, 3, max_nodes);
            let leads_through_package =
                answer.neighbors.iter().any(|found| matches!(found.via, NodeRef::External(_)));
            let is_whole = answer.farther_users == FartherUsers::All && same.neighbors.len() < max_nodes;
            if is_whole && !leads_through_package {
                let (shown, same) = (shown_neighbors(&answer, map), shown_neighbors(&same, plain));
                prop_assert!(same.iter().all(|one| shown.contains(one)), "{:?} {:?}", shown, same);
            }
        }
    }
    Ok(())
}

fn changed_map(world: &ChangeWorld, steps: &ChangeSteps) -> Map {
    let mut map = Map::new();
    for (path, text) in &steps.0 {
        let (path, text) = (path % world.paths.len(), text % world.texts.len());
        map.apply(vec![change_of_text(world, path as u32, path, Some(text))]);
    }
    let mut job = map.derive_job();
    while !map.derive_step(&mut job, 2) {}
    map.install_derived(job.finish());
    for (path, text) in &steps.1 {
        let path = path % world.paths.len();
        let text = text.map(|text| text % world.texts.len());
        map.apply(vec![change_of_text(world, path as u32, path, text)]);
    }
    map
}

fn check_world(world: &ChangeWorld, steps: &ChangeSteps) -> Result<(), TestCaseError> {
    let (map, mut plain) = (changed_map(world, steps), changed_map(world, steps));
    plain.remove_skeleton();
    check_truth(&map, &plain)
}

fn arbitrary_steps() -> impl Strategy<Value = ChangeSteps> {
    let before = prop::collection::vec((0usize..6, 0usize..8), 3..10);
    let after = prop::collection::vec((0usize..6, prop::option::weighted(0.85, 0usize..8)), 1..4);
    (before, after)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_edge_is_there_now(steps in arbitrary_steps(), world in 0usize..6) {
        check_world([&PYTHON, &TYPESCRIPT, &RUST, &GO, &C, &JAVA][world], &steps)?;
    }

    #[test]
    fn new_calls_in_changed_files_are_where_they_are_without_a_skeleton(
        before in prop::collection::vec((any::<u8>(), any::<u8>()), 0..60),
        after in prop::collection::vec((any::<u8>(), any::<u8>()), 0..60),
        changed in 0usize..4,
        max_nodes in 1usize..30,
        way in 0usize..3,
    ) {
        let (mut map, mut plain) =
            (derived_map(&calling_project(&before, 16)), derived_map(&calling_project(&before, 16)));
        plain.remove_skeleton();
        let later = files(&calling_project(&after, 16));
        let is_changed = |path: &str| path == format!("m{changed}.py") || path == format!("c{changed}.c");
        for (at, (path, text)) in later.iter().enumerate().filter(|(_, (path, _))| is_changed(path)) {
            map.apply(vec![set(at as u32, path, text)]);
            plain.apply(vec![set(at as u32, path, text)]);
        }
        let direction = [Direction::In, Direction::Out, Direction::Both][way];
        for node in all_nodes(&map) {
            for depth in 2..=3 {
                let one = neighbors_within(&map, node, direction, depth, max_nodes);
                let other = neighbors_within(&plain, node, direction, depth, max_nodes);
                prop_assert_eq!(shown_neighbors(&one, &map), shown_neighbors(&other, &plain));
            }
        }
    }
}

const FIXTURE: &str = "\
//- /a.py
from b import middle
def start():
    middle()
//- /b.py
def middle(): pass
def other(): pass
//- /c.py
from b import middle
def one():
    middle()
def two():
    middle()
def three():
    middle()
";

fn change_file(map: &mut Map, file: u32, path: &str, text: &str) {
    map.apply(vec![set(file, path, text)]);
}

fn calls_around(map: &Map, target: &str, max_nodes: usize) -> NeighborsAnswer {
    let query = NeighborsQuery {
        node: lookup_node(map, target),
        direction: Direction::Both,
        kinds: [EdgeKind::Calls].into_iter().collect(),
        depth: 2,
        max_nodes,
        family: false,
        cancel: CancelToken::default(),
    };
    map.neighbors(&query).expect("the node is there")
}

fn calls_two_steps_from(map: &Map, target: &str, max_nodes: usize) -> Vec<String> {
    let answer = calls_around(map, target, max_nodes);
    assert_eq!(answer.farther_users, FartherUsers::Earlier, "{target}");
    answer.neighbors.iter().filter(|found| found.depth == 2).map(|found| found.info.id.to_string()).collect()
}

#[test]
fn a_caller_that_has_gone_is_not_shown_and_a_new_one_is() {
    let mut map = derived_map(FIXTURE);
    change_file(
        &mut map,
        2,
        "c.py",
        "from b import middle\ndef one(): pass\ndef two(): pass\ndef new():\n    middle()\n",
    );
    let found = calls_two_steps_from(&map, "start", 2);
    assert!(found.contains(&"py:c.py#new".to_owned()), "{found:?}");
    assert!(
        !found.contains(&"py:c.py#one".to_owned()) && !found.contains(&"py:c.py#three".to_owned()),
        "{found:?}"
    );
}

/// Returns files with a function each that calls `middle`.
fn many_callers(count: usize) -> String {
    let file = |i: usize| {
        format!("//- /d{i:03}.py\nfrom b import middle\ndef f{i:03}():\n    middle()\n    middle()\n")
    };
    (0..count).map(file).collect()
}

#[test]
fn a_node_that_moved_within_its_file_keeps_its_callers_and_their_order() {
    // The last file has the best score, because all others import it.
    let hub = "//- /zz.py\nfrom b import middle\ndef hub():\n    middle()\n";
    let users: String = (0..40).map(|i| format!("//- /u{i:02}.py\nfrom zz import hub\nhub()\n")).collect();
    let mut map = derived_map(&(FIXTURE.to_owned() + &many_callers(2 * SOME_FILES) + hub + &users));
    change_file(&mut map, 1, "b.py", "\n\ndef before(): pass\ndef middle(): pass\n");
    assert_eq!(calls_two_steps_from(&map, "start", 2), ["py:zz.py#hub"]);
}

#[test]
fn what_is_left_out_is_counted_only_if_it_is_there() {
    let answer_after = |has_skeleton: bool| {
        let mut map = derived_map(&(FIXTURE.to_owned() + &many_callers(25)));
        if !has_skeleton {
            map.remove_skeleton();
        }
        change_file(&mut map, 2, "c.py", "");
        neighbors_within(&map, lookup_node(&map, "start"), Direction::Both, 2, 1_000)
    };
    let (answer, plain) = (answer_after(true), answer_after(false));
    assert_eq!((answer.farther_users, plain.farther_users), (FartherUsers::All, FartherUsers::All));
    assert!(plain.omitted > 0, "a function has more callers than are shown of one kind");
    assert_eq!(answer.omitted, plain.omitted);
}

#[test]
fn steps_to_what_is_used_lack_no_users() {
    let mut map = derived_map(FIXTURE);
    change_file(&mut map, 2, "c.py", "");
    let answer = neighbors_within(&map, lookup_node(&map, "a.py"), Direction::Out, 3, 3);
    assert_eq!((answer.neighbors.len(), answer.farther_users), (3, FartherUsers::All));
}

#[test]
fn before_the_first_derivation_a_second_step_asks_some_files_and_says_so() {
    let looked_for = |map: &Map| {
        let start = lookup_node(map, "start");
        let answer = neighbors_within(map, start, Direction::Both, 2, 40);
        let one_step = neighbors_within(map, start, Direction::Both, 1, 40);
        assert_eq!(one_step.farther_users, FartherUsers::All);
        assert!(answer.neighbors.iter().any(|found| found.info.id.to_string() == "py:d000.py#f000"));
        answer.farther_users
    };
    let few = FIXTURE.to_owned() + &many_callers(40);
    let many = FIXTURE.to_owned() + &many_callers(2 * SOME_FILES);
    assert_eq!(looked_for(&crate::fixture::map(&few)), FartherUsers::All);
    assert_eq!(looked_for(&crate::fixture::map(&many)), FartherUsers::InSomeFiles);
    assert_eq!(looked_for(&derived_map(&many)), FartherUsers::All);
}
