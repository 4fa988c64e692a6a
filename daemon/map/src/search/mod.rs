//! Searches symbols and files: by exact name, prefix, substring, qualified name, path, and by near misses if little
//! else is found.
//!
//! All defined names are in one lower-case text with an index of name trigrams, which finds every name that contains
//! the query, and is always up to date. Half a million names may match: hits are ranked only as far as they are shown
//! and otherwise only counted, by the statistics of names.

mod queue;
#[cfg(test)]
mod tests;
mod wanted;

use std::collections::BinaryHeap;
use std::ops::Range;

use hob_base::{FileId, WsPath};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::facts::DefFlags;
use crate::graph::{DefRef, Hit, KindFilter, Map, MatchClass, NodeKind, NodeRef, SearchAnswer, SearchQuery};
use crate::index::{FileEntry, NameId, subtract_runs};
use queue::{NamePromise, NameQueue};
use wanted::WantedDefs;

/// Least number of hits with which the search skips near misses. It also skips them if a hit has the very name.
const FEW: usize = 5;
/// Most near misses that the search visits.
const MAX_FUZZY: usize = 50;
/// Most definitions visited for a qualified name.
const MAX_LOOKED_AT: usize = 5000;
/// Most hits in some files that are visited to find the best among them.
const MOST_VISITED: usize = 2_000;
/// Most files that are ranked without a selection among them.
const FEW_FILES: usize = 200;
/// Most definitions of one name visited besides the best scored ones, unless a kind or a path narrows the query.
const PER_NAME: usize = 500;

/// A hit without the data that answers show.
#[derive(Debug)]
struct Raw {
    class: MatchClass,
    node: NodeRef,
    order: SymbolHitOrder,
}

/// The order within a class: same case first, then by [`HitRole`], then the better score, as bits that sort ascending.
type SymbolHitOrder = (bool, HitRole, u32);

/// The role of a hit, the most wanted first. Of a name with more than [`PER_NAME`] definitions only the visited ones
/// are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum HitRole {
    Definition,
    /// A definition in tests whose very name is queried.
    TestDefinition,
    /// A declaration of something that is defined elsewhere, or a heading.
    Announcement,
}

/// A filter for the definitions of a matching name, by file and qualified name: true if the query wants the definition.
type DefFilter<'k> = &'k dyn Fn(&FileEntry, &str) -> bool;

/// The hits of one class that would be shown: the best, as many as the limit.
struct ShownHits {
    orders: BinaryHeap<SymbolHitOrder>,
    limit: usize,
}

impl ShownHits {
    fn of_limit(limit: usize) -> Self {
        Self { orders: BinaryHeap::new(), limit }
    }

    fn offer(&mut self, order: SymbolHitOrder) {
        self.orders.push(order);
        if self.orders.len() > self.limit {
            self.orders.pop();
        }
    }

    /// Returns true if there are as many as the limit, and each of them comes before the best hit that a name promises.
    fn precede(&self, promise: NamePromise) -> bool {
        let best = (promise.other_case, HitRole::Definition, score_bits(promise.highest_score));
        self.orders.len() >= self.limit && self.orders.peek().is_none_or(|worst| *worst < best)
    }
}

/// The files that a search is limited to.
pub struct SearchedFiles<'s> {
    /// A test of a file's path: true if the file is among them.
    pub admits: &'s dyn Fn(&WsPath) -> bool,
    /// Paths at, below or right beside which all of them are; `None` if that is not known, and all paths are tested.
    pub prefixes: Option<&'s [&'s WsPath]>,
    /// True if all files at or below a prefix are among them, so that their paths need no test.
    pub has_whole_folders: bool,
}

struct MapSymbolSearch<'m, 'q> {
    map: &'m Map,
    query: &'q SearchQuery<'q>,
    wanted: &'q WantedDefs<'q>,
    lower: String,
    found: Vec<Raw>,
    seen: FxHashSet<NodeRef>,
    looked_at: usize,
    /// Number of hits that were counted without a visit.
    counted: usize,
    gave_up: bool,
    /// True if near misses are searched when little else is found.
    admits_near: bool,
}

/// The way in which a name matches the query.
#[derive(Clone, Copy)]
struct NameMatch {
    class: MatchClass,
    /// True if only upper and lower case differ.
    other_case: bool,
}

impl Map {
    /// Searches symbols and files.
    #[must_use]
    pub fn search(&self, query: &SearchQuery<'_>) -> SearchAnswer {
        self.search_wanted(query, &WantedDefs::new(&self.index, query))
    }

    /// Searches symbols and files, in some files only.
    #[must_use]
    pub fn search_among(&self, query: &SearchQuery<'_>, files: &SearchedFiles<'_>) -> SearchAnswer {
        self.search_wanted(query, &WantedDefs::new(&self.index, query).limited_to(files))
    }

    /// Searches without near misses, for callers that know the name and look for its other spellings.
    #[must_use]
    pub fn search_spelt(&self, query: &SearchQuery<'_>) -> SearchAnswer {
        self.search_by(query, &WantedDefs::new(&self.index, query), false)
    }

    fn search_wanted(&self, query: &SearchQuery<'_>, wanted: &WantedDefs<'_>) -> SearchAnswer {
        self.search_by(query, wanted, true)
    }

    fn search_by(&self, query: &SearchQuery<'_>, wanted: &WantedDefs<'_>, admits_near: bool) -> SearchAnswer {
        let lower = query.text.trim().to_lowercase();
        if lower.is_empty() {
            return SearchAnswer::default();
        }
        let mut search = MapSymbolSearch {
            map: self,
            query,
            wanted,
            lower,
            found: Vec::new(),
            seen: FxHashSet::default(),
            looked_at: 0,
            counted: 0,
            gave_up: false,
            admits_near,
        };
        search.run();
        search.into_answer()
    }
}

impl Map {
    fn hit_role(&self, node: NodeRef, class: MatchClass) -> HitRole {
        // A query for a part of a test's name wants tests as well.
        let is_whole = matches!(class, MatchClass::Exact | MatchClass::Qualified);
        match node {
            node if self.is_announcement(node) => HitRole::Announcement,
            NodeRef::Def(_) if is_whole && self.is_among_tests(node) => HitRole::TestDefinition,
            _ => HitRole::Definition,
        }
    }

    /// Returns true if a node is a declaration of something that is defined elsewhere, or a heading.
    fn is_announcement(&self, node: NodeRef) -> bool {
        let NodeRef::Def(def) = node else { return false };
        self.index.entry(def.file).is_some_and(|entry| {
            if entry.lang().is_prose() {
                return true;
            }
            let declares = entry.facts.def(def.def).flags.has(DefFlags::DECLARATION);
            declares && entry.lang().semantics().declares_in_headers
        })
    }
}

impl MapSymbolSearch<'_, '_> {
    fn run(&mut self) {
        if self.query.kinds != KindFilter::File {
            self.search_names();
            self.search_qualified();
        }
        if matches!(self.query.kinds, KindFilter::File | KindFilter::Any) {
            self.search_paths();
        }
        let is_named = self.found.iter().any(|raw| raw.class == MatchClass::Exact);
        let is_rare = self.found.len() + self.counted < FEW && !is_named;
        if is_rare && self.admits_near && self.query.kinds != KindFilter::File {
            self.near_misses();
        }
    }

    fn search_names(&mut self) {
        let arena = self.map.index.def_names();
        let starting = arena.starting_with(&self.lower);
        let exact = arena.passing(&starting, |at| arena.text_length(at) == self.lower.len());
        let containing = subtract_runs(&arena.containing(&self.lower), &starting);
        self.look_into(MatchClass::Exact, &exact);
        self.look_into(MatchClass::Prefix, &subtract_runs(&starting, &exact));
        self.look_into(MatchClass::Substring, &containing);
    }

    /// Visits the definitions of matching names, most promising first, until there are surely enough; the rest are only
    /// counted.
    fn look_into(&mut self, class: MatchClass, names: &[Range<u32>]) {
        let index = &self.map.index;
        if self.has_enough() {
            self.counted += queue::count(self.wanted, names);
            return;
        }
        let before = self.found.len();
        let mut queue = NameQueue::new(index, self.wanted, names, self.query.text.trim());
        let mut shown = ShownHits::of_limit(self.query.limit);
        while !self.has_surely_enough(&shown, &queue) {
            let Some((name, other_case)) = queue.next() else { break };
            let from = self.found.len();
            self.add_name(name, NameMatch { class, other_case });
            self.found[from..].iter().for_each(|raw| shown.offer(raw.order));
        }
        self.counted += queue.total.saturating_sub(self.found.len() - before);
    }

    /// Returns true if the best hits are among those found, or as many were visited as a search may. In some files only,
    /// the best are not among them if the next name promises as good a one: the hits so far may have been bad ones of
    /// promising names.
    fn has_surely_enough(&self, shown: &ShownHits, queue: &NameQueue<'_, '_>) -> bool {
        self.has_enough()
            && (!self.wanted.is_of_some_files()
                || self.found.len() >= MOST_VISITED
                || shown.precede(queue.next_promise()))
    }

    /// Returns true if there are enough hits that the best ones are among them, unless the query wants some files only: the
    /// score of a name may come from other files.
    fn has_enough(&self) -> bool {
        self.found.len() >= (4 * self.query.limit).max(64)
    }

    /// Searches `Model.save` and `Model::save`: the last part is the name, and the others precede it in the qualified
    /// name.
    fn search_qualified(&mut self) {
        let dotted = self.lower.replace("::", ".").replace('#', ".");
        let Some((_, last)) = dotted.rsplit_once('.').filter(|(_, last)| !last.is_empty()) else { return };
        let index = &self.map.index;
        let names = index.def_names().starting_with(last);
        let queue = NameQueue::new(index, self.wanted, &names, self.query.text.trim());
        let matches = |entry: &FileEntry, qualified: &str| {
            qualified.to_lowercase().contains(&dotted) || in_module(entry, qualified, &dotted)
        };
        for (name, other_case) in queue {
            if self.looked_at >= MAX_LOOKED_AT {
                self.gave_up = true;
                break;
            }
            self.add_all(name, NameMatch { class: MatchClass::Qualified, other_case }, &matches);
        }
    }

    /// Adds the definitions of a name, at least the best ones.
    fn add_name(&mut self, name: NameId, how: NameMatch) {
        let map = self.map;
        for best in map.best_of(map.index.name(name)) {
            self.add_def(best, how, &|_, _| true);
        }
        self.add_all(name, how, &|_, _| true);
    }

    fn add_all(&mut self, name: NameId, how: NameMatch, keep: DefFilter<'_>) {
        let map = self.map;
        let (index, text, before) = (&map.index, map.index.name(name), self.looked_at);
        let is_counted = self.wanted.is_everything() && how.class != MatchClass::Qualified;
        for file in self.wanted.files_of_name(name) {
            if is_counted && self.looked_at - before >= PER_NAME {
                return;
            }
            for (def, _) in index.entry(file).into_iter().flat_map(|entry| entry.defs_named(text)) {
                self.looked_at += 1;
                self.add_def(DefRef { file, def }, how, keep);
            }
        }
    }

    fn add_def(&mut self, def: DefRef, how: NameMatch, keep: DefFilter<'_>) {
        let Some(entry) = self.map.index.entry(def.file) else { return };
        let found = entry.facts.def(def.def);
        let admitted = self.query.kinds.admits(NodeKind::Def(found.kind)) && self.wanted.has_file(def.file.0);
        if admitted && keep(entry, entry.facts.name(found.qualified)) {
            self.add(def.into(), how.class, how.other_case);
        }
    }

    /// Searches files: those with the very name or stem, then all whose path contains the query.
    fn search_paths(&mut self) {
        let arena = self.map.index.path_texts();
        let named = |at: u32| is_named(arena.text(at), &self.lower);
        let starting = arena.passing(&arena.starting_with(&self.lower), named);
        let below = arena.passing(&arena.containing(&format!("/{}", self.lower)), named);
        let mut exact = self.files(&starting);
        exact.extend(self.files(&below));
        exact.into_iter().for_each(|file| self.add_file(file, MatchClass::Exact));
        let others: Vec<FileId> = self.files(&arena.containing(&self.lower));
        let left = others.len();
        let before = self.found.len();
        let known = others.iter().filter(|file| self.seen.contains(&NodeRef::File(**file))).count();
        if !self.has_enough() {
            self.best_files(others).into_iter().for_each(|file| self.add_file(file, MatchClass::Path));
        }
        self.counted += left - known - (self.found.len() - before);
    }

    /// Returns the wanted files of entries that still hold, each once.
    fn files(&self, entries: &[Range<u32>]) -> Vec<FileId> {
        let index = &self.map.index;
        let arena = index.path_texts();
        let holds = |at: &u32| {
            let entry = index.entry(FileId(arena.owner(*at)));
            entry.is_some_and(|entry| entry.path.as_str().to_lowercase() == arena.text(*at))
        };
        let entries =
            entries.iter().flat_map(Clone::clone).filter(|at| self.wanted.has_file(arena.owner(*at)));
        if !arena.has_dead() {
            return entries.map(|at| FileId(arena.owner(at))).collect();
        }
        let mut files: Vec<FileId> = entries.filter(holds).map(|at| FileId(arena.owner(at))).collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Returns the files, of many, that may be among the shown hits.
    fn best_files(&self, mut files: Vec<FileId>) -> Vec<FileId> {
        let place = |file: &FileId| {
            (self.is_other_case(*file), score_bits(self.map.standing_of(NodeRef::File(*file))))
        };
        let limit = self.query.limit;
        if files.len() > FEW_FILES.max(limit) && limit > 0 {
            let mut placed: Vec<((bool, u32), FileId)> =
                files.par_iter().map(|file| (place(file), *file)).collect();
            placed.select_nth_unstable(limit - 1);
            let border = placed[limit - 1].0;
            files = placed.into_iter().filter(|(place, _)| *place <= border).map(|(_, file)| file).collect();
        }
        files
    }

    fn is_other_case(&self, file: FileId) -> bool {
        let entry = self.map.index.entry(file);
        entry.is_some_and(|entry| !entry.path.file_name().contains(self.query.text.trim()))
    }

    fn add_file(&mut self, file: FileId, class: MatchClass) {
        self.add(NodeRef::File(file), class, self.is_other_case(file));
    }

    fn near_misses(&mut self) {
        let (map, lower) = (self.map, self.lower.clone());
        if lower.len() < 3 || lower.contains(['/', ' ']) {
            return;
        }
        let arena = map.index.def_names();
        let near = subtract_runs(&arena.resembling(&lower, MAX_FUZZY), &arena.containing(&lower));
        self.look_into(MatchClass::Fuzzy, &near);
    }

    fn add(&mut self, node: NodeRef, class: MatchClass, other_case: bool) {
        if self.seen.insert(node) {
            let role = self.map.hit_role(node, class);
            let order = (other_case, role, score_bits(self.map.standing_of(node)));
            self.found.push(Raw { class, node, order });
        }
    }

    /// Sorts the hits, only as many as are shown.
    fn into_answer(mut self) -> SearchAnswer {
        let total = self.found.len() + self.counted;
        let limit = self.query.limit.min(self.found.len());
        let coarse = |raw: &Raw| (raw.class, raw.order);
        if limit > 0 && limit < self.found.len() {
            self.found.select_nth_unstable_by_key(limit - 1, coarse);
            // Name and ID decide ties at the border below, so all of them stay.
            let border = coarse(&self.found[limit - 1]);
            self.found.retain(|raw| coarse(raw) <= border);
        }
        let map = self.map;
        self.found.sort_by_cached_key(|raw| (coarse(raw), name_length(map, raw.node), map.id(raw.node)));
        self.found.truncate(limit);
        let hits = self.found.iter().filter_map(|raw| {
            let info = map.info(raw.node)?;
            Some(Hit { rank: class_rank(raw) + 10.0 * info.score, class: raw.class, info })
        });
        SearchAnswer { hits: hits.collect(), total, total_is_least: self.gave_up }
    }
}

/// Converts a score into bits that are smaller for better scores.
fn score_bits(score: f32) -> u32 {
    // Scores are not negative, so their bits are in the same order.
    u32::MAX - score.max(0.0).to_bits()
}

/// Returns the length of a node's name, by which shorter names sort first.
fn name_length(map: &Map, node: NodeRef) -> usize {
    match node {
        NodeRef::Def(def) => map
            .index
            .entry(def.file)
            .map_or(0, |entry| entry.facts.name(entry.facts.def(def.def).qualified).len()),
        NodeRef::File(file) => map.index.entry(file).map_or(0, |entry| entry.path.as_str().len()),
        NodeRef::External(_) => 0,
    }
}

fn class_rank(raw: &Raw) -> f32 {
    match raw.class {
        MatchClass::Exact => 100.0,
        MatchClass::Prefix => 60.0,
        MatchClass::Substring => 40.0,
        MatchClass::Qualified => 30.0,
        MatchClass::Path => 25.0,
        MatchClass::Fuzzy => 10.0,
    }
}

/// Returns true if the last part of a path is the query, perhaps with endings.
fn is_named(path: &str, query: &str) -> bool {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.strip_prefix(query)
        .is_some_and(|rest| rest.is_empty() || (rest.starts_with('.') && !query.contains('.')))
}

/// Returns true if a dotted query is part of a definition's module path and qualified name.
fn in_module(entry: &FileEntry, qualified: &str, dotted: &str) -> bool {
    let path = entry.path.as_str();
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    format!("{}.{qualified}", stem.replace('/', ".")).to_lowercase().contains(dotted)
}
