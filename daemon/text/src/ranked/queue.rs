//! Counts the documents that wait for tantivy's threads, so that whoever makes them can wait too.
//!
//! tantivy takes up to 10,000 batches before it makes anyone wait. A batch is a file here, and files are read faster than
//! their words are counted: of Linux, 8,000 files of documents waited, half a gigabyte. Each document therefore carries a
//! share of its file's entry in the queue, and the last one takes it out.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use hob_base::sync::lock;
use tantivy::TantivyDocument;
use tantivy::schema::Document;

/// Bytes of documents that may wait; half of them keep tantivy's threads busy until more come.
const ROOM: usize = 32 << 20;

/// Approximate memory of a document beside its text.
const DOCUMENT_BYTES: usize = 256;

/// Longest wait for room. Threads of tantivy's that have failed take no more documents; adding the next one then fails. In
/// tests nothing fails.
const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 3_600 } else { 10 });

/// The documents that wait.
#[derive(Debug, Default)]
pub(super) struct DocumentQueue {
    bytes: Mutex<usize>,
    room: Condvar,
}

impl DocumentQueue {
    /// Enters a file with this many documents and bytes of text.
    pub(super) fn enter_file(self: &Arc<Self>, documents: usize, text_bytes: usize) -> QueuedFile {
        let bytes = text_bytes + documents * DOCUMENT_BYTES;
        *lock(&self.bytes) += bytes;
        QueuedFile { bytes, queue: Arc::clone(self) }
    }

    /// Waits until there is room for half of what may wait, or for [`PATIENCE`].
    pub(super) fn wait_for_room(&self) {
        let is_full = |bytes: &mut usize| *bytes > ROOM / 2;
        let waited = self.room.wait_timeout_while(lock(&self.bytes), PATIENCE, is_full);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns true if more documents may be made.
    pub(super) fn has_room(&self) -> bool {
        *lock(&self.bytes) <= ROOM
    }

    fn take_out_bytes(&self, bytes: usize) {
        let mut waiting = lock(&self.bytes);
        *waiting -= bytes;
        if *waiting <= ROOM / 2 {
            self.room.notify_all();
        }
    }
}

/// A file's entry in the queue, which leaves it when dropped.
#[derive(Debug)]
pub(super) struct QueuedFile {
    bytes: usize,
    queue: Arc<DocumentQueue>,
}

impl Drop for QueuedFile {
    fn drop(&mut self) {
        self.queue.take_out_bytes(self.bytes);
    }
}

/// A document on its way to tantivy's threads. It leaves the queue when tantivy has indexed and dropped it.
#[derive(Clone, Debug)]
pub(super) struct QueuedDocument {
    document: TantivyDocument,
    /// Only held, never read.
    _file: Arc<QueuedFile>,
}

impl QueuedDocument {
    pub(super) fn new(document: TantivyDocument, file: &Arc<QueuedFile>) -> Self {
        Self { document, _file: Arc::clone(file) }
    }
}

impl Document for QueuedDocument {
    type Value<'a> = <TantivyDocument as Document>::Value<'a>;
    type FieldsValuesIter<'a> = <TantivyDocument as Document>::FieldsValuesIter<'a>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        self.document.iter_fields_and_values()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_full_queue_makes_wait_until_documents_were_taken() {
        let queue = Arc::new(DocumentQueue::default());
        queue.wait_for_room();
        let file = Arc::new(queue.enter_file(2, 2 * ROOM));
        let documents = [(); 2].map(|()| QueuedDocument::new(TantivyDocument::default(), &file));
        drop(file);
        let taken = AtomicBool::new(false);
        std::thread::scope(|threads| {
            let waiting = threads.spawn(|| {
                queue.wait_for_room();
                taken.load(Ordering::SeqCst)
            });
            let [first, last] = documents;
            drop(first);
            std::thread::sleep(Duration::from_millis(20));
            taken.store(true, Ordering::SeqCst);
            drop(last);
            assert!(
                waiting.join().expect("it does not panic"),
                "it waited for the last document of the file"
            );
        });
        assert_eq!(*lock(&queue.bytes), 0);
    }
}
