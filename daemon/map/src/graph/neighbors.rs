//! What surrounds a node, best first.

use std::cmp::Ordering;

use hob_base::{CancelToken, Stopped};
use rustc_hash::FxHashSet;

use super::{
    Direction, Edge, EdgeKind, EdgeKinds, Map, Neighbor, NeighborsAnswer, NeighborsQuery, NodeRef, PER_KIND,
};
use crate::resolve::Resolver;

/// What makes two neighbours the same. What is resolved and what is not are two: the sites of one are not the other's.
type Key = (NodeRef, EdgeKind, Direction, bool);

struct Walk<'m> {
    map: &'m Map,
    resolver: Resolver<'m>,
    query: &'m NeighborsQuery,
    shown: Vec<Neighbor>,
    keys: FxHashSet<Key>,
    left_out: FxHashSet<Key>,
    visited: FxHashSet<NodeRef>,
    stopped: Option<Stopped>,
}

impl Map {
    /// What surrounds a node; `None` when the node is not of this generation.
    #[must_use]
    pub fn neighbors(&self, query: &NeighborsQuery) -> Option<NeighborsAnswer> {
        let node = self.info(query.node)?;
        let mut walk = Walk {
            map: self,
            resolver: Resolver::new(&self.index),
            query,
            shown: Vec::new(),
            keys: FxHashSet::default(),
            left_out: FxHashSet::default(),
            visited: FxHashSet::from_iter([query.node]),
            stopped: None,
        };
        walk.run();
        let omitted = walk.left_out.difference(&walk.keys).count();
        Some(NeighborsAnswer { node, neighbors: walk.shown, omitted, incomplete: walk.stopped.is_some() })
    }

    /// Orders nodes by path and place; packages come last, by name.
    pub(super) fn compare_places(&self, a: NodeRef, b: NodeRef) -> Ordering {
        let place = |node: NodeRef| {
            let path = |file| self.index.entry(file).map_or("", |entry| entry.path.as_str());
            match node {
                NodeRef::File(file) => (false, path(file), 0),
                NodeRef::Def(def) => (false, path(def.file), def.def.0 + 1),
                NodeRef::External(_) => (true, "", 0),
            }
        };
        match (a, b) {
            (NodeRef::External(_), NodeRef::External(_)) => self.id(a).cmp(&self.id(b)),
            _ => place(a).cmp(&place(b)),
        }
    }

    /// For a C or C++ declaration the uses of its definition, which is what they resolve to.
    fn through_body(
        &self,
        resolver: &Resolver<'_>,
        node: NodeRef,
        (kinds, cancel): (EdgeKinds, &CancelToken),
    ) -> Vec<(Edge, Direction)> {
        let NodeRef::Def(declared) = node else { return Vec::new() };
        let body = resolver.body_of(declared);
        if body == declared {
            return Vec::new();
        }
        let asked = (kinds.without(EdgeKind::Contains), cancel);
        let found = self.edges_in_with(resolver, body.into(), asked);
        found.edges.into_iter().map(|edge| (Edge { to: node, ..edge }, Direction::In)).collect()
    }

    /// The edges of a node in the directions asked for, each with its direction.
    fn edges_both(
        &self,
        resolver: &Resolver<'_>,
        (node, query, kinds): (NodeRef, &NeighborsQuery, EdgeKinds),
        stopped: &mut Option<Stopped>,
    ) -> Vec<(Edge, Direction)> {
        let mut edges = Vec::new();
        if query.direction != Direction::In {
            let out = self.edges_out_with(resolver, node, kinds);
            edges.extend(out.into_iter().map(|edge| (edge, Direction::Out)));
        }
        if query.direction != Direction::Out {
            let found = self.edges_in_with(resolver, node, (kinds, &query.cancel));
            *stopped = stopped.or(found.stopped);
            edges.extend(found.edges.into_iter().map(|edge| (edge, Direction::In)));
            edges.extend(self.through_body(resolver, node, (kinds, &query.cancel)));
        }
        edges
    }
}

impl Walk<'_> {
    fn run(&mut self) {
        let mut frontier = vec![self.query.node];
        for depth in 1..=self.query.depth.clamp(1, 3) {
            let mut found = Vec::new();
            for node in std::mem::take(&mut frontier) {
                if self.stopped.is_none() {
                    found.extend(self.around(node).into_iter().map(|(edge, way)| (node, edge, way)));
                }
            }
            self.order(&mut found);
            let shown_before = self.shown.len();
            for (via, edge, way) in found {
                self.show((via, depth), edge, way);
            }
            let resolved = self.shown[shown_before..].iter().filter(|n| n.candidates.is_empty());
            frontier = resolved.map(|n| n.info.node).filter(|node| self.visited.insert(*node)).collect();
            if frontier.is_empty() || self.shown.len() >= self.query.max_nodes {
                break;
            }
        }
    }

    /// The best edges around a node, at most twenty of each kind and direction.
    fn around(&mut self, node: NodeRef) -> Vec<(Edge, Direction)> {
        let asked = (node, self.query, self.query.kinds);
        let edges = self.map.edges_both(&self.resolver, asked, &mut self.stopped);
        let mut groups: Vec<Vec<(Edge, Direction)>> = Vec::new();
        for (edge, way) in edges {
            // What calls itself is its own caller.
            let far = far_end(&edge, way);
            if far != node && self.visited.contains(&far) {
                continue;
            }
            match groups.iter_mut().find(|g| g[0].0.kind == edge.kind && g[0].1 == way) {
                Some(group) => group.push((edge, way)),
                None => groups.push(vec![(edge, way)]),
            }
        }
        let mut best = Vec::new();
        for mut group in groups {
            group.sort_by(|(a, way), (b, other)| self.compare((a, *way), (b, *other)));
            for (edge, way) in group.split_off(group.len().min(self.per_kind())) {
                self.left_out.insert((far_end(&edge, way), edge.kind, way, edge.resolved()));
            }
            best.extend(group);
        }
        best
    }

    /// Most neighbours per node and kind: enough that no kind crowds out the others. Where one kind was asked for there are no
    /// others, and the whole answer is its.
    fn per_kind(&self) -> usize {
        let asked = EdgeKind::ALL.iter().filter(|kind| self.query.kinds.has(**kind)).count();
        if asked == 1 { self.query.max_nodes } else { PER_KIND }
    }

    fn order(&self, found: &mut [(NodeRef, Edge, Direction)]) {
        found.sort_by(|(_, a, way), (_, b, other)| self.compare((a, *way), (b, *other)));
    }

    /// As answers sort: resolved before unresolved, then by score, then by kind and place.
    fn compare(&self, (a, way): (&Edge, Direction), (b, other): (&Edge, Direction)) -> Ordering {
        let (near, far) = (far_end(a, way), far_end(b, other));
        let by_score = || self.map.score(far).total_cmp(&self.map.score(near));
        (!a.resolved())
            .cmp(&!b.resolved())
            .then_with(by_score)
            .then_with(|| a.kind.cmp(&b.kind))
            .then_with(|| self.map.compare_places(near, far))
            .then_with(|| (way == Direction::Out).cmp(&(other == Direction::Out)))
    }

    fn show(&mut self, (via, depth): (NodeRef, u32), edge: Edge, way: Direction) {
        let far = far_end(&edge, way);
        let key = (far, edge.kind, way, edge.resolved());
        if self.shown.len() >= self.query.max_nodes {
            self.left_out.insert(key);
            return;
        }
        if (far != via && self.visited.contains(&far)) || self.keys.contains(&key) {
            return;
        }
        let Some(info) = self.map.info(far) else { return };
        self.keys.insert(key);
        self.shown.push(Neighbor {
            info,
            edge: edge.kind,
            direction: way,
            confidence: edge.confidence,
            depth,
            via,
            candidates: edge.candidates,
            sites: edge.sites,
            site_count: edge.site_count,
        });
    }
}

fn far_end(edge: &Edge, way: Direction) -> NodeRef {
    if way == Direction::In { edge.from } else { edge.to }
}
