//! Finds the callers of a method that do not name it: code that makes an object runs the constructor of its type, and
//! may run whatever the language or a library calls on the object.
//!
//! It also recognises calls of a function's own parameter, which say nothing about who calls that function.

use hob_base::{CancelToken, FileId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::impact::{Affected, FrontierNode, ImpactSearch, only_kind};
use super::outbound::owner_node;
use super::{Confidence, DefRef, Edge, EdgeKind, EdgeKinds, Map, NodeRef};
use crate::facts::{CallIdx, DefKind, FlowValue, ScopeKind, Slot, SlotIdx, SlotKind};
use crate::resolve::{CallAt, Resolver};

/// Packages whose classes describe the abilities of a type, and call no method that the project's code does not call.
const LIBRARY_SHAPES: [&str; 9] =
    ["typing", "typing_extensions", "abc", "collections", "enum", "dataclasses", "std", "core", "java"];

/// Most types visited below or above one for methods of the same name.
const MAX_TYPES: usize = 256;

impl ImpactSearch<'_> {
    /// Adds the code that makes an object by a constructor. Returns true if there is some.
    pub(super) fn add_instantiations(
        &mut self,
        from: FrontierNode,
        hits: &mut FxHashMap<NodeRef, Affected>,
    ) -> bool {
        let NodeRef::Def(method) = from.node else { return false };
        let found = self.map.instantiations_by(&self.resolver, method, &self.query.cancel);
        let has_users = found.iter().any(Edge::is_resolved);
        found.into_iter().for_each(|edge| self.add_user(from, edge, hits));
        has_users
    }

    /// Adds the code that makes an object of a method's type, or of a type derived from it, as candidates.
    pub(super) fn add_makers_of_type(&mut self, from: FrontierNode, hits: &mut FxHashMap<NodeRef, Affected>) {
        let Some((owner, _)) = self.owner_and_name(from.node) else { return };
        let from = FrontierNode { confidence: Confidence::Candidate, ..from };
        let below = self.map.types_below(&self.resolver, owner, &self.query.cancel);
        for (class, _) in std::iter::once((owner, from.confidence)).chain(below) {
            let calls = only_kind(EdgeKind::Calls);
            for edge in self.map.edges_in_with(&self.resolver, class, calls, &self.query.cancel).edges {
                self.add_user(from, edge, hits);
            }
        }
    }
}

impl ImpactSearch<'_> {
    /// Returns true if the language calls a method by itself (`__exit__`), or a library may, because the method may override one of
    /// the library's.
    pub(super) fn is_called_from_outside(&self, node: NodeRef) -> bool {
        let (Some((owner, name)), NodeRef::Def(method)) = (self.owner_and_name(node), node) else {
            return false;
        };
        if self.map.made_by(&self.resolver, method).is_some() {
            return false;
        }
        if name.starts_with("__") && name.ends_with("__") {
            return true;
        }
        let NodeRef::Def(class) = owner else { return false };
        let above = self.resolver.types_above(class);
        let is_ready = |name: &str| LIBRARY_SHAPES.contains(&name.split(['.', '/']).next().unwrap_or(name));
        std::iter::once(class).chain(above).any(|class| {
            let kinds = [EdgeKind::Extends, EdgeKind::Implements].into_iter().collect();
            let bases = self.map.edges_out_with(&self.resolver, class.into(), kinds);
            bases.into_iter().any(|base| match base.to {
                NodeRef::External(package) => {
                    self.map.externals.name(package).is_some_and(|(_, name)| !is_ready(&name))
                }
                _ => false,
            })
        })
    }
}

impl Map {
    /// Returns the variables of a file whose definitions span the lines of an edge from the file itself: a registry, an
    /// option with its callback.
    pub(super) fn variables_on_lines(&self, edge: &Edge) -> Vec<NodeRef> {
        let NodeRef::File(file) = edge.from else { return Vec::new() };
        let Some(entry) = self.index.entry(file) else { return Vec::new() };
        let is_variable = |kind| matches!(kind, DefKind::Variable | DefKind::Constant);
        let held = entry.facts.defs_indexed().filter(|(_, def)| {
            def.parent.is_none()
                && is_variable(def.kind)
                && edge
                    .sites
                    .get(edge.sites.partition_point(|line| *line < def.lines.0))
                    .is_some_and(|line| *line <= def.lines.1)
        });
        held.map(|(def, _)| NodeRef::Def(DefRef { file, def })).collect()
    }

    /// Returns the calls that make an object by a constructor, as callers of the constructor: calls of its type, and of
    /// derived types that have no constructor of their own. Empty for any other method.
    pub(super) fn instantiations_by(
        &self,
        resolver: &Resolver<'_>,
        method: DefRef,
        cancel: &CancelToken,
    ) -> Vec<Edge> {
        let Some(made) = self.made_by(resolver, method) else { return Vec::new() };
        let inherits =
            |node: &NodeRef| matches!(node, NodeRef::Def(def) if self.constructors_of(*def).is_empty());
        let below = self.types_below(resolver, made.into(), cancel);
        let heirs = below.into_iter().filter(|(derived, _)| inherits(derived));
        // Only its arguments say which of several constructors a call means, and they are not examined here.
        let least =
            if self.is_only_constructor(made, method) { Confidence::Live } else { Confidence::Candidate };
        let mut found = Vec::new();
        for (class, sure) in std::iter::once((made.into(), least)).chain(heirs) {
            let calls = self.edges_in_with(resolver, class, only_kind(EdgeKind::Calls), cancel).edges;
            let as_call = |edge: Edge| Edge {
                to: method.into(),
                confidence: edge.confidence.max(sure).max(least),
                ..edge
            };
            found.extend(calls.into_iter().map(as_call));
        }
        found
    }

    /// Returns true if a type has no other constructor of the same name, that is, no overload.
    fn is_only_constructor(&self, made: DefRef, method: DefRef) -> bool {
        let name = |def: DefRef| {
            let entry = self.index.entry(def.file)?;
            Some(entry.facts.name(entry.facts.defs.get(def.def.index())?.name))
        };
        self.constructors_of(made).into_iter().filter(|one| name(*one) == name(method)).count() <= 1
    }

    /// Returns the types derived from one, at any number of steps, in order of place, with the least sure step on the
    /// way to each.
    pub(super) fn types_below(
        &self,
        resolver: &Resolver<'_>,
        owner: NodeRef,
        cancel: &CancelToken,
    ) -> Vec<(NodeRef, Confidence)> {
        let mut types = vec![(owner, Confidence::Live)];
        let mut seen = FxHashSet::from_iter([owner]);
        let mut at = 0;
        while at < types.len() && types.len() < MAX_TYPES {
            let (base, sure) = types[at];
            let kinds: EdgeKinds = [EdgeKind::Extends, EdgeKind::Implements].into_iter().collect();
            let derived = self.edges_in_with(resolver, base, kinds, cancel).edges;
            for edge in derived.into_iter().filter(Edge::is_resolved) {
                if seen.insert(edge.from) {
                    types.push((edge.from, sure.max(edge.confidence)));
                }
            }
            at += 1;
        }
        types.remove(0);
        types.sort_by(|a, b| self.compare_places(a.0, b.0));
        types
    }

    /// Returns true if every call of an edge calls a parameter of the caller, or of a function around it. The code that
    /// passed the function there names it, and is a user for that reason; other callers of the caller pass something
    /// else.
    pub(super) fn calls_only_parameters(&self, resolver: &Resolver<'_>, edge: &Edge) -> bool {
        let NodeRef::Def(DefRef { file, .. }) = edge.from else { return false };
        if edge.confidence != Confidence::Flow || edge.kind != EdgeKind::Calls {
            return false;
        }
        let of_edge = self.parameters_called_by(resolver, file, edge);
        !of_edge.is_empty() && of_edge.into_iter().all(|callee| callee)
    }

    /// Returns for each call of an edge whether it calls a parameter.
    fn parameters_called_by(&self, resolver: &Resolver<'_>, file: FileId, edge: &Edge) -> Vec<bool> {
        let (Some(entry), NodeRef::Def(to)) = (self.index.entry(file), edge.to) else { return Vec::new() };
        let opened = resolver.uses_in_file(file, entry);
        let flows = &opened.flows;
        // No argument passes the receiver of a method.
        let is_receiver = |at: SlotIdx, slot: &Slot| {
            let scope = flows.scopes.get(slot.scope.0 as usize);
            scope.is_some_and(|scope| {
                scope.params == at.0 && scope.home.is_some() && scope.kind != ScopeKind::Static
            })
        };
        let is_parameter = |callee| match flows.value(callee) {
            FlowValue::Slot(at) => flows
                .slots
                .get(at.0 as usize)
                .is_some_and(|slot| slot.kind != SlotKind::Variable && !is_receiver(at, slot)),
            _ => false,
        };
        let calls = flows.calls.iter().enumerate();
        let on_lines = calls.filter(|(_, call)| edge.sites.binary_search(&call.line).is_ok());
        let of_edge = on_lines.filter(|(at, _)| {
            let at = CallAt { file, call: CallIdx(*at as u32) };
            let owner = resolver.owner_of_call(at).map(|(owner, _)| owner_node(file, owner));
            owner == Some(edge.from) && resolver.reached_defs(at).contains(&to)
        });
        of_edge.map(|(_, call)| is_parameter(call.callee)).collect()
    }
}
