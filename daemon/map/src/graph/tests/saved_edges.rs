//! Tests that edges of an earlier run answer as they did, and only for the files that they were derived from.

use hob_base::CancelToken;
use proptest::prelude::*;

use super::ranking::reopened_map;
use super::surroundings::{calling_project, shown_neighbors};
use crate::fixture::{derived_map, set};
use crate::graph::{Direction, EdgeKinds, Map, NeighborsQuery, NodeRef, Ranked};
use crate::{MapChange, graph::RestoredEdges};

/// Notes, a project file, an alias and a method that callers reach through a value.
const PROJECT: &str = r#"
//- /package.json
{"name": "shop"}
//- /app.ts
import { Store as Shelf } from "./store";
import { join } from "path";
export function run(s: Shelf) { s.open(); join("a"); each([s], (one) => one.open()); }
function each(all: Shelf[], f: (s: Shelf) => void) { all.forEach(f); }
//- /store.ts
export class Store { open() {} close() { this.open(); } }
//- /README.md
# Notes
See [the store](store.ts).
"#;

/// Returns the saved edges of a map, and its files in a map of the next run with the scores that were saved.
fn next_run(before: &Map) -> (Vec<u8>, Map) {
    let mut after = reopened_map(before);
    after.restore_ranking(&before.ranking_bytes().expect("derived")).expect("just written");
    (before.edges_to_save().expect("derived").into_bytes(), after)
}

fn restored_edges(map: &Map, bytes: &[u8]) -> Option<RestoredEdges> {
    map.restoring_job().expect("it has scores").restore_edges(bytes).expect("well written")
}

/// Returns the neighbours of every node, as answers show them.
fn all_neighbors(map: &Map, depth: u32) -> Vec<String> {
    let files = map.index.entries().flat_map(|(file, _)| {
        std::iter::once(NodeRef::File(file)).chain(map.defs_of(file).into_iter().map(NodeRef::Def))
    });
    let shown = |node| {
        let (direction, kinds, cancel) = (Direction::Both, EdgeKinds::ALL, CancelToken::default());
        let query = NeighborsQuery { node, direction, kinds, depth, max_nodes: 50, family: false, cancel };
        let answer = map.neighbors(&query).expect("it is there");
        format!("{}: {:?} {}", map.id(node), shown_neighbors(&answer, map), answer.omitted)
    };
    let mut all: Vec<String> = files.map(shown).collect();
    all.sort();
    all
}

fn check_next_run(before: &Map) {
    let (bytes, mut after) = next_run(before);
    let edges = restored_edges(&after, &bytes).expect("the same files");
    assert!(after.install_edges(edges));
    let skeleton = after.standing.skeleton.as_ref().expect("just installed");
    assert!(skeleton.has_sites() && after.standing.changed.is_empty(), "answers come from it");
    for depth in 1..=2 {
        assert_eq!(all_neighbors(&after, depth), all_neighbors(before, depth));
    }
    assert!(after.edges_to_save().is_none(), "they are saved already");
}

#[test]
fn edges_come_back_as_they_were() {
    check_next_run(&derived_map(PROJECT));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn edges_of_any_project_come_back_as_they_were(
        calls in prop::collection::vec((any::<u8>(), any::<u8>()), 0..60),
    ) {
        check_next_run(&derived_map(&calling_project(&calls, 13)));
    }
}

#[test]
fn edges_are_of_exactly_the_files_they_were_derived_from() {
    let before = derived_map(PROJECT);
    let (bytes, after) = next_run(&before);
    let number = |path: &str| after.file_at(path).expect("it is there");
    let changes = [
        ("another call", set(number("app.ts").0, "app.ts", "import { Store } from './store';")),
        (
            "another name of the project",
            set(number("package.json").0, "package.json", r#"{"name": "shelf"}"#),
        ),
        ("a new file", set(60, "more.ts", "export const more = 1;")),
        ("a file less", MapChange::Remove { file: number("README.md") }),
    ];
    for (what, change) in changes {
        let (_, mut after) = next_run(&before);
        after.apply(vec![change]);
        let edges = after.derive_job().restore_edges(&bytes).expect("well written");
        assert!(edges.is_none(), "{what}");
    }
    assert!(restored_edges(&after, &bytes).is_some());
}

#[test]
fn edges_are_not_installed_after_a_change() {
    let before = derived_map(PROJECT);
    let (bytes, mut after) = next_run(&before);
    let edges = restored_edges(&after, &bytes).expect("the same files");
    after.apply(vec![set(60, "more.ts", "export const more = 1;")]);
    assert!(!after.install_edges(edges) && after.standing.skeleton.is_none());
    assert!(after.restoring_job().is_none(), "a file has no scores");
}

#[test]
fn edges_are_not_saved_for_files_that_have_changed() {
    let mut map = derived_map(PROJECT);
    map.apply(vec![set(60, "more.ts", "export const more = 1;")]);
    assert!(map.edges_to_save().is_none());
    assert_eq!(map.ranking_origin(), Ranked::Derived);
}

#[test]
fn damaged_edges_are_refused_or_harm_nobody() {
    let before = derived_map(PROJECT);
    let (bytes, after) = next_run(&before);
    for at in 0..bytes.len() {
        let job = || after.restoring_job().expect("it has scores");
        assert!(!matches!(job().restore_edges(&bytes[..at]), Ok(Some(_))), "cut at {at}");
        let mut bad = bytes.clone();
        bad[at] ^= 0x11;
        if let Ok(Some(edges)) = job().restore_edges(&bad) {
            let (_, mut map) = next_run(&before);
            assert!(map.install_edges(edges));
            let _ = all_neighbors(&map, 2);
        }
    }
}
