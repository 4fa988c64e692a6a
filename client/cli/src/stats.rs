//! Defines `hob stats`: shows the calls, their times and their savings as tables.
//!
//! The daemon counts; this program lays its figures out. Every saving is shown with its baseline.

use clap::Args;
use hob_proto::tools::metrics::{BASELINE, CacheUse, StatsOfTool, StatsResult, Times, Totals};
use serde_json::{Map, Value};

use super::ask::{self, CliQuestion};
use super::render::{count, grouped_digits};
use super::term::{self, Style};
use super::{CommandFailure, CommandOutcome, Common, show};

/// Show how often hob was called, how fast it answered and what that saved
///
/// The counts are of this daemon and those before it. They stay on this machine: nothing is sent anywhere.
/// Savings are relative to an upper bound, the whole of every file that answers name, read anew for each
/// answer; real savings are smaller.
#[derive(Debug, Args)]
pub(crate) struct Stats {
    /// Only this tool, with the distribution of its times
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,

    /// Show the counts once more and reset them
    #[arg(long)]
    reset: bool,
}

impl Stats {
    pub(super) async fn run(self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let mut args: Map<_, _> =
            self.tool.iter().map(|tool| ("tool".to_owned(), Value::from(tool.as_str()))).collect();
        args.insert("reset".to_owned(), self.reset.into());
        args.insert("tokenBudget".to_owned(), hob_proto::tools::MAX_BUDGET.into());
        let question = CliQuestion::new("hob_stats", args, common)?;
        let answer = ask::with_progress(&question, common).await?;
        let outcome =
            show::print_result(&answer, common.json, |stats, style| Some(all_stats_text(stats, style)))?;
        if self.reset && !common.json && outcome == CommandOutcome::Done {
            term::print_to_stderr("counting begins anew");
        }
        Ok(outcome)
    }
}

fn all_stats_text(stats: &StatsResult, style: &Style) -> String {
    let mut text = format!("{}\n", style.bold(format!("since {}", stats.since)));
    if let Some(notice) = &stats.notice {
        text.push_str(&(style.note(notice) + "\n"));
    }
    if stats.per_tool.is_empty() {
        text.push_str("nothing was asked\n");
        return text;
    }
    text.push_str(&summary(stats));
    text.push_str(&format!("\n{}", tools_table(&stats.per_tool, style)));
    if !stats.times.is_empty() {
        text.push_str(&format!("\n{}", times_bars(&stats.times, style)));
    }
    let caches: String = stats.caches.iter().filter_map(cache_line).collect();
    if !caches.is_empty() {
        text.push_str(&format!("\n{}\n{caches}", style.bold("caches, since the daemon began")));
    }
    if stats.totals.actual_tokens > 0 {
        let more = "Searches that grep could do, edits and status claim nothing; failed and empty answers save nothing.";
        text.push_str(&format!("\n{}\n", style.dim(format!("{BASELINE} {more}"))));
    }
    text.push_str(&format!("{}\n", style.dim("Counted on this machine; sent nowhere.")));
    text
}

fn summary(stats: &StatsResult) -> String {
    let Totals { calls, failed, actual_tokens, baseline_tokens, .. } = stats.totals;
    let latency = stats.latency_ms;
    let times = format!(
        "half within {}, 90 % within {}, 99 % within {}, the longest {}",
        time_text(latency.p50),
        time_text(latency.p90),
        time_text(latency.p99),
        time_text(latency.max)
    );
    let mut text = format!("{}, {} failed; {times}\n", count(calls, "call"), grouped_digits(failed));
    if actual_tokens > 0 {
        text.push_str(&format!(
            "answers cost {} tokens; without hob at most {} (an upper bound); {}{}\n",
            grouped_digits(actual_tokens),
            grouped_digits(baseline_tokens),
            if stats.totals.saved_tokens < 0 { "hob cost more than it saved: " } else { "saved at most " },
            saved_text(&stats.totals)
        ));
    }
    text
}

/// Writes a difference with its share; a loss is named as one, and has no share: it can be many times the baseline.
fn saved_text(totals: &Totals) -> String {
    let tokens = grouped_digits(totals.saved_tokens.unsigned_abs());
    if totals.saved_tokens < 0 {
        format!("lost {tokens}")
    } else {
        format!("{tokens} ({} %)", totals.saved_pct)
    }
}

fn tools_table(tools: &[StatsOfTool], style: &Style) -> String {
    const HEAD: [&str; 8] = ["tool", "calls", "failed", "p50", "p99", "max", "tokens", "saved at most"];
    let row = |one: &StatsOfTool| {
        let tokens = one.totals.actual_tokens;
        [
            one.tool.clone(),
            grouped_digits(one.totals.calls),
            grouped_digits(one.totals.failed),
            time_text(one.p50_ms),
            time_text(one.p99_ms),
            time_text(one.max_ms),
            if tokens == 0 { "-".to_owned() } else { grouped_digits(tokens) },
            if tokens == 0 { "-".to_owned() } else { saved_text(&one.totals) },
        ]
    };
    let rows: Vec<[String; 8]> = tools.iter().map(row).collect();
    let width = |at: usize| {
        let cells = rows.iter().map(|row| row[at].chars().count());
        cells.chain([HEAD[at].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let line = |cells: &[String; 8]| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(at, (cell, width))| match at {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        padded.collect::<Vec<_>>().join("  ")
    };
    let head = line(&HEAD.map(str::to_owned));
    let body: String = rows.iter().map(|row| format!("{}\n", line(row))).collect();
    format!("{}\n{body}", style.bold(head))
}

fn times_bars(times: &[Times], style: &Style) -> String {
    const LONGEST: u64 = 40;
    let most = times.iter().map(|one| one.calls).max().unwrap_or(1).max(1);
    let bar = |one: &Times| {
        let length = (one.calls * LONGEST).div_ceil(most);
        let bar = "#".repeat(usize::try_from(length).unwrap_or(0));
        format!("{:>10}  {:>8}  {bar}\n", time_text(one.up_to_ms), grouped_digits(one.calls))
    };
    let bars: String = times.iter().map(bar).collect();
    format!("{}\n{bars}", style.bold("     up to     calls"))
}

fn cache_line(cache: &CacheUse) -> Option<String> {
    let all = cache.hits + cache.misses;
    (all > 0).then(|| {
        format!(
            "  {}: {} of {} were there ({} %)\n",
            cache.name,
            grouped_digits(cache.hits),
            grouped_digits(all),
            cache.hits * 100 / all
        )
    })
}

/// Writes `0.12 ms`, `3.4 ms`, `120 ms`, `2.5 s`.
fn time_text(ms: f64) -> String {
    match ms {
        ms if ms < 1.0 => format!("{ms:.2} ms"),
        ms if ms < 10.0 => format!("{ms:.1} ms"),
        ms if ms < 1_000.0 => format!("{ms:.0} ms"),
        ms => format!("{:.1} s", ms / 1_000.0),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_saving_is_said_to_be_an_upper_bound() {
        let stats = json!({"since": "2026-01-01T00:00:00Z", "file": null, "notice": "begun anew",
            "totals": {"calls": 3, "failed": 1, "actualTokens": 100, "baselineTokens": 4000, "savedTokens": 3900, "savedPct": 97.5},
            "latencyMs": {"p50": 0.5, "p90": 12.0, "p99": 1500.0, "max": 2000.0},
            "perTool": [{"tool": "map_search", "calls": 3, "failed": 1, "actualTokens": 100, "baselineTokens": 4000,
                "savedTokens": 3900, "savedPct": 97.5, "p50Ms": 0.5, "p90Ms": 1.0, "p99Ms": 4.0, "maxMs": 9.0}],
            "times": [{"upToMs": 1.0, "calls": 2}, {"upToMs": 2.0, "calls": 1}],
            "caches": [{"name": "facts", "hits": 3, "misses": 1}, {"name": "none", "hits": 0, "misses": 0}]});
        let stats: StatsResult = serde_json::from_value(stats).expect("of this shape");
        let text = all_stats_text(&stats, &Style::default());
        for part in [
            "since 2026-01-01T00:00:00Z",
            "note: begun anew",
            "3 calls, 1 failed; half within 0.50 ms, 90 % within 12 ms, 99 % within 1.5 s, the longest 2.0 s",
            "at most 4,000 (an upper bound); saved at most 3,900 (97.5 %)",
            "map_search      3       1",
            "facts: 3 of 4 were there (75 %)",
            "upper bound: whole files",
            "sent nowhere",
        ] {
            assert!(text.contains(part), "{part}:\n{text}");
        }
        let mut lines = text.lines().filter(|line| line.contains('#'));
        assert_eq!(lines.next().map(|line| line.matches('#').count()), Some(40));
        assert!(!text.contains("none:"), "{text}");
        let totals = hob_proto::tools::metrics::make_totals(1, 0, 50, 10);
        assert_eq!(saved_text(&totals), "lost 40");
    }

    #[test]
    fn a_loss_is_called_one() {
        let stats = json!({"since": "2026-01-01T00:00:00Z", "file": null,
            "totals": {"calls": 1, "failed": 0, "actualTokens": 482, "baselineTokens": 100, "savedTokens": -382, "savedPct": -382.0},
            "latencyMs": {"p50": 0.5, "p90": 1.0, "p99": 1.0, "max": 1.0},
            "perTool": [{"tool": "map_search", "calls": 1, "failed": 0, "actualTokens": 482, "baselineTokens": 100,
                "savedTokens": -382, "savedPct": -382.0, "p50Ms": 0.5, "p90Ms": 1.0, "p99Ms": 1.0, "maxMs": 1.0}],
            "times": [], "caches": []});
        let stats: StatsResult = serde_json::from_value(stats).expect("of this shape");
        let text = all_stats_text(&stats, &Style::default());
        assert!(text.contains("hob cost more than it saved: lost 382"), "{text}");
        assert!(!text.contains("-382"), "{text}");
    }
}
