//! Holds one running server: its kind, its capabilities, its open files, and its end.
//!
//! Other files of this folder start it, ask it, and give it up.
//!
//! All callers that ask about a project share its instance. An instance is never revived: when its process ends, a new
//! instance replaces it, because nothing that it knew is known to have survived.

mod answer;
mod ask;
mod diagnostics;
mod editors;
mod error;
mod patience;
mod silence;
mod start;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use hob_base::{AbsPath, CancelToken, ContentHash, Deadline, WsPath};
use serde_json::Value;

use crate::documents::{AnnouncePlan, DocumentMessage, FileChange, ReadText, ServerDocuments};
use crate::overlay::ProjectOverlay;
use crate::process::{ProcessEnd, ServerProcess};
use crate::ready::Readiness;
use crate::rpc::{CallError, RpcClient};
use crate::session::ServerSession;
use crate::spec::{Launch, ServerSpec};
use silence::{MissedDeadlines, Signs};

pub use answer::{Completeness, ServerAnswer};
pub use error::StartError;

/// Longest time that a server may take to end by itself after the request to end.
const STOPPED_WITHIN: Duration = Duration::from_secs(2);

/// Pause between two checks whether the server is still there, in a call that waits for diagnostics.
const LOOK_FOR_DEATH_EVERY: Duration = Duration::from_millis(250);

/// A running server instance: its process, its connection and its open files.
#[derive(Debug)]
pub struct Instance {
    launch: Launch,
    process: ServerProcess,
    client: RpcClient,
    session: Arc<ServerSession>,
    /// The capabilities as the server sent them: a field of an unknown shape must not make the rest unusable.
    capabilities: Value,
    documents: Mutex<ServerDocuments>,
    /// The documents that editors have open; its lock comes before that of `documents`.
    view: Arc<ProjectOverlay>,
    started: Instant,
    answered: AtomicBool,
    missed: MissedDeadlines,
    /// The signs of life at a time when an editor's request had been without an answer for long.
    signs: Mutex<Option<Signs>>,
    /// The reason why the server was given up, if it was.
    given_up: OnceLock<String>,
}

impl Instance {
    /// Returns the kind of the server.
    #[must_use]
    pub fn spec(&self) -> &ServerSpec {
        &self.launch.spec
    }

    /// Returns the kind of the server, for callers that outlive the instance.
    #[must_use]
    pub fn launch_spec(&self) -> Arc<ServerSpec> {
        Arc::clone(&self.launch.spec)
    }

    /// Returns the program that was started.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.launch.command.program
    }

    /// Returns the root of the server's project.
    #[must_use]
    pub fn root(&self) -> &AbsPath {
        &self.launch.root
    }

    /// Returns its process, with everything that it started.
    #[must_use]
    pub fn process(&self) -> &ServerProcess {
        &self.process
    }

    /// Returns the session, which handles messages that the server sends unasked.
    #[must_use]
    pub fn session(&self) -> &ServerSession {
        &self.session
    }

    /// Returns the time for which it has been running.
    #[must_use]
    pub fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns the server's readiness at this moment.
    #[must_use]
    pub fn readiness(&self) -> Readiness {
        self.session.ready.readiness()
    }

    /// Returns the reason why the server is gone; `None` while it runs.
    #[must_use]
    pub fn reason_gone(&self) -> Option<String> {
        if let Some(why) = self.given_up.get() {
            return Some(why.clone());
        }
        if self.client.reason_closed().is_none() && self.process.end_if_ended().is_some() {
            // The server's guard was killed. The server could go on, but would not end with the daemon.
            self.process.kill();
            self.client.close("its guard has ended");
        }
        let closed = self.client.reason_closed()?;
        let ended = self.process.wait(Duration::from_millis(50));
        Some(ended.map_or(closed, |ended: ProcessEnd| ended.to_string()))
    }

    /// Returns true if the server answers a kind of question: `capability` is the field of its capabilities, `method`
    /// the method that it may have registered instead.
    #[must_use]
    pub fn has_capability(&self, capability: &str, method: &str) -> bool {
        let stated = match &self.capabilities[capability] {
            Value::Null | Value::Bool(false) => false,
            Value::Bool(true) | Value::Object(_) | Value::Number(_) => true,
            Value::String(_) | Value::Array(_) => false,
        };
        stated || self.session.has_registered(method)
    }

    /// Returns a part of its capabilities by JSON pointer; `null` where there is none.
    #[must_use]
    pub fn capability(&self, pointer: &str) -> &Value {
        self.capabilities.pointer(pointer).unwrap_or(&Value::Null)
    }

    /// Returns true if the server wants to be asked or told of operations on files: `kind` is the field of its
    /// capabilities for the operation. The declared patterns of files are ignored, because hob asks only about files
    /// that the server serves.
    #[must_use]
    pub fn offers_file_operation(&self, kind: &str, method: &str) -> bool {
        self.capability("/workspace/fileOperations")[kind].is_object() || self.session.has_registered(method)
    }

    /// Sends the server a notification that has nothing to do with documents.
    ///
    /// # Errors
    /// [`CallError::Closed`].
    pub fn notify(&self, method: &'static str, params: &Value) -> Result<(), CallError> {
        self.client.notify_raw(method, params)
    }

    /// Returns true if the server has answered any question: then its end does not mean that it cannot work at all.
    #[must_use]
    pub fn has_answered(&self) -> bool {
        self.answered.load(Ordering::Relaxed)
    }

    /// Returns the files that the server has open.
    #[must_use]
    pub fn all_open(&self) -> Vec<WsPath> {
        self.lock_documents().all_open()
    }

    /// Opens a file in the server, with its present contents; `false` if the file cannot be read.
    ///
    /// # Errors
    /// [`CallError::Closed`].
    pub fn open(&self, path: &WsPath, read: ReadText<'_>) -> Result<bool, CallError> {
        let held = self.view.hold_still();
        let read: ReadText<'_> = &|path| held.read(path, read);
        let mut documents = self.lock_documents();
        let Some(tell) = documents.open(self.spec(), path, read) else { return Ok(false) };
        self.send_all(tell)?;
        self.session.ready.given_work();
        Ok(true)
    }

    /// Tells the server of changes on disk; `false` if it should rather be restarted.
    ///
    /// # Errors
    /// [`CallError::Closed`].
    pub fn announce(
        &self,
        changes: &BTreeMap<WsPath, FileChange>,
        read: ReadText<'_>,
    ) -> Result<bool, CallError> {
        let reading = self.lock_documents().being_read();
        self.close_read(reading)?;
        let held = self.view.hold_still();
        let read: ReadText<'_> = &|path| held.read(path, read);
        let mut documents = self.lock_documents();
        match documents.announce(self.spec(), changes, read) {
            AnnouncePlan::Messages(tell, settles) => {
                self.session.ready.note_changes(settles);
                self.send_all(tell).map(|()| true)
            }
            AnnouncePlan::StartAnew => Ok(false),
        }
    }

    /// Returns the version of a file that the server has open.
    #[must_use]
    pub fn version(&self, path: &WsPath) -> Option<i32> {
        self.lock_documents().version(path)
    }

    /// Returns the state of an open file that the server was last sent: its version, and the hash of its contents.
    #[must_use]
    pub fn sent_version(&self, path: &WsPath) -> Option<(i32, ContentHash)> {
        self.lock_documents().last_sent(path)
    }

    /// Ends the server: asks it to end, and kills it if it does not.
    pub fn stop(&self) {
        let patience = CancelToken::new(Deadline::after(STOPPED_WITHIN));
        let asked = self.client.request_raw("shutdown", &(), &patience);
        let told = asked.and_then(|_| self.client.notify_raw("exit", &()));
        let ended = told.is_ok().then(|| self.process.wait(STOPPED_WITHIN)).flatten();
        self.client.close("it was stopped");
        match ended {
            Some(ProcessEnd { code: Some(code) }) if self.spec().clean_exit_codes.contains(&code) => {}
            Some(ended) => tracing::debug!(server = self.spec().name, %ended, "stopped"),
            None => self.process.kill(),
        }
    }

    /// Sends messages under the documents' lock, so that they reach the server in the order of the decisions.
    fn send_all(&self, tell: Vec<DocumentMessage>) -> Result<(), CallError> {
        tell.into_iter().try_for_each(|tell| match tell.is_request() {
            true => self.client.request_and_ignore(tell.method, &tell.params),
            false => self.client.notify_raw(tell.method, &tell.params),
        })
    }

    fn lock_documents(&self) -> MutexGuard<'_, ServerDocuments> {
        // Open files are noted before the messages are sent; after a panic between the two the connection is of no use
        // anyway.
        self.documents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
