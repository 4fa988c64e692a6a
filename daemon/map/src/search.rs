//! Symbol and file search: exact, prefix, substring, qualified name, path, and near misses when little else is found.
//!
//! All names that are defined lie in one lower-case text; one pass over it with a vectorised search finds every name that
//! contains the query. That is a millisecond or two for a kernel, needs no further index, and knows changes at once.

use hob_base::FileId;
use rustc_hash::FxHashSet;

use crate::graph::{DefRef, Hit, KindFilter, Map, MatchClass, NodeKind, NodeRef, SearchAnswer, SearchQuery};
use crate::index::{FileEntry, NameId};

/// With fewer hits than this, near misses are looked for.
const FEW: usize = 5;
/// Most near misses.
const MAX_FUZZY: usize = 50;

/// A hit before it is dressed: (class, case differs, score, place).
#[derive(Debug)]
struct Raw {
    class: MatchClass,
    node: NodeRef,
    /// Exact case, then score, as bits that sort ascending.
    order: (bool, u32),
}

struct Search<'m, 'q> {
    map: &'m Map,
    query: &'q SearchQuery<'q>,
    lower: String,
    found: Vec<Raw>,
    seen: FxHashSet<NodeRef>,
}

impl Map {
    /// Searches symbols and files.
    #[must_use]
    pub fn search(&self, query: &SearchQuery<'_>) -> SearchAnswer {
        let lower = query.text.trim().to_lowercase();
        if lower.is_empty() {
            return SearchAnswer::default();
        }
        let mut search = Search { map: self, query, lower, found: Vec::new(), seen: FxHashSet::default() };
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
        if self.found.len() < FEW && self.query.kinds != KindFilter::File {
            self.near_misses();
        }
    }

    fn names(&mut self) {
        let (map, lower) = (self.map, self.lower.clone());
        for (name, text) in map.index.def_names().containing(&lower) {
            let class = match () {
                () if text.len() == lower.len() => MatchClass::Exact,
                () if text.starts_with(&lower) => MatchClass::Prefix,
                () => MatchClass::Substring,
            };
            self.add_name(name, class, &|_, _| true);
        }
    }

    /// `Model.save`, `Model::save`: the last part is the name, the others must precede it in the qualified name.
    fn qualified(&mut self) {
        let dotted = self.lower.replace("::", ".").replace('#', ".");
        let Some((_, last)) = dotted.rsplit_once('.') else { return };
        let (map, last) = (self.map, last.to_owned());
        if last.is_empty() {
            return;
        }
        for (name, text) in map.index.def_names().containing(&last) {
            if text.starts_with(&last) {
                let matches = |entry: &FileEntry, qualified: &str| {
                    qualified.to_lowercase().contains(&dotted) || in_module(entry, qualified, &dotted)
                };
                self.add_name(name, MatchClass::Qualified, &matches);
            }
        }
    }

    fn add_name(&mut self, name: u32, class: MatchClass, keep: &dyn Fn(&FileEntry, &str) -> bool) {
        let map = self.map;
        let name = map.index.name(NameId(name));
        for file in map.index.defining(name).iter().map(|&file| FileId(file)) {
            let Some(entry) = map.index.entry(file).filter(|entry| self.within(entry)) else { continue };
            for (def, found) in entry.defs_named(name) {
                let admitted = self.query.kinds.admits(NodeKind::Def(found.kind));
                if admitted && keep(entry, entry.facts.name(found.qualified)) {
                    let same_case = name.contains(self.query.text.trim());
                    self.add(DefRef { file, def }.into(), class, same_case);
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
            if entry.path.as_str().to_lowercase().contains(&lower) {
                let name = entry.path.file_name();
                let stem = name.split('.').next().unwrap_or(name).to_lowercase();
                let class = if stem == lower || name.to_lowercase() == lower {
                    MatchClass::Exact
                } else {
                    MatchClass::Path
                };
                self.add(NodeRef::File(FileId(file)), class, name.contains(self.query.text.trim()));
            }
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
        for (name, _) in near.take(MAX_FUZZY).collect::<Vec<_>>() {
            self.add_name(name, MatchClass::Fuzzy, &|_, _| true);
        }
    }

    fn add(&mut self, node: NodeRef, class: MatchClass, same_case: bool) {
        if self.seen.insert(node) {
            let score = u32::MAX - self.map.score(node).max(0.0).to_bits();
            self.found.push(Raw { class, node, order: (!same_case, score) });
        }
    }

    /// Sorts only as much as is shown.
    fn answer(mut self) -> SearchAnswer {
        let total = self.found.len();
        let limit = self.query.limit.min(total);
        let coarse = |raw: &Raw| (raw.class, raw.order);
        if limit > 0 && limit < total {
            self.found.select_nth_unstable_by_key(limit - 1, coarse);
            // Ties at the border are decided by ID below, so all of them stay in.
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
        SearchAnswer { hits: hits.collect(), total }
    }
}

/// Short names before long ones, tests after the rest.
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
