//! Finds the callers of a definition that only following values forwards finds, and says where callers may be missing.
//!
//! A search for callers follows the definition's value backwards, into every file that mentions its name unless these are
//! too many. A derivation asks the other way round, for each call what it reaches. So where it found a caller that the
//! search did not, that caller is asked what it reaches now. This also works while files have changed since: the
//! derivation only says whom to ask.
//!
//! A derivation does not know the calls of parameters. So if the search left files out, and somewhere the definition is
//! passed on without being called, callers may be missing, and [`Map::may_lack_callers`] says so.

use hob_base::{CancelToken, FileId};
use rustc_hash::FxHashSet;

use super::edges::Edge;
use super::inbound::Inbound;
use super::skeleton::Skeleton;
use super::{DefRef, EdgeKind, Map, NodeRef};
use crate::facts::{DefIdx, FileFacts, Receiver, Ref, RefKind, StrId};
use crate::resolve::Resolver;

/// Most callers of the last derivation that are asked for one definition.
const LEADING_FORWARDS: usize = 256;

/// Most users, and most reads of one of them, that are looked at to find out whether one of them passes a definition on.
const MOST_USERS: usize = 256;

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

    /// Returns true if a search for the callers of a definition, which must have run with this resolver, may lack some
    /// that receive it, or the class that it constructs, as a value.
    pub(super) fn may_lack_callers(&self, resolver: &Resolver<'_>, def: DefRef) -> bool {
        let class = resolver.constructed_class(def);
        resolver.has_cut_callers(def)
            && std::iter::once(def).chain(class).any(|def| self.may_be_passed_on(def))
    }

    /// Returns true if somewhere a definition is a value without being called, so that other code may call it by another
    /// name. A derivation tells where; without one, for a definition that is newer, and in files that have changed since,
    /// each use of its name counts. A definition with very many users is taken to be passed on by one of them.
    fn may_be_passed_on(&self, def: DefRef) -> bool {
        let Some(entry) = self.index.entry(def.file) else { return false };
        let Some(name) = entry.facts.defs.get(def.def.index()).map(|found| entry.facts.name(found.name))
        else {
            return false;
        };
        let mentioning = self.index.files_mentioning(name).iter().map(|&file| FileId(file));
        let skeleton = self.standing.skeleton.as_ref();
        let Some((skeleton, number)) =
            skeleton.and_then(|skeleton| Some((skeleton, self.number_at_derivation(skeleton, def)?)))
        else {
            let mut mentioning = mentioning.enumerate();
            return mentioning.any(|(at, file)| at >= MOST_USERS || self.has_value_named(file, name, None));
        };
        let mut changed = mentioning.filter(|file| self.standing.changed.contains(file));
        if changed.any(|file| self.has_value_named(file, name, None)) {
            return true;
        }
        let sources = skeleton.edges(number, true).filter(|(kind, _)| *kind == EdgeKind::References);
        let mut sources = sources.filter_map(|(_, source)| skeleton.node(source)).enumerate();
        sources.any(|(at, source)| match source {
            _ if at >= MOST_USERS => true,
            NodeRef::Def(user) => self.has_value_named(user.file, name, Some(Some(user.def))),
            NodeRef::File(file) => self.has_value_named(file, name, Some(None)),
            NodeRef::External(_) => false,
        })
    }

    /// Returns true if a file, or one owner in it, reads a name, or another name under which the file imports it, without
    /// calling it or a member of it.
    fn has_value_named(&self, file: FileId, name: &str, owner: Option<Option<DefIdx>>) -> bool {
        let Some(facts) = self.index.entry(file).map(|entry| &entry.facts) else { return false };
        let Some(id) = facts.names.find(name) else { return false };
        let renamed = facts.imports.iter().filter(|import| import.name == Some(id));
        let mut names = renamed.filter_map(|import| import.local).chain([id]);
        names.any(|name| {
            let reads = facts.refs_named(name).iter().filter(|r| r.kind() == RefKind::Use);
            let reads = reads.filter(|r| owner.is_none_or(|owner| r.owner == owner));
            let reads: Vec<&Ref> = reads.take(MOST_USERS + 1).collect();
            let members =
                if reads.is_empty() { FxHashSet::default() } else { places_of_members(facts, &reads) };
            reads.len() > MOST_USERS || reads.iter().any(|r| !is_only_receiver(facts, r, &members))
        })
    }

    /// Returns the number that a definition had in the last derivation; `None` if it was not there.
    fn number_at_derivation(&self, skeleton: &Skeleton, def: DefRef) -> Option<u32> {
        if !self.standing.changed.contains(&def.file) {
            return skeleton.node_number(def.into());
        }
        let stretch = skeleton.stretch_of_file(def.file)?;
        let now = &self.index.entry(def.file)?.facts;
        Some(stretch.number_of_def(same_def(now, def.def, &stretch.facts)?))
    }

    /// Returns the node that had a number in the last derivation; `None` if it is gone.
    fn node_since_derivation(&self, skeleton: &Skeleton, number: u32) -> Option<NodeRef> {
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

/// Returns the places at which a file names a member of what one of these reads means: that of `create` in
/// `Model.create()`.
fn places_of_members(facts: &FileFacts, reads: &[&Ref]) -> FxHashSet<(u32, u32)> {
    let paths: FxHashSet<StrId> = reads.iter().filter_map(|read| path_of(facts, read)).collect();
    let is_member = |r: &&Ref| matches!(r.receiver(), Receiver::Path(path) if paths.contains(&path));
    facts.refs.iter().filter(is_member).map(|r| (r.line, r.col())).collect()
}

/// Returns the path by which a read names something: `Model`, `shapes.Model`.
fn path_of(facts: &FileFacts, read: &Ref) -> Option<StrId> {
    match read.receiver() {
        Receiver::None => Some(read.name),
        Receiver::Path(before) => {
            facts.names.find(&format!("{}.{}", facts.name(before), facts.name(read.name)))
        }
        _ => None,
    }
}

/// Returns true if a member of what is read is named directly behind the read. A member that is passed on is a value of
/// its own.
fn is_only_receiver(facts: &FileFacts, read: &Ref, members: &FxHashSet<(u32, u32)>) -> bool {
    let behind_dot = read.col() + facts.name(read.name).encode_utf16().count() as u32 + 1;
    members.contains(&(read.line, behind_dot))
}

/// Returns the definition of other facts of a file that has the name, place in a row of equal names, and kind of a
/// definition of these facts.
fn same_def(of: &FileFacts, def: DefIdx, other: &FileFacts) -> Option<DefIdx> {
    let one = of.defs.get(def.index())?;
    let name = other.names.find(of.name(one.qualified))?;
    let is_same = |other: &crate::facts::Def| {
        other.qualified == name && other.ordinal == one.ordinal && other.kind == one.kind
    };
    other.defs.iter().position(is_same).map(|at| DefIdx::new(at as u32))
}
