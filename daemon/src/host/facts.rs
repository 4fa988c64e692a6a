//! Facts by content: from the store if these bytes were ever seen, else extracted.
//!
//! The key is the content hash, the language and the extractor's version; project files also differ by name. So a branch
//! switch, a second worktree or a restart parses only what no workspace has seen.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hob_base::{ContentHash, WsPath};
use hob_map::{EXTRACTOR_VERSION, FileFacts, Lang, extract, persist};
use hob_store::{Op, Store, StoreError, Tree};

/// Finds facts and counts how it got them.
#[derive(Debug)]
pub(super) struct FactsCache {
    store: Arc<dyn Store>,
    /// Files whose facts were extracted.
    pub(super) extracted: AtomicU64,
    /// Files whose facts came from the store.
    pub(super) loaded: AtomicU64,
}

/// A file whose facts are wanted.
pub(super) struct Wanted<'a> {
    pub(super) path: &'a WsPath,
    pub(super) lang: Lang,
    pub(super) hash: ContentHash,
}

impl FactsCache {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, extracted: AtomicU64::new(0), loaded: AtomicU64::new(0) }
    }

    /// Stored facts. Unreadable ones count as absent: they are extracted again and overwritten.
    pub(super) fn load(&self, wanted: &Wanted<'_>) -> Option<FileFacts> {
        let bytes = self.store.get(Tree::Facts, &key(wanted)).ok().flatten()?;
        let facts = persist::decode(&bytes).ok()?;
        self.loaded.fetch_add(1, Ordering::Relaxed);
        Some(facts)
    }

    /// Extracts facts and the step that would store them.
    pub(super) fn extract(&self, wanted: &Wanted<'_>, source: &[u8]) -> (FileFacts, Op) {
        let facts = extract(wanted.lang, wanted.path.file_name(), source);
        self.extracted.fetch_add(1, Ordering::Relaxed);
        let op = Op::Put { key: key(wanted), value: persist::encode(&facts) };
        (facts, op)
    }

    /// Brings what was stored to the disk.
    pub(super) fn flush(&self) -> Result<(), StoreError> {
        self.store.flush()
    }

    /// Stores extracted facts.
    pub(super) fn save(&self, ops: Vec<Op>) -> Result<(), StoreError> {
        if ops.is_empty() { Ok(()) } else { self.store.batch(Tree::Facts, ops) }
    }
}

fn key(wanted: &Wanted<'_>) -> Vec<u8> {
    let mut key = wanted.hash.as_bytes().to_vec();
    key.push(wanted.lang as u8);
    key.extend(EXTRACTOR_VERSION.to_le_bytes());
    if wanted.lang == Lang::Manifest {
        key.extend(wanted.path.file_name().as_bytes());
    }
    key
}
