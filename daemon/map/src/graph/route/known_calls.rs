//! Splits the calls of a node into those whose meaning the skeleton of the last derivation knows, and those that a search
//! has to resolve.
//!
//! An edge of the skeleton says on which lines its uses are, not which references make it. So a call counts as known if
//! the edges have exactly as many uses of its name on its line as the line has such calls, all sure, and none by a value.
//! All others are resolved: those that the derivation left open, those that it drops, as the functions of a language,
//! which may call what is passed to them, and those of names that an import changes.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::FileFacts;
use crate::graph::skeleton::Skeleton;
use crate::graph::{Confidence, DefRef, EdgeKind, Map, NodeRef};

/// A call whose meaning is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownCall {
    pub(super) to: DefRef,
    pub(super) confidence: Confidence,
    pub(super) line: u32,
}

/// The calls of a node.
#[derive(Debug, Default)]
pub(super) struct SplitCalls {
    pub(super) known: Vec<KnownCall>,
    /// The calls through values, or by a receiver that is followed. Which of these they are is not known, and matters: a
    /// value is a certain definition, and no call of it reaches those that override it.
    pub(super) through_values: Vec<KnownCall>,
    /// The calls that have to be resolved, by their indices in the file's list of references.
    pub(super) unknown: Vec<usize>,
}

/// A name with a line on which it is called.
type CallPlace<'m> = (&'m str, u32);

impl Map {
    /// Splits the calls of a node, given the indices of its references of calls in the file's list; `None` if the skeleton,
    /// which must be up to date, does not have the node, or not all lines of its edges.
    pub(super) fn split_calls(
        &self,
        skeleton: &Skeleton,
        node: NodeRef,
        calls: &[u32],
    ) -> Option<SplitCalls> {
        let facts = &self.index.entry(node.file()?)?.facts;
        let mut split = SplitCalls::default();
        let mut uncertain_lines = FxHashSet::default();
        let mut meanings: FxHashMap<CallPlace<'_>, Vec<KnownCall>> = FxHashMap::default();
        for (end, uses) in skeleton.edges_with_uses(skeleton.node_number(node)?, EdgeKind::Calls) {
            if uses.count > uses.lines.len() {
                return None;
            }
            let is_uncertain = uses.is_mixed || uses.confidence == Confidence::Flow;
            let target = match skeleton.node(end) {
                Some(NodeRef::Def(to)) => self.name_of_def(to).map(|name| (to, name)),
                _ => None,
            };
            uncertain_lines.extend(uses.lines.iter().copied().filter(|_| is_uncertain));
            let Some((to, name)) = target.filter(|_| !uses.is_mixed) else { continue };
            for line in uses.lines {
                let call = KnownCall { to, confidence: uses.confidence, line };
                match is_uncertain {
                    true => split.through_values.push(call),
                    false => meanings.entry((name, line)).or_default().push(call),
                }
            }
        }
        let mut by_place: FxHashMap<CallPlace<'_>, Vec<usize>> = FxHashMap::default();
        for at in calls.iter().map(|at| *at as usize) {
            let Some(call) = facts.refs.get(at) else { continue };
            if skeleton.is_open(node.file()?, at) || uncertain_lines.contains(&call.line) {
                split.unknown.push(at);
            } else {
                by_place.entry((FileFacts::name(facts, call.name), call.line)).or_default().push(at);
            }
        }
        for (place, calls) in by_place {
            match meanings.remove(&place) {
                Some(known) if known.len() == calls.len() => split.known.extend(known),
                _ => split.unknown.extend(calls),
            }
        }
        split.unknown.sort_unstable();
        Some(split)
    }

    fn name_of_def(&self, def: DefRef) -> Option<&str> {
        let facts = &self.index.entry(def.file)?.facts;
        Some(FileFacts::name(facts, facts.defs.get(def.def.index())?.name))
    }
}
