//! Finds the steps of a chain: the definitions to which code leads from a definition.
//!
//! A call leads to the definition that it names and to those that override it; a type leads where its constructors do;
//! a function leads to functions defined in it. An unresolved call leads to each candidate, as a guess.

use std::rc::Rc;

use hob_base::FileId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{DefIdx, DefKind, Ref, RefKind};
use crate::graph::family::{Families, Kinship};
use crate::graph::{Confidence, DefRef, Edge, EdgeKind, EdgeKinds, Map, NodeRef, Tie};
use crate::index::FileEntry;
use crate::resolve::{Resolution, Resolver, Thing};

/// Most candidates of a call that is followed: to follow one with more would be to follow everything.
const MOST_GUESSED: usize = 32;

/// Cost of a sure step. A guess costs as much as a detour of several sure calls.
pub(super) const SURE: u32 = 10;
const BY_NAME: u32 = 15;
const GUESSED: u32 = 45;
/// Additional cost of a step to a method that overrides the named one.
const OVERRIDING: u32 = 1;
/// Additional cost of a guess for each candidate that is likelier.
const UNLIKELY: u32 = 2;

/// A step from a node.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct ChainLink {
    pub(super) to: NodeRef,
    pub(super) kind: Tie,
    pub(super) confidence: Confidence,
    /// The first line at which the step is written; `None` if it is not written.
    pub(super) line: Option<u32>,
    /// The method that the code names, if `to` overrides it.
    pub(super) named: Option<NodeRef>,
    pub(super) cost: u32,
}

/// The references of a file by the definition that encloses them.
type ByOwner = FxHashMap<Option<DefIdx>, Vec<u32>>;

/// The steps from a node by calls.
struct CallLinks {
    links: Rc<[ChainLink]>,
    /// False if a bound ended the search for values that decide them: another search may find others.
    is_whole: bool,
}

/// The calls in a node that need not be resolved.
#[derive(Default)]
struct KnownCalls {
    /// The edges of one call each.
    edges: Vec<Edge>,
    /// The indexes of the references that are among the edges, or make none.
    refs: FxHashSet<u32>,
}

impl KnownCalls {
    fn has_call(&self, reference: u32) -> bool {
        self.refs.contains(&reference)
    }
}

/// The calls that a search has found.
pub(super) struct FoundCalls {
    refs: FxHashMap<FileId, Rc<ByOwner>>,
    calls: FxHashMap<NodeRef, CallLinks>,
}

/// Finds and caches the steps from nodes, for the searches of one question.
pub(super) struct Links<'s, 'm> {
    map: &'m Map,
    resolver: &'s Resolver<'m>,
    pub(super) families: Families<'s, 'm>,
    kinds: EdgeKinds,
    refs: FxHashMap<FileId, Rc<ByOwner>>,
    /// The calls from nodes, which are the same for every search that follows calls.
    calls: FxHashMap<NodeRef, CallLinks>,
    known: FxHashMap<NodeRef, Rc<[ChainLink]>>,
}

impl<'s, 'm> Links<'s, 'm> {
    /// Creates an empty cache of steps of some kinds.
    pub(super) fn new(map: &'m Map, resolver: &'s Resolver<'m>, kinds: EdgeKinds) -> Self {
        let (refs, calls, known) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        Self { map, resolver, families: Families::new(map, resolver), kinds, refs, calls, known }
    }

    /// Takes the calls over that an earlier search found, except those for which following values ended at a bound.
    pub(super) fn take_calls(&mut self, earlier: FoundCalls) {
        (self.refs, self.calls) = (earlier.refs, earlier.calls);
        self.calls.retain(|_, calls| calls.is_whole);
    }

    /// Returns the calls that were found, for [`Self::take_calls`].
    pub(super) fn into_found_calls(self) -> FoundCalls {
        FoundCalls { refs: self.refs, calls: self.calls }
    }

    /// Returns the steps from a node, the cheapest to each target.
    pub(super) fn links_from(&mut self, node: NodeRef) -> Rc<[ChainLink]> {
        if let Some(known) = self.known.get(&node) {
            return Rc::clone(known);
        }
        let mut best: FxHashMap<NodeRef, ChainLink> = FxHashMap::default();
        for link in self.all_links_from(node).into_iter().filter(|link| link.to != node) {
            let better = |known: &ChainLink| (link.cost, link.line) < (known.cost, known.line);
            if best.get(&link.to).is_none_or(better) {
                best.insert(link.to, link);
            }
        }
        let mut found: Vec<ChainLink> = best.into_values().collect();
        found.sort_by_key(|link| (link.cost, link.line, link.to));
        let found: Rc<[ChainLink]> = found.into();
        self.known.insert(node, Rc::clone(&found));
        found
    }

    /// Returns the lines on which a step is written, ascending; empty if there is one line.
    pub(super) fn lines_of(&mut self, from: NodeRef, link: &ChainLink) -> Vec<u32> {
        let is_same =
            |other: &ChainLink| other.to == link.to && other.named == link.named && other.kind == link.kind;
        let links = self.all_links_from(from).into_iter().filter(is_same);
        let mut lines: Vec<u32> = links.filter_map(|link| link.line).collect();
        lines.sort_unstable();
        lines.dedup();
        if lines.len() > 1 { lines } else { Vec::new() }
    }

    fn all_links_from(&mut self, node: NodeRef) -> Vec<ChainLink> {
        let mut links = Vec::new();
        if self.kinds.has(EdgeKind::Calls) {
            links.extend_from_slice(&self.calls_from(node));
        }
        let others = self.kinds.without(EdgeKind::Calls);
        if others.count() > 0 {
            let edges = self.edges_from(node, others).into_iter();
            links.extend(edges.filter(Edge::is_resolved).map(|edge| link_of_edge(&edge)));
        }
        links.retain(|link| self.is_station(link.to));
        links
    }

    /// Returns the steps from a node by calls, and those that a call of the node makes possible.
    fn calls_from(&mut self, node: NodeRef) -> Rc<[ChainLink]> {
        if let Some(known) = self.calls.get(&node) {
            return Rc::clone(&known.links);
        }
        let cut_before = self.resolver.cut_solutions();
        let mut links = Vec::new();
        self.calls_of(node, &mut links);
        match (node, self.kind_of(node)) {
            (NodeRef::Def(class), Some(kind)) if kind.is_type() => {
                for constructor in self.map.constructors_of(class) {
                    self.calls_of(constructor.into(), &mut links);
                }
            }
            (NodeRef::Def(def), Some(kind)) if kind.is_callable() => {
                self.add_overriding_links(def, None, &mut links);
                self.written_in(def, &mut links);
            }
            _ => {}
        }
        let found: Rc<[ChainLink]> = links.into();
        let is_whole = self.resolver.cut_solutions() == cut_before;
        self.calls.insert(node, CallLinks { links: Rc::clone(&found), is_whole });
        found
    }

    /// Returns the edges of kinds other than calls that start at a node.
    fn edges_from(&mut self, node: NodeRef, kinds: EdgeKinds) -> Vec<Edge> {
        let known = self.def_with_refs(node).and_then(|(def, refs)| {
            let refs = refs.get(&Some(def.def)).map_or(&[][..], Vec::as_slice);
            self.map.known_edges_out(self.resolver, def, refs, kinds)
        });
        known.unwrap_or_else(|| self.map.edges_out_with(self.resolver, node, kinds))
    }

    fn def_with_refs(&mut self, node: NodeRef) -> Option<(DefRef, Rc<ByOwner>)> {
        let NodeRef::Def(def) = node else { return None };
        let entry = self.map.index.entry(def.file)?;
        Some((def, self.refs_of(def.file, entry)))
    }

    /// Returns true if a chain may pass a node: functions and types; with edges other than calls any definition, and
    /// files if the query follows imports or containment.
    fn is_station(&self, node: NodeRef) -> bool {
        match node {
            NodeRef::External(_) => false,
            NodeRef::File(_) => self.kinds.has(EdgeKind::Imports) || self.kinds.has(EdgeKind::Contains),
            NodeRef::Def(_) => self.kinds.without(EdgeKind::Calls).count() > 0 || self.is_code(node),
        }
    }

    /// Returns true if a node is a function or a type.
    pub(super) fn is_code(&self, node: NodeRef) -> bool {
        self.kind_of(node).is_some_and(|kind| kind.is_callable() || kind.is_type())
    }

    fn kind_of(&self, node: NodeRef) -> Option<DefKind> {
        let NodeRef::Def(def) = node else { return None };
        Some(self.map.index.entry(def.file)?.facts.defs.get(def.def.index())?.kind)
    }

    /// Adds the calls that are written in a definition.
    fn calls_of(&mut self, node: NodeRef, links: &mut Vec<ChainLink>) {
        let Some(file) = node.file() else { return };
        let Some(entry) = self.map.index.entry(file).filter(|entry| !entry.lang().is_prose()) else { return };
        let owner = if let NodeRef::Def(def) = node { Some(def.def) } else { None };
        let by_owner = self.refs_of(file, entry);
        let refs = by_owner.get(&owner).map_or(&[][..], Vec::as_slice);
        let known = self.known_calls(node, entry, refs);
        for edge in &known.edges {
            if let (NodeRef::Def(def), [line]) = (edge.to, &edge.sites[..]) {
                self.add_call_link(def, edge.confidence, *line, links);
            }
        }
        for &at in refs {
            let r = &entry.facts.refs[at as usize];
            if r.kind() == RefKind::Call && !known.has_call(at) {
                self.call(file, r, links);
            }
        }
        for call in self.map.calls_of_values(self.resolver, file, Some(owner)) {
            self.add_value_call(call.to, call.line, links);
        }
    }

    /// Returns the calls in a node of which the last derivation is sure; none where values reach functions: which of the calls on
    /// a line an edge means matters there.
    fn known_calls(&self, node: NodeRef, entry: &FileEntry, refs: &[u32]) -> KnownCalls {
        // A chain does not follow what a framework calls, and edges of both kinds are one.
        let is_other_call = |at: &u32| {
            matches!(entry.facts.refs[*at as usize].kind(), RefKind::Framework | RefKind::Injected)
        };
        let has_plain_calls = entry.facts.flows.is_empty() && !refs.iter().any(is_other_call);
        let known = self.map.surroundings().filter(|_| has_plain_calls).zip(node.file());
        let calls = [EdgeKind::Calls].into_iter().collect();
        let edges = known.as_ref().and_then(|(known, _)| known.known_edges_from(node, calls));
        let has_all_lines = |edges: &Vec<Edge>| edges.iter().all(|edge| edge.site_count == edge.sites.len());
        let Some(((known, file), mut edges)) = known.zip(edges.filter(has_all_lines)) else {
            return KnownCalls::default();
        };
        // Calls of one definition may be sure to different degrees, and an edge has the highest.
        let is_one_call = |edge: &Edge| edge.is_resolved() && edge.site_count == 1;
        let others = edges.iter().filter(|edge| !is_one_call(edge));
        let due_lines: FxHashSet<u32> = others.flat_map(|edge| edge.sites.iter().copied()).collect();
        let is_due = |at: u32| {
            known.is_open(file, at as usize) || due_lines.contains(&entry.facts.refs[at as usize].line)
        };
        let refs = refs.iter().copied().filter(|at| !is_due(*at)).collect();
        edges.retain(is_one_call);
        KnownCalls { edges, refs }
    }

    fn refs_of(&mut self, file: FileId, entry: &FileEntry) -> Rc<ByOwner> {
        let gather = || {
            let mut by_owner = ByOwner::default();
            for (r, at) in entry.facts.refs.iter().zip(0..) {
                by_owner.entry(r.owner).or_default().push(at);
            }
            Rc::new(by_owner)
        };
        Rc::clone(self.refs.entry(file).or_insert_with(gather))
    }

    /// Adds a call through a value.
    fn add_value_call(&self, to: DefRef, line: u32, links: &mut Vec<ChainLink>) {
        let (kind, line) = (Tie::Edge(EdgeKind::Calls), Some(line));
        links.push(ChainLink {
            to: to.into(),
            kind,
            confidence: Confidence::Flow,
            line,
            named: None,
            cost: SURE,
        });
    }

    fn call(&self, file: FileId, r: &Ref, links: &mut Vec<ChainLink>) {
        let sure = self.map.confirmed_meaning(self.resolver, file, r).map(|def| (def, Confidence::Live));
        let found = match sure {
            Some(found) => Some(found),
            None => match self.named_or_through(file, r, links) {
                Resolution::To(thing @ Thing::Def(_), confidence) => {
                    match self.map.used_node(file, r, &thing) {
                        Some(NodeRef::Def(def)) => Some((def, confidence)),
                        _ => return,
                    }
                }
                Resolution::Unresolved => None,
                Resolution::To(..) | Resolution::Dropped => return,
            },
        };
        let Some((def, confidence)) = found else { return self.add_guesses(file, r, links) };
        self.add_call_link(def, confidence, r.line, links);
    }

    /// Adds a call of a definition, and of those that override it.
    fn add_call_link(&self, to: DefRef, confidence: Confidence, line: u32, links: &mut Vec<ChainLink>) {
        let cost = if confidence == Confidence::Name { BY_NAME } else { SURE };
        let (kind, line) = (Tie::Edge(EdgeKind::Calls), Some(line));
        links.push(ChainLink { to: to.into(), kind, confidence, line, named: None, cost });
        self.add_overriding_links(to, links.last().cloned(), links);
    }

    /// Resolves a call by its name. Calls through values are added to the links; if they replace the name's meaning,
    /// the result is [`Resolution::Dropped`].
    fn named_or_through(&self, file: FileId, r: &Ref, links: &mut Vec<ChainLink>) -> Resolution {
        let found = self.resolver.resolve(file, r);
        let Some(through) = self.map.through_values(self.resolver, file, r, &found) else { return found };
        through.reached.into_iter().for_each(|to| self.add_value_call(to, r.line, links));
        if through.instead { Resolution::Dropped } else { found }
    }

    /// Adds the methods that override a method: as targets of a call of it, or of the method itself.
    fn add_overriding_links(&self, method: DefRef, call: Option<ChainLink>, links: &mut Vec<ChainLink>) {
        for over in self.families.related_methods(method, Kinship::Overriding) {
            links.push(match &call {
                Some(call) => ChainLink {
                    to: over.into(),
                    named: Some(method.into()),
                    cost: call.cost + OVERRIDING,
                    ..call.clone()
                },
                None => ChainLink {
                    to: over.into(),
                    kind: Tie::Overrides,
                    confidence: Confidence::Import,
                    line: None,
                    named: None,
                    cost: SURE,
                },
            });
        }
    }

    fn add_guesses(&self, file: FileId, r: &Ref, links: &mut Vec<ChainLink>) {
        let candidates = self.resolver.all_candidates(file, r).list;
        if candidates.len() > MOST_GUESSED {
            return;
        }
        let (kind, line) = (Tie::Edge(EdgeKind::Calls), Some(r.line));
        links.extend(candidates.into_iter().zip(0..).map(|(def, place)| ChainLink {
            to: def.into(),
            kind,
            confidence: Confidence::Candidate,
            line,
            named: None,
            cost: GUESSED + UNLIKELY * place,
        }));
    }

    /// Adds the functions defined in a function: they run when it does, or it makes them to run later.
    fn written_in(&self, def: DefRef, links: &mut Vec<ChainLink>) {
        let Some(entry) = self.map.index.entry(def.file) else { return };
        let inner =
            entry.facts.defs_indexed().filter(|(_, d)| d.parent == Some(def.def) && d.kind.is_callable());
        links.extend(inner.map(|(inner, found)| ChainLink {
            to: DefRef { file: def.file, def: inner }.into(),
            kind: Tie::Edge(EdgeKind::Contains),
            confidence: Confidence::Exact,
            line: Some(found.name_at.0),
            named: None,
            cost: SURE + OVERRIDING,
        }));
    }
}

fn link_of_edge(edge: &Edge) -> ChainLink {
    let cost = if edge.confidence == Confidence::Name { BY_NAME } else { SURE };
    let (kind, line) = (Tie::Edge(edge.kind), edge.sites.first().copied());
    ChainLink { to: edge.to, kind, confidence: edge.confidence, line, named: None, cost }
}
