//! Keeps the table of connected clients and of their calls.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use hob_base::{AbsPath, CancelToken};
use hob_proto::Hello;
use tokio::sync::{Notify, Semaphore, watch};

use super::ClientLimits;
use super::incoming::Room;
use super::outbox::Outbox;
use hob_calls::{Caller, EditorSide};

/// One client, as this module's siblings see it.
pub(super) struct ClientSession {
    pub(super) hello: Hello,
    pub(super) cwd: AbsPath,
    pub(super) since: Instant,
    pub(super) outbox: Outbox,
    pub(super) caller: Arc<Caller>,
    /// The daemon's editor side of the client, from its first message on.
    pub(super) editor: Mutex<Option<Box<dyn EditorSide>>>,
    /// Room for an editor's messages that are not yet handled, in KiB.
    pub(super) editor_room: Arc<Semaphore>,
    pub(super) running: Arc<Semaphore>,
    pub(super) table: Mutex<CallTable>,
    /// True once this daemon, not the client, has abandoned the client's calls: their failures are then not
    /// sent, so that the client repeats the calls elsewhere.
    pub(super) given_up: AtomicBool,
    /// The daemon's goodbye, once it ends the connection.
    pub(super) goodbye: watch::Sender<Option<String>>,
}

/// A client's unanswered calls.
#[derive(Default)]
pub(super) struct CallTable {
    pub(super) calls: HashMap<u64, ListedCall>,
    pub(super) bytes: usize,
    /// True once the connection has ended; no call may begin then.
    pub(super) closed: bool,
}

/// The memory that a message takes until it has been handled.
pub(super) struct Weight {
    /// Size of the message in bytes.
    pub(super) bytes: usize,
    /// The reserved room among the messages of all clients.
    pub(super) room: Room,
}

/// A call in the table of one client.
pub(super) struct ListedCall {
    pub(super) token: CancelToken,
    /// The weight of the call's request.
    pub(super) weight: Weight,
    /// Wakes a queued call when it is cancelled.
    pub(super) unqueue: Option<Arc<Notify>>,
}

impl ClientSession {
    pub(super) fn new(hello: Hello, cwd: AbsPath, limits: &ClientLimits) -> Self {
        Self {
            hello,
            cwd,
            since: Instant::now(),
            outbox: Outbox::new(limits.unread_bytes, limits.unread_messages),
            caller: Arc::new(Caller::default()),
            editor: Mutex::default(),
            editor_room: Arc::new(Semaphore::new(limits.editor_kib)),
            running: Arc::new(Semaphore::new(limits.running_per_client)),
            table: Mutex::default(),
            given_up: AtomicBool::new(false),
            goodbye: watch::Sender::new(None),
        }
    }

    pub(super) fn lock_table(&self) -> MutexGuard<'_, CallTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cancels a call if it is under way.
    pub(super) fn cancel(&self, id: u64) {
        if let Some(entry) = self.lock_table().calls.get(&id) {
            entry.cancel();
        }
    }

    /// Cancels every call of the client.
    pub(super) fn cancel_all(&self) {
        self.lock_table().calls.values().for_each(ListedCall::cancel);
    }

    /// Cancels every call because this daemon cannot finish it.
    pub(super) fn give_up(&self) {
        self.given_up.store(true, Ordering::Release);
        self.cancel_all();
    }
}

impl ListedCall {
    fn cancel(&self) {
        self.token.cancel();
        if let Some(unqueue) = &self.unqueue {
            unqueue.notify_one();
        }
    }
}

struct RegistryState {
    next: u64,
    sessions: HashMap<u64, Arc<ClientSession>>,
    retiring: bool,
}

/// The table of all connected clients.
pub(super) struct Registry {
    state: Mutex<RegistryState>,
    count: watch::Sender<usize>,
}

/// The reasons why a client is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotTaken {
    Retiring,
    TooMany,
}

impl Registry {
    pub(super) fn new() -> Self {
        let state = RegistryState { next: 0, sessions: HashMap::new(), retiring: false };
        Self { state: Mutex::new(state), count: watch::Sender::new(0) }
    }

    /// Adds a client, with its first message queued: under one lock with [`Registry::refuse_newcomers`], so
    /// that the daemon tells every added client of the retirement and refuses every other.
    pub(super) fn add(
        &self,
        session: &Arc<ClientSession>,
        most: usize,
        first: Vec<u8>,
    ) -> Result<u64, NotTaken> {
        let mut state = self.lock_state();
        if state.retiring {
            return Err(NotTaken::Retiring);
        }
        if state.sessions.len() >= most {
            return Err(NotTaken::TooMany);
        }
        session.outbox.push(first);
        let id = state.next;
        state.next += 1;
        state.sessions.insert(id, Arc::clone(session));
        self.count.send_replace(state.sessions.len());
        Ok(id)
    }

    pub(super) fn remove(&self, id: u64) {
        let mut state = self.lock_state();
        state.sessions.remove(&id);
        self.count.send_replace(state.sessions.len());
    }

    /// Refuses every new client from now on.
    pub(super) fn refuse_newcomers(&self) {
        self.lock_state().retiring = true;
    }

    pub(super) fn is_retiring(&self) -> bool {
        self.lock_state().retiring
    }

    pub(super) fn count(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    /// Calls `act` with every client.
    pub(super) fn for_each_session(&self, mut act: impl FnMut(&Arc<ClientSession>)) {
        let sessions: Vec<Arc<ClientSession>> = self.lock_state().sessions.values().cloned().collect();
        sessions.iter().for_each(&mut act);
    }

    fn lock_state(&self) -> MutexGuard<'_, RegistryState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
