//! Gathers the picture of a workspace from the daemon's pages.
//!
//! Nodes are known by a hash of their ID until all pages are there, because an edge may lead to a file that comes later
//! and IDs of a large tree would fill the memory. The most connected symbols are kept and the rest are counted; notes
//! name the omissions.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use hob_proto::tools::graph::{GraphFile, GraphResult, GraphSymbol};

use super::{layout, nodes};

/// Most symbols in a picture.
const MOST_SYMBOLS: usize = 100_000;
/// Most symbols that are drawn; the others can be searched.
pub(super) const MOST_DRAWN: usize = 3_000;
/// Most edges in a picture.
const MOST_EDGES: usize = 400_000;
/// Most clusters that are drawn one by one.
const MOST_CLUSTERS: usize = 120;
/// Number of the most connected symbols of a cluster that are always drawn.
const HUBS: usize = 5;
/// Most clusters of a single file that are drawn one by one.
const FEW: usize = 5;

/// A file of the picture.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) id: String,
    /// Index in [`Picture::clusters`]; while pages come, the daemon's number.
    pub(super) cluster: Option<u32>,
    /// Number of commits that changed it, in the days of [`Picture::heat_days`].
    pub(super) changes: u32,
    symbols: usize,
}

/// A symbol of the picture.
#[derive(Debug)]
pub(super) struct Symbol {
    key: u64,
    /// Index in [`Picture::files`].
    pub(super) file: u32,
    pub(super) seen: GraphSymbol,
    /// Number of its edges.
    pub(super) degree: u32,
    /// Its circle, if it is drawn.
    pub(super) at: Option<Circle>,
}

/// A circle of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Circle {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) r: f64,
}

/// A cluster of the picture.
#[derive(Debug, Default)]
pub(super) struct Cluster {
    pub(super) label: String,
    pub(super) files: usize,
    pub(super) symbols: usize,
    /// Its most connected symbols, by number.
    pub(super) hubs: Vec<u32>,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) r: f64,
    /// True if it is one of the daemon's, with a colour of its own; the others gather the rest.
    pub(super) is_real: bool,
}

/// An edge as five numbers: user, used, kind, number of places, and first line. Nodes are symbols by number, then
/// files.
pub(super) type Edge = [u64; 5];

/// The picture of a map, with everything that is drawn.
#[derive(Debug, Default)]
pub(super) struct Picture {
    pub(super) name: String,
    pub(super) root: String,
    /// True if the project is on another machine, so that its source cannot be read here.
    pub(super) is_far: bool,
    pub(super) built_at: String,
    pub(super) files: Vec<File>,
    /// The definitions: first those that are drawn, then the others, each group with the most connected first.
    pub(super) symbols: Vec<Symbol>,
    /// Number of the symbols that are drawn.
    pub(super) drawn: usize,
    /// Number of days in which commits were counted; `None` if they were not.
    pub(super) heat_days: Option<u32>,
    pub(super) edges: Vec<Edge>,
    /// The clusters, the largest first.
    pub(super) clusters: Vec<Cluster>,
    /// Links between clusters, the smaller number first, with the number of uses.
    pub(super) links: Vec<(u32, u32, u64)>,
    pub(super) symbols_total: usize,
    pub(super) edges_total: usize,
    /// Sentences that say what the picture leaves out.
    pub(super) notes: Vec<String>,
}

/// Gathers the pages of a map into one picture.
#[derive(Debug, Default)]
pub(super) struct Gatherer {
    picture: Picture,
    labels: Vec<String>,
    /// Edges between nodes, which are hashes of IDs.
    edges: Vec<Edge>,
    /// Numbers of uses between files: by number, and by the hash of an ID.
    between: HashMap<(u32, u64), u64>,
    /// Numbers of commits by path.
    changes: HashMap<String, u32>,
}

impl Gatherer {
    /// Begins a picture; counts commits of `heat_days` if given.
    pub(super) fn new(heat_days: Option<u32>) -> Self {
        Self { picture: Picture { heat_days, ..Picture::default() }, ..Self::default() }
    }

    /// Adds a page; pages come in order.
    pub(super) fn add_page(&mut self, page: GraphResult) {
        if !page.clusters.is_empty() {
            self.labels = page.clusters;
        }
        (self.picture.name, self.picture.built_at) = (page.name, page.built_at);
        self.picture.root = page.root;
        for change in page.changes {
            self.changes.insert(change.path, change.commits);
        }
        let others: Vec<(u64, u64)> = page.others.iter().map(|id| (key(id), key(file_part(id)))).collect();
        for file in page.files {
            self.file(file, &others);
        }
        if self.picture.symbols.len() > 2 * MOST_SYMBOLS {
            self.prune_symbols();
        }
    }

    fn file(&mut self, file: GraphFile, others: &[(u64, u64)]) {
        let number = self.picture.files.len() as u32;
        let keys: Vec<u64> =
            std::iter::once(key(&file.id)).chain(file.symbols.iter().map(|symbol| key(&symbol.id))).collect();
        for (at, used) in file.uses.chunks_exact(4).enumerate() {
            let line = file.use_lines.get(at).map_or(0, |line| u64::from(*line));
            let from = keys.get(used[0] as usize);
            let (Some(from), Some((to, to_file))) = (from, others.get(used[1] as usize)) else { continue };
            self.edges.push([*from, *to, used[2], used[3], line]);
            *self.between.entry((number, *to_file)).or_default() += used[3].max(1);
        }
        self.picture.symbols_total += file.symbols.len();
        self.picture.files.push(File {
            changes: self.changes.get(&file.path).copied().unwrap_or(0),
            path: file.path,
            id: file.id,
            cluster: file.cluster,
            symbols: file.symbols.len(),
        });
        let symbols = file.symbols.into_iter().zip(&keys[1..]);
        self.picture.symbols.extend(symbols.map(|(seen, key)| Symbol {
            key: *key,
            file: number,
            seen,
            degree: 0,
            at: None,
        }));
    }

    /// Keeps the most connected symbols, in their final order.
    fn prune_symbols(&mut self) {
        let symbols = &mut self.picture.symbols;
        symbols.sort_by(|a, b| {
            let by_place = || (a.file, a.seen.line, &a.seen.id).cmp(&(b.file, b.seen.line, &b.seen.id));
            b.seen.score.total_cmp(&a.seen.score).then_with(by_place)
        });
        symbols.truncate(MOST_SYMBOLS);
    }

    /// Finishes the picture, once all pages are there.
    pub(super) fn finish(mut self) -> Picture {
        self.prune_symbols();
        self.group_clusters();
        self.choose_drawn();
        self.number_edges();
        let left_out = self.picture.symbols_total - self.picture.symbols.len();
        if left_out > 0 {
            let shown = self.picture.symbols.len();
            self.picture.notes.push(format!(
                "The {shown} most connected symbols are here; {left_out} more are only counted."
            ));
        }
        self.join_clusters();
        nodes::lay_out_members(&mut self.picture);
        layout::place_clusters(&mut self.picture);
        nodes::move_to_clusters(&mut self.picture);
        self.picture
    }

    /// Puts the symbols that are drawn before the others: the hubs of each cluster, then the most connected of all.
    fn choose_drawn(&mut self) {
        let symbols = &mut self.picture.symbols;
        let mut is_drawn = vec![false; symbols.len()];
        let hubs = self.picture.clusters.iter().flat_map(|cluster| &cluster.hubs);
        hubs.for_each(|hub| is_drawn[*hub as usize] = true);
        let mut room = MOST_DRAWN.saturating_sub(is_drawn.iter().filter(|drawn| **drawn).count());
        for drawn in &mut is_drawn {
            if room > 0 && !*drawn {
                (*drawn, room) = (true, room - 1);
            }
        }
        self.picture.drawn = is_drawn.iter().filter(|drawn| **drawn).count();
        let mut numbered: Vec<(usize, Symbol)> = std::mem::take(symbols).into_iter().enumerate().collect();
        numbered.sort_by_key(|(number, _)| (!is_drawn[*number], *number));
        let mut places = vec![0; numbered.len()];
        numbered.iter().enumerate().for_each(|(place, (number, _))| places[*number] = place as u32);
        for hub in self.picture.clusters.iter_mut().flat_map(|cluster| &mut cluster.hubs) {
            *hub = places[*hub as usize];
        }
        self.picture.symbols = numbered.into_iter().map(|(_, symbol)| symbol).collect();
    }

    fn number_edges(&mut self) {
        let symbols = self.picture.symbols.iter().map(|symbol| symbol.key);
        let files = self.picture.files.iter().map(|file| key(&file.id));
        let numbers: HashMap<u64, u64> = symbols.chain(files).zip(0..).collect();
        let numbered = self.edges.drain(..).filter_map(|[from, to, kind, sites, line]| {
            Some([*numbers.get(&from)?, *numbers.get(&to)?, kind, sites, line])
        });
        let mut edges: Vec<Edge> = numbered.collect();
        self.picture.edges_total = edges.len();
        for end in edges.iter().flat_map(|edge| &edge[..2]) {
            if let Some(symbol) = self.picture.symbols.get_mut(*end as usize) {
                symbol.degree += 1;
            }
        }
        // If there are too many, those between the most connected stay.
        edges.sort_unstable_by_key(|edge| (edge[0].max(edge[1]), *edge));
        if edges.len() > MOST_EDGES {
            let note =
                format!("{} edges between less connected symbols are left out.", edges.len() - MOST_EDGES);
            self.picture.notes.push(note);
            edges.truncate(MOST_EDGES);
        }
        edges.sort_unstable();
        self.picture.edges = edges;
    }

    /// Groups the daemon's clusters: the largest by themselves, those of a single file together, and the rest together.
    fn group_clusters(&mut self) {
        let mut sizes: HashMap<Option<u32>, (usize, usize)> = HashMap::new();
        for file in &self.picture.files {
            let size = sizes.entry(file.cluster).or_default();
            *size = (size.0 + 1, size.1 + file.symbols);
        }
        let mut order: Vec<(Option<u32>, usize, usize)> =
            sizes.into_iter().map(|(id, (files, symbols))| (id, files, symbols)).collect();
        order.sort_unstable_by_key(|(id, files, symbols)| (std::cmp::Reverse((*files, *symbols)), *id));
        let alone = order.iter().filter(|(_, files, _)| *files == 1).count();
        let mut places: HashMap<Option<u32>, u32> = HashMap::new();
        let (mut single, mut rest) = (None, None);
        for (id, files, symbols) in order {
            let place = if files == 1 && alone > FEW {
                *single.get_or_insert_with(|| self.add("(unconnected files)".to_owned(), false))
            } else if self.picture.clusters.len() >= MOST_CLUSTERS {
                *rest.get_or_insert_with(|| self.add("(smaller clusters)".to_owned(), false))
            } else {
                let label = id.and_then(|id| self.labels.get(id as usize).cloned());
                let is_real = label.is_some();
                self.add(label.unwrap_or_else(|| "(not grouped yet)".to_owned()), is_real)
            };
            let cluster = &mut self.picture.clusters[place as usize];
            cluster.files += files;
            cluster.symbols += symbols;
            places.insert(id, place);
        }
        for file in &mut self.picture.files {
            file.cluster = places.get(&file.cluster).copied();
        }
        for (number, symbol) in self.picture.symbols.iter().enumerate() {
            let Some(place) = self.picture.files[symbol.file as usize].cluster else { continue };
            let hubs = &mut self.picture.clusters[place as usize].hubs;
            let is_hub = !symbol.seen.test && symbol.seen.score > 0.0;
            if is_hub && hubs.len() < HUBS {
                hubs.push(number as u32);
            }
        }
    }

    fn add(&mut self, label: String, is_real: bool) -> u32 {
        self.picture.clusters.push(Cluster { label, is_real, ..Cluster::default() });
        self.picture.clusters.len() as u32 - 1
    }

    fn join_clusters(&mut self) {
        let files = self.picture.files.iter().map(|file| (key(&file.id), file.cluster));
        let by_key: HashMap<u64, Option<u32>> = files.collect();
        let mut links: HashMap<(u32, u32), u64> = HashMap::new();
        for ((from, to), uses) in &self.between {
            let from = self.picture.files[*from as usize].cluster;
            if let (Some(a), Some(b)) = (from, by_key.get(to).copied().flatten())
                && a != b
            {
                *links.entry((a.min(b), a.max(b))).or_default() += uses;
            }
        }
        let mut links: Vec<_> = links.into_iter().map(|((a, b), uses)| (a, b, uses)).collect();
        links.sort_unstable();
        self.picture.links = links;
    }
}

/// Returns the ID of the file that a node is in.
fn file_part(id: &str) -> &str {
    id.split_once('#').map_or(id, |(file, _)| file)
}

/// Shortens an ID to a hash that tells it from some millions of others.
fn key(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(file: &str, name: &str, score: f64) -> GraphSymbol {
        GraphSymbol {
            id: format!("py:{file}#{name}"),
            name: name.into(),
            kind: "function".into(),
            line: 1,
            score,
            ..GraphSymbol::default()
        }
    }

    #[test]
    fn edges_lead_to_files_of_later_pages_and_clusters_are_joined_by_them() {
        let file = |path: &str, cluster, symbols, uses: Vec<u64>| GraphFile {
            path: path.into(),
            id: format!("py:{path}"),
            cluster: Some(cluster),
            symbols,
            use_lines: uses.iter().step_by(4).map(|_| 7).collect(),
            uses,
        };
        let mut gatherer = Gatherer::default();
        gatherer.add_page(GraphResult {
            clusters: vec!["app".into(), "lib".into()],
            files: vec![file("a.py", 0, vec![symbol("a.py", "f", 0.1)], vec![1, 0, 3, 2, 0, 1, 1, 1])],
            others: vec!["py:b.py#g".into(), "py:b.py".into()],
            ..GraphResult::default()
        });
        gatherer.add_page(GraphResult {
            files: vec![file("b.py", 1, vec![symbol("b.py", "g", 0.9)], vec![])],
            ..GraphResult::default()
        });
        let picture = gatherer.finish();
        let names: Vec<&str> = picture.symbols.iter().map(|symbol| symbol.seen.name.as_str()).collect();
        assert_eq!(names, ["g", "f"], "best first");
        assert_eq!(picture.edges, [[1, 0, 3, 2, 7], [2, 3, 1, 1, 7]]);
        assert_eq!(picture.symbols[0].degree, 1);
        assert_eq!(picture.links, [(0, 1, 3)]);
        assert_eq!(picture.clusters[1].hubs, [0]);
    }

    #[test]
    fn what_is_left_out_is_counted_and_said() {
        let mut gatherer = Gatherer::default();
        for page in 0..3 {
            let path = format!("f{page}.py");
            let symbols =
                (0..50_000).map(|n| symbol(&path, &format!("s{n}"), f64::from(page) / 10.0)).collect();
            let file = GraphFile { id: format!("py:{path}"), path, symbols, ..GraphFile::default() };
            gatherer.add_page(GraphResult { files: vec![file], ..GraphResult::default() });
        }
        let picture = gatherer.finish();
        assert_eq!((picture.symbols.len(), picture.symbols_total), (MOST_SYMBOLS, 150_000));
        assert_eq!(picture.drawn, MOST_DRAWN);
        assert!(picture.notes[0].contains("50000 more"), "{:?}", picture.notes);
    }
}
