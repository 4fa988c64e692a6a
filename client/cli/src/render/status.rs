//! Renders the daemon's status for people.

use serde_json::Value;

use super::fields::{list_field, number_of, text_of};
use super::quantities::{bytes_text, count, duration_text, grouped_digits, less_or_more};
use crate::term::Style;

/// Renders the daemon in a line, the costs of its calls, then its workspaces and its clients.
pub(super) fn render_status(data: &Value, style: &Style) -> Option<String> {
    data.get("pid")?;
    let mut out = format!("{}\n", style.bold(headline(data)));
    calls_lines(data).iter().for_each(|line| out.push_str(&format!("{line}\n")));
    if data["retiring"] == true {
        out.push_str(&format!("{}\n", style.notice("it is about to end; the next question starts another")));
    }
    for notice in list_field(data, "notices").iter().filter_map(Value::as_str) {
        out.push_str(&(style.note(notice) + "\n"));
    }
    list(&mut out, "workspaces", list_field(data, "workspaces").iter().map(|one| workspace(one, style)));
    list(&mut out, "clients", list_field(data, "clients").iter().map(|one| client_line(one, style)));
    Some(out)
}

fn headline(data: &Value) -> String {
    let number = |field: &str| number_of(data, field).unwrap_or(0);
    let mut parts = vec![format!("hobd {}, process {}", text_of(data, "version"), number("pid"))];
    parts.push(format!("up {}", duration_text(number("uptimeS"))));
    if let Some(resident) = number_of(data, "residentBytes") {
        parts.push(format!("{} of memory", bytes_text(resident)));
    }
    if let Some(store) = number_of(data, "storeBytesOnDisk") {
        parts.push(format!("{} of cache on disk", bytes_text(store)));
    }
    if let Some(servers) = number_of(data, "serversBytes").filter(|bytes| *bytes > 0) {
        parts.push(format!("{} of memory for language servers", bytes_text(servers)));
    }
    parts.join(", ")
}

/// Returns lines on the costs and savings of the calls since the start; none before the first call.
fn calls_lines(data: &Value) -> Vec<String> {
    let metrics = &data["metrics"];
    let number = |field: &str| number_of(metrics, field).unwrap_or(0);
    if number("calls") == 0 {
        return Vec::new();
    }
    let mut first =
        format!("{}, {} failed", count(number("calls"), "call"), grouped_digits(number("failed")));
    if let (Some(half), Some(most)) =
        (metrics["latencyMs"]["p50"].as_f64(), metrics["latencyMs"]["p99"].as_f64())
    {
        first.push_str(&format!(", half of them within {half:.1} ms, 99 of 100 within {most:.0} ms"));
    }
    let (actual, baseline) = (number("actualTokens"), number("baselineTokens"));
    let saved = (baseline > 0).then(|| {
        let percent = metrics["savedPct"].as_f64();
        let percent = percent.map(|saved| format!(", {}", less_or_more(saved))).unwrap_or_default();
        // Reading whole files is an upper bound: nobody would have read that much.
        format!(
            "{} instead of at most {} tokens{percent} (hob stats)",
            grouped_digits(actual),
            grouped_digits(baseline)
        )
    });
    std::iter::once(first).chain(saved).collect()
}

fn list(out: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    let lines: Vec<_> = lines.collect();
    if !lines.is_empty() {
        out.push_str(&format!("\n{title}\n{}", lines.concat()));
    }
}

fn workspace(one: &Value, style: &Style) -> String {
    let number = |field: &str| number_of(one, field).unwrap_or(0);
    let state = if one["built"] == false { "being indexed, " } else { "" };
    let size = format!("{state}{}, {}", count(number("files"), "file"), count(number("symbols"), "symbol"));
    let watcher = format!("watcher {}", text_of(one, "watcher"));
    let mut out = format!("  {}  {size}, {}\n", style.path(text_of(one, "root")), style.dim(watcher));
    for note in list_field(one, "notes").iter().filter_map(Value::as_str) {
        out.push_str(&format!("    {}\n", style.notice(note)));
    }
    for (name, server) in one["lsp"].as_object().into_iter().flatten() {
        out.push_str(&server_line(name, server, style));
    }
    out
}

/// Renders a language server, with the last lines of standard error of one that failed.
fn server_line(name: &str, server: &Value, style: &Style) -> String {
    let number = |field: &str| number_of(server, field).unwrap_or(0);
    let mut parts = vec![text_of(server, "state").to_owned()];
    if server["pid"].is_u64() {
        parts.push(format!("process {}", number("pid")));
        parts.push(format!("{} of memory", bytes_text(number("rssBytes"))));
    }
    parts.push(count(number("clients"), "client"));
    let mut out = format!("    {}  {}\n", style.bold(name), parts.join(", "));
    for line in list_field(server, "stderrTail").iter().filter_map(Value::as_str) {
        out.push_str(&format!("      {}\n", style.dim(line)));
    }
    out
}

fn client_line(one: &Value, style: &Style) -> String {
    let number = |field: &str| number_of(one, field).unwrap_or(0);
    let calls = match number("calls") {
        0 => String::new(),
        calls => format!(", {} under way", count(calls, "call")),
    };
    let since = duration_text(number("connectedS"));
    let place = style.path(text_of(one, "cwd"));
    format!(
        "  {}  process {}, for {since}{calls}  {place}\n",
        style.bold(text_of(one, "kind")),
        number("pid")
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_daemon_its_workspaces_and_its_clients() {
        let data = json!({"version": "0.1.0", "pid": 7, "uptimeS": 3700, "residentBytes": 50_000_000, "storeBytesOnDisk": 512,
            "retiring": false, "notices": ["the store was rebuilt"],
            "clients": [{"kind": "mcp", "pid": 9, "cwd": "/p", "calls": 2, "connectedS": 5}],
            "workspaces": [{"root": "/p", "built": true, "files": 1200, "symbols": 1, "watcher": "live", "notes": ["a note"],
             "lsp": {"ty": {"state": "ready", "pid": 11, "rssBytes": 1_048_576, "clients": 2}, "gopls": {"state": "failed", "pid": null,
             "clients": 0, "stderrTail": ["out of luck"]}}}]});
        let expected = "hobd 0.1.0, process 7, up 1 h 1 min, 47.7 MiB of memory, 512 B of cache on disk\n\
                        note: the store was rebuilt\n\
                        \nworkspaces\n  /p  1,200 files, 1 symbol, watcher live\n    a note\n\
                        \x20   ty  ready, process 11, 1.0 MiB of memory, 2 clients\n    gopls  failed, 0 clients\n      out of luck\n\
                        \nclients\n  mcp  process 9, for 5 s, 2 calls under way  /p\n";
        assert_eq!(render_status(&data, &Style::default()).expect("a status"), expected);
        assert_eq!(render_status(&json!({}), &Style::default()), None);
    }

    #[test]
    fn what_calls_took_and_saved() {
        let data = json!({"version": "0.1.0", "pid": 7, "uptimeS": 5, "serversBytes": 1_048_576, "metrics": {"calls": 1200, "failed": 3,
            "actualTokens": 5000, "baselineTokens": 100_000, "savedPct": 95.0, "latencyMs": {"p50": 1.24, "p99": 118.6}}});
        let expected = "hobd 0.1.0, process 7, up 5 s, 1.0 MiB of memory for language servers\n\
                        1,200 calls, 3 failed, half of them within 1.2 ms, 99 of 100 within 119 ms\n\
                        5,000 instead of at most 100,000 tokens, 95% less (hob stats)\n";
        assert_eq!(render_status(&data, &Style::default()).expect("a status"), expected);
        let mut loss = data.clone();
        loss["metrics"] = json!({"calls": 1, "actualTokens": 482, "baselineTokens": 100, "savedPct": -382.0});
        let told = render_status(&loss, &Style::default()).expect("a status");
        assert!(told.contains("482 instead of at most 100 tokens, 382% more, a loss (hob stats)"), "{told}");
    }
}
