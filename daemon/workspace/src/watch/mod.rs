//! Watches a workspace: turns the system's events into marks in the dirty set.
//!
//! [`WatchBackend`] is a platform's backend: `inotify.rs` on Linux, `notify.rs` everywhere else, [`fake`] where a test writes
//! the script. [`Watcher`] is the interface for the rest of hob: it owns one backend, decides what each event means,
//! tracks whether events can be trusted ([`WatcherState`]), and gives the freshness barrier.
//!
//! A backend hands on its events one after the other, and the watcher has marked the paths of each when the hand-over
//! returns. So when the next thing (a cookie's event, the end of the queue) is handled, everything before it has been
//! marked.

mod cookie;
pub mod fake;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod folders;
mod health;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod inotify;
mod intake;
mod notify;
mod queue;
mod watcher;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hob_base::{AbsPath, Deadline};

use crate::{DirtySet, Rules};

pub use health::{SweepToken, WatcherState};
pub use watcher::Watcher;

/// Makes the `notify` crate's backend, on any platform; see [`Watcher::with_backend`].
///
/// # Errors
/// [`WatchError`] when the platform refuses.
pub fn by_notify(sink: EventSink) -> Result<Box<dyn WatchBackend>, WatchError> {
    notify::make(sink)
}

/// The resources that the watchers of one process share: on Linux a single instance of inotify, because a user has few.
/// Clones share it too. It takes nothing while nobody watches.
#[derive(Clone, Default)]
pub struct SharedWatch {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    inotify: Arc<inotify::SharedInotify>,
}

impl SharedWatch {
    /// Makes the platform's own backends, for [`Watcher::with_backend`].
    #[must_use]
    pub fn backend_maker(&self) -> Box<MakeWatch> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        let inotify = Arc::clone(&self.inotify);
        Box::new(move |sink| {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            return inotify.make_backend(sink);
            #[cfg(not(any(target_os = "linux", target_os = "android")))]
            notify::make(sink)
        })
    }
}

impl fmt::Debug for SharedWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedWatch")
    }
}

/// The parts with which a watcher begins.
#[derive(Clone, Debug)]
pub struct WatchSetup {
    /// The rules, which say which files matter and where the root is.
    pub rules: Arc<Rules>,
    /// The dirty set in which the watcher makes its marks.
    pub dirty: Arc<DirtySet>,
    /// A folder for cookies: outside the workspace, for this workspace alone, on a local disk. The watcher makes it if
    /// it is absent.
    pub cookie_dir: AbsPath,
}

/// One event, in terms that all platforms share. Paths are absolute. The present state must be looked up, because
/// events are old by the time they arrive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FsEvent {
    /// Something was made here or moved here, or the platform reports no kind of change.
    Appeared(PathBuf),
    /// Something was deleted here or moved away from here.
    Vanished(PathBuf),
    /// Contents or metadata of what is here changed.
    Touched(PathBuf),
    /// Events were lost, with the reason in words.
    Lost(String),
}

/// The extent of one watch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WatchScope {
    /// The entries directly in the folder.
    Folder,
    /// Everything below the folder, where the platform can watch that; elsewhere as `Folder`.
    Tree,
}

/// Why a folder could not be watched.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WatchError {
    /// The system's limit of watches is used up.
    #[error("the system's limit of watched folders is used up")]
    Limit,
    /// The folder is not there any more.
    #[error("the folder is gone")]
    Gone,
    /// The folder may not be read, and therefore nothing in it can.
    #[error("the folder may not be read")]
    Denied,
    /// Another reason, in the system's words.
    #[error("{0}")]
    Other(String),
}

/// The order of a backend's events, as far as the freshness barrier can rely on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WatchEventOrder {
    /// An event is in the queue when the call that caused it returns, and [`WatchBackend::drain`] empties the queue.
    Drained,
    /// Events arrive in the order in which they happened, some time later: the event of a cookie shows how far they are.
    Streamed,
    /// The order cannot be relied on.
    Loose,
}

/// A platform's way to watch folders. It sends events to the [`EventSink`] that it was made with, from any thread, one
/// at a time and in the order in which they happened (unless it is [`WatchEventOrder::Loose`]). Dropping it ends all
/// watches.
pub trait WatchBackend: Send + Sync {
    /// Begins to report changes in `dir`, or goes on if it already does. When this returns, no later event is missed.
    /// May be called from within the sink.
    ///
    /// # Errors
    /// [`WatchError`] when the folder cannot be watched.
    fn watch(&self, dir: &Path, scope: WatchScope) -> Result<(), WatchError>;

    /// Begins to report, as [`FsEvent::Vanished`], that `dir` itself is moved away, and nothing that happens in it. The
    /// watcher uses this for the folders above a workspace. A backend that cannot do so, or not for this folder, does
    /// nothing.
    fn watch_way(&self, _dir: &Path) {}

    /// Ends the watches at and below `dir`, which nobody needs under these names any more. A backend that ends watches
    /// by itself, or watches the whole tree, has nothing to do. May be called from within the sink.
    fn forget(&self, _dir: &Path) {}

    /// Returns true if [`WatchScope::Tree`] covers everything below.
    fn covers_trees(&self) -> bool;

    /// Returns how far the order of its events can be relied on.
    fn order(&self) -> WatchEventOrder;

    /// With [`WatchEventOrder::Drained`]: hands on, in the caller's thread, every event that happened before this call
    /// and has not been handed on yet. Returns true if it has handed on all of them before the deadline.
    fn drain(&self, _deadline: Deadline) -> bool {
        false
    }
}

/// Makes a backend. Called again after events were lost.
pub type MakeWatch = dyn Fn(EventSink) -> Result<Box<dyn WatchBackend>, WatchError> + Send + Sync;

/// The receiver of a backend's events. Each is handled when [`EventSink::push`] returns, which waits for nothing but
/// short locks; a backend whose thread must not be held up puts a `queue` between.
#[derive(Clone)]
pub struct EventSink(Arc<dyn Fn(FsEvent) + Send + Sync>);

impl EventSink {
    /// Creates a sink that passes events to `take`.
    #[must_use]
    pub fn new(take: impl Fn(FsEvent) + Send + Sync + 'static) -> Self {
        Self(Arc::new(take))
    }

    /// Hands over one event.
    pub fn push(&self, event: FsEvent) {
        (self.0)(event);
    }
}

impl fmt::Debug for EventSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventSink")
    }
}
