//! Provides a scripted backend for tests: it reports the test's events in any order, and has a limit of watches on
//! demand.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{EventSink, FsEvent, MakeWatch, WatchBackend, WatchError, WatchEventOrder, WatchScope};

#[derive(Default)]
struct Script {
    /// The sinks of all backends that were made, in the order of their making.
    sinks: Vec<EventSink>,
    watched: BTreeSet<PathBuf>,
    limit: Option<usize>,
    unordered: bool,
    /// Runs once, just before a folder is forgotten, as if another program did it; `None` if nothing does.
    meanwhile: Option<Meanwhile>,
}

/// An action of another program.
type Meanwhile = Box<dyn FnOnce() + Send>;

/// A test's control of every backend that [`FakeWatch::backend_maker`] makes.
#[derive(Clone, Default)]
pub struct FakeWatch {
    script: Arc<Mutex<Script>>,
}

impl FakeWatch {
    /// Creates a script without events or limit, in order.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the function that makes this backend, for [`super::Watcher::with_backend`].
    #[must_use]
    pub fn backend_maker(&self) -> Box<MakeWatch> {
        let fake = self.clone();
        Box::new(move |sink| {
            let mut script = fake.lock();
            script.sinks.push(sink);
            script.watched.clear();
            drop(script);
            Ok(Box::new(fake.clone()))
        })
    }

    /// Reports one event to the watcher, if there is a watcher.
    pub fn report_event(&self, event: FsEvent) {
        let newest = self.backends_made().checked_sub(1);
        newest.into_iter().for_each(|newest| self.report_event_of(newest, event.clone()));
    }

    /// Reports one event as if the backend that was made as number `index`, from 0, did it: a backend's thread may have
    /// events left when the backend is replaced.
    ///
    /// # Panics
    /// If fewer backends were made.
    pub fn report_event_of(&self, index: usize, event: FsEvent) {
        let sink = self.lock().sinks[index].clone();
        sink.push(event);
    }

    /// Reports the newest cookie in `cookie_dir`, if there is one.
    pub fn say_cookie(&self, cookie_dir: &Path) {
        let Ok(entries) = fs::read_dir(cookie_dir) else { return };
        for entry in entries.flatten() {
            self.report_event(FsEvent::Appeared(entry.path()));
        }
    }

    /// Limits the number of folders that can be watched from now on.
    pub fn set_limit(&self, limit: Option<usize>) {
        self.lock().limit = limit;
    }

    /// Declares whether events have no order from now on.
    pub fn set_unordered(&self, unordered: bool) {
        self.lock().unordered = unordered;
    }

    /// Runs `meanwhile` just before the next folder is forgotten.
    pub fn before_forgetting(&self, meanwhile: impl FnOnce() + Send + 'static) {
        self.lock().meanwhile = Some(Box::new(meanwhile));
    }

    /// Returns the folders that are watched.
    #[must_use]
    pub fn watched_folders(&self) -> BTreeSet<PathBuf> {
        self.lock().watched.clone()
    }

    /// Returns the number of backends that have been made.
    #[must_use]
    pub fn backends_made(&self) -> usize {
        self.lock().sinks.len()
    }

    fn lock(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WatchBackend for FakeWatch {
    fn watch(&self, dir: &Path, _scope: WatchScope) -> Result<(), WatchError> {
        let mut script = self.lock();
        if !dir.is_dir() {
            return Err(WatchError::Gone);
        }
        if script.limit.is_some_and(|limit| script.watched.len() >= limit && !script.watched.contains(dir)) {
            return Err(WatchError::Limit);
        }
        script.watched.insert(dir.to_path_buf());
        Ok(())
    }

    fn forget(&self, dir: &Path) {
        let meanwhile = self.lock().meanwhile.take();
        if let Some(meanwhile) = meanwhile {
            meanwhile();
        }
        self.lock().watched.retain(|watched| !watched.starts_with(dir));
    }

    fn covers_trees(&self) -> bool {
        false
    }

    fn order(&self) -> WatchEventOrder {
        if self.lock().unordered { WatchEventOrder::Loose } else { WatchEventOrder::Streamed }
    }
}
