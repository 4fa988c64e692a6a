//! Holds the look-ups of the map: files by number and place, and posting lists from names to the files that define or
//! mention them.
//!
//! The lists hold file numbers only; the place of a name in a file is found by two binary searches in its facts. A
//! changed file touches the lists of the names it gained or lost, and nothing else.

mod arena;
mod file;
mod file_kinds;
mod file_scores;
mod flow_tables;
mod grams;
mod image;
mod kinds;
mod name_statistics;
mod names;
mod near;
mod opened_flows;
mod outline;
mod paths;
mod postings;
mod runs;
mod targets;
mod terms;

use std::collections::BTreeSet;
use std::sync::Arc;

use hob_base::{FileId, WsPath};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

pub(crate) use arena::TextArena;
pub(crate) use file::{FileEntry, NameBindings};
pub(crate) use file_kinds::DefsInFile;
use file_kinds::FileKindsCache;
pub(crate) use file_scores::FileScores;
pub(crate) use flow_tables::{FlowTables, ValueUse};
pub(crate) use image::fingerprint;
pub use image::{ImageJob, PreparedFile};
pub(crate) use kinds::{Kinds, Share};
use name_statistics::Roots;
pub(crate) use name_statistics::{NameStatistics, NameStatisticsTable, TopFolders, score_of_parts};
pub(crate) use names::{MapNameTable, NameId};
use opened_flows::OpenedFlows;
use outline::{includes_differ, moves_modules};
use paths::{MapPathEntry, Paths};
use postings::Postings;
pub(crate) use runs::{in_parts, subtract_runs};
use targets::{ClearedTargets, Targets};
pub(crate) use terms::words_of_module;
use terms::{NameCount, Terms};

use crate::facts::{FileFacts, GaveUp};
use crate::langs::lang::Lang;
use crate::langs::rules::ImportProject;

/// The index of one workspace.
#[derive(Debug, Default)]
pub(crate) struct Index {
    files: Vec<Option<Box<FileEntry>>>,
    paths: Paths,
    names: MapNameTable,
    /// Name to the files that define it; also the qualified names, and the qualifiers, of detached definitions.
    defining: Postings,
    /// Name to the files that have it in references, imports or exports.
    mentioning: Postings,
    modules: MapNameTable,
    /// Module, as written in imports, to the files that import it.
    importing: Postings,
    segments: MapNameTable,
    /// Word to the modules that have it between their separators.
    modules_with: Postings,
    /// Lower-case text of every name that is or was defined.
    def_names: TextArena,
    /// The statistics of each name that search reads.
    standings: NameStatisticsTable,
    roots: Roots,
    /// Lower-case text of every path.
    path_texts: TextArena,
    counts: MapIndexCounts,
    /// The files with lines that are not mapped.
    unmapped: BTreeSet<FileId>,
    /// The files that are text only, wholly or in part, with the reasons.
    given_up: FxHashMap<FileId, GaveUp>,
    targets: Targets,
    opened_flows: OpenedFlows,
    file_kinds: FileKindsCache,
    /// Hub scores and clusters, by file number.
    file_scores: Vec<FileScores>,
    /// Entries that were removed and wait to be dropped.
    #[allow(clippy::vec_box, reason = "they are moved out of a list of boxes")]
    taken_out: Vec<Box<FileEntry>>,
    /// Flows of changed files, which wait to be dropped.
    closed_flows: Vec<Arc<FlowTables>>,
}

/// The data that changes removed from an index. Dropping it takes time, and needs no lock.
#[derive(Debug, Default)]
pub(crate) struct IndexWaste {
    #[allow(clippy::vec_box, reason = "they are moved out of a list of boxes")]
    _files: Vec<Box<FileEntry>>,
    _targets: ClearedTargets,
    _flows: Vec<Arc<FlowTables>>,
}

/// Running totals over all files of the index.
#[derive(Clone, Debug, Default)]
pub(crate) struct MapIndexCounts {
    pub(crate) files: FxHashMap<Lang, usize>,
    pub(crate) symbols: usize,
    pub(crate) references: usize,
    /// Detached definitions, by language group.
    pub(crate) detached: FxHashMap<Lang, usize>,
    pub(crate) file_bytes: usize,
}

impl Index {
    pub(crate) fn entry(&self, file: FileId) -> Option<&FileEntry> {
        self.files.get(file.index())?.as_deref()
    }

    /// Hands over the data that was removed since the last call.
    pub(crate) fn take_waste(&mut self) -> IndexWaste {
        IndexWaste {
            _files: std::mem::take(&mut self.taken_out),
            _targets: self.targets.take_cleared(),
            _flows: std::mem::take(&mut self.closed_flows),
        }
    }

    /// Yields all files in the index, by number.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (FileId, &FileEntry)> {
        let numbered = self.files.iter().enumerate();
        numbered.filter_map(|(i, entry)| Some((FileId(i as u32), entry.as_deref()?)))
    }

    /// Yields the files in the index from this number on.
    pub(crate) fn entries_from(&self, first: FileId) -> impl Iterator<Item = (FileId, &FileEntry)> {
        let numbered = self.files.iter().enumerate().skip(first.index());
        numbered.filter_map(|(i, entry)| Some((FileId(i as u32), entry.as_deref()?)))
    }

    pub(crate) fn paths(&self) -> &Paths {
        &self.paths
    }

    pub(crate) fn counts(&self) -> &MapIndexCounts {
        &self.counts
    }

    /// Returns the files with lines that are not mapped, by number.
    pub(crate) fn unmapped_files(&self) -> &BTreeSet<FileId> {
        &self.unmapped
    }

    /// Returns the files that are text only, wholly or in part, with the reasons.
    pub(crate) fn given_up(&self) -> &FxHashMap<FileId, GaveUp> {
        &self.given_up
    }

    /// Returns the cached targets of imports.
    pub(crate) fn targets(&self) -> &Targets {
        &self.targets
    }

    /// Returns the flows of a file with their tables. They stay open for later queries if `keeps` is set.
    pub(crate) fn flows_of_file(&self, file: FileId, entry: &FileEntry, keeps: bool) -> Arc<FlowTables> {
        let open = || FlowTables::new(crate::persist::open_flows(&entry.facts));
        match keeps {
            true => self.opened_flows.get_or_open(file, open),
            false => self.opened_flows.find_open(file).unwrap_or_else(|| Arc::new(open())),
        }
    }

    /// Closes the flows of all files, for their memory.
    pub(crate) fn close_flows(&self) {
        self.opened_flows.close_all();
    }

    pub(crate) fn def_names(&self) -> &TextArena {
        &self.def_names
    }

    /// Returns the statistics of names, by the entry of each name in [`Self::def_names`].
    pub(crate) fn standings(&self) -> &NameStatisticsTable {
        &self.standings
    }

    /// Returns the top folder of a path, or the path itself at the root.
    pub(crate) fn top_folder(&self, path: &str) -> TopFolders {
        self.roots.top_folder_of(path)
    }

    /// Returns the kinds that the definitions of a name have, or had.
    pub(crate) fn kinds_of(&self, name: NameId) -> Kinds {
        self.standings.entry_of(name).map_or_else(Kinds::default, |entry| self.standings.get(entry).kinds)
    }

    /// Returns the scores of all names, for [`Index::swap_name_scores`]; names that `scores` lacks get 0.
    pub(crate) fn name_score_column<'n>(&self, scores: impl Iterator<Item = (&'n str, f32)>) -> Vec<u16> {
        let names = &self.names;
        self.standings.score_column(scores.filter_map(|(name, score)| Some((names.find(name)?, score))))
    }

    /// Swaps the scores of all names with `column`.
    pub(crate) fn swap_name_scores(&mut self, column: &mut Vec<u16>) {
        self.standings.swap_scores(column);
    }

    pub(crate) fn path_texts(&self) -> &TextArena {
        &self.path_texts
    }

    pub(crate) fn name(&self, id: NameId) -> &str {
        self.names.get(id)
    }

    /// Returns the number of a name, if any file ever defined or mentioned it.
    pub(crate) fn name_id(&self, name: &str) -> Option<NameId> {
        self.names.find(name)
    }

    /// Returns the files that define `name`, by number.
    pub(crate) fn files_defining(&self, name: &str) -> &[u32] {
        self.names.find(name).map_or(&[], |id| self.defining.get(id))
    }

    /// Returns the files that define the name with a number.
    pub(crate) fn files_defining_id(&self, name: NameId) -> &[u32] {
        self.defining.get(name)
    }

    /// Returns the kinds of a name's definitions in each file that defines it, in the order of these files.
    pub(crate) fn kinds_in_files(&self, name: NameId) -> Arc<[DefsInFile]> {
        let kinds_in = |file: &u32| {
            let defs = self.entry(FileId(*file)).map(|entry| entry.kinds_named(self.name(name)));
            defs.unwrap_or_default()
        };
        self.file_kinds.get_or_make(name, || self.files_defining_id(name).par_iter().map(kinds_in).collect())
    }

    /// Returns the files with a detached definition of this qualified name.
    pub(crate) fn files_defining_detached(&self, qualified: &str) -> &[u32] {
        self.files_defining(&terms::link_key(qualified))
    }

    /// Returns true if a language group has any detached definitions.
    pub(crate) fn has_detached(&self, family: Lang) -> bool {
        self.counts.detached.get(&family).is_some_and(|count| *count > 0)
    }

    /// Returns the files with detached members of this qualifier.
    pub(crate) fn with_members_of(&self, qualifier: &str) -> &[u32] {
        self.files_defining(&terms::qualifier_link(qualifier))
    }

    /// Returns the files that mention `name`, by number.
    pub(crate) fn files_mentioning(&self, name: &str) -> &[u32] {
        self.names.find(name).map_or(&[], |id| self.mentioning.get(id))
    }

    /// Returns the number of files that mention `name`, divided by the number of files that define it: an estimate of
    /// its importance before edges are derived.
    pub(crate) fn mention_weight(&self, name: &str) -> f32 {
        self.names.find(name).map_or(0.0, |id| self.mention_weight_of_id(id))
    }

    /// Returns the mention weight of the name with a number.
    pub(crate) fn mention_weight_of_id(&self, name: NameId) -> f32 {
        self.mentioning.get(name).len() as f32 / self.defining.get(name).len().max(1) as f32
    }

    /// Yields the modules, as written, that have `word` between their separators (`""`: those without a word), each
    /// with the files that import it.
    pub(crate) fn imports_with<'a>(&'a self, word: &str) -> impl Iterator<Item = (&'a str, &'a [u32])> {
        let modules = self.segments.find(word).map_or(&[][..], |id| self.modules_with.get(id));
        modules.iter().map(|&id| (self.modules.get(NameId(id)), self.importing.get(NameId(id))))
    }

    /// Adds a prepared file.
    pub(crate) fn set_prepared(&mut self, prepared: PreparedFile) {
        self.set_entry(prepared.file, prepared.entry);
    }

    /// Adds a file, or replaces it.
    pub(crate) fn set_entry(&mut self, file: FileId, entry: Box<FileEntry>) {
        let (path, facts) = (entry.path.clone(), Arc::clone(&entry.facts));
        let moved = self.entry(file).is_some_and(|old| {
            old.path != path || package_of(&old.facts) != package_of(&facts) || old.lang() != facts.lang
        });
        if moved {
            self.remove(file);
        }
        if let Some(other) = self.paths.file(path.as_str()).filter(|&other| other != file) {
            self.remove(other);
        }
        let old = self.take_entry(file);
        if old.as_ref().is_none_or(|old| moves_modules(&old.facts, &facts)) {
            self.targets.clear();
        } else if old.as_ref().is_some_and(|old| includes_differ(&old.facts, &facts)) {
            self.targets.clear_reach();
        }
        if old.is_none() {
            self.add_place(file, &path, &facts);
        }
        let before = old.as_ref().map(|entry| Terms::from_entry(entry));
        if let Some(old) = &old {
            self.carry_scores_over(file, old, &entry);
        }
        let after = Terms::from_entry(&entry);
        let place = self.roots.note_top_folder(path.as_str());
        self.update_lists(file, place, before.as_ref(), Some(&after));
        drop((before, after));
        self.count(file, &entry, true);
        if !facts.unmapped.is_empty() {
            self.unmapped.insert(file);
        }
        if self.files.len() <= file.index() {
            self.files.resize_with(file.index() + 1, || None);
        }
        self.files[file.index()] = Some(entry);
        self.taken_out.extend(old);
    }

    /// Removes a file.
    pub(crate) fn remove(&mut self, file: FileId) {
        let Some(old) = self.take_entry(file) else { return };
        self.forget_file_scores(file);
        self.update_lists(file, TopFolders::default(), Some(&Terms::from_entry(&old)), None);
        self.paths.remove(path_entry_of(file, &old.path, &old.facts));
        self.targets.clear();
        self.path_texts.note_dead_entry();
        if self.path_texts.is_wasteful() {
            self.rebuild_path_texts();
        }
        self.taken_out.push(old);
    }

    /// Frees spare capacity, after many files were added.
    pub(crate) fn shrink(&mut self) {
        [&mut self.names, &mut self.modules, &mut self.segments].into_iter().for_each(MapNameTable::shrink);
        [&mut self.defining, &mut self.mentioning, &mut self.importing]
            .into_iter()
            .for_each(Postings::shrink);
        self.def_names.shrink();
        self.path_texts.shrink();
        self.standings.shrink();
    }

    fn take_entry(&mut self, file: FileId) -> Option<Box<FileEntry>> {
        self.targets.clear_meanings();
        self.closed_flows.extend(self.opened_flows.close(file));
        let entry = self.files.get_mut(file.index())?.take()?;
        self.unmapped.remove(&file);
        self.count(file, &entry, false);
        Some(entry)
    }

    fn add_place(&mut self, file: FileId, path: &WsPath, facts: &FileFacts) {
        let files = &self.files;
        let path_of = |id: FileId| {
            files.get(id.index()).and_then(|entry| entry.as_ref()).map_or("", |entry| entry.path.as_str())
        };
        self.paths.add(path_entry_of(file, path, facts), path_of);
        if !facts.lang.is_manifest() {
            self.path_texts.push(path.as_str(), file.0);
        }
    }

    fn rebuild_path_texts(&mut self) {
        let mut texts = TextArena::default();
        for (file, entry) in self.entries().filter(|(_, entry)| !entry.lang().is_manifest()) {
            texts.push(entry.path.as_str(), file.0);
        }
        self.path_texts = texts;
    }

    fn update_lists(
        &mut self,
        file: FileId,
        place: TopFolders,
        before: Option<&Terms<'_>>,
        after: Option<&Terms<'_>>,
    ) {
        let empty = Terms::default();
        let (before, after) = (before.unwrap_or(&empty), after.unwrap_or(&empty));
        terms::diff_defined(&before.defined, &after.defined, |name, was, is| {
            self.list_def(file, place, name, was, is);
        });
        terms::diff_sorted(&before.linked, &after.linked, |name, gained| {
            update_posting(&mut self.names, &mut self.defining, name, file, gained);
        });
        terms::diff_sorted(&before.mentioned, &after.mentioned, |name, gained| {
            update_posting(&mut self.names, &mut self.mentioning, name, file, gained);
        });
        terms::diff_sorted(&before.modules, &after.modules, |module, gained| {
            self.list_module(file, module, gained);
        });
    }

    fn list_def(&mut self, file: FileId, place: TopFolders, name: &str, was: NameCount, is: NameCount) {
        let present = is.count > 0;
        let id = update_posting(&mut self.names, &mut self.defining, name, file, present);
        self.file_kinds.forget_row(id);
        let entry = self.standings.entry_of(id);
        let mut standing = entry.map_or_else(NameStatistics::default, |entry| self.standings.get(entry));
        standing.defs = (standing.defs + is.count).saturating_sub(was.count);
        standing.kinds.apply_change(was.kinds, is.kinds);
        standing.places.add(place);
        match entry {
            Some(entry) => self.standings.set(entry, standing),
            None if present => {
                self.standings.push(id, standing);
                self.def_names.push(name, id.0);
            }
            None => {}
        }
    }

    fn list_module(&mut self, file: FileId, module: &str, gained: bool) {
        let known = self.modules.find(module).is_some();
        let id = update_posting(&mut self.modules, &mut self.importing, module, file, gained);
        if !known {
            for word in terms::words_of_module(module) {
                let word = self.segments.intern(word);
                self.modules_with.insert(word, id.0);
            }
        }
    }

    fn count(&mut self, file: FileId, entry: &FileEntry, gained: bool) {
        match entry.facts.gave_up.filter(|_| gained) {
            Some(why) => drop(self.given_up.insert(file, why)),
            None => drop(self.given_up.remove(&file)),
        }
        let step = |total: &mut usize, by: usize| *total = if gained { *total + by } else { *total - by };
        step(&mut self.counts.symbols, entry.facts.defs.len());
        step(&mut self.counts.references, entry.facts.refs.len());
        step(&mut self.counts.file_bytes, entry.heap_bytes());
        step(self.counts.files.entry(entry.lang()).or_default(), 1);
        step(self.counts.detached.entry(entry.lang().language_group()).or_default(), entry.detached as usize);
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let names = [&self.names, &self.modules, &self.segments].map(MapNameTable::heap_bytes);
        let lists =
            [&self.defining, &self.mentioning, &self.importing, &self.modules_with].map(Postings::heap_bytes);
        self.counts.file_bytes
            + self.paths.heap_bytes()
            + names.iter().sum::<usize>()
            + lists.iter().sum::<usize>()
            + self.def_names.heap_bytes()
            + self.path_texts.heap_bytes()
            + self.standings.heap_bytes()
            + self.targets.heap_bytes()
            + self.opened_flows.heap_bytes()
            + self.file_kinds.heap_bytes()
            + self.files.capacity() * 8
            + self.file_scores.capacity() * size_of::<FileScores>()
    }
}

fn update_posting(
    names: &mut MapNameTable,
    lists: &mut Postings,
    name: &str,
    file: FileId,
    gained: bool,
) -> NameId {
    let id = names.intern(name);
    if gained {
        lists.insert(id, file.0);
    } else {
        lists.remove(id, file.0);
    }
    id
}

fn package_of(facts: &FileFacts) -> Option<&str> {
    facts.package.map(|id| facts.name(id))
}

fn path_entry_of<'a>(file: FileId, path: &'a WsPath, facts: &'a FileFacts) -> MapPathEntry<'a> {
    MapPathEntry {
        file,
        path,
        package: package_of(facts),
        is_manifest: facts.lang.is_manifest(),
        is_note: facts.lang.is_prose(),
    }
}

impl ImportProject for Index {
    fn file(&self, path: &str) -> Option<FileId> {
        self.paths.file(path)
    }

    fn path(&self, file: FileId) -> &str {
        self.entry(file).map_or("", |entry| entry.path.as_str())
    }

    fn has_dir(&self, dir: &str) -> bool {
        self.paths.has_dir(dir)
    }

    fn files_in(&self, dir: &str) -> Vec<FileId> {
        self.paths.files_in(dir).to_vec()
    }

    fn files_below(&self, dir: &str) -> Vec<FileId> {
        let mut files: Vec<FileId> = self.paths.folders_below(dir).flatten().copied().collect();
        files.sort_by_key(|file| ImportProject::path(self, *file));
        files
    }

    fn files_named(&self, file_name: &str) -> &[FileId] {
        self.paths.files_named(file_name)
    }

    fn files_defining(&self, qualified: &str) -> Vec<FileId> {
        let last = qualified.rsplit('.').next().unwrap_or(qualified);
        let files = Self::files_defining(self, last).iter().map(|&file| FileId(file));
        let defines = |entry: &FileEntry| {
            let mut named = entry.defs_named(last);
            named.any(|(_, def)| def.kind.is_scope() && entry.facts.name(def.qualified) == qualified)
        };
        let mut found: Vec<FileId> = files.filter(|file| self.entry(*file).is_some_and(defines)).collect();
        found.sort_by_key(|file| self.entry(*file).map(|entry| entry.path.as_str()));
        found
    }

    fn files_of_package(&self, package: &str) -> &[FileId] {
        self.paths.files_of_package(package)
    }

    fn manifests(&self, file_name: &str) -> Vec<(&str, &FileFacts)> {
        let entries = self.paths.manifests_named(file_name).iter().filter_map(|&file| self.entry(file));
        entries.map(|entry| (entry.path.dir(), &*entry.facts)).collect()
    }

    fn facts(&self, file: FileId) -> Option<&FileFacts> {
        self.entry(file).map(|entry| &*entry.facts)
    }
}
