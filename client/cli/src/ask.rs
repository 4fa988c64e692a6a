//! Calls the daemon for the command line; its only file that makes calls.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hob_client::connect::is_running;
use hob_client::{
    Client, DaemonAnswer, OnProgress, Progress, Reached, Settings, ToolRequest, connect::connect,
};
use hob_proto::{ClientKind, Envelope, Form};
use serde_json::{Map, Value};

use super::bar::Bar;
use super::term;
use super::{CommandFailure, Common};

/// A tool call of the command line.
#[derive(Debug)]
pub(crate) struct CliQuestion {
    /// The name of the tool to call.
    pub(crate) tool: &'static str,
    /// The arguments of the call, by name.
    pub(crate) args: Map<String, Value>,
    /// The folder in which to look for the project; absolute.
    pub(crate) root: PathBuf,
    /// The longest time to wait for the answer; `None` for no limit.
    pub(crate) timeout: Option<Duration>,
    /// True if the call may edit whatever the settings say, because the user allowed it in this command.
    pub(crate) edits: bool,
    /// The notation of the answer.
    pub(crate) form: Form,
}

impl CliQuestion {
    /// Creates a question about the project of this command; the command renders the answer itself.
    pub(crate) fn new(
        tool: &'static str,
        mut args: Map<String, Value>,
        common: &Common,
    ) -> Result<Self, CommandFailure> {
        common.add_group(&mut args);
        let (root, timeout) = (common.project_folder()?, common.timeout);
        Ok(Self { tool, args, root, timeout, edits: false, form: Form::Json })
    }

    fn request(&self) -> ToolRequest {
        ToolRequest {
            root: self.root.to_str().map(str::to_owned),
            deadline: self.timeout,
            form: self.form,
            ..ToolRequest::new(self.tool, self.args.clone())
        }
    }
}

/// Returns the settings with which this command reaches the daemon.
pub(crate) fn client_settings(common: &Common) -> Result<Settings, CommandFailure> {
    let settings = Settings::from_process_env(ClientKind::Cli)?;
    let far = common.far_side()?.map(Arc::new);
    Ok(Settings { cwd: common.project_folder()?, far, ..settings })
}

/// Asks the daemon, and starts it if none runs; shows a progress bar if the answer takes long.
pub(crate) async fn with_progress(
    question: &CliQuestion,
    common: &Common,
) -> Result<DaemonAnswer, CommandFailure> {
    let client = Client::new(Settings { edits: question.edits, ..client_settings(common)? });
    let bar = Arc::new(Mutex::new(Bar::new()));
    let shown = Arc::clone(&bar);
    let on_progress: OnProgress = Arc::new(move |Progress { done, total, message }| {
        shown.lock().unwrap_or_else(PoisonError::into_inner).set(done, total, &message);
    });
    let answer = client.call(&question.request(), Some(on_progress)).await;
    bar.lock().unwrap_or_else(PoisonError::into_inner).clear();
    if let Some(notice) = client.notice() {
        term::note_to_stderr(&notice);
    }
    Ok(answer)
}

/// Asks many questions over one connection, without a progress bar.
#[derive(Debug)]
pub(crate) struct Asker {
    client: Client,
}

impl Asker {
    /// Creates an asker that connects at the first question.
    pub(crate) fn new(common: &Common) -> Result<Self, CommandFailure> {
        Ok(Self { client: Client::new(client_settings(common)?) })
    }

    /// Asks one question and returns the answer's envelope as text.
    pub(crate) async fn ask(&self, question: &CliQuestion) -> String {
        self.client.call(&question.request(), None).await.envelope
    }
}

/// Asks the daemon if one runs, and returns the data of its answer if that comes within `patience`. This starts
/// nothing: it checks the daemon's lock first, because a service manager that listens for the daemon would start it for
/// any client that connects.
pub(crate) fn ask_if_running(
    tool: &str,
    args: Map<String, Value>,
    start: &Path,
    patience: Duration,
) -> Option<Value> {
    let settings = Settings::from_process_env(ClientKind::Cli).ok()?.with_current_places();
    let settings = Settings { cwd: start.to_path_buf(), ..settings };
    if !is_running(&settings).ok()? {
        return None;
    }
    let root = start.to_str().map(str::to_owned);
    let request = ToolRequest { root, deadline: Some(patience), ..ToolRequest::new(tool, args) };
    let asking = async {
        let Ok(Reached::Serving(connection)) = connect(&settings).await else { return None };
        connection.call(&request, None).await.ok()
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let answer = runtime.block_on(async { tokio::time::timeout(patience, asking).await.ok()? })?;
    Envelope::parse(&answer.envelope).ok()?.data
}
