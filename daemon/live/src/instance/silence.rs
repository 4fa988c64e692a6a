//! Decides when a server that does not answer is given up.
//!
//! A slow server may miss a deadline and be done at the next question. A stuck server stays stuck, and makes every call
//! wait for nothing. A sign of work tells them apart: a message, a line on standard error, or processor time. Without
//! any, two missed deadlines in a row are enough; with nothing but processor time, which an endless loop takes too, the
//! limit is higher.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::process::ServerProcess;
use crate::rpc::RpcClient;

/// Number of deadlines missed in a row after which an idle server is given up.
const IDLE: u32 = 2;
/// The same for a server that uses processor time.
const BUSY: u32 = 6;
/// A question with a shorter deadline does not count against the server.
const LEAST: Duration = Duration::from_secs(5);
/// Time for which a server is watched for work after a missed deadline.
const WATCHED: Duration = Duration::from_millis(250);
/// One processor's time divided by this counts as work; timers of an idle program take less.
const WORK: u32 = 20;

/// Signs of life at one time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Signs {
    /// Number of messages and of lines on standard error so far.
    said: u64,
    /// Processor time so far.
    cpu: Duration,
    pub(super) at: Instant,
}

impl Signs {
    pub(super) fn take_signs(client: &RpcClient, process: &ServerProcess) -> Self {
        let said = client.messages_heard() + process.stderr_count();
        Self { said, cpu: process.cpu_time(), at: Instant::now() }
    }

    /// Returns true if the server has said anything since `before`.
    fn has_spoken_since(&self, before: &Self) -> bool {
        self.said != before.said
    }

    /// Returns true if the server has used processor time since `before`, enough to count as work.
    fn has_computed_since(&self, before: &Self) -> bool {
        self.cpu.saturating_sub(before.cpu) * WORK >= self.at.duration_since(before.at)
    }

    /// Returns true if there was any sign of work since `before`.
    pub(super) fn works_since(&self, before: &Self) -> bool {
        self.has_spoken_since(before) || self.has_computed_since(before)
    }
}

/// A question that waits for its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnansweredRequest {
    since: Instant,
    heard: u64,
}

impl UnansweredRequest {
    pub(super) fn begin(client: &RpcClient) -> Self {
        Self { since: Instant::now(), heard: client.messages_heard() }
    }
}

/// Counts the deadlines that one server missed.
#[derive(Debug, Default)]
pub(super) struct MissedDeadlines(Mutex<MissedDeadlineState>);

#[derive(Debug, Default)]
struct MissedDeadlineState {
    /// Number of missed deadlines in a row.
    count: u32,
    /// The time at which the last of them was counted, and the number of messages by then.
    last: Option<(Instant, u64)>,
    /// True if it replaces a server that was silent: then its limit is lower.
    on_probation: bool,
}

impl MissedDeadlines {
    pub(super) fn put_on_probation(&self) {
        self.lock_state().on_probation = true;
    }

    /// Records that a question has had its answer.
    pub(super) fn note_answer(&self) {
        let mut state = self.lock_state();
        state.count = 0;
        state.on_probation = false;
    }

    /// Records that a question had no answer in time. Watches the server for a moment; returns the reason to give it
    /// up, if there is one.
    pub(super) fn give_up(
        &self,
        waited: UnansweredRequest,
        client: &RpcClient,
        process: &ServerProcess,
    ) -> Option<String> {
        let heard = client.messages_heard();
        if waited.since.elapsed() < LEAST || heard != waited.heard {
            return None;
        }
        let before = Signs::take_signs(client, process);
        std::thread::sleep(WATCHED);
        let now = Signs::take_signs(client, process);
        if now.has_spoken_since(&before) {
            return None;
        }
        let mut state = self.lock_state();
        // Among questions that waited side by side, one counts.
        if state.last.is_some_and(|(counted, _)| counted > waited.since) {
            return None;
        }
        let is_in_a_row = state.last.is_none_or(|(_, then)| then == heard);
        state.count = if is_in_a_row { state.count + 1 } else { 1 };
        state.last = Some((Instant::now(), heard));
        let borne = if now.has_computed_since(&before) { BUSY } else { IDLE };
        let borne = if state.on_probation { borne / 2 } else { borne };
        (state.count >= borne).then(|| {
            let times = if state.count == 1 {
                "a question".to_owned()
            } else {
                format!("{} questions in a row", state.count)
            };
            format!("it left {times} without an answer and showed no other sign of life")
        })
    }

    fn lock_state(&self) -> MutexGuard<'_, MissedDeadlineState> {
        // Each figure is written at once.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
