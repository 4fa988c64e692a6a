//! Symbol and file search: exact, prefix, substring, qualified name, path, and near misses when little else is found.
//!
//! All names that are defined lie in one lower-case text; one pass over it with a vectorised search finds every name that
//! contains the query. That is a millisecond or two for a kernel, needs no further index, and knows changes at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hob_base::FileId;
use rustc_hash::FxHashSet;

use crate::graph::{DefRef, Hit, KindFilter, Map, MatchClass, NodeKind, NodeRef, SearchAnswer, SearchQuery};
use crate::index::{FileEntry, NameId};

/// With fewer hits than this, near misses are looked for.
const FEW: usize = 5;
/// Most near misses.
const MAX_FUZZY: usize = 50;
/// Most definitions looked at for one answer; the rest are counted by name.
const MAX_LOOKED_AT: usize = 20_000;

/// A hit before it is dressed.
#[derive(Debug)]
struct Raw {
    class: MatchClass,
    node: NodeRef,
    order: Order,
}

/// Within a class: same case first, then the better score, as bits that sort ascending.
type Order = (bool, u32);

/// A name that matches, in the order in which names are looked into.
type Named = Reverse<(MatchClass, Order, u32, u32)>;

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

impl Search<'_, '_> {
    fn run(&mut self) {
        if self.query.kinds != KindFilter::File {
            self.names();
            self.qualified();
        }
        if matches!(self.query.kinds, KindFilter::File | KindFilter::Any) {
            self.paths();
        }
        if self.found.len() + self.counted < FEW && self.query.kinds != KindFilter::File {
            self.near_misses();
        }
    }

    fn names(&mut self) {
        let (map, lower) = (self.map, self.lower.clone());
        let matching = map.index.def_names().containing(&lower).map(|(name, text)| {
            let class = match () {
                () if text.len() == lower.len() => MatchClass::Exact,
                () if text.starts_with(&lower) => MatchClass::Prefix,
                () => MatchClass::Substring,
            };
            self.named(name, class)
        });
        let names = matching.collect();
        self.look_into(names, &|_, _| true);
    }

    fn named(&self, name: u32, class: MatchClass) -> Named {
        let (id, index) = (NameId(name), &self.map.index);
        let text = index.name(id);
        let order = (!text.contains(self.query.text.trim()), score_bits(index.standing(id).score));
        Reverse((class, order, text.len() as u32, name))
    }

    /// Looks at the definitions of matching names, most promising first, until there are surely enough; the rest are
    /// only counted.
    fn look_into(&mut self, names: Vec<Named>, keep: Keep<'_>) {
        let filtered = self.query.kinds != KindFilter::Any || !self.query.path_prefix.is_empty();
        let enough = self.found.len() + (4 * self.query.limit).max(64);
        let mut names = BinaryHeap::from(names);
        while let Some(Reverse((class, order, _, name))) = names.pop() {
            let defs = self.map.index.standing(NameId(name)).defs as usize;
            if self.looked_at + defs > MAX_LOOKED_AT && self.looked_at > 0 {
                self.gave_up = true;
            } else if !filtered && self.found.len() >= enough {
                self.counted += defs;
            } else {
                self.looked_at += defs;
                self.add_name(name, (class, order.0), keep);
            }
        }
    }

    /// `Model.save`, `Model::save`: the last part is the name, the others must precede it in the qualified name.
    fn qualified(&mut self) {
        let dotted = self.lower.replace("::", ".").replace('#', ".");
        let Some((_, last)) = dotted.rsplit_once('.').filter(|(_, last)| !last.is_empty()) else { return };
        let (map, last) = (self.map, last.to_owned());
        let starting = map.index.def_names().containing(&last).filter(|(_, text)| text.starts_with(&last));
        let names = starting.map(|(name, _)| self.named(name, MatchClass::Qualified)).collect();
        self.look_into(names, &|entry, qualified| {
            qualified.to_lowercase().contains(&dotted) || in_module(entry, qualified, &dotted)
        });
    }

    fn add_name(&mut self, name: u32, (class, other_case): (MatchClass, bool), keep: Keep<'_>) {
        let map = self.map;
        let name = map.index.name(NameId(name));
        for file in map.index.defining(name).iter().map(|&file| FileId(file)) {
            let Some(entry) = map.index.entry(file).filter(|entry| self.within(entry)) else { continue };
            for (def, found) in entry.defs_named(name) {
                let admitted = self.query.kinds.admits(NodeKind::Def(found.kind));
                if admitted && keep(entry, entry.facts.name(found.qualified)) {
                    self.add(DefRef { file, def }.into(), class, other_case);
                }
            }
        }
    }

    fn within(&self, entry: &FileEntry) -> bool {
        let prefix = self.query.path_prefix.trim_end_matches('/');
        let rest = entry.path.as_str().strip_prefix(prefix);
        prefix.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn paths(&mut self) {
        let (map, lower) = (self.map, self.lower.clone());
        for (file, _) in map.index.path_texts().containing(&lower) {
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
        let near = map.index.def_names().resembling(&lower, 1);
        let near =
            near.filter(|(_, text)| one_edit(text, &lower) || (lower.len() >= 4 && in_order(text, &lower)));
        let names = near.take(MAX_FUZZY).map(|(name, _)| self.named(name, MatchClass::Fuzzy)).collect();
        self.look_into(names, &|_, _| true);
    }

    fn add(&mut self, node: NodeRef, class: MatchClass, other_case: bool) {
        if self.seen.insert(node) {
            self.found.push(Raw { class, node, order: (other_case, score_bits(self.map.score(node))) });
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

/// Whether one insertion, deletion, replacement or swap of neighbours turns one text into the other.
fn one_edit(a: &str, b: &str) -> bool {
    let (long, short): (Vec<char>, Vec<char>) = if a.len() >= b.len() {
        (a.chars().collect(), b.chars().collect())
    } else {
        (b.chars().collect(), a.chars().collect())
    };
    let same = long.iter().zip(&short).take_while(|(x, y)| x == y).count();
    match long.len().wrapping_sub(short.len()) {
        0 if same == long.len() => true,
        0 => {
            let swapped = same + 1 < long.len()
                && long[same] == short[same + 1]
                && long[same + 1] == short[same]
                && long[same + 2..] == short[same + 2..];
            swapped || long[same + 1..] == short[same + 1..]
        }
        1 => long[same + 1..] == short[same..],
        _ => false,
    }
}

/// Whether the letters of `needle` come in `text` in order, starting with its first.
fn in_order(text: &str, needle: &str) -> bool {
    let mut letters = text.chars();
    text.chars().next() == needle.chars().next()
        && needle.chars().all(|want| letters.any(|have| have == want))
}
