//! Finds chains of calls from one node to another: the calls by which the one reaches the other.
//!
//! It searches for the cheapest way (A*): sure steps before guesses, few before many, through tests only if there is no
//! other way. The number of sure steps from a node to the end ([`super::ahead`]) is the estimate. A second and a third
//! chain are what the search finds if stations of earlier chains cost more; the answer has them only if they cost about
//! as little.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hob_base::WsPath;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Admits;
use super::ahead::Ahead;
use super::links::{ChainLink, FoundCalls, Links, SURE};
use crate::facts::{DefFlags, DefKind};
use crate::graph::family::Families;
use crate::graph::{
    Chain, Confidence, DefRef, Direction, EdgeKind, Kinship, Map, NodeInfo, NodeRef, PathAnswer, PathQuery,
    PathStep, Reached, UncalledNode,
};
use crate::resolve::Resolver;

/// Most chains of one answer.
const CHAINS: usize = 3;

/// Most nodes that one search expands.
const MAX_EXPANDED: usize = 6000;

/// Most entries shown if there is no chain, and most uses of each.
const ENTRIES: usize = 3;
const USES: usize = 3;

/// The cost of a station that is a test.
const TEST: u32 = 400;

/// The cost that a station of an earlier chain adds in the search for another chain.
const USED: u32 = 25;

/// The most by which another chain may exceed the cost of the first.
const ABOUT_AS_GOOD: u32 = 9;

/// The least additional cost of a node from which no sure way leads to the end.
const NO_SURE_WAY: u32 = 40;

/// A node as a search reached it.
struct ReachedNode {
    node: NodeRef,
    cost: u32,
    steps: u32,
    /// The index of the node before it, with the step from there; `None` for a start.
    by: Option<(usize, ChainLink)>,
}

/// The outcome of one search.
enum ChainOutcome {
    /// The index of the end in `ChainSearch::met`.
    Found(usize),
    Nothing,
    GivenUp,
}

struct ChainSearch<'a, 's, 'm> {
    map: &'m Map,
    query: &'a PathQuery,
    links: Links<'s, 'm>,
    starts: Vec<NodeRef>,
    ends: FxHashSet<NodeRef>,
    ahead: Ahead,
    admits: Option<Admits<'a>>,
    /// True if chains lead through functions and types alone.
    through_code: bool,
    /// True if an end is in tests, so that stations in tests cost no more.
    among_tests: bool,
    met: Vec<ReachedNode>,
}

impl Map {
    /// Returns the best chains from one node to another, over edges as they point.
    pub(super) fn find_chains(&self, query: &PathQuery, admits: Option<Admits<'_>>) -> PathAnswer {
        if query.from == query.to {
            return self.chain_of_one(query);
        }
        let resolver = Resolver::new(&self.index);
        ChainSearch::new(self, &resolver, query, admits).find_answer()
    }

    /// Returns the best chains of calls from one node to another; if there are none, the best chains of calls and of what
    /// code names, through functions and types alone. [`PathAnswer::by_names`] tells which.
    #[must_use]
    pub fn path_by_calls_or_names(&self, query: &PathQuery, admits: Option<Admits<'_>>) -> PathAnswer {
        if query.from == query.to {
            return self.chain_of_one(query);
        }
        let of_kinds = |kinds: &[EdgeKind]| {
            let kinds = kinds.iter().copied().collect();
            PathQuery { kinds, ..query.clone() }
        };
        let (answer, found) = self.find_calls(&of_kinds(&[EdgeKind::Calls]), admits);
        if answer.is_connected() || answer.incomplete {
            return answer;
        }
        // What following values finds before it ends at a bound depends on what was asked before, so this search begins with
        // an empty memory.
        let resolver = Resolver::new(&self.index);
        let with_names = of_kinds(&[EdgeKind::Calls, EdgeKind::References]);
        let mut wider = ChainSearch::new(self, &resolver, &with_names, admits);
        wider.through_code = true;
        wider.links.take_calls(found);
        let named = wider.find_best_chains();
        if named.is_connected() { PathAnswer { by_names: true, ..named } } else { answer }
    }

    /// Finds chains, and returns the calls that the search came to as well.
    fn find_calls(&self, query: &PathQuery, admits: Option<Admits<'_>>) -> (PathAnswer, FoundCalls) {
        let resolver = Resolver::new(&self.index);
        let mut search = ChainSearch::new(self, &resolver, query, admits);
        let answer = search.find_answer();
        (answer, search.links.into_found_calls())
    }

    fn chain_of_one(&self, query: &PathQuery) -> PathAnswer {
        PathAnswer { chains: vec![self.chain_of_steps(query.from, Vec::new())], ..PathAnswer::default() }
    }

    /// Returns a node with the nodes that stand for it at the end of a chain: a type's methods, a file's definitions,
    /// the type that a constructor makes, the methods that implement a declared one.
    fn parts_of(&self, resolver: &Resolver<'_>, node: NodeRef) -> Vec<NodeRef> {
        let mut parts = vec![node];
        match node {
            NodeRef::File(file) => parts.extend(self.defs_of(file).into_iter().map(NodeRef::Def)),
            NodeRef::Def(def) => {
                let body = resolver.body_of(def);
                parts.extend((body != def).then_some(NodeRef::Def(body)));
                parts.extend(self.made_by(resolver, def).map(NodeRef::Def));
                parts.extend(self.implementing(resolver, def).into_iter().map(NodeRef::Def));
                let is_type =
                    self.index.entry(def.file).and_then(|entry| entry.facts.defs.get(def.def.index()));
                if is_type.is_some_and(|found| found.kind.is_type()) {
                    let contains = [crate::graph::EdgeKind::Contains].into_iter().collect();
                    let members = self.edges_out_with(resolver, node, contains);
                    parts.extend(members.into_iter().map(|edge| edge.to));
                }
            }
            NodeRef::External(_) => {}
        }
        parts
    }
}

impl Map {
    /// Returns the methods that implement a method of an interface or trait that is only declared.
    fn implementing(&self, resolver: &Resolver<'_>, declared: DefRef) -> Vec<DefRef> {
        let found =
            self.index.entry(declared.file).and_then(|entry| entry.facts.defs.get(declared.def.index()));
        let is_declared =
            found.is_some_and(|def| def.kind == DefKind::Method && def.flags.has(DefFlags::DECLARATION));
        match is_declared {
            true => Families::new(self, resolver).related_methods(declared, Kinship::Overriding),
            false => Vec::new(),
        }
    }
}

impl<'a, 's, 'm> ChainSearch<'a, 's, 'm> {
    fn new(
        map: &'m Map,
        resolver: &'s Resolver<'m>,
        query: &'a PathQuery,
        admits: Option<Admits<'a>>,
    ) -> Self {
        let (mut starts, ends) = (map.parts_of(resolver, query.from), map.parts_of(resolver, query.to));
        // A chain from a type to its own method starts at the type or at its other methods.
        starts.retain(|start| *start == query.from || !ends.contains(start));
        Self {
            map,
            query,
            links: Links::new(map, resolver, query.kinds),
            ahead: map.ahead_of(resolver, &ends, query),
            ends: ends.iter().copied().filter(|end| !starts.contains(end)).collect(),
            admits,
            through_code: false,
            among_tests: map.is_among_tests(query.from) || map.is_among_tests(query.to),
            met: Vec::new(),
            starts,
        }
    }

    /// Returns the best chains, or what the search reached.
    fn find_answer(&mut self) -> PathAnswer {
        let answer = self.find_best_chains();
        let reached = (!answer.is_connected()).then(|| self.search_extent());
        PathAnswer { reached, ..answer }
    }

    fn find_best_chains(&mut self) -> PathAnswer {
        let mut answer = PathAnswer::default();
        let (mut used, mut first) = (FxHashMap::default(), None);
        while answer.chains.len() < CHAINS {
            match self.run(&used) {
                ChainOutcome::Found(end) => {
                    let links = self.way_to(end);
                    let cost = links.iter().map(|(_, link)| link.cost).sum::<u32>() + self.test_cost(&links);
                    let guesses = links.iter().filter(|(_, link)| is_guess(link)).count();
                    let (least, fewest) = *first.get_or_insert((cost, guesses));
                    let chain = self.build_chain(&links);
                    let is_known = answer.chains.iter().any(|known| is_same(known, &chain));
                    if is_known || cost > least + ABOUT_AS_GOOD || guesses > fewest || links.len() < 2 {
                        if answer.chains.is_empty() {
                            answer.chains.push(chain);
                        }
                        break;
                    }
                    for (_, link) in &links[..links.len() - 1] {
                        *used.entry(link.to).or_default() += USED;
                    }
                    answer.chains.push(chain);
                }
                outcome => {
                    answer.incomplete = answer.chains.is_empty() && matches!(outcome, ChainOutcome::GivenUp);
                    break;
                }
            }
        }
        answer
    }

    /// Searches once; `used` has the additional costs of stations.
    fn run(&mut self, used: &FxHashMap<NodeRef, u32>) -> ChainOutcome {
        self.met.clear();
        let mut open = BinaryHeap::new();
        for start in self.starts.clone() {
            self.add_met(ReachedNode { node: start, cost: 0, steps: 0, by: None }, &mut open);
        }
        let (mut settled, mut expanded) = (FxHashSet::default(), 0);
        while let Some(Reverse((_, at))) = open.pop() {
            let (node, cost, steps) = (self.met[at].node, self.met[at].cost, self.met[at].steps);
            if !settled.insert(node) {
                continue;
            }
            if self.ends.contains(&node) {
                return ChainOutcome::Found(at);
            }
            if steps >= self.query.max_len {
                continue;
            }
            expanded += 1;
            if expanded > MAX_EXPANDED || self.query.cancel.check().is_err() {
                return ChainOutcome::GivenUp;
            }
            let links = self.links.links_from(node);
            for link in links.iter().filter(|link| !settled.contains(&link.to)) {
                if !self.may_pass(link.to) {
                    continue;
                }
                let more = used.get(&link.to).copied().unwrap_or(0) + self.cost_of(link.to);
                let (cost, by) = (cost + link.cost + more, Some((at, link.clone())));
                self.add_met(ReachedNode { node: link.to, cost, steps: steps + 1, by }, &mut open);
            }
        }
        ChainOutcome::Nothing
    }

    fn add_met(&mut self, met: ReachedNode, open: &mut BinaryHeap<Reverse<(u32, usize)>>) {
        let left = match self.ahead.steps_from(met.node) {
            Some(left) => left * SURE,
            None if self.ahead.is_whole => NO_SURE_WAY,
            None => 0,
        };
        open.push(Reverse((met.cost + left, self.met.len())));
        self.met.push(met);
    }

    fn may_pass(&self, node: NodeRef) -> bool {
        self.ends.contains(&node)
            || (self.admits.is_none_or(|admits| admits(node))
                && (!self.through_code || self.links.is_code(node)))
    }

    /// Returns the cost of a station without the step to it.
    fn cost_of(&self, node: NodeRef) -> u32 {
        if !self.among_tests && self.map.is_among_tests(node) { TEST } else { 0 }
    }

    fn test_cost(&self, links: &[(NodeRef, ChainLink)]) -> u32 {
        links.iter().map(|(_, link)| self.cost_of(link.to)).sum()
    }

    /// Returns the steps that led to a reached node.
    fn way_to(&self, end: usize) -> Vec<(NodeRef, ChainLink)> {
        let mut links = Vec::new();
        let mut at = end;
        while let Some((before, link)) = &self.met[at].by {
            links.push((self.met[*before].node, link.clone()));
            at = *before;
        }
        links.reverse();
        links
    }

    fn build_chain(&mut self, links: &[(NodeRef, ChainLink)]) -> Chain {
        let lines: Vec<Vec<u32>> =
            links.iter().map(|(from, link)| self.links.lines_of(*from, link)).collect();
        let step = |((from, link), lines): (&(NodeRef, ChainLink), Vec<u32>)| PathStep {
            from: *from,
            to: link.to,
            kind: link.kind,
            direction: Direction::Out,
            confidence: link.confidence,
            line: link.line,
            lines,
            named: link.named,
        };
        let start = links.first().map_or(self.query.from, |(from, _)| *from);
        self.map.chain_of_steps(start, links.iter().zip(lines).map(step).collect())
    }

    fn search_extent(&self) -> Reached {
        let met: FxHashMap<NodeRef, u32> = self.met.iter().map(|met| (met.node, met.steps)).collect();
        let ends = |steps: &FxHashMap<NodeRef, u32>| {
            (steps.len().saturating_sub(1), steps.values().copied().max().unwrap_or(0))
        };
        let (from, to) = (ends(&met), ends(&self.ahead.steps));
        Reached { from, to, nearest: self.nearest_pair(&met), entries: self.entries() }
    }

    /// Returns the nodes that lead to the end and that no node is known to call, each with the places that name it.
    fn entries(&self) -> Vec<UncalledNode> {
        let is_code = |node: &&NodeRef| !self.map.is_among_tests(**node) && matches!(node, NodeRef::Def(_));
        let found = self.ahead.entries.iter().filter(is_code).take(ENTRIES);
        found
            .filter_map(|node| Some(UncalledNode { node: self.map.info(*node)?, uses: self.uses_of(*node) }))
            .collect()
    }

    /// Returns the places that name a node without calling it.
    fn uses_of(&self, node: NodeRef) -> Vec<(WsPath, u32)> {
        let NodeRef::Def(def) = node else { return Vec::new() };
        let (mut places, _) = self.map.find_uses(def, &self.query.cancel);
        places.retain(|place| place.kind == EdgeKind::References);
        places.sort_by_key(|place| self.map.is_among_tests(place.from));
        let paths =
            places.iter().filter_map(|place| Some((self.map.file(place.file)?.0.clone(), place.line)));
        paths.take(USES).collect()
    }

    /// Returns a node that the start leads to and one that leads to the end, whose places are nearest: in one type,
    /// file or folder; of such pairs the one with the fewest steps.
    fn nearest_pair(&self, met: &FxHashMap<NodeRef, u32>) -> Option<(NodeInfo, NodeInfo)> {
        let mut places: FxHashMap<String, (u32, NodeRef)> = FxHashMap::default();
        for (node, steps) in met {
            for place in self.places_of(*node) {
                let known = places.entry(place).or_insert((*steps, *node));
                *known = (*known).min((*steps, *node));
            }
        }
        let pairs = self.ahead.steps.iter().flat_map(|(end, left)| {
            let near = self.places_of(*end).into_iter().enumerate();
            let found = near.filter_map(|(far, place)| Some((far, *places.get(&place)?)));
            found.map(|(far, (steps, near))| (far, steps + left, near, *end)).collect::<Vec<_>>()
        });
        let (_, _, near, end) = pairs.min()?;
        Some((self.map.info(near)?, self.map.info(end)?))
    }

    /// Returns the keys of a node's type, file and folder, the narrowest first.
    fn places_of(&self, node: NodeRef) -> [String; 3] {
        let entry = node.file().and_then(|file| self.map.index.entry(file));
        let Some(entry) = entry else { return Default::default() };
        let qualifier = match node {
            NodeRef::Def(DefRef { def, .. }) => {
                entry.facts.defs.get(def.index()).map(|def| entry.qualifier(def))
            }
            _ => None,
        };
        let path = entry.path.as_str();
        // A definition that is in no type is near only to the others of its file.
        let of_type = qualifier.filter(|name| !name.is_empty()).map(|name| format!("{path}#{name}"));
        [of_type.unwrap_or_else(|| format!("{path}#")), path.to_owned(), entry.path.dir().to_owned()]
    }
}

fn is_guess(link: &ChainLink) -> bool {
    link.confidence == Confidence::Candidate
}

fn is_same(one: &Chain, other: &Chain) -> bool {
    let stations = |chain: &Chain| chain.nodes.iter().map(|node| node.node).collect::<Vec<_>>();
    stations(one) == stations(other)
}
