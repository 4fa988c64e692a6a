//! Finds definitions that nobody uses outside of their own file and of tests.
//!
//! The map's resolved uses decide. A use that may belong to another definition does not count as one, but is reported
//! as a number. The same holds for an export, which offers the definition to whoever imports the project.

use hob_base::CancelToken;
use hob_map::Map;
use hob_map::facts::{DefFlags, DefIdx, DefKind};
use hob_map::graph::{
    Confidence, DefRef, Direction, EdgeKind, EdgeKinds, NeighborsQuery, NodeInfo, NodeKind, NodeRef, Use,
};

/// The most uncertain uses that are counted for one definition.
const GUESSES: usize = 50;

/// Returns the definitions that other files can see, in order of path and line. These are the definitions at file level
/// and the members of types, in the files that `admits` accepts.
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

/// Returns true if a definition is used by something other than code that names it. Examples are what a test runner
/// calls, what the language calls by a fixed name (`__init__`), what implements a trait, and a field, which is used by
/// whoever constructs its type.
pub(super) fn is_used_unnamed(map: &Map, info: &NodeInfo) -> bool {
    let is_special = info.name.len() > 4 && info.name.starts_with("__") && info.name.ends_with("__");
    // In Rust, the methods of an `impl Trait` are visible without `pub`; the methods of the trait itself are below the
    // trait.
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

/// The uses of a definition that no other file certainly uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FewUses {
    /// Possible uses outside of its file and of tests.
    pub(super) maybe: usize,
    /// Uses in its own file.
    pub(super) own_file: usize,
    /// Uses in the tests of other files.
    pub(super) tests: usize,
}

/// Counts the uses of a definition, or returns `None` if something outside of its file and of tests certainly uses it.
pub(super) fn few_uses(map: &Map, def: DefRef, cancel: &CancelToken) -> Option<FewUses> {
    let (places, _) = map.find_uses(def, cancel);
    let counts = |file, from| file != def.file && !map.is_among_tests(from);
    // A definition that a framework calls is used, no matter where it is registered.
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
        // The graph has more kinds of uses than the references have: for example, a call of an override.
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
