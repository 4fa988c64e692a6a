//! Finds facts by content: in the store if these bytes were ever seen, else by extraction.
//!
//! The key is the content hash, the language and the extractor's version; project files also differ by name. So a branch
//! switch, a second worktree or a restart parses only what no workspace has seen.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hob_base::paged::PagedStore;
use hob_base::{CancelToken, ContentHash, WsPath};
use hob_map::graph::{Derived, RestoredEdges};
use hob_map::persist::{self, PersistError};
use hob_map::{EXTRACTOR_VERSION, FileFacts, GaveUp, Lang, extract_within, text_only};
use hob_store::{Store, StoreError, StoreOperation, StoreTree};

use super::attempts::Attempts;

/// Number of stored facts with which a large index flushes them to the disk; fewer wait for the next saving.
const MANY: usize = 256;

/// Longest processor time that a file may take, and the time added for each megabyte: thirty times what people's
/// sources take.
const PATIENCE: Duration = Duration::from_secs(1);
const PER_MEGABYTE: Duration = Duration::from_secs(8);

/// Bytes of facts that stay in memory when many files are read: files for those of a small project would cost more than they save.
const LEAST_PAGED: usize = 8 << 20;

/// A cache of facts that counts how it got them.
#[derive(Debug)]
pub(super) struct FactsCache {
    store: Arc<dyn Store>,
    attempts: Arc<Attempts>,
    /// The facts of files that were read many at once, out of the process's own memory.
    paged: PagedStore,
    /// Bytes of facts that stayed in memory since many files were last begun to be read, as the first ones do.
    unpaged: AtomicUsize,
    /// Number of stored facts since the last flush.
    unflushed: AtomicUsize,
    /// Number of files whose facts were extracted.
    pub(super) extracted: AtomicU64,
    /// Number of files whose facts came from the store.
    pub(super) loaded: AtomicU64,
}

/// A file whose facts are wanted.
pub(super) struct FactsRequest<'a> {
    pub(super) path: &'a WsPath,
    pub(super) lang: Lang,
    pub(super) hash: ContentHash,
}

impl FactsCache {
    /// `folder` is where facts may lie while the workspace is open.
    pub(super) fn new(store: Arc<dyn Store>, attempts: Arc<Attempts>, folder: PathBuf) -> Self {
        let paged = PagedStore::new(folder);
        Self {
            store,
            attempts,
            paged,
            unpaged: AtomicUsize::new(0),
            unflushed: AtomicUsize::new(0),
            extracted: AtomicU64::new(0),
            loaded: AtomicU64::new(0),
        }
    }

    /// Says that many files are about to be read.
    pub(super) fn begin_bulk(&self) {
        self.unpaged.store(0, Ordering::Relaxed);
    }

    /// Puts facts where the system may take their memory, if there are many. Not for files that are being edited: the place of facts
    /// that are dropped soon is not used again.
    pub(super) fn page_facts(&self, facts: FileFacts) -> FileFacts {
        if self.unpaged.load(Ordering::Relaxed) < LEAST_PAGED {
            self.unpaged.fetch_add(facts.heap_bytes(), Ordering::Relaxed);
            return facts;
        }
        facts.placed_in(&self.paged)
    }

    /// Puts the edges of a derivation where the system may take their memory, if they are many.
    pub(super) fn page_derived(&self, derived: Derived) -> Derived {
        derived.placed_in(&self.paged)
    }

    /// Puts restored edges where the system may take their memory, if they are many.
    pub(super) fn page_edges(&self, edges: RestoredEdges) -> RestoredEdges {
        edges.placed_in(&self.paged)
    }

    /// Writes the facts that the system may take, and gives it their memory. The store gives back what it holds, too. Waits
    /// for the disk.
    pub(super) fn settle_memory(&self) {
        if let Err(error) = self.paged.settle() {
            tracing::error!(%error, "facts cannot be written; they stay in memory");
        }
        self.release_store();
    }

    /// Has the store give back what it holds of the facts that were stored and loaded.
    pub(super) fn release_store(&self) {
        if let Err(error) = self.store.release_memory() {
            tracing::warn!(%error, "the store did not give its memory back");
        }
    }

    /// Gives the system the memory of all facts that it may take, without waiting.
    pub(super) fn release_memory(&self) {
        self.paged.release();
    }

    /// Returns the bytes of the files without a name that facts are in.
    pub(super) fn paged_bytes(&self) -> u64 {
        self.paged.file_bytes()
    }

    /// Returns the store of the facts.
    pub(super) fn facts_store(&self) -> &dyn Store {
        &*self.store
    }

    /// Returns stored facts. Unreadable ones count as absent: they are extracted again and overwritten.
    pub(super) fn load(&self, wanted: &FactsRequest<'_>) -> Option<FileFacts> {
        let bytes = self.store.get(StoreTree::Facts, &key(wanted)).ok().flatten()?;
        let facts = persist::decode(&bytes).ok()?;
        self.loaded.fetch_add(1, Ordering::Relaxed);
        Some(facts)
    }

    /// Returns true if a daemon ended while these contents were parsed: such files come last.
    pub(super) fn is_suspect(&self, hash: &ContentHash) -> bool {
        self.attempts.is_suspect(hash)
    }

    /// Extracts facts, and makes the step that stores them. A file that was given up is stored too, so that the same
    /// bytes cost no time again after a restart or in another work tree. There is no step if the daemon is about to
    /// end, or if `haste` ended first: the facts then say that they are pending.
    pub(super) fn extract(
        &self,
        wanted: &FactsRequest<'_>,
        source: &[u8],
        cancel: &CancelToken,
        haste: Option<Duration>,
    ) -> (FileFacts, Option<StoreOperation>) {
        let facts = match self.attempts.begin(wanted.hash) {
            Some(_attempt) => extract_patiently(wanted, source, cancel, haste),
            None => text_only(wanted.lang, GaveUp::Fatal),
        };
        if cancel.check().is_err() || facts.gave_up == Some(GaveUp::Pending) {
            return (facts, None);
        }
        if let Some(why) = facts.gave_up {
            tracing::warn!(path = %wanted.path, bytes = source.len(), why = why.as_str(), "a file is text only");
        }
        self.extracted.fetch_add(1, Ordering::Relaxed);
        let value = persist::encode(&facts);
        (facts, Some(StoreOperation::Put { key: key(wanted), value }))
    }

    /// Flushes stored facts to the disk.
    pub(super) fn flush(&self) -> Result<(), StoreError> {
        self.unflushed.store(0, Ordering::Relaxed);
        self.store.flush()
    }

    /// Flushes stored facts if they are many, so that a daemon that is killed in its first index loses little of its work:
    /// the database keeps nothing of a batch that is not wholly on the disk.
    pub(super) fn flush_many(&self) -> Result<(), StoreError> {
        if self.unflushed.load(Ordering::Relaxed) < MANY { Ok(()) } else { self.flush() }
    }

    /// Stores extracted facts. It does not flush them: a single change must not wait for the disk.
    pub(super) fn save(&self, ops: Vec<StoreOperation>) -> Result<(), StoreError> {
        if ops.is_empty() {
            return Ok(());
        }
        self.unflushed.fetch_add(ops.len(), Ordering::Relaxed);
        self.store.batch(StoreTree::Facts, ops)
    }
}

fn extract_patiently(
    wanted: &FactsRequest<'_>,
    source: &[u8],
    cancel: &CancelToken,
    haste: Option<Duration>,
) -> FileFacts {
    let (begun, begun_at) = (spent(), Instant::now());
    let whole = PATIENCE + PER_MEGABYTE.mul_f64(source.len() as f64 / f64::from(1 << 20));
    let limit = haste.map_or(whole, |haste| haste.min(whole));
    // The processor's time is a call into the kernel, and never more than the time that has passed.
    let has_time = || begun_at.elapsed() < limit || spent().saturating_sub(begun) < limit;
    let patience = || has_time() && cancel.check().is_ok();
    let facts = extract_within(wanted.lang, wanted.path.file_name(), source, &patience);
    if facts.gave_up == Some(GaveUp::Time) && limit < whole {
        return text_only(wanted.lang, GaveUp::Pending);
    }
    facts
}

/// Returns the content hash of stored facts, given their key and value; `None` if this build cannot use them, because
/// they are of another extractor or in another form.
pub(super) fn content_of(key: &[u8], value: &[u8]) -> Option<ContentHash> {
    let (hash, rest) = key.split_first_chunk::<HASH>()?;
    let (_lang, rest) = rest.split_first()?;
    let ours = rest.starts_with(&EXTRACTOR_VERSION.to_le_bytes());
    // The first byte says the form, and decoding it alone costs nothing.
    let head = value.get(..1)?;
    let readable = !matches!(persist::decode(head), Err(PersistError::Format(_)));
    (ours && readable).then_some(ContentHash(*hash))
}

/// Bytes of a content hash, with which every key begins.
const HASH: usize = 32;

fn key(wanted: &FactsRequest<'_>) -> Vec<u8> {
    let mut key = wanted.hash.as_bytes().to_vec();
    key.push(wanted.lang as u8);
    key.extend(EXTRACTOR_VERSION.to_le_bytes());
    if wanted.lang == Lang::Manifest {
        key.extend(wanted.path.file_name().as_bytes());
    }
    key
}

/// Returns the processor time of this thread. A busy machine does not prolong it, so facts do not depend on the load.
#[cfg(unix)]
fn spent() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// Returns zero, because the time is not known here: no file is given up.
#[cfg(not(unix))]
fn spent() -> Duration {
    Duration::ZERO
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_that_nobody_can_read_are_told_from_ours() {
        let path = WsPath::new("package.json").expect("relative");
        let hash = ContentHash::of(b"{}");
        let wanted = FactsRequest { path: &path, lang: Lang::Manifest, hash };
        let value = persist::encode(&extract_within(Lang::Manifest, "package.json", b"{}", &|| true));
        let ours = key(&wanted);
        assert_eq!(content_of(&ours, &value), Some(hash));
        let mut other_extractor = ours.clone();
        other_extractor[HASH + 1] ^= 1;
        assert_eq!(content_of(&other_extractor, &value), None);
        let mut other_form = value.clone();
        other_form[0] = 250;
        assert_eq!(content_of(&ours, &other_form), None);
        assert_eq!(content_of(&ours, b""), None);
        assert_eq!(content_of(b"short", &value), None);
    }
}
