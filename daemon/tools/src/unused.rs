//! Definitions that nobody uses outside of their own file and of tests.
//!
//! What the map resolves decides; a use that may be of the definition and may be of another does not save it, but is counted, and
//! so is an export that passes it on to whoever imports the project.

use hob_base::CancelToken;
use hob_map::Map;
use hob_map::facts::{DefFlags, DefIdx, DefKind};
use hob_map::graph::{
    Confidence, DefRef, Direction, EdgeKind, EdgeKinds, NeighborsQuery, NodeInfo, NodeKind, NodeRef, Use,
};

/// Guesses that are counted for one definition.
const GUESSES: usize = 50;

/// Returns the definitions that other files can see, those at file level or with the members of types, of the files that `admits` lets
/// through, in order of path and line.
pub(super) fn visible_definitions(
    map: &Map,
    with_members: bool,
    admits: &dyn Fn(NodeRef) -> bool,
) -> Vec<DefRef> {
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

/// Returns true if a definition is used by something other than code that names it: what a runner of tests calls, what the language
/// calls by a name of its own (`__init__`), what a trait promises; and for a field, which whoever makes its type uses.
pub(super) fn is_used_unnamed(map: &Map, info: &NodeInfo) -> bool {
    let is_special = info.name.len() > 4 && info.name.starts_with("__") && info.name.ends_with("__");
    // In Rust the methods of an `impl Trait` are visible without saying `pub`; a trait's own are below the trait.
    let is_rust = info.path.as_ref().is_some_and(|path| path.as_str().ends_with(".rs"));
    let is_of_trait = is_rust
        && info.kind == NodeKind::Def(DefKind::Method)
        && !info.signature.starts_with("pub")
        && !is_in_trait(map, info);
    is_special || is_of_trait || info.kind == NodeKind::Def(DefKind::Field) || map.is_among_tests(info.node)
}

fn is_in_trait(map: &Map, info: &NodeInfo) -> bool {
    let NodeRef::Def(def) = info.node else { return false };
    let parent = map.outline(def.file).find(|(at, _)| *at == def).and_then(|(_, def)| def.parent);
    let kind = parent.and_then(|parent| map.outline(def.file).nth(parent.index())).map(|(_, def)| def.kind);
    kind == Some(DefKind::Trait)
}

/// The uses of a definition that no other file surely uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FewUses {
    /// Uses outside of its file and of tests that may be of it.
    pub(super) maybe: usize,
    /// Uses in its own file.
    pub(super) own_file: usize,
    /// Uses in tests of other files.
    pub(super) tests: usize,
}

/// Counts the uses of a definition; `None` if something outside of its file and of tests surely uses it.
pub(super) fn few_uses(map: &Map, def: DefRef, cancel: &CancelToken) -> Option<FewUses> {
    let (places, _) = map.find_uses(def, cancel);
    let counts = |file, from| file != def.file && !map.is_among_tests(from);
    // What a framework calls is used, wherever it is registered.
    let is_used = |one: &Use| one.confidence == Confidence::Framework || counts(one.file, one.from);
    if places.iter().any(|one| one.kind != EdgeKind::Exports && is_used(one)) {
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
    let mut maybe = 0;
    for one in &around {
        let is_other = one.info.node.file().is_some_and(|file| counts(file, one.info.node));
        // The graph knows more ways to a use than references have: an override's call, say.
        let is_guess = matches!(one.confidence, Confidence::Candidate | Confidence::Flow);
        if is_other && !is_guess && one.edge != EdgeKind::Exports {
            return None;
        }
        maybe += usize::from(is_other && is_guess);
    }
    let is_use = |one: &&Use| !matches!(one.kind, EdgeKind::Exports | EdgeKind::Imports);
    let own_file = places.iter().filter(is_use).filter(|one| one.file == def.file).count();
    let tests = places.iter().filter(is_use).filter(|one| one.file != def.file).count();
    Some(FewUses { maybe, own_file, tests })
}
