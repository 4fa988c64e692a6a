//! Counts the calls under way on all connections, and admits no further one once it is closed.

use tokio::sync::watch;

#[derive(Clone, Copy, Default)]
struct FlightState {
    calls: usize,
    closed: bool,
}

/// Counts calls. An admitted call is waited for; after the close no call is admitted.
pub(super) struct CallsInFlight(watch::Sender<FlightState>);

impl CallsInFlight {
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(FlightState::default()))
    }

    /// Admits a call; false once closed.
    pub(super) fn enter_call(&self) -> bool {
        let mut entered = false;
        // Nobody waits for a rising count, so there is no notification.
        self.0.send_if_modified(|state| {
            entered = !state.closed;
            state.calls += usize::from(entered);
            false
        });
        entered
    }

    /// Records the end of an admitted call.
    pub(super) fn leave_call(&self) {
        self.0.send_if_modified(|state| {
            state.calls = state.calls.saturating_sub(1);
            state.calls == 0
        });
    }

    /// Returns the number of calls under way.
    pub(super) fn call_count(&self) -> usize {
        self.0.borrow().calls
    }

    /// Waits until no call is under way and closes in that same moment.
    pub(super) async fn close_when_empty(&self) {
        let mut watched = self.0.subscribe();
        // The sender lives in `self`, so waiting cannot fail.
        while watched.wait_for(|state| state.calls == 0).await.is_ok() {
            let mut closed = false;
            self.0.send_if_modified(|state| {
                state.closed |= state.calls == 0;
                closed = state.closed;
                false
            });
            if closed {
                return;
            }
        }
    }

    /// Closes, whatever calls are under way.
    pub(super) fn close(&self) {
        self.0.send_if_modified(|state| {
            state.closed = true;
            false
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_door_closes_when_the_last_call_has_left() {
        let flight = CallsInFlight::new();
        assert!(flight.enter_call());
        let closing = async {
            flight.close_when_empty().await;
            flight.call_count()
        };
        let leaving = async {
            tokio::task::yield_now().await;
            assert!(flight.enter_call(), "still open while a call is under way");
            flight.leave_call();
            flight.leave_call();
        };
        let (left, ()) = tokio::join!(closing, leaving);
        assert_eq!(left, 0);
        assert!(!flight.enter_call());
    }
}
