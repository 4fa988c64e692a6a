//! Definitions that nobody uses outside of their own file and of tests.
//!
//! What the map resolves decides; a use that may be of the definition and may be of another does not save it, but is counted, and
//! so is an export that passes it on to whoever imports the project.

use hob_base::CancelToken;
use hob_map::Map;
use hob_map::facts::{DefFlags, DefIdx, DefKind};
use hob_map::graph::{Confidence, DefRef, Direction, EdgeKind, EdgeKinds, NeighborsQuery, NodeInfo, NodeRef};

/// Guesses that are counted for one definition.
const GUESSES: usize = 50;

/// The definitions that other files can see, those at file level or with the members of types, of the files that `admits` lets
/// through, in order of path and line.
pub(super) fn visible(map: &Map, with_members: bool, admits: &dyn Fn(NodeRef) -> bool) -> Vec<DefRef> {
    let mut found = Vec::new();
    for (_, file) in map.mapped_files() {
        let kinds: Vec<DefKind> = map.outline(file).map(|(_, def)| def.kind).collect();
        let is_in_type = |parent: DefIdx| kinds.get(parent.index()).is_some_and(|kind| kind.is_type());
        let visible = map.outline(file).filter(|(_, def)| {
            let is_shown = def.parent.is_none_or(|parent| with_members && is_in_type(parent));
            is_shown && def.flags.has(DefFlags::EXPORTED)
        });
        found.extend(visible.map(|(at, _)| at).filter(|def| admits((*def).into())));
    }
    found
}

/// Whether something other than the project's code uses a definition: a runner of tests what is in them, the language what has a
/// name of its own (`__init__`).
pub(super) fn is_called_by_others(map: &Map, info: &NodeInfo) -> bool {
    let is_special = info.name.len() > 4 && info.name.starts_with("__") && info.name.ends_with("__");
    is_special || map.is_among_tests(info.node)
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
