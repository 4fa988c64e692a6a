//! Holds the messages that wait for a client to read them.
//!
//! The queue is bounded in bytes and messages. An answer must be sent or the connection is useless, so one
//! that does not fit closes it: the client does not read, and the daemon must not grow for it. Progress and
//! events are dropped when there is little room. Pushing never blocks and never waits, because worker threads
//! do it.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hob_proto::transport::TransportWriter;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::Notify;

/// Most bytes of the frames that are written together.
const BATCH: usize = 128 * 1024;

#[derive(Default)]
struct OutboxState {
    queue: VecDeque<Vec<u8>>,
    /// The bytes in the queue and in the batch being written.
    bytes: usize,
    state: Stage,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Open,
    /// The queue takes no more frames; those in it are still written.
    Finishing,
    /// A message did not fit.
    Overflowed,
}

/// A client's queue of outgoing frames.
pub(super) struct Outbox {
    state: Mutex<OutboxState>,
    most_bytes: usize,
    most_messages: usize,
    /// The signal that wakes the writer.
    work: Notify,
    /// The signal that wakes a caller of [`Outbox::wait_for_overflow`].
    overflow: Notify,
}

impl Outbox {
    pub(super) fn new(most_bytes: usize, most_messages: usize) -> Self {
        Self {
            state: Mutex::default(),
            most_bytes,
            most_messages,
            work: Notify::new(),
            overflow: Notify::new(),
        }
    }

    /// Queues a required frame. A frame larger than the limit passes when no other waits.
    pub(super) fn push(&self, frame: Vec<u8>) {
        let mut state = self.lock_state();
        if state.state != Stage::Open {
            return;
        }
        let full = state.bytes + frame.len() > self.most_bytes || state.queue.len() >= self.most_messages;
        if full && state.bytes > 0 {
            state.state = Stage::Overflowed;
            state.queue = VecDeque::new();
            drop(state);
            self.overflow.notify_one();
            return;
        }
        state.add(frame);
        drop(state);
        self.work.notify_one();
    }

    /// Queues a frame that may be dropped, and drops it if the queue is half full.
    pub(super) fn push_optional(&self, frame: Vec<u8>) {
        let mut state = self.lock_state();
        let room = state.bytes + frame.len() <= self.most_bytes / 2
            && state.queue.len() < self.most_messages / 2
            && state.state == Stage::Open;
        if room {
            state.add(frame);
            drop(state);
            self.work.notify_one();
        }
    }

    /// Queues a last frame; later ones are dropped, and writing ends when the queue is empty.
    pub(super) fn finish(&self, last: Option<Vec<u8>>) {
        let mut state = self.lock_state();
        if state.state == Stage::Open {
            last.into_iter().for_each(|frame| state.add(frame));
            state.state = Stage::Finishing;
        }
        drop(state);
        self.work.notify_one();
    }

    /// Waits until a message did not fit.
    pub(super) async fn wait_for_overflow(&self) {
        while self.lock_state().state != Stage::Overflowed {
            self.overflow.notified().await;
        }
    }

    /// Writes the queue until it is finished or overflowed, or the client is gone.
    pub(super) async fn write_to(&self, mut writer: TransportWriter) {
        let mut batch = Vec::new();
        while self.next_batch(&mut batch).await {
            if writer.write_all(&batch).await.is_err() {
                return;
            }
        }
    }

    /// Replaces the written batch by the next one. Returns false at the end.
    async fn next_batch(&self, batch: &mut Vec<u8>) -> bool {
        let mut written = batch.len();
        batch.clear();
        batch.shrink_to(BATCH);
        loop {
            let stage = self.lock_state().pop_frames(batch, std::mem::take(&mut written));
            if !batch.is_empty() {
                return true;
            }
            if stage != Stage::Open {
                return false;
            }
            self.work.notified().await;
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, OutboxState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OutboxState {
    fn add(&mut self, frame: Vec<u8>) {
        self.bytes += frame.len();
        self.queue.push_back(frame);
    }

    fn pop_frames(&mut self, batch: &mut Vec<u8>, written: usize) -> Stage {
        self.bytes -= written.min(self.bytes);
        while batch.len() < BATCH
            && let Some(frame) = self.queue.pop_front()
        {
            batch.extend_from_slice(&frame);
        }
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn drain_outbox(outbox: &Outbox) -> Vec<u8> {
        let (mut all, mut batch) = (Vec::new(), Vec::new());
        while outbox.next_batch(&mut batch).await {
            all.extend_from_slice(&batch);
        }
        all
    }

    #[tokio::test]
    async fn what_was_queued_goes_out_in_order_up_to_the_last_frame() {
        let outbox = Outbox::new(100, 10);
        outbox.push(vec![1, 2]);
        outbox.push_optional(vec![3]);
        outbox.finish(Some(vec![4]));
        outbox.push(vec![5]);
        assert_eq!(drain_outbox(&outbox).await, [1, 2, 3, 4]);
    }

    #[tokio::test]
    async fn too_much_unread_ends_it_and_is_not_kept() {
        let outbox = Outbox::new(10, 100);
        outbox.push(vec![0; 50]);
        assert_eq!(outbox.lock_state().queue.len(), 1, "a single large answer passes");
        outbox.push_optional(vec![1]);
        assert_eq!(outbox.lock_state().queue.len(), 1, "progress is left out");
        outbox.push(vec![2]);
        outbox.wait_for_overflow().await;
        assert!(drain_outbox(&outbox).await.is_empty());
    }

    #[tokio::test]
    async fn many_small_messages_are_too_much_as_well() {
        let outbox = Outbox::new(1_000_000, 3);
        (0..4).for_each(|_| outbox.push(vec![0]));
        outbox.wait_for_overflow().await;
    }

    #[tokio::test]
    async fn what_was_written_makes_room() {
        let outbox = Outbox::new(10, 100);
        let mut batch = Vec::new();
        for _ in 0..5 {
            outbox.push(vec![0; 10]);
            assert!(outbox.next_batch(&mut batch).await);
            // The batch counts until the next one replaces it.
            outbox.lock_state().pop_frames(&mut Vec::new(), batch.len());
            batch.clear();
        }
    }
}
