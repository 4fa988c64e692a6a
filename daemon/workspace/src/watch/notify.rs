//! Watches folders on every platform but Linux; the only file that uses the `notify` crate.
//!
//! macOS (FSEvents) and Windows watch the whole tree at once. There the folder for cookies has a stream of its own, and
//! nothing promises an order between two streams: those platforms are [`WatchEventOrder::Loose`], and freshness costs
//! them a look at every file's stat. `inotify.rs` says why it does better on Linux. There this backend runs only in
//! tests, which check that both behave the same: hob adds an inotify watch for every folder itself, so that ignored
//! folders cost none, and all watches report through one queue, in order.
//!
//! notify's thread must not be called back from its own callback, hence the queue before the sink.
//!
//! notify ends watches by itself when it sees a folder move or vanish, some time after it has handed on that event, and
//! by path: by then the path may have another folder's watch. `intake.rs` says why that does no harm; it relies on a
//! call to `watch` being carried out after the ending, which holds because notify does both on one thread, in this
//! order.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use notify::event::{AccessKind, AccessMode, ModifyKind, RenameMode};
use notify::{Config, ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::queue::queued;
use super::{EventSink, FsEvent, WatchBackend, WatchError, WatchEventOrder, WatchScope};

const IS_LINUX: bool = cfg!(any(target_os = "linux", target_os = "android"));

struct NotifyWatch {
    /// The notify watcher; only `drop` takes it out.
    inner: Mutex<Option<RecommendedWatcher>>,
}

impl Drop for NotifyWatch {
    fn drop(&mut self) {
        // notify panics here, and in `watch`, when its thread has died.
        let inner = self.inner.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let _ = catch_unwind(AssertUnwindSafe(|| drop(inner)));
    }
}

/// Makes notify's backend for this platform.
pub(super) fn make(sink: EventSink) -> Result<Box<dyn WatchBackend>, WatchError> {
    let sink = queued(sink)?;
    let handler = move |event| translate(event, &sink);
    let inner = RecommendedWatcher::new(handler, Config::default()).map_err(|e| describe(&e))?;
    Ok(Box::new(NotifyWatch { inner: Mutex::new(Some(inner)) }))
}

impl WatchBackend for NotifyWatch {
    fn watch(&self, dir: &Path, scope: WatchScope) -> Result<(), WatchError> {
        let mode = match scope {
            WatchScope::Tree if self.covers_trees() => RecursiveMode::Recursive,
            WatchScope::Tree | WatchScope::Folder => RecursiveMode::NonRecursive,
        };
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        match catch_unwind(AssertUnwindSafe(|| inner.as_mut().map(|inner| inner.watch(dir, mode)))) {
            Ok(Some(result)) => result.map_err(|e| describe(&e)),
            Ok(None) | Err(_) => Err(WatchError::Other("the watcher's thread has died".to_owned())),
        }
    }

    fn covers_trees(&self) -> bool {
        !IS_LINUX
    }

    fn order(&self) -> WatchEventOrder {
        if IS_LINUX { WatchEventOrder::Streamed } else { WatchEventOrder::Loose }
    }
}

fn describe(error: &notify::Error) -> WatchError {
    match &error.kind {
        ErrorKind::MaxFilesWatch => WatchError::Limit,
        ErrorKind::PathNotFound => WatchError::Gone,
        ErrorKind::Io(e) => match e.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => WatchError::Gone,
            std::io::ErrorKind::PermissionDenied => WatchError::Denied,
            _ => WatchError::Other(e.to_string()),
        },
        _ => WatchError::Other(error.to_string()),
    }
}

fn translate(event: notify::Result<Event>, sink: &EventSink) {
    let event = match event {
        Ok(event) => event,
        Err(error) => return sink.push(FsEvent::Lost(error.to_string())),
    };
    if event.need_rescan() {
        return sink.push(FsEvent::Lost("the system dropped events".to_owned()));
    }
    let Some(meaning) = meaning(&event.kind) else { return };
    for path in event.paths {
        sink.push(meaning(path));
    }
}

/// Returns the constructor of the event for each of its paths; `None` if nothing changed.
fn meaning(kind: &EventKind) -> Option<fn(std::path::PathBuf) -> FsEvent> {
    match kind {
        // The end of a write through a memory map shows only as this event.
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => Some(FsEvent::Touched),
        EventKind::Access(_) => None,
        EventKind::Create(_) => Some(FsEvent::Appeared),
        EventKind::Remove(_) => Some(FsEvent::Vanished),
        // inotify also reports each end by itself.
        EventKind::Modify(ModifyKind::Name(RenameMode::Both)) if IS_LINUX => None,
        EventKind::Modify(ModifyKind::Name(RenameMode::From)) => Some(FsEvent::Vanished),
        EventKind::Modify(ModifyKind::Name(RenameMode::To)) => Some(FsEvent::Appeared),
        EventKind::Modify(ModifyKind::Name(_)) => Some(FsEvent::Appeared),
        EventKind::Modify(_) if IS_LINUX => Some(FsEvent::Touched),
        EventKind::Modify(_) | EventKind::Any | EventKind::Other => Some(FsEvent::Appeared),
    }
}
