//! Ends all connections in good order: refuses new clients, lets calls finish, says goodbye.

use std::time::Duration;

use hob_proto::message::Event;
use tokio::time::timeout;

use super::Sessions;

/// Time for cancelled calls to notice the cancellation.
const NOTICING: Duration = Duration::from_secs(2);
/// Longest time for all clients together to read their goodbye.
const PARTING: Duration = Duration::from_secs(3);

impl Sessions {
    /// From now on refuses new clients, and tells the connected ones to make new calls elsewhere.
    pub fn begin_retiring(&self) {
        self.registry.refuse_newcomers();
        self.announce_event(Event::Retiring);
    }

    /// Waits until every call is answered; calls that take longer than `patience` are abandoned without an
    /// answer, so that their clients repeat them at the next daemon.
    pub async fn finish_calls(&self, patience: Duration) {
        if timeout(patience, self.flight.close_when_empty()).await.is_ok() {
            return;
        }
        tracing::warn!(calls = self.flight.call_count(), "calls are cancelled, because they take too long");
        self.registry.for_each_session(|session| session.give_up());
        if timeout(NOTICING, self.flight.close_when_empty()).await.is_err() {
            tracing::warn!(calls = self.flight.call_count(), "cancelled calls have not ended");
            self.flight.close();
        }
    }

    /// Says goodbye to all clients and waits until they are gone.
    pub async fn say_goodbye(&self, reason: &str) {
        self.registry.for_each_session(|session| {
            session.goodbye.send_replace(Some(reason.to_owned()));
        });
        let mut count = self.registry.count();
        let _ = timeout(PARTING, count.wait_for(|count| *count == 0)).await;
    }
}
