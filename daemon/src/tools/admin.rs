//! Tools that are not about code.

use serde_json::json;

use super::{Needs, Outcome, ToolCall};

/// Does nothing. With `fresh`, it does nothing behind the barrier, which is how the barrier's cost is measured.
pub(super) fn noop(call: &mut ToolCall<'_>) -> Outcome {
    if call.fresh {
        call.workspace(Needs::Text)?;
    }
    Ok(json!({}))
}
