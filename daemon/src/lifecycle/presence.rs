//! Checks whether clients can still find this daemon.
//!
//! Cleaners of temporary folders and people remove sockets and locks. A daemon without its socket's name
//! would hold the lock for ever and answer nobody, and every start would fail; one without its lock file may
//! have a successor already. So the daemon checks with three calls of `stat`.
//!
//! On Linux it checks as soon as a file leaves the folder, which the kernel reports, and once a minute for
//! events that the kernel does not report (a folder further up was moved). Elsewhere it checks every few
//! seconds, well below the time that a client waits for a daemon that holds its lock and does not answer.
//! This is the only timer of an idle daemon.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::listen::Endpoint;
use super::lock::DaemonLock;
use crate::session::Sessions;

/// Interval between two checks where no event reports changes.
const INTERVAL: Duration = Duration::from_secs(5);

/// Interval between two checks where the kernel reports changes.
#[cfg(target_os = "linux")]
const LONG_INTERVAL: Duration = Duration::from_secs(60);

/// Makes the socket again when only its name is gone. Returns, with the reason, when the daemon has lost its
/// place.
pub(super) async fn wait_until_lost(
    lock: &DaemonLock,
    endpoint: &mut Endpoint,
    sessions: &Arc<Sessions>,
) -> String {
    if !cfg!(unix) {
        return std::future::pending().await;
    }
    let mut folder = WatchedFolder::of(endpoint.path());
    loop {
        if let Err(reason) = check_presence(lock, endpoint, sessions) {
            return reason;
        }
        folder.changed().await;
    }
}

fn check_presence(
    lock: &DaemonLock,
    endpoint: &mut Endpoint,
    sessions: &Arc<Sessions>,
) -> Result<(), String> {
    if !lock.is_in_place() {
        return Err("the daemon's lock file was removed".into());
    }
    if endpoint.is_in_place() {
        return Ok(());
    }
    if !endpoint.name_is_free() {
        return Err("something else has the daemon's socket's name".into());
    }
    // This includes a service manager's socket: the manager would not notice its removal.
    reopen_socket(endpoint, sessions)
}

fn reopen_socket(endpoint: &mut Endpoint, sessions: &Arc<Sessions>) -> Result<(), String> {
    tracing::warn!("the socket was removed; making it anew");
    let opened = Endpoint::open(endpoint.path(), sessions).map_err(|error| error.to_string())?;
    *endpoint = opened;
    Ok(())
}

/// Reports that a file may have left a folder.
struct WatchedFolder {
    #[cfg(target_os = "linux")]
    events: Option<tokio::sync::mpsc::Receiver<()>>,
}

#[cfg(target_os = "linux")]
impl WatchedFolder {
    /// Watches the folder of `file`. A thread waits for its events, because the runtime's own timers wake
    /// several times for one pause.
    fn of(file: &Path) -> Self {
        use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
        let gone =
            WatchFlags::DELETE | WatchFlags::MOVED_FROM | WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF;
        let watch = || {
            let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
            inotify::add_watch(&events, file.parent()?, gone | WatchFlags::ONLYDIR).ok()?;
            let (tell, told) = tokio::sync::mpsc::channel(1);
            let wait = move || wait_for_events(&events, &tell);
            std::thread::Builder::new().name("hob-presence".to_owned()).spawn(wait).ok()?;
            Some(told)
        };
        Self { events: watch() }
    }

    /// Returns when a file left the folder, or after a while.
    async fn changed(&mut self) {
        let told = match &mut self.events {
            Some(events) => events.recv().await,
            None => None,
        };
        if told.is_none() {
            tokio::time::sleep(INTERVAL).await;
        }
    }
}

/// Reports each event, and once in every [`LONG_INTERVAL`], until the receiver is gone.
#[cfg(target_os = "linux")]
fn wait_for_events(events: &std::os::fd::OwnedFd, tell: &tokio::sync::mpsc::Sender<()>) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let rest = Timespec { tv_sec: LONG_INTERVAL.as_secs().cast_signed(), tv_nsec: 0 };
    while !tell.is_closed() {
        let _ = poll(&mut [PollFd::new(events, PollFlags::IN)], Some(&rest));
        // The kind of the event does not matter: the check looks at the present state.
        let mut buffer = [0; 4096];
        while rustix::io::read(events, &mut buffer).is_ok_and(|read| read > 0) {}
        // Full: the receiver has not checked since the last report, and will.
        let _ = tell.try_send(());
    }
}

#[cfg(not(target_os = "linux"))]
impl WatchedFolder {
    fn of(_file: &Path) -> Self {
        Self {}
    }

    async fn changed(&mut self) {
        tokio::time::sleep(INTERVAL).await;
    }
}
