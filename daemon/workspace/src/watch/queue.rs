//! A queue and a thread between a backend and its sink, for backends whose own thread must not be held up or called back.
//!
//! Events keep their order. The thread ends when the backend is gone and everything has been handed on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use super::{EventSink, FsEvent, WatchError};

/// Number of waiting events beyond which a sweep is cheaper than the memory.
const BACKLOG: usize = 500_000;

/// The number of waiting events, and whether some were dropped.
#[derive(Debug, Default)]
struct Backlog {
    waiting: AtomicUsize,
    overflowed: AtomicBool,
}

/// Makes a sink that never blocks, before `sink`.
pub(super) fn queued(sink: EventSink) -> Result<EventSink, WatchError> {
    let (sender, receiver) = channel();
    let backlog = Arc::new(Backlog::default());
    let behind = Arc::clone(&backlog);
    let pump = thread::Builder::new().name("hob-watch".to_owned());
    pump.spawn(move || run_pump(&receiver, &behind, &sink))
        .map_err(|e| WatchError::Other(format!("no thread for the watcher: {e}")))?;
    Ok(EventSink::new(move |event| put_event(event, &sender, &backlog)))
}

/// Hands on one event. If the backlog is too long, drops events and reports one [`FsEvent::Lost`] for them.
fn put_event(event: FsEvent, sender: &Sender<FsEvent>, backlog: &Backlog) {
    let mut event = event;
    if backlog.waiting.load(Ordering::Relaxed) >= BACKLOG {
        if backlog.overflowed.swap(true, Ordering::Relaxed) {
            return;
        }
        event = FsEvent::Lost("events came faster than they could be taken in".to_owned());
    }
    backlog.waiting.fetch_add(1, Ordering::Relaxed);
    // The other end closes only with its senders, or by a panic that has been reported.
    let _ = sender.send(event);
}

fn run_pump(receiver: &Receiver<FsEvent>, backlog: &Backlog, sink: &EventSink) {
    while let Ok(event) = receiver.recv() {
        if backlog.waiting.fetch_sub(1, Ordering::Relaxed) == 1 {
            backlog.overflowed.store(false, Ordering::Relaxed);
        }
        sink.push(event);
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_flood_is_cut_off_with_one_note_and_then_forgotten() {
        let (sender, taken) = channel();
        let gate = Arc::new(Mutex::new(()));
        let held = Arc::clone(&gate);
        let take = move |event| {
            drop(held.lock());
            let _ = sender.send(event);
        };
        let sink = queued(EventSink::new(take)).expect("a thread");
        let event = || FsEvent::Touched(PathBuf::new());
        let closed = gate.lock().expect("nobody panicked");
        (0..BACKLOG + 100).for_each(|_| sink.push(event()));
        drop(closed);
        // The consumer may have had one event already when the flood was cut off.
        let lost = taken.iter().position(|event| matches!(event, FsEvent::Lost(_)));
        assert!(lost.is_some_and(|at| at == BACKLOG || at == BACKLOG + 1), "{lost:?}");
        sink.push(event());
        assert_eq!(taken.recv(), Ok(event()), "what was dropped is gone, the rest goes on");
        drop(sink);
        assert!(taken.recv().is_err(), "the thread ends with its sink");
    }
}
