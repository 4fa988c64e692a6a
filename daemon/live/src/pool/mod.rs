//! Runs one server for each (kind, project, settings), whoever asks: starts it on first use, shares it, replaces it
//! when it dies, and stops it when nobody has used it for a while.
//!
//! Each start has a thread of its own: a caller that gives up does not end the start, and the next caller finds a
//! server that is half started. A thread that stops idle servers exists only while there are servers, and sleeps until
//! the first of them is due.

mod backoff;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};
use std::{io, thread};

use hob_base::{AbsPath, CancelToken, ContentHash, Deadline, Stopped, WsPath, lock, small};

use crate::documents::{FileChange, ReadText};
use crate::instance::{Instance, StartError};
use crate::overlay::ProjectOverlay;
use crate::process::Guard;
use crate::ready::Readiness;
use crate::spec::Launch;
use backoff::{Backoff, NextStart};

/// Pause between two checks whether the caller of a waiting call has cancelled it.
const LOOK_EVERY: Duration = Duration::from_millis(25);

/// Size limit of files that are sent to servers, in bytes.
const LARGEST: u64 = 256 << 20;

/// Identifies a server instance: the kind, the project and everything that it is started with.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct InstanceKey {
    /// The kind of server.
    pub server: &'static str,
    /// The root of the project.
    pub root: AbsPath,
    /// Hash of command, arguments, environment, options and settings: a server with others is another instance.
    fingerprint: ContentHash,
}

impl InstanceKey {
    /// Returns the key of what `launch` would start.
    #[must_use]
    pub fn from_launch(launch: &Launch) -> Self {
        let Launch { spec, command, root, options, settings, keep: _ } = launch;
        let all = format!("{command:?}\0{options}\0{settings}");
        Self { server: spec.name, root: root.clone(), fingerprint: ContentHash::of(all.as_bytes()) }
    }
}

/// Why the pool has no server.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PoolError {
    /// The server failed again and again and was given up.
    #[error("it failed repeatedly: {why}")]
    GivenUp {
        /// Reason of the last failure, in words.
        why: String,
        /// The last lines of its standard error, oldest first.
        stderr: Vec<String>,
    },
    /// The server has just failed, in a way in which it will fail again.
    #[error("{why}")]
    Failed {
        /// Reason of the failure, in words.
        why: String,
        /// The last lines of its standard error, oldest first.
        stderr: Vec<String>,
    },
    /// The server does not answer, and is being replaced.
    #[error("{why}")]
    Silent {
        /// The question that the server did not answer, in words.
        why: String,
    },
    /// The caller does not wait any more.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The daemon is ending.
    #[error("the daemon is ending")]
    Closing,
}

/// Times after which the pool acts by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PoolOptions {
    /// Time without use after which a server is stopped.
    pub idle: Duration,
}

impl Default for PoolOptions {
    fn default() -> Self {
        Self { idle: Duration::from_secs(15 * 60) }
    }
}

/// A description of one server for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerStatus {
    /// Identity of the server instance.
    pub key: InstanceKey,
    /// The state in a word or two: `starting`, `ready`, `loading (...)`, `failed`, `stopped`.
    pub state: String,
    /// The program that was started for it, while it runs.
    pub program: Option<String>,
    /// The time for which it has been running.
    pub uptime: Option<Duration>,
    /// The number of its process, while it runs.
    pub pid: Option<u32>,
    /// Bytes of memory of its processes.
    pub rss_bytes: u64,
    /// The last lines of its standard error, if it failed.
    pub stderr_tail: Vec<String>,
}

#[derive(Debug, Default)]
enum ServerPhase {
    #[default]
    Absent,
    Starting,
    Running(Arc<Instance>),
}

#[derive(Debug, Default)]
struct SlotState {
    state: ServerPhase,
    backoff: Backoff,
    used: Option<Instant>,
    failure: Option<ServerFailure>,
    /// Changes on disk while the server was starting: it may have read those files before or after them.
    missed: BTreeMap<WsPath, FileChange>,
}

/// The last failure of a server.
#[derive(Clone, Debug)]
struct ServerFailure {
    kind: FailureKind,
    why: String,
    /// The last lines of its standard error before the failure, oldest first.
    stderr: Vec<String>,
}

/// The consequence of a failure for callers that ask meanwhile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FailureKind {
    /// The failure may be chance: callers wait for the next try.
    Ended,
    /// The failure will happen again: callers get an error.
    Refused,
    /// The next try may take as long: callers get an error.
    Silent,
}

impl ServerFailure {
    fn of_start(error: StartError) -> Self {
        let why = error.to_string();
        let (kind, stderr) = match error {
            StartError::Failed { by_itself: true, stderr, .. } => (FailureKind::Refused, stderr),
            StartError::Failed { stderr, .. } => (FailureKind::Ended, stderr),
            StartError::Spawn { .. } => (FailureKind::Refused, Vec::new()),
            StartError::Silent { .. } => (FailureKind::Silent, Vec::new()),
            StartError::Stopped(_) => (FailureKind::Ended, Vec::new()),
        };
        Self { kind, why, stderr }
    }
}

#[derive(Debug, Default)]
struct Slot {
    state: Mutex<SlotState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Slots {
    by_key: HashMap<InstanceKey, Arc<Slot>>,
    reaping: bool,
}

/// All servers of a daemon. A thread that holds two locks takes `slots` before a slot's own.
#[derive(Debug)]
pub struct Pool {
    slots: Mutex<Slots>,
    closing: AtomicBool,
    /// The overlays of projects, each for as long as an editor or a server holds it.
    views: Mutex<HashMap<AbsPath, Weak<ProjectOverlay>>>,
    wake_reaper: Condvar,
    guard: Option<Guard>,
    options: PoolOptions,
}

impl Pool {
    /// Creates a pool that runs no server yet.
    #[must_use]
    pub fn new(guard: Option<Guard>, options: PoolOptions) -> Arc<Self> {
        Arc::new(Self {
            slots: Mutex::default(),
            closing: AtomicBool::new(false),
            views: Mutex::default(),
            wake_reaper: Condvar::new(),
            guard,
            options,
        })
    }

    /// Returns the running server that `launch` describes; waits for it as long as `cancel` allows.
    ///
    /// # Errors
    /// [`PoolError`].
    pub fn get(self: &Arc<Self>, launch: &Launch, cancel: &CancelToken) -> Result<Arc<Instance>, PoolError> {
        self.get_as(&InstanceKey::from_launch(launch), launch, cancel)
    }

    /// Works as [`Pool::get`], for a caller that has made the key already.
    pub(crate) fn get_as(
        self: &Arc<Self>,
        key: &InstanceKey,
        launch: &Launch,
        cancel: &CancelToken,
    ) -> Result<Arc<Instance>, PoolError> {
        let slot = self.slot_of(key)?;
        let mut state = lock(&slot.state);
        state.used = Some(Instant::now());
        loop {
            note_death(&mut state);
            match &state.state {
                ServerPhase::Running(instance) => return Ok(Arc::clone(instance)),
                ServerPhase::Starting => check_failure(&state)?,
                ServerPhase::Absent => match state.backoff.next(Instant::now()) {
                    NextStart::Now => match self.start(launch.clone(), Arc::clone(&slot)) {
                        Ok(()) => {
                            state.state = ServerPhase::Starting;
                            check_failure(&state)?;
                        }
                        Err(error) => {
                            let why = format!("no thread to start it on: {error}");
                            note_failure(
                                &mut state,
                                ServerFailure { kind: FailureKind::Ended, why, stderr: Vec::new() },
                            );
                        }
                    },
                    NextStart::At(_) => check_failure(&state)?,
                    NextStart::Never => {
                        let (why, stderr) = match state.failure.clone() {
                            Some(failure) => (failure.why, failure.stderr),
                            None => Default::default(),
                        };
                        return Err(PoolError::GivenUp { why, stderr });
                    }
                },
            }
            cancel.check()?;
            if self.is_closing() {
                return Err(PoolError::Closing);
            }
            state = slot.changed.wait_timeout(state, LOOK_EVERY).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Returns the overlay of a project, and makes one if there is none.
    #[must_use]
    pub fn overlay_of(&self, root: &AbsPath) -> Arc<ProjectOverlay> {
        let mut views = lock(&self.views);
        if let Some(view) = views.get(root).and_then(Weak::upgrade) {
            return view;
        }
        views.retain(|_, view| view.strong_count() > 0);
        let view = Arc::new(ProjectOverlay::new(root.clone()));
        views.insert(root.clone(), Arc::downgrade(&view));
        view
    }

    /// Returns the overlay of a project; `None` if neither an editor nor a server holds one.
    #[must_use]
    pub fn known_view(&self, root: &AbsPath) -> Option<Arc<ProjectOverlay>> {
        lock(&self.views).get(root).and_then(Weak::upgrade)
    }

    /// Returns the servers of a project that run.
    #[must_use]
    pub fn running_servers(&self, root: &AbsPath) -> Vec<Arc<Instance>> {
        let slots: Vec<_> = self.slots_where(|key| key.root == *root);
        slots.iter().filter_map(|(_, slot)| running_instance(&lock(&slot.state))).collect()
    }

    /// Returns true if a server of a project runs or is starting: if none does, changes need not be reported.
    #[must_use]
    pub fn is_used(&self, root: &AbsPath) -> bool {
        let lives =
            |(_, slot): &(InstanceKey, Arc<Slot>)| !matches!(lock(&slot.state).state, ServerPhase::Absent);
        self.slots_where(|key| key.root == *root).iter().any(lives)
    }

    /// Returns true if any server runs or is starting.
    #[must_use]
    pub fn is_any_running(&self) -> bool {
        // Every call asks this, so nothing is copied.
        let slots = lock(&self.slots);
        slots.by_key.values().any(|slot| !matches!(lock(&slot.state).state, ServerPhase::Absent))
    }

    /// Returns the servers of a project that run or are starting.
    #[must_use]
    pub fn keys(&self, root: &AbsPath) -> Vec<InstanceKey> {
        let lives =
            |(_, slot): &(InstanceKey, Arc<Slot>)| !matches!(lock(&slot.state).state, ServerPhase::Absent);
        self.slots_where(|key| key.root == *root).into_iter().filter(lives).map(|(key, _)| key).collect()
    }

    /// Stops a server whose form is not wanted any more, and forgets it; returns when it has ended. A server that is
    /// still starting goes on, for the callers that wait for it.
    pub fn stop_and_forget(&self, key: &InstanceKey) {
        self.stop(key);
        let mut slots = lock(&self.slots);
        let absent = |slot: &Arc<Slot>| matches!(lock(&slot.state).state, ServerPhase::Absent);
        if slots.by_key.get(key).is_some_and(absent) {
            slots.by_key.remove(key);
        }
    }

    /// Stops servers as [`Pool::stop`] does, on another thread: they may take seconds to end.
    pub fn stop_aside(self: &Arc<Self>, wanted: impl Fn(&InstanceKey) -> bool) {
        let keys: Vec<_> = self.slots_where(wanted).into_iter().map(|(key, _)| key).collect();
        let pool = Arc::clone(self);
        let stop = move || keys.iter().for_each(|key| pool.stop(key));
        if let Err(error) = thread::Builder::new().name("hob-lsp-stop".to_owned()).spawn(stop) {
            tracing::warn!(%error, "no thread to stop language servers on; they end when nobody uses them");
        }
    }

    /// Tells the servers of a project of changes on disk; stops those that should be restarted, and keeps the changes
    /// for those that are just starting.
    pub fn announce(&self, root: &AbsPath, changes: &BTreeMap<WsPath, FileChange>, read: ReadText<'_>) {
        if let Some(view) = self.known_view(root) {
            view.apply_changes(changes);
        }
        for (key, slot) in self.slots_where(|key| key.root == *root) {
            let mut state = lock(&slot.state);
            if matches!(state.state, ServerPhase::Starting) {
                state.missed.extend(changes.iter().map(|(path, change)| (path.clone(), *change)));
            }
            let Some(instance) = running_instance(&state) else { continue };
            drop(state);
            if let Ok(false) = instance.announce(changes, read) {
                tracing::info!(server = key.server, %root, "so much has changed that it is started anew");
                self.stop(&key);
            }
        }
    }

    /// Describes every server of the pool for people, ordered by its key.
    #[must_use]
    pub fn status(&self) -> Vec<ServerStatus> {
        let mut all: Vec<_> =
            self.slots_where(|_| true).into_iter().map(|(key, slot)| status(key, &slot)).collect();
        all.sort_by(|a, b| a.key.cmp(&b.key));
        all
    }

    /// Returns the memory of all servers, each with the time of its last use, for the memory limit.
    #[must_use]
    pub fn memory_costs(&self) -> Vec<(InstanceKey, u64, Option<Instant>)> {
        let cost = |(key, slot): (InstanceKey, Arc<Slot>)| {
            let state = lock(&slot.state);
            let (instance, used) = (running_instance(&state)?, state.used);
            drop(state);
            // An editor uses this server.
            let used = if instance.session().multiplexer.is_empty() { used } else { Some(Instant::now()) };
            Some((key, instance.process().rss_bytes(), used))
        };
        self.slots_where(|_| true).into_iter().filter_map(cost).collect()
    }

    /// Stops a server; the next caller restarts it. Its failures are forgiven.
    pub fn stop(&self, key: &InstanceKey) {
        let slot = lock(&self.slots).by_key.get(key).cloned();
        let Some(slot) = slot else { return };
        let mut state = lock(&slot.state);
        state.backoff.forgive_failures();
        state.failure = None;
        let instance = running_instance(&state);
        if instance.is_some() {
            state.state = ServerPhase::Absent;
        }
        drop(state);
        if let Some(instance) = instance {
            instance.stop();
        }
    }

    /// Stops every server, for good. They end side by side.
    pub fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
        // A thread that was about to sleep has read the old value under this lock.
        drop(lock(&self.slots));
        self.wake_reaper.notify_all();
        let all = self.slots_where(|_| true);
        thread::scope(|scope| {
            for (key, slot) in &all {
                slot.changed.notify_all();
                scope.spawn(|| self.stop(key));
            }
        });
    }

    fn slot_of(self: &Arc<Self>, key: &InstanceKey) -> Result<Arc<Slot>, PoolError> {
        let mut slots = lock(&self.slots);
        if self.is_closing() {
            return Err(PoolError::Closing);
        }
        if !slots.reaping {
            let reaper = Arc::downgrade(self);
            slots.reaping = thread::Builder::new()
                .name("hob-lsp-idle".to_owned())
                .spawn(move || reap_idle(&reaper))
                .is_ok();
        }
        Ok(Arc::clone(slots.by_key.entry(key.clone()).or_default()))
    }

    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    fn slots_where(&self, wanted: impl Fn(&InstanceKey) -> bool) -> Vec<(InstanceKey, Arc<Slot>)> {
        let slots = lock(&self.slots);
        let found = slots.by_key.iter().filter(|(key, _)| wanted(key));
        found.map(|(key, slot)| (key.clone(), Arc::clone(slot))).collect()
    }

    /// Starts a server on another thread. The caller holds the slot's lock, and marks the slot as starting before it
    /// releases the lock.
    fn start(self: &Arc<Self>, launch: Launch, slot: Arc<Slot>) -> io::Result<()> {
        let pool = Arc::clone(self);
        let run = move || {
            let name = launch.spec.name;
            let view = pool.overlay_of(&launch.root);
            let outcome = Instance::start(
                launch,
                pool.guard.as_ref(),
                Arc::clone(&view),
                &CancelToken::new(Deadline::NEVER),
            );
            let mut state = lock(&slot.state);
            match outcome {
                Ok(instance) if pool.is_closing() => {
                    state.state = ServerPhase::Absent;
                    drop(state);
                    instance.stop();
                }
                Ok(instance) => {
                    let missed = std::mem::take(&mut state.missed);
                    let root = instance.root().clone();
                    let read = |path: &WsPath| {
                        let read = small::read_within(root.as_path(), root.join_ws(path).as_path(), LARGEST);
                        read.ok().and_then(|bytes| String::from_utf8(bytes).ok())
                    };
                    // If the server is closed, or should be restarted, the next caller finds out.
                    let _ = instance.announce(&missed, &read);
                    if state.failure.as_ref().is_some_and(|failure| failure.kind == FailureKind::Silent) {
                        instance.put_on_probation();
                    }
                    let instance = Arc::new(instance);
                    view.attach_server(&instance);
                    state.state = ServerPhase::Running(instance);
                }
                Err(error) => {
                    state.missed.clear();
                    tracing::warn!(server = name, %error, "a language server did not start");
                    state.state = ServerPhase::Absent;
                    note_failure(&mut state, ServerFailure::of_start(error));
                }
            }
            slot.changed.notify_all();
            pool.wake_reaper.notify_all();
        };
        thread::Builder::new().name("hob-lsp-start".to_owned()).spawn(run).map(drop)
    }

    /// Stops idle servers; returns the time of the next check.
    fn stop_idle(&self) -> Option<Instant> {
        let mut next = None;
        for (key, slot) in self.slots_where(|_| true) {
            let state = lock(&slot.state);
            let (Some(instance), Some(used)) = (running_instance(&state), state.used) else { continue };
            drop(state);
            let due = used + self.options.idle;
            // A third reference means that a call is using the server now.
            let busy = Arc::strong_count(&instance) > 2;
            drop(instance);
            if Instant::now() >= due && !busy {
                tracing::info!(server = key.server, root = %key.root, "stopped: nobody has used it for a while");
                self.stop(&key);
            } else {
                let again = if busy { Instant::now() + self.options.idle } else { due };
                next = Some(next.map_or(again, |earliest: Instant| earliest.min(again)));
            }
        }
        next
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.close();
    }
}

/// Stops idle servers while the pool exists.
fn reap_idle(pool: &Weak<Pool>) {
    loop {
        let Some(pool) = pool.upgrade() else { return };
        let next = pool.stop_idle();
        let slots = lock(&pool.slots);
        if pool.is_closing() {
            return;
        }
        // A sleeping thread with a reference would keep the pool alive, but the pool ends by being closed, which wakes
        // this thread.
        let rest = next.map(|at| at.saturating_duration_since(Instant::now()));
        match rest {
            Some(rest) => drop(pool.wake_reaper.wait_timeout(slots, rest)),
            None => drop(pool.wake_reaper.wait(slots)),
        }
    }
}

/// Notes the death of a server that was running.
fn note_death(state: &mut SlotState) {
    let ServerPhase::Running(instance) = &state.state else { return };
    let Some(why) = instance.reason_gone() else { return };
    let (name, stderr) = (instance.spec().name, instance.process().last_words());
    tracing::warn!(server = name, why, "a language server died");
    let kind = if instance.was_given_up() { FailureKind::Silent } else { FailureKind::Ended };
    if kind == FailureKind::Ended && instance.has_answered() {
        // The server works; something else ended it, and earlier failures do not count any more.
        state.backoff.forgive_failures();
    }
    state.state = ServerPhase::Absent;
    note_failure(state, ServerFailure { kind, why, stderr });
}

fn note_failure(state: &mut SlotState, failure: ServerFailure) {
    state.backoff.add_failure(Instant::now());
    state.failure = Some(failure);
}

/// Returns the error for a caller whose server is absent, where waiting would not help.
fn check_failure(state: &SlotState) -> Result<(), PoolError> {
    let Some(ServerFailure { kind, why, stderr }) = &state.failure else { return Ok(()) };
    match kind {
        // The server is being started for this very caller.
        FailureKind::Refused if matches!(state.state, ServerPhase::Starting) => Ok(()),
        FailureKind::Refused => Err(PoolError::Failed { why: why.clone(), stderr: stderr.clone() }),
        FailureKind::Silent => Err(PoolError::Silent { why: why.clone() }),
        FailureKind::Ended => Ok(()),
    }
}

fn running_instance(state: &SlotState) -> Option<Arc<Instance>> {
    match &state.state {
        ServerPhase::Running(instance) => Some(Arc::clone(instance)),
        ServerPhase::Absent | ServerPhase::Starting => None,
    }
}

fn status(key: InstanceKey, slot: &Slot) -> ServerStatus {
    let mut state = lock(&slot.state);
    note_death(&mut state);
    let instance = running_instance(&state);
    let failed = state.failure.is_some() && instance.is_none();
    let word = match &state.state {
        ServerPhase::Starting => "starting".to_owned(),
        ServerPhase::Running(instance) => match instance.readiness() {
            Readiness::Silent => "loading".to_owned(),
            other => other.to_string(),
        },
        ServerPhase::Absent if failed => match state.backoff.next(Instant::now()) {
            NextStart::Never => "failed".to_owned(),
            NextStart::Now | NextStart::At(_) => "crashed".to_owned(),
        },
        ServerPhase::Absent => "stopped".to_owned(),
    };
    let stderr_tail =
        state.failure.iter().filter(|_| failed).flat_map(|failure| failure.stderr.clone()).collect();
    drop(state);
    ServerStatus {
        key,
        state: word,
        program: instance.as_ref().map(|instance| instance.program().display().to_string()),
        uptime: instance.as_ref().map(|instance| instance.uptime()),
        pid: instance.as_ref().map(|instance| instance.process().pid()),
        rss_bytes: instance.map_or(0, |instance| instance.process().rss_bytes()),
        stderr_tail,
    }
}
