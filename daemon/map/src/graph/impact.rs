//! Finds the nodes that are affected when a node changes: its users, their users, and so on.
//!
//! Breadth first against resolved edges from the node and everything in it. It follows calls, references, derived
//! types, methods that override a definition, callers of what it overrides, and, for a constructor, the code that makes
//! an object. A file that imports a definition is affected and nothing beyond: a file that imports that file for
//! something else is not. A function that calls it as a value of its own parameter is affected and nothing beyond,
//! because the code that passed it there names it. Uses that are not resolved, and callers that may reach an affected
//! method through what that overrides, are kept apart as possible and never followed: to go on from a guess would make
//! every later step one. [`Following::MayRun`] follows the latter.

use std::cmp::Ordering;

use hob_base::CancelToken;
use rustc_hash::{FxHashMap, FxHashSet};

use super::family::Families;
use super::{Confidence, Edge, EdgeKind, EdgeKinds, Map, NodeRef, Tie};
use crate::facts::DefKind;
use crate::resolve::Resolver;

/// Most nodes whose users are looked for in one answer.
const MAX_EXPANDED: usize = 3000;

/// A query for the nodes that a change of a node affects.
#[derive(Clone, Debug)]
pub struct ImpactQuery {
    /// The node that changes.
    pub node: NodeRef,
    /// Most steps from the changed node.
    pub max_depth: u32,
    /// The extent of the steps that the search takes.
    pub following: Following,
    /// Stops the search when it is cancelled or late.
    pub cancel: CancelToken,
}

/// The extent of the steps that a search for affected nodes takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Following {
    /// Only steps by which a change surely reaches a user.
    Sure,
    /// Also steps to callers of what an affected method overrides; from a variable that holds something affected to its
    /// users; and to code that makes an object of a method's type, if nothing in the project calls the method, the
    /// language calls it by itself, or it may override a library's method.
    MayRun,
}

/// A node that is affected.
#[derive(Clone, PartialEq, Debug)]
pub struct Affected {
    /// The node that is affected.
    pub node: NodeRef,
    /// Steps from what changes; at least 1.
    pub depth: u32,
    /// The tie by which the change reaches the node.
    pub cause: Tie,
    /// The node that it uses or overrides: the changed node, something in it, or an affected node.
    pub via: NodeRef,
    /// The confidence of the least sure step on the way.
    pub confidence: Confidence,
    /// Lines of the node's file at which it uses `via`, ascending, the first [`super::MAX_SITES`].
    pub sites: Vec<u32>,
    /// Number of all such places, also those beyond the first lines.
    pub site_count: usize,
    /// True if the node is a test.
    pub is_test: bool,
}

/// The affected nodes, best first: by depth, then confidence, then hub score.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ImpactAnswer {
    /// The nodes that are known to be affected.
    pub affected: Vec<Affected>,
    /// The nodes that may be affected: they use something unresolved that can mean an affected node.
    pub possible: Vec<Affected>,
    /// The depth to which the answer is whole, if users of nodes there were not looked for; otherwise `None`.
    pub whole_to: Option<u32>,
    /// True if the answer ends there because time ran out, rather than because of `max_depth`.
    pub incomplete: bool,
    /// True if callers through values may be missing: a definition is passed on as a value and a bound kept the search from
    /// following it everywhere, or the last derivation has more callers than are asked again.
    pub may_lack_callers: bool,
}

impl Map {
    /// Finds the nodes that are affected when a node changes.
    #[must_use]
    pub fn impact(&self, query: &ImpactQuery) -> ImpactAnswer {
        let resolver = Resolver::new(&self.index);
        let mut spread = ImpactSearch {
            map: self,
            resolver,
            query,
            met: FxHashSet::default(),
            ends: FxHashSet::default(),
            reopened: Vec::new(),
            possible: FxHashMap::default(),
            expanded: 0,
            answer: ImpactAnswer::default(),
        };
        spread.run();
        spread.answer
    }
}

pub(super) struct ImpactSearch<'m> {
    pub(super) map: &'m Map,
    pub(super) resolver: Resolver<'m>,
    pub(super) query: &'m ImpactQuery,
    /// The nodes that change, and all affected nodes.
    met: FxHashSet<NodeRef>,
    /// The affected nodes whose users are not looked for, because they only call a function that is passed to them.
    ends: FxHashSet<NodeRef>,
    /// The nodes that left `ends`, because another way reaches them too.
    reopened: Vec<FrontierNode>,
    possible: FxHashMap<NodeRef, Affected>,
    expanded: usize,
    answer: ImpactAnswer,
}

/// A node that leads to a level, with its depth and the confidence of the way there.
#[derive(Clone, Copy)]
pub(super) struct FrontierNode {
    pub(super) node: NodeRef,
    pub(super) depth: u32,
    pub(super) confidence: Confidence,
}

impl<'m> ImpactSearch<'m> {
    fn run(&mut self) {
        let seeds = self.changed_nodes();
        self.met.extend(&seeds);
        let mut frontier: Vec<FrontierNode> = seeds
            .into_iter()
            .map(|node| FrontierNode { node, depth: 0, confidence: Confidence::Live })
            .collect();
        for depth in 1..=self.query.max_depth {
            let Some(level) = self.next_level(&frontier) else {
                self.answer.whole_to = Some(depth - 1);
                self.answer.incomplete = true;
                break;
            };
            frontier = level
                .iter()
                .filter(|hit| self.goes_on(hit))
                .map(|hit| FrontierNode { node: hit.node, depth, confidence: hit.confidence })
                .collect();
            frontier.append(&mut self.reopened);
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

    /// Returns true if the search continues from an affected node to its users.
    fn goes_on(&self, hit: &Affected) -> bool {
        let NodeRef::Def(def) = hit.node else { return false };
        if self.ends.contains(&hit.node) {
            return false;
        }
        self.map.index.entry(def.file).is_some_and(|entry| !entry.lang().is_prose())
    }

    /// Returns the new users of some nodes, ranked; `None` if the limit of nodes or time ran out.
    fn next_level(&mut self, frontier: &[FrontierNode]) -> Option<Vec<Affected>> {
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
            self.answer.may_lack_callers |= found.is_cut || self.may_lack_callers(from.node);
            let mut has_users = false;
            for edge in found.edges {
                has_users |= edge.is_resolved();
                self.add_user(*from, edge, &mut hits);
            }
            has_users |= self.add_instantiations(*from, &mut hits);
            self.add_overriding(*from, &mut hits);
            has_users |= self.through_bases(*from, &mut hits);
            whole &= self.query.cancel.check().is_ok();
            if self.query.following == Following::MayRun
                && (!has_users || self.is_called_from_outside(from.node))
            {
                self.add_makers_of_type(*from, &mut hits);
            }
            if !whole {
                break;
            }
        }
        let mut level: Vec<Affected> = hits.into_values().collect();
        level.sort_by(|a, b| self.compare(a, b));
        if !whole {
            // Nodes that were found in time are affected all the same.
            self.met.extend(level.iter().map(|hit| hit.node));
            self.answer.affected.extend(level);
            return None;
        }
        Some(level)
    }

    /// Returns true if callers of a node may be missing; false if that is known of another one already.
    fn may_lack_callers(&self, node: NodeRef) -> bool {
        let is_new = !self.answer.may_lack_callers;
        is_new && matches!(node, NodeRef::Def(def) if self.map.may_lack_callers(&self.resolver, def))
    }

    pub(super) fn add_user(
        &mut self,
        from: FrontierNode,
        edge: Edge,
        hits: &mut FxHashMap<NodeRef, Affected>,
    ) {
        let is_guess = edge.confidence == Confidence::Candidate;
        let may_run = self.query.following == Following::MayRun;
        let ends = self.map.calls_only_parameters(&self.resolver, &edge);
        let holders = if may_run { self.map.variables_on_lines(&edge) } else { Vec::new() };
        // The variable may hold other functions too, and its users need not use this one.
        let confidence = edge.confidence.max(Confidence::Name);
        for holder in holders {
            self.add_user(from, Edge { from: holder, confidence, ..edge.clone() }, hits);
        }
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
        if is_guess || hit.confidence == Confidence::Candidate && !may_run {
            self.may_be(hit);
            return;
        }
        if ends && !self.met.contains(&hit.node) && !hits.contains_key(&hit.node) {
            self.ends.insert(hit.node);
        } else if !ends && self.ends.remove(&hit.node) && self.met.contains(&hit.node) {
            // Another way reaches the node too. The node is known already; its users are new.
            self.reopened.push(FrontierNode { node: hit.node, depth: hit.depth, confidence: hit.confidence });
            return;
        }
        self.is(hit, hits);
    }

    pub(super) fn is(&self, hit: Affected, hits: &mut FxHashMap<NodeRef, Affected>) {
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

    /// Adds the methods of derived types that override a changed method.
    fn add_overriding(&self, from: FrontierNode, hits: &mut FxHashMap<NodeRef, Affected>) {
        let Some((owner, name)) = self.owner_and_name(from.node).filter(|_| from.depth == 0) else { return };
        for (derived, sure) in self.map.types_below(&self.resolver, owner, &self.query.cancel) {
            let confidence = from.confidence.max(sure);
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

    /// Adds callers of the methods that a method overrides, since they reach it. They are affected by a changed method,
    /// and may be affected by an affected one. Returns true if there are some.
    fn through_bases(&mut self, from: FrontierNode, hits: &mut FxHashMap<NodeRef, Affected>) -> bool {
        let NodeRef::Def(method) = from.node else { return false };
        let mut has_users = false;
        let overridden = Families::new(self.map, &self.resolver).overridden_by(method);
        for overridden in overridden.into_iter().map(NodeRef::Def) {
            let confidence = match (from.depth, self.query.following) {
                (0, _) => from.confidence,
                (_, Following::MayRun) => from.confidence.max(Confidence::Name),
                (_, Following::Sure) => Confidence::Candidate,
            };
            let (calls, cancel) = (only_kind(EdgeKind::Calls), &self.query.cancel);
            for edge in self.map.edges_in_with(&self.resolver, overridden, calls, cancel).edges {
                has_users |= edge.is_resolved();
                self.add_user(FrontierNode { node: overridden, confidence, ..from }, edge, hits);
            }
        }
        has_users
    }

    /// Returns the type that a method belongs to, and its name.
    pub(super) fn owner_and_name(&self, node: NodeRef) -> Option<(NodeRef, &'m str)> {
        let NodeRef::Def(def) = node else { return None };
        let map: &'m Map = self.map;
        let entry = map.index.entry(def.file)?;
        let found = entry.facts.defs.get(def.def.index()).filter(|found| found.kind == DefKind::Method)?;
        Some((map.container(&self.resolver, def)?, entry.facts.name(found.name)))
    }

    /// Returns the methods of this name that a type defines itself.
    fn own_methods(&self, of: NodeRef, name: &str) -> Vec<NodeRef> {
        let members = self.map.edges_out_with(&self.resolver, of, only_kind(EdgeKind::Contains));
        let called = |node: &NodeRef| self.owner_and_name(*node).is_some_and(|(_, own)| own == name);
        let mut methods: Vec<NodeRef> = members.into_iter().map(|edge| edge.to).filter(called).collect();
        methods.sort_by(|a, b| self.map.compare_places(*a, *b));
        methods
    }

    /// Drops imports from the answer for files in which something else is affected.
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

    /// Compares two ways to the same node; the answer shows the lesser one.
    fn compare_ways(&self, a: &Affected, b: &Affected) -> Ordering {
        (a.confidence, a.cause)
            .cmp(&(b.confidence, b.cause))
            .then_with(|| self.map.compare_places(a.via, b.via))
    }
}

pub(super) fn only_kind(kind: EdgeKind) -> EdgeKinds {
    [kind].into_iter().collect()
}
