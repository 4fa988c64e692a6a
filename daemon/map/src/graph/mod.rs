//! Holds the map of one workspace and answers queries about it.
//!
//! Facts enter through [`Map::apply`]; edges are computed on demand, by resolving the references that mention a name.
//! So a change costs what the changed file costs and nothing more. Hub scores and clusters need every edge, so they are
//! computed aside (`derive`) and installed when ready; until then answers have none. The edges themselves are kept too
//! (`skeleton`), and answer as long as nothing has changed since. References that a language server confirmed override
//! computed edges (`confirmed`).

mod adjacency;
mod among_tests;
mod answers;
mod batch;
mod communities;
mod confirmed;
mod derive;
mod derived_uses;
mod dispatch;
mod edge_sites;
mod edges;
mod examine;
mod export;
mod externals;
mod family;
mod flow;
mod flow_chains;
mod forward_calls;
mod handles;
mod image;
mod impact;
mod inbound;
mod included;
mod labels;
mod links;
mod lookup;
mod nearby;
mod neighbors;
mod occurrences;
mod open_names;
mod open_uses;
mod outbound;
mod outline;
mod outside;
mod packages;
mod page;
mod places;
mod rank;
mod ranking;
mod reach;
mod route;
mod saved_edges;
mod score;
mod skeleton;
mod structural;
mod surroundings;
#[cfg(test)]
mod tests;
mod uses;
mod value_reads;
mod values;

pub use crate::node::{
    Confidence, DefRef, Direction, EdgeKind, EdgeKinds, ExternalId, NodeInfo, NodeKind, NodeRef, Tie,
};
pub use among_tests::is_test_path;
pub use answers::{
    Chain, Cluster, FartherUsers, Hit, KindFilter, Lookup, MAX_SITES, MatchClass, Neighbor, NeighborsAnswer,
    NeighborsQuery, Overview, PER_KIND, PathAnswer, PathQuery, PathStep, Reached, SOME_FILES, SearchAnswer,
    SearchQuery, Stats, UncalledNode, Unmapped, Use,
};
pub use batch::{MapBatch, MapWaste};
pub use confirmed::{Claim, Examined, FileConfirmations, Proof};
pub use derive::{DeriveJob, Derived};
pub use edges::Edge;
pub use family::{Kinship, Relative};
pub use flow::{FlowAnswer, FlowQuery, FlowStep, Occurrence};
pub use flow_chains::{FlowChain, FlowEdge, FlowPlace, FlowSources, MissingSource};
pub use image::RestoredMap;
pub use impact::{Affected, Following, ImpactAnswer, ImpactQuery};
pub use occurrences::SureReference;
pub use outside::{OutsidePackage, OutsideRef, WrittenName};
pub use page::PictureEdge;
pub use ranking::{Ranked, RankingJob};
pub use reach::Reach;
pub use route::Admits;
pub use saved_edges::{DerivedEdges, RestoredEdges};

use std::sync::Arc;

use hob_base::{FileId, WsPath};

use crate::facts::{FileFacts, GaveUp};
use crate::index::{FileEntry, Index};
use confirmed::Confirmed;
use externals::Externals;
pub(crate) use score::{ClusterInfo, DefIdentity, DerivedScores};

/// Batches with more changes than this are a first build or a large switch: the map shrinks its lists after them.
const MANY_CHANGES: usize = 5000;

/// One file's change from one generation of the map to the next.
#[derive(Clone, Debug)]
pub enum MapChange {
    /// The file is new or has new contents.
    Set {
        /// The number of the file.
        file: FileId,
        /// The path of the file.
        path: WsPath,
        /// The facts of its contents.
        facts: Arc<FileFacts>,
    },
    /// The file is gone.
    Remove {
        /// The number that the file had.
        file: FileId,
    },
}

impl MapChange {
    /// Returns the file that changes.
    #[must_use]
    pub fn file(&self) -> FileId {
        match self {
            Self::Set { file, .. } | Self::Remove { file } => *file,
        }
    }
}

/// The symbol graph of one workspace. The host owns it behind a lock: changes need it alone, queries share it.
#[derive(Debug, Default)]
pub struct Map {
    pub(crate) index: Index,
    externals: Externals,
    confirmed: Confirmed,
    /// Overlays that were replaced by an empty one and wait to be dropped.
    forgotten: Vec<Confirmed>,
    /// A number that rises with each batch, and with each piece of one.
    version: u64,
    pub(crate) standing: DerivedScores,
}

impl Map {
    /// Creates a map without files.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Applies a batch of changes. Work is proportional to the files changed.
    pub fn apply(&mut self, changes: Vec<MapChange>) {
        self.apply_while(&mut MapBatch::new(changes), &|| true);
        drop(self.take_waste());
    }

    /// Replaces this map by another and returns the old one. The version continues to rise, so that nothing made from
    /// the old map is taken for the new one's.
    #[must_use]
    pub fn replace(&mut self, other: Self) -> Self {
        let version = self.version + 1;
        let before = std::mem::replace(self, other);
        self.version = version;
        before
    }

    /// Returns the file at this path, if it is mapped.
    #[must_use]
    pub fn file_at(&self, path: &str) -> Option<FileId> {
        self.index.paths().file(path)
    }

    /// Returns the path and facts of a mapped file.
    #[must_use]
    pub fn file(&self, file: FileId) -> Option<(&WsPath, &Arc<FileFacts>)> {
        self.index.entry(file).map(|entry| (&entry.path, &entry.facts))
    }

    /// Returns the lines of a file that are not mapped; empty if every line is, or the map does not have the file.
    #[must_use]
    pub fn unmapped_in(&self, path: &str) -> &[(u32, u32)] {
        let entry = self.file_at(path).and_then(|file| self.index.entry(file));
        entry.map_or(&[], |entry| &entry.facts.unmapped)
    }

    /// Returns the number of files that have unmapped lines, and the first `most` of them, those with most such lines
    /// first.
    #[must_use]
    pub fn most_unmapped(&self, most: usize) -> (usize, Vec<Unmapped>) {
        let entries = self.index.unmapped_files().iter().filter_map(|file| self.index.entry(*file));
        let lost = |entry: &FileEntry| -> u32 {
            entry.facts.unmapped.iter().map(|(first, last)| last - first + 1).sum()
        };
        let mut files: Vec<(u32, &FileEntry)> = entries.map(|entry| (lost(entry), entry)).collect();
        files.sort_unstable_by(|a, b| (b.0, &a.1.path).cmp(&(a.0, &b.1.path)));
        let told = |(_, entry): &(u32, &FileEntry)| Unmapped {
            path: entry.path.clone(),
            lines: entry.facts.unmapped.clone(),
        };
        (files.len(), files.iter().take(most).map(told).collect())
    }

    /// Returns the files that are text only, wholly or in part, with the reasons, sorted by path.
    #[must_use]
    pub fn given_up(&self) -> Vec<(&WsPath, GaveUp)> {
        let path = |(file, why): (&FileId, &GaveUp)| Some((&self.index.entry(*file)?.path, *why));
        let mut found: Vec<_> = self.index.given_up().iter().filter_map(path).collect();
        found.sort_unstable();
        found
    }

    /// Returns true if no file is text only, wholly or in part.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.index.given_up().is_empty()
    }

    /// Returns the reason for which a file is text only, wholly or in part; `None` if it is not, or is not mapped.
    #[must_use]
    pub fn gave_up(&self, path: &str) -> Option<GaveUp> {
        self.index.given_up().get(&self.file_at(path)?).copied()
    }

    /// Returns the files that are text only until they have been parsed, sorted by path.
    #[must_use]
    pub fn pending_files(&self) -> Vec<&WsPath> {
        let waiting = self.index.given_up().iter().filter(|(_, why)| **why == GaveUp::Pending);
        let mut found: Vec<_> =
            waiting.filter_map(|(file, _)| Some(&self.index.entry(*file)?.path)).collect();
        found.sort_unstable();
        found
    }

    /// Gives the memory back of what queries have opened, and later ones will open again.
    pub fn close_flows(&self) {
        self.index.close_flows();
    }

    /// Returns the figures of the map.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let counts = self.index.counts();
        Stats {
            files: self.source_files(),
            symbols: counts.symbols,
            references: counts.references,
            edges: self.standing.edge_count(),
            languages: self.count_languages(),
            heap_bytes: self.index.heap_bytes() + self.confirmed.heap_bytes() + self.standing.heap_bytes(),
        }
    }

    fn source_files(&self) -> usize {
        let files = &self.index.counts().files;
        files.iter().filter(|(lang, _)| lang.spec().is_some()).map(|(_, count)| count).sum()
    }

    fn count_languages(&self) -> Vec<(&'static str, usize)> {
        let files = &self.index.counts().files;
        let named = files.iter().filter_map(|(lang, &count)| Some((lang.spec()?.name, count)));
        let mut languages: Vec<_> = named.filter(|(_, count)| *count > 0).collect();
        languages.sort_unstable_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
        languages
    }
}
