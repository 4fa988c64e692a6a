//! Integrates with systemd: takes its socket, and sends it notifications.
//!
//! systemd listens on the daemon's socket before the daemon starts and after it ends, so that no client has
//! to start one. The name is systemd's: this process neither makes nor removes it, and connections that it
//! has not accepted when it ends wait for the next daemon. systemd names this process in the environment,
//! which separates such a start from a start by a client; inherited variables of another service name another
//! process.
//!
//! Notifications use `sd_notify`; the daemon works the same if they are lost.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sd_notify::NotifyState;

use super::error::StartError;
use super::inherit::InheritedDescriptors;
use crate::session::Sessions;

/// The systemd instance that runs this process.
#[derive(Clone, Debug)]
pub struct Manager {
    descriptors: Arc<Vec<OwnedFd>>,
    program: PathBuf,
}

impl Manager {
    /// Returns the manager if systemd runs this process: it passed sockets, or names this process as the one
    /// it started.
    #[must_use]
    pub fn find(handed: InheritedDescriptors) -> Option<Self> {
        let expects_word = std::env::var_os("NOTIFY_SOCKET").is_some() && is_this_process("SYSTEMD_EXEC_PID");
        (!handed.descriptors.is_empty() || expects_word)
            .then(|| Self { descriptors: Arc::new(handed.descriptors), program: program_of_the_unit() })
    }

    /// Returns the program that systemd starts when this process has ended.
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// Returns the socket on which systemd listens for clients, which look for it at `path`; `None` when it
    /// listens on none.
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
        Err(StartError::InheritedDescriptors { expected: path.display().to_string(), got: others.join(", ") })
    }

    /// Tells systemd that the daemon serves clients.
    pub(super) fn notify_ready(&self) {
        notify_systemd(&[NotifyState::Ready, NotifyState::Status("ready")]);
    }

    /// Tells systemd a status, which its own tools show.
    pub(super) fn notify_status(&self, status: &str) {
        notify_systemd(&[NotifyState::Status(status)]);
    }

    /// Tells systemd that the daemon takes no new calls.
    pub(super) fn notify_stopping(&self, why: &str) {
        let status = format!("ending: {why}");
        notify_systemd(&[NotifyState::Stopping, NotifyState::Status(&status)]);
    }

    /// Tells systemd repeatedly that the daemon is alive, if systemd asks for it. Each time a task of its own
    /// has to finish first: if all threads of the runtime are stuck, the daemon is silent, and systemd ends
    /// it.
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

/// Returns the pause between two such messages; systemd's manual recommends half of the limit.
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

/// Returns the program as the unit names it, links unresolved: after an upgrade, the file there is the one
/// that systemd starts. A wrapper takes precedence, as in every comparison of builds.
fn program_of_the_unit() -> PathBuf {
    let wrapper = std::env::var_os("HOB_DAEMON").map(PathBuf::from);
    let named =
        std::env::args_os().next().map(PathBuf::from).filter(|path| path.is_absolute() && path.exists());
    wrapper.or(named).or_else(|| std::env::current_exe().ok()).unwrap_or_default()
}

/// Returns the path of a Unix socket.
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
