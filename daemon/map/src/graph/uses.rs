//! Searches for the uses of one definition.
//!
//! Only references of its name can mean it, and the index knows which files have some. An import or export that renames
//! the definition adds the new name to the names to search.

use std::rc::Rc;

use hob_base::{CancelToken, FileId, Stopped};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::answers::Use;
use super::edges::Edges;
use super::open_uses::OpenUses;
use super::outbound::{is_asked, owner_node, passes_on};
use super::values::ReachingCall;
use super::{Confidence, DefRef, EdgeKind, EdgeKinds, Map, NodeRef};
use crate::facts::{DefFlags, FileFacts, Import, Receiver, Ref, RefKind, StrId};
use crate::index::FileEntry;
use crate::langs::lang::Lang;
use crate::langs::semantics::Reach;
use crate::resolve::{NameLookup, Resolution, Resolver, SHOWN, Thing};

/// Number of files that are searched between two checks of the clock.
pub(super) const CHECK_EVERY: usize = 64;

/// Least number of files that are searched on all cores.
const PARALLEL: usize = 1024;

/// Most unresolved calls of a part of a search whose values are followed forwards.
const FOLLOWED: usize = 256;

/// Most parts of a parallel search: each part computes anew what files have in common.
const PARTS: usize = 8;

/// The key of cached candidates: folder, language group, name, kind of use, and true if something stands before the
/// name.
type FolderKey<'m> = (&'m str, Lang, &'m str, RefKind, bool);

/// The results of a part of a search.
struct PartialUses {
    further_names: Vec<String>,
    names_done: FxHashSet<(FileId, StrId)>,
    edges: Edges,
    repeated: Edges,
    places: Option<Vec<Use>>,
}

/// The search for the edges that end at one definition.
pub(super) struct Search<'s, 'm> {
    map: &'m Map,
    resolver: &'s Resolver<'m>,
    target: DefRef,
    /// The target's name.
    own_name: Option<&'m str>,
    /// Methods of the target's name that count as it: see [`Search::for_family`].
    kin: FxHashSet<DefRef>,
    /// The language groups of the target and its family.
    groups: Vec<Lang>,
    kinds: EdgeKinds,
    /// The names that are still to be searched.
    names: Vec<String>,
    met: FxHashSet<String>,
    /// The names of single files that were searched.
    locals: FxHashSet<(FileId, StrId)>,
    /// Candidates by folder, language group, name, kind of use and whether something stands before the name.
    by_folder: FxHashMap<FolderKey<'m>, Rc<[NodeRef]>>,
    /// For each name, true if only definitions nearby are candidates for it.
    only_near: FxHashMap<&'m str, bool>,
    /// Names, with the kind of use and whether something stands before them, that cannot mean the target in any other
    /// file.
    never: FxHashSet<(&'m str, RefKind, bool)>,
    /// The calls that reach the target through values: file, line, column.
    through: FxHashSet<(FileId, u32, u32)>,
    /// Number of unresolved calls whose values were followed forwards.
    followed: usize,
    /// The uses that the search looks at, if a skeleton knows the edges of the others; without one, all uses of the names.
    open_uses: Option<OpenUses<'m>>,
    /// Most files that are searched for each name.
    most_files: usize,
    /// True if a name has more files than that.
    pub(super) left_files: bool,
    pub(super) edges: Edges,
    /// Edges that the skeleton may know too.
    pub(super) repeated: Edges,
    /// Every resolved use with its place, if the caller wants places; then unresolved uses are skipped.
    pub(super) places: Option<Vec<Use>>,
}

/// Returns the indexes of at most `most` sorted numbers around one.
fn window_around(middle: u32, numbers: &[u32], most: usize) -> std::ops::Range<usize> {
    let at = numbers.partition_point(|number| *number < middle);
    let start = at.saturating_sub(most / 2).min(numbers.len().saturating_sub(most));
    start..numbers.len().min(start.saturating_add(most))
}

impl Map {
    /// Returns the language group of a node's file.
    fn group_of(&self, node: NodeRef) -> Option<Lang> {
        Some(self.index.entry(node.file()?)?.lang().language_group())
    }
}

impl<'s, 'm> Search<'s, 'm> {
    pub(super) fn new(map: &'m Map, resolver: &'s Resolver<'m>, target: DefRef, kinds: EdgeKinds) -> Self {
        Self {
            map,
            resolver,
            target,
            own_name: map.index.entry(target.file).and_then(|entry| {
                let def = entry.facts.defs.get(target.def.index())?;
                Some(FileFacts::name(&entry.facts, def.name))
            }),
            kin: FxHashSet::default(),
            groups: map.group_of(target.into()).into_iter().collect(),
            kinds,
            names: Vec::new(),
            met: FxHashSet::default(),
            locals: FxHashSet::default(),
            by_folder: FxHashMap::default(),
            only_near: FxHashMap::default(),
            never: FxHashSet::default(),
            through: FxHashSet::default(),
            followed: 0,
            open_uses: None,
            most_files: usize::MAX,
            left_files: false,
            edges: Edges::default(),
            repeated: Edges::default(),
            places: None,
        }
    }

    /// Makes the search collect the places of resolved uses, and skip unresolved ones.
    pub(super) fn for_places(self) -> Self {
        Self { places: Some(Vec::new()), ..self }
    }

    /// Restricts the search to the uses that a derivation left open, if its skeleton is up to date.
    pub(super) fn among_open_uses(self, uses: Option<OpenUses<'m>>) -> Self {
        Self { open_uses: uses, ..self }
    }

    /// Restricts the search to those files of each name whose numbers are nearest to the target's: in a first index, files of
    /// one folder have adjacent numbers.
    pub(super) fn in_most_files(self, most_files: usize) -> Self {
        Self { most_files, ..self }
    }

    /// Extends the search to uses of any method of a family. A use that can mean nothing but one of them counts as sure
    /// by name.
    pub(super) fn for_family(self, kin: &[NodeRef]) -> Self {
        let methods =
            kin.iter().filter_map(|node| if let NodeRef::Def(def) = node { Some(*def) } else { None });
        let mut groups = self.groups;
        groups.extend(kin.iter().filter_map(|node| self.map.group_of(*node)));
        groups.sort_unstable();
        groups.dedup();
        Self { kin: methods.collect(), groups, ..self }
    }

    /// Returns true if a definition is the target, or counts as it.
    fn is_wanted(&self, def: DefRef) -> bool {
        def == self.target || self.kin.contains(&def)
    }

    pub(super) fn run(&mut self, cancel: &CancelToken) -> Result<(), Stopped> {
        let Some(entry) = self.map.index.entry(self.target.file) else { return Ok(()) };
        let def = entry.facts.def(self.target.def);
        if self.kinds.has(EdgeKind::Contains)
            && let Some(container) = self.map.container(self.resolver, self.target)
        {
            let (from, to) = (container, self.target.into());
            self.edges.add_resolved(from, to, EdgeKind::Contains, Confidence::Exact, None);
        }
        self.add_confirmed();
        if self.kinds.has(EdgeKind::Calls) {
            self.add_reaching();
        }
        self.look_for(entry.facts.name(def.name));
        if def.flags.has(DefFlags::DEFAULT) {
            self.look_for("default");
        }
        let generated = entry.lang().semantics().generated.type_endings.iter();
        for ending in generated.filter(|_| def.parent.is_none() && def.kind.is_type()) {
            self.look_for(&format!("{}{ending}", entry.facts.name(def.name)));
        }
        while let Some(name) = self.names.pop() {
            let mentioning = self.map.index.files_mentioning(&name);
            let uses = self.open_uses.as_ref();
            let all = uses.map_or(mentioning, |uses| uses.files_to_search(&name, mentioning));
            let files = &all[window_around(self.target.file.0, all, self.most_files)];
            self.left_files |= files.len() < all.len();
            if files.len() < PARALLEL {
                self.look_through(files, &name, cancel)?;
            } else {
                self.look_through_in_parts(files, &name, cancel)?;
            }
        }
        Ok(())
    }

    fn add_confirmed(&mut self) {
        let wanted: Vec<DefRef> = std::iter::once(self.target).chain(self.kin.iter().copied()).collect();
        for target in wanted {
            for (file, r) in self.map.confirmed_uses(self.resolver, target) {
                let kind = EdgeKind::for_ref_kind(r.kind());
                if self.kinds.has(kind) {
                    let from = owner_node(file, r.owner);
                    self.edges.add_resolved(from, target.into(), kind, Confidence::Live, Some(r.line));
                    let is_renamed = !self.is_own_name(file, r.name);
                    self.note_place(Use::of_ref(file, r, kind, Confidence::Live, is_renamed));
                }
            }
        }
    }

    /// Adds the calls that reach the target through values.
    fn add_reaching(&mut self) {
        for call in self.map.calls_reaching_def(self.resolver, self.target) {
            let (from, to) = (owner_node(call.file, call.owner), self.target.into());
            let edges = if self.may_be_known(&call) { &mut self.repeated } else { &mut self.edges };
            edges.add_resolved(from, to, EdgeKind::Calls, Confidence::Flow, Some(call.place.0));
            self.through.insert((call.file, call.place.0, call.place.1));
        }
    }

    /// Returns true if the skeleton may know the edge of a call: the call has no reference, or one that is not open.
    fn may_be_known(&self, call: &ReachingCall) -> bool {
        let is_open = |uses: &OpenUses<'_>| call.reference.is_some_and(|at| uses.is_open(call.file, at));
        self.open_uses.as_ref().is_some_and(|uses| !is_open(uses))
    }

    fn look_through(&mut self, files: &[u32], name: &str, cancel: &CancelToken) -> Result<(), Stopped> {
        for (count, &file) in files.iter().enumerate() {
            if count % CHECK_EVERY == 0 {
                cancel.check()?;
            }
            self.look_in(FileId(file), name);
        }
        Ok(())
    }

    /// Searches files as `look_through` does, on all cores, for names that thousands of files mention. Uses that were
    /// found when time ran out are kept.
    fn look_through_in_parts(
        &mut self,
        files: &[u32],
        name: &str,
        cancel: &CancelToken,
    ) -> Result<(), Stopped> {
        let (map, target, kinds, done) = (self.map, self.target, self.kinds, &self.locals);
        let (wants_places, kin, through) = (self.places.is_some(), &self.kin, &self.through);
        let (groups, open_uses) = (&self.groups, &self.open_uses);
        let parts: Vec<(PartialUses, Result<(), Stopped>)> = files
            .par_chunks((PARALLEL / 4).max(files.len() / PARTS))
            .map(|files| {
                let resolver = Resolver::new(&map.index);
                let places = wants_places.then(Vec::new);
                let (kin, groups) = (kin.clone(), groups.clone());
                let new = Search::new(map, &resolver, target, kinds).among_open_uses(open_uses.clone());
                let mut part = Search { places, kin, groups, ..new };
                let here = |id: &&(FileId, StrId)| files.binary_search(&id.0.0).is_ok();
                part.through = through.clone();
                part.locals = done.iter().filter(here).copied().collect();
                let outcome = part.look_through(files, name, cancel);
                let Search { names: further_names, locals: names_done, edges, repeated, places, .. } = part;
                (PartialUses { further_names, names_done, edges, repeated, places }, outcome)
            })
            .collect();
        let mut outcome = Ok(());
        for (found, part) in parts {
            found.further_names.iter().for_each(|name| self.look_for(name));
            self.locals.extend(found.names_done);
            self.edges.merge(found.edges);
            self.repeated.merge(found.repeated);
            found.places.into_iter().flatten().for_each(|one| self.note_place(one));
            outcome = outcome.and(part);
        }
        outcome
    }

    fn look_for(&mut self, name: &str) {
        if self.met.insert(name.to_owned()) {
            self.names.push(name.to_owned());
        }
    }

    fn note_place(&mut self, found: Use) {
        if let Some(places) = &mut self.places {
            places.push(found);
        }
    }

    /// Returns true if a name in a file is the target's own.
    fn is_own_name(&self, file: FileId, name: StrId) -> bool {
        let entry = self.map.index.entry(file);
        entry.map(|entry| FileFacts::name(&entry.facts, name)) == self.own_name
    }

    fn look_in(&mut self, file: FileId, name: &str) {
        let Some(entry) = self.map.index.entry(file) else { return };
        let is_foreign = !self.groups.contains(&entry.lang().language_group());
        if is_foreign && self.open_uses.as_ref().is_some_and(|uses| !uses.has_source_in(file)) {
            // Candidates are never of another language group.
            return;
        }
        let Some(id) = entry.facts.names.find(name) else { return };
        let is_renamed = self.own_name != Some(name);
        self.add_uses_in_file(file, entry, id, is_renamed);
        for import in entry.facts.imports.iter().filter(|import| import.name == Some(id)) {
            let renames = import.local.is_some_and(|local| Some(local) != import.name);
            if self.open_uses.as_ref().is_none_or(|uses| renames || uses.looks_at_plain_imports()) {
                self.add_import_use(file, entry, import);
            }
        }
        for export in entry.facts.exports.iter().filter(|export| export.local == id && export.exported != id)
        {
            self.add_export_use(file, entry, entry.facts.name(export.exported));
        }
    }

    fn add_import_use(&mut self, file: FileId, entry: &'m FileEntry, import: &Import) {
        if !self.is_target(file, &self.resolver.binding(file, entry, import)) {
            return;
        }
        let (from, to) = (NodeRef::File(file), self.target.into());
        let is_known = self.open_uses.is_some();
        let edges = if is_known { &mut self.repeated } else { &mut self.edges };
        if self.kinds.has(EdgeKind::Exports) && passes_on(entry, import) {
            edges.add_resolved(from, to, EdgeKind::Exports, Confidence::Import, Some(import.line));
        }
        if self.kinds.has(EdgeKind::Imports) {
            edges.add_resolved(from, to, EdgeKind::Imports, Confidence::Import, Some(import.line));
            let is_renamed = import.name.is_none_or(|name| !self.is_own_name(file, name));
            self.note_place(Use::of_import(file, import, is_renamed));
        }
        if let Some(local) = import.local.filter(|&local| Some(local) != import.name) {
            self.add_uses_in_file(file, entry, local, true);
            if import.reexported {
                self.look_for(entry.facts.name(local));
            }
        }
    }

    fn add_export_use(&mut self, file: FileId, entry: &'m FileEntry, exported: &str) {
        if !self.is_target(file, &self.resolver.export_of(file, exported)) {
            return;
        }
        let line = entry.facts.defs.get(self.target.def.index()).filter(|_| file == self.target.file);
        if self.kinds.has(EdgeKind::Exports)
            && let Some(def) = line
        {
            let (from, to) = (NodeRef::File(file), self.target.into());
            let is_known = self.open_uses.is_some();
            let edges = if is_known { &mut self.repeated } else { &mut self.edges };
            edges.add_resolved(from, to, EdgeKind::Exports, Confidence::Exact, Some(def.lines.0));
        }
        self.look_for(exported);
    }

    fn is_target(&self, file: FileId, found: &NameLookup) -> bool {
        let NameLookup::Thing(thing, _) = found else { return false };
        match self.map.node_of(file, thing) {
            Some(NodeRef::Def(def)) => def == self.target || self.resolver.is_other_meaning(def, self.target),
            _ => false,
        }
    }

    /// Adds the references in one file to one name; `is_renamed` is true if that is not the target's own name.
    fn add_uses_in_file(&mut self, file: FileId, entry: &'m FileEntry, name: StrId, is_renamed: bool) {
        if !self.locals.insert((file, name)) {
            return;
        }
        let kinds = self.kinds;
        let first = entry.facts.first_ref_named(name);
        let named = entry.facts.refs[first..].iter().take_while(|r| r.name == name).enumerate();
        for (at, r) in named.filter(|(_, r)| is_asked(entry, r, kinds)) {
            let from = owner_node(file, r.owner);
            if self.open_uses.as_ref().is_some_and(|uses| !uses.is_open(file, first + at)) {
                continue;
            }
            if self.map.confirmed_meaning(self.resolver, file, r).is_some() {
                // The confirmed overlay has decided it: its edge is there already, or it means something else.
                continue;
            }
            let kind = EdgeKind::for_ref_kind(r.kind());
            let (found, overloads) = self.resolver.resolve_or_overloads(file, r);
            if self.is_told_by_values(file, r, &found) || !kinds.has(kind) {
                // The edge is there; the place of the name still counts.
                if kinds.has(kind) && self.through.contains(&(file, r.line, r.col())) {
                    self.note_place(Use::of_ref(file, r, kind, Confidence::Flow, is_renamed));
                }
                continue;
            }
            match found {
                Resolution::To(Thing::Def(def), confidence) if self.is_wanted(def) => {
                    self.edges.add_resolved(from, def.into(), kind, confidence, Some(r.line));
                    self.note_place(Use::of_ref(file, r, kind, confidence, is_renamed));
                }
                Resolution::Unresolved if self.reaches_target_forwards(file, r, from) => {
                    let to = self.target.into();
                    self.edges.add_resolved(from, to, kind, Confidence::Flow, Some(r.line));
                }
                Resolution::Unresolved if self.places.is_some() => {}
                Resolution::Unresolved => {
                    let candidates = match &overloads[..] {
                        [] => self.cached_candidates(file, entry, r),
                        // They depend on the reference, so that those of the next one may be others.
                        all if all.iter().any(|def| self.is_wanted(*def)) => self.candidates_from(file, r),
                        _ => Rc::default(),
                    };
                    if candidates.len() == 1 && self.is_told_by_name(file, r) {
                        let to = self.target.into();
                        self.edges.add_resolved(from, to, kind, Confidence::Name, Some(r.line));
                    } else if !candidates.is_empty() {
                        self.edges.add_unresolved(from, kind, candidates.to_vec(), r.line);
                    }
                }
                Resolution::To(..) | Resolution::Dropped => {}
            }
        }
    }

    /// Returns true if values decide the meaning of a call better than its name: its edge is there already, or it
    /// reaches something else.
    fn is_told_by_values(&mut self, file: FileId, r: &Ref, found: &Resolution) -> bool {
        if self.through.contains(&(file, r.line, r.col()))
            && !matches!(found, Resolution::To(Thing::Def(def), sure) if *def == self.target && *sure < Confidence::Flow)
        {
            return true;
        }
        let Resolution::To(Thing::Def(def), confidence) = found else { return false };
        let through =
            (*def == self.target).then(|| self.map.through_values(self.resolver, file, r, found)).flatten();
        let is_read = through.is_some_and(|through| through.instead);
        if is_read && self.kinds.has(EdgeKind::References) {
            let (from, to) = (owner_node(file, r.owner), (*def).into());
            self.edges.add_resolved(from, to, EdgeKind::References, *confidence, Some(r.line));
        }
        is_read
    }

    /// Returns true if the values of an unresolved call lead to the target: following them backwards meets a bound where
    /// following them forwards does not. Only calls in the skeleton's sources are followed, and not more than [`FOLLOWED`]: to
    /// follow all unresolved calls of a name would take seconds.
    fn reaches_target_forwards(&mut self, file: FileId, r: &Ref, from: NodeRef) -> bool {
        let is_in_source = self.open_uses.as_ref().is_some_and(|uses| uses.has_source(from));
        if !is_in_source || self.followed >= FOLLOWED {
            return false;
        }
        self.followed += 1;
        let through = self.map.through_values(self.resolver, file, r, &Resolution::Unresolved);
        through.is_some_and(|through| through.reached.contains(&self.target))
    }

    /// Returns true if the name alone decides a use that can mean only the family: nothing else says what it means, and
    /// the name is not a common one.
    fn is_told_by_name(&self, file: FileId, r: &Ref) -> bool {
        !self.kin.is_empty() && self.resolver.is_told_by_name(file, r)
    }

    /// Returns the candidates of an unresolved reference, the target first; empty if neither it nor a method of its
    /// family is among them.
    fn cached_candidates(&mut self, file: FileId, entry: &'m FileEntry, r: &Ref) -> Rc<[NodeRef]> {
        let name = FileFacts::name(&entry.facts, r.name);
        let resolver = self.resolver;
        let only_near = *self.only_near.entry(name).or_insert_with(|| resolver.is_only_near(name));
        if only_near && !self.shares_folder(entry) {
            return Rc::default();
        }
        // Files of one folder have the same candidates, except those that define one themselves.
        if self.map.index.files_defining(name).binary_search(&file.0).is_ok() {
            return self.candidates_from(file, r);
        }
        // If the linker decides, the candidates are the same everywhere except for their order; so a name that lacks
        // the target once always lacks it.
        let everywhere = (entry.lang().semantics().reach == Reach::Linkage && !only_near).then_some((
            name,
            r.kind(),
            r.receiver() != Receiver::None,
        ));
        if everywhere.is_some_and(|key| self.never.contains(&key)) {
            return Rc::default();
        }
        let key =
            (entry.path.dir(), entry.lang().language_group(), name, r.kind(), r.receiver() != Receiver::None);
        if let Some(known) = self.by_folder.get(&key) {
            return Rc::clone(known);
        }
        let found = self.candidates_from(file, r);
        self.never.extend(everywhere.filter(|_| found.is_empty()));
        self.by_folder.insert(key, Rc::clone(&found));
        found
    }

    fn candidates_from(&self, file: FileId, r: &Ref) -> Rc<[NodeRef]> {
        // All candidates count here, even unlikely ones; beside the target only the likeliest are shown.
        let list = self.resolver.all_candidates(file, r).list;
        if !list.iter().any(|def| self.is_wanted(*def)) {
            return Rc::default();
        }
        // The target stands for all methods of its family.
        let others = list.into_iter().filter(|def| !self.is_wanted(*def)).map(NodeRef::Def);
        std::iter::once(self.target.into()).chain(others).take(SHOWN).collect()
    }

    fn shares_folder(&self, entry: &FileEntry) -> bool {
        self.map.index.entry(self.target.file).is_some_and(|target| target.path.dir() == entry.path.dir())
    }
}
