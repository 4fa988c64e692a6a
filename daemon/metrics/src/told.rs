//! Reports the counts: to agents, to people, in the daemon's status.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use hob_proto::tools::metrics::{
    CacheUse, Latency, MetricsResult, OfTool, Span, StatsOfTool, StatsResult, Times,
};
use hob_proto::tools::{TOOLS, ToolSet};
use serde_json::{Value, json};

use super::counts::{Figures, ToolCounts};
use super::histogram::HistogramCounts;
use hob_base::lock;

use super::Metrics;
use hob_calls::Caller;

impl Metrics {
    /// Returns the counts for an agent: of its own session and of all time.
    pub fn report(&self, caller: &Arc<Caller>) -> MetricsResult {
        self.wait_until_weighed();
        MetricsResult {
            session: span(&self.shared.session_counts(caller)),
            cumulative: span(&self.shared.all),
            since: self.counting_since(),
        }
    }

    /// Returns the counts for people: of all tools, or of one with the distribution of its times.
    pub fn stats_for_people(&self, only: Option<&str>, caches: Vec<CacheUse>) -> StatsResult {
        self.wait_until_weighed();
        self.stats_now(only, caches)
    }

    /// Returns the counts for the daemon's status.
    pub fn status(&self, caches: Vec<CacheUse>) -> Value {
        let all = self.stats_now(None, caches);
        let per_tool: Vec<Value> = all.per_tool.iter().map(in_status).collect();
        json!({
            "sinceMs": self.shared.since.load(Ordering::Relaxed).saturating_mul(1_000),
            "calls": all.totals.calls,
            "failed": all.totals.failed,
            "running": self.shared.running.load(Ordering::Relaxed),
            "actualTokens": all.totals.actual_tokens,
            "baselineTokens": all.totals.baseline_tokens,
            "savedTokens": all.totals.saved_tokens,
            "savedPct": all.totals.saved_pct,
            "latencyMs": all.latency_ms,
            "perTool": per_tool,
            "caches": all.caches,
        })
    }

    /// Returns the reason why the counting began again, if it did.
    pub fn reset_notice(&self) -> Option<String> {
        lock(&self.shared.notice).clone()
    }

    fn counting_since(&self) -> String {
        let since = Duration::from_secs(self.shared.since.load(Ordering::Relaxed));
        let at = SystemTime::UNIX_EPOCH.checked_add(since).unwrap_or(SystemTime::UNIX_EPOCH);
        // Years of five digits cannot be written in this form.
        let four_digits = Duration::from_secs(250_000_000_000);
        let at = if since < four_digits { at } else { SystemTime::UNIX_EPOCH };
        humantime::format_rfc3339_seconds(at).to_string()
    }

    fn stats_now(&self, only: Option<&str>, caches: Vec<CacheUse>) -> StatsResult {
        let (mut sum, mut times) = (Figures::default(), HistogramCounts::default());
        let mut per_tool = Vec::new();
        let wanted = |name: &str| only.is_none_or(|only| only == name);
        for (at, tool) in TOOLS.iter().enumerate().filter(|(_, tool)| wanted(tool.name)) {
            let figures = self.shared.all[at].figures();
            if figures.calls == 0 {
                continue;
            }
            let shot = self.shared.times[at].current_counts();
            sum.add(figures);
            times.add(&shot);
            per_tool.push(of_tool(tool.name, figures, latency_of(&shot)));
        }
        per_tool.sort_by_key(|one| std::cmp::Reverse(one.totals.calls));
        let distribution = |(up_to, calls)| Times { up_to_ms: to_ms(up_to), calls };
        StatsResult {
            since: self.counting_since(),
            file: self.shared.file.as_ref().map(|file| file.display().to_string()),
            notice: self.reset_notice(),
            totals: sum.to_totals(),
            latency_ms: latency_of(&times),
            per_tool,
            times: only
                .map(|_| times.counts_by_doubling().into_iter().map(distribution).collect())
                .unwrap_or_default(),
            caches,
        }
    }
}

fn of_tool(name: &str, figures: Figures, latency: Latency) -> StatsOfTool {
    StatsOfTool {
        tool: name.to_owned(),
        totals: figures.to_totals(),
        p50_ms: latency.p50,
        p90_ms: latency.p90,
        p99_ms: latency.p99,
        max_ms: latency.max,
    }
}

fn in_status(one: &StatsOfTool) -> Value {
    json!({
        "tool": one.tool,
        "calls": one.totals.calls,
        "failed": one.totals.failed,
        "p50Ms": one.p50_ms,
        "p99Ms": one.p99_ms,
        "maxMs": one.max_ms,
        "actualTokens": one.totals.actual_tokens,
        "baselineTokens": one.totals.baseline_tokens,
    })
}

/// Returns the sum and the list of the counts, for the tools that agents have.
fn span(counts: &ToolCounts) -> Span {
    let mut sum = Figures::default();
    let mut per_tool = Vec::new();
    let listed = TOOLS.iter().zip(counts.iter()).filter(|(tool, _)| tool.set != ToolSet::Hidden);
    for (tool, figures) in listed.map(|(tool, count)| (tool, count.figures())) {
        if figures.calls > 0 {
            sum.add(figures);
            per_tool.push(OfTool { tool: tool.name.to_owned(), totals: figures.to_totals() });
        }
    }
    per_tool.sort_by_key(|one| std::cmp::Reverse(one.totals.calls));
    Span { totals: sum.to_totals(), per_tool }
}

fn latency_of(shot: &HistogramCounts) -> Latency {
    Latency {
        p50: to_ms(shot.quantile(0.5)),
        p90: to_ms(shot.quantile(0.9)),
        p99: to_ms(shot.quantile(0.99)),
        max: to_ms(shot.max),
    }
}

#[allow(clippy::cast_precision_loss, reason = "an hour has fewer microseconds than a float digits")]
fn to_ms(micros: u64) -> f64 {
    micros as f64 / 1_000.0
}
