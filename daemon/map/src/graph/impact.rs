//! Finds the nodes that are affected when a node changes: its users, their users, and so on.
//!
//! Breadth first against resolved edges from the node and everything in it. What joins a definition to another: calls,
//! references, derived types, methods that override it, and callers of what it overrides. A file that imports it is affected and
//! nothing beyond: who imports that file for something else is not. Uses that are not resolved, and callers that may reach an
//! affected method through what that overrides, are kept apart as possible and never followed: to go on from a guess would make
//! every later step one.

use std::cmp::Ordering;

use hob_base::CancelToken;
use rustc_hash::{FxHashMap, FxHashSet};

use super::family::{Families, Kinship};
use super::{Confidence, Edge, EdgeKind, EdgeKinds, Map, NodeRef, Tie};
use crate::facts::DefKind;
use crate::resolve::Resolver;

/// Most nodes whose users are looked for in one answer.
const MAX_EXPANDED: usize = 3000;

/// Most types looked at below or above one for methods of the same name.
const MAX_TYPES: usize = 256;

/// A question for who is affected by a change of a node.
#[derive(Clone, Debug)]
pub struct ImpactQuery {
    /// The node that changes.
    pub node: NodeRef,
    /// Most steps from the changed node.
    pub max_depth: u32,
    /// Stops the search when it is cancelled or late.
    pub cancel: CancelToken,
}

/// A node that is affected.
#[derive(Clone, PartialEq, Debug)]
pub struct Affected {
    /// The node that is affected.
    pub node: NodeRef,
    /// Steps from what changes; at least 1.
    pub depth: u32,
    /// The tie by which the change reaches it.
    pub cause: Tie,
    /// The node that it uses or overrides: the changed node, something in it, or an affected node.
    pub via: NodeRef,
    /// The least sure step on the way.
    pub confidence: Confidence,
    /// Lines of its file at which it uses `via`, ascending, the first [`super::MAX_SITES`].
    pub sites: Vec<u32>,
    /// Number of all such places, also those beyond the first lines.
    pub site_count: usize,
    /// True if the node is a test.
    pub is_test: bool,
}

/// The nodes that are affected, best first: depth, then confidence, then hub score.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ImpactAnswer {
    /// Those that are known to be.
    pub affected: Vec<Affected>,
    /// Those that may be: what they use is not resolved, and it can mean an affected node.
    pub possible: Vec<Affected>,
    /// The depth to which the answer is whole, when users of what is there were not looked for any more.
    pub whole_to: Option<u32>,
    /// True if the answer ends there for want of time, rather than because of `max_depth`.
    pub incomplete: bool,
}

impl Map {
    /// Finds the nodes that are affected when a node changes.
    #[must_use]
    pub fn impact(&self, query: &ImpactQuery) -> ImpactAnswer {
        let resolver = Resolver::new(&self.index);
        let mut spread = Spread {
            map: self,
            resolver,
            query,
            met: FxHashSet::default(),
            possible: FxHashMap::default(),
            expanded: 0,
            answer: ImpactAnswer::default(),
        };
        spread.run();
        spread.answer
    }
}

struct Spread<'m> {
    map: &'m Map,
    resolver: Resolver<'m>,
    query: &'m ImpactQuery,
    /// The nodes that change, and all that are affected.
    met: FxHashSet<NodeRef>,
    possible: FxHashMap<NodeRef, Affected>,
    expanded: usize,
    answer: ImpactAnswer,
}

/// A node that leads to a level, with its depth and the confidence of the way there.
#[derive(Clone, Copy)]
struct From {
    node: NodeRef,
    depth: u32,
    confidence: Confidence,
}

impl<'m> Spread<'m> {
    fn run(&mut self) {
        let seeds = self.changed_nodes();
        self.met.extend(&seeds);
        let mut frontier: Vec<From> =
            seeds.into_iter().map(|node| From { node, depth: 0, confidence: Confidence::Live }).collect();
        for depth in 1..=self.query.max_depth {
            let Some(level) = self.next_level(&frontier) else {
                self.answer.whole_to = Some(depth - 1);
                self.answer.incomplete = true;
                break;
            };
            frontier = level
                .iter()
                .filter(|hit| self.goes_on(hit))
                .map(|hit| From { node: hit.node, depth, confidence: hit.confidence })
                .collect();
            self.met.extend(level.iter().map(|hit| hit.node));
            self.answer.affected.extend(level);
            if frontier.is_empty() {
                break;
            }
            if depth == self.query.max_depth {
                self.answer.whole_to = Some(depth);
            }
        }
        self.leave_out_mere_imports();
        let met = &self.met;
        self.answer.possible =
            self.possible.drain().map(|(_, hit)| hit).filter(|hit| !met.contains(&hit.node)).collect();
        let mut possible = std::mem::take(&mut self.answer.possible);
        possible.sort_by(|a, b| self.compare(a, b));
        self.answer.possible = possible;
    }

    /// Returns the nodes that change: the node and everything in it, wherever it is written.
    fn changed_nodes(&self) -> Vec<NodeRef> {
        let first = match self.query.node {
            NodeRef::Def(def) => self.resolver.body_of(def).into(),
            other => other,
        };
        let mut seeds = vec![first];
        let mut seen = FxHashSet::from_iter(seeds.iter().copied());
        let mut at = 0;
        while at < seeds.len() {
            for edge in self.map.edges_out_with(&self.resolver, seeds[at], only_kind(EdgeKind::Contains)) {
                if seen.insert(edge.to) {
                    seeds.push(edge.to);
                }
            }
            at += 1;
        }
        seeds[1..].sort_by(|a, b| self.map.compare_places(*a, *b));
        seeds
    }

    /// Returns true if users of an affected node are affected too.
    fn goes_on(&self, hit: &Affected) -> bool {
        let NodeRef::Def(def) = hit.node else { return false };
        self.map.index.entry(def.file).is_some_and(|entry| !entry.lang().is_prose())
    }

    /// Everything that uses one of these and is new, ranked; `None` when that is too much.
    fn next_level(&mut self, frontier: &[From]) -> Option<Vec<Affected>> {
        let mut hits: FxHashMap<NodeRef, Affected> = FxHashMap::default();
        let mut whole = true;
        for from in frontier {
            self.expanded += 1;
            if self.expanded > MAX_EXPANDED && from.depth > 0 {
                whole = false;
                break;
            }
            let kinds = EdgeKinds::ALL.without(EdgeKind::Contains);
            let found = self.map.edges_in_with(&self.resolver, from.node, kinds, &self.query.cancel);
            whole &= found.stopped.is_none();
            for edge in found.edges {
                self.add_user(*from, edge, &mut hits);
            }
            self.add_overriding(*from, &mut hits);
            self.through_bases(*from, &mut hits);
            if !whole {
                break;
            }
        }
        let mut level: Vec<Affected> = hits.into_values().collect();
        level.sort_by(|a, b| self.compare(a, b));
        if !whole {
            // What was found in time is affected all the same.
            self.met.extend(level.iter().map(|hit| hit.node));
            self.answer.affected.extend(level);
            return None;
        }
        Some(level)
    }

    fn add_user(&mut self, from: From, edge: Edge, hits: &mut FxHashMap<NodeRef, Affected>) {
        let hit = Affected {
            node: edge.from,
            depth: from.depth + 1,
            cause: Tie::Edge(edge.kind),
            via: from.node,
            confidence: from.confidence.max(edge.confidence),
            is_test: self.map.is_test(edge.from),
            sites: edge.sites,
            site_count: edge.site_count,
        };
        match hit.confidence {
            Confidence::Candidate => self.may_be(hit),
            _ => self.is(hit, hits),
        }
    }

    fn is(&self, hit: Affected, hits: &mut FxHashMap<NodeRef, Affected>) {
        if self.met.contains(&hit.node) {
            return;
        }
        match hits.entry(hit.node) {
            std::collections::hash_map::Entry::Vacant(vacant) => drop(vacant.insert(hit)),
            std::collections::hash_map::Entry::Occupied(mut known) => {
                if self.compare_ways(&hit, known.get()) == Ordering::Less {
                    known.insert(hit);
                }
            }
        }
    }

    fn may_be(&mut self, hit: Affected) {
        let better = self.possible.get(&hit.node).is_none_or(|known| {
            hit.depth.cmp(&known.depth).then_with(|| self.compare_ways(&hit, known)) == Ordering::Less
        });
        if better && !self.met.contains(&hit.node) {
            self.possible.insert(hit.node, hit);
        }
    }

    /// Methods of derived types that take a changed method's place.
    fn add_overriding(&self, from: From, hits: &mut FxHashMap<NodeRef, Affected>) {
        let Some((owner, name)) = self.owner_and_name(from.node).filter(|_| from.depth == 0) else { return };
        let mut types = vec![(owner, from.confidence)];
        let mut seen = FxHashSet::from_iter([owner]);
        let mut at = 0;
        while at < types.len() && types.len() < MAX_TYPES {
            let (base, sure) = types[at];
            let kinds = [EdgeKind::Extends, EdgeKind::Implements].into_iter().collect();
            let derived = self.map.edges_in_with(&self.resolver, base, kinds, &self.query.cancel).edges;
            for edge in derived.into_iter().filter(Edge::is_resolved) {
                if seen.insert(edge.from) {
                    types.push((edge.from, sure.max(edge.confidence)));
                }
            }
            at += 1;
        }
        types[1..].sort_by(|a, b| self.map.compare_places(a.0, b.0));
        for (derived, confidence) in types.into_iter().skip(1) {
            for method in self.own_methods(derived, name) {
                let hit = Affected {
                    node: method,
                    depth: from.depth + 1,
                    cause: Tie::Overrides,
                    via: from.node,
                    confidence,
                    is_test: self.map.is_test(method),
                    sites: Vec::new(),
                    site_count: 0,
                };
                self.is(hit, hits);
            }
        }
    }

    /// Callers of what a method overrides reach it: of what changes they are affected; of what is affected by that they may be.
    fn through_bases(&mut self, from: From, hits: &mut FxHashMap<NodeRef, Affected>) {
        let NodeRef::Def(method) = from.node else { return };
        let overridden =
            Families::new(self.map, &self.resolver).related_methods(method, Kinship::Overridden).into_iter();
        for overridden in overridden.map(NodeRef::Def) {
            let confidence = if from.depth == 0 { from.confidence } else { Confidence::Candidate };
            let (calls, cancel) = (only_kind(EdgeKind::Calls), &self.query.cancel);
            for edge in self.map.edges_in_with(&self.resolver, overridden, calls, cancel).edges {
                self.add_user(From { node: overridden, confidence, ..from }, edge, hits);
            }
        }
    }

    /// The type that a method belongs to, and its name.
    fn owner_and_name(&self, node: NodeRef) -> Option<(NodeRef, &'m str)> {
        let NodeRef::Def(def) = node else { return None };
        let map: &'m Map = self.map;
        let entry = map.index.entry(def.file)?;
        let found = entry.facts.defs.get(def.def.index()).filter(|found| found.kind == DefKind::Method)?;
        Some((map.container(&self.resolver, def)?, entry.facts.name(found.name)))
    }

    /// The methods of this name that a type itself has.
    fn own_methods(&self, of: NodeRef, name: &str) -> Vec<NodeRef> {
        let members = self.map.edges_out_with(&self.resolver, of, only_kind(EdgeKind::Contains));
        let called = |node: &NodeRef| self.owner_and_name(*node).is_some_and(|(_, own)| own == name);
        let mut methods: Vec<NodeRef> = members.into_iter().map(|edge| edge.to).filter(called).collect();
        methods.sort_by(|a, b| self.map.compare_places(*a, *b));
        methods
    }

    /// Files of which something else is affected need no mention for their import.
    fn leave_out_mere_imports(&mut self) {
        let is_import =
            |hit: &Affected| matches!(hit.cause, Tie::Edge(EdgeKind::Imports | EdgeKind::Exports));
        let used: FxHashSet<_> = self
            .answer
            .affected
            .iter()
            .filter(|hit| !is_import(hit))
            .filter_map(|hit| hit.node.file())
            .collect();
        self.answer
            .affected
            .retain(|hit| !is_import(hit) || hit.node.file().is_none_or(|file| !used.contains(&file)));
    }

    /// Compares affected nodes in the order of the answer.
    fn compare(&self, a: &Affected, b: &Affected) -> Ordering {
        let by_score = || self.map.score(b.node).total_cmp(&self.map.score(a.node));
        (a.depth, a.confidence)
            .cmp(&(b.depth, b.confidence))
            .then_with(by_score)
            .then_with(|| self.map.compare_places(a.node, b.node))
    }

    /// Compares two ways to the same node; the answer shows the smaller one.
    fn compare_ways(&self, a: &Affected, b: &Affected) -> Ordering {
        (a.confidence, a.cause)
            .cmp(&(b.confidence, b.cause))
            .then_with(|| self.map.compare_places(a.via, b.via))
    }
}

fn only_kind(kind: EdgeKind) -> EdgeKinds {
    [kind].into_iter().collect()
}
