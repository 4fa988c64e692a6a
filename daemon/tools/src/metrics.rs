//! Answers `metrics_report` and `hob_stats` from the counts of calls.

use hob_proto::ToolError;
use hob_proto::tools::metrics::StatsArgs;
use hob_proto::tools::{find, unknown_tool};

use super::{ToolCall, ToolOutcome, to_data};

pub(super) fn report(call: &mut ToolCall<'_>) -> ToolOutcome {
    to_data(&call.services.metrics.report(&call.request.caller))
}

pub(super) fn stats(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: StatsArgs = call.parse_args()?;
    if let Some(name) = args.tool.as_deref().filter(|name| find(name).is_none()) {
        return Err(ToolError::bad_args(unknown_tool(name).to_string()).hint("`hob tools` lists them."));
    }
    let told = to_data(
        &call.services.metrics.stats_for_people(args.tool.as_deref(), call.services.host.cache_uses()),
    );
    if args.reset {
        call.services.metrics.reset();
    }
    told
}
