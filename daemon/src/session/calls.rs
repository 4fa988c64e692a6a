//! Runs a client's calls: admits them, queues them for a free place, runs them on blocking threads, and
//! answers each exactly once.
//!
//! Each client has a number of places, and all clients together have another; a client first waits for its
//! own, so that one with many calls does not delay the others. A cancelled call leaves the queue at once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hob_base::{CancelToken, Deadline};
use hob_proto::message::{Call, is_repeatable};
use hob_proto::tools::{DEFAULT_BUDGET, MAX_BUDGET};
use hob_proto::{Envelope, ErrorCode, ServerMessage, TokenBudget, ToolError, frame};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::Sessions;
use super::progress;
use super::registry::{ClientSession, ListedCall, Weight};
use hob_calls::{CallAnswer, CallRequest};

/// Begins a call. An error ends the connection.
pub(super) fn begin(
    sessions: &Arc<Sessions>,
    session: &Arc<ClientSession>,
    call: Call,
    weight: Weight,
) -> Result<(), String> {
    let token = CancelToken::new(deadline(sessions, &call));
    let places = RunPermits::try_take(sessions, session);
    let unqueue = places.is_none().then(|| Arc::new(Notify::new()));
    admit_call(
        sessions,
        session,
        call.id,
        ListedCall { token: token.clone(), weight, unqueue: unqueue.clone() },
    )?;
    if !sessions.flight.enter_call() {
        // The call neither begins nor is answered: the goodbye that follows sends the client to the next
        // daemon.
        forget_call(session, call.id);
        return Ok(());
    }
    let job = Job { sessions: Arc::clone(sessions), session: Arc::clone(session), call, token, listed: true };
    match unqueue {
        None => job.spawn(places),
        Some(unqueue) => drop(tokio::spawn(job.wait_for_place(unqueue))),
    }
    Ok(())
}

/// Handles the end of a client: no further call begins, and running ones are cancelled.
pub(super) fn close(session: &ClientSession) {
    session.lock_table().closed = true;
    session.cancel_all();
}

fn deadline(sessions: &Sessions, call: &Call) -> Deadline {
    let most = Deadline::after(sessions.limits.call_time);
    call.deadline_ms.map_or(most, |ms| most.min(Deadline::after(Duration::from_millis(ms))))
}

fn admit_call(
    sessions: &Sessions,
    session: &ClientSession,
    id: u64,
    entry: ListedCall,
) -> Result<(), String> {
    let limits = &sessions.limits;
    let mut table = session.lock_table();
    if table.calls.contains_key(&id) {
        return Err(format!("call id {id} is already under way"));
    }
    if table.calls.len() >= limits.calls_per_client {
        return Err(format!("more than {} calls under way on one connection", limits.calls_per_client));
    }
    if table.bytes + entry.weight.bytes > limits.call_bytes_per_client {
        return Err(format!("calls under way of more than {} bytes", limits.call_bytes_per_client));
    }
    table.bytes += entry.weight.bytes;
    table.calls.insert(id, entry);
    Ok(())
}

fn forget_call(session: &ClientSession, id: u64) {
    let mut table = session.lock_table();
    if let Some(entry) = table.calls.remove(&id) {
        table.bytes -= entry.weight.bytes;
    }
}

/// The right to run: one of the client's places and one of the daemon's.
struct RunPermits {
    _own: OwnedSemaphorePermit,
    _shared: OwnedSemaphorePermit,
}

impl RunPermits {
    fn try_take(sessions: &Sessions, session: &ClientSession) -> Option<Self> {
        let own = Arc::clone(&session.running).try_acquire_owned().ok()?;
        let shared = Arc::clone(&sessions.running).try_acquire_owned().ok()?;
        Some(Self { _own: own, _shared: shared })
    }

    async fn acquire_both(own: Arc<Semaphore>, shared: Arc<Semaphore>) -> Option<Self> {
        let own = own.acquire_owned().await.ok()?;
        let shared = shared.acquire_owned().await.ok()?;
        Some(Self { _own: own, _shared: shared })
    }
}

/// An admitted call. Dropping it, run or not, removes it from the tables.
struct Job {
    sessions: Arc<Sessions>,
    session: Arc<ClientSession>,
    call: Call,
    token: CancelToken,
    /// True if the client's table still has the call. It is removed once, because the ID may be another
    /// call's by then.
    listed: bool,
}

impl Job {
    /// Waits for a free place, or for a cancellation: a cancelled call needs no place.
    async fn wait_for_place(self, unqueue: Arc<Notify>) {
        let taking =
            RunPermits::acquire_both(Arc::clone(&self.session.running), Arc::clone(&self.sessions.running));
        let places = tokio::select! {
            places = taking => places,
            () = unqueue.notified() => None,
        };
        self.spawn(places);
    }

    /// Runs the call; a cancelled call runs without a place, because it only reports that.
    fn spawn(self, places: Option<RunPermits>) {
        tokio::task::spawn_blocking(move || {
            self.run();
            drop(places);
        });
    }

    fn run(mut self) {
        if self.session.lock_table().closed {
            return;
        }
        let request = self.request();
        // The tools promise not to panic; a client must have its answer even if one does.
        let answer = catch_unwind(AssertUnwindSafe(|| self.sessions.calls.call(request)));
        self.answer(answer.unwrap_or_else(|_| broken_promise()));
    }

    fn request(&self) -> CallRequest {
        let root = self.call.root.as_deref().map(|root| self.session.cwd.join(root));
        CallRequest {
            tool: self.call.tool.clone(),
            args: self.call.args.clone(),
            root: root.unwrap_or_else(|| self.session.cwd.clone()),
            cancel: self.token.clone(),
            progress: self.call.progress.then(|| progress::progress_sink(&self.session, self.call.id)),
            client: self.session.hello.kind,
            caller: Arc::clone(&self.session.caller),
            clients: *self.sessions.registry.count().borrow(),
            identity: self.session.hello.identity.clone(),
            edits: self.session.hello.edits,
            form: self.call.form,
            offers: self.call.offers.clone(),
            replies: self.call.replies.clone(),
            followed: self.call.followed,
        }
    }

    fn answer(&mut self, answer: CallAnswer) {
        let given_up = self.session.given_up.load(Ordering::Acquire);
        if given_up && !answer.ok && is_repeatable(&self.call.tool, &self.call.args) {
            return;
        }
        // The call leaves the table first: the client may reuse the ID as soon as it has the answer.
        self.unlist_call();
        let message = ServerMessage::Answer {
            id: self.call.id,
            ok: answer.ok,
            envelope: answer.envelope,
            ask: answer.ask,
        };
        match frame::encode(&message) {
            Ok(frame) => self.session.outbox.push(frame),
            Err(error) => tracing::error!(tool = self.call.tool, %error, "an answer could not be sent"),
        }
    }

    fn unlist_call(&mut self) {
        if std::mem::take(&mut self.listed) {
            forget_call(&self.session, self.call.id);
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.unlist_call();
        self.sessions.flight.leave_call();
    }
}

/// Returns the answer for a call whose tool panicked through every handler of panics.
fn broken_promise() -> CallAnswer {
    let error = ToolError::new(ErrorCode::Internal, "a bug in hob ended this call; the log has the details");
    let token_budget = TokenBudget { requested: DEFAULT_BUDGET, used: 0, max: MAX_BUDGET };
    CallAnswer { ok: false, envelope: Envelope::of_error(error, token_budget).to_text(), ask: None }
}
