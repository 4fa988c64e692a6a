//! Waits until a server that pushes diagnostics has pushed them for the present contents.

use std::time::Duration;

use hob_base::{AbsPath, CancelToken, Deadline, WsPath};
use lsp_types::Diagnostic;

use super::silence::UnansweredRequest;
use super::{Completeness, Instance, LOOK_FOR_DEATH_EVERY, ServerAnswer};
use crate::diagnostics::PushedDiagnostics;
use crate::documents::ReadText;
use crate::rpc::CallError;

/// Pause after which diagnostics count as complete, for a server that pushes them in parts and does not say which
/// contents they are about.
const SETTLES_WITHIN: Duration = Duration::from_millis(400);

impl Instance {
    /// Makes a server that pushes diagnostics push those of `path` for the present contents, and waits for them; `None`
    /// if the file cannot be read. If none come in time, returns the last ones as partial, or an empty list as unknown.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn await_diagnostics(
        &self,
        path: &WsPath,
        patience: Duration,
        read: ReadText<'_>,
        cancel: &CancelToken,
    ) -> Result<Option<ServerAnswer<Vec<Diagnostic>>>, CallError> {
        let cancel_late = cancel.with_deadline(Deadline::after(patience));
        self.session.ready.given_work();
        let waited = self.session.ready.wait(&cancel_late);
        let before = waited.unwrap_or_else(|_| self.readiness());
        cancel.check()?;
        let at = self.root().join_ws(path);
        let waiting = UnansweredRequest::begin(&self.client);
        let Some((version, count)) = self.await_verdict(path, &at, read)? else { return Ok(None) };
        let fits = |pushed: &PushedDiagnostics| match pushed.version {
            Some(of) => of >= version,
            None => pushed.count > count,
        };
        let pushed = loop {
            let slice = cancel_late.with_deadline(Deadline::after(LOOK_FOR_DEATH_EVERY));
            match self.session.diagnostics.wait(&at, fits, &slice) {
                Ok(pushed) => break Some(pushed),
                Err(_) if self.client.reason_closed().is_some() => {
                    return Err(CallError::Closed(self.reason_gone().unwrap_or_default()));
                }
                Err(_) if cancel_late.check().is_err() => break None,
                Err(_) => {}
            }
        };
        if pushed.is_none() {
            self.count_as_missed(waiting);
        }
        cancel.check()?;
        let Some(mut pushed) = pushed else {
            let last = self.session.diagnostics.last_of_file(&at).map(|pushed| pushed.list);
            let why = "the server has not judged the present contents in time".to_owned();
            let completeness = match last {
                Some(_) => Completeness::Partial(why),
                None => Completeness::Unknown(why),
            };
            return Ok(Some(ServerAnswer { value: last.unwrap_or_default(), completeness }));
        };
        while pushed.version.is_none()
            && let Ok(later) = self.session.diagnostics.wait(
                &at,
                |later| later.count > pushed.count,
                &cancel_late.with_deadline(Deadline::after(SETTLES_WITHIN)),
            )
        {
            pushed = later;
        }
        Ok(Some(ServerAnswer { value: pushed.list, completeness: self.whole_since(before, true) }))
    }

    /// Sends the messages that make the server push diagnostics of `path`. Returns their version, and the number of
    /// lists pushed before.
    fn await_verdict(
        &self,
        path: &WsPath,
        at: &AbsPath,
        read: ReadText<'_>,
    ) -> Result<Option<(i32, u64)>, CallError> {
        let held = self.view.hold_still();
        let read: ReadText<'_> = &|path| held.read(path, read);
        let mut documents = self.lock_documents();
        let so_far = self.session.diagnostics.last_of_file(at).map_or(0, |pushed| pushed.count);
        let Some(awaited) = documents.await_verdict(self.spec(), path, so_far, read) else {
            return Ok(None);
        };
        self.send_all(awaited.tell)?;
        Ok(Some((awaited.version, awaited.before)))
    }
}
