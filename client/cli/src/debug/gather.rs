//! Gathers the sections of a bundle. A section that cannot be gathered says why, and does not end the whole.

use std::path::Path;
use std::time::Duration;

use hob_client::{Connection, ToolRequest};
use hob_proto::places::Places;
use serde_json::{Map, Value};

use super::stacks;
use crate::doctor::crash::{crash_reports, end_of};
use crate::{CommandFailure, Common, config, daemon, doctor, logs};

/// Longest time for one answer of the daemon: users also make a bundle when it does not answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// Most crash reports in a bundle.
const MOST_REPORTS: usize = 5;
/// Prefix of hob's own variables. The user may have given a variable with a key or a token that prefix as well.
const PREFIX: &str = "HOB_";
/// Variables whose values are shown; for others the bundle only says that they are set.
const SHOWN_VARIABLES: [&str; 14] = [
    "HOB_DIR",
    "HOB_DAEMON",
    "HOB_IDLE_MINUTES",
    "HOB_LOG",
    "HOB_NO_TEXT_CACHE",
    "HOB_SOCKET",
    "LANG",
    "LC_ALL",
    "TERM",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    "NO_COLOR",
];

/// One part of a bundle.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) title: &'static str,
    pub(super) text: String,
}

/// Gathers every section, with the last `log_lines` lines of the log and, if `with_stacks`, the stacks of the daemon's
/// threads.
///
/// # Errors
/// The error when hob's files have no place.
pub(super) async fn gather_sections(
    common: &Common,
    log_lines: usize,
    with_stacks: bool,
) -> Result<Vec<Section>, CommandFailure> {
    let places = Places::from_process_env()?;
    let connection = daemon::running_daemon(common).await;
    let mut sections = vec![
        Section { title: "versions", text: versions(connection.as_ref()) },
        Section { title: "doctor", text: or_reason(doctor::whole_report(common).await) },
        Section { title: "daemon", text: daemon_status(connection.as_ref()).await },
        Section { title: "statistics", text: statistics(connection.as_ref()).await },
        Section { title: "settings", text: or_reason(config::settings_text(common)) },
        Section { title: "environment", text: environment() },
        Section { title: "crashes", text: crashes(&places.crashes_dir()) },
        Section { title: "last words", text: or_none(end_of(&places.logs_dir().join("hobd-stderr.txt"))) },
        Section { title: "log", text: log_end(&places.logs_dir(), log_lines) },
    ];
    if with_stacks {
        let text = match &connection {
            Ok(Some(connection)) => stacks::daemon_stacks(connection.server().pid).await,
            _ => "no daemon runs".to_owned(),
        };
        sections.push(Section { title: "stacks", text });
    }
    Ok(sections)
}

type Connected<'c> = Result<&'c Option<Connection>, &'c CommandFailure>;

fn or_reason(text: Result<String, CommandFailure>) -> String {
    text.unwrap_or_else(|failure| format!("not to be had: {failure}"))
}

fn or_none(text: String) -> String {
    if text.trim().is_empty() { "none".to_owned() } else { text }
}

fn versions(connection: Connected<'_>) -> String {
    let mut text = format!("hob {}\n", env!("CARGO_PKG_VERSION"));
    match connection {
        Ok(Some(connection)) => {
            let server = connection.server();
            text.push_str(&format!(
                "hobd {} (build {}), process {}\n",
                server.build.version, server.build.stamp, server.pid
            ));
        }
        Ok(None) => text.push_str("hobd does not run\n"),
        Err(failure) => text.push_str(&format!("hobd cannot be asked: {failure}\n")),
    }
    text.push_str(&format!("{} {}\n", std::env::consts::OS, std::env::consts::ARCH));
    for file in ["/proc/version", "/etc/os-release"] {
        let said = std::fs::read_to_string(file).unwrap_or_default();
        said.lines().filter(|line| file != "/etc/os-release" || line.starts_with("PRETTY_NAME")).for_each(
            |line| {
                text.push_str(line);
                text.push('\n');
            },
        );
    }
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    text.push_str(&format!("{cores} cores\n"));
    text
}

async fn daemon_status(connection: Connected<'_>) -> String {
    let Ok(Some(connection)) = connection else { return "no daemon was asked".to_owned() };
    match tokio::time::timeout(ANSWER_WITHIN, connection.status()).await {
        Ok(Ok(status)) => indented(&Value::Object(status)),
        Ok(Err(lost)) => format!("not to be had: {}", lost.reason),
        Err(_) => format!("no answer within {} s", ANSWER_WITHIN.as_secs()),
    }
}

async fn statistics(connection: Connected<'_>) -> String {
    let Ok(Some(connection)) = connection else { return "no daemon was asked".to_owned() };
    let request = ToolRequest::new("hob_stats", Map::new()).deadline(ANSWER_WITHIN);
    match tokio::time::timeout(ANSWER_WITHIN, connection.call(&request, None)).await {
        Ok(Ok(answer)) => match serde_json::from_str::<Value>(&answer.envelope) {
            Ok(envelope) => indented(&envelope["data"]),
            Err(_) => answer.envelope,
        },
        Ok(Err(lost)) => format!("not to be had: {}", lost.reason),
        Err(_) => format!("no answer within {} s", ANSWER_WITHIN.as_secs()),
    }
}

fn indented(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn environment() -> String {
    let is_ours = |name: &str| name.starts_with(PREFIX) || SHOWN_VARIABLES.contains(&name);
    let mut set: Vec<String> = std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
        .filter(|(name, _)| is_ours(name))
        .map(|(name, value)| format!("{name}={}\n", without_secret(&name, &value)))
        .collect();
    set.sort();
    or_none(set.concat())
}

/// Drops every value that is not known to be harmless.
fn without_secret<'v>(name: &str, value: &'v str) -> &'v str {
    if SHOWN_VARIABLES.contains(&name) { value } else { "(set)" }
}

fn crashes(folder: &Path) -> String {
    let reports = crash_reports(folder);
    let one = |report: &std::path::PathBuf| {
        let name = report.file_name().unwrap_or_default().to_string_lossy();
        format!("-- {name} --\n{}\n", end_of(report).trim_end())
    };
    or_none(reports.iter().take(MOST_REPORTS).map(one).collect())
}

fn log_end(folder: &Path, lines: usize) -> String {
    let Some(log) = logs::newest_log(folder) else { return "none".to_owned() };
    logs::last_lines(&log, lines).unwrap_or_else(|error| format!("not to be had: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_secret_is_not_in_it() {
        assert_eq!(without_secret("HOB_ZOEKT", "abc"), "(set)");
        assert_eq!(without_secret("HOB_DIR", "/x"), "/x");
    }
}
