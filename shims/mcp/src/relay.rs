//! Forwards calls to the daemon, and their progress back to the client.
//!
//! The client library connects, starts the daemon, reconnects and repeats, and turns every failure into an envelope.
//! This file handles one call: its progress becomes notifications, and its cancellation drops it, which cancels it in
//! the daemon.

use std::path::Path;
use std::sync::Arc;

use hob_client::envelope::error_answer;
use hob_client::far::FarSide;
use hob_client::{Client, DaemonAnswer, OnProgress, Progress, Settings, ToolRequest, Unavailable, edits};
use hob_proto::message::Offer;
use hob_proto::tools::ToolDef;
use hob_proto::{ClientKind, Form};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use serde_json::{Map, Value};
use tokio::sync::watch;

use crate::roots::CallRoot;

/// The client of the daemon, or the reason why this machine can have none.
#[derive(Debug)]
pub(crate) struct Relay {
    client: Result<Client, Unavailable>,
    edits: bool,
    form: Form,
}

/// One call to forward.
pub(crate) struct RelayOrder<'o> {
    pub(crate) tool: &'static ToolDef,
    pub(crate) args: Map<String, Value>,
    pub(crate) root: &'o CallRoot,
    /// The requests that the daemon may make during the call.
    pub(crate) offers: &'o [Offer],
    /// The replies to the daemon's earlier requests, by their keys.
    pub(crate) replies: &'o Map<String, Value>,
    /// The receiver of progress, if the client wants it.
    pub(crate) reporter: Option<&'o mut Reporter>,
}

impl Relay {
    /// Creates a relay for a client in the folder `place`. The client may edit if `edits` is true, whatever the
    /// settings are, and gets its answers in `form` unless a call overrides it. The daemon is on this machine unless
    /// `far` names a far side.
    pub(crate) fn new(place: &Path, far: Option<FarSide>, edits: bool, form: Form) -> Self {
        let settings = Settings::from_process_env(ClientKind::Mcp);
        // The settings of this machine do not apply to code elsewhere.
        let enabled = far.is_none()
            && settings.as_ref().is_ok_and(|settings| edits::enabled_in(&settings.places.settings_file()));
        let (cwd, far) = (place.to_path_buf(), far.map(Arc::new));
        let client = settings.map(|settings| Client::new(Settings { cwd, edits, far, ..settings }));
        Self { client, edits: edits || enabled, form }
    }

    /// Returns true if this client may edit at least one project.
    pub(crate) fn edits_enabled(&self) -> bool {
        self.edits
    }

    /// Returns the form of the answer to a call with these arguments.
    pub(crate) fn form_of(&self, args: &Map<String, Value>) -> Form {
        Form::asked_in(args, self.form)
    }

    /// Connects in the background, so that the first call finds a daemon. A failure shows in the first call.
    pub(crate) fn connect_early(&self) {
        if let Ok(client) = &self.client {
            let client = client.clone();
            tokio::spawn(async move {
                match client.connection().await {
                    Ok(connection) => tracing::info!(server = ?connection.server(), "connected"),
                    Err(error) => tracing::warn!(%error, "no daemon"),
                }
            });
        }
    }

    /// Makes the call and returns its answer. Dropping the future cancels the call.
    pub(crate) async fn call(&self, order: RelayOrder<'_>) -> DaemonAnswer {
        let mut request = ToolRequest::new(order.tool.name, order.args);
        // A root that is not Unicode cannot be sent; the connection's own directory is the next best.
        request.root = order.root.folder.to_str().map(str::to_owned);
        request.followed = order.root.is_followed;
        request.form = self.form;
        request.offers = order.offers.to_vec();
        request.replies = order.replies.clone();
        let client = match &self.client {
            Ok(client) => client,
            Err(error) => {
                let envelope = error_answer(&request, error.to_tool_error());
                return DaemonAnswer { ok: false, envelope, ask: None };
            }
        };
        match order.reporter {
            None => client.call(&request, None).await,
            Some(reporter) => call_and_report(client, &request, reporter).await,
        }
    }
}

/// Makes a call and reports its progress. Progress may arrive faster than a client reads it, so only the latest is
/// kept.
async fn call_and_report(client: &Client, request: &ToolRequest, reporter: &mut Reporter) -> DaemonAnswer {
    reporter.begin();
    let (sender, mut latest) = watch::channel(None);
    let on_progress: OnProgress = Arc::new(move |progress| drop(sender.send(Some(progress))));
    let mut calling = std::pin::pin!(client.call(request, Some(on_progress)));
    loop {
        tokio::select! {
            biased;
            answer = &mut calling => return answer,
            Ok(()) = latest.changed() => {
                let progress = latest.borrow_and_update().clone();
                if let Some(progress) = progress {
                    reporter.report(progress).await;
                }
            }
        }
    }
}

/// Sends progress notifications for one request, which may be several calls of the daemon.
pub(crate) struct Reporter {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    last: Option<u64>,
    /// The number at which the present call's own count begins.
    base: u64,
}

impl Reporter {
    pub(crate) fn new(peer: Peer<RoleServer>, token: ProgressToken) -> Self {
        Self { peer, token, last: None, base: 0 }
    }

    /// Begins a call: its steps come after all that were reported.
    fn begin(&mut self) {
        self.base = self.last.map_or(0, |last| last.saturating_add(1));
    }

    async fn report(&mut self, progress: Progress) {
        let total = progress.total.map(|total| total.saturating_add(self.base));
        self.send(progress.done.saturating_add(self.base), total, progress.message).await;
    }

    /// Reports that the request is still worked on, with a text.
    pub(crate) async fn sign_of_life(&mut self, message: &str) {
        self.send(self.last.map_or(0, |last| last.saturating_add(1)), None, message.to_owned()).await;
    }

    /// Sends a notification. MCP demands that the number increases with every notification; others are left out.
    async fn send(&mut self, done: u64, total: Option<u64>, message: String) {
        if self.last.is_some_and(|last| done <= last) {
            return;
        }
        self.last = Some(done);
        let mut param = ProgressNotificationParam::new(self.token.clone(), as_number(done));
        param.total = total.map(as_number);
        param.message = Some(message);
        // A client that is gone needs no progress.
        let _ = self.peer.notify_progress(param).await;
    }
}

#[allow(clippy::cast_precision_loss, reason = "counts of files; MCP has floating-point numbers only")]
fn as_number(n: u64) -> f64 {
    n as f64
}
