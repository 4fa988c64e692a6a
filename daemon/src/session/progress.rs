//! Sends the progress of one call, at limited intervals and never falling.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use hob_proto::{ServerMessage, frame};

use super::registry::ClientSession;
use hob_calls::ProgressSink;

/// Least time between two reports of a call. The last step is always reported.
const PAUSE: Duration = Duration::from_millis(100);

/// Creates a sink that sends its steps to the client. It does not keep the connection alive.
pub(super) fn progress_sink(session: &Arc<ClientSession>, id: u64) -> ProgressSink {
    let session: Weak<ClientSession> = Arc::downgrade(session);
    let throttle = Mutex::new(Throttle::default());
    Arc::new(move |done, total, message| {
        let passes =
            throttle.lock().unwrap_or_else(PoisonError::into_inner).lets_through(done, total, Instant::now());
        let Some(session) = session.upgrade().filter(|_| passes) else { return };
        let message = ServerMessage::Progress { id, done, total, message: message.to_owned() };
        if let Ok(frame) = frame::encode(&message) {
            session.outbox.push_optional(frame);
        }
    })
}

#[derive(Default)]
struct Throttle {
    sent: Option<(Instant, u64)>,
}

impl Throttle {
    fn lets_through(&mut self, done: u64, total: Option<u64>, now: Instant) -> bool {
        let last_step = total == Some(done);
        let passes = self.sent.is_none_or(|(at, before)| {
            done >= before && (now.duration_since(at) >= PAUSE || (last_step && done > before))
        });
        if passes {
            self.sent = Some((now, done));
        }
        passes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_thinned_but_the_last_step_passes() {
        let mut throttle = Throttle::default();
        let start = Instant::now();
        let mut at = |ms, done| throttle.lets_through(done, Some(100), start + Duration::from_millis(ms));
        assert!(at(0, 1));
        assert!(!at(50, 2));
        assert!(at(150, 3));
        assert!(!at(300, 2), "it never falls");
        assert!(at(160, 100), "the last step");
        assert!(!at(161, 100), "once");
    }
}
