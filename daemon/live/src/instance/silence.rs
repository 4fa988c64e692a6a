//! Decides when a server that does not answer is given up.
//!
//! A server may take longer than anybody waits, and then the next question may find it done. One that is stuck stays so, and makes
//! every call wait for nothing. What tells them apart is any sign of work: a message, a line on standard error, time on a processor.
//! Without one, two deadlines missed in a row are enough; with nothing but processor time, which an endless loop takes too, it is
//! borne for longer.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::process::ServerProcess;
use crate::rpc::RpcClient;

/// Deadlines missed in a row that a server is given up for, if it does nothing.
const IDLE: u32 = 2;
/// If it takes time on a processor.
const BUSY: u32 = 6;
/// A question that had less time says nothing of the server.
const LEAST: Duration = Duration::from_secs(5);
/// Time for which a server is watched for work once a deadline was missed.
const WATCHED: Duration = Duration::from_millis(250);
/// This part of one processor's time is work; timers of an idle program take less.
const WORK: u32 = 20;

/// Signs of life at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Signs {
    /// Messages and lines on standard error so far.
    said: u64,
    /// Time on processors so far.
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

/// A question under way.
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

/// Deadlines that one server missed.
#[derive(Debug, Default)]
pub(super) struct Missed(Mutex<MissedDeadlineState>);

#[derive(Debug, Default)]
struct MissedDeadlineState {
    /// Number of missed deadlines in a row.
    count: u32,
    /// When the last of them was counted, and what had been heard by then.
    last: Option<(Instant, u64)>,
    /// It is here because another one was silent: it is not borne as long.
    on_probation: bool,
}

impl Missed {
    pub(super) fn put_on_probation(&self) {
        self.lock_state().on_probation = true;
    }

    /// A question has had its answer.
    pub(super) fn note_answer(&self) {
        let mut state = self.lock_state();
        state.count = 0;
        state.on_probation = false;
    }

    /// A question was given up without an answer: whether the server is, and in which words. Watches it for a moment.
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
        // Of questions that waited side by side, one counts.
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
        // Figures are set whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
