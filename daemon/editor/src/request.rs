//! Holds a request of the editor, and for how long it waits for a server.
//!
//! A request may be asked several times: of the next server, if one ended under it, or once a server has started. So it carries its
//! whole text and its history, and whoever has it can ask it again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hob_live::rpc::RequestId;
use serde_json::Value;
use serde_json::value::RawValue;

/// Longest time that a request waits for a server: for the next one if the request went down with its server, for one
/// that starts if the map cannot answer it.
const AGAIN_WITHIN: Duration = Duration::from_secs(15);

/// A request of the editor.
#[derive(Clone, Debug)]
pub(super) struct EditorRequest {
    pub(super) id: RequestId,
    pub(super) method: String,
    pub(super) params: Option<Arc<RawValue>>,
    /// Set once it went down with a server, or the map had nothing while one started: until when the next one is waited for.
    pub(super) until: Option<Instant>,
    /// Number of servers that have ended while they worked on the request.
    pub(super) ends: u8,
    /// True if the request went down with a server.
    pub(super) lost: bool,
}

impl EditorRequest {
    /// Makes a request that no server has worked on yet.
    pub(super) fn new(id: RequestId, method: String, params: Option<Box<RawValue>>) -> Self {
        Self { id, method, params: params.map(Arc::from), until: None, ends: 0, lost: false }
    }

    /// It waits for the next server, from now on for a bounded time.
    pub(super) fn as_waiting(&self) -> Self {
        let until = self.until.unwrap_or_else(|| Instant::now() + AGAIN_WITHIN);
        Self { until: Some(until), ..self.clone() }
    }

    /// As [`Self::as_waiting`], because it went down with one.
    pub(super) fn as_lost(&self) -> Self {
        Self { lost: true, ..self.as_waiting() }
    }

    /// Returns true if the request still waits for the next server.
    pub(super) fn is_waiting_for_server(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() < until)
    }

    /// Until when; now, if nobody is waited for.
    pub(super) fn waits_until(&self) -> Instant {
        self.until.unwrap_or_else(Instant::now)
    }

    /// Its parameters, as far apart as can be.
    pub(super) fn value(&self) -> Value {
        let parsed = self.params.as_deref().and_then(|params| serde_json::from_str(params.get()).ok());
        parsed.unwrap_or(Value::Null)
    }
}
