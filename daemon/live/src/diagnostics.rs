//! Keeps the diagnostics that servers push: the last list for each file, up to a number of files and a size. The lists
//! that arrived longest ago go first.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hob_base::{AbsPath, CancelToken, Stopped};
use lsp_types::{Diagnostic, PublishDiagnosticsParams};

use crate::uri;

/// Pause between two checks whether the caller of a waiting call has cancelled it.
const LOOK_EVERY: Duration = Duration::from_millis(25);

/// Most files whose diagnostics are kept.
const MOST_FILES: usize = 20_000;

/// Most bytes of diagnostics that are kept, estimated from their texts.
const MOST_BYTES: usize = 64 << 20;

/// Bytes that each diagnostic counts for besides its text.
const EACH: usize = 256;

/// The last pushed diagnostics of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct PushedDiagnostics {
    /// The document's version that the diagnostics are about, if the server tells it.
    pub version: Option<i32>,
    /// Number of lists pushed for this file so far, this one included.
    pub count: u64,
    /// The diagnostics themselves; empty if nothing is wrong with the file.
    pub list: Vec<Diagnostic>,
}

/// The last diagnostics of each file that one server has pushed.
#[derive(Debug, Default)]
pub struct DiagnosticsStore {
    kept: Mutex<DiagnosticsTable>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct DiagnosticsTable {
    by_path: HashMap<AbsPath, (PushedDiagnostics, u64)>,
    /// Files by the order in which their last list arrived.
    by_age: BTreeMap<u64, AbsPath>,
    now: u64,
    bytes: usize,
    /// True if the log has told that some diagnostics are dropped.
    told: bool,
}

impl DiagnosticsTable {
    /// Removes the diagnostics of a file, and their size from the sum.
    fn remove(&mut self, path: &AbsPath) -> Option<PushedDiagnostics> {
        let (pushed, at) = self.by_path.remove(path)?;
        self.by_age.remove(&at);
        self.bytes -= size(&pushed);
        Some(pushed)
    }

    fn insert_newest(&mut self, path: AbsPath, pushed: PushedDiagnostics) {
        self.now += 1;
        self.bytes += size(&pushed);
        self.by_age.insert(self.now, path.clone());
        self.by_path.insert(path, (pushed, self.now));
        // The newest list stays, whatever its size: a message has a limit of its own.
        while (self.by_path.len() > MOST_FILES || self.bytes > MOST_BYTES) && self.by_path.len() > 1 {
            let oldest = self.by_age.values().next().cloned().expect("as many as in the other map");
            self.remove(&oldest);
            if !std::mem::replace(&mut self.told, true) {
                tracing::warn!(%oldest, "a language server says more of more files than is kept; the oldest is dropped");
            }
        }
    }
}

fn size(pushed: &PushedDiagnostics) -> usize {
    pushed.list.iter().map(|one| one.message.len() + EACH).sum::<usize>() + EACH
}

impl DiagnosticsStore {
    /// Stores a `textDocument/publishDiagnostics`.
    pub fn record_published(&self, params: PublishDiagnosticsParams) {
        let Some(path) = uri::to_path(&params.uri) else { return };
        let mut all = self.lock();
        let mut pushed =
            all.remove(&path).unwrap_or(PushedDiagnostics { version: None, count: 0, list: Vec::new() });
        pushed.count += 1;
        // Versions only rise, so a lower one is older than the list that is stored.
        if params.version.is_none() || params.version >= pushed.version {
            (pushed.version, pushed.list) = (params.version, params.diagnostics);
        }
        all.insert_newest(path, pushed);
        drop(all);
        self.changed.notify_all();
    }

    /// Returns the last diagnostics of a file.
    #[must_use]
    pub fn last_of_file(&self, path: &AbsPath) -> Option<PushedDiagnostics> {
        self.lock().by_path.get(path).map(|(pushed, _)| pushed.clone())
    }

    /// Returns all files with diagnostics.
    #[must_use]
    pub fn all_by_path(&self) -> Vec<(AbsPath, PushedDiagnostics)> {
        let mut all: Vec<_> =
            self.lock().by_path.iter().map(|(path, (pushed, _))| (path.clone(), pushed.clone())).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    /// Waits for diagnostics of `path` for which `fits` holds.
    ///
    /// # Errors
    /// [`Stopped`] when cancelled or out of time.
    pub fn wait(
        &self,
        path: &AbsPath,
        fits: impl Fn(&PushedDiagnostics) -> bool,
        cancel: &CancelToken,
    ) -> Result<PushedDiagnostics, Stopped> {
        let mut all = self.lock();
        loop {
            if let Some((pushed, _)) = all.by_path.get(path).filter(|(pushed, _)| fits(pushed)) {
                return Ok(pushed.clone());
            }
            cancel.check()?;
            all = self.changed.wait_timeout(all, LOOK_EVERY).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, DiagnosticsTable> {
        // Entries are replaced whole.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push_message(diagnostics: &DiagnosticsStore, name: usize, words: usize) {
        let message = "x".repeat(words);
        let params = serde_json::json!({
            "uri": format!("file:///p/{name}.c"),
            "diagnostics": [{"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "message": message}],
        });
        diagnostics.record_published(serde_json::from_value(params).expect("a verdict"));
    }

    fn file_names(diagnostics: &DiagnosticsStore) -> Vec<String> {
        diagnostics.all_by_path().into_iter().map(|(path, _)| path.to_string()).collect()
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many_bytes_or_files() {
        let diagnostics = DiagnosticsStore::default();
        for name in 0..4 {
            push_message(&diagnostics, name, MOST_BYTES / 4);
        }
        assert_eq!(file_names(&diagnostics).len(), 3, "four do not fit");
        push_message(&diagnostics, 1, 1);
        push_message(&diagnostics, 5, MOST_BYTES / 2);
        assert_eq!(file_names(&diagnostics), ["/p/1.c", "/p/3.c", "/p/5.c"], "the second was heard of again");
        push_message(&diagnostics, 6, 2 * MOST_BYTES);
        assert_eq!(file_names(&diagnostics), ["/p/6.c"], "one alone is kept");
        let many = DiagnosticsStore::default();
        (0..MOST_FILES + 7).for_each(|name| push_message(&many, name, 1));
        assert_eq!(many.all_by_path().len(), MOST_FILES);
        let path = |name: usize| AbsPath::new(format!("/p/{name}.c")).expect("absolute");
        assert!(many.last_of_file(&path(6)).is_none() && many.last_of_file(&path(7)).is_some());
    }
}
