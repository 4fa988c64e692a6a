//! Starts a server: its process, its connection and the initialisation. If one of them fails, nothing is left running.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use hob_base::CancelToken;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use super::silence::{MissedDeadlines, Signs};
use super::{Instance, StartError};
use crate::documents::ServerDocuments;
use crate::offer;
use crate::overlay::ProjectOverlay;
use crate::process::{Guard, ServerProcess, end_group};
use crate::rpc::{CallError, RequestOutcome, RpcClient};
use crate::session::ServerSession;
use crate::spec::Launch;
use crate::uri;

impl Instance {
    /// Starts a server and waits until it is initialised. `view` is the overlay of the project.
    ///
    /// # Errors
    /// [`StartError`]; nothing of the server is left running.
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
            // A killed guard leaves a server that would not end with the daemon. The server's group is named by the
            // guard's number, which the system does not reuse while the group has members.
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
        let result = send_initialize(&client, &process, &params, cancel).map_err(|waited| {
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
            missed: MissedDeadlines::default(),
            signs: Mutex::default(),
            given_up: OnceLock::new(),
            launch,
            process,
            client,
            session,
        })
    }
}

/// Longest time that a server may take to answer its first request, whatever it does meanwhile.
const INITIALISED_WITHIN: Duration = Duration::from_secs(60);
/// Longest time that a server may take for that without any sign of work.
const INITIALISED_WITHOUT_WORK: Duration = Duration::from_secs(20);
/// Pause between two checks for signs of work.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Sends `initialize` and waits for the answer; fails after the longest time, and sooner where the server does nothing.
fn send_initialize(
    client: &RpcClient,
    process: &ServerProcess,
    params: &Value,
    cancel: &CancelToken,
) -> Result<RequestOutcome, Duration> {
    let (give, answered) = sync_channel(1);
    let params = to_raw_value(params).ok();
    let on = Box::new(move |outcome| drop(give.send(outcome)));
    if let Err(error) = client.forward_request("initialize", params.as_deref(), on) {
        return Ok(Err(error));
    }
    let began = Signs::take_signs(client, process);
    let (mut before, mut active) = (began, began.at);
    loop {
        match answered.recv_timeout(LOOK_EVERY.min(cancel.deadline().remaining().unwrap_or(LOOK_EVERY))) {
            Ok(outcome) => return Ok(outcome),
            Err(RecvTimeoutError::Disconnected) => {
                return Ok(Err(CallError::Closed("it was let go of".to_owned())));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(stopped) = cancel.check() {
            return Ok(Err(CallError::Stopped(stopped)));
        }
        let now = Signs::take_signs(client, process);
        if now.works_since(&before) {
            active = now.at;
        }
        if now.at.duration_since(active) >= INITIALISED_WITHOUT_WORK
            || now.at.duration_since(began.at) >= INITIALISED_WITHIN
        {
            return Err(now.at.duration_since(began.at));
        }
        before = now;
    }
}

fn not_started(error: &CallError, process: &ServerProcess, program: String) -> StartError {
    /// First exit code with which the guard reports that a signal ended the program.
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
