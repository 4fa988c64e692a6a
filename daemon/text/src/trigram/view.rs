//! Defines the text view: the index as one query sees it.

use hob_base::{ContentHash, FileId, WsPath};
use rayon::prelude::*;
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::Hasher;
use std::sync::Arc;

use super::blocks::Blocks;
use super::grams::Gram;
use super::parts::TrigramPart;
use super::plan::GramQueryPlan;
use super::query::GramQuery;
use super::segment::Doc;
use crate::contents::cache::ContentCache;
use crate::contents::pack::CachedText;
use crate::filter::PathFilter;

/// A hash that no contents have, so that no cache has a text for it.
const UNKNOWN_HASH: ContentHash = ContentHash([0; 32]);

/// A text view: an index at one moment. Cheap to clone; later changes to the index do not affect it.
#[derive(Clone, Debug, Default)]
pub struct TextView {
    parts: Vec<TrigramPart>,
    contents: ContentCache,
    unindexed: Arc<UnindexedFiles>,
}

/// Files that each search reads, whatever the index has of them.
#[derive(Debug, Default)]
struct UnindexedFiles {
    files: Vec<(FileId, WsPath)>,
    numbers: FxHashSet<FileId>,
}

/// A file that may match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateFile {
    /// Number of the file in the file table.
    pub file: FileId,
    /// The file's path, relative to the root.
    pub path: WsPath,
    /// Hash of the file's contents when it was indexed.
    pub hash: ContentHash,
    /// The blocks of these contents that may have a match.
    pub(crate) blocks: Blocks,
}

/// A file that at least one of several queries admits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MultiQueryCandidate {
    /// Number of the file in the file table.
    pub file: FileId,
    /// The file's path, relative to the root.
    pub path: WsPath,
    /// Hash of the file's contents when it was indexed.
    pub hash: ContentHash,
    /// Numbers of the queries that admit the file, ascending.
    pub queries: Box<[u32]>,
    /// The blocks of these contents that may have a match, for each of these queries.
    pub(crate) blocks: Box<[Blocks]>,
}

/// The figures of an index, sizes in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexStats {
    /// Number of files that can be found.
    pub files: usize,
    /// Replaced or removed documents that take memory until the next merge.
    pub dead: usize,
    /// Number of immutable segments.
    pub segments: usize,
    /// Size of the posting lists.
    pub postings_bytes: usize,
    /// Size of the trigram tables and of the ends of blocks.
    pub table_bytes: usize,
    /// Approximate private memory; mapped files do not count.
    pub private_bytes: usize,
    /// Number of files whose segments are not on disk.
    pub unsaved: usize,
}

impl TextView {
    pub(super) fn new(parts: Vec<TrigramPart>, contents: ContentCache) -> Self {
        Self { parts, contents, unindexed: Arc::default() }
    }

    /// Returns the view without its cached texts, so that every file is read from the disk: for callers who
    /// know that files have changed since they were indexed, or may have.
    #[must_use]
    pub fn without_contents(self) -> Self {
        Self { contents: ContentCache::default(), ..self }
    }

    /// Returns the view with files that searches read whatever the pattern. What the index has of them does not count: it
    /// may be of other contents.
    #[must_use]
    pub fn with_unindexed(self, files: Vec<(FileId, WsPath)>) -> Self {
        let numbers = files.iter().map(|(file, _)| *file).collect();
        Self { unindexed: Arc::new(UnindexedFiles { files, numbers }), ..self }
    }

    /// Returns the files that are read whatever the pattern.
    pub fn unindexed_paths(&self) -> impl Iterator<Item = (FileId, &WsPath)> {
        self.unindexed.files.iter().map(|(file, path)| (*file, path))
    }

    /// Returns the text that a file had when it was indexed; `None` if the cache does not have it.
    pub(crate) fn text(&self, hash: &ContentHash) -> Option<CachedText<'_>> {
        self.contents.get(hash)
    }

    /// Returns the texts that searches read before they read files.
    #[must_use]
    pub fn contents(&self) -> &ContentCache {
        &self.contents
    }

    pub(super) fn parts(&self) -> &[TrigramPart] {
        &self.parts
    }

    /// Returns the files that `filter` admits and whose trigrams satisfy `query`, sorted by path. A missing
    /// file has no match; a returned one may have none either.
    #[must_use]
    pub fn candidate_files(&self, query: &GramQuery, filter: &PathFilter) -> Vec<CandidateFile> {
        let mut found: Vec<CandidateFile> =
            self.parts.par_iter().flat_map_iter(|part| candidates_of(part, query, filter)).collect();
        found.retain(|candidate| !self.unindexed.numbers.contains(&candidate.file));
        found.extend(self.unindexed_in(filter).map(|(file, path)| CandidateFile {
            file,
            path: path.clone(),
            hash: UNKNOWN_HASH,
            blocks: None,
        }));
        // Runs from segments are sorted already, which makes a stable sort fast.
        found.sort_by(|a, b| (&a.path, a.file).cmp(&(&b.path, b.file)));
        found
    }

    /// Returns, for many queries at once, the files that at least one of them admits, sorted by path, each
    /// with the numbers of those queries. As with [`TextView::candidate_files`], only missing files are
    /// certain.
    #[must_use]
    pub fn candidates_of_each(
        &self,
        queries: &[&GramQuery],
        filter: &PathFilter,
    ) -> Vec<MultiQueryCandidate> {
        let mut found: Vec<MultiQueryCandidate> =
            self.parts.par_iter().flat_map_iter(|part| candidates_of_each(part, queries, filter)).collect();
        found.retain(|candidate| !self.unindexed.numbers.contains(&candidate.file));
        let numbers = || (0..queries.len()).map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        found.extend(self.unindexed_in(filter).map(|(file, path)| MultiQueryCandidate {
            file,
            path: path.clone(),
            hash: UNKNOWN_HASH,
            queries: numbers().collect(),
            blocks: numbers().map(|_| None).collect(),
        }));
        found.sort_by(|a, b| (&a.path, a.file).cmp(&(&b.path, b.file)));
        found
    }

    fn unindexed_in<'v>(&'v self, filter: &'v PathFilter) -> impl Iterator<Item = (FileId, &'v WsPath)> {
        self.unindexed_paths().filter(|(_, path)| filter.admits(path))
    }

    /// Returns an upper bound of the number of blocks that have a literal.
    pub(crate) fn most_blocks_with(&self, literal: &[u8]) -> usize {
        let query = GramQuery::from_literal(literal);
        self.parts.iter().map(|part| GramQueryPlan::new(&query, &part.segment).bound()).sum()
    }

    /// Returns every file, in no particular order.
    pub fn indexed_paths(&self) -> impl Iterator<Item = (FileId, &WsPath)> {
        self.parts.iter().flat_map(TrigramPart::live_docs).map(|(_, doc)| (doc.file, &doc.path))
    }

    /// Returns every file with its indexed hash, in no particular order.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &WsPath, ContentHash)> {
        self.parts.iter().flat_map(|part| {
            part.live_docs().map(move |(at, doc)| (doc.file, &doc.path, part.segment.hash(at)))
        })
    }

    /// Returns the figures of the index.
    #[must_use]
    pub fn stats(&self) -> IndexStats {
        IndexStats::stats_of(&self.parts)
    }

    /// Returns the logical content, independent of segments and file numbers: each path with a hash of its
    /// trigrams and their blocks, sorted. Two indexes of the same files return the same. Slow; for tests and
    /// checks.
    #[must_use]
    pub fn export_contents(&self) -> Vec<(WsPath, u64)> {
        let mut all: Vec<(WsPath, u64)> = self.parts.iter().flat_map(export_part).collect();
        all.sort_unstable();
        all
    }
}

impl IndexStats {
    pub(super) fn stats_of(parts: &[TrigramPart]) -> Self {
        let mut stats = Self { segments: parts.len(), ..Self::default() };
        for part in parts {
            stats.files += part.live_count();
            stats.dead += part.segment.docs.len() - part.live_count();
            stats.postings_bytes += part.segment.postings().len();
            stats.table_bytes += part.segment.table().len() + part.segment.ends().len();
            stats.private_bytes += part.segment.private_bytes();
            stats.unsaved += if part.segment.stored().is_none() { part.live_count() } else { 0 };
        }
        stats
    }
}

fn candidates_of(part: &TrigramPart, query: &GramQuery, filter: &PathFilter) -> Vec<CandidateFile> {
    let named = |(at, doc): (u32, &Doc), blocks: Blocks| {
        let found =
            || CandidateFile { file: doc.file, path: doc.path.clone(), hash: part.segment.hash(at), blocks };
        filter.admits(&doc.path).then(found)
    };
    match GramQueryPlan::new(query, &part.segment).satisfying_blocks() {
        None => part.live_docs().filter_map(|doc| named(doc, None)).collect(),
        Some(blocks) => {
            let all = part.segment.by_document(&blocks).into_iter();
            let live = all.filter(|(doc, _)| part.is_live(*doc));
            let named_in_part = |(at, blocks): (u32, Blocks)| {
                named((at, &part.segment.docs[at as usize]), searched_blocks(part, at, blocks))
            };
            live.filter_map(named_in_part).collect()
        }
    }
}

/// Returns the blocks of a document to search: all of them if at least half have to be, because memory is read in order
/// faster than in pieces.
fn searched_blocks(part: &TrigramPart, doc: u32, blocks: Blocks) -> Blocks {
    blocks.filter(|blocks| blocks.len() * 2 < part.segment.blocks(doc).len())
}

fn candidates_of_each(
    part: &TrigramPart,
    queries: &[&GramQuery],
    filter: &PathFilter,
) -> Vec<MultiQueryCandidate> {
    let mut admitting: Vec<Vec<(u32, Blocks)>> = vec![Vec::new(); part.segment.docs.len()];
    let mut everywhere = Vec::new();
    for (query, number) in queries.iter().zip(0..) {
        match GramQueryPlan::new(query, &part.segment).satisfying_blocks() {
            None => everywhere.push((number, None)),
            Some(blocks) => part.segment.by_document(&blocks).into_iter().for_each(|(doc, blocks)| {
                if let Some(queries) = admitting.get_mut(doc as usize) {
                    queries.push((number, searched_blocks(part, doc, blocks)));
                }
            }),
        }
    }
    let candidate = |(at, doc): (u32, &Doc)| {
        let mut queries = std::mem::take(&mut admitting[at as usize]);
        queries.extend_from_slice(&everywhere);
        if queries.is_empty() || !filter.admits(&doc.path) {
            return None;
        }
        queries.sort_unstable_by_key(|(number, _)| *number);
        let hash = part.segment.hash(at);
        let (queries, blocks): (Vec<_>, Vec<_>) = queries.into_iter().unzip();
        let (queries, blocks) = (queries.into(), blocks.into());
        Some(MultiQueryCandidate { file: doc.file, path: doc.path.clone(), hash, queries, blocks })
    };
    part.live_docs().filter_map(candidate).collect()
}

/// Lists come in the order of trigrams and then of blocks, so each document's hash gets its own sorted.
fn export_part(part: &TrigramPart) -> Vec<(WsPath, u64)> {
    let mut hashes = vec![FxHasher::default(); part.segment.docs.len()];
    for (gram, list) in part.segment.rows_in(0..Gram::SPACE) {
        for (doc, blocks) in part.segment.by_document(&list.to_vec()) {
            let hash = &mut hashes[doc as usize];
            hash.write_u32(gram);
            blocks.iter().flatten().for_each(|block| hash.write_u32(*block));
        }
    }
    part.live_docs().map(|(at, doc)| (doc.path.clone(), hashes[at as usize].finish())).collect()
}
