//! Definitions that nobody uses outside of their own file and of tests.
//!
//! What the map resolves decides; a use that may be of the definition and may be of another does not save it, but is counted, and
//! so is an export that passes it on to whoever imports the project.

use hob_base::CancelToken;
use hob_map::Map;
use hob_map::facts::DefFlags;
use hob_map::graph::{Confidence, DefRef, Direction, EdgeKind, EdgeKinds, NeighborsQuery, NodeRef};

/// Guesses that are counted for one definition.
const GUESSES: usize = 50;

/// The definitions at file level that other files can see, of the files that `admits` lets through, in order of path and line.
pub(super) fn visible(map: &Map, admits: &dyn Fn(NodeRef) -> bool) -> Vec<DefRef> {
    let mut found = Vec::new();
    for (_, file) in map.mapped_files() {
        let visible =
            map.outline(file).filter(|(_, def)| def.parent.is_none() && def.flags.has(DefFlags::EXPORTED));
        found.extend(visible.map(|(at, _)| at).filter(|def| admits((*def).into())));
    }
    found
}

/// How many uses outside of its file and of tests may be of a definition, none of them surely; `None` if one surely is.
pub(super) fn maybe_used(map: &Map, def: DefRef, cancel: &CancelToken) -> Option<usize> {
    let (places, _) = map.places(def, cancel);
    let counts = |file, from| file != def.file && !map.is_among_tests(from);
    if places.iter().any(|one| one.kind != EdgeKind::Exports && counts(one.file, one.from)) {
        return None;
    }
    let query = NeighborsQuery {
        node: def.into(),
        direction: Direction::In,
        kinds: EdgeKinds::ALL.without(EdgeKind::Contains),
        family: true,
        depth: 1,
        max_nodes: GUESSES,
        cancel: cancel.clone(),
    };
    let around = map.neighbors(&query).map(|answer| answer.neighbors).unwrap_or_default();
    let mut guesses = 0;
    for one in &around {
        let is_other = one.info.node.file().is_some_and(|file| counts(file, one.info.node));
        // The graph knows more ways to a use than references have: an override's call, say.
        if is_other && one.confidence != Confidence::Candidate && one.edge != EdgeKind::Exports {
            return None;
        }
        guesses += usize::from(is_other && one.confidence == Confidence::Candidate);
    }
    Some(guesses)
}
