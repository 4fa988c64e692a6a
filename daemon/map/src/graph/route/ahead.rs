//! Measures the distance of nodes to the end of a chain over the skeleton of the last derivation.
//!
//! The distances are only a hint that keeps a search from visiting everything: nodes that surely lead to the end are
//! expanded first. The steps of the chain itself come from the map as it is.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use crate::facts::DefKind;
use crate::graph::family::Families;
use crate::graph::{EdgeKind, Map, NodeRef, PathQuery};
use crate::resolve::Resolver;

/// Most nodes visited.
const MOST: usize = 100_000;

/// Number of nodes that are expanded between two checks of the clock.
const CHECK_EVERY: usize = 256;

/// The nodes that surely lead to the end, each with its number of steps.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    pub(super) steps: FxHashMap<NodeRef, u32>,
    /// Further nodes that lead there without a call: the types that constructors among them make, and the methods that
    /// methods among them override.
    pub(super) stand_ins: FxHashMap<NodeRef, u32>,
    /// True if `steps` has all such nodes within the greatest length.
    pub(super) is_whole: bool,
    /// The nodes among them to which nothing leads, in the order of their steps.
    pub(super) entries: Vec<NodeRef>,
}

impl Ahead {
    /// Returns the number of steps from a node to the end; `None` if it is not known to lead there surely.
    pub(super) fn steps_from(&self, node: NodeRef) -> Option<u32> {
        self.steps.get(&node).or_else(|| self.stand_ins.get(&node)).copied()
    }
}

impl Map {
    /// Finds the nodes that surely lead to one of `ends`.
    pub(super) fn ahead_of(&self, resolver: &Resolver<'_>, ends: &[NodeRef], query: &PathQuery) -> Ahead {
        let mut ahead = Ahead { steps: ends.iter().map(|end| (*end, 0)).collect(), ..Ahead::default() };
        let Some(skeleton) = &self.standing.skeleton else { return ahead };
        let families = Families::new(self, resolver);
        let mut nodes = ends.to_vec();
        let mut at = 0;
        while at < nodes.len() {
            let late = at % CHECK_EVERY == 0 && query.cancel.check().is_err();
            if late || nodes.len() > MOST {
                return ahead;
            }
            let node = nodes[at];
            let steps = ahead.steps[&node] + 1;
            at += 1;
            if steps > query.max_len {
                continue;
            }
            let mut named = self.named_for(resolver, &families, node);
            self.add_stand_ins(resolver, node, &named, &mut ahead);
            named.push(node);
            let mut is_entry = true;
            let is_same = |file| !self.standing.changed.contains(&file);
            for end in named.into_iter().filter(|end| end.file().is_some_and(is_same)) {
                let Some(number) = skeleton.node_number(end) else { continue };
                for (kind, from) in skeleton.edges(number, true) {
                    let follows = query.kinds.has(kind) || self.is_nesting(query, kind, node);
                    let Some(from) = skeleton.node(from).filter(|_| follows) else { continue };
                    is_entry = false;
                    if let Entry::Vacant(new) = ahead.steps.entry(from) {
                        new.insert(steps);
                        nodes.push(from);
                    }
                }
            }
            ahead.entries.extend(is_entry.then_some(node));
        }
        ahead.is_whole = self.standing.changed.is_empty();
        ahead
    }

    /// Adds the type that a constructor makes, as far from the end as it, and the methods that a method overrides, a step
    /// further. `named` has both.
    fn add_stand_ins(&self, resolver: &Resolver<'_>, node: NodeRef, named: &[NodeRef], ahead: &mut Ahead) {
        let NodeRef::Def(def) = node else { return };
        let made = self.made_by(resolver, def).map(NodeRef::Def);
        let own = ahead.steps.get(&node).copied().unwrap_or(0);
        for other in named {
            ahead.stand_ins.entry(*other).or_insert(own + u32::from(Some(*other) != made));
        }
    }

    /// Returns the other nodes by whose names code calls a node: the methods that a method overrides, the type that a
    /// constructor makes.
    fn named_for(&self, resolver: &Resolver<'_>, families: &Families<'_, '_>, node: NodeRef) -> Vec<NodeRef> {
        let NodeRef::Def(def) = node else { return Vec::new() };
        let overridden = families.overridden_by(def).into_iter();
        overridden.chain(self.made_by(resolver, def)).map(NodeRef::Def).collect()
    }

    /// Returns true if an edge leads from a function to a function defined in it.
    fn is_nesting(&self, query: &PathQuery, kind: EdgeKind, inner: NodeRef) -> bool {
        let NodeRef::Def(def) = inner else { return false };
        let parent = self.index.entry(def.file).and_then(|entry| {
            let parent = entry.facts.defs.get(def.def.index())?.parent?;
            Some(entry.facts.def(parent).kind)
        });
        query.kinds.has(EdgeKind::Calls)
            && kind == EdgeKind::Contains
            && parent.is_some_and(DefKind::is_callable)
    }
}
