//! Files that changed lately, in memory, over the index on disk.
//!
//! A commit of tantivy's takes threads, buffers of megabytes and some tens of milliseconds. What an agent has just edited is
//! a file or two: they become a small index of their own, written by no thread but the caller's, and every
//! answer is made from both. Each file's documents count in one place only; a file that is gone counts nowhere. When there are
//! many such indexes, the caller has their files committed, and begins anew.

use rustc_hash::FxHashMap;
use tantivy::directory::RamDirectory;
use tantivy::schema::Schema;
use tantivy::{Index, IndexReader, IndexSettings, ReloadPolicy, Searcher};

use super::index::RankedError;
use super::schema::register_tokenizer;

/// Small indexes that are worth a commit, and documents in them.
const PARTS: usize = 24;
const DOCS: u64 = 20_000;

/// Buffer of a small index; it grows as need be.
const HEAP: usize = 400 << 10;

/// Memory of a small index beside its files, about.
const PART_BYTES: u64 = 64 << 10;

/// See the module's header. A value: searches keep the one they began with.
#[derive(Clone, Default)]
pub(super) struct Overlay {
    parts: Vec<Searcher>,
    /// Bytes of all parts' files.
    bytes: u64,
    /// In which part a file's documents are; `None` if it has none any more.
    at: FxHashMap<u64, Option<usize>>,
}

impl Overlay {
    /// Adds a part, or forgets files if there is none.
    pub(super) fn push(&mut self, part: Option<OverlayPart>, files: impl Iterator<Item = u64>) {
        let at = part.as_ref().map(|_| self.parts.len());
        if let Some(OverlayPart { searcher, bytes }) = part {
            self.parts.push(searcher);
            self.bytes += bytes;
        }
        self.at.extend(files.map(|file| (file, at)));
    }

    /// The parts with their places.
    pub(super) fn parts(&self) -> impl Iterator<Item = (usize, &Searcher)> {
        self.parts.iter().enumerate()
    }

    /// Returns true if documents of this file count that are in a part, or (`None`) on disk.
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
    /// Bytes of its files, which are in memory.
    bytes: u64,
}

/// Makes a small index of what `fill` adds.
pub(super) fn build_part(
    schema: Schema,
    fill: impl FnOnce(&mut dyn FnMut(tantivy::TantivyDocument) -> tantivy::Result<()>) -> Result<(), RankedError>,
) -> Result<OverlayPart, RankedError> {
    let settings = IndexSettings { docstore_compress_dedicated_thread: false, ..IndexSettings::default() };
    let builder = Index::builder().schema(schema).settings(settings);
    // The index that the writer makes has a list of tokenizers of its own.
    let tokenizers = tantivy::tokenizer::TokenizerManager::default();
    register_tokenizer(&tokenizers);
    let files = RamDirectory::create();
    let mut writer = builder.tokenizers(tokenizers).single_segment_index_writer(files.clone(), HEAP)?;
    fill(&mut |document| writer.add_document(document))?;
    let index = writer.finalize()?;
    let reader: IndexReader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    Ok(OverlayPart { searcher: reader.searcher(), bytes: files.total_mem_usage() as u64 })
}
