//! Computes hub scores and clusters aside, in slices, and installs them when they are ready.
//!
//! The job works on a snapshot of the files, ordered by path, so that its numbers do not depend on the files' numbers
//! nor on which thread was first. Its slices resolve under a read lock; changes may come between them. A target that
//! moved meanwhile is found again by name, or skipped: scores are an estimate that the next derivation corrects.

use std::sync::Arc;

use hob_base::paged::PagedStore;
use hob_base::{FileId, WsPath};
use rustc_hash::FxHashMap;

use super::adjacency::EdgeList;
use super::communities::{self, FileGraph};
use super::derived_uses::{FoundUse, PartialFile};
use super::edge_sites::EdgeSitesBuilder;
use super::labels;
use super::open_names::{OpenNamePairs, OpenNames};
use super::rank::{self, Graph};
use super::skeleton::{Changed, FileNodes, ManifestFile, Marked, Skeleton, SkeletonInput};
use super::{ClusterInfo, Confidence, DefIdentity, EdgeKind, ExternalId, Map, NodeRef, Ranked};
use crate::facts::{DefFlags, FileFacts, RefKind};
use crate::index::{FileEntry, FileScores};
use crate::resolve::Resolver;

/// Hubs kept for each cluster.
const HUBS: usize = 20;

/// Names with a lower score are equal to search.
const LEAST_NAME_SCORE: f32 = 0.0005;
/// Most names that get a score of their own.
const MAX_NAMES: usize = 50_000;

/// Most definitions kept as the best of a name.
const PER_NAME: usize = 5;

/// A file of the snapshot.
#[derive(Debug)]
pub(super) struct DeriveItem {
    pub(super) file: FileId,
    pub(super) path: WsPath,
    pub(super) facts: Arc<FileFacts>,
    /// The number of the file's own node; the numbers of its definitions follow.
    pub(super) first: u32,
    /// The number of the file's first reference.
    pub(super) first_ref: u32,
}

impl DeriveItem {
    fn file_nodes(&self) -> FileNodes {
        FileNodes {
            file: self.file,
            first: self.first,
            first_ref: self.first_ref,
            path: self.path.clone(),
            facts: Arc::clone(&self.facts),
        }
    }
}

/// A derivation in progress. It holds a snapshot of the files and resolves in slices of time under a read lock.
#[derive(Debug, Default)]
pub struct DeriveJob {
    items: Vec<DeriveItem>,
    manifests: Vec<ManifestFile>,
    /// The version of the map that the snapshot is of.
    version: u64,
    at_file: FxHashMap<FileId, u32>,
    next: usize,
    /// The edges of the file at `next` that were found before the last slice ended.
    begun: PartialFile,
    nodes: u32,
    externals: FxHashMap<ExternalId, u32>,
    /// The edges between nodes, one for each kind.
    strokes: EdgeList,
    /// The uses of these edges, except containing ones; `None` once there were more than 4 GiB of them.
    sites: Option<EdgeSitesBuilder>,
    /// References that are left open: see [`PartialFile`].
    open: Marked,
    /// The names of these references, and of what is renamed, with their files.
    open_names: OpenNamePairs,
    /// The weights between files by their indexes in `items`, smaller first.
    weights: FxHashMap<(u32, u32), f32>,
}

/// The results of a derivation; see [`Map::install_derived`].
#[derive(Debug, Default)]
pub struct Derived {
    files: Vec<DerivedFile>,
    externals: FxHashMap<ExternalId, f32>,
    clusters: Option<Vec<ClusterInfo>>,
    /// The names of the definitions with the best scores.
    names: BestNames,
    edges: usize,
    skeleton: Option<Arc<Skeleton>>,
    /// The version of the map that the derivation began with.
    version: u64,
    /// The results in the form in which the map keeps them; `None` until [`Map::arrange_derived`].
    arranged: Option<ArrangedScores>,
}

impl Derived {
    /// The same results with the edges, if they are many, in a store that keeps them out of the process's own memory.
    #[must_use]
    pub fn placed_in(self, store: &PagedStore) -> Self {
        let place = |shared: Arc<Skeleton>| match Arc::try_unwrap(shared) {
            Ok(skeleton) => Arc::new(skeleton.placed_in(store)),
            // It is installed already.
            Err(shared) => shared,
        };
        Self { skeleton: self.skeleton.map(place), ..self }
    }
}

/// The results of a derivation in the form in which the map keeps them. Installing swaps them with the map's, so this
/// holds the earlier results afterwards.
#[derive(Debug, Default)]
struct ArrangedScores {
    /// The version of the map for which the results were arranged.
    version: u64,
    /// The scores by file number.
    files: Vec<FileScores>,
    names: NameScores,
    /// The files that have changed since the skeleton was made.
    changed: Changed,
}

/// The best scores of names, in the form in which the map keeps them.
#[derive(Debug, Default)]
pub(super) struct NameScores {
    column: Vec<u16>,
    best: FxHashMap<Box<str>, Vec<DefIdentity>>,
}

#[derive(Debug)]
struct DerivedFile {
    file: FileId,
    path: WsPath,
    facts: Arc<FileFacts>,
    score: f32,
    scores: Arc<[f32]>,
    cluster: u32,
}

impl Map {
    /// Starts a derivation over the present files.
    #[must_use]
    pub fn derive_job(&self) -> DeriveJob {
        let sources = self.index.entries().filter(|(_, entry)| !entry.lang().is_manifest());
        let items: Vec<DeriveItem> = sources
            .map(|(file, entry)| DeriveItem {
                file,
                path: entry.path.clone(),
                facts: Arc::clone(&entry.facts),
                first: 0,
                first_ref: 0,
            })
            .collect();
        let manifests = self.index.entries().filter(|(_, entry)| entry.lang().is_manifest());
        let manifest = |(file, entry): (FileId, &FileEntry)| {
            let (path, facts) = (entry.path.clone(), Arc::clone(&entry.facts));
            ManifestFile { file, path, facts }
        };
        let manifests = manifests.map(manifest).collect();
        let (version, sites) = (self.version, Some(EdgeSitesBuilder::default()));
        DeriveJob { items, manifests, version, sites, ..DeriveJob::default() }
    }

    /// Resolves the next `files` files of the job's snapshot. Returns true if none are left. The map may change between
    /// slices.
    pub fn derive_step(&self, job: &mut DeriveJob, files: usize) -> bool {
        let end = (job.next + files).min(job.items.len());
        self.derive_to(job, end, &|| true);
        end == job.items.len()
    }

    /// Resolves as long as `go_on`, asked before every reference, returns true: some files have thousands of
    /// references, and a thread that waits to change the map must not wait for them. Returns true if no files are left.
    pub fn derive_while(&self, job: &mut DeriveJob, go_on: &dyn Fn() -> bool) -> bool {
        let end = job.items.len();
        self.derive_to(job, end, go_on)
    }

    fn derive_to(&self, job: &mut DeriveJob, end: usize, go_on: &dyn Fn() -> bool) -> bool {
        job.arrange_items();
        let resolver = Resolver::for_whole_map(&self.index);
        while job.next < end {
            let item = &job.items[job.next];
            let file = item.file;
            let mut begun = std::mem::take(&mut job.begun);
            if self.index.entry(file).is_some_and(|entry| Arc::ptr_eq(&entry.facts, &item.facts)) {
                if !self.resolved_uses_of(&resolver, file, &mut begun, go_on) {
                    job.begun = begun;
                    return false;
                }
                begun.found.sort_unstable();
                job.add_edges(job.next as u32, &begun.found, self);
                job.add_containers(self.containers_of(&resolver, file), self);
                job.add_open(&begun.open);
                job.add_renamed();
                job.add_names_of_values();
            }
            job.next += 1;
        }
        true
    }

    /// Installs scores and clusters. Definitions that changed since keep their scores by name.
    pub fn install_derived(&mut self, mut derived: Derived) {
        self.arrange_derived(&mut derived);
        self.install_arranged(&mut derived);
    }

    /// Computes what a derivation means for the map as it is now, so that [`Map::install_arranged`] only has to swap it
    /// in.
    pub fn arrange_derived(&self, derived: &mut Derived) {
        let mut files = Vec::new();
        for done in &derived.files {
            let Some(entry) = self.index.entry(done.file).filter(|entry| entry.path == done.path) else {
                continue;
            };
            let scores = match Arc::ptr_eq(&entry.facts, &done.facts) {
                true => Arc::clone(&done.scores),
                false => carry_scores_over(&entry.facts, &done.facts, &done.scores),
            };
            if files.len() <= done.file.index() {
                files.resize(done.file.index() + 1, FileScores::default());
            }
            files[done.file.index()] = FileScores::new(done.score, done.cluster, scores);
        }
        let changed = derived.skeleton.as_ref().map(|skeleton| skeleton.changed_files(self));
        if derived.version != self.version
            && let Some(skeleton) = derived.skeleton.as_mut().and_then(Arc::get_mut)
            && changed.as_ref().is_some_and(Changed::is_empty)
        {
            // A file came and went meanwhile, and nothing else tells which edges it had a part in.
            skeleton.forget_sites();
        }
        derived.arranged = Some(ArrangedScores {
            version: self.version,
            files,
            names: self.arrange_names(&derived.names),
            changed: changed.unwrap_or_default(),
        });
    }

    /// Installs arranged results. Returns false, and does nothing, if there are none or the map has changed since.
    /// Afterwards `derived` holds the earlier results: dropping them takes time, and needs no lock.
    pub fn install_arranged(&mut self, derived: &mut Derived) -> bool {
        let version = self.version;
        let Some(arranged) = derived.arranged.as_mut().filter(|arranged| arranged.version == version) else {
            return false;
        };
        self.index.swap_file_scores(&mut arranged.files);
        self.install_names(&mut arranged.names);
        self.standing.ranked = Ranked::Derived;
        self.standing.edges = Some(derived.edges);
        std::mem::swap(&mut self.standing.clusters, &mut derived.clusters);
        std::mem::swap(&mut self.standing.externals, &mut derived.externals);
        std::mem::swap(&mut self.standing.changed, &mut arranged.changed);
        std::mem::swap(&mut self.standing.skeleton, &mut derived.skeleton);
        // The swapped-out results must not be installed again.
        arranged.version = u64::MAX;
        true
    }

    /// Converts the best scores of names into the form in which the map keeps them.
    pub(super) fn arrange_names(&self, names: &BestNames) -> NameScores {
        let scores = names.iter().map(|(name, (score, _))| (&**name, *score));
        let best = names.iter().map(|(name, (_, best))| (name.clone(), best.clone()));
        NameScores { column: self.index.name_score_column(scores), best: best.collect() }
    }

    /// Installs the names that search puts first.
    pub(super) fn install_names(&mut self, names: &mut NameScores) {
        self.index.swap_name_scores(&mut names.column);
        std::mem::swap(&mut self.standing.best, &mut names.best);
    }
}

/// Names with their best scores and their best definitions.
pub(super) type BestNames = FxHashMap<Box<str>, (f32, Vec<DefIdentity>)>;

/// Returns the clusters of files, whose communities are numbered without gaps.
pub(super) fn label_clusters(items: &[DeriveItem], communities: &[u32], scores: &[f32]) -> Vec<ClusterInfo> {
    let hubs = community_hubs(items, communities, scores);
    let paths: Vec<&str> = items.iter().map(|item| item.path.as_str()).collect();
    let names: Vec<&str> = hubs.iter().map(|hubs| hubs.first().map_or("", |(_, name, _)| &**name)).collect();
    let labels = labels::label_communities(&paths, communities, &names);
    labels.into_iter().zip(hubs).map(|(label, hubs)| ClusterInfo { label, hubs }).collect()
}

/// Carries scores of older facts over by qualified name.
fn carry_scores_over(facts: &FileFacts, old: &FileFacts, scores: &[f32]) -> Arc<[f32]> {
    let by_name: FxHashMap<(&str, u32), f32> = old
        .defs
        .iter()
        .zip(scores)
        .map(|(def, score)| ((old.name(def.qualified), def.ordinal), *score))
        .collect();
    let score = |def: &crate::facts::Def| by_name.get(&(facts.name(def.qualified), def.ordinal)).copied();
    facts.defs.iter().map(|def| score(def).unwrap_or(0.0)).collect()
}

impl DeriveJob {
    /// Returns the number of files done and of all files.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (self.next, self.items.len())
    }

    /// Sorts the files and numbers their nodes, unless that was done. It needs no map, so it is better done without the
    /// map's lock.
    pub fn arrange_items(&mut self) {
        if !self.at_file.is_empty() {
            return;
        }
        self.items.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        self.manifests.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let mut refs = 0;
        for (at, item) in (0..).zip(&mut self.items) {
            item.first_ref = refs;
            refs += item.facts.refs.len() as u32;
            item.first = self.nodes;
            self.nodes += 1 + item.facts.defs.len() as u32;
            self.at_file.insert(item.file, at);
        }
    }

    /// Returns the version of the map that the files are of.
    pub(super) fn map_version(&self) -> u64 {
        self.version
    }

    /// Returns the numbers of the files by their indexes in order of path.
    pub(super) fn item_files(&self) -> Vec<u32> {
        self.items.iter().map(|item| item.file.0).collect()
    }

    /// Moves the files of the snapshot into what a skeleton is built from.
    pub(super) fn move_files_to(&mut self, input: &mut SkeletonInput) {
        input.stretches = self.items.iter().map(DeriveItem::file_nodes).collect();
        input.nodes = self.nodes as usize;
        input.manifests = std::mem::take(&mut self.manifests);
    }

    /// Adds the edges that sorted uses in the file of an item make.
    fn add_edges(&mut self, at: u32, found: &[FoundUse], map: &Map) {
        for uses in found.chunk_by(FoundUse::is_of_edge) {
            let FoundUse { from, to, kind, .. } = uses[0];
            let (Some(source), Some(target)) = (self.node_number(from, map), self.node_number(to, map))
            else {
                continue;
            };
            if self.strokes.add_edge(source, target, kind) {
                self.add_sites(source, uses);
            }
            let Some(&other) = to.file().and_then(|file| self.at_file.get(&file)) else { continue };
            if other != at && uses.iter().any(|one| one.is_scored) {
                *self.weights.entry((at.min(other), at.max(other))).or_default() += edge_weight(kind);
            }
        }
    }

    fn add_sites(&mut self, source: u32, uses: &[FoundUse]) {
        let sure = || uses.iter().filter(|one| one.is_sure);
        let lines: Vec<u32> = sure().map(|one| one.line).filter(|line| *line > 0).collect();
        let confidence = sure().map(|one| one.confidence).min().unwrap_or(Confidence::Candidate);
        let has_open = uses.iter().any(|one| !one.is_sure);
        let is_added =
            self.sites.as_mut().is_some_and(|sites| sites.add_edge(source, confidence, &lines, has_open));
        if !is_added {
            self.sites = None;
        }
    }

    fn add_containers(&mut self, mut edges: Vec<(NodeRef, NodeRef)>, map: &Map) {
        edges.sort_unstable();
        edges.dedup();
        for (from, to) in edges {
            let ends = self.node_number(from, map).zip(self.node_number(to, map));
            if let Some((from, to)) = ends.filter(|(from, to)| from != to) {
                self.strokes.add_edge(from, to, EdgeKind::Contains);
            }
        }
    }

    /// Adds the references at some indexes in the list of the file at `next`.
    fn add_open(&mut self, refs: &[usize]) {
        let item = &self.items[self.next];
        for &at in refs {
            self.open.mark(item.first_ref as usize + at);
            self.open_names.add_pair(item.facts.name(item.facts.refs[at].name), item.file.0);
        }
    }

    /// Adds the names that the file at `next` gives another name: a search for either has to look there.
    fn add_renamed(&mut self) {
        let item = &self.items[self.next];
        let imports = item.facts.imports.iter().filter(|import| import.local != import.name);
        let imported = imports.filter_map(|import| import.name);
        let exports = item.facts.exports.iter().filter(|export| export.local != export.exported);
        for name in imported.chain(exports.map(|export| export.local)) {
            self.open_names.add_pair(item.facts.name(name), item.file.0);
        }
    }

    /// Adds the names of what the file at `next` passes to a framework, which is called and a value too, and of the members
    /// that the language calls there by itself.
    fn add_names_of_values(&mut self) {
        let item = &self.items[self.next];
        let handlers = item.facts.refs.iter().filter(|r| r.kind() == RefKind::Framework);
        for name in handlers.map(|handler| handler.name).chain(item.facts.flows.implied.iter().copied()) {
            self.open_names.add_pair(item.facts.name(name), item.file.0);
        }
    }

    fn node_number(&mut self, node: NodeRef, map: &Map) -> Option<u32> {
        match node {
            NodeRef::External(id) => {
                // External packages are numbered after all others, in `finish`; until then in order of first use, which
                // the order of files fixes.
                let next = self.externals.len() as u32;
                Some(self.nodes + *self.externals.entry(id).or_insert(next))
            }
            NodeRef::File(file) => Some(self.items[*self.at_file.get(&file)? as usize].first),
            NodeRef::Def(def) => {
                let item = &self.items[*self.at_file.get(&def.file)? as usize];
                let same = map.index.entry(def.file).is_some_and(|e| Arc::ptr_eq(&e.facts, &item.facts));
                same.then_some(item.first + 1 + def.def.number())
            }
        }
    }

    /// Computes PageRank and communities, which need no map.
    #[must_use]
    pub fn finish(mut self) -> Derived {
        self.arrange_items();
        let all = self.nodes as usize + self.externals.len();
        let mut numbered: Vec<(u32, ExternalId)> = self.externals.iter().map(|(id, at)| (*at, *id)).collect();
        numbered.sort_unstable();
        let mut outline = SkeletonInput {
            externals: numbered.into_iter().map(|(_, id)| id).collect(),
            open: std::mem::take(&mut self.open),
            open_names: OpenNames::new(std::mem::take(&mut self.open_names)),
            sites: self.sites.take().and_then(|sites| sites.into_sites(all)),
            ..SkeletonInput::default()
        };
        self.move_files_to(&mut outline);
        let mut skeleton = Skeleton::new(outline, self.strokes);
        let groups = score_groups(&self.items);
        let graph = Graph::new(all, |node| {
            let groups = &groups;
            let counts = move |(kind, from): &(EdgeKind, u32)| match kind {
                EdgeKind::Contains => false,
                EdgeKind::References => !groups.are_apart(*from, node),
                _ => true,
            };
            skeleton.edges(node, true).filter(counts).map(|(_, from)| from)
        });
        let edges = graph.edge_count();
        let scores = rank::hub_scores(&graph, &groups);
        drop(graph);
        skeleton.set_scores(&scores);
        let communities = communities::detect_communities(&FileGraph::new(self.items.len(), &self.weights));
        let names = best_names(&self.items, &scores);
        let clusters = label_clusters(&self.items, &communities, &scores);
        let first_external = self.nodes as usize;
        let external = |(id, at): (ExternalId, u32)| (id, scores[first_external + at as usize].min(1.0));
        let externals = self.externals.into_iter().map(external).collect();
        let files = self.items.into_iter().zip(communities).map(|(item, cluster)| {
            let first = item.first as usize;
            DerivedFile {
                score: scores[first],
                scores: scores[first + 1..=first + item.facts.defs.len()].into(),
                file: item.file,
                path: item.path,
                facts: item.facts,
                cluster,
            }
        });
        Derived {
            files: files.collect(),
            externals,
            clusters: Some(clusters),
            names,
            edges,
            skeleton: Some(Arc::new(skeleton)),
            version: self.version,
            arranged: None,
        }
    }
}

/// Separates the nodes of code from those of notes: scores compare like with like, so that a page that everything links
/// to does not flatten the code.
fn score_groups(items: &[DeriveItem]) -> rank::Groups {
    let mut groups = rank::Groups::default();
    for item in items {
        groups.push(1 + item.facts.defs.len(), item.facts.lang.is_prose());
    }
    groups
}

/// Returns the names that search puts first: those with the best scores, each with its best score.
pub(super) fn best_names(items: &[DeriveItem], scores: &[f32]) -> BestNames {
    let score = |item: &DeriveItem, idx: u32| scores[(item.first + 1 + idx) as usize];
    let mut all: Vec<(u32, u32, u32)> = Vec::new();
    // Search ranks headings after code anyhow, so they would only crowd it out.
    for (at, item) in items.iter().enumerate().filter(|(_, item)| !item.facts.lang.is_prose()) {
        let scored = (0..item.facts.defs.len() as u32).map(|idx| (score(item, idx), idx));
        let worthy = scored.filter(|(score, _)| *score >= LEAST_NAME_SCORE);
        all.extend(worthy.map(|(score, idx)| (u32::MAX - score.to_bits(), at as u32, idx)));
    }
    all.sort_unstable();
    all.truncate(MAX_NAMES);
    let mut names = BestNames::default();
    for (_, at, idx) in all {
        let item = &items[at as usize];
        let name = item.facts.name(item.facts.defs[idx as usize].name);
        let (_, best) = names.entry(name.into()).or_insert_with(|| (score(item, idx), Vec::new()));
        if best.len() < PER_NAME {
            best.push(identity_of(item, idx));
        }
    }
    names
}

fn identity_of(item: &DeriveItem, idx: u32) -> DefIdentity {
    let def = &item.facts.defs[idx as usize];
    (item.path.clone(), item.facts.name(def.qualified).into(), def.ordinal)
}

/// Returns the weight that an edge adds between two files.
fn edge_weight(kind: EdgeKind) -> f32 {
    match kind {
        EdgeKind::Imports | EdgeKind::Exports | EdgeKind::Extends | EdgeKind::Implements => 3.0,
        EdgeKind::Calls => 2.0,
        EdgeKind::References => 1.0,
        EdgeKind::Contains => 0.0,
    }
}

/// Returns the best exported definitions of each community.
fn community_hubs(items: &[DeriveItem], communities: &[u32], scores: &[f32]) -> Vec<Vec<DefIdentity>> {
    let count = communities.iter().max().map_or(0, |max| *max as usize + 1);
    let mut best: Vec<Vec<(u32, u32, u32)>> = vec![Vec::new(); count];
    for (at, (item, &community)) in items.iter().zip(communities).enumerate() {
        let list = &mut best[community as usize];
        for (idx, def) in item.facts.defs_indexed() {
            let hidden = !def.flags.has(DefFlags::EXPORTED) || def.flags.has(DefFlags::DECLARATION);
            if !hidden {
                let score = scores[(item.first + 1 + idx.number()) as usize];
                list.push((u32::MAX - score.to_bits(), at as u32, idx.number()));
            }
        }
        if list.len() > 4096 {
            keep_best(list);
        }
    }
    best.into_iter()
        .map(|mut list| {
            keep_best(&mut list);
            list.iter().map(|&(_, at, idx)| identity_of(&items[at as usize], idx)).collect()
        })
        .collect()
}

fn keep_best(list: &mut Vec<(u32, u32, u32)>) {
    list.sort_unstable();
    list.truncate(HUBS);
}
