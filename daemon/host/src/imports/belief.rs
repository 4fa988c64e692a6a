//! Counts the files of which imported indexes are believed, by the hashes in the text index. Clients ask for these
//! counts every second, so they are computed again only when something has changed.

use hob_base::lock;
use hob_scip::IndexTitle;
use rustc_hash::FxHashMap;

use super::super::workspace::Workspace;
use super::state::ImportedIndex;

/// The state of one imported index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexStatus {
    /// The name by which users drop it.
    pub name: String,
    /// Its indexer, its source and the time of the import.
    pub title: IndexTitle,
    /// Number of files in the index.
    pub files: usize,
    /// Number of these files whose contents are still those that were indexed.
    pub believed: usize,
    /// Number of names in all files.
    pub names: usize,
    /// Number of symbols that these names mean.
    pub symbols: usize,
    /// The bytes that the index takes on disk.
    pub disk_bytes: usize,
}

/// The counts as they were at a generation.
#[derive(Debug)]
pub(crate) struct BelievedCounts {
    generation: u64,
    all: Vec<IndexStatus>,
}

impl Workspace {
    /// Returns the state of each imported index, sorted by name. Files that change at this moment count as they were.
    #[must_use]
    pub fn index_statuses(&self) -> Vec<IndexStatus> {
        let generation = self.generation().0;
        let known = lock(&self.imports.counts);
        if let Some(counts) = known.as_ref().filter(|counts| counts.generation == generation) {
            return counts.all.clone();
        }
        drop(known);
        let all = self.count_believed();
        *lock(&self.imports.counts) = Some(BelievedCounts { generation, all: all.clone() });
        all
    }

    fn count_believed(&self) -> Vec<IndexStatus> {
        let indexes = self.imported_indexes();
        if indexes.is_empty() {
            return Vec::new();
        }
        let text = self.text();
        let now: FxHashMap<&str, _> = text.files().map(|(_, path, hash)| (path.as_str(), hash)).collect();
        let is_believed = |path: &str, hash| now.get(path) == Some(&hash);
        indexes.iter().map(|one| status_of(one, &is_believed)).collect()
    }
}

fn status_of(one: &ImportedIndex, is_believed: &dyn Fn(&str, hob_base::ContentHash) -> bool) -> IndexStatus {
    let (names, symbols) = one.index.name_and_symbol_counts();
    IndexStatus {
        name: one.name.clone(),
        title: one.index.title(),
        files: one.index.files().count(),
        believed: one.index.files().filter(|file| is_believed(file.path, file.hash)).count(),
        names: names as usize,
        symbols: symbols as usize,
        disk_bytes: one.index.disk_and_memory_bytes().0,
    }
}
