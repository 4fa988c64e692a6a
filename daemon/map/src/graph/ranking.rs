//! Stores the results of a derivation as bytes between two runs, so that a restarted daemon ranks from its first answer
//! on.
//!
//! It stores the scores of each file with a fingerprint of the names of its definitions; names, hubs and labels follow
//! from them. A file whose definitions have changed since keeps its cluster and has no scores until the next
//! derivation, which follows anyway. The bytes are not trusted: no bytes cause an index out of bounds.
//!
//! Layout: version; the paths in their order, and the fingerprints; for each file its score, cluster, and the number and scores of its
//! definitions; packages with their scores; the number of edges. Scores are in ten thousandths.

use std::sync::Arc;

use hob_base::{FileId, WsPath};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::derive::{DeriveItem, best_names, label_clusters};
use super::{Map, NodeRef};
use crate::facts::FileFacts;
use crate::index::{FileEntry, FileScores, fingerprint};
use crate::persist::PersistError::{self, Damaged};
use crate::persist::flat::{Input, put_sorted, put_varint, read_sorted};

const VERSION: u32 = 1;

/// The origin of hub scores and clusters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ranked {
    /// There are no scores or clusters.
    #[default]
    No,
    /// An earlier run derived them.
    Earlier {
        /// Number of files that the earlier run did not have as they are now.
        unknown: usize,
    },
    /// They were derived from this map.
    Derived,
}

/// A job that collects the hub scores and clusters of a map in slices of time under a read lock, and writes them
/// without it.
#[derive(Debug, Default)]
pub struct RankingJob {
    /// The number of the first file that was not visited.
    next: u32,
    files: Vec<(WsPath, Arc<FileFacts>, FileScores)>,
    /// The bytes behind the files; `None` until all files were visited.
    tail: Option<Vec<u8>>,
}

impl RankingJob {
    /// Returns the bytes; `None` if there was nothing, or not everything was collected. Uses all threads of the pool it
    /// is called in.
    #[must_use]
    pub fn into_bytes(self) -> Option<Vec<u8>> {
        let (mut files, tail) = (self.files, self.tail?);
        files.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let prints: Vec<u64> = files.par_iter().map(|(_, facts, _)| fingerprint(facts)).collect();
        let mut out = Vec::new();
        put_varint(&mut out, VERSION);
        put_sorted(&mut out, files.iter().map(|(path, ..)| path.as_str()));
        prints.iter().for_each(|print| out.extend(print.to_le_bytes()));
        for (_, _, scores) in files {
            let defs = scores.defs();
            [score_to_parts(scores.own), scores.cluster.unwrap_or(0), defs.len() as u32]
                .into_iter()
                .for_each(|n| put_varint(&mut out, n));
            defs.iter().for_each(|score| put_varint(&mut out, score_to_parts(*score)));
        }
        out.extend(tail);
        Some(out)
    }
}

/// The stored figures of one file.
struct StoredFileScores {
    score: f32,
    cluster: u32,
    scores: Arc<[f32]>,
}

impl Map {
    /// Returns the origin of hub scores and clusters.
    #[must_use]
    pub fn ranking_origin(&self) -> Ranked {
        match self.standing.ranked {
            // Files whose facts were lost are mapped anew after the scores were restored.
            Ranked::Earlier { .. } => {
                Ranked::Earlier { unknown: self.source_files().saturating_sub(self.standing.known) }
            }
            other => other,
        }
    }

    /// Returns the hub scores and clusters as bytes, for [`Map::restore_ranking`]; `None` unless they were derived. Uses all threads of the
    /// pool it is called in.
    #[must_use]
    pub fn ranking_bytes(&self) -> Option<Vec<u8>> {
        let mut job = RankingJob::default();
        self.ranking_while(&mut job, &|| true);
        job.into_bytes()
    }

    /// Collects what [`RankingJob::into_bytes`] writes, as long as `go_on`, asked between files, returns true. Returns
    /// true if everything is collected. The map may change between two calls.
    pub fn ranking_while(&self, job: &mut RankingJob, go_on: &dyn Fn() -> bool) -> bool {
        if self.standing.ranked != Ranked::Derived {
            *job = RankingJob::default();
            return true;
        }
        for (file, entry) in self.index.entries_from(FileId(job.next)) {
            if !go_on() {
                return false;
            }
            job.next = file.0 + 1;
            let scores = self.index.file_scores(file);
            if scores.cluster.is_some() {
                job.files.push((entry.path.clone(), Arc::clone(&entry.facts), scores.clone()));
            }
        }
        let mut tail = Vec::new();
        self.put_packages(&mut tail);
        put_varint(&mut tail, self.standing.edges.unwrap_or(0) as u32);
        job.tail = Some(tail);
        true
    }

    fn put_packages(&self, out: &mut Vec<u8>) {
        let named = |(id, score): (&super::ExternalId, &f32)| Some((self.externals.name(*id)?, *score));
        let mut packages: Vec<_> = self.standing.externals.iter().filter_map(named).collect();
        packages.sort_by(|a, b| a.0.cmp(&b.0));
        let keys: Vec<String> = packages.iter().map(|((lang, name), _)| format!("{lang}:{name}")).collect();
        put_varint(out, keys.len() as u32);
        for (key, (_, score)) in keys.iter().zip(&packages) {
            put_varint(out, key.len() as u32);
            out.extend(key.as_bytes());
            put_varint(out, score_to_parts(*score));
        }
    }

    /// Installs the bytes that [`Map::ranking_bytes`] returned in an earlier run; they may be any bytes. Nothing is
    /// installed if no file is unchanged.
    ///
    /// # Errors
    /// If the bytes are damaged or of another version; the map is unchanged then.
    pub fn restore_ranking(&mut self, bytes: &[u8]) -> Result<(), PersistError> {
        let mut input = Input::new(bytes);
        if input.read_number()? != VERSION {
            return Err(Damaged("they are of another version"));
        }
        let paths = read_sorted(&mut input)?;
        let prints = input.read_bytes((paths.len() * 8) as u32)?.as_chunks::<8>().0;
        let mut kept = Vec::with_capacity(paths.len());
        for _ in 0..paths.len() {
            kept.push(read_kept(&mut input, paths.len())?);
        }
        let packages = read_packages(&mut input)?;
        let edges = input.read_number()?;
        if !input.is_empty() {
            return Err(Damaged("there is more than there should be"));
        }
        let prints = prints.iter().map(|print| u64::from_le_bytes(*print));
        let known = self.take_kept(paths.iter().zip(prints).zip(kept));
        if known == 0 {
            return Ok(());
        }
        let numbered = packages.into_iter().map(|(key, score)| (self.externals.number_of_key(&key), score));
        self.standing.externals = numbered.collect();
        self.standing.edges = Some(edges as usize);
        self.standing.known = known;
        self.standing.ranked = Ranked::Earlier { unknown: 0 };
        Ok(())
    }

    /// Installs the stored scores of files, given in order of path. Returns the number of files that are unchanged.
    fn take_kept<'p>(&mut self, kept: impl Iterator<Item = ((&'p str, u64), StoredFileScores)>) -> usize {
        let (mut items, mut scores, mut communities) = (Vec::new(), Vec::new(), Vec::new());
        for ((path, print), kept) in kept {
            let Some(file) = self.file_at(path) else { continue };
            let Some(entry) = self.index.entry(file) else { continue };
            if entry.facts.defs.len() != kept.scores.len() || fingerprint(&entry.facts) != print {
                self.index.set_file_scores(file, FileScores::without_defs(kept.score, kept.cluster));
                continue;
            }
            items.push(derive_item(file, entry, scores.len()));
            communities.push(kept.cluster);
            scores.push(kept.score);
            scores.extend_from_slice(&kept.scores);
            self.index.set_file_scores(file, FileScores::new(kept.score, kept.cluster, kept.scores));
        }
        if !items.is_empty() {
            self.standing.clusters = Some(label_clusters(&items, &communities, &scores));
            let mut names = self.arrange_names(&best_names(&items, &scores));
            self.install_names(&mut names);
        }
        items.len()
    }
}

fn derive_item(file: FileId, entry: &FileEntry, first: usize) -> DeriveItem {
    let (path, facts) = (entry.path.clone(), Arc::clone(&entry.facts));
    DeriveItem { file, path, facts, first: first as u32, first_ref: 0 }
}

fn score_to_parts(score: f32) -> u32 {
    (f64::from(score) * 1e4).round() as u32
}

fn score(parts: u32) -> f32 {
    (f64::from(parts.min(10_000)) / 1e4) as f32
}

/// Reads the scores of a file. `files` is the number of all files, and so the most clusters.
fn read_kept(input: &mut Input<'_>, files: usize) -> Result<StoredFileScores, PersistError> {
    let (own, cluster, count) = (input.read_number()?, input.read_number()?, input.read_number()?);
    if cluster as usize >= files {
        return Err(Damaged("a cluster is out of range"));
    }
    let mut scores = Vec::with_capacity(input.room_for(count));
    for _ in 0..count {
        scores.push(score(input.read_number()?));
    }
    Ok(StoredFileScores { score: score(own), cluster, scores: scores.into() })
}

fn read_packages(input: &mut Input<'_>) -> Result<FxHashMap<String, f32>, PersistError> {
    let mut packages = FxHashMap::default();
    for _ in 0..input.read_number()? {
        let length = input.read_number()?;
        let key =
            std::str::from_utf8(input.read_bytes(length)?).map_err(|_| Damaged("a name is not Unicode"))?;
        if !key.contains(':') {
            return Err(Damaged("a package has no language"));
        }
        packages.insert(key.to_owned(), score(input.read_number()?));
    }
    Ok(packages)
}

impl Map {
    /// Returns the figure by which definitions are sorted: the hub score, or, as long as there are none, the number of
    /// files that mention the name, shared among those that define it.
    pub(crate) fn standing_of(&self, node: NodeRef) -> f32 {
        if self.standing.ranked != Ranked::No {
            return self.score(node);
        }
        let NodeRef::Def(def) = node else { return 0.0 };
        let Some(entry) = self.index.entry(def.file) else { return 0.0 };
        let facts = &entry.facts;
        self.index.mention_weight(facts.defs.get(def.def.index()).map_or("", |def| facts.name(def.name)))
    }
}
