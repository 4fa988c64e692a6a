//! Lists the neighbours of a node, best first.

mod earlier_step;
mod skeleton_step;

use std::cmp::Ordering;
use std::rc::Rc;

use hob_base::Stopped;
use rustc_hash::{FxHashMap, FxHashSet};

use super::derived_uses::FoundUse;
use super::inbound::Inbound;
use super::skeleton::Marked;
use super::surroundings::Surroundings;
use super::{
    Direction, Edge, EdgeKind, EdgeKinds, FartherUsers, Map, Neighbor, NeighborsAnswer, NeighborsQuery,
    NodeRef, PER_KIND,
};
use crate::resolve::Resolver;
use earlier_step::EarlierStep;

/// Most steps of a walk: deeper than any hierarchy of types.
const MOST_DEPTH: u32 = 64;

/// Number of files of all names from which on an earlier skeleton proposes users. Tests have few files.
const FEW_FILES: usize = if cfg!(test) { 1 } else { 64 };

/// The key of a neighbour. A resolved and an unresolved connection are two neighbours: the sites of one are not the
/// other's.
type NeighborIdentity = (NodeRef, EdgeKind, Direction, bool);

struct NeighborWalk<'m> {
    map: &'m Map,
    resolver: Resolver<'m>,
    /// The resolver of a derivation, which does not follow values into callers.
    passing: Resolver<'m>,
    /// The skeleton, if it is up to date.
    surroundings: Option<Surroundings<'m>>,
    /// The skeleton otherwise, if it proposes edges.
    earlier: Option<Surroundings<'m>>,
    /// The uses in files that have changed since the derivation, once a step has asked for them.
    changed_uses: Option<Rc<[FoundUse]>>,
    query: &'m NeighborsQuery,
    /// The family of the queried node, if the query asks for it.
    kin: Vec<NodeRef>,
    shown: Vec<Neighbor>,
    keys: FxHashSet<NeighborIdentity>,
    left_out: FxHashSet<NeighborIdentity>,
    /// The connections that are not shown, as edges of the skeleton.
    lines_left_out: UnshownConnections,
    visited: FxHashSet<NodeRef>,
    stopped: Option<Stopped>,
    /// True if a bound ended a search for calls through values.
    is_cut: bool,
    /// True if unresolved edges were not looked for, because there was no place for them.
    unresolved_left: bool,
    /// The number of the present step.
    depth: u32,
    /// Tells where the steps so far looked for users.
    farther_users: FartherUsers,
}

impl Map {
    /// Returns the neighbours of a node, best first; `None` when the node is not of this generation.
    #[must_use]
    pub fn neighbors(&self, query: &NeighborsQuery) -> Option<NeighborsAnswer> {
        let node = self.info(query.node)?;
        let surroundings = self.surroundings();
        let family = if query.family { self.family(query.node) } else { Vec::new() };
        let mut walk = NeighborWalk {
            map: self,
            resolver: Resolver::new(&self.index),
            passing: Resolver::for_whole_map(&self.index),
            earlier: if query.depth > 1 && surroundings.is_none() {
                self.earlier_surroundings()
            } else {
                None
            },
            surroundings,
            changed_uses: None,
            query,
            kin: family.iter().map(|kin| kin.method.into()).collect(),
            shown: Vec::new(),
            keys: FxHashSet::default(),
            left_out: FxHashSet::default(),
            lines_left_out: UnshownConnections::default(),
            visited: FxHashSet::from_iter([query.node]),
            stopped: None,
            is_cut: false,
            unresolved_left: false,
            depth: 0,
            farther_users: FartherUsers::default(),
        };
        walk.run();
        let omitted = walk.count_omitted();
        Some(NeighborsAnswer {
            node,
            family,
            neighbors: walk.shown,
            omitted,
            omitted_is_least: walk.unresolved_left,
            farther_users: walk.farther_users,
            incomplete: walk.stopped.is_some(),
            may_lack_callers: walk.is_cut,
        })
    }

    /// Orders nodes by path and place; packages come last, by name.
    pub(super) fn compare_places(&self, a: NodeRef, b: NodeRef) -> Ordering {
        let place = |node: NodeRef| {
            let path = |file| self.index.entry(file).map_or("", |entry| entry.path.as_str());
            match node {
                NodeRef::File(file) => (false, path(file), 0),
                NodeRef::Def(def) => (false, path(def.file), def.def.number() + 1),
                NodeRef::External(_) => (true, "", 0),
            }
        };
        match (a, b) {
            (NodeRef::External(_), NodeRef::External(_)) => self.id(a).cmp(&self.id(b)),
            _ => place(a).cmp(&place(b)),
        }
    }

    /// Returns the definition that a C or C++ declaration announces; `None` for anything else.
    pub(super) fn body_beside(&self, resolver: &Resolver<'_>, node: NodeRef) -> Option<NodeRef> {
        let NodeRef::Def(declared) = node else { return None };
        Some(resolver.body_of(declared)).filter(|body| *body != declared).map(NodeRef::Def)
    }
}

impl NeighborWalk<'_> {
    fn run(&mut self) {
        let mut frontier = vec![self.query.node];
        for depth in 1..=self.query.depth.clamp(1, MOST_DEPTH) {
            let shown_before = self.shown.len();
            self.depth = depth;
            if depth == 1 || self.step_over_skeleton(&frontier, depth).is_none() {
                self.computed_step(&frontier, depth);
            }
            let resolved = self.shown[shown_before..].iter().filter(|n| n.candidates.is_empty());
            frontier = resolved.map(|n| n.info.node).filter(|node| self.visited.insert(*node)).collect();
            if frontier.is_empty() || self.shown.len() >= self.query.max_nodes {
                break;
            }
        }
    }

    /// Takes one step over computed edges. Beyond the first, those suffice that an earlier skeleton proposes, if they fill the
    /// places.
    fn computed_step(&mut self, frontier: &[NodeRef], depth: u32) {
        let asks_users = self.query.direction != Direction::Out;
        let is_proposed = depth > 1 && asks_users && !self.is_short_search(frontier);
        let earlier = if is_proposed { self.earlier_step(frontier) } else { EarlierStep::default() };
        let places = self.query.max_nodes.saturating_sub(self.shown.len());
        let found = if is_proposed && earlier.found.len() >= places {
            self.note_earlier(&earlier);
            earlier.found
        } else {
            self.searched_edges(frontier, earlier.found)
        };
        for FoundEdge { via, edge, way } in found {
            self.add_neighbor(frontier[via], depth, edge, way);
        }
    }

    /// Returns true if few files may use some nodes, so that nothing need propose users of them.
    fn is_short_search(&self, frontier: &[NodeRef]) -> bool {
        let index = &self.map.index;
        let all_files: usize = index.counts().files.values().sum();
        let may_use = |node: &NodeRef| {
            // Any file may import another, or a package.
            let NodeRef::Def(def) = node else { return all_files };
            let facts = index.entry(def.file).map(|entry| &entry.facts);
            facts.map_or(0, |facts| index.files_mentioning(facts.name(facts.def(def.def).name)).len())
        };
        frontier.iter().map(may_use).sum::<usize>() < FEW_FILES
    }

    /// Notes what a step over an earlier skeleton leaves out.
    fn note_earlier(&mut self, earlier: &EarlierStep) {
        self.left_out.extend(&earlier.left_out);
        let lines = &earlier.lines_left_out;
        lines.iter().for_each(|line| self.lines_left_out.insert(line.far, line.kind, line.way));
        self.unresolved_left = true;
        let asks_users = self.query.kinds.without(EdgeKind::Contains).count() > 0;
        if asks_users && self.earlier.is_some_and(|earlier| earlier.is_out_of_date()) {
            self.farther_users = self.farther_users.max(FartherUsers::Earlier);
        }
    }

    /// Returns the best edges around the frontier, best first, together with edges that are known already.
    fn searched_edges(&mut self, frontier: &[NodeRef], known: Vec<FoundEdge>) -> Vec<FoundEdge> {
        let mut known_around: Vec<Vec<(Edge, Direction)>> = vec![Vec::new(); frontier.len()];
        known.into_iter().for_each(|found| known_around[found.via].push((found.edge, found.way)));
        let mut found = Vec::new();
        for ((via, &node), known) in frontier.iter().enumerate().zip(known_around) {
            let best = match self.stopped {
                None => self.best_edges_around(node, known),
                Some(_) => self.best_of(node, known),
            };
            found.extend(best.into_iter().map(|(edge, way)| FoundEdge { via, edge, way }));
        }
        found.sort_by(|a, b| self.compare(&a.edge, a.way, &b.edge, b.way));
        found
    }

    /// Counts the connections that were found and are not shown.
    fn count_omitted(&mut self) -> usize {
        if let Some(surroundings) = self.surroundings.as_ref().or(self.earlier.as_ref())
            && !self.lines_left_out.0.is_empty()
        {
            let left_out = std::mem::take(&mut self.left_out);
            let lines = &mut self.lines_left_out;
            self.left_out =
                left_out.into_iter().filter(|key| !lines.record_resolved(surroundings, key)).collect();
            self.keys.iter().for_each(|key| lines.remove(surroundings, key));
        }
        self.left_out.difference(&self.keys).count() + self.lines_left_out.len()
    }

    /// Returns the best edges around a node, at most [`Self::per_kind`] of each kind and direction.
    /// `known` are resolved edges of the node that a search may lack.
    fn best_edges_around(&mut self, node: NodeRef, known: Vec<(Edge, Direction)>) -> Vec<(Edge, Direction)> {
        let kin = if node == self.query.node { std::mem::take(&mut self.kin) } else { Vec::new() };
        let edges = self.edges_by_skeleton(node, &kin);
        let mut edges = edges.unwrap_or_else(|| self.computed_edges_around(node, &kin));
        self.is_cut |= self.may_lack_callers(node);
        if !known.is_empty() {
            let seen: FxHashSet<Connection> =
                known.iter().map(|(edge, way)| Connection::of_edge(edge, *way)).collect();
            edges.retain(|(edge, way)| {
                !edge.is_resolved() || !seen.contains(&Connection::of_edge(edge, *way))
            });
            edges.extend(known);
        }
        if !kin.is_empty() {
            // Of a user of several methods of the family, the surest edge comes first.
            edges.sort_by(|(a, _), (b, _)| {
                a.confidence.cmp(&b.confidence).then_with(|| self.map.compare_places(a.to, b.to))
            });
        }
        self.best_of(node, edges)
    }

    /// Returns the best of some edges around a node, at most [`Self::per_kind`] of each kind and direction.
    fn best_of(&mut self, node: NodeRef, edges: Vec<(Edge, Direction)>) -> Vec<(Edge, Direction)> {
        let mut groups: Vec<Vec<(Edge, Direction)>> = Vec::new();
        for (edge, way) in edges {
            // A recursive function is its own caller; a call of a method that it overrides is not a call of itself.
            let far = far_end(&edge, way);
            let names_another = way == Direction::In && edge.to != node;
            if (far != node || names_another) && self.visited.contains(&far) {
                continue;
            }
            match groups.iter_mut().find(|g| g[0].0.kind == edge.kind && g[0].1 == way) {
                Some(group) => group.push((edge, way)),
                None => groups.push(vec![(edge, way)]),
            }
        }
        let mut best = Vec::new();
        for mut group in groups {
            group.sort_by(|(a, way), (b, other)| self.compare(a, *way, b, *other));
            for (edge, way) in group.split_off(group.len().min(self.per_kind())) {
                self.left_out.insert((far_end(&edge, way), edge.kind, way, edge.is_resolved()));
            }
            best.extend(group);
        }
        best
    }

    /// Returns true if callers of a node, or of the definition that it announces, were asked for and may be missing; false
    /// if that is known of another one already.
    fn may_lack_callers(&self, node: NodeRef) -> bool {
        let are_asked = self.query.direction != Direction::Out && self.query.kinds.has(EdgeKind::Calls);
        let searched = [Some(node), self.map.body_beside(&self.resolver, node)];
        let lacks =
            |node| matches!(node, NodeRef::Def(def) if self.map.may_lack_callers(&self.resolver, def));
        are_asked && !self.is_cut && searched.into_iter().flatten().any(lacks)
    }

    /// Returns the edges around a node and its family, without the skeleton.
    fn computed_edges_around(&mut self, node: NodeRef, kin: &[NodeRef]) -> Vec<(Edge, Direction)> {
        let (map, resolver, query) = (self.map, &self.resolver, self.query);
        let mut edges = Vec::new();
        if query.direction != Direction::In {
            let out = map.edges_out_with(resolver, node, query.kinds);
            edges.extend(out.into_iter().map(|edge| (edge, Direction::Out)));
        }
        if query.direction != Direction::Out {
            let found = self.search_users(node, kin);
            if found.left_files {
                self.farther_users = FartherUsers::InSomeFiles;
            }
            self.stopped = self.stopped.or(found.stopped);
            self.is_cut |= found.is_cut;
            edges.extend(found.edges.into_iter().map(|edge| (edge, Direction::In)));
        }
        edges
    }

    /// Returns true if the present step looks for users in some files of each name: no skeleton tells who they are, or one that
    /// is out of date.
    fn asks_some_files(&self) -> bool {
        let lacks_users = self.earlier.is_none_or(|earlier| earlier.is_out_of_date());
        self.depth > 1 && self.surroundings.is_none() && lacks_users
    }

    /// Searches for the edges that end at a node and its family, or at the definition that it announces, to which uses of a C or
    /// C++ declaration resolve.
    fn search_users(&self, node: NodeRef, kin: &[NodeRef]) -> Inbound {
        let (map, resolver, query) = (self.map, &self.resolver, self.query);
        let search = |node: NodeRef, kin: &[NodeRef], kinds: EdgeKinds| match self.asks_some_files() {
            true => map.some_edges_in(resolver, node, kinds, &query.cancel),
            false => map.edges_in_family(resolver, node, kin, kinds, &query.cancel),
        };
        let mut found = search(node, kin, query.kinds);
        if let Some(body) = map.body_beside(resolver, node) {
            let of_body = search(body, &[], query.kinds.without(EdgeKind::Contains));
            let edges = of_body.edges.into_iter().map(|edge| Edge { to: node, ..edge }).collect();
            found.merge(Inbound { edges, ..of_body });
        }
        found
    }

    /// Returns the most neighbours per node and kind: few enough that no kind crowds out the others. If a query asks
    /// for one kind, it has the whole answer; `extends` and `implements` count as one kind.
    fn per_kind(&self) -> usize {
        let kinds = self.query.kinds;
        let is_hierarchy = kinds.without(EdgeKind::Extends).without(EdgeKind::Implements).count() == 0;
        if kinds.count() == 1 || is_hierarchy { self.query.max_nodes } else { PER_KIND }
    }

    /// Compares edges in the order of the answer: resolved before unresolved, then by score, then by kind and place.
    fn compare(&self, a: &Edge, way: Direction, b: &Edge, other: Direction) -> Ordering {
        let (one, another) = (Connection::of_edge(a, way), Connection::of_edge(b, other));
        (!a.is_resolved()).cmp(&!b.is_resolved()).then_with(|| self.compare_connections(&one, &another))
    }

    /// Compares resolved connections in the order of the answer.
    fn compare_connections(&self, a: &Connection, b: &Connection) -> Ordering {
        let by_score = self.map.score(b.far).total_cmp(&self.map.score(a.far));
        by_score
            .then_with(|| a.kind.cmp(&b.kind))
            .then_with(|| self.map.compare_places(a.far, b.far))
            .then_with(|| (a.way == Direction::Out).cmp(&(b.way == Direction::Out)))
    }

    fn add_neighbor(&mut self, via: NodeRef, depth: u32, edge: Edge, way: Direction) {
        let far = far_end(&edge, way);
        let key = (far, edge.kind, way, edge.is_resolved());
        if self.shown.len() >= self.query.max_nodes {
            self.left_out.insert(key);
            return;
        }
        if self.keys.contains(&key) {
            if self.query.family {
                self.merge_family_lines(via, edge, way);
            }
            return;
        }
        if far != via && self.visited.contains(&far) {
            return;
        }
        let Some(info) = self.map.info(far) else { return };
        self.keys.insert(key);
        let names = (way == Direction::In && edge.to != via && edge.is_resolved()).then_some(edge.to);
        self.shown.push(Neighbor {
            info,
            edge: edge.kind,
            direction: way,
            confidence: edge.confidence,
            depth,
            via,
            names,
            candidates: edge.candidates,
            sites: edge.sites,
            site_count: edge.site_count,
        });
    }

    /// Merges the lines of a user of several methods of the family into one neighbour.
    fn merge_family_lines(&mut self, via: NodeRef, edge: Edge, way: Direction) {
        let far = far_end(&edge, way);
        let known = self.shown.iter_mut().find(|known| {
            let is_same = known.info.node == far && known.edge == edge.kind && known.direction == way;
            is_same && known.via == via && known.candidates.is_empty() == edge.is_resolved()
        });
        let Some(known) = known.filter(|known| edge.sites.iter().any(|line| !known.sites.contains(line)))
        else {
            return;
        };
        known.site_count += edge.site_count;
        known.sites.extend(edge.sites);
        known.sites.sort_unstable();
    }
}

/// An edge that may be shown, seen from a node of the frontier.
struct FoundEdge {
    /// The index of the node in the frontier.
    via: usize,
    edge: Edge,
    way: Direction,
}

impl FoundEdge {
    fn seen_connection(&self) -> Connection {
        Connection::of_edge(&self.edge, self.way)
    }
}

/// The far end, kind and direction of an edge, seen from the node whose neighbours are listed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Connection {
    far: NodeRef,
    kind: EdgeKind,
    way: Direction,
}

impl Connection {
    fn of_edge(edge: &Edge, way: Direction) -> Self {
        Self { far: far_end(edge, way), kind: edge.kind, way }
    }

    /// Returns the key of the resolved neighbour.
    fn neighbor_identity(self) -> NeighborIdentity {
        (self.far, self.kind, self.way, true)
    }
}

/// The connections that are not shown: a bit for each node, by kind and direction, because they may be a hundred
/// thousand.
#[derive(Default)]
struct UnshownConnections(FxHashMap<(EdgeKind, Direction), Marked>);

impl UnshownConnections {
    fn insert(&mut self, far: u32, kind: EdgeKind, way: Direction) {
        self.0.entry((kind, way)).or_default().mark(far as usize);
    }

    /// Adds a connection that was found otherwise, and returns true, if it is resolved and its node is in the skeleton.
    fn record_resolved(&mut self, skeleton: &Surroundings<'_>, neighbor: &NeighborIdentity) -> bool {
        let (node, kind, way, resolved) = neighbor;
        let number = skeleton.node_number(*node).filter(|_| *resolved);
        number.inspect(|&number| self.insert(number, *kind, *way)).is_some()
    }

    fn remove(&mut self, skeleton: &Surroundings<'_>, neighbor: &NeighborIdentity) {
        let (node, kind, way, resolved) = neighbor;
        let number = skeleton.node_number(*node).filter(|_| *resolved);
        if let Some((number, marked)) = number.zip(self.0.get_mut(&(*kind, *way))) {
            marked.unmark(number as usize);
        }
    }

    fn len(&self) -> usize {
        self.0.values().map(Marked::count).sum()
    }
}

fn far_end(edge: &Edge, way: Direction) -> NodeRef {
    if way == Direction::In { edge.from } else { edge.to }
}
