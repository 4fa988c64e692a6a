//! One running server: started, initialised, asked, told of changes, stopped.
//!
//! An instance is used by everybody who asks about its project. It never comes back to life: when its process ends, it is
//! replaced as a whole, because nothing that it knew can be trusted to have survived.

mod editors;
mod silence;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use hob_base::{AbsPath, CancelToken, ContentHash, Deadline, Stopped, WsPath};
use lsp_types::Diagnostic;
use lsp_types::request::Request;
use serde_json::{Value, json};

use crate::diagnostics::PushedDiagnostics;
use crate::documents::{FileChange, ReadText, ServerDocuments, Taken, Tell};
use crate::offer;
use crate::process::{Guard, ProcessEnd, ServerCommand, ServerProcess, end_group};
use crate::ready::Readiness;
use crate::rpc::{CallError, ResponseError, RpcClient, codes};
use crate::session::ServerSession;
use crate::spec::ServerSpec;
use crate::uri;
use crate::views::ProjectOverlay;
use silence::{Missed, Signs, UnansweredRequest};

/// Longest time that a server may take to end by itself when asked to.
const STOPPED_WITHIN: Duration = Duration::from_secs(2);

/// Longest time for which an answer that comes too early is asked for again.
const RETRY_FOR: Duration = Duration::from_secs(8);

/// Pause between two such tries.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// Pause between two checks of a call that waits for diagnostics whether the server is still there.
const LOOK_FOR_DEATH_EVERY: Duration = Duration::from_millis(250);

/// A server that does not say which contents a verdict is about gives it in pieces; after so long without another it is
/// whole.
const SETTLES_WITHIN: Duration = Duration::from_millis(400);

/// Everything needed to start one.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The kind of server.
    pub spec: Arc<ServerSpec>,
    /// The command that starts the server.
    pub command: ServerCommand,
    /// The root of the project.
    pub root: AbsPath,
    /// The `initializationOptions` that the server is given.
    pub options: Value,
    /// Answers to the server's `workspace/configuration`, by section.
    pub settings: Value,
    /// The server's cache directory for the project; see [`Circumstances::keep`](crate::spec::Circumstances::keep).
    pub keep: Option<PathBuf>,
}

/// Why a server could not be started.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StartError {
    /// The program could not be run at all.
    #[error("`{program}` cannot be run: {why}")]
    Spawn {
        /// Path of the server's program.
        program: String,
        /// The system's reason, in words.
        why: String,
    },
    /// It ended, or refused, before it was initialised.
    #[error("`{program}` did not start: {why}")]
    Failed {
        /// Path of the server's program.
        program: String,
        /// The event that ended the start, in words.
        why: String,
        /// True if the server ended by itself or said no: it will do so again.
        by_itself: bool,
        /// The last lines of its standard error, oldest first.
        stderr: Vec<String>,
    },
    /// It did not answer in time.
    #[error("`{program}` did not answer `initialize` for {} s", .waited.as_secs())]
    Silent {
        /// Path of the server's program.
        program: String,
        /// Time that hob waited for an answer.
        waited: Duration,
    },
    /// Nobody waits for it any more.
    #[error(transparent)]
    Stopped(Stopped),
}

/// The completeness of an answer: whether it may lack something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Completeness {
    /// Nothing is missing from the answer.
    Complete,
    /// Something may be missing; the text says why.
    Partial(String),
    /// Nothing can be said; the text says why.
    Unknown(String),
}

/// An answer and how whole it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerAnswer<T> {
    /// The server's answer itself.
    pub value: T,
    /// Says whether the value may lack something; see [`Completeness`].
    pub completeness: Completeness,
}

/// A running server instance: its process, its connection and what is open in it.
#[derive(Debug)]
pub struct Instance {
    launch: Launch,
    process: ServerProcess,
    client: RpcClient,
    session: Arc<ServerSession>,
    /// As the server sent them: a field of an unknown shape must not make the rest unusable.
    capabilities: Value,
    documents: Mutex<ServerDocuments>,
    /// The documents that editors have open; its lock comes before that of `documents`.
    view: Arc<ProjectOverlay>,
    started: Instant,
    answered: AtomicBool,
    missed: Missed,
    /// Signs of life when what an editor asked had been without an answer for long.
    signs: Mutex<Option<Signs>>,
    /// Why it was given up, if it was.
    given_up: OnceLock<String>,
}

impl Instance {
    /// Starts a server and waits until it is initialised. `view` is what editors have open in the project.
    ///
    /// # Errors
    /// [`StartError`]; nothing of it is left running.
    pub fn start(
        mut launch: Launch,
        guard: Option<&Guard>,
        view: Arc<ProjectOverlay>,
        cancel: &CancelToken,
    ) -> Result<Self, StartError> {
        (launch.spec.before_start)(&mut launch);
        let spawn_error = |error: std::io::Error| StartError::Spawn {
            program: launch.command.program.display().to_string(),
            why: error.to_string(),
        };
        let (process, (input, output)) = ServerProcess::start(&launch.command, guard).map_err(spawn_error)?;
        let root_uri = uri::of_path(&launch.root);
        let name = launch.root.as_path().file_name().map(|name| name.to_string_lossy().into_owned());
        let folders = json!([{"uri": root_uri, "name": name.unwrap_or_default()}]);
        let session =
            Arc::new(ServerSession::new(Arc::clone(&launch.spec), folders.clone(), launch.settings.clone()));
        let peer = Arc::clone(&session);
        let client = RpcClient::start(input, output, peer).map_err(spawn_error)?;
        #[cfg(unix)]
        {
            // A guard that is killed leaves a server that would not end with the daemon. Its group is named by its number, which
            // is not given out again while the group has members.
            let (pid, connection) = (process.pid(), client.clone());
            let end = move || {
                end_group(pid);
                connection.close("its process has ended");
            };
            process.when_ended(end).map_err(spawn_error)?;
        }
        let params = json!({
            "processId": process.pid(),
            "clientInfo": {"name": "hob", "version": env!("CARGO_PKG_VERSION")},
            "rootPath": launch.root.to_string(),
            "rootUri": root_uri,
            "workspaceFolders": folders,
            "initializationOptions": launch.options,
            "capabilities": offer::client_capabilities(),
        });
        let program = || launch.command.program.display().to_string();
        let result = silence::send_initialize(&client, &process, &params, cancel).map_err(|waited| {
            process.kill();
            StartError::Silent { program: program(), waited }
        })?;
        let result = result.map_err(|error| not_started(&error, &process, program()))?;
        let result: Value =
            result.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or(Value::Null);
        let told = client.notify_raw("initialized", &json!({})).and_then(|()| {
            let settings = json!({"settings": launch.settings});
            client.notify_raw("workspace/didChangeConfiguration", &settings)
        });
        told.map_err(|error| not_started(&error, &process, program()))?;
        Ok(Self {
            documents: Mutex::new(ServerDocuments::new(launch.root.clone())),
            view,
            capabilities: result["capabilities"].clone(),
            started: Instant::now(),
            answered: AtomicBool::new(false),
            missed: Missed::default(),
            signs: Mutex::default(),
            given_up: OnceLock::new(),
            launch,
            process,
            client,
            session,
        })
    }

    /// Returns the kind of the server.
    #[must_use]
    pub fn spec(&self) -> &ServerSpec {
        &self.launch.spec
    }

    /// As [`Instance::spec`], for those who outlive it.
    #[must_use]
    pub fn launch_spec(&self) -> Arc<ServerSpec> {
        Arc::clone(&self.launch.spec)
    }

    /// The program that was started.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.launch.command.program
    }

    /// Returns the root of the server's project.
    #[must_use]
    pub fn root(&self) -> &AbsPath {
        &self.launch.root
    }

    /// Its process and all that it started.
    #[must_use]
    pub fn process(&self) -> &ServerProcess {
        &self.process
    }

    /// Returns the session: what the server says without being asked.
    #[must_use]
    pub fn session(&self) -> &ServerSession {
        &self.session
    }

    /// For how long it has been running.
    #[must_use]
    pub fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns the server's readiness at this moment.
    #[must_use]
    pub fn readiness(&self) -> Readiness {
        self.session.ready.readiness()
    }

    /// Why it is no more, if so.
    #[must_use]
    pub fn reason_gone(&self) -> Option<String> {
        if let Some(why) = self.given_up.get() {
            return Some(why.clone());
        }
        if self.client.reason_closed().is_none() && self.process.end_if_ended().is_some() {
            // Its guard was killed. It might go on, but not end with the daemon.
            self.process.kill();
            self.client.close("its guard has ended");
        }
        let closed = self.client.reason_closed()?;
        let ended = self.process.wait(Duration::from_millis(50));
        Some(ended.map_or(closed, |ended: ProcessEnd| ended.to_string()))
    }

    /// Returns true if the server answers a kind of question: `capability` is the field of its capabilities, `method`
    /// what it may have registered instead.
    #[must_use]
    pub fn has_capability(&self, capability: &str, method: &str) -> bool {
        let stated = match &self.capabilities[capability] {
            Value::Null | Value::Bool(false) => false,
            Value::Bool(true) | Value::Object(_) | Value::Number(_) => true,
            Value::String(_) | Value::Array(_) => false,
        };
        stated || self.session.has_registered(method)
    }

    /// A part of its capabilities, by its JSON pointer; `null` where there is none.
    #[must_use]
    pub fn capability(&self, pointer: &str) -> &Value {
        self.capabilities.pointer(pointer).unwrap_or(&Value::Null)
    }

    /// Returns true if the server wants to be asked or told of something that is done with files: `kind` is the field
    /// of its capabilities for it. The patterns of files that it declares are ignored: hob asks it about the files
    /// that it serves.
    #[must_use]
    pub fn offers_file_operation(&self, kind: &str, method: &str) -> bool {
        self.capability("/workspace/fileOperations")[kind].is_object() || self.session.has_registered(method)
    }

    /// Tells the server something that has nothing to do with documents.
    ///
    /// # Errors
    /// [`CallError::Closed`].
    pub fn notify(&self, method: &'static str, params: &Value) -> Result<(), CallError> {
        self.client.notify_raw(method, params)
    }

    /// Asks, and asks again while the server says that it was too early.
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

    /// Returns true if the server has answered any question: then its end is not the failure of one that cannot work
    /// at all.
    #[must_use]
    pub fn has_answered(&self) -> bool {
        self.answered.load(Ordering::Relaxed)
    }

    /// Asks something that needs the whole project to be known: waits until it is, for as long as `patience`, and says how
    /// whole the answer is.
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

    /// Waits until the server has read the changed files that it was shown; whether it has, in time.
    fn await_reading(&self, late: &CancelToken) -> Result<bool, CallError> {
        loop {
            let reading = self.lock_documents().being_read();
            let Some((path, version)) = reading.first() else { return Ok(true) };
            let at = self.root().join_ws(path);
            let slice = late.with_deadline(Deadline::after(LOOK_FOR_DEATH_EVERY));
            let fits = |verdict: &PushedDiagnostics| verdict.version >= Some(*version);
            match self.session.verdicts.wait(&at, fits, &slice) {
                Ok(_) => self.close_read(reading)?,
                Err(_) if self.client.reason_closed().is_some() => {
                    return Err(CallError::Closed(self.reason_gone().unwrap_or_default()));
                }
                Err(_) if late.check().is_err() => return Ok(false),
                // Another call may have seen the verdict, and closed the file.
                Err(_) => {}
            }
        }
    }

    /// Closes those of the files that the server was shown which it has read.
    fn close_read(&self, reading: Vec<(WsPath, i32)>) -> Result<(), CallError> {
        let mut documents = self.lock_documents();
        for (path, _) in reading {
            let verdict = self.session.verdicts.last_of_file(&self.root().join_ws(&path));
            let read = verdict.and_then(|verdict| verdict.version);
            self.send_all(read.and_then(|read| documents.has_read(&path, read)).into_iter().collect())?;
        }
        Ok(())
    }

    /// Returns the completeness of an answer that was asked for at `before`: the server may have begun to load again
    /// while it answered.
    fn whole_since(&self, before: Readiness, has_read: bool) -> Completeness {
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

    /// Asks a server that pushes its verdicts for the one on `path` as everything is now, and waits for it; `None` if the
    /// file cannot be read. Without a verdict in time, the last one is given as partial, or nothing as unknown.
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
        let fits = |verdict: &PushedDiagnostics| match verdict.version {
            Some(of) => of >= version,
            None => verdict.count > count,
        };
        let verdict = loop {
            let slice = cancel_late.with_deadline(Deadline::after(LOOK_FOR_DEATH_EVERY));
            match self.session.verdicts.wait(&at, fits, &slice) {
                Ok(verdict) => break Some(verdict),
                Err(_) if self.client.reason_closed().is_some() => {
                    return Err(CallError::Closed(self.reason_gone().unwrap_or_default()));
                }
                Err(_) if cancel_late.check().is_err() => break None,
                Err(_) => {}
            }
        };
        if verdict.is_none() {
            self.count_as_missed(waiting);
        }
        cancel.check()?;
        let Some(mut verdict) = verdict else {
            let last = self.session.verdicts.last_of_file(&at).map(|verdict| verdict.list);
            let why = "the server has not judged the present contents in time".to_owned();
            let completeness = match last {
                Some(_) => Completeness::Partial(why),
                None => Completeness::Unknown(why),
            };
            return Ok(Some(ServerAnswer { value: last.unwrap_or_default(), completeness }));
        };
        while verdict.version.is_none()
            && let Ok(later) = self.session.verdicts.wait(
                &at,
                |later| later.count > verdict.count,
                &cancel_late.with_deadline(Deadline::after(SETTLES_WITHIN)),
            )
        {
            verdict = later;
        }
        Ok(Some(ServerAnswer { value: verdict.list, completeness: self.whole_since(before, true) }))
    }

    /// Tells the server what it takes to get a verdict on `path`: the version it will be about, and the verdicts before it.
    fn await_verdict(
        &self,
        path: &WsPath,
        at: &AbsPath,
        read: ReadText<'_>,
    ) -> Result<Option<(i32, u64)>, CallError> {
        let held = self.view.hold_still();
        let read: ReadText<'_> = &|path| held.read(path, read);
        let mut documents = self.lock_documents();
        let so_far = self.session.verdicts.last_of_file(at).map_or(0, |verdict| verdict.count);
        let Some(awaited) = documents.await_verdict(self.spec(), path, so_far, read) else {
            return Ok(None);
        };
        self.send_all(awaited.tell)?;
        Ok(Some((awaited.version, awaited.before)))
    }

    /// The files that the server has open.
    #[must_use]
    pub fn all_open(&self) -> Vec<WsPath> {
        self.lock_documents().all_open()
    }

    /// Has a file open in the server, with its present contents; `false` if it cannot be read.
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

    /// Tells the server of changes on disk; `false` if it is better started anew.
    ///
    /// # Errors
    /// [`CallError::Closed`].
    pub fn take_in(
        &self,
        changes: &BTreeMap<WsPath, FileChange>,
        read: ReadText<'_>,
    ) -> Result<bool, CallError> {
        let reading = self.lock_documents().being_read();
        self.close_read(reading)?;
        let held = self.view.hold_still();
        let read: ReadText<'_> = &|path| held.read(path, read);
        let mut documents = self.lock_documents();
        match documents.take_in(self.spec(), changes, read) {
            Taken::Tell(tell, settles) => {
                self.session.ready.note_changes(settles);
                self.send_all(tell).map(|()| true)
            }
            Taken::StartAnew => Ok(false),
        }
    }

    /// The version under which the server has a file open.
    #[must_use]
    pub fn version(&self, path: &WsPath) -> Option<i32> {
        self.lock_documents().version(path)
    }

    /// Returns what the server was last sent of a file that it has open: the version, and the hash of the contents.
    #[must_use]
    pub fn sent_version(&self, path: &WsPath) -> Option<(i32, ContentHash)> {
        self.lock_documents().last_sent(path)
    }

    /// Ends it: asks it to, and does not take no for an answer.
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

    /// Under the documents' lock, so that everything reaches the server in the order in which it was decided.
    fn send_all(&self, tell: Vec<Tell>) -> Result<(), CallError> {
        tell.into_iter().try_for_each(|tell| match tell.is_request() {
            true => self.client.request_and_ignore(tell.method, &tell.params),
            false => self.client.notify_raw(tell.method, &tell.params),
        })
    }

    fn lock_documents(&self) -> MutexGuard<'_, ServerDocuments> {
        // What is open is noted before it is sent; after a panic between the two the connection is of no use anyway.
        self.documents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file that is asked about is there and open, so one who has not found it has only not come to it yet.
fn is_too_early(error: &ResponseError) -> bool {
    [codes::CONTENT_MODIFIED, codes::SERVER_CANCELLED, codes::SERVER_NOT_INITIALIZED].contains(&error.code)
        || error.code == codes::INTERNAL_ERROR && error.message.starts_with("file not found")
}

fn not_started(error: &CallError, process: &ServerProcess, program: String) -> StartError {
    /// First exit code by which the guard says that a signal ended the program.
    const BY_SIGNAL: i32 = 128;
    let ended = match error {
        CallError::Stopped(_) => None,
        _ => process.wait(Duration::from_secs(1)),
    };
    let stderr = if ended.is_some() { process.last_words() } else { process.stderr_tail() };
    process.kill();
    if let CallError::Stopped(stopped) = error {
        return StartError::Stopped(*stopped);
    }
    let by_itself = match &ended {
        Some(ended) => ended.code.is_some_and(|code| code < BY_SIGNAL),
        None => matches!(error, CallError::Refused(_)),
    };
    let why = ended.map_or(error.to_string(), |ended| ended.to_string());
    StartError::Failed { program, why, by_itself, stderr }
}
