//! Summarises the map: clusters with their hubs, or top folders until clusters are derived.

use hob_base::FileId;
use hob_proto::node_id::NodeId;
use rustc_hash::FxHashMap;

use crate::facts::{DefFlags, DefIdx};
use crate::graph::{Cluster, ClusterInfo, DefRef, Map, NodeInfo, NodeRef, Overview};
use crate::index::FileEntry;

/// Most definitions of a group that are compared before scores are derived.
const SAMPLE: usize = 2000;

/// The label of the group of files that are connected with no others.
const ALONE: &str = "(unconnected files)";

/// Most clusters of one file that are shown one by one.
const FEW: usize = 5;

/// Joins the clusters of a single file into one group at the end: hundreds of them say nothing about a code base.
fn group_single_files(clusters: Vec<Cluster>, hubs: usize) -> Vec<Cluster> {
    let (mut shown, alone): (Vec<_>, Vec<_>) = clusters.into_iter().partition(|cluster| cluster.files > 1);
    if alone.len() <= FEW {
        shown.extend(alone);
        return shown;
    }
    let (id, files) = (alone[0].id, alone.len());
    let mut best: Vec<NodeInfo> = alone.into_iter().flat_map(|cluster| cluster.hubs).collect();
    // The sort is stable: equal scores stay in the order of the clusters, which is the same on every machine.
    best.sort_by(|a, b| b.score.total_cmp(&a.score));
    best.truncate(hubs);
    shown.push(Cluster { id, label: ALONE.to_owned(), files, hubs: best });
    shown
}

/// The part of the map that the caller's focus means.
enum Focus {
    Everything,
    Folder(String),
    Clusters(Vec<u32>),
    Unknown,
}

impl Map {
    /// Summarises the map. `focus` narrows it to a folder, a cluster (by number or label) or the cluster of a node.
    #[must_use]
    pub fn overview(&self, focus: Option<&str>, hubs_per_cluster: usize) -> Overview {
        let stats = self.stats();
        let focus = self.parse_focus(focus);
        let clusters = match (&self.standing.clusters, &focus) {
            (_, Focus::Folder(folder)) => self.by_folder(folder, hubs_per_cluster),
            (Some(clusters), Focus::Clusters(ids)) => {
                self.by_cluster(clusters, &|id| ids.contains(&id), hubs_per_cluster)
            }
            (Some(clusters), _) => {
                let all = self.by_cluster(clusters, &|_| true, hubs_per_cluster);
                group_single_files(all, hubs_per_cluster)
            }
            (None, _) => self.by_folder("", hubs_per_cluster),
        };
        Overview {
            files: stats.files,
            symbols: stats.symbols,
            languages: stats.languages,
            clusters,
            derived: self.standing.clusters.is_some(),
            focus_unknown: matches!(focus, Focus::Unknown),
        }
    }

    fn parse_focus(&self, focus: Option<&str>) -> Focus {
        let Some(text) = focus.map(str::trim).filter(|text| !text.is_empty()) else {
            return Focus::Everything;
        };
        let folder = text.trim_end_matches('/').trim_start_matches("./");
        if self.index.paths().has_dir(folder) {
            return Focus::Folder(folder.to_owned());
        }
        let clusters = self.clusters_called(text);
        if !clusters.is_empty() {
            return Focus::Clusters(clusters);
        }
        let node = text.parse::<NodeId>().ok().and_then(|id| self.node(&id));
        let file = node.and_then(NodeRef::file).or_else(|| self.file_at(folder));
        match file.and_then(|file| Some((file, self.index.entry(file)?))) {
            None => Focus::Unknown,
            Some((file, entry)) => match self.cluster_of(file) {
                Some(cluster) => Focus::Clusters(vec![cluster]),
                None => Focus::Folder(entry.path.dir().to_owned()),
            },
        }
    }

    fn clusters_called(&self, text: &str) -> Vec<u32> {
        let clusters = self.standing.clusters.as_deref().unwrap_or_default();
        let number = text.parse::<u32>().ok().filter(|id| (*id as usize) < clusters.len());
        if let Some(number) = number {
            return vec![number];
        }
        let lower = text.to_lowercase();
        let called = |exact: bool| {
            let named = clusters.iter().enumerate().filter(|(_, cluster)| {
                let label = cluster.label.to_lowercase();
                if exact { label == lower } else { label.contains(&lower) }
            });
            named.map(|(id, _)| id as u32).collect::<Vec<_>>()
        };
        let exact = called(true);
        if exact.is_empty() { called(false) } else { exact }
    }

    fn by_cluster(&self, clusters: &[ClusterInfo], keep: &dyn Fn(u32) -> bool, hubs: usize) -> Vec<Cluster> {
        let mut sizes: FxHashMap<u32, usize> = FxHashMap::default();
        for (file, _) in self.index.entries() {
            if let Some(cluster) = self.cluster_of(file) {
                *sizes.entry(cluster).or_default() += 1;
            }
        }
        let numbered = clusters.iter().enumerate().map(|(id, cluster)| (id as u32, cluster));
        let kept = numbered.filter(|(id, _)| keep(*id) && sizes.contains_key(id));
        kept.map(|(id, cluster)| Cluster {
            id,
            label: cluster.label.clone(),
            files: sizes[&id],
            hubs: self.hubs_of(cluster, hubs),
        })
        .collect()
    }

    fn hubs_of(&self, cluster: &ClusterInfo, count: usize) -> Vec<NodeInfo> {
        let present = cluster.hubs.iter().filter_map(|hub| self.info(self.find_identified(hub)?.into()));
        present.take(count).collect()
    }

    /// Groups files by the folder below `folder`; files directly in it are a group of their own.
    fn by_folder(&self, folder: &str, hubs: usize) -> Vec<Cluster> {
        let mut groups: FxHashMap<&str, Vec<(FileId, &FileEntry)>> = FxHashMap::default();
        for (file, entry) in self.index.entries().filter(|(_, entry)| entry.lang().spec().is_some()) {
            if let Some(group) = group_of(entry.path.as_str(), folder) {
                groups.entry(group).or_default().push((file, entry));
            }
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_unstable_by_key(|(label, files)| (std::cmp::Reverse(files.len()), *label));
        let numbered = groups.into_iter().enumerate();
        numbered
            .map(|(id, (label, files))| Cluster {
                id: id as u32,
                label: if label.is_empty() { "(root)".to_owned() } else { label.to_owned() },
                files: files.len(),
                hubs: self.hubs_in(&files, hubs),
            })
            .collect()
    }

    /// Returns the best exported definitions of some files: by score, or, before there are scores, by the number of
    /// files that mention them.
    fn hubs_in(&self, files: &[(FileId, &FileEntry)], count: usize) -> Vec<NodeInfo> {
        let derived = self.standing.clusters.is_some();
        let mut files = files.to_vec();
        files.sort_unstable_by(|a, b| a.1.path.cmp(&b.1.path));
        let defs = files.iter().flat_map(|(file, entry)| {
            let exported = entry.facts.defs_indexed().filter(|(_, def)| {
                def.parent.is_none()
                    && def.flags.has(DefFlags::EXPORTED)
                    && !def.flags.has(DefFlags::DECLARATION)
            });
            exported.map(|(def, found)| (*file, *entry, def, entry.facts.name(found.name)))
        });
        // Without scores each definition costs a search; a sample has to do.
        let defs = defs.take(if derived { usize::MAX } else { SAMPLE });
        let ranked = defs.map(|(file, entry, def, name): (FileId, &FileEntry, DefIdx, &str)| {
            let weight = if derived {
                self.index.file_scores(file).of_def(def)
            } else {
                self.index.mention_weight(name)
            };
            (u32::MAX - weight.to_bits(), entry.path.as_str(), DefRef { file, def })
        });
        let mut ranked: Vec<_> = ranked.collect();
        let count = count.min(ranked.len());
        if count > 0 && count < ranked.len() {
            ranked.select_nth_unstable_by_key(count - 1, |r| (r.0, r.1, r.2.def));
        }
        ranked.truncate(count);
        ranked.sort_unstable_by_key(|r| (r.0, r.1, r.2.def));
        ranked.into_iter().filter_map(|(_, _, def)| self.info(def.into())).collect()
    }
}

/// Returns the folder directly below `folder` that contains a path; `folder` itself for files directly in it.
fn group_of<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    let rest = if folder.is_empty() { path } else { path.strip_prefix(folder)?.strip_prefix('/')? };
    let start = path.len() - rest.len();
    match rest.find('/') {
        Some(at) => path.get(..start + at),
        None => path.get(..start.saturating_sub(1)),
    }
}
