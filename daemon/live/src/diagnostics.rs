//! What servers push about files: the last verdict on each.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hob_base::{AbsPath, CancelToken, Stopped};
use lsp_types::{Diagnostic, PublishDiagnosticsParams};

use crate::uri;

/// How long a waiting call sleeps before it looks whether it was cancelled.
const LOOK_EVERY: Duration = Duration::from_millis(25);

/// A verdict on one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The document's version that it is about, if the server says.
    pub version: Option<i32>,
    /// Verdicts on this file so far, this one included.
    pub count: u64,
    /// What is wrong.
    pub list: Vec<Diagnostic>,
}

/// The last verdicts.
#[derive(Debug, Default)]
pub struct Verdicts {
    by_path: Mutex<HashMap<AbsPath, Verdict>>,
    changed: Condvar,
}

impl Verdicts {
    /// Takes a `textDocument/publishDiagnostics` in.
    pub fn take_in(&self, params: PublishDiagnosticsParams) {
        let Some(path) = uri::to_path(&params.uri) else { return };
        let mut all = self.lock();
        let before = all.entry(path).or_insert(Verdict { version: None, count: 0, list: Vec::new() });
        before.count += 1;
        // Versions only rise, so one that is lower has been overtaken on its way.
        if params.version.is_none() || params.version >= before.version {
            (before.version, before.list) = (params.version, params.diagnostics);
        }
        drop(all);
        self.changed.notify_all();
    }

    /// The last verdict on a file.
    #[must_use]
    pub fn on(&self, path: &AbsPath) -> Option<Verdict> {
        self.lock().get(path).cloned()
    }

    /// All files with a verdict.
    #[must_use]
    pub fn all(&self) -> Vec<(AbsPath, Verdict)> {
        let mut all: Vec<_> =
            self.lock().iter().map(|(path, verdict)| (path.clone(), verdict.clone())).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    /// Waits for a verdict on `path` that `fits`.
    ///
    /// # Errors
    /// [`Stopped`] when cancelled or out of time.
    pub fn wait(
        &self,
        path: &AbsPath,
        fits: impl Fn(&Verdict) -> bool,
        cancel: &CancelToken,
    ) -> Result<Verdict, Stopped> {
        let mut all = self.lock();
        loop {
            if let Some(verdict) = all.get(path).filter(|verdict| fits(verdict)) {
                return Ok(verdict.clone());
            }
            cancel.check()?;
            all = self.changed.wait_timeout(all, LOOK_EVERY).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AbsPath, Verdict>> {
        // Entries are replaced whole.
        self.by_path.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
