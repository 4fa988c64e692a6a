//! Provides a client that outlives its daemons.
//!
//! [`Client`] connects when it is first used, and again after every loss. It repeats a call whose answer was lost if
//! that is safe; the caller sees one slower answer. When no daemon is available the answer is an envelope with the
//! reason, so there is always an answer.
//!
//! A daemon that says goodbye costs only time. A daemon that crashes under a call may do so because of that call, so a
//! call is repeated at most twice after unannounced losses.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use hob_proto::ToolError;
use hob_proto::message::{Event, is_repeatable};
use serde_json::{Map, Value};
use tokio::sync::{Mutex, broadcast};
use tokio::time::Instant;

use crate::autostart::reach_daemon;
use crate::connection::Connection;
use crate::envelope::error_answer;
use crate::locks::Backoff;
use crate::request::{DaemonAnswer, Lost, OnProgress, Progress, ToolRequest};
use crate::settings::Settings;
use crate::tail::log_lines;
use crate::unavailable::Unavailable;

/// Number of unannounced losses after which a call is still repeated.
const CRASHES: u32 = 2;

/// Time to wait for a call's answer after its deadline.
const GRACE: Duration = Duration::from_secs(2);

/// Time for which the connection to a far side may stay lost under a call: a network that changes is back within
/// seconds.
const WAY_BACK: Duration = Duration::from_secs(15);

/// A connection to the present daemon, whichever it is. Clones share it.
#[derive(Clone)]
pub struct Client {
    shared: Arc<ClientShared>,
}

struct ClientShared {
    settings: Settings,
    /// The connection; every call reads it, and it is written when the connection changes.
    current: RwLock<Option<Connection>>,
    /// The error of the last attempt, if it failed; the one caller that reaches for a daemon holds the lock.
    reaching: Mutex<Option<Unavailable>>,
    /// Number of attempts that have ended: callers that waited for one share its outcome.
    attempts: AtomicU64,
    events: broadcast::Sender<Event>,
}

impl Client {
    /// Creates a client that will connect when it is first used.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let shared = ClientShared {
            settings,
            current: RwLock::new(None),
            reaching: Mutex::default(),
            attempts: AtomicU64::new(0),
            events: broadcast::Sender::new(64),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Makes a call. There is always an answer: if no daemon is available, an envelope with `DAEMON_UNAVAILABLE`.
    /// Dropping the future cancels the call.
    pub async fn call(&self, request: &ToolRequest, progress: Option<OnProgress>) -> DaemonAnswer {
        match self.try_call(request, progress).await {
            Ok(answer) => answer,
            Err(error) => {
                let envelope = error_answer(request, error);
                DaemonAnswer { ok: false, envelope, ask: None }
            }
        }
    }

    /// Makes a call as [`Client::call`] does, but returns a failure as an error.
    ///
    /// # Errors
    /// `DAEMON_UNAVAILABLE`; `BAD_ARGS` for a request too large to send.
    pub async fn try_call(
        &self,
        request: &ToolRequest,
        progress: Option<OnProgress>,
    ) -> Result<DaemonAnswer, ToolError> {
        let progress = progress.map(never_falling);
        let calling = self.repeat(request, progress);
        let Some(deadline) = request.deadline else { return calling.await };
        // The daemon has the deadline too and answers in time with partial results; a little later no answer is to be
        // expected.
        let too_slow = || Unavailable::TooSlow { seconds: deadline.as_secs() }.to_tool_error();
        let outcome = tokio::time::timeout(deadline.saturating_add(GRACE), calling).await;
        outcome.unwrap_or_else(|_| Err(too_slow()))
    }

    /// Asks the present daemon for its status.
    ///
    /// # Errors
    /// [`Unavailable`].
    pub async fn status(&self) -> Result<Map<String, Value>, Unavailable> {
        let mut losses = Losses::new(&self.shared.settings);
        loop {
            let connection = self.connection().await?;
            match connection.status().await {
                Ok(status) => return Ok(status),
                Err(lost) => losses.add(&lost).await?,
            }
        }
    }

    /// Returns a connection to a daemon that takes calls: the present one, or a new one. One caller at a time reaches
    /// for a daemon; the others wait and share the outcome.
    ///
    /// # Errors
    /// [`Unavailable`].
    pub async fn connection(&self) -> Result<Connection, Unavailable> {
        if let Some(connection) = self.current_connection() {
            return Ok(connection);
        }
        let finished = self.shared.attempts.load(Ordering::Acquire);
        let mut failure = self.shared.reaching.lock().await;
        if let Some(connection) = self.current_connection() {
            return Ok(connection);
        }
        if self.shared.attempts.load(Ordering::Acquire) > finished
            && let Some(failure) = &*failure
        {
            return Err(failure.clone());
        }
        let outcome = self.reach_in_task().await;
        *failure = outcome.as_ref().err().cloned();
        self.shared.attempts.fetch_add(1, Ordering::Release);
        outcome
    }

    /// Subscribes to the events that daemons send unasked, across reconnections.
    #[must_use]
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.shared.events.subscribe()
    }

    /// Returns a notice for the user about the present daemon (this client is older), if connected.
    #[must_use]
    pub fn notice(&self) -> Option<String> {
        self.current_connection().and_then(|connection| connection.server().notice.clone())
    }

    fn current_connection(&self) -> Option<Connection> {
        let current = self.shared.current.read().unwrap_or_else(PoisonError::into_inner);
        current.as_ref().filter(|connection| connection.takes_calls()).cloned()
    }

    /// Reaches the daemon in a task of its own: a caller that gives up must not leave a daemon half started, and others
    /// wait for it.
    async fn reach_in_task(&self) -> Result<Connection, Unavailable> {
        let shared = Arc::clone(&self.shared);
        let reaching = tokio::spawn(async move {
            let connection = reach_daemon(&shared.settings).await?;
            tokio::spawn(forward_events(connection.events(), shared.events.clone()));
            *shared.current.write().unwrap_or_else(PoisonError::into_inner) = Some(connection.clone());
            Ok(connection)
        });
        reaching.await.unwrap_or_else(|error| {
            let problem = format!("could not be reached: {error}");
            Err(Unavailable::NotAnswering { pid: None, problem })
        })
    }

    async fn repeat(
        &self,
        request: &ToolRequest,
        progress: Option<OnProgress>,
    ) -> Result<DaemonAnswer, ToolError> {
        let mut losses = Losses::new(&self.shared.settings);
        loop {
            let connection = match self.connection().await {
                Ok(connection) => connection,
                Err(error) => {
                    losses.wait_for_way(error).await.map_err(|error| error.to_tool_error())?;
                    continue;
                }
            };
            let lost = match connection.call(request, progress.clone()).await {
                Ok(answer) => return Ok(answer),
                Err(lost) => lost,
            };
            if lost.too_large {
                return Err(ToolError::bad_args(lost.reason));
            }
            if lost.sent && !is_repeatable(&request.tool, &request.args) {
                let error = Unavailable::NotRepeated { tool: request.tool.clone(), reason: lost.reason };
                return Err(error.to_tool_error());
            }
            losses.add(&lost).await.map_err(|error| error.to_tool_error())?;
        }
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("settings", &self.shared.settings).finish_non_exhaustive()
    }
}

/// Counts the losses of one call, and decides whether to go on.
struct Losses<'a> {
    settings: &'a Settings,
    crashes: u32,
    times: u32,
    backoff: Backoff,
    until: Instant,
    /// The end of [`WAY_BACK`] after the last loss.
    way_until: Instant,
}

impl<'a> Losses<'a> {
    fn new(settings: &'a Settings) -> Self {
        let backoff = Backoff::new(Duration::from_millis(5), Duration::from_millis(500));
        let now = Instant::now();
        let until = now + settings.patience.recovery;
        Self { settings, crashes: 0, times: 0, backoff, until, way_until: now }
    }

    /// Counts a loss and pauses; the error means that it was one too many.
    async fn add(&mut self, lost: &Lost) -> Result<(), Unavailable> {
        self.times += 1;
        self.way_until = Instant::now() + WAY_BACK;
        if self.times == 1 {
            // The time of the call itself does not count against the recovery.
            self.until = Instant::now() + self.settings.patience.recovery;
        }
        self.crashes += u32::from(lost.sent && !lost.orderly);
        if self.crashes > CRASHES || Instant::now() > self.until {
            // The log of a daemon elsewhere is not on this machine.
            let is_here = self.settings.far.is_none();
            let logs = is_here.then(|| log_lines(&self.settings.places.logs_dir(), None));
            let log_tail = logs.unwrap_or_default();
            let reason = lost.reason.clone();
            return Err(Unavailable::LostRepeatedly { times: self.times, reason, log_tail });
        }
        self.backoff.pause().await;
        Ok(())
    }
}

impl Losses<'_> {
    /// Pauses if the connection to a far side was lost under this call and may come back; returns any other error.
    async fn wait_for_way(&mut self, error: Unavailable) -> Result<(), Unavailable> {
        if !matches!(error, Unavailable::Far(_)) || Instant::now() >= self.way_until {
            return Err(error);
        }
        self.backoff.pause().await;
        Ok(())
    }
}

/// Returns a progress receiver whose steps never fall, although a repeated call starts from zero.
fn never_falling(inner: OnProgress) -> OnProgress {
    let most = AtomicU64::new(0);
    Arc::new(move |progress: Progress| {
        if progress.done >= most.fetch_max(progress.done, Ordering::Relaxed) {
            inner(progress);
        }
    })
}

async fn forward_events(mut from: broadcast::Receiver<Event>, to: broadcast::Sender<Event>) {
    loop {
        match from.recv().await {
            Ok(event) => {
                let _ = to.send(event);
            }
            Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => return,
        }
    }
}
