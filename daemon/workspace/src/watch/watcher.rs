//! Watches one workspace with one backend, however many clients it has.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use hob_base::{AbsPath, Deadline, WsPath, lock};

use super::cookie::CookieFile;
use super::health::{Health, Remedy};
use super::{
    EventSink, MakeWatch, SharedWatch, SweepToken, WatchBackend, WatchError, WatchEventOrder, WatchScope,
    WatchSetup, WatcherState,
};
use crate::barrier::{CookieOutcome, Cookies};
use crate::identity::FolderIdentity;
use crate::mounts::Mounts;
use crate::names;
use crate::{BarrierError, DirtySet, Passed, Rules, Scan, ScanNote, UnreportedChange};

/// Watches one workspace. Beginning to watch marks everything, so the first batch of the dirty set is the first index.
pub struct Watcher {
    pub(super) rules: Arc<Rules>,
    pub(super) dirty: Arc<DirtySet>,
    pub(super) cookies: Cookies,
    pub(super) cookie_file: CookieFile,
    health: Health,
    make: Box<MakeWatch>,
    /// The backend; `None` while none can be had.
    backend: Mutex<Option<Arc<dyn WatchBackend>>>,
    /// Folders that the backend was told to watch.
    watched: Mutex<BTreeSet<WsPath>>,
    /// True if this sweep met the system's limit: asking again would only cost time.
    exhausted: AtomicBool,
    /// The identity of the root's folder as of the last complete look.
    root_seen: Mutex<RootSeen>,
    mounts: Mounts,
    /// The number of times that a backend was begun. The sink of each backend knows its own, and drops the events of one
    /// that has been replaced: its thread may still hand some on.
    backend_generation: AtomicU64,
    /// This watcher, for the sinks of backends.
    weak: Weak<Self>,
}

/// The identity of the root's folder at earlier times.
#[derive(Debug, Default)]
struct RootSeen {
    /// The identity at the last sweep; `None` if there was no sweep, or the folder could not be seen.
    at_sweep: Option<FolderIdentity>,
    /// The identity when the folder was last there.
    last: Option<FolderIdentity>,
}

impl Watcher {
    /// Begins to watch with a platform's backend that is shared with nobody. Failures show in [`Watcher::state`].
    #[must_use]
    pub fn start(setup: WatchSetup) -> Arc<Self> {
        Self::with_backend(setup, SharedWatch::default().backend_maker())
    }

    /// Begins to watch with another backend.
    #[must_use]
    pub fn with_backend(setup: WatchSetup, make: Box<MakeWatch>) -> Arc<Self> {
        let watcher = Self::build(setup, make, WatcherState::Live);
        watcher.note_root();
        watcher.begin();
        watcher.dirty.mark_sweep();
        watcher
    }

    /// Creates a watcher that watches nothing; every barrier is [`BarrierError::Unordered`].
    #[must_use]
    pub fn without_watching(setup: WatchSetup) -> Arc<Self> {
        let make = Box::new(|_| Err(WatchError::Other("watching is off".to_owned())));
        let watcher = Self::build(setup, make, WatcherState::Off);
        watcher.dirty.mark_sweep();
        watcher
    }

    fn build(setup: WatchSetup, make: Box<MakeWatch>, state: WatcherState) -> Arc<Self> {
        Arc::new_cyclic(|watcher: &Weak<Self>| Self {
            rules: setup.rules,
            dirty: setup.dirty,
            cookies: Cookies::default(),
            cookie_file: CookieFile::new(setup.cookie_dir.as_path().to_path_buf()),
            health: Health::new(state),
            make,
            backend: Mutex::new(None),
            watched: Mutex::default(),
            exhausted: AtomicBool::new(false),
            root_seen: Mutex::default(),
            mounts: Mounts::default(),
            backend_generation: AtomicU64::new(0),
            weak: watcher.clone(),
        })
    }

    /// Returns the watcher's present ability.
    #[must_use]
    pub fn state(&self) -> WatcherState {
        self.health.state()
    }

    /// Returns the number of watched folders.
    #[must_use]
    pub fn watched_dirs(&self) -> usize {
        lock(&self.watched).len()
    }

    /// Waits until every write that completed before this call has been marked.
    ///
    /// # Errors
    /// [`BarrierError::Late`] when the deadline passes first, [`BarrierError::Unordered`] when the watcher cannot tell.
    pub fn barrier(&self, deadline: Deadline) -> Result<Passed, BarrierError> {
        let Some(backend) = self.backend() else { return Err(BarrierError::Unordered) };
        if self.check_root() || !self.health.is_live() {
            return Err(BarrierError::Unordered);
        }
        match backend.order() {
            WatchEventOrder::Drained => self.pass_by_draining(backend.as_ref(), deadline),
            WatchEventOrder::Streamed => self.cookie_passed(deadline),
            WatchEventOrder::Loose => Err(BarrierError::Unordered),
        }
    }

    fn pass_by_draining(
        &self,
        backend: &dyn WatchBackend,
        deadline: Deadline,
    ) -> Result<Passed, BarrierError> {
        if !backend.drain(deadline) {
            return Err(BarrierError::Late);
        }
        // Checked afterwards, because the loss of events is an event too. A loss from now on came after the call.
        match self.health.is_live() {
            true => Ok(Passed { marks: self.dirty.mark_count() }),
            false => Err(BarrierError::Unordered),
        }
    }

    fn cookie_passed(&self, deadline: Deadline) -> Result<Passed, BarrierError> {
        match self.cookies.pass(deadline, &|number| self.cookie_file.make_cookie(number)) {
            CookieOutcome::Seen => Ok(Passed { marks: self.dirty.mark_count() }),
            CookieOutcome::Late => Err(BarrierError::Late),
            CookieOutcome::Broken => Err(BarrierError::Unordered),
            CookieOutcome::Failed(why) => {
                self.note_loss(format!("no answer from the folder for cookies: {why}"), Remedy::Replace);
                Err(BarrierError::Unordered)
            }
        }
    }

    fn backend(&self) -> Option<Arc<dyn WatchBackend>> {
        lock(&self.backend).clone()
    }

    /// Checks whether the root is another folder, or in another state, or has other file systems mounted in it, than at
    /// the last complete look. If so, marks everything, and the next sweep watches what is there. Returns true if so.
    pub fn check_root(&self) -> bool {
        let identity = FolderIdentity::of_folder(self.rules.root().as_path());
        let note = if identity != lock(&self.root_seen).at_sweep {
            "the workspace's folder is not what it was when it was watched"
        } else if self.mounts.have_changed(&self.rules) {
            "file systems were mounted in the workspace, or taken away"
        } else {
            return false;
        };
        self.note_loss(note.to_owned(), Remedy::Replace);
        true
    }

    /// Returns true if a folder was at the root's path at the last sweep.
    pub(crate) fn has_root(&self) -> bool {
        lock(&self.root_seen).at_sweep.is_some()
    }

    /// Notes which folder the root is; returns true if another one was there before. Called before the root is watched,
    /// so that the next check notices a folder that takes its place from then on.
    fn note_root(&self) -> bool {
        let root = self.rules.root();
        let now = FolderIdentity::of_folder(root.as_path());
        let mut seen = lock(&self.root_seen);
        let was_another = now.zip(seen.last).is_some_and(|(now, last)| !now.is_same_folder(&last));
        *seen = RootSeen { at_sweep: now, last: now.or(seen.last) };
        drop(seen);
        // The mounts are noted in any case, because calls compare with them.
        let below = self.mounts.note_mounts(&self.rules);
        match unwatchable(root).or(below) {
            Some(note) => self.health.never_trust(note),
            None => self.health.trust_again(),
        }
        was_another
    }

    /// Begins a sweep: a caller that walks the whole tree calls this before and [`Watcher::end_sweep`] after.
    pub fn begin_sweep(&self) -> SweepToken {
        let is_another = self.note_root();
        let (token, replace) = self.health.begin_sweep(is_another);
        self.exhausted.store(false, Ordering::Relaxed);
        if !self.health.is_off() && (replace || self.backend().is_none()) {
            self.begin();
        }
        self.watch_ancestors();
        token
    }

    /// Ends a complete sweep. If nothing was lost since it began, the watcher is live again.
    pub fn end_sweep(&self, token: SweepToken, scan: &Scan) {
        let root_is_there = !scan.notes.iter().any(|note| matches!(note, ScanNote::RootGone { .. }));
        if root_is_there && self.health.end_sweep(token) {
            tracing::info!(root = %self.rules.root(), "watching is live again");
        }
    }

    /// Watches a folder that is about to be listed.
    pub fn add_dir(&self, dir: &WsPath) {
        let Some(backend) = self.backend() else { return };
        // The folder becomes known before it is watched: an event that ends the watch must find it known.
        if self.exhausted.load(Ordering::Relaxed) || !lock(&self.watched).insert(dir.clone()) {
            return;
        }
        let scope = match dir.is_root() {
            true => WatchScope::Tree,
            false if backend.covers_trees() => return,
            false => WatchScope::Folder,
        };
        if let Err(error) = backend.watch(self.rules.root().join_ws(dir).as_path(), scope) {
            lock(&self.watched).remove(dir);
            self.not_watched(dir, &error);
        }
        // Changes of rule files gave no event while the folder was not watched. Decisions by the cached rules are older
        // than the listing to come.
        self.rules.reload_files();
    }

    fn not_watched(&self, dir: &WsPath, error: &WatchError) {
        match error {
            // A sweep, or the parent's event, finds the change.
            WatchError::Gone | WatchError::Denied => tracing::debug!(%dir, %error, "not watched"),
            WatchError::Limit => {
                self.exhausted.store(true, Ordering::Relaxed);
                let count = self.watched_dirs();
                let hint = "on Linux, raise fs.inotify.max_user_watches";
                self.note_unwatched(format!("{error} after {count} folders ({hint})"), Remedy::Keep);
            }
            WatchError::Other(why) => {
                self.note_unwatched(format!("folder `{dir}` cannot be watched: {why}"), Remedy::Keep);
            }
        }
    }

    /// Records that not everything can be watched. Nothing has been lost by that yet: unwatched folders are about to be
    /// listed, and from now on every call that wants freshness sweeps. So nothing is marked here; otherwise a sweep
    /// that meets a limit would request the next one, for ever.
    fn note_unwatched(&self, note: String, remedy: Remedy) {
        // Every sweep meets the same limit again; it is reported once.
        if !matches!(self.state(), WatcherState::Degraded { note: known } if known == note) {
            tracing::warn!(root = %self.rules.root(), note, "not everything is watched");
        }
        self.health.note_loss(note, remedy);
    }

    /// Records that events were, or may have been, lost.
    pub(super) fn note_loss(&self, note: String, remedy: Remedy) {
        tracing::warn!(root = %self.rules.root(), note, "the watcher lost events");
        // In this order: a barrier that still sees `Live` either waits for the sweep too or came before the loss.
        self.dirty.mark_found(UnreportedChange::Everything);
        self.health.note_loss(note, remedy);
        self.cookies.break_all();
    }

    pub(super) fn is_watched(&self, dir: &WsPath) -> bool {
        lock(&self.watched).contains(dir)
    }

    /// Forgets a folder and those below it; returns true if it was known.
    pub(super) fn forget_folder(&self, dir: &WsPath) -> bool {
        let known = self.is_watched(dir);
        if known {
            self.forget_all(dir, |_| true);
        }
        known
    }

    /// Ends the watches of folders at and below `below` that a walk has not just found, except those that the walk
    /// could not look at. These folders are gone or ignored by now, and writes in them must not wake anybody. Where the
    /// walk could not even begin, the watch of its folder may report when it can.
    pub(crate) fn keep_only(&self, below: &WsPath, scan: &Scan) {
        if !scan.dirs.is_empty() {
            self.forget_all(below, |dir| scan.dirs.binary_search(dir).is_err() && !scan.is_unread(dir));
        }
    }

    fn forget_all(&self, below: &WsPath, is_meant: impl Fn(&WsPath) -> bool) {
        let meant: Vec<WsPath> = {
            let watched = lock(&self.watched);
            let near =
                watched.range(below.clone()..).take_while(|dir| dir.as_str().starts_with(below.as_str()));
            near.filter(|dir| dir.is_below(below) && is_meant(dir)).cloned().collect()
        };
        // The watch ends before the folder becomes unknown. A walk that finds a folder known in between leaves it
        // unwatched, but that walk began before the mark that comes with forgetting, and the walk for that mark finds
        // it unknown. The other way round, the later walk could find it known and not watched.
        if let Some(backend) = self.backend() {
            meant.iter().for_each(|dir| backend.forget(self.rules.root().join_ws(dir).as_path()));
        }
        // The backend also forgets folders below that a walk has had watched since the list was made. They must not
        // stay known, or no later walk would have them watched again.
        let mut watched = lock(&self.watched);
        for dir in &meant {
            let near =
                watched.range(dir.clone()..).take_while(|other| other.as_str().starts_with(dir.as_str()));
            let below: Vec<WsPath> = near.filter(|other| other.is_below(dir)).cloned().collect();
            below.iter().for_each(|other| {
                watched.remove(other);
            });
        }
    }

    /// Watches git's private ignore file; hob has no business in the rest of its folder.
    pub(super) fn watch_git_exclude(&self) {
        let exclude = self.rules.root().as_path().join(names::GIT_EXCLUDE);
        if let (Some(backend), Some(info)) = (self.backend(), exclude.parent())
            && info.is_dir()
            && !backend.covers_trees()
        {
            // A failure here is not worth being degraded for.
            let _ = backend.watch(info, WatchScope::Folder);
        }
    }

    /// Watches the folders above the root for moves. A folder that takes the place of another is watched from the next
    /// sweep on.
    fn watch_ancestors(&self) {
        let Some(backend) = self.backend() else { return };
        let above = self.rules.root().as_path().ancestors().skip(1);
        above.filter(|dir| dir.parent().is_some()).for_each(|dir| backend.watch_way(dir));
    }

    /// Makes a new backend and has it watch what is needed before any scan.
    fn begin(&self) {
        lock(&self.watched).clear();
        // The old backend goes first: two together could meet a limit that one keeps. The lock is released before,
        // because the backend may wait for its thread, which may want the lock.
        let old = lock(&self.backend).take();
        // An event of the old backend that comes from now on is older than the walk of the sweep that begins. It could
        // only degrade the new backend, as the late word of a root that has come back does.
        self.backend_generation.fetch_add(1, Ordering::SeqCst);
        drop(old);
        if let Err(why) = self.try_begin() {
            self.note_unwatched(why, Remedy::Replace);
            return;
        }
        self.watch_git_exclude();
        self.add_dir(&WsPath::root());
    }

    fn try_begin(&self) -> Result<(), String> {
        let backend = (self.make)(self.event_sink()).map_err(|e| format!("nothing can be watched: {e}"))?;
        if backend.order() != WatchEventOrder::Drained {
            let describe = |e: std::io::Error| format!("the folder for cookies cannot be used: {e}");
            self.cookie_file.prepare_folder().map_err(describe)?;
            let watched = backend.watch(self.cookie_file.dir(), WatchScope::Folder);
            watched.map_err(|e| format!("nothing can be watched: {e}"))?;
        }
        *lock(&self.backend) = Some(Arc::from(backend));
        Ok(())
    }

    /// Makes the sink of the next backend. It holds this watcher weakly.
    fn event_sink(&self) -> EventSink {
        let watcher = self.weak.clone();
        let generation = self.backend_generation.load(Ordering::SeqCst);
        EventSink::new(move |event| {
            let Some(watcher) = watcher.upgrade() else { return };
            if watcher.backend_generation.load(Ordering::SeqCst) == generation {
                watcher.handle_event(event);
            }
        })
    }
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watcher")
            .field("root", self.rules.root())
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}

/// Returns the reason why the file system at `root` may hide changes, if there is one: others can write to it without
/// an event.
#[cfg(target_os = "linux")]
fn unwatchable(root: &AbsPath) -> Option<String> {
    /// Numbers from the kernel's `magic.h`: NFS, SMB, CIFS, SMB2, FUSE, 9P, AFS, Ceph, VirtualBox shares.
    const REMOTE: [u32; 9] = [
        0x6969,
        0x517B,
        0xFF53_4D42,
        0xFE53_4D42,
        0x6573_5546,
        0x0102_1997,
        0x5346_414F,
        0x00C3_6400,
        0x786F_4256,
    ];
    let kind = rustix::fs::statfs(root.as_path()).ok()?.f_type;
    // The field's width and sign differ between platforms; the number does not.
    let kind = kind as u32;
    REMOTE
        .contains(&kind)
        .then(|| "changes made elsewhere on this network file system give no events".to_owned())
}

#[cfg(not(target_os = "linux"))]
fn unwatchable(_root: &AbsPath) -> Option<String> {
    None
}
