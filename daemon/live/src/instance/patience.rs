//! Ends a server that leaves question after question without an answer; `silence.rs` decides when.

use super::Instance;
use super::silence::UnansweredRequest;
use crate::rpc::CallError;

impl Instance {
    /// Asks the server something, and gives it up if it has left too many questions without an answer.
    pub(super) fn with_patience<T>(
        &self,
        question: impl FnOnce() -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        let waiting = UnansweredRequest::begin(&self.client);
        let outcome = question();
        match &outcome {
            Err(CallError::Stopped(_)) => self.count_as_missed(waiting),
            Err(CallError::Closed(_)) => {}
            _ => self.missed.note_answer(),
        }
        outcome
    }

    pub(super) fn count_as_missed(&self, waiting: UnansweredRequest) {
        if let Some(why) = self.missed.give_up(waiting, &self.client, &self.process) {
            self.give_up(&why);
        }
    }

    /// Ends the server at once, because it is of no use any more.
    pub(super) fn give_up(&self, why: &str) {
        tracing::warn!(server = self.spec().name, why, "a language server is given up");
        let _ = self.given_up.set(why.to_owned());
        self.process.kill();
        self.client.close(why);
    }

    /// Returns true if hob ended the server because it did not answer.
    #[must_use]
    pub fn was_given_up(&self) -> bool {
        self.given_up.get().is_some()
    }

    /// Marks the successor of a server that was given up: it gets fewer chances until it has answered something.
    pub fn put_on_probation(&self) {
        self.missed.put_on_probation();
    }
}
