//! Watching a workspace: from the system's events to marks in the dirty set.
//!
//! [`Watch`] is what a platform offers; `notify.rs` is the real one and [`fake`] the scripted one. [`Watcher`] is what
//! the rest of hob holds: it owns one backend, decides what each event means, keeps account of whether events can be
//! trusted ([`WatcherState`]), and gives the freshness barrier.
//!
//! One thread, the *pump*, takes events in order. It alone gives meaning to them, so that a cookie's event is looked at
//! after everything before it has been marked.

mod cookie;
pub mod fake;
mod health;
mod intake;
mod notify;
mod watcher;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use hob_base::AbsPath;

use crate::{DirtySet, Rules};

pub use health::{SweepToken, WatcherState};
pub use watcher::Watcher;

/// Beyond this many events that nobody has looked at, a sweep is cheaper than the memory.
const BACKLOG: usize = 500_000;

/// What a watcher needs to begin.
#[derive(Clone, Debug)]
pub struct WatchSetup {
    /// Which files matter, and where the root is.
    pub rules: Arc<Rules>,
    /// Where marks go.
    pub dirty: Arc<DirtySet>,
    /// A folder for cookies: outside the workspace, of this workspace alone, on a local disk. It is made if absent.
    pub cookie_dir: AbsPath,
}

/// One event, in the words that all platforms share. Paths are absolute; what is there *now* must be looked up, for
/// events are old by the time they arrive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FsEvent {
    /// Something was made here or moved here, or the platform does not say what happened.
    Appeared(PathBuf),
    /// Something was deleted here or moved away from here.
    Vanished(PathBuf),
    /// Contents or metadata of what is here changed.
    Touched(PathBuf),
    /// Events were lost. Why, in words.
    Lost(String),
}

/// How much a watch covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// What lies directly in the folder.
    Folder,
    /// Everything below the folder, where the platform can do that; elsewhere as `Folder`.
    Tree,
}

/// Why a folder could not be watched.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WatchError {
    /// The system's limit of watches is used up.
    #[error("the system's limit of watched folders is used up")]
    Limit,
    /// It is not there any more.
    #[error("the folder is gone")]
    Gone,
    /// It may not be read; then nothing in it can be either.
    #[error("the folder may not be read")]
    Denied,
    /// Something else.
    #[error("{0}")]
    Other(String),
}

/// A platform's way to watch folders. Events go to the [`EventSink`] that it was made with, from any thread but in the
/// order in which they happened (if [`Watch::is_ordered`]). Dropping it ends all watches.
pub trait Watch: Send + Sync {
    /// Begins to report what happens in `dir`, or goes on if it already does. When this returns, no later event is
    /// missed. Must not be called from within the sink.
    ///
    /// # Errors
    /// [`WatchError`].
    fn watch(&self, dir: &Path, scope: Scope) -> Result<(), WatchError>;

    /// Whether [`Scope::Tree`] covers everything below.
    fn covers_trees(&self) -> bool;

    /// Whether events of different folders arrive in the order in which they happened.
    fn is_ordered(&self) -> bool;
}

/// Makes a backend. Called again after events were lost.
pub type MakeWatch = dyn Fn(EventSink) -> Result<Box<dyn Watch>, WatchError> + Send + Sync;

/// Where a backend puts its events. Never blocks.
#[derive(Clone, Debug)]
pub struct EventSink {
    sender: Sender<FsEvent>,
    backlog: Arc<Backlog>,
}

#[derive(Debug, Default)]
struct Backlog {
    waiting: AtomicUsize,
    overflowed: AtomicBool,
}

/// The other end of an [`EventSink`].
#[derive(Debug)]
struct EventSource {
    receiver: Receiver<FsEvent>,
    backlog: Arc<Backlog>,
}

fn event_queue() -> (EventSink, EventSource) {
    let (sender, receiver) = channel();
    let backlog = Arc::new(Backlog::default());
    (EventSink { sender, backlog: Arc::clone(&backlog) }, EventSource { receiver, backlog })
}

impl EventSink {
    /// Hands over one event. Past a very long backlog events are dropped, and one [`FsEvent::Lost`] says so.
    pub fn push(&self, event: FsEvent) {
        let mut event = event;
        if self.backlog.waiting.load(Ordering::Relaxed) >= BACKLOG {
            if self.backlog.overflowed.swap(true, Ordering::Relaxed) {
                return;
            }
            event = FsEvent::Lost("events came faster than they could be taken in".to_owned());
        }
        self.backlog.waiting.fetch_add(1, Ordering::Relaxed);
        // Nobody listens any more: the watcher is being dropped.
        let _ = self.sender.send(event);
    }
}

impl EventSource {
    /// Waits for the next event; `None` when there is no sink any more.
    fn next(&self) -> Option<FsEvent> {
        let event = self.receiver.recv().ok()?;
        if self.backlog.waiting.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.backlog.overflowed.store(false, Ordering::Relaxed);
        }
        Some(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_cut_off_with_one_note_and_then_forgotten() {
        let (sink, source) = event_queue();
        let event = || FsEvent::Touched(PathBuf::new());
        (0..BACKLOG + 100).for_each(|_| sink.push(event()));
        (0..BACKLOG).for_each(|_| assert_eq!(source.next(), Some(event())));
        assert!(matches!(source.next(), Some(FsEvent::Lost(_))));
        sink.push(event());
        assert_eq!(source.next(), Some(event()), "what was dropped is gone, the rest goes on");
        drop(sink);
        assert_eq!(source.next(), None);
    }
}
