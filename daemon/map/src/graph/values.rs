//! Decides which definitions a call reaches through values: a variable, an argument, a result, a field, a container.
//!
//! `resolve::flow` follows the values; this module decides when its answer counts. A call whose name alone surely means
//! code of the project keeps that meaning; if the name is rebound, or means something outside, the definitions of its
//! values come beside it. A call of a variable, or of something unresolved, becomes calls of what the variable holds.

use hob_base::FileId;
use rustc_hash::FxHashSet;

use super::edges::Edges;
use super::outbound::owner_node;
use super::{Confidence, DefRef, EdgeKind, Map};
use crate::facts::{Call, CallKind, DefIdx, Ref, RefKind};
use crate::resolve::{CallAt, Resolution, Resolver, Thing};

/// The definitions that a call with a reference reaches through values.
pub(super) struct ThroughValues {
    /// The definitions that the call reaches.
    pub(super) reached: Vec<DefRef>,
    /// True if they replace the definition that the name means.
    pub(super) instead: bool,
}

/// A call of a value that no reference names.
pub(super) struct UnnamedCall {
    /// The calling definition; `None` at file level.
    pub(super) from: Option<DefIdx>,
    pub(super) to: DefRef,
    pub(super) line: u32,
    /// False if a query may find that the call reaches something else.
    pub(super) is_sure: bool,
}

/// A call that reaches a definition through values.
pub(super) struct ReachingCall {
    pub(super) file: FileId,
    /// The calling definition; `None` at file level.
    pub(super) owner: Option<DefIdx>,
    /// Line and column of the call.
    pub(super) place: (u32, u32),
    /// The index, in the file's list, of the reference that names what is called; `None` if there is none.
    pub(super) reference: Option<usize>,
}

/// A call whose values are followed.
struct FollowedCall {
    /// The code that its name means, if it means code.
    own: Option<DefRef>,
    /// True if the definitions that its values reach replace what the name means.
    instead: bool,
}

impl Map {
    /// Returns the definitions that a call reaches through values; `None` if values add nothing to the name.
    pub(super) fn through_values(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        r: &Ref,
        found: &Resolution,
    ) -> Option<ThroughValues> {
        let FollowedCall { own, instead } = self.followed_call(resolver, r, found)?;
        if resolver.is_passing() && matches!(found, Resolution::Unresolved | Resolution::Dropped) {
            // A pass over the whole map skips these; a query for one node finds them.
            return None;
        }
        let at = resolver.call_at(file, (r.line, r.col()))?;
        let mut reached = resolver.reached_defs(at);
        if instead && own.is_none() && reached.is_empty() && resolver.is_of_library(at) {
            return matches!(found, Resolution::To(..)).then_some(ThroughValues { reached, instead });
        }
        if !instead {
            reached.retain(|def| Some(*def) != own);
        }
        (!reached.is_empty()).then_some(ThroughValues { reached, instead })
    }

    /// Returns what the name of a call means and whether its values may mean something else; `None` if they are not
    /// followed.
    fn followed_call(&self, resolver: &Resolver<'_>, r: &Ref, found: &Resolution) -> Option<FollowedCall> {
        if r.kind() != RefKind::Call {
            return None;
        }
        Some(match found {
            Resolution::To(Thing::Def(def), confidence) => {
                let kind = self.index.entry(def.file)?.facts.defs.get(def.def.index())?.kind;
                let is_code = kind.is_callable() || kind.is_type();
                if is_code && *confidence < Confidence::Flow && !resolver.is_rebound(*def) {
                    return None;
                }
                let own = Some(*def).filter(|_| is_code);
                FollowedCall { own, instead: !is_code || *confidence > Confidence::Flow }
            }
            Resolution::To(..) => FollowedCall { own: None, instead: false },
            Resolution::Unresolved | Resolution::Dropped => FollowedCall { own: None, instead: true },
        })
    }

    /// Returns true if a query, which follows values into callers, may find that a call means something else than a pass
    /// over the whole map has found: `found` by its name, and `through` by its values.
    pub(super) fn may_mean_something_else(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        r: &Ref,
        found: &Resolution,
        through: Option<&ThroughValues>,
    ) -> bool {
        let Some(call) = self.followed_call(resolver, r, found) else { return false };
        // Files of most languages have no values.
        let Some(at) = resolver.call_at(file, (r.line, r.col())) else { return false };
        match (through, found) {
            (Some(_), _) => resolver.may_reach_others(at),
            // No search for its name finds anything there.
            (None, Resolution::Dropped) => false,
            (None, _) => call.instead,
        }
    }

    /// Returns the calls without a reference, of one definition, of the file's own text, or of all.
    pub(super) fn calls_of_values(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        owner: Option<Option<DefIdx>>,
    ) -> Vec<UnnamedCall> {
        let Some(entry) = self.index.entry(file).filter(|entry| !entry.facts.flows.is_empty()) else {
            return Vec::new();
        };
        let named: FxHashSet<(u32, u32)> = entry
            .facts
            .refs
            .iter()
            .filter(|r| r.kind() == RefKind::Call)
            .map(|r| (r.line, r.col()))
            .collect();
        let is_implicit = |call: &Call| call.kind == CallKind::Implicit;
        let mut found = Vec::new();
        let opened = resolver.uses_in_file(file, entry);
        for (at, call) in opened.flows.calls.iter().enumerate() {
            if !is_implicit(call) && named.contains(&(call.line, call.col)) {
                continue;
            }
            let at = CallAt { file, call: crate::facts::CallIdx(at as u32) };
            let Some((from, _)) = resolver.owner_of_call(at) else { continue };
            if owner.is_none_or(|owner| owner == from) {
                let reached = resolver.reached_defs(at);
                let is_asked = resolver.is_passing() && !reached.is_empty();
                let is_sure = !(is_asked && resolver.may_reach_others(at));
                let line = call.line;
                found.extend(reached.into_iter().map(|to| UnnamedCall { from, to, line, is_sure }));
            }
        }
        found
    }

    pub(super) fn add_calls_of_values(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        owner: Option<Option<DefIdx>>,
        edges: &mut Edges,
    ) {
        for call in self.calls_of_values(resolver, file, owner) {
            let (from, to) = (owner_node(file, call.from), call.to.into());
            edges.add_resolved(from, to, EdgeKind::Calls, Confidence::Flow, Some(call.line));
        }
    }

    /// Returns the calls that reach a definition through values and whose names do not decide it.
    pub(super) fn calls_reaching_def(&self, resolver: &Resolver<'_>, def: DefRef) -> Vec<ReachingCall> {
        let mut found = Vec::new();
        let start = self.files_that_read(resolver, def);
        for at in resolver.calls_reaching(def, &start) {
            let Some((owner, call)) = resolver.owner_of_call(at) else { continue };
            let Some(entry) = self.index.entry(at.file) else { continue };
            let place = (call.line, call.col);
            let here = |r: &Ref| r.kind() == RefKind::Call && (r.line, r.col()) == place;
            let named = entry.facts.refs.iter().position(here);
            let reference = named.filter(|_| call.kind != CallKind::Implicit);
            let owner = match reference.and_then(|named| entry.facts.refs.get(named)) {
                None => owner,
                Some(r) if self.confirmed_meaning(resolver, at.file, r).is_some() => continue,
                Some(r) => match self.through_values(resolver, at.file, r, &resolver.resolve(at.file, r)) {
                    Some(through) if through.reached.contains(&def) => r.owner,
                    _ => continue,
                },
            };
            // Following the values forwards decides.
            if resolver.reached_defs(at).contains(&def) {
                found.push(ReachingCall { file: at.file, owner, place, reference });
            }
        }
        found
    }
}
