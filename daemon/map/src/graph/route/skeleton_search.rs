//! Searches for a connection over the skeleton of the last derivation.
//!
//! It works breadth first from both ends, level by level, on numbers. It asks the map instead for nodes of files that
//! have changed since; so it does for nodes of files that mention a name which the changed files define or defined,
//! because its meaning may be new, and for nodes of files with references that a language server confirmed.

use hob_base::FileId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::outbound::owner_node;
use crate::graph::skeleton::Skeleton;
use crate::graph::{Edge, EdgeKind, EdgeKinds, Map, NodeRef, PathQuery};
use crate::resolve::Resolver;

/// Most changed files; beyond, the search runs over computed edges.
const MANY_CHANGED: usize = 64;
/// Most files that mention names of the changed files; beyond, the search runs over computed edges.
const MANY_WARY: usize = 2000;
/// Number of nodes that are expanded between two checks of the clock.
const CHECK_EVERY: usize = 1024;

/// The outcome of a search over the skeleton.
pub(super) enum SkeletonOutcome {
    /// The nodes of a connection, including both ends. The map decides whether they are still connected.
    Found(Vec<NodeRef>),
    /// There is no connection.
    Nothing,
    /// The skeleton cannot decide it.
    Unknown,
}

impl Map {
    /// Searches the skeleton.
    pub(super) fn search_skeleton(&self, query: &PathQuery) -> SkeletonOutcome {
        let Some(skeleton) = &self.standing.skeleton else { return SkeletonOutcome::Unknown };
        let Some(since) = LaterChanges::for_query(self, skeleton, query) else {
            return SkeletonOutcome::Unknown;
        };
        let changed = !self.standing.changed.is_empty();
        let mut search = SkeletonSearch { skeleton, since, kinds: query.kinds };
        let ends = search.assign_number(query.from).zip(search.assign_number(query.to));
        let Some((from, to)) = ends else { return SkeletonOutcome::Unknown };
        match search.run(from, to, query) {
            Ok(Some(numbers)) => {
                let stations: Option<Vec<NodeRef>> =
                    numbers.into_iter().map(|number| search.node(number)).collect();
                stations.map_or(SkeletonOutcome::Unknown, SkeletonOutcome::Found)
            }
            Ok(None) if !changed => SkeletonOutcome::Nothing,
            Ok(None) | Err(super::GivenUp) => SkeletonOutcome::Unknown,
        }
    }
}

/// The changes since the last derivation that matter to a search.
struct LaterChanges<'m> {
    map: &'m Map,
    resolver: Resolver<'m>,
    kinds: EdgeKinds,
    query: &'m PathQuery,
    /// Numbers of nodes whose file has changed: they are no longer valid.
    gone: Marks,
    /// Numbers of nodes whose outgoing edges come from the map.
    wary: Marks,
    /// Nodes of changed files, numbered after all others.
    new: Vec<NodeRef>,
    new_at: FxHashMap<NodeRef, u32>,
    /// The nodes of changed files from which edges lead to a node.
    sources: FxHashMap<NodeRef, Vec<NodeRef>>,
}

impl<'m> LaterChanges<'m> {
    /// Collects the changes; `None` if there are too many.
    fn for_query(map: &'m Map, skeleton: &Skeleton, query: &'m PathQuery) -> Option<Self> {
        let changed = &map.standing.changed;
        let mut since = Self {
            map,
            resolver: Resolver::new(&map.index),
            kinds: query.kinds,
            query,
            gone: Marks::default(),
            wary: Marks::default(),
            new: Vec::new(),
            new_at: FxHashMap::default(),
            sources: FxHashMap::default(),
        };
        if since.is_nothing() {
            return Some(since);
        }
        if changed.len() > MANY_CHANGED {
            return None;
        }
        since.gone = Marks::new(skeleton.len());
        since.wary = Marks::new(skeleton.len());
        for &file in changed {
            since.gone.mark_file(skeleton, file);
            since.add_sources(file);
        }
        for file in wary_files(map, skeleton, changed)?.into_iter().chain(map.confirmed.files()) {
            since.wary.mark_file(skeleton, file);
        }
        Some(since)
    }

    fn is_nothing(&self) -> bool {
        self.map.standing.changed.is_empty() && self.map.confirmed.is_empty()
    }

    /// Returns the nodes whose edges to a node the derivation did not see: nodes of changed files, and confirmed
    /// references.
    fn new_sources(&self, node: NodeRef) -> Vec<NodeRef> {
        let mut sources = self.sources.get(&node).cloned().unwrap_or_default();
        if let NodeRef::Def(def) = node {
            let uses = self.map.confirmed_uses(&self.resolver, def).into_iter();
            let wanted = uses.filter(|(_, r)| self.kinds.has(EdgeKind::for_ref_kind(r.kind())));
            sources.extend(wanted.map(|(file, r)| owner_node(file, r.owner)));
        }
        sources
    }

    fn add_sources(&mut self, file: FileId) {
        let edges = self.map.all_edges_of(&self.resolver, file, self.kinds);
        for edge in edges.into_iter().filter(Edge::is_resolved) {
            self.sources.entry(edge.to).or_default().push(edge.from);
        }
    }

    /// Returns the neighbours of a node in a changed file.
    fn computed_around(&self, node: NodeRef) -> Result<Vec<NodeRef>, super::GivenUp> {
        let (steps, late) = self.map.steps_from(&self.resolver, node, self.kinds, &self.query.cancel);
        if late { Err(super::GivenUp) } else { Ok(steps.into_iter().map(|step| step.to).collect()) }
    }

    /// Returns the targets of the edges that start at a node in the map as it is now.
    fn computed_targets(&self, node: NodeRef) -> impl Iterator<Item = NodeRef> + use<> {
        let edges = self.map.edges_out_with(&self.resolver, node, self.kinds);
        edges.into_iter().filter(Edge::is_resolved).map(|edge| edge.to)
    }
}

/// Returns the files that mention a name which changed files define, or defined; `None` if there are too many.
fn wary_files(map: &Map, skeleton: &Skeleton, changed: &FxHashSet<FileId>) -> Option<FxHashSet<FileId>> {
    let mut files = FxHashSet::default();
    for &file in changed {
        let now = map.index.entry(file).map(|entry| &entry.facts);
        let then = skeleton.stretch_of_file(file).map(|stretch| &stretch.facts);
        for facts in now.into_iter().chain(then) {
            for def in &facts.defs {
                files.extend(
                    map.index.files_mentioning(facts.name(def.name)).iter().map(|&file| FileId(file)),
                );
                if files.len() > MANY_WARY {
                    return None;
                }
            }
        }
    }
    Some(files)
}

/// A set of numbers, one bit each.
#[derive(Default)]
struct Marks(Vec<u64>);

impl Marks {
    fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn has(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word & (1 << (number % 64)) != 0)
    }

    /// Marks a number; returns true if it was not marked before. The set grows for the numbers of new nodes.
    fn mark(&mut self, number: u32) -> bool {
        let at = number as usize / 64;
        if at >= self.0.len() {
            self.0.resize(at + 1, 0);
        }
        let before = self.0[at];
        self.0[at] |= 1 << (number % 64);
        before != self.0[at]
    }

    fn mark_file(&mut self, skeleton: &Skeleton, file: FileId) {
        let Some(stretch) = skeleton.stretch_of_file(file) else { return };
        for number in stretch.first..=stretch.first + stretch.facts.defs.len() as u32 {
            self.mark(number);
        }
    }
}

/// The nodes that the search has reached from one end, in order.
struct SkeletonSide {
    met: Marks,
    /// Each node with the index of the node that led to it.
    nodes: Vec<(u32, u32)>,
    /// The index at which the outermost level begins.
    level: usize,
    depth: u32,
}

impl SkeletonSide {
    fn new(end: u32, count: usize) -> Self {
        let mut met = Marks::new(count);
        met.mark(end);
        Self { met, nodes: vec![(end, 0)], level: 0, depth: 0 }
    }

    fn add_met_node(&mut self, node: u32, from: usize) -> bool {
        let new = self.met.mark(node);
        if new {
            self.nodes.push((node, from as u32));
        }
        new
    }

    fn frontier_size(&self) -> usize {
        self.nodes.len() - self.level
    }

    /// Returns the nodes from a reached node to this side's end.
    fn way_back(&self, node: u32) -> Vec<u32> {
        let Some(mut at) = self.nodes.iter().position(|(met, _)| *met == node) else { return Vec::new() };
        let mut way = vec![node];
        while at != 0 {
            at = self.nodes[at].1 as usize;
            way.push(self.nodes[at].0);
        }
        way
    }
}

struct SkeletonSearch<'m> {
    skeleton: &'m Skeleton,
    since: LaterChanges<'m>,
    kinds: EdgeKinds,
}

impl SkeletonSearch<'_> {
    /// Returns the numbers of the nodes of a shortest connection.
    fn run(&mut self, from: u32, to: u32, query: &PathQuery) -> Result<Option<Vec<u32>>, super::GivenUp> {
        if from == to {
            return Ok(Some(vec![from]));
        }
        let count = self.skeleton.len();
        let (mut near, mut far) = (SkeletonSide::new(from, count), SkeletonSide::new(to, count));
        while near.depth + far.depth < query.max_len.max(1)
            && near.frontier_size() > 0
            && far.frontier_size() > 0
        {
            let turned = near.frontier_size() > far.frontier_size();
            let (side, other) = if turned { (&mut far, &near) } else { (&mut near, &far) };
            if let Some(meeting) = self.advance_level(side, other, query)? {
                let mut way = near.way_back(meeting);
                way.reverse();
                way.extend(far.way_back(meeting).into_iter().skip(1));
                return Ok(Some(way));
            }
        }
        Ok(None)
    }

    /// Takes one level outwards from one end; returns the node at which the ends meet, if they do.
    fn advance_level(
        &mut self,
        side: &mut SkeletonSide,
        other: &SkeletonSide,
        query: &PathQuery,
    ) -> Result<Option<u32>, super::GivenUp> {
        side.depth += 1;
        let (start, end) = (side.level, side.nodes.len());
        side.level = end;
        let mut meeting = None;
        for at in start..end {
            if at % CHECK_EVERY == 0 {
                query.cancel.check().map_err(|_| super::GivenUp)?;
            }
            let node = side.nodes[at].0;
            let mut meet = |next: u32| {
                if side.add_met_node(next, at) && other.met.has(next) {
                    meeting = Some(meeting.map_or(next, |known: u32| known.min(next)));
                }
            };
            if self.since.is_nothing() {
                self.skeleton.nodes_around(node, self.kinds).for_each(&mut meet);
            } else {
                self.numbers_around(node)?.into_iter().for_each(&mut meet);
            }
            if meeting.is_some() {
                break;
            }
        }
        Ok(meeting)
    }

    /// Returns the neighbours of a node if files have changed since the derivation.
    fn numbers_around(&mut self, number: u32) -> Result<Vec<u32>, super::GivenUp> {
        let Some(node) = self.node(number) else { return Ok(Vec::new()) };
        if number as usize >= self.skeleton.len() {
            let around = self.since.computed_around(node)?;
            return Ok(around.into_iter().filter_map(|next| self.assign_number(next)).collect());
        }
        let (skeleton, kinds) = (self.skeleton, self.kinds);
        let mut next: Vec<u32> = if self.since.wary.has(number) {
            let onwards: Vec<NodeRef> = self.since.computed_targets(node).collect();
            let onwards =
                onwards.into_iter().filter_map(|next| self.assign_number(next)).collect::<Vec<u32>>();
            onwards.into_iter().chain(skeleton.sources_of(number, kinds)).collect()
        } else {
            skeleton.nodes_around(number, kinds).collect()
        };
        next.retain(|&number| number as usize >= skeleton.len() || !self.since.gone.has(number));
        let sources = self.since.new_sources(node);
        next.extend(sources.into_iter().filter_map(|source| self.assign_number(source)));
        Ok(next)
    }

    /// Returns a node's number, and assigns one to a node of a changed file. `None` for packages.
    fn assign_number(&mut self, node: NodeRef) -> Option<u32> {
        let file = node.file()?;
        if !self.since.map.standing.changed.contains(&file) {
            return self.skeleton.node_number(node);
        }
        let next = (self.skeleton.len() + self.since.new.len()) as u32;
        let number = *self.since.new_at.entry(node).or_insert(next);
        if number == next {
            self.since.new.push(node);
        }
        Some(number)
    }

    fn node(&self, number: u32) -> Option<NodeRef> {
        match (number as usize).checked_sub(self.skeleton.len()) {
            Some(at) => self.since.new.get(at).copied(),
            None => self.skeleton.node(number),
        }
    }
}
