//! Holds the files that wait for the thread of slow files. The thread itself is in `slow`.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};

use hob_base::{ContentHash, FileId, WsPath, lock};
use hob_map::Lang;

/// A file that has not been parsed to its end.
#[derive(Clone, Debug)]
pub(super) struct SlowFile {
    pub(super) file: FileId,
    pub(super) path: WsPath,
    pub(super) lang: Lang,
    pub(super) hash: ContentHash,
}

/// The files that wait for the thread of slow files.
#[derive(Debug, Default)]
pub(super) struct Slow {
    waiting: Mutex<SlowQueue>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct SlowQueue {
    /// Files by path: if one changes again and again, only its last contents count.
    files: BTreeMap<WsPath, SlowFile>,
    is_closed: bool,
}

impl Slow {
    /// Adds a file for the thread of slow files.
    pub(super) fn add(&self, file: SlowFile) {
        lock(&self.waiting).files.insert(file.path.clone(), file);
        self.wake.notify_one();
    }

    /// Ends the thread of slow files.
    pub(super) fn close(&self) {
        lock(&self.waiting).is_closed = true;
        self.wake.notify_one();
    }

    /// Waits for a file and returns it; `None` when closing.
    pub(super) fn next(&self) -> Option<SlowFile> {
        let is_idle = |waiting: &mut SlowQueue| waiting.files.is_empty() && !waiting.is_closed;
        let waiting = self.wake.wait_while(lock(&self.waiting), is_idle);
        let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        if waiting.is_closed { None } else { waiting.files.pop_first().map(|(_, file)| file) }
    }
}
