//! Keeps the numbers of a segment's documents in memory: file, kind and prior.
//!
//! A question asks them of each document that has one of its words, which is millions of times in a large project.
//! tantivy's columns compute a value from packed bits each time, and opening one reads a header for each 512 values. So
//! the first question to a segment reads them, and they stay as long as the segment does: a byte for each document, and
//! twelve for each file, whose documents stand together.

use std::sync::{Arc, Mutex};

use hob_base::sync::lock;
use rustc_hash::{FxHashMap, FxHashSet};
use tantivy::SegmentReader;
use tantivy::columnar::ColumnValues;
use tantivy::index::SegmentId;

use super::index::RankedError;
use super::query::{FileFilter, Segments};
use super::schema::{DocKind, FILE, Prior, SLOT, TAG, split_tag};

/// The numbers of one segment's documents.
pub(super) struct SegmentColumns {
    /// The tag of each document.
    tags: Box<[u8]>,
    /// The first document of each run of documents that are of one file.
    run_starts: Box<[u32]>,
    /// The file of each run.
    run_files: Box<[u64]>,
    /// The slots, which only documents among the best are asked for.
    slots: Arc<dyn ColumnValues<u64>>,
}

impl SegmentColumns {
    fn read(segment: &SegmentReader) -> Result<Self, RankedError> {
        let columns = segment.fast_fields();
        let column = |name| Ok::<_, RankedError>(columns.u64(name)?.first_or_default_col(0));
        let (files, tags) = (column(FILE)?, column(TAG)?);
        let docs = 0..segment.max_doc();
        let (mut run_starts, mut run_files) = (Vec::new(), Vec::new());
        for doc in docs.clone() {
            let file = files.get_val(doc);
            if run_files.last() != Some(&file) {
                run_starts.push(doc);
                run_files.push(file);
            }
        }
        Ok(Self {
            tags: docs.map(|doc| u8::try_from(tags.get_val(doc)).unwrap_or(u8::MAX)).collect(),
            run_starts: run_starts.into(),
            run_files: run_files.into(),
            slots: column(SLOT)?,
        })
    }

    /// Returns the kind and the prior of a document.
    pub(super) fn kind_and_prior(&self, doc: u32) -> (DocKind, Prior) {
        split_tag(self.tags.get(doc as usize).copied().unwrap_or(u8::MAX).into())
    }

    /// Returns the place of a document in its file; see [`super::RankedDoc::slot`].
    pub(super) fn slot_of_doc(&self, doc: u32) -> u32 {
        u32::try_from(self.slots.get_val(doc)).unwrap_or(0)
    }

    /// Begins to read the files of documents, which are asked for in their order, from a document on.
    pub(super) fn files_from(&self, doc: u32) -> FilesInOrder<'_> {
        FilesInOrder { columns: self, run: self.run_of(doc), admitted: None }
    }

    /// Returns the file of a document.
    pub(super) fn file_of_doc(&self, doc: u32) -> u64 {
        self.file_of_run(self.run_of(doc))
    }

    fn run_of(&self, doc: u32) -> usize {
        self.run_starts.partition_point(|start| *start <= doc).saturating_sub(1)
    }

    fn file_of_run(&self, run: usize) -> u64 {
        self.run_files.get(run).copied().unwrap_or(0)
    }

    fn heap_bytes(&self) -> u64 {
        (self.tags.len() + 12 * self.run_starts.len()) as u64
    }
}

/// The files of a segment's documents, read in the order of the documents. A document is usually in the file of the one
/// before, or in one of the next files.
pub(super) struct FilesInOrder<'c> {
    columns: &'c SegmentColumns,
    run: usize,
    /// The run that was asked about last, and whether its file is admitted.
    admitted: Option<(usize, bool)>,
}

impl FilesInOrder<'_> {
    /// Returns the file of a document, which is none before the last one.
    pub(super) fn file_of_doc(&mut self, doc: u32) -> u64 {
        while self.columns.run_starts.get(self.run + 1).is_some_and(|start| *start <= doc) {
            self.run += 1;
        }
        self.columns.file_of_run(self.run)
    }

    /// Returns true if the file of a document is admitted, which is asked once for each run of documents.
    pub(super) fn is_admitted(&mut self, doc: u32, admits: FileFilter<'_>) -> bool {
        let file = self.file_of_doc(doc);
        match self.admitted {
            Some((run, is_admitted)) if run == self.run => is_admitted,
            _ => {
                let is_admitted = admits(file);
                self.admitted = Some((self.run, is_admitted));
                is_admitted
            }
        }
    }
}

/// The columns of all segments that were searched.
#[derive(Default)]
pub(super) struct ColumnCache(Mutex<FxHashMap<SegmentId, Arc<SegmentColumns>>>);

impl ColumnCache {
    /// Returns the columns of these segments.
    pub(super) fn columns_of(
        &self,
        segments: &Segments<'_>,
    ) -> Result<Vec<Arc<SegmentColumns>>, RankedError> {
        let columns = segments.iter().map(|(_, segment)| {
            let known = lock(&self.0).get(&segment.segment_id()).cloned();
            // The lock is not held while a large segment is read.
            let columns = match known {
                Some(known) => known,
                None => Arc::new(SegmentColumns::read(segment)?),
            };
            lock(&self.0).insert(segment.segment_id(), Arc::clone(&columns));
            Ok(columns)
        });
        columns.collect()
    }

    /// Forgets the columns of all other segments.
    pub(super) fn retain_segments(&self, segments: &FxHashSet<SegmentId>) {
        lock(&self.0).retain(|segment, _| segments.contains(segment));
    }

    /// Returns the number of bytes in memory.
    pub(super) fn heap_bytes(&self) -> u64 {
        lock(&self.0).values().map(|columns| columns.heap_bytes()).sum()
    }
}
