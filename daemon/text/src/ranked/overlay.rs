//! Keeps recently changed files in memory, over the index on disk.
//!
//! A commit of tantivy's takes threads, buffers of megabytes and some tens of milliseconds. An agent has
//! usually edited only a file or two: they become a small index of their own, which the caller's thread
//! writes, and every answer combines both. Each file's documents count in one place only; a removed file
//! counts nowhere. When there are many such indexes, the caller commits their files and begins anew.

use rustc_hash::FxHashMap;
use tantivy::directory::RamDirectory;
use tantivy::schema::Schema;
use tantivy::{Index, IndexReader, IndexSettings, ReloadPolicy, Searcher};

use super::index::RankedError;
use super::schema::register_tokenizer;

/// Number of small indexes that justify a commit, and of documents in them.
const PARTS: usize = 24;
const DOCS: u64 = 20_000;

/// The buffer of a small index; it grows as needed.
const HEAP: usize = 400 << 10;

/// Approximate memory of a small index beside its files.
const PART_BYTES: u64 = 64 << 10;

/// The small indexes of recent files. It is a value: searches keep the one they began with.
#[derive(Clone, Default)]
pub(super) struct Overlay {
    parts: Vec<Searcher>,
    /// Bytes of all parts' files.
    bytes: u64,
    /// The part that has a file's documents; `None` if the file has none any more.
    at: FxHashMap<u64, Option<usize>>,
}

impl Overlay {
    /// Adds a part with these files, or removes the files if there is no part.
    pub(super) fn push(&mut self, part: Option<OverlayPart>, files: impl Iterator<Item = u64>) {
        let at = part.as_ref().map(|_| self.parts.len());
        if let Some(OverlayPart { searcher, bytes }) = part {
            self.parts.push(searcher);
            self.bytes += bytes;
        }
        self.at.extend(files.map(|file| (file, at)));
    }

    /// Returns the parts with their places.
    pub(super) fn parts(&self) -> impl Iterator<Item = (usize, &Searcher)> {
        self.parts.iter().enumerate()
    }

    /// Returns true if all documents on disk count.
    pub(super) fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Returns true if a part's documents of this file count, or those on disk (`None`).
    pub(super) fn is_current(&self, file: u64, part: Option<usize>) -> bool {
        match (self.at.get(&file), part) {
            (None, None) => true,
            (Some(at), Some(part)) => *at == Some(part),
            _ => false,
        }
    }

    pub(super) fn files(&self) -> impl Iterator<Item = u64> {
        self.at.keys().copied()
    }

    pub(super) fn is_full(&self) -> bool {
        self.parts.len() >= PARTS || self.doc_count() >= DOCS
    }

    fn doc_count(&self) -> u64 {
        self.parts.iter().map(Searcher::num_docs).sum()
    }

    pub(super) fn heap_bytes(&self) -> u64 {
        self.bytes + self.parts.len() as u64 * PART_BYTES
    }
}

/// A small index in memory, one part of the overlay.
pub(super) struct OverlayPart {
    searcher: Searcher,
    /// The size of its files in bytes, which are in memory.
    bytes: u64,
}

/// Makes a small index of the documents that `fill` adds.
pub(super) fn build_part(
    schema: Schema,
    fill: impl FnOnce(&mut dyn FnMut(tantivy::TantivyDocument) -> tantivy::Result<()>) -> Result<(), RankedError>,
) -> Result<OverlayPart, RankedError> {
    let settings = IndexSettings { docstore_compress_dedicated_thread: false, ..IndexSettings::default() };
    let builder = Index::builder().schema(schema).settings(settings);
    // The index that the writer makes has its own list of tokenizers.
    let tokenizers = tantivy::tokenizer::TokenizerManager::default();
    register_tokenizer(&tokenizers);
    let files = RamDirectory::create();
    let mut writer = builder.tokenizers(tokenizers).single_segment_index_writer(files.clone(), HEAP)?;
    fill(&mut |document| writer.add_document(document))?;
    let index = writer.finalize()?;
    let reader: IndexReader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    Ok(OverlayPart { searcher: reader.searcher(), bytes: files.total_mem_usage() as u64 })
}
