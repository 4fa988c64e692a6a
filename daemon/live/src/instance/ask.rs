//! Sends hob's own questions to a server: repeats those that came too early, and reports how complete the answer is.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use hob_base::{CancelToken, Deadline, WsPath};
use lsp_types::request::Request;

use super::{Completeness, Instance, LOOK_FOR_DEATH_EVERY, ServerAnswer};
use crate::diagnostics::PushedDiagnostics;
use crate::ready::Readiness;
use crate::rpc::{CallError, ResponseError, codes};

/// Longest time for which hob repeats a question that came too early.
const RETRY_FOR: Duration = Duration::from_secs(8);

/// Pause between two such questions.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

impl Instance {
    /// Asks the server, and asks again while the server says that the question came too early.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn ask_until_ready<R: Request>(
        &self,
        params: &R::Params,
        cancel: &CancelToken,
    ) -> Result<R::Result, CallError> {
        let until = Instant::now() + RETRY_FOR;
        loop {
            match self.with_patience(|| self.client.request::<R>(params, cancel)) {
                Err(CallError::Refused(error)) if is_too_early(&error) && Instant::now() < until => {
                    std::thread::sleep(RETRY_PAUSE);
                }
                outcome => {
                    if outcome.is_ok() {
                        self.answered.store(true, Ordering::Relaxed);
                    }
                    return outcome;
                }
            }
        }
    }

    /// Asks a question that needs the whole project: waits until the server has loaded it, for as long as `patience`,
    /// and reports how complete the answer is.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn ask_whole<R: Request>(
        &self,
        params: &R::Params,
        patience: Duration,
        cancel: &CancelToken,
    ) -> Result<ServerAnswer<R::Result>, CallError> {
        let late = cancel.with_deadline(Deadline::after(patience));
        self.session.ready.given_work();
        let waited = self.session.ready.wait(&late);
        let before = waited.unwrap_or_else(|_| self.readiness());
        let has_read = self.await_reading(&late)?;
        cancel.check()?;
        let value = self.ask_until_ready::<R>(params, cancel)?;
        Ok(ServerAnswer { value, completeness: self.whole_since(before, has_read) })
    }

    /// Waits until the server has read the changed files that it was shown; returns true if it has in time.
    fn await_reading(&self, late: &CancelToken) -> Result<bool, CallError> {
        loop {
            let reading = self.lock_documents().being_read();
            let Some((path, version)) = reading.first() else { return Ok(true) };
            let at = self.root().join_ws(path);
            let slice = late.with_deadline(Deadline::after(LOOK_FOR_DEATH_EVERY));
            let fits = |pushed: &PushedDiagnostics| pushed.version >= Some(*version);
            match self.session.diagnostics.wait(&at, fits, &slice) {
                Ok(_) => self.close_read(reading)?,
                Err(_) if self.client.reason_closed().is_some() => {
                    return Err(CallError::Closed(self.reason_gone().unwrap_or_default()));
                }
                Err(_) if late.check().is_err() => return Ok(false),
                // Another call may have seen the diagnostics, and closed the file.
                Err(_) => {}
            }
        }
    }

    /// Closes the shown files that the server has read.
    pub(super) fn close_read(&self, reading: Vec<(WsPath, i32)>) -> Result<(), CallError> {
        let mut documents = self.lock_documents();
        for (path, _) in reading {
            let pushed = self.session.diagnostics.last_of_file(&self.root().join_ws(&path));
            let read = pushed.and_then(|pushed| pushed.version);
            self.send_all(read.and_then(|read| documents.has_read(&path, read)).into_iter().collect())?;
        }
        Ok(())
    }

    /// Returns the completeness of an answer to a question asked at readiness `before`: the server may have begun to
    /// load again while it answered.
    pub(super) fn whole_since(&self, before: Readiness, has_read: bool) -> Completeness {
        match (before, self.readiness()) {
            (Readiness::Ready, Readiness::Ready) if !has_read => {
                Completeness::Partial("the server is still reading changed files".to_owned())
            }
            (Readiness::Ready, Readiness::Ready) => Completeness::Complete,
            (Readiness::Impaired(why), _) | (_, Readiness::Impaired(why)) => Completeness::Partial(why),
            (Readiness::Loading(what), _) | (_, Readiness::Loading(what)) => {
                Completeness::Partial(format!("the server is still loading: {what}"))
            }
            (Readiness::Silent, _) | (_, Readiness::Silent) => Completeness::Unknown(
                "the server has not said yet whether it has loaded the project".to_owned(),
            ),
        }
    }
}

/// Returns true if the server has not yet come to the file: a file that hob asks about exists and is open.
fn is_too_early(error: &ResponseError) -> bool {
    [codes::CONTENT_MODIFIED, codes::SERVER_CANCELLED, codes::SERVER_NOT_INITIALIZED].contains(&error.code)
        || error.code == codes::INTERNAL_ERROR && error.message.starts_with("file not found")
}
