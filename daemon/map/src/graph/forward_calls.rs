//! Finds the callers of a definition that only following values forwards finds.
//!
//! A search for callers follows the definition's value backwards, from the files that read it unless these are too many. A
//! derivation asks the other way round, for each call what it reaches. So where it found a caller that the
//! search did not, that caller is asked what it reaches now. This also works while files have changed since: the
//! derivation only says whom to ask.

use hob_base::CancelToken;
use rustc_hash::FxHashSet;

use super::edges::Edge;
use super::inbound::Inbound;
use super::skeleton::Skeleton;
use super::{DefRef, EdgeKind, Map, NodeRef};
use crate::facts::{DefIdx, FileFacts};
use crate::resolve::Resolver;

/// Most callers of the last derivation that are asked for one definition.
const LEADING_FORWARDS: usize = 256;

impl Map {
    /// Adds the calls of a definition from callers of the last derivation that are not among the found ones.
    pub(super) fn add_calls_that_lead_forwards(
        &self,
        resolver: &Resolver<'_>,
        def: DefRef,
        cancel: &CancelToken,
        found: &mut Inbound,
    ) {
        if resolver.is_passing() || found.stopped.is_some() {
            return;
        }
        let Some(skeleton) = &self.standing.skeleton else { return };
        let Some(number) = self.number_at_derivation(skeleton, def) else { return };
        let is_call = |edge: &&Edge| edge.kind == EdgeKind::Calls && edge.is_resolved();
        let callers = found.edges.iter().filter(|edge| is_call(edge) && edge.to == def.into());
        let callers: FxHashSet<NodeRef> = callers.map(|edge| edge.from).collect();
        let sources = skeleton.edges(number, true).filter(|(kind, _)| *kind == EdgeKind::Calls);
        let sources = sources.filter_map(|(_, source)| self.node_since_derivation(skeleton, source));
        let missing: FxHashSet<NodeRef> = sources.filter(|source| !callers.contains(source)).collect();
        found.is_cut |= missing.len() > LEADING_FORWARDS;
        let mut missing: Vec<NodeRef> = missing.into_iter().collect();
        missing.sort_unstable();
        for source in missing.into_iter().take(LEADING_FORWARDS) {
            if let Err(stopped) = cancel.check() {
                found.stopped = Some(stopped);
                break;
            }
            found.edges.extend(self.edge_between(resolver, source, def.into(), EdgeKind::Calls));
        }
    }

    /// Returns the number that a definition had in the last derivation; `None` if it was not there.
    pub(super) fn number_at_derivation(&self, skeleton: &Skeleton, def: DefRef) -> Option<u32> {
        if !self.standing.changed.contains(&def.file) {
            return skeleton.node_number(def.into());
        }
        let stretch = skeleton.stretch_of_file(def.file)?;
        let now = &self.index.entry(def.file)?.facts;
        Some(stretch.number_of_def(same_def(now, def.def, &stretch.facts)?))
    }

    /// Returns the node that had a number in the last derivation; `None` if it is gone.
    pub(super) fn node_since_derivation(&self, skeleton: &Skeleton, number: u32) -> Option<NodeRef> {
        let node = skeleton.node(number)?;
        match node {
            NodeRef::Def(def) if self.standing.changed.contains(&def.file) => {
                let then = &skeleton.stretch_of_file(def.file)?.facts;
                let now = &self.index.entry(def.file)?.facts;
                Some(DefRef { file: def.file, def: same_def(then, def.def, now)? }.into())
            }
            _ => Some(node),
        }
    }
}

/// Returns the definition of other facts of a file that has the name, place in a row of equal names, and kind of a
/// definition of these facts.
fn same_def(of: &FileFacts, def: DefIdx, other: &FileFacts) -> Option<DefIdx> {
    let one = of.defs.get(def.index())?;
    let name = other.names.find(of.name(one.qualified))?;
    let is_same = |other: &crate::facts::Def| {
        other.qualified == name && other.ordinal == one.ordinal && other.kind == one.kind
    };
    // Most changes leave what stands before them, or move what stands behind them, by as many definitions as came.
    let moved = (def.index() + other.defs.len()).checked_sub(of.defs.len());
    let mut likely = [Some(def.index()), moved].into_iter().flatten();
    let found = likely.find(|at| other.defs.get(*at).is_some_and(is_same));
    found.or_else(|| other.defs.iter().position(is_same)).map(|at| DefIdx::new(at as u32))
}
