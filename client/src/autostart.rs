//! Reaching the daemon whatever it takes: start it if absent, replace it if older, wait for one that is leaving.
//!
//! Whoever starts or replaces the daemon holds the start lock from its last look until the new daemon answers, so any
//! number of clients end up with one daemon. The others keep knocking meanwhile and are served as soon as there is
//! somebody. A daemon lives as long as its own lock is held; the new one is started when that is free, never before, and
//! no process id is ever trusted.

use std::time::Duration;

use hob_proto::{Build, private_dir};
use tokio::time::Instant;

use crate::connect::{Reached, Refusal, connect};
use crate::connection::Connection;
use crate::launch::{Startup, launch};
use crate::locks::{Backoff, StartLock, StartLockFile, daemon_is_gone, pid_in};
use crate::settings::Settings;
use crate::tail::log_lines;
use crate::unavailable::Unavailable;

/// Starts that are tried in one go, when each new daemon says it is ready and then is not there.
const STARTS: u32 = 3;

/// Connects to the daemon of this user, starting or replacing it as needed.
///
/// # Errors
/// [`Unavailable`] with the true cause.
pub async fn reach(settings: &Settings) -> Result<Connection, Unavailable> {
    match look(settings, true).await? {
        Found::Daemon(connection) => Ok(connection),
        _ => Replacing { settings, may_replace: true, starts: 0 }.run().await,
    }
}

/// What a look found, with what is to be done about it.
enum Found {
    /// Ours to use.
    Daemon(Connection),
    /// Nobody, or somebody who is about to be nobody.
    Nobody,
    /// A daemon older than the one we would start.
    Older(OlderDaemon),
}

enum OlderDaemon {
    Serving(Connection),
    Refusing(Refusal),
}

async fn look(settings: &Settings, may_replace: bool) -> Result<Found, Unavailable> {
    Ok(match connect(settings).await? {
        Reached::Nobody | Reached::Leaving => Found::Nobody,
        Reached::Serving(connection) => {
            if may_replace && should_replace(&settings.build(), &connection.server().build) {
                Found::Older(OlderDaemon::Serving(connection))
            } else {
                Found::Daemon(connection)
            }
        }
        Reached::Refusing(refusal) => {
            if may_replace && should_replace(&settings.build(), &refusal.build) {
                Found::Older(OlderDaemon::Refusing(refusal))
            } else {
                return Err(Unavailable::Refused { reason: refusal.reason });
            }
        }
    })
}

/// Whether the daemon that we would start should take the place of the running one. A program we cannot see cannot take
/// anybody's place, and one with the same date is the same program: replacing it by itself would never end.
fn should_replace(ours: &Build, running: &Build) -> bool {
    ours.stamp != 0 && ours.stamp != running.stamp && ours.is_newer_than(running)
}

/// One client's turn at changing who the daemon is.
struct Replacing<'a> {
    settings: &'a Settings,
    /// False once a daemon was started here: if that one looks older too, it is used, not replaced again.
    may_replace: bool,
    starts: u32,
}

impl Replacing<'_> {
    async fn run(mut self) -> Result<Connection, Unavailable> {
        let places = &self.settings.places;
        private_dir::ensure(&places.runtime)?;
        let _lock = match self.lock_or_daemon().await? {
            Turn::Ours(lock) => lock,
            Turn::Served(connection) => return Ok(connection),
        };
        let mut backoff = Backoff::new(Duration::from_millis(2), Duration::from_millis(50));
        let mut waiting_since = Instant::now();
        loop {
            match look(self.settings, self.may_replace).await? {
                Found::Daemon(connection) => return Ok(connection),
                Found::Older(daemon) => {
                    self.replace(daemon).await;
                    // Its calls are done; what it still has to save gets its own time.
                    waiting_since = Instant::now();
                }
                Found::Nobody if daemon_is_gone(&places.daemon_lock())? => {
                    self.start().await?;
                    waiting_since = Instant::now();
                    continue;
                }
                Found::Nobody => {}
            }
            if waiting_since.elapsed() > self.settings.patience.hand_over {
                let seconds = self.settings.patience.hand_over.as_secs();
                return Err(Unavailable::StillHeld { pid: pid_in(&places.daemon_lock()), seconds });
            }
            backoff.pause().await;
        }
    }

    /// Waits for the start lock, or for the daemon that its holder starts.
    async fn lock_or_daemon(&self) -> Result<Turn, Unavailable> {
        let path = self.settings.places.start_lock();
        let file = StartLockFile::open(&path)?;
        let since = Instant::now();
        let mut backoff = Backoff::new(Duration::from_millis(2), Duration::from_millis(50));
        loop {
            if let Some(lock) = file.try_lock()? {
                return Ok(Turn::Ours(lock));
            }
            if since.elapsed() > self.settings.patience.start_lock {
                let seconds = self.settings.patience.start_lock.as_secs();
                return Err(Unavailable::StartLockBusy { pid: pid_in(&path), seconds });
            }
            backoff.pause().await;
            if let Found::Daemon(connection) = look(self.settings, true).await? {
                return Ok(Turn::Served(connection));
            }
        }
    }

    /// Asks the older daemon to go and waits until it has let go of this connection. From then on nobody listens; how long
    /// it takes to finish is for the caller to watch.
    async fn replace(&mut self, daemon: OlderDaemon) {
        const REASON: &str = "a newer build of hob wants to serve";
        let gone = async {
            match daemon {
                OlderDaemon::Serving(connection) if connection.retire(REASON).is_ok() => {
                    connection.ended().await;
                }
                OlderDaemon::Serving(_) => {}
                OlderDaemon::Refusing(refusal) => refusal.ask_to_retire(REASON).await,
            }
        };
        let _ = tokio::time::timeout(self.settings.patience.hand_over, gone).await;
    }

    async fn start(&mut self) -> Result<(), Unavailable> {
        if self.starts == STARTS {
            let log_tail = log_lines(&self.settings.places.logs(), None);
            let reason = "it was ready and ended at once, several times".into();
            return Err(Unavailable::StartFailed { reason, log_tail });
        }
        self.starts += 1;
        self.may_replace = false;
        match launch(self.settings).await? {
            Startup::Ready | Startup::AlreadyRunning => Ok(()),
            Startup::Failed { reason, log_tail } => Err(Unavailable::StartFailed { reason, log_tail }),
            Startup::TimedOut { log_tail } => {
                let seconds = self.settings.patience.ready.as_secs();
                Err(Unavailable::StartTimedOut { seconds, log_tail })
            }
        }
    }
}

enum Turn {
    Ours(#[allow(dead_code, reason = "held for its lock")] StartLock),
    Served(Connection),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daemon_is_replaced_only_by_a_newer_program_that_is_another() {
        let build = |version: &str, stamp| Build { version: version.into(), stamp };
        assert!(should_replace(&build("0.2.0", 5), &build("0.1.0", 9)));
        assert!(should_replace(&build("0.1.0", 9), &build("0.1.0", 5)));
        assert!(!should_replace(&build("0.1.0", 5), &build("0.1.0", 9)));
        assert!(!should_replace(&build("0.2.0", 5), &build("0.1.0", 5)), "a new client beside an old daemon");
        assert!(!should_replace(&build("0.2.0", 0), &build("0.1.0", 5)), "there is no program to start");
    }
}
