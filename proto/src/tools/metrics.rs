//! Defines `metrics_report` for agents and `hob_stats` for people: counts, times, cost and savings of calls.
//!
//! The savings are relative to a baseline that is an upper bound; every surface that shows the figures says
//! so.

use serde::{Deserialize, Serialize};

use super::{ArgDef, ArgType, Default, ListCut, ToolDef, ToolSet};

/// The sentence that explains the baseline on every surface.
pub const BASELINE: &str =
    "The baseline is an upper bound: whole files that answers name, read anew for each answer.";

/// The report of `metrics_report`.
pub static METRICS_REPORT: ToolDef = ToolDef {
    name: "metrics_report",
    title: "Tokens used and saved",
    description: "Tokens that hob's answers cost, beside a baseline: the whole of every file that an answer names, read anew for \
                  each answer. The baseline is an upper bound, so real savings are smaller. Searches that grep could do, edits and \
                  status count as their own baseline; failed and empty answers save nothing. Counted locally, sent nowhere.",
    output: "{session: {totals: {calls: int, failed: int, actualTokens: int, baselineTokens: int, savedTokens: int, savedPct: num}, \
             perTool: [any]}, cumulative: {totals: any, perTool: [any]}, since: str}",
    cuts: &[
        ListCut { path: "cumulative.perTool", kind: "tools", narrow: "Raise tokenBudget" },
        ListCut { path: "session.perTool", kind: "tools", narrow: "Raise tokenBudget" },
    ],
    ..ToolDef::READ
};

/// The tool whose answer `hob stats` shows. In no list.
pub static STATS: ToolDef = ToolDef {
    name: "hob_stats",
    title: "Statistics for people",
    description: "Calls, times, tokens and caches of this daemon and those before it; or begins to count anew.",
    args: &[
        ArgDef {
            name: "tool",
            ty: ArgType::Str { min: 1 },
            default: Default::None,
            description: "Only this tool, with how its times are distributed",
        },
        ArgDef {
            name: "reset",
            ty: ArgType::Bool,
            default: Default::Bool(false),
            description: "Begin to count anew, after this answer",
        },
    ],
    output: "{since: str, file: str, notice?: str, totals: any, perTool: [any], times?: [any], caches: [any]}",
    set: ToolSet::Hidden,
    ..ToolDef::READ
};

/// The checked arguments of a `hob_stats` call.
#[derive(Clone, Debug, Deserialize)]
pub struct StatsArgs {
    /// The one tool to report on; `None` for all.
    pub tool: Option<String>,
    /// True to set the counts back to zero.
    pub reset: bool,
}

/// Sums of calls and tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Number of answered calls.
    pub calls: u64,
    /// Number of calls that were answered with an error.
    pub failed: u64,
    /// Number of tokens in the answers.
    pub actual_tokens: u64,
    /// Number of tokens that an agent would have read without hob; an upper bound.
    pub baseline_tokens: u64,
    /// The difference. Below zero if the answers cost more than the files they are about.
    pub saved_tokens: i64,
    /// The difference in per cent of the baseline, with one decimal; 0 without a baseline.
    pub saved_pct: f64,
}

/// Computes the sums and the figures derived from them.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "a share with one decimal")]
pub fn make_totals(calls: u64, failed: u64, actual: u64, baseline: u64) -> Totals {
    let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let saved = signed(baseline).saturating_sub(signed(actual));
    let share = if baseline == 0 { 0.0 } else { saved as f64 * 100.0 / baseline as f64 };
    Totals {
        calls,
        failed,
        actual_tokens: actual,
        baseline_tokens: baseline,
        saved_tokens: saved,
        saved_pct: (share * 10.0).round() / 10.0,
    }
}

/// The counts of one tool's calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfTool {
    /// The name of the tool.
    pub tool: String,
    /// The sums of the tool's calls and tokens.
    #[serde(flatten)]
    pub totals: Totals,
}

/// The counts of calls over one period.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Span {
    /// The sums of all tools that agents have.
    pub totals: Totals,
    /// The counts of each tool that was called, the most called first.
    pub per_tool: Vec<OfTool>,
}

/// The data of a `metrics_report` answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricsResult {
    /// The counts of the connection that asks.
    pub session: Span,
    /// The counts of all connections, over restarts of the daemon.
    pub cumulative: Span,
    /// The beginning of the `cumulative` counts.
    pub since: String,
}

/// Times of calls, in milliseconds, from when the daemon begins with a call to when its answer is ready. A
/// quantile is the upper end of a bucket: an eighth too much at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Latency {
    /// Half of the calls took at most this long.
    pub p50: f64,
    /// Nine of ten calls took at most this long.
    pub p90: f64,
    /// Ninety-nine of a hundred calls took at most this long.
    pub p99: f64,
    /// The longest time of a call, exactly.
    pub max: f64,
}

/// The figures of one tool, for people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatsOfTool {
    /// The name of the tool.
    pub tool: String,
    /// The sums of the tool's calls and tokens.
    #[serde(flatten)]
    pub totals: Totals,
    /// Half of its calls took at most this long, in milliseconds.
    pub p50_ms: f64,
    /// Nine of ten calls took at most this long, in milliseconds.
    pub p90_ms: f64,
    /// Ninety-nine of a hundred calls took at most this long, in milliseconds.
    pub p99_ms: f64,
    /// The longest time of a call, in milliseconds.
    pub max_ms: f64,
}

/// A bucket of times: calls up to its upper end, and above that of the bucket before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Times {
    /// The upper end of the bucket, in milliseconds.
    pub up_to_ms: f64,
    /// Number of calls in the bucket.
    pub calls: u64,
}

/// The hits and misses of one cache since the daemon began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CacheUse {
    /// The name of the cached items.
    pub name: String,
    /// Number of times that the cache had the item.
    pub hits: u64,
    /// Number of times that the item had to be made.
    pub misses: u64,
}

/// The data of a `hob_stats` answer; with `running` and `sinceMs` also the `metrics` of the daemon's status.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatsResult {
    /// The beginning of the counts.
    pub since: String,
    /// The file of the counts.
    pub file: Option<String>,
    /// The reason why the counts began anew, if they did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The sums of all tools, including those that no agent sees.
    pub totals: Totals,
    /// Times of all calls.
    pub latency_ms: Latency,
    /// The counts of each tool that was called, the most called first.
    pub per_tool: Vec<StatsOfTool>,
    /// The distribution of the times of the one requested tool; empty if none was named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<Times>,
    /// The hits and misses of the daemon's caches.
    pub caches: Vec<CacheUse>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saving_may_be_a_loss_and_never_divides_by_nothing() {
        let told = make_totals(2, 1, 100, 400);
        assert_eq!((told.saved_tokens, told.saved_pct), (300, 75.0));
        let told = make_totals(1, 1, 100, 0);
        assert_eq!((told.saved_tokens, told.saved_pct), (-100, 0.0));
        assert_eq!(make_totals(1, 0, 3, 9).saved_pct, 66.7);
    }
}
