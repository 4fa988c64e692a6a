//! Opens, changes and merges the ranked index.
//!
//! A writer of tantivy's has threads and buffers, so there is one only during a change:
//! [`RankedIndex::update`] makes it, commits, shows the result to later searches, and ends it. A few files do
//! not justify that: they go into an overlay in memory ([`RankedIndex::patch_files`]) until there are more. A
//! merge runs in the background under the same writer, and changes go on meanwhile. Searches never wait for
//! any of it.
//!
//! Opening fails only if the folder cannot be used: an index of another version, or with a wrong checksum, is
//! removed and begun anew.

use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use rustc_hash::{FxHashMap, FxHashSet};
use tantivy::index::SegmentId;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, MergePolicy, NoMergePolicy, UserOperation};
use tantivy::store::Compressor;
use tantivy::{
    Index, IndexReader, IndexSettings, IndexWriter, ReloadPolicy, Searcher, TantivyDocument, TantivyError,
    Term,
};

use super::columns::{ColumnCache, SegmentColumns};
use super::folder::RankedFolder;
use super::overlay::{self, Overlay};
use super::query::{Segments, all_segments};
use super::queue::{DocumentQueue, QueuedDocument};
use super::schema::{FILE, Fields, RankedDoc, VERSION, VERSION_OF, register_tokenizer};

/// The file that records the form of the index.
const STAMP: &str = "form";

/// The buffer of a writing thread for a few files, and for many. (tantivy accepts no less than the first.)
const HEAP_FEW: usize = 15 << 20;
const HEAP_MANY: usize = 48 << 20;

/// Most threads that add documents.
const THREADS: usize = 4;

/// Approximate memory of an open segment beside its mapped files.
const SEGMENT_BYTES: u64 = 32 << 10;

/// The reason why the ranked index failed.
#[derive(Debug, thiserror::Error)]
pub enum RankedError {
    /// The index itself, or the disk under it.
    #[error(transparent)]
    Index(#[from] TantivyError),
    /// The folder could not be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The code that reads the index panicked on damaged files.
    #[error("the index is damaged")]
    Damaged,
}

/// An index and how it was opened.
#[derive(Debug)]
pub struct OpenedIndex {
    /// The index, ready for searches.
    pub index: RankedIndex,
    /// The reason why an existing index was removed, if it was.
    pub discarded: Option<String>,
}

/// The figures of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankedStats {
    /// Number of documents that can be found.
    pub docs: u64,
    /// Number of segments.
    pub segments: usize,
    /// Size on disk in bytes.
    pub disk_bytes: u64,
    /// Approximate private memory at rest.
    pub heap_bytes: u64,
}

/// A ranked index in a folder of its own.
pub struct RankedIndex {
    pub(super) fields: Fields,
    index: Index,
    reader: IndexReader,
    /// The index and the overlay of one moment, as searches see them.
    shown: RwLock<(Searcher, Arc<Overlay>)>,
    path: PathBuf,
    writer: Mutex<Writing>,
    pub(super) columns: ColumnCache,
}

impl std::fmt::Debug for RankedIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RankedIndex").field("path", &self.path).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Writing {
    writer: Option<IndexWriter<QueuedDocument>>,
    /// True while a merge needs the writer.
    merging: bool,
}

impl RankedIndex {
    /// Opens the index in `folder`, or begins one. `form` stands for everything else that documents depend
    /// on: an index of another form is discarded.
    ///
    /// # Errors
    /// When the folder can neither be read nor made.
    pub fn open(folder: &Path, form: &str) -> Result<OpenedIndex, RankedError> {
        let form = format!("hob ranked {VERSION}\n{form}\n");
        match fs::read_to_string(folder.join(STAMP)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::begin(folder, &form, None),
            Ok(found) if found == form => {
                let there = catch_unwind(AssertUnwindSafe(|| Self::open_existing(folder)));
                match there.unwrap_or(Err(RankedError::Damaged)) {
                    Ok(index) => Ok(OpenedIndex { index, discarded: None }),
                    Err(error) => Self::begin(folder, &form, Some(error.to_string())),
                }
            }
            _ => Self::begin(folder, &form, Some("it is of another version".to_owned())),
        }
    }

    fn begin(folder: &Path, form: &str, discarded: Option<String>) -> Result<OpenedIndex, RankedError> {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => fs::create_dir_all(folder)?,
        }
        let settings = IndexSettings {
            docstore_compression: Compressor::None,
            docstore_compress_dedicated_thread: false,
            ..IndexSettings::default()
        };
        let (schema, _) = Fields::build_schema();
        let files = RankedFolder::open(folder).map_err(TantivyError::from)?;
        let index = Self::from_index(Index::create(files, schema, settings)?, folder)?;
        // Last: an unfinished index has no stamp and is begun again.
        fs::write(folder.join(STAMP), form)?;
        Ok(OpenedIndex { index, discarded })
    }

    fn open_existing(folder: &Path) -> Result<Self, RankedError> {
        let files = RankedFolder::open(folder).map_err(TantivyError::from)?;
        let index = Index::open(files)?;
        if !index.validate_checksum()?.is_empty() {
            return Err(RankedError::Damaged);
        }
        Self::from_index(index, folder)
    }

    fn from_index(index: Index, folder: &Path) -> Result<Self, RankedError> {
        register_tokenizer(index.tokenizers());
        let (schema, fields) = Fields::build_schema();
        if schema != index.schema() {
            return Err(RankedError::Damaged);
        }
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual);
        let reader: IndexReader = reader.doc_store_cache_num_blocks(1).try_into()?;
        let shown = RwLock::new((reader.searcher(), Arc::default()));
        Ok(Self {
            fields,
            index,
            reader,
            shown,
            path: folder.to_path_buf(),
            writer: Mutex::default(),
            columns: ColumnCache::default(),
        })
    }

    /// Makes changes and shows them. `is_large` uses more threads and memory. It empties the overlay, so the
    /// files in it ([`RankedIndex::overlaid_files`]) must be among the changed ones.
    ///
    /// # Errors
    /// [`RankedError`]; then none of the changes is made.
    pub fn update(&self, is_large: bool, change: impl FnOnce(&Update<'_>)) -> Result<(), RankedError> {
        let mut writing = self.lock_writer();
        let writer = self.open_writer(&mut writing, is_large)?;
        let (_, overlay) = self.shown_state();
        let update = Update { fields: &self.fields, writer, queue: Arc::default() };
        overlay.files().for_each(|file| update.remove(file));
        change(&update);
        let outcome = writer.commit();
        if outcome.is_err() || !writing.merging {
            writing.writer = None;
        }
        outcome?;
        self.show_overlay(Some(Arc::default()))
    }

    /// Puts a few files into the overlay, which hides their documents in the index; files that `change` does
    /// not add are removed.
    ///
    /// # Errors
    /// [`RankedError`]; then nothing has changed.
    pub fn patch_files(
        &self,
        files: &[u64],
        change: impl FnOnce(&mut Patch<'_>) -> Result<(), RankedError>,
    ) -> Result<(), RankedError> {
        // One change at a time.
        let _writing = self.lock_writer();
        let mut added = FxHashSet::default();
        let part = overlay::build_part(self.index.schema(), |add| {
            change(&mut Patch { fields: &self.fields, add, added: &mut added })
        })?;
        let mut shown = self.shown.write().unwrap_or_else(PoisonError::into_inner);
        let overlay = Arc::make_mut(&mut shown.1);
        let gone = files.iter().copied().filter(|file| !added.contains(file)).collect::<Vec<_>>();
        overlay.push(None, gone.into_iter());
        if !added.is_empty() {
            overlay.push(Some(part), added.into_iter());
        }
        Ok(())
    }

    /// Returns the files in the overlay.
    #[must_use]
    pub fn overlaid_files(&self) -> Vec<u64> {
        self.shown_state().1.files().collect()
    }

    /// Returns true if the overlay is so large that it should be written to the index.
    #[must_use]
    pub fn is_overlay_full(&self) -> bool {
        self.shown_state().1.is_full()
    }

    /// Shows the committed index, with another overlay or the present one.
    fn show_overlay(&self, overlay: Option<Arc<Overlay>>) -> Result<(), RankedError> {
        self.reader.reload()?;
        let mut shown = self.shown.write().unwrap_or_else(PoisonError::into_inner);
        shown.0 = self.reader.searcher();
        if let Some(overlay) = overlay {
            shown.1 = overlay;
        }
        let ids = shown_ids(&shown.0, &shown.1);
        drop(shown);
        self.columns.retain_segments(&ids);
        Ok(())
    }

    /// Runs a due merge in the calling thread; returns false if none was due. Changes go on meanwhile.
    ///
    /// # Errors
    /// [`RankedError`]; the index stays as it was.
    pub fn merge_step(&self) -> Result<bool, RankedError> {
        let merge = {
            let mut writing = self.lock_writer();
            let metas = self.index.searchable_segment_metas()?;
            let mut due = merge_policy().compute_merge_candidates(&metas);
            let Some(due) = due.pop().filter(|_| !writing.merging) else { return Ok(false) };
            let writer = self.open_writer(&mut writing, false)?;
            let merge = writer.merge(&due.0);
            writing.merging = true;
            merge
        };
        let outcome = merge.wait();
        let mut writing = self.lock_writer();
        (writing.merging, writing.writer) = (false, None);
        outcome?;
        self.show_overlay(None).map(|()| true)
    }

    fn open_writer<'w>(
        &self,
        writing: &'w mut Writing,
        is_large: bool,
    ) -> Result<&'w mut IndexWriter<QueuedDocument>, RankedError> {
        if writing.writer.is_none() {
            let threads = std::thread::available_parallelism().map_or(1, |all| all.get().min(THREADS));
            let (threads, heap) = if is_large { (threads, HEAP_MANY) } else { (1, HEAP_FEW) };
            let options = IndexWriterOptions::builder()
                .num_worker_threads(threads)
                .memory_budget_per_thread(heap)
                .num_merge_threads(1)
                .build();
            let writer: IndexWriter<QueuedDocument> = self.index.writer_with_options(options)?;
            writer.set_merge_policy(Box::new(NoMergePolicy));
            writing.writer = Some(writer);
        }
        Ok(writing.writer.as_mut().expect("it was just opened"))
    }

    /// Returns the version of every file that is indexed on disk, by number.
    ///
    /// # Errors
    /// [`RankedError`].
    pub fn file_versions(&self) -> Result<FxHashMap<u64, u64>, RankedError> {
        let mut versions = FxHashMap::default();
        for segment in self.shown_state().0.segment_readers() {
            let (files, all) = (segment.fast_fields().u64(FILE)?, segment.fast_fields().u64(VERSION_OF)?);
            for doc in segment.doc_ids_alive() {
                if let (Some(file), Some(version)) = (files.first(doc), all.first(doc)) {
                    versions.insert(file, version);
                }
            }
        }
        Ok(versions)
    }

    pub(super) fn shown_state(&self) -> (Searcher, Arc<Overlay>) {
        self.shown.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the columns of segments, which it reads if they are not known.
    pub(super) fn columns_of(
        &self,
        segments: &Segments<'_>,
    ) -> Result<Vec<Arc<SegmentColumns>>, RankedError> {
        let columns = self.columns.columns_of(segments)?;
        // A search that began before a change keeps its own columns, and nobody else needs them.
        let (searcher, overlay) = self.shown_state();
        self.columns.retain_segments(&shown_ids(&searcher, &overlay));
        Ok(columns)
    }

    /// Returns true if the index has no document, and lays none over it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let (searcher, overlay) = self.shown_state();
        searcher.num_docs() == 0 && overlay.is_empty()
    }

    /// Returns the figures of the index.
    #[must_use]
    pub fn stats(&self) -> RankedStats {
        let (searcher, overlay) = self.shown_state();
        let segments = searcher.segment_readers().len();
        let sizes = fs::read_dir(&self.path).into_iter().flatten().flatten();
        RankedStats {
            docs: searcher.num_docs(),
            segments,
            disk_bytes: sizes.filter_map(|entry| entry.metadata().ok()).map(|data| data.len()).sum(),
            heap_bytes: segments as u64 * SEGMENT_BYTES + overlay.heap_bytes() + self.columns.heap_bytes(),
        }
    }

    fn lock_writer(&self) -> MutexGuard<'_, Writing> {
        // A writer is not used again after a panic.
        self.writer.lock().unwrap_or_else(|poisoned: PoisonError<_>| {
            let mut writing = poisoned.into_inner();
            *writing = Writing::default();
            self.writer.clear_poison();
            writing
        })
    }
}

fn merge_policy() -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(8);
    policy.set_max_docs_before_merge(4_000_000);
    policy.set_del_docs_ratio_before_merge(0.3);
    policy
}

/// Returns the segments that new searches see.
fn shown_ids(searcher: &Searcher, overlay: &Overlay) -> FxHashSet<SegmentId> {
    all_segments(searcher, overlay).iter().map(|(_, segment)| segment.segment_id()).collect()
}

/// Changes in progress. Several threads may add files, each file from one thread.
pub struct Update<'w> {
    fields: &'w Fields,
    writer: &'w IndexWriter<QueuedDocument>,
    queue: Arc<DocumentQueue>,
}

impl Update<'_> {
    /// Removes all documents of a file.
    pub fn remove(&self, file: u64) {
        self.writer.delete_term(Term::from_field_u64(self.fields.file, file));
    }

    /// Adds the documents that `fill` gives, of a new file or of one that was removed before. They stand together in the
    /// index, whatever other threads add meanwhile.
    ///
    /// # Errors
    /// The error of `fill`, or when the index cannot be written; then none of them is added.
    pub fn add_file(
        &self,
        fill: impl FnOnce(&mut FileDocuments<'_>) -> Result<(), RankedError>,
    ) -> Result<(), RankedError> {
        let mut documents = FileDocuments { fields: self.fields, documents: Vec::new(), text_bytes: 0 };
        fill(&mut documents)?;
        let FileDocuments { documents, text_bytes, .. } = documents;
        let file = Arc::new(self.queue.enter_file(documents.len(), text_bytes));
        let queued = documents.into_iter().map(|document| QueuedDocument::new(document, &file));
        self.writer.run(queued.map(UserOperation::Add))?;
        Ok(())
    }

    /// Returns false if so many documents wait to be indexed that more should not be added now.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.queue.has_room()
    }

    /// Waits until there is room, though not for ever.
    pub fn wait_for_room(&self) {
        self.queue.wait_for_room();
    }
}

/// Documents of one file in progress.
pub struct FileDocuments<'w> {
    fields: &'w Fields,
    documents: Vec<TantivyDocument>,
    /// The length of all their texts.
    text_bytes: usize,
}

impl FileDocuments<'_> {
    /// Adds a document of the file.
    pub fn add(&mut self, file: u64, version: u64, doc: &RankedDoc<'_>) {
        self.text_bytes += doc.text_bytes();
        self.documents.push(self.fields.tantivy_document(file, version, doc));
    }
}

/// Documents of a few files in progress, for the overlay.
pub struct Patch<'p> {
    fields: &'p Fields,
    add: &'p mut dyn FnMut(TantivyDocument) -> tantivy::Result<()>,
    added: &'p mut FxHashSet<u64>,
}

impl Patch<'_> {
    /// Adds a document of a file.
    ///
    /// # Errors
    /// When the overlay cannot be written.
    pub fn add(&mut self, file: u64, version: u64, doc: &RankedDoc<'_>) -> Result<(), RankedError> {
        self.added.insert(file);
        Ok((self.add)(self.fields.tantivy_document(file, version, doc))?)
    }
}
