//! Reaches the daemon by all means: starts it if absent, replaces it if older, waits for one that is leaving.
//!
//! A client that starts or replaces the daemon holds the start lock from its last probe until the new daemon answers,
//! so that any number of clients end up with one daemon. The others go on probing meanwhile and are served as soon as a
//! daemon listens. A daemon lives as long as its own lock is held; a client starts a new one only when that lock is
//! free, and never trusts a process ID.
//!
//! Where a service manager listens for the daemon, the manager starts it, whichever client asked the last one to go: a
//! client starts a daemon only when nobody listens. If the manager has given up, its socket is gone, and clients act as
//! they do without it.

use std::time::Duration;

use hob_proto::private_dir;
use tokio::time::Instant;

use crate::connect::{Reached, Refusal, connect, left_behind, should_replace, wait_until_gone};
use crate::connection::Connection;
use crate::launch::{Startup, launch_daemon};
use crate::locks::{Backoff, StartLock, StartLockFile, daemon_is_gone, pid_in};
use crate::settings::Settings;
use crate::tail::log_lines;
use crate::unavailable::Unavailable;

/// Most daemons that one call asks to go: for a further one, another program must have been installed since.
const REPLACEMENTS: u32 = 3;

/// Most starts in one call, when each new daemon reports that it is ready and then is not there.
const STARTS: u32 = 3;

/// Connects to the daemon of this user, or of the far side that the settings name, starting or replacing it as needed.
///
/// # Errors
/// [`Unavailable`] with the true cause.
pub async fn reach_daemon(settings: &Settings) -> Result<Connection, Unavailable> {
    if let Some(far) = &settings.far {
        return far.reach_daemon(settings).await;
    }
    let settings = settings.with_current_places();
    match reach_at(settings.clone()).await {
        // Another client has meanwhile started the daemon in another of this user's places.
        Err(Unavailable::StartFailed { .. })
            if settings.with_current_places().places.socket != settings.places.socket =>
        {
            reach_at(settings.with_current_places()).await
        }
        reached => reached,
    }
}

/// Reaches the daemon in the places of these settings.
async fn reach_at(settings: Settings) -> Result<Connection, Unavailable> {
    match probe_daemon(&settings, true).await? {
        ProbedDaemon::Daemon(connection) => Ok(connection),
        _ => Replacing { settings, may_replace: true, replaced: 0, starts: 0 }.run().await,
    }
}

/// The result of a probe, by the action that it calls for.
enum ProbedDaemon {
    /// A daemon that this client may use.
    Daemon(Connection),
    /// Nobody listens on the socket.
    Nobody,
    /// A daemon that is about to end, or a service manager whose daemon has just ended.
    Leaving,
    /// A daemon older than the one that this client would start.
    Older(OlderDaemon),
}

enum OlderDaemon {
    Serving(Connection),
    Refusing(Refusal),
}

async fn probe_daemon(settings: &Settings, may_replace: bool) -> Result<ProbedDaemon, Unavailable> {
    Ok(match connect(settings).await? {
        Reached::Nobody => ProbedDaemon::Nobody,
        Reached::Leaving => ProbedDaemon::Leaving,
        Reached::Serving(connection) => {
            let server = connection.server();
            if may_replace && should_replace(&settings.build(), &server.build, server.successor.as_deref()) {
                ProbedDaemon::Older(OlderDaemon::Serving(connection))
            } else {
                ProbedDaemon::Daemon(connection)
            }
        }
        Reached::Refusing(refusal) => {
            let successor = refusal.successor.as_deref();
            if may_replace && should_replace(&settings.build(), &refusal.build, successor) {
                ProbedDaemon::Older(OlderDaemon::Refusing(refusal))
            } else {
                let more = left_behind(settings, &refusal.build, successor);
                let reason =
                    more.map_or(refusal.reason.clone(), |more| format!("{}; {more}", refusal.reason));
                return Err(Unavailable::Refused { reason });
            }
        }
    })
}

/// The state of one client while it starts or replaces the daemon.
struct Replacing {
    settings: Settings,
    /// True if it may still replace a daemon. False once it has started one: if that one looks older too, it is used.
    may_replace: bool,
    replaced: u32,
    starts: u32,
}

impl Replacing {
    async fn run(mut self) -> Result<Connection, Unavailable> {
        private_dir::ensure(&self.settings.places.runtime)?;
        let _lock = match self.lock_or_daemon().await? {
            StartTurn::Ours(lock) => lock,
            StartTurn::Served(connection) => return Ok(connection),
        };
        let mut backoff = Backoff::new(Duration::from_millis(2), Duration::from_millis(50));
        let mut waiting_since = Instant::now();
        loop {
            match probe_daemon(&self.settings, self.may_replace).await? {
                ProbedDaemon::Daemon(connection) => return Ok(connection),
                ProbedDaemon::Older(daemon) => {
                    self.replace(daemon).await;
                    // The daemon's calls are done; saving gets its own time.
                    waiting_since = Instant::now();
                }
                ProbedDaemon::Nobody if daemon_is_gone(&self.settings.places.daemon_lock())? => {
                    self.start().await?;
                    // The new daemon takes the best place, which may differ from the last one's.
                    self.settings = self.settings.with_current_places();
                    waiting_since = Instant::now();
                    continue;
                }
                ProbedDaemon::Nobody | ProbedDaemon::Leaving => {}
            }
            if waiting_since.elapsed() > self.settings.patience.hand_over {
                let seconds = self.settings.patience.hand_over.as_secs();
                let pid = pid_in(&self.settings.places.daemon_lock());
                return Err(Unavailable::StillHeld { pid, seconds });
            }
            backoff.pause().await;
        }
    }

    /// Waits for the start lock, or for the daemon that its holder starts.
    async fn lock_or_daemon(&self) -> Result<StartTurn, Unavailable> {
        let mut queue = StartLockQueue::join(&self.settings)?;
        loop {
            if let Some(lock) = queue.try_lock().await? {
                return Ok(StartTurn::Ours(lock));
            }
            if let ProbedDaemon::Daemon(connection) = probe_daemon(&self.settings, true).await? {
                return Ok(StartTurn::Served(connection));
            }
        }
    }

    /// Asks the older daemon to go, and waits until it closes this connection. From then on nobody listens; the caller
    /// has to watch for its end.
    async fn replace(&mut self, daemon: OlderDaemon) {
        const REASON: &str = "a newer build of hob wants to serve";
        let gone = async {
            match daemon {
                OlderDaemon::Serving(connection) if connection.retire(REASON).is_ok() => {
                    connection.wait_for_end().await;
                }
                OlderDaemon::Serving(_) => {}
                OlderDaemon::Refusing(refusal) => refusal.ask_to_retire(REASON).await,
            }
        };
        let _ = tokio::time::timeout(self.settings.patience.hand_over, gone).await;
        self.replaced += 1;
        self.may_replace = self.replaced < REPLACEMENTS;
    }

    async fn start(&mut self) -> Result<(), Unavailable> {
        if self.starts == STARTS {
            let log_tail = log_lines(&self.settings.places.logs_dir(), None);
            let reason = "it was ready and ended at once, several times".into();
            return Err(Unavailable::StartFailed { reason, log_tail });
        }
        self.starts += 1;
        self.may_replace = false;
        match launch_daemon(&self.settings).await? {
            Startup::Ready | Startup::AlreadyRunning => Ok(()),
            Startup::Failed { reason, log_tail } => Err(Unavailable::StartFailed { reason, log_tail }),
            Startup::TimedOut { log_tail } => {
                let seconds = self.settings.patience.ready.as_secs();
                Err(Unavailable::StartTimedOut { seconds, log_tail })
            }
        }
    }
}

enum StartTurn {
    Ours(#[allow(dead_code, reason = "held for its lock")] StartLock),
    Served(Connection),
}

/// A client that waits for the start lock.
struct StartLockQueue<'a> {
    settings: &'a Settings,
    file: StartLockFile,
    since: Instant,
    backoff: Backoff,
}

impl<'a> StartLockQueue<'a> {
    fn join(settings: &'a Settings) -> Result<Self, Unavailable> {
        let file = StartLockFile::open(&settings.places.start_lock())?;
        let backoff = Backoff::new(Duration::from_millis(2), Duration::from_millis(50));
        Ok(Self { settings, file, since: Instant::now(), backoff })
    }

    /// Tries to take the lock; `None`, after a pause, while another client has it.
    async fn try_lock(&mut self) -> Result<Option<StartLock>, Unavailable> {
        if let Some(lock) = self.file.try_lock()? {
            return Ok(Some(lock));
        }
        if self.since.elapsed() > self.settings.patience.start_lock {
            let seconds = self.settings.patience.start_lock.as_secs();
            return Err(Unavailable::StartLockBusy {
                pid: pid_in(&self.settings.places.start_lock()),
                seconds,
            });
        }
        self.backoff.pause().await;
        Ok(None)
    }
}

/// A guard that keeps every client from starting a daemon, for callers that change who starts it.
#[derive(Debug)]
pub struct NobodyStarts {
    #[allow(dead_code, reason = "held for its lock")]
    lock: StartLock,
}

/// Waits until no client is starting a daemon, and keeps all clients from doing so.
///
/// # Errors
/// [`Unavailable`].
pub async fn let_nobody_start(settings: &Settings) -> Result<NobodyStarts, Unavailable> {
    private_dir::ensure(&settings.places.runtime)?;
    let mut queue = StartLockQueue::join(settings)?;
    loop {
        if let Some(lock) = queue.try_lock().await? {
            return Ok(NobodyStarts { lock });
        }
    }
}

impl NobodyStarts {
    /// Makes the running daemon, if there is one, finish its calls and go; returns its process ID.
    ///
    /// # Errors
    /// [`Unavailable::StillHeld`] when it does not go.
    pub async fn retire_daemon(&self, settings: &Settings, reason: &str) -> Result<Option<u32>, Unavailable> {
        let path = settings.places.daemon_lock();
        if daemon_is_gone(&path)? {
            return Ok(None);
        }
        let holder = pid_in(&path);
        match connect(settings).await? {
            Reached::Serving(connection) if connection.retire(reason).is_ok() => {
                drop(connection.wait_for_end().await);
            }
            Reached::Refusing(refusal) => refusal.ask_to_retire(reason).await,
            _ => {}
        }
        let patience = settings.patience.start_lock;
        match wait_until_gone(settings, holder.unwrap_or_default(), patience).await? {
            true => Ok(holder),
            false => Err(Unavailable::StillHeld { pid: pid_in(&path), seconds: patience.as_secs() }),
        }
    }
}
