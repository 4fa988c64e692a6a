//! Finds the files that read a definition as a value, where a search for the calls that reach it through values starts.
//!
//! If few files mention a definition, the search starts in all of them. If many do, most only call it. The last derivation
//! knows which files use it otherwise, and in which files its name is open; without a derivation, every file that mentions
//! the name counts. Files that only call the definition, or a member of a class, are left out. If those that the derivation
//! knows are still too many, callers may be missing, and [`Map::may_lack_callers`] says so. If those are too many in which
//! the name is merely open, they are left out without a word: `save` is open in hundreds of files.

use hob_base::FileId;
use rustc_hash::FxHashSet;

use super::skeleton::Skeleton;
use super::{DefRef, EdgeKind, Map, NodeRef};
use crate::facts::{FileFacts, Receiver, Ref, RefKind, StrId};
use crate::resolve::{Resolver, START_FILES, StartFiles};

/// Most files that are known to use a definition and are examined for one that reads it as a value.
const FILES_EXAMINED: usize = 1024;

/// Most files that are examined if the name is merely open in some of them.
const OPEN_FILES_EXAMINED: usize = 128;

/// Most reads of a name in a file that are examined; beyond, one of them is taken to be of a value.
const READS_EXAMINED: usize = 256;

/// The files that may read a definition as a value, beside its own.
#[derive(Default)]
struct ReadCandidates {
    /// Those in which its name means it and is not only called, as far as that is known.
    naming: Vec<FileId>,
    /// The others, in which its name may mean it.
    open: Vec<FileId>,
    /// True if its own file is one of the first kind.
    is_named_at_home: bool,
}

impl Map {
    /// Returns the files in which a search for the calls of a definition through values starts.
    pub(super) fn files_that_read(&self, resolver: &Resolver<'_>, def: DefRef) -> StartFiles {
        let ReadCandidates { mut naming, open, .. } = self.candidates_for_reads(resolver, def);
        // What a bound leaves out must not depend on the order of a hash table.
        naming.sort_unstable();
        let reads = |file: &FileId| self.reads_as_value(resolver, *file, def);
        let mut all = [naming.as_slice(), &open].concat();
        if (START_FILES + 1..=OPEN_FILES_EXAMINED).contains(&all.len()) {
            all.retain(reads);
        }
        if all.len() <= START_FILES {
            return StartFiles { files: all.into(), is_cut: false };
        }
        let is_cut = naming.len() > FILES_EXAMINED || {
            naming.retain(reads);
            naming.len() > START_FILES
        };
        StartFiles { files: if is_cut { [].into() } else { naming.into() }, is_cut }
    }

    /// Returns true if a search for the callers of a definition, which must have run with this resolver, may lack some
    /// that receive it, or the class that it constructs, as a value.
    pub(super) fn may_lack_callers(&self, resolver: &Resolver<'_>, def: DefRef) -> bool {
        let of_class =
            |class| self.files_that_read(resolver, class).is_cut || self.has_lost_calls(resolver, class);
        self.has_lost_calls(resolver, def) || resolver.constructed_class(def).is_some_and(of_class)
    }

    /// Returns true if a bound cut a search for the calls of a definition, and the definition is a value somewhere, which
    /// those calls may reach: where it stands, or where a file reads it.
    fn has_lost_calls(&self, resolver: &Resolver<'_>, def: DefRef) -> bool {
        resolver.has_cut_search(def) && {
            let ReadCandidates { naming, is_named_at_home, .. } = self.candidates_for_reads(resolver, def);
            let home = is_named_at_home.then_some(def.file);
            let mut files = home.into_iter().chain(naming).enumerate();
            resolver.is_value_where_it_stands(def)
                || files.any(|(at, file)| at >= FILES_EXAMINED || self.reads_as_value(resolver, file, def))
        }
    }

    fn candidates_for_reads(&self, resolver: &Resolver<'_>, def: DefRef) -> ReadCandidates {
        let Some(entry) = self.index.entry(def.file).filter(|entry| !entry.facts.flows.is_empty()) else {
            return ReadCandidates::default();
        };
        let Some(found) = entry.facts.defs.get(def.def.index()) else { return ReadCandidates::default() };
        if !(found.kind.is_callable() || found.kind.is_type()) {
            return ReadCandidates::default();
        }
        if is_local(resolver, &entry.facts, def) {
            return ReadCandidates { is_named_at_home: true, ..ReadCandidates::default() };
        }
        let name = entry.facts.name(found.name);
        let elsewhere = |files: &[u32]| -> Vec<FileId> {
            files.iter().map(|&file| FileId(file)).filter(|file| *file != def.file).collect()
        };
        let mentioning = self.index.files_mentioning(name);
        // A use of the other definition of the name means this one too.
        let skeleton = self.standing.skeleton.as_ref().filter(|_| !self.has_other_meaning(def));
        let Some((skeleton, number)) =
            skeleton.and_then(|skeleton| Some((skeleton, self.number_at_derivation(skeleton, def)?)))
        else {
            return ReadCandidates {
                naming: elsewhere(mentioning),
                open: Vec::new(),
                is_named_at_home: true,
            };
        };
        let mut naming = files_of_readers(skeleton, number);
        let is_named_at_home = naming.remove(&def.file) || self.standing.changed.contains(&def.file);
        // What a file calls `save` may be the method of another class by its name, and this one by its values.
        let are_few = mentioning.len() <= START_FILES;
        let open = if !are_few && self.surroundings_for(resolver).is_some() {
            elsewhere(skeleton.files_with_open(name))
        } else {
            let mentioning = elsewhere(mentioning);
            naming.extend(mentioning.iter().filter(|file| self.standing.changed.contains(file)));
            mentioning
        };
        let open = open.into_iter().filter(|file| !naming.contains(file)).collect();
        ReadCandidates { naming: naming.into_iter().collect(), open, is_named_at_home }
    }

    /// Returns true if a file reads a definition, under its own name or another one, without calling it, or a member of it
    /// if it is a type; or if the language calls a member of its name there.
    fn reads_as_value(&self, resolver: &Resolver<'_>, file: FileId, def: DefRef) -> bool {
        let Some(facts) = self.index.entry(file).map(|entry| &entry.facts) else { return false };
        let home = self.index.entry(def.file).and_then(|entry| entry.facts.defs.get(def.def.index()));
        let is_type = home.is_some_and(|found| found.kind.is_type());
        resolver.names_of_def_in(def, file).into_iter().any(|name| {
            let reads = facts.refs_named(name).iter();
            let is_read = |r: &&Ref| matches!(r.kind(), RefKind::Use | RefKind::Framework | RefKind::Key);
            let reads = reads.filter(is_read);
            let reads: Vec<&Ref> = reads.take(READS_EXAMINED + 1).collect();
            let is_many = reads.len() > READS_EXAMINED;
            let members = match is_type && !is_many && !reads.is_empty() {
                true => places_of_members(facts, &reads),
                false => FxHashSet::default(),
            };
            is_many
                || facts.flows.implied.contains(&name)
                || reads.iter().any(|r| !is_only_receiver(facts, r, &members))
        })
    }
}

/// Returns true if a definition is a local variable of a function, so that no other file can name it.
fn is_local(resolver: &Resolver<'_>, facts: &FileFacts, def: DefRef) -> bool {
    let found = facts.defs.get(def.def.index());
    let around = found.and_then(|found| facts.defs.get(found.parent?.index()));
    around.is_some_and(|around| around.kind.is_callable()) && resolver.is_in_own_variable(def)
}

/// Returns the files in which a definition was used in other ways than called, imported or contained.
fn files_of_readers(skeleton: &Skeleton, number: u32) -> FxHashSet<FileId> {
    let readers = skeleton.edges(number, true).filter(|(kind, _)| *kind == EdgeKind::References);
    let nodes = readers.filter_map(|(_, source)| skeleton.node(source));
    nodes.filter_map(|node: NodeRef| node.file()).collect()
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
