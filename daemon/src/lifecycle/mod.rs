//! Runs the process: one daemon per user, from taking its lock to its orderly end.
//!
//! ## Which process is the daemon
//! The holder of `daemon.lock`, for as long as it lives; the system frees the lock however the holder ends.
//! Only the holder touches the socket's name. An ending daemon removes the name first, so nobody connects to
//! it, and releases the lock last, with the process, so the next daemon finds nothing in use: not the socket,
//! not the store. Its folders are locked too (`kept`), against a daemon whose socket is elsewhere.
//!
//! ## Which process listens
//! The daemon itself, or systemd for it (`activation`): then the socket exists before and after the daemon,
//! and clients that connect in between wait in its queue.
//!
//! ## How the process ends
//! By a signal, a client's order, idleness, or the loss of its own files; all lead through `retire`, which
//! finishes the calls under way. Any other end, and a panic, leaves a report (`crash`).

#[cfg_attr(not(target_os = "linux"), path = "activation_elsewhere.rs")]
mod activation;
mod crash;
mod error;
mod heap;
mod idle;
mod inherit;
mod kept;
mod listen;
mod lock;
pub mod log;
mod presence;
mod retire;
mod signals;
mod stdio;

use std::sync::Arc;
use std::time::Duration;

use hob_proto::places::Places;
use hob_proto::private_dir::{self, PrivateDirError};
use hob_proto::{Build, Readiness};
use tokio::sync::mpsc;

pub use activation::Manager;
pub use error::StartError;
pub use heap::give_memory_back;
pub use inherit::{InheritedDescriptors, close_inherited};
pub use stdio::{leave_terminal, let_go_of_stdio};

use crate::session::{ClientLimits, ProcessOrder, Sessions};
use crash::LifeSign;
use hob_calls::Calls;
use kept::FolderLocks;
use listen::Endpoint;
use lock::{Claim, DaemonLock};
use signals::Signals;

/// The options of the daemon.
#[derive(Clone, Debug)]
pub struct Options {
    /// Time without clients and work after which the daemon ends; `None` for never.
    pub idle: Option<Duration>,
    /// Longest time for calls under way to finish when the daemon ends.
    pub drain: Duration,
    /// Longest time for saving at the end.
    pub save: Duration,
    /// Longest wait for an earlier daemon that holds the lock and does not answer.
    pub lock_patience: Duration,
    /// The limits of the resources that clients may use.
    pub limits: ClientLimits,
    /// The build of this daemon.
    pub build: Build,
    /// True if a hang-up of the terminal ends the daemon; a detached daemon has no terminal.
    pub hangup_ends: bool,
    /// The service manager that runs this process.
    pub manager: Option<Manager>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            idle: Some(Duration::from_secs(30 * 60)),
            drain: Duration::from_secs(5),
            save: Duration::from_secs(45),
            lock_patience: Duration::from_secs(15),
            limits: ClientLimits::default(),
            build: own_build(),
            hangup_ends: false,
            manager: None,
        }
    }
}

/// Returns the build of the running program: on Linux of the file that was started, even if another file has
/// its name by now. A daemon that a wrapper started has the build of the wrapper's file, because clients look
/// at that file.
fn own_build() -> Build {
    if let Some(wrapper) = std::env::var_os("HOB_DAEMON") {
        return Build::from_executable(wrapper.as_ref());
    }
    if cfg!(target_os = "linux") {
        return Build::from_executable("/proc/self/exe".as_ref());
    }
    Build::from_executable(&std::env::current_exe().unwrap_or_default())
}

/// The successful end of a run. Keep it until the process ends: it releases the lock, and threads that do not
/// end may still use the files that the lock protects.
#[derive(Debug)]
pub enum Finished {
    /// This process was the daemon, and it has retired.
    Retired(DaemonLock, FolderLocks),
    /// Another daemon is running and answers.
    AlreadyRunning,
}

/// Makes the tools ready, once this process is the daemon.
pub trait MakeCalls: FnOnce(&Places) -> Result<Arc<dyn Calls>, String> {}
impl<F: FnOnce(&Places) -> Result<Arc<dyn Calls>, String>> MakeCalls for F {}

/// Runs the daemon until it is time to end. Calls `report` once with the outcome of the start, unless the
/// start failed: that is the error.
///
/// # Errors
/// [`StartError`] when this process could not become the daemon.
pub fn run(
    places: &Places,
    options: &Options,
    make_calls: impl MakeCalls,
    report: &dyn Fn(&Readiness),
) -> Result<Finished, StartError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(worker_threads())
        // One thread for each call that may run, and some for questions about status and the like.
        .max_blocking_threads(options.limits.running + 16)
        .thread_name("hob-io")
        .enable_all()
        .build()
        .map_err(StartError::Runtime)?;
    let finished = runtime.block_on(be_the_daemon(places, options, make_calls, report));
    // The end of the process ends the threads of calls that do not finish.
    runtime.shutdown_timeout(Duration::from_millis(500));
    finished
}

/// Returns the number of threads for input and output, which need little: at least two, so that one long step
/// never stops all connections.
fn worker_threads() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 4)
}

async fn be_the_daemon(
    places: &Places,
    options: &Options,
    make_calls: impl MakeCalls,
    report: &dyn Fn(&Readiness),
) -> Result<Finished, StartError> {
    private_dir::ensure(&places.runtime)?;
    let manager = options.manager.as_ref();
    let handed = Socket::of(manager, places)?;
    if let Some(manager) = manager {
        manager.notify_status("waits for an earlier daemon to end");
    }
    let patience = if handed.is_some() { SERVICE_PATIENCE } else { options.lock_patience };
    let lock = match DaemonLock::claim(places, patience, handed.is_some()).await? {
        Claim::Ours(lock) => lock,
        Claim::Running { pid } => {
            report(&Readiness::Running { pid });
            return Ok(Finished::AlreadyRunning);
        }
    };
    // The process that started this one saw no listener. If a service manager listens now, it must keep its
    // name: it starts the daemon when a client connects, as this check did.
    if cfg!(unix) && handed.is_none() && listen::is_taken(&places.socket).await {
        report(&Readiness::Running { pid: None });
        return Ok(Finished::AlreadyRunning);
    }
    let mut signals = Signals::install(options.hangup_ends).map_err(StartError::Runtime)?;
    make_folders(places)?;
    let kept = FolderLocks::claim_folders(places, patience).await?;
    // Without the folders' locks another daemon may live, and its file would look like a leftover.
    let _life = kept.are_all_locked(places).then(|| LifeSign::begin(places, &options.build));
    if let Err(error) = places.remember_folders() {
        tracing::warn!(%error, "programs with another environment may look for this daemon's folders elsewhere");
    }
    let calls = make_calls(places).map_err(StartError::Calls)?;
    let (orders, ordered) = mpsc::unbounded_channel();
    let successor = manager.map(|manager| manager.program().to_path_buf());
    let sessions = Sessions::new(calls, options.build.clone(), options.limits, orders).followed_by(successor);
    let sessions = Arc::new(sessions);
    let mut endpoint = Socket::open(handed, places, &sessions)?;
    report(&Readiness::Ready { pid: std::process::id() });
    if let Some(manager) = manager {
        manager.notify_ready();
    }
    tracing::info!(socket = %places.socket.display(), build = ?options.build, service = manager.is_some(), "ready");

    let why = serve_until_end(
        &lock,
        &mut endpoint,
        &sessions,
        EndingEvents { options, signals: &mut signals, ordered },
    )
    .await;
    tracing::info!(why, "ending");
    if let Some(manager) = manager {
        manager.notify_stopping(&why);
    }
    retire::end_service(endpoint, &sessions, options.drain, options.save, &mut signals, &why).await;
    tracing::info!("ended");
    Ok(Finished::Retired(lock, kept))
}

/// Longest time that a service waits for an earlier daemon that no client can reach any more: for its last
/// calls, and its saving.
const SERVICE_PATIENCE: Duration = Duration::from_secs(60);

/// A socket that a service manager passed.
struct Socket {
    #[cfg(unix)]
    descriptor: std::os::fd::OwnedFd,
}

impl Socket {
    #[cfg(target_os = "linux")]
    fn of(manager: Option<&Manager>, places: &Places) -> Result<Option<Self>, StartError> {
        let Some(manager) = manager else { return Ok(None) };
        Ok(manager.socket(&places.socket)?.map(|descriptor| Self { descriptor }))
    }

    #[cfg(not(target_os = "linux"))]
    fn of(_manager: Option<&Manager>, _places: &Places) -> Result<Option<Self>, StartError> {
        Ok(None)
    }

    /// Serves on this socket, or on one of the daemon's own.
    fn open(handed: Option<Self>, places: &Places, sessions: &Arc<Sessions>) -> Result<Endpoint, StartError> {
        #[cfg(unix)]
        if let Some(Self { descriptor }) = handed {
            return Endpoint::adopt_socket(descriptor, &places.socket, sessions);
        }
        #[cfg(not(unix))]
        drop(handed);
        Endpoint::open(&places.socket, sessions)
    }
}

/// Makes the folders of a user's code private to that user. If one cannot be made, the code that needs it
/// reports the error: a daemon without a cache is slow, not wrong. If one belongs to another user, that user
/// could read the stored data and forge what the daemon reads back: then the daemon does not start.
fn make_folders(places: &Places) -> Result<(), PrivateDirError> {
    for folder in [&places.cache, &places.state] {
        match stdio::make_dir(folder) {
            Err(error @ PrivateDirError::OtherOwner { .. }) => return Err(error),
            Err(error) => {
                tracing::warn!(folder = %folder.display(), %error, "a folder could not be made");
            }
            Ok(()) => {}
        }
    }
    Ok(())
}

/// The events that can end the daemon from outside.
struct EndingEvents<'a> {
    options: &'a Options,
    signals: &'a mut Signals,
    ordered: mpsc::UnboundedReceiver<ProcessOrder>,
}

async fn keep_telling(manager: Option<&Manager>, sessions: &Arc<Sessions>) {
    match manager {
        Some(manager) => manager.keep_telling(sessions).await,
        None => std::future::pending().await,
    }
}

/// Serves until it is time to end; returns the reason.
async fn serve_until_end(
    lock: &DaemonLock,
    endpoint: &mut Endpoint,
    sessions: &Arc<Sessions>,
    mut waits: EndingEvents<'_>,
) -> String {
    tokio::select! {
        signal = waits.signals.next() => format!("the daemon received {signal}"),
        order = waits.ordered.recv() => match order {
            Some(ProcessOrder::Retire(reason)) => reason,
            _ => "the user stopped the daemon".into(),
        },
        () = idle::wait_until_expired(waits.options.idle, sessions) => "nobody has used the daemon for a while".into(),
        reason = presence::wait_until_lost(lock, endpoint, sessions) => reason,
        () = keep_telling(waits.options.manager.as_ref(), sessions) => "the service manager has gone".into(),
    }
}
