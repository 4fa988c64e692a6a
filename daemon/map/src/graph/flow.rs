//! Traces the functions that run when a node runs: those that it calls, those that they call, and so on, as a tree.
//!
//! Breadth first, so that a node is expanded where it is nearest to the root and a limit cuts what is farthest. A node
//! is expanded once; where it occurs again it is a leaf that says so, which keeps the tree finite and its size
//! proportional to what is reached. A type as the root stands for its methods; an instantiated type, or a called
//! package outside, is a leaf of its caller and no step: such calls are the most frequent, and say least. A call that
//! is not resolved is a leaf with its candidates: to continue from a guess would make every later step one. A method
//! that others override is one step with those; if it calls nothing itself and one method overrides it, the flow
//! continues there.

use hob_base::CancelToken;
use rustc_hash::FxHashSet;

use super::family::{Families, Kinship};
use super::{Confidence, Edge, EdgeKind, EdgeKinds, Map, NodeRef};
use crate::facts::DefKind;
use crate::resolve::Resolver;

/// A query for the flow from a node.
#[derive(Clone, Debug)]
pub struct FlowQuery {
    /// The node that the flow starts at.
    pub node: NodeRef,
    /// Most calls from the root down.
    pub max_depth: u32,
    /// Most steps in all.
    pub max_steps: usize,
    /// Stops the search when it is cancelled or late.
    pub cancel: CancelToken,
}

/// The occurrence of a node in the tree: first, repeated, or closing a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Occurrence {
    /// The node occurs for the first time: what it calls is below it.
    First,
    /// The node occurred before, and is expanded there.
    Again,
    /// The node is one of the step's own callers: calling it closes a cycle.
    Cycle,
}

/// A node of the tree with the call that leads to it.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowStep {
    /// The index in [`FlowAnswer::steps`] of the step that calls it, always an earlier one; `None` for the root.
    pub parent: Option<usize>,
    /// The node that is called; the likeliest candidate if `candidates` has some.
    pub node: NodeRef,
    /// The number of calls from the root, which has 0.
    pub depth: u32,
    /// The confidence of the call; [`Confidence::Exact`] for the root and for methods of a type.
    pub confidence: Confidence,
    /// The definitions that an unresolved call may mean, likeliest first; otherwise empty.
    pub candidates: Vec<NodeRef>,
    /// Lines of the calls in the caller's file, ascending, the first [`super::MAX_SITES`]; none for methods of a type.
    pub sites: Vec<u32>,
    /// Number of all such calls, also those beyond the first lines.
    pub site_count: usize,
    /// The occurrence of the node in the tree.
    pub met: Occurrence,
    /// Number of callees that are not below it because `max_depth` was reached.
    pub beyond: usize,
    /// The packages outside that it calls and the types that it instantiates, in the order of the calls.
    pub leaves: Vec<NodeRef>,
    /// The methods that override it, one of which may run in its place.
    pub overriding: Vec<NodeRef>,
}

/// The tree, breadth first: level by level, and below each node in the order of its calls.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FlowAnswer {
    /// The root and the steps below it; empty if the node is not of this generation.
    pub steps: Vec<FlowStep>,
    /// The depth to which the tree is whole, if there is more below it; otherwise `None`.
    pub whole_to: Option<u32>,
    /// True if the tree lacks steps because of `max_steps` or time, rather than `max_depth`.
    pub incomplete: bool,
}

impl Map {
    /// Traces the flow from a node.
    #[must_use]
    pub fn trace_flow(&self, query: &FlowQuery) -> FlowAnswer {
        if self.info(query.node).is_none() {
            return FlowAnswer::default();
        }
        let resolver = Resolver::new(&self.index);
        let mut tracing =
            Tracing { map: self, resolver, query, met: FxHashSet::default(), answer: FlowAnswer::default() };
        tracing.run();
        tracing.answer
    }
}

struct Tracing<'m> {
    map: &'m Map,
    resolver: Resolver<'m>,
    query: &'m FlowQuery,
    met: FxHashSet<NodeRef>,
    answer: FlowAnswer,
}

impl Tracing<'_> {
    fn run(&mut self) {
        let root = self.with_body(self.query.node);
        self.met.insert(root);
        self.answer.steps.push(FlowStep {
            parent: None,
            node: root,
            depth: 0,
            confidence: Confidence::Exact,
            candidates: Vec::new(),
            sites: Vec::new(),
            site_count: 0,
            met: Occurrence::First,
            beyond: 0,
            leaves: Vec::new(),
            overriding: self.overriding_methods(root),
        });
        let mut at = 0;
        while at < self.answer.steps.len() {
            if self.is_expandable(at) && !self.expand_step(at) {
                self.answer.whole_to = Some(self.answer.steps[at].depth);
                self.answer.incomplete = true;
                return;
            }
            at += 1;
        }
        if self.answer.steps.iter().any(|step| step.beyond > 0) {
            self.answer.whole_to = Some(self.query.max_depth);
        }
    }

    fn is_expandable(&self, at: usize) -> bool {
        let step = &self.answer.steps[at];
        step.met == Occurrence::First
            && step.candidates.is_empty()
            && !matches!(step.node, NodeRef::External(_))
    }

    /// Appends the callees of a step to the list. Returns false if time or the limit of steps ran out.
    fn expand_step(&mut self, at: usize) -> bool {
        if self.query.cancel.check().is_err() {
            return false;
        }
        let depth = self.answer.steps[at].depth;
        let (leaves, callees) = self.callees_of(at);
        self.answer.steps[at].leaves = leaves;
        if depth >= self.query.max_depth {
            self.answer.steps[at].beyond = callees.len();
            return true;
        }
        if self.answer.steps.len() + callees.len() > self.query.max_steps {
            return false;
        }
        for edge in callees {
            let met = self.note_met(at, &edge);
            let overriding = if edge.is_resolved() { self.overriding_methods(edge.to) } else { Vec::new() };
            self.answer.steps.push(FlowStep {
                parent: Some(at),
                node: edge.to,
                depth: depth + 1,
                confidence: edge.confidence,
                candidates: edge.candidates,
                sites: edge.sites,
                site_count: edge.site_count,
                met,
                beyond: 0,
                leaves: Vec::new(),
                overriding,
            });
        }
        true
    }

    /// Returns the methods that override a node.
    fn overriding_methods(&self, node: NodeRef) -> Vec<NodeRef> {
        let NodeRef::Def(method) = node else { return Vec::new() };
        let families = Families::new(self.map, &self.resolver);
        families.related_methods(method, Kinship::Overriding).into_iter().map(NodeRef::Def).collect()
    }

    /// Returns the nodes that a step calls: leaves, and edges along which the flow continues. For a method that calls
    /// nothing, these are the callees of the one method that overrides it.
    fn callees_of(&self, at: usize) -> (Vec<NodeRef>, Vec<Edge>) {
        let (node, overriding) = (self.answer.steps[at].node, &self.answer.steps[at].overriding);
        let mut callees = self.callees(node);
        if let ([one], true) = (&overriding[..], callees.is_empty()) {
            callees = self.callees(*one);
        }
        let (leaves, callees): (Vec<Edge>, Vec<Edge>) =
            callees.into_iter().partition(|edge| self.is_leaf(edge));
        (leaves.into_iter().map(|edge| edge.to).collect(), callees)
    }

    fn is_leaf(&self, edge: &Edge) -> bool {
        let is_type = || self.kind_of(edge.to).is_some_and(DefKind::is_type);
        edge.is_resolved() && (matches!(edge.to, NodeRef::External(_)) || is_type())
    }

    fn note_met(&mut self, caller: usize, edge: &Edge) -> Occurrence {
        if !edge.is_resolved() {
            return Occurrence::First;
        }
        let mut above = Some(caller);
        while let Some(at) = above {
            if self.answer.steps[at].node == edge.to {
                return Occurrence::Cycle;
            }
            above = self.answer.steps[at].parent;
        }
        if self.met.insert(edge.to) { Occurrence::First } else { Occurrence::Again }
    }

    /// Returns the edges to the callees of a node, in the order of the calls; a type's methods count as calls.
    fn callees(&self, node: NodeRef) -> Vec<Edge> {
        let kinds: EdgeKinds = match self.kind_of(node) {
            Some(kind) if kind.is_type() => [EdgeKind::Calls, EdgeKind::Contains].into_iter().collect(),
            _ => [EdgeKind::Calls].into_iter().collect(),
        };
        let edges = self.map.edges_out_with(&self.resolver, node, kinds).into_iter();
        let bodied = edges.map(|edge| Edge { to: self.with_body(edge.to), ..edge });
        let mut callees: Vec<Edge> = bodied.filter(|edge| self.is_call(edge)).collect();
        let place = |edge: &Edge| self.line_in(node, edge);
        callees.sort_by(|a, b| {
            let by_place = || self.map.compare_places(a.to, b.to);
            place(a)
                .cmp(&place(b))
                .then_with(|| a.is_resolved().cmp(&b.is_resolved()).reverse())
                .then_with(by_place)
        });
        // A prototype and its body are two members of a class and one callee.
        let mut seen = FxHashSet::default();
        callees.retain(|edge| seen.insert((edge.to, edge.is_resolved())));
        callees
    }

    fn is_call(&self, edge: &Edge) -> bool {
        let callable = || self.kind_of(edge.to).is_some_and(DefKind::is_callable);
        edge.kind == EdgeKind::Calls || callable()
    }

    /// Returns the sort key of a callee among others: its first call, or the line of its definition; definitions in
    /// another file come last.
    fn line_in(&self, node: NodeRef, edge: &Edge) -> (bool, u32) {
        if let Some(&line) = edge.sites.first() {
            return (false, line);
        }
        let line = self.map.info(edge.to).map_or(0, |info| info.name_at.0);
        (edge.to.file() != node.file(), line)
    }

    fn kind_of(&self, node: NodeRef) -> Option<DefKind> {
        let NodeRef::Def(def) = node else { return None };
        let entry = self.map.index.entry(def.file)?;
        Some(entry.facts.defs.get(def.def.index())?.kind)
    }

    fn with_body(&self, node: NodeRef) -> NodeRef {
        match node {
            NodeRef::Def(def) => self.resolver.body_of(def).into(),
            other => other,
        }
    }
}
