//! The handlers of what was counted.

use hob_proto::ToolError;
use hob_proto::tools::metrics::StatsArgs;
use hob_proto::tools::{find, unknown};

use super::{Outcome, ToolCall, data};

pub(super) fn report(call: &mut ToolCall<'_>) -> Outcome {
    data(&call.metrics.report(&call.caller))
}

pub(super) fn stats(call: &mut ToolCall<'_>) -> Outcome {
    let args: StatsArgs = call.args()?;
    if let Some(name) = args.tool.as_deref().filter(|name| find(name).is_none()) {
        return Err(ToolError::bad_args(unknown(name).to_string()).hint("`hob tools` lists them."));
    }
    let told = data(&call.metrics.stats(args.tool.as_deref(), call.host.caches()));
    if args.reset {
        call.metrics.reset();
    }
    told
}
