//! Symbol and file search: exact, prefix, substring, qualified name, path, and near misses when little else is found.
//!
//! All names that are defined lie in one lower-case text, in blocks that know their pairs of letters; a vectorised search over
//! the blocks that can hold the query finds every name that contains it, and knows changes at once. What is found is ranked
//! as far as it is shown and otherwise only counted.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hob_base::FileId;
use rustc_hash::FxHashSet;

use crate::facts::DefFlags;
use crate::graph::{DefRef, Hit, KindFilter, Map, MatchClass, NodeKind, NodeRef, SearchAnswer, SearchQuery};
use crate::index::{Containing, FileEntry, NameId};
use crate::langs::Lang;

/// With fewer hits than this, and none of that very name, near misses are looked for.
const FEW: usize = 5;
/// Most near misses.
const MAX_FUZZY: usize = 50;
/// Most definitions looked at for one answer that a kind or a path narrows.
const MAX_LOOKED_AT: usize = 5000;
/// Most definitions of one name looked at besides the best scored ones, unless a kind or a path narrows the query.
const PER_NAME: usize = 500;

/// A hit before it is dressed.
#[derive(Debug)]
struct Raw {
    class: MatchClass,
    node: NodeRef,
    order: Order,
}

/// Within a class: same case first, then what is more than a C declaration or a heading, then the better score, as bits
/// that sort ascending.
type Order = (bool, bool, u32);

/// A name that matches, the most promising greatest: same case, better score, shorter.
type Named = Reverse<(bool, u32, u32, u32)>;

/// Whether a definition of a matching name is wanted: its file and qualified name.
type Keep<'k> = &'k dyn Fn(&FileEntry, &str) -> bool;

struct Search<'m, 'q> {
    map: &'m Map,
    query: &'q SearchQuery<'q>,
    lower: String,
    found: Vec<Raw>,
    seen: FxHashSet<NodeRef>,
    looked_at: usize,
    /// Hits counted without looking at them.
    counted: usize,
    gave_up: bool,
}

impl Map {
    /// Searches symbols and files.
    #[must_use]
    pub fn search(&self, query: &SearchQuery<'_>) -> SearchAnswer {
        let lower = query.text.trim().to_lowercase();
        if lower.is_empty() {
            return SearchAnswer::default();
        }
        let mut search = Search {
            map: self,
            query,
            lower,
            found: Vec::new(),
            seen: FxHashSet::default(),
            looked_at: 0,
            counted: 0,
            gave_up: false,
        };
        search.run();
        search.answer()
    }
}

impl Map {
    /// Whether a node only announces what is defined elsewhere, or is a heading of its name.
    fn is_announcement(&self, node: NodeRef) -> bool {
        let NodeRef::Def(def) = node else { return false };
        self.index.entry(def.file).is_some_and(|entry| {
            if entry.lang().is_prose() {
                return true;
            }
            let declares = entry.facts.def(def.def).flags.has(DefFlags::DECLARATION);
            declares && entry.lang().family() == Lang::Cpp
        })
    }
}

impl Search<'_, '_> {
    fn run(&mut self) {
        if self.query.kinds != KindFilter::File {
            self.names();
            self.qualified();
        }
        if matches!(self.query.kinds, KindFilter::File | KindFilter::Any) {
            self.paths();
        }
        let is_named = self.found.iter().any(|raw| raw.class == MatchClass::Exact);
        let is_rare = self.found.len() + self.counted < FEW && !is_named;
        if is_rare && self.query.kinds != KindFilter::File {
            self.near_misses();
        }
    }

    fn names(&mut self) {
        let (map, lower) = (self.map, self.lower.clone());
        let mut classes =
            [MatchClass::Exact, MatchClass::Prefix, MatchClass::Substring].map(|class| (class, Vec::new()));
        for hit in map.index.def_names().containing(&lower) {
            let class = match () {
                () if hit.text.len() == lower.len() => 0,
                () if hit.text.starts_with(&lower) => 1,
                () => 2,
            };
            classes[class].1.push(hit);
        }
        for (class, names) in classes {
            self.look_into(class, names, &|_, _| true);
        }
    }

    /// Looks at the definitions of matching names, most promising first, until there are surely enough; the rest are
    /// only counted.
    fn look_into(&mut self, class: MatchClass, names: Vec<Containing<'_>>, keep: Keep<'_>) {
        let index = &self.map.index;
        if !self.is_filtered() && self.found.len() >= self.enough() {
            let defs = names.iter().map(|name| index.standing(NameId(name.owner)).defs as usize);
            self.counted += defs.sum::<usize>();
            return;
        }
        let asked = self.query.text.trim();
        let has_capitals = asked != self.lower;
        let promising = |name: &Containing<'_>| {
            let id = NameId(name.owner);
            // Most names have no capitals, and need not be looked at again.
            let other_case = if name.had_capitals { !index.name(id).contains(asked) } else { has_capitals };
            Reverse((other_case, score_bits(index.standing(id).score), name.text.len() as u32, name.owner))
        };
        let mut names: BinaryHeap<Named> = names.iter().map(promising).collect();
        while let Some(Reverse((other_case, _, _, name))) = names.pop() {
            let defs = index.standing(NameId(name)).defs as usize;
            if !self.is_filtered() && self.found.len() >= self.enough() {
                self.counted += defs;
            } else if self.looked_at >= MAX_LOOKED_AT {
                self.gave_up = true;
            } else {
                self.add_name(name, (class, other_case), keep);
            }
        }
    }

    fn is_filtered(&self) -> bool {
        self.query.kinds != KindFilter::Any || !self.query.path_prefix.is_empty()
    }

    /// So many hits that the best ones are surely among them.
    fn enough(&self) -> usize {
        (4 * self.query.limit).max(64)
    }

    /// `Model.save`, `Model::save`: the last part is the name, the others must precede it in the qualified name.
    fn qualified(&mut self) {
        let dotted = self.lower.replace("::", ".").replace('#', ".");
        let Some((_, last)) = dotted.rsplit_once('.').filter(|(_, last)| !last.is_empty()) else { return };
        let (map, last) = (self.map, last.to_owned());
        let hits = map.index.def_names().containing(&last).into_iter();
        let names = hits.filter(|name| name.text.starts_with(&last)).collect();
        let matches = |entry: &FileEntry, qualified: &str| {
            qualified.to_lowercase().contains(&dotted) || in_module(entry, qualified, &dotted)
        };
        self.look_into(MatchClass::Qualified, names, &matches);
    }

    fn add_name(&mut self, name: u32, how: (MatchClass, bool), keep: Keep<'_>) {
        let map = self.map;
        let (text, defs) = (map.index.name(NameId(name)), map.index.standing(NameId(name)).defs as usize);
        let found_before = self.found.len();
        for best in map.best_of(text) {
            self.add_def(best, how, keep);
        }
        let before = self.looked_at;
        for file in map.index.defining(text).iter().map(|&file| FileId(file)) {
            if !self.is_filtered() && self.looked_at - before >= PER_NAME {
                self.counted += defs.saturating_sub(self.found.len() - found_before);
                break;
            }
            let Some(entry) = map.index.entry(file).filter(|entry| self.within(entry)) else { continue };
            for (def, _) in entry.defs_named(text) {
                self.looked_at += 1;
                self.add_def(DefRef { file, def }, how, keep);
            }
        }
    }

    fn add_def(&mut self, def: DefRef, (class, other_case): (MatchClass, bool), keep: Keep<'_>) {
        let Some(entry) = self.map.index.entry(def.file).filter(|entry| self.within(entry)) else { return };
        let found = entry.facts.def(def.def);
        let admitted = self.query.kinds.admits(NodeKind::Def(found.kind));
        if admitted && keep(entry, entry.facts.name(found.qualified)) {
            self.add(def.into(), class, other_case);
        }
    }

    fn within(&self, entry: &FileEntry) -> bool {
        let prefix = self.query.path_prefix.trim_end_matches('/');
        let rest = entry.path.as_str().strip_prefix(prefix);
        prefix.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn paths(&mut self) {
        let (map, lower) = (self.map, self.lower.clone());
        for Containing { owner: file, .. } in map.index.path_texts().containing(&lower) {
            let Some(entry) = map.index.entry(FileId(file)).filter(|entry| self.within(entry)) else {
                continue;
            };
            // The text may be that of a path the file had before.
            if !entry.path.as_str().to_lowercase().contains(&lower) {
                continue;
            }
            let name = entry.path.file_name();
            let stem = name.split('.').next().unwrap_or(name).to_lowercase();
            let exact = stem == lower || name.to_lowercase() == lower;
            let class = if exact { MatchClass::Exact } else { MatchClass::Path };
            self.add(NodeRef::File(FileId(file)), class, !name.contains(self.query.text.trim()));
        }
    }

    fn near_misses(&mut self) {
        let (map, lower) = (self.map, self.lower.clone());
        if lower.len() < 3 || lower.contains(['/', ' ']) {
            return;
        }
        let near = map.index.def_names().resembling(&lower, MAX_FUZZY);
        self.look_into(MatchClass::Fuzzy, near, &|_, _| true);
    }

    fn add(&mut self, node: NodeRef, class: MatchClass, other_case: bool) {
        if self.seen.insert(node) {
            let order = (other_case, self.map.is_announcement(node), score_bits(self.map.score(node)));
            self.found.push(Raw { class, node, order });
        }
    }

    /// Sorts only as much as is shown.
    fn answer(mut self) -> SearchAnswer {
        let total = self.found.len() + self.counted;
        let limit = self.query.limit.min(self.found.len());
        let coarse = |raw: &Raw| (raw.class, raw.order);
        if limit > 0 && limit < self.found.len() {
            self.found.select_nth_unstable_by_key(limit - 1, coarse);
            // Ties at the border are decided by name and ID below, so all of them stay in.
            let border = coarse(&self.found[limit - 1]);
            self.found.retain(|raw| coarse(raw) <= border);
        }
        let map = self.map;
        self.found.sort_by_cached_key(|raw| (coarse(raw), length(map, raw.node), map.id(raw.node)));
        self.found.truncate(limit);
        let hits = self.found.iter().filter_map(|raw| {
            let info = map.info(raw.node)?;
            Some(Hit { rank: base(raw) + 10.0 * info.score, class: raw.class, info })
        });
        SearchAnswer { hits: hits.collect(), total, total_is_least: self.gave_up }
    }
}

/// A score, better ones smaller.
fn score_bits(score: f32) -> u32 {
    // Scores are not negative, and then their order is that of their bits.
    u32::MAX - score.max(0.0).to_bits()
}

/// Short names before long ones.
fn length(map: &Map, node: NodeRef) -> usize {
    match node {
        NodeRef::Def(def) => map
            .index
            .entry(def.file)
            .map_or(0, |entry| entry.facts.name(entry.facts.def(def.def).qualified).len()),
        NodeRef::File(file) => map.index.entry(file).map_or(0, |entry| entry.path.as_str().len()),
        NodeRef::External(_) => 0,
    }
}

fn base(raw: &Raw) -> f32 {
    match raw.class {
        MatchClass::Exact => 100.0,
        MatchClass::Prefix => 60.0,
        MatchClass::Substring => 40.0,
        MatchClass::Qualified => 30.0,
        MatchClass::Path => 25.0,
        MatchClass::Fuzzy => 10.0,
    }
}

/// Whether a dotted query is a module path and a qualified name in it.
fn in_module(entry: &FileEntry, qualified: &str, dotted: &str) -> bool {
    let path = entry.path.as_str();
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    format!("{}.{qualified}", stem.replace('/', ".")).to_lowercase().contains(dotted)
}
