//! Being run by systemd: its socket, and what it is told.
//!
//! systemd listens on the daemon's socket before there is a daemon and after it has gone, so that nobody else has to start one.
//! The name is systemd's: this process neither makes nor removes it, and what it has not accepted when it ends waits for the
//! next. What tells this start from one by a client is that systemd names this process in the environment; variables that were
//! inherited from somebody else's service name another.
//!
//! What is told goes by `sd_notify`, and whether it arrives makes no difference here.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sd_notify::NotifyState;

use super::error::StartError;
use super::inherit::Handed;
use crate::session::Sessions;

/// systemd, which runs this process.
#[derive(Clone, Debug)]
pub struct Manager {
    descriptors: Arc<Vec<OwnedFd>>,
    program: PathBuf,
}

impl Manager {
    /// Returns the manager if systemd runs this process: it handed over sockets, or says that this is the process it
    /// started.
    #[must_use]
    pub fn find(handed: Handed) -> Option<Self> {
        let expects_word = std::env::var_os("NOTIFY_SOCKET").is_some() && is_this_process("SYSTEMD_EXEC_PID");
        (!handed.descriptors.is_empty() || expects_word)
            .then(|| Self { descriptors: Arc::new(handed.descriptors), program: program_of_the_unit() })
    }

    /// The program that it starts when this process has gone.
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// The socket that it listens on for clients, which look for it at `path`; `None` when it listens on none.
    pub(super) fn socket(&self, path: &Path) -> Result<Option<OwnedFd>, StartError> {
        if self.descriptors.is_empty() {
            return Ok(None);
        }
        let mut others = Vec::new();
        for descriptor in self.descriptors.iter() {
            let copy = || descriptor.try_clone();
            let name = copy().ok().and_then(name_of_socket);
            match name {
                Some(name) if name == path => {
                    let failed = |source| StartError::Listen { path: path.display().to_string(), source };
                    return copy().map(Some).map_err(failed);
                }
                Some(name) => others.push(name.display().to_string()),
                None => others.push("something that is no Unix socket with a path".to_owned()),
            }
        }
        Err(StartError::Handed { expected: path.display().to_string(), got: others.join(", ") })
    }

    /// Tells systemd that clients are served.
    pub(super) fn tell_ready(&self) {
        notify_systemd(&[NotifyState::Ready, NotifyState::Status("ready")]);
    }

    /// Tells systemd a status, for whoever asks it.
    pub(super) fn tell_status(&self, status: &str) {
        notify_systemd(&[NotifyState::Status(status)]);
    }

    /// No new calls are taken.
    pub(super) fn tell_stopping(&self, why: &str) {
        let status = format!("ending: {why}");
        notify_systemd(&[NotifyState::Stopping, NotifyState::Status(&status)]);
    }

    /// Tells again and again that the daemon lives, if systemd wants to know. Each time a task of its own has to come through
    /// first: a runtime whose threads are all stuck says nothing, and is ended.
    pub(super) async fn keep_telling(&self, sessions: &Arc<Sessions>) {
        let Some(limit) = sd_notify::watchdog_enabled() else { return std::future::pending().await };
        loop {
            let sessions = Arc::clone(sessions);
            let came_through = tokio::spawn(async move { *sessions.watch_client_count().borrow() }).await;
            if came_through.is_ok() {
                notify_systemd(&[NotifyState::Watchdog]);
            }
            tokio::time::sleep(pause(limit)).await;
        }
    }
}

/// Between two signs of life; systemd's manual asks for half of the limit.
fn pause(limit: Duration) -> Duration {
    (limit / 2).max(Duration::from_millis(1))
}

fn notify_systemd(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::debug!(%error, "systemd was not told");
    }
}

fn is_this_process(variable: &str) -> bool {
    std::env::var(variable).is_ok_and(|pid| pid == std::process::id().to_string())
}

/// As the unit names it, links unresolved: what lies there after an upgrade is what will be started. A wrapper goes before, as
/// everywhere where builds are compared.
fn program_of_the_unit() -> PathBuf {
    let wrapper = std::env::var_os("HOB_DAEMON").map(PathBuf::from);
    let named =
        std::env::args_os().next().map(PathBuf::from).filter(|path| path.is_absolute() && path.exists());
    wrapper.or(named).or_else(|| std::env::current_exe().ok()).unwrap_or_default()
}

/// The path of a Unix socket.
fn name_of_socket(descriptor: OwnedFd) -> Option<PathBuf> {
    let address = UnixListener::from(descriptor).local_addr().ok()?;
    address.as_pathname().map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manager_of(descriptors: Vec<OwnedFd>) -> Manager {
        Manager { descriptors: Arc::new(descriptors), program: PathBuf::new() }
    }

    #[test]
    fn only_a_socket_at_the_clients_path_is_taken() {
        let dir = tempfile::tempdir().expect("a folder");
        let (here, there) = (dir.path().join("here"), dir.path().join("there"));
        let listener = || OwnedFd::from(UnixListener::bind(&here).expect("free"));
        let file = OwnedFd::from(std::fs::File::create(dir.path().join("file")).expect("created"));
        let manager = manager_of(vec![file, listener()]);
        assert!(manager.socket(&here).expect("it is the one").is_some());
        let error = manager.socket(&there).expect_err("another path").to_string();
        assert!(
            error.contains("here") && error.contains("there") && error.contains("hob service install"),
            "{error}"
        );
    }

    #[test]
    fn without_a_socket_the_daemon_makes_its_own() {
        assert!(manager_of(Vec::new()).socket(Path::new("/x")).expect("no error").is_none());
    }
}
