//! Holds a request of the editor, with the time for which it waits for a server.
//!
//! A request may be sent several times: to the next server, if one ended meanwhile, or once a server has started. So it
//! carries its whole text and its history, and any holder can send it again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hob_live::rpc::RequestId;
use serde_json::Value;
use serde_json::value::RawValue;

/// Longest time for which a request waits for a server: for the next one if its server has ended, or for one that
/// starts if the map cannot answer the request.
const AGAIN_WITHIN: Duration = Duration::from_secs(15);

/// A request of the editor.
#[derive(Clone, Debug)]
pub(super) struct EditorRequest {
    pub(super) id: RequestId,
    pub(super) method: String,
    pub(super) params: Option<Arc<RawValue>>,
    /// The end of the wait for the next server; set once a server has ended under the request, or the map had no answer
    /// while a server started.
    pub(super) until: Option<Instant>,
    /// Number of servers that have ended while they worked on the request.
    pub(super) ends: u8,
    /// True if its server has ended.
    pub(super) lost: bool,
}

impl EditorRequest {
    /// Makes a request that no server has worked on yet.
    pub(super) fn new(id: RequestId, method: String, params: Option<Box<RawValue>>) -> Self {
        Self { id, method, params: params.map(Arc::from), until: None, ends: 0, lost: false }
    }

    /// Returns a copy that waits for the next server, from now on for a bounded time.
    pub(super) fn as_waiting(&self) -> Self {
        let until = self.until.unwrap_or_else(|| Instant::now() + AGAIN_WITHIN);
        Self { until: Some(until), ..self.clone() }
    }

    /// Returns a waiting copy of a request whose server has ended.
    pub(super) fn as_lost(&self) -> Self {
        Self { lost: true, ..self.as_waiting() }
    }

    /// Returns true if the request still waits for the next server.
    pub(super) fn is_waiting_for_server(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() < until)
    }

    /// Returns the end of the wait; now, if it waits for no server.
    pub(super) fn waits_until(&self) -> Instant {
        self.until.unwrap_or_else(Instant::now)
    }

    /// Returns its parameters as JSON; `null` if they cannot be parsed.
    pub(super) fn value(&self) -> Value {
        let parsed = self.params.as_deref().and_then(|params| serde_json::from_str(params.get()).ok());
        parsed.unwrap_or(Value::Null)
    }
}
