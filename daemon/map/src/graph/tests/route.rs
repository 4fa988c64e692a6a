//! Checks that connections found over the skeleton are those that a search over computed edges finds.

use hob_base::CancelToken;
use proptest::prelude::*;

use super::changes::{C, ChangeWorld, GO, JAVA, PYTHON, RUST, TYPESCRIPT, built_at_once, change_of_text};
use crate::graph::{Direction, EdgeKind, EdgeKinds, Map, NodeRef, PathAnswer, PathQuery, PathStep, Tie};

/// The steps before the derivation, and those after it.
type Steps = (Vec<(usize, usize)>, Vec<(usize, Option<usize>)>);

fn all_nodes(world: &ChangeWorld, map: &Map) -> Vec<NodeRef> {
    let files = world.paths.iter().filter_map(|path| map.file_at(path));
    let with_defs = files.flat_map(|file| {
        std::iter::once(NodeRef::File(file)).chain(map.defs_of(file).into_iter().map(NodeRef::Def))
    });
    with_defs.collect()
}

fn path(map: &Map, from: NodeRef, to: NodeRef, include_references: bool) -> PathAnswer {
    let kinds = match include_references {
        true => EdgeKinds::ALL,
        false => EdgeKinds::ALL.without(EdgeKind::References),
    };
    let (direction, cancel) = (Direction::Both, CancelToken::default());
    map.path(&PathQuery { from, to, max_len: 4, kinds, direction, cancel })
}

fn derive_and_install(map: &mut Map) {
    let mut job = map.derive_job();
    while !map.derive_step(&mut job, 2) {}
    map.install_derived(job.finish());
}

/// Compares the connection of every pair in a derived map, changed since, with that in a map that was never derived.
fn check_routes(world: &ChangeWorld, (before, after): Steps) -> Result<(), TestCaseError> {
    let mut map = Map::new();
    let mut texts = vec![None; world.paths.len()];
    let step = |path: usize, text: Option<usize>| {
        (path % world.paths.len(), text.map(|text| text % world.texts.len()))
    };
    for (path, text) in before {
        let (path, text) = step(path, Some(text));
        texts[path] = text;
        map.apply(vec![change_of_text(world, path as u32, path, text)]);
    }
    derive_and_install(&mut map);
    let is_fresh = after.is_empty();
    for (path, text) in after {
        let (path, text) = step(path, text);
        texts[path] = text;
        map.apply(vec![change_of_text(world, path as u32, path, text)]);
    }
    let never_derived = built_at_once(world, &texts);
    let pairs = all_nodes(world, &map).into_iter().zip(all_nodes(world, &never_derived));
    let pairs: Vec<(NodeRef, NodeRef)> = pairs.collect();
    for (at, (from, other_from)) in pairs.iter().enumerate() {
        for (to, other_to) in &pairs[at..] {
            for references in [false, true] {
                let derived = path(&map, *from, *to, references);
                let live = path(&never_derived, *other_from, *other_to, references);
                let ids = (map.id(*from).to_string(), map.id(*to).to_string());
                prop_assert_eq!(&ids.0, &never_derived.id(*other_from).to_string());
                prop_assert!(!derived.incomplete && !live.incomplete);
                prop_assert_eq!(derived.is_connected(), live.is_connected(), "{:?}", ids);
                let (derived, live) = (steps_of(&derived), steps_of(&live));
                prop_assert!(derived.len() >= live.len(), "{:?}: {:?}", ids, derived);
                prop_assert!(!is_fresh || derived.len() == live.len(), "{:?}: {:?} {:?}", ids, derived, live);
                check_steps(&map, *from, *to, derived)?;
            }
        }
    }
    Ok(())
}

fn steps_of(answer: &PathAnswer) -> &[PathStep] {
    answer.chains.first().map_or(&[], |chain| &chain.steps)
}

/// Checks that each step is an edge of the map as it is now.
fn check_steps(map: &Map, from: NodeRef, to: NodeRef, steps: &[PathStep]) -> Result<(), TestCaseError> {
    let mut at = from;
    for step in steps {
        prop_assert_eq!(step.from, at);
        let (start, end) = match step.direction {
            crate::graph::Direction::In => (step.to, step.from),
            _ => (step.from, step.to),
        };
        let edges = map.edges_out(start, crate::graph::EdgeKinds::ALL);
        prop_assert!(
            edges
                .iter()
                .any(|edge| edge.to == end && Tie::Edge(edge.kind) == step.kind && edge.is_resolved())
        );
        at = step.to;
    }
    prop_assert!(steps.is_empty() || at == to);
    Ok(())
}

fn arbitrary_steps() -> impl Strategy<Value = Steps> {
    let before = prop::collection::vec((0usize..6, 0usize..8), 2..10);
    let after = prop::collection::vec((0usize..6, prop::option::weighted(0.85, 0usize..8)), 0..4);
    (before, after)
}

#[test]
fn a_first_file_of_code_after_the_derivation() {
    check_routes(&GO, (vec![(0, 0)], vec![(1, Some(1))])).expect("the same as ever");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn in_python(steps in arbitrary_steps()) {
        check_routes(&PYTHON, steps)?;
    }

    #[test]
    fn in_typescript(steps in arbitrary_steps()) {
        check_routes(&TYPESCRIPT, steps)?;
    }

    #[test]
    fn in_rust(steps in arbitrary_steps()) {
        check_routes(&RUST, steps)?;
    }

    #[test]
    fn in_go(steps in arbitrary_steps()) {
        check_routes(&GO, steps)?;
    }

    #[test]
    fn in_c(steps in arbitrary_steps()) {
        check_routes(&C, steps)?;
    }

    #[test]
    fn in_java(steps in arbitrary_steps()) {
        check_routes(&JAVA, steps)?;
    }
}
