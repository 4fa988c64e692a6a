//! Looks for traces of daemons that crashed: reports, the end of the log, and output on standard error, which only a
//! crash uses.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::check::Finding;
use super::surroundings::Surroundings;
use crate::{logs, render};

/// Most bytes that are read from the end of a file.
const FILE_END: u64 = 256 * 1024;
/// Age beyond which a crash is not reported.
const RECENT: Duration = Duration::from_secs(24 * 3600);
const TELL: &str = "`hob debug bundle` gathers what a bug report needs";

/// Finds the traces of crashes. A panic with a report is not repeated from the log.
pub(super) fn check_crashes(around: &Surroundings) -> Vec<Finding> {
    let Ok(settings) = &around.settings else { return Vec::new() };
    let folder = settings.places.logs_dir();
    let reports = crash_reports(&settings.places.crashes_dir());
    let (panics, ends): (Vec<PathBuf>, Vec<PathBuf>) =
        reports.into_iter().partition(|report| is_panic(report));
    let mut findings: Vec<Finding> =
        [&panics, &ends].into_iter().filter_map(|all| describe_newest(all)).collect();
    let log = logs::newest_log(&folder).map(|log| end_of(&log)).unwrap_or_default();
    findings.extend(find_in_log(&log, around.has_status(), !panics.is_empty()));
    findings.extend(last_words(&folder.join("hobd-stderr.txt")));
    if findings.is_empty() {
        findings.push(Finding::ok("no crash in the log, and no report of one"));
    }
    findings
}

/// Returns the reports of crashes, the newest first.
pub(crate) fn crash_reports(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut reports: Vec<PathBuf> = files.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    reports.sort();
    reports.reverse();
    reports
}

fn is_panic(report: &Path) -> bool {
    report.to_string_lossy().ends_with("panic.txt")
}

/// Describes the newest report of one kind. A panic is a bug; a daemon that ended without one may just have been
/// killed.
fn describe_newest(reports: &[PathBuf]) -> Option<Finding> {
    let newest = reports.first()?;
    let age = file_age(newest)?;
    let text = end_of(newest);
    let what = shorten_line(text.lines().next().unwrap_or_default());
    let more = match reports.len() {
        1 => String::new(),
        count => format!(" ({count} reports in all)"),
    };
    let said = format!("{} ago {what}{more}", render::duration_text(age.as_secs()));
    let finding = if is_panic(newest) && age < RECENT { Finding::warning(said) } else { Finding::note(said) };
    Some(finding.with_fix(format!("{} has the report; {TELL}", newest.display())))
}

fn find_in_log(log: &str, is_running: bool, is_reported: bool) -> Option<Finding> {
    for line in log.lines().rev() {
        if line.contains("the daemon could not start") && !is_running {
            let text = format!("the last start of the daemon failed: {}", shorten_line(line));
            return Some(Finding::warning(text).with_fix("hob logs -n 20 shows what came before"));
        }
        if line.contains(" panic: ") && !is_reported {
            let text = format!("the daemon's log tells of a bug: {}", shorten_line(line));
            return Some(Finding::warning(text).with_fix(format!("hob logs -n 200 shows it whole; {TELL}")));
        }
    }
    None
}

fn last_words(file: &Path) -> Option<Finding> {
    let age = file_age(file)?;
    let end = end_of(file);
    let last = end.lines().rev().find(|line| !line.trim().is_empty())?;
    let ago = render::duration_text(age.as_secs());
    let text = format!("a daemon ended with last words {ago} ago: {}", shorten_line(last));
    let finding = if age < RECENT { Finding::warning(text) } else { Finding::note(text) };
    Some(finding.with_fix(format!("{} has all of it; {TELL}", file.display())))
}

/// Reads the end of a file; empty if there is no file.
pub(crate) fn end_of(path: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok(mut file) = File::open(path) {
        let size = file.metadata().map_or(0, |meta| meta.len());
        let _ = file.seek(SeekFrom::Start(size.saturating_sub(FILE_END)));
        let _ = file.take(FILE_END).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn file_age(path: &Path) -> Option<Duration> {
    let meta = path.metadata().ok().filter(|meta| meta.len() > 0)?;
    Some(SystemTime::now().duration_since(meta.modified().ok()?).unwrap_or_default())
}

fn shorten_line(line: &str) -> String {
    let mut text: String = line.trim().chars().take(200).collect();
    if text.len() < line.trim().len() {
        text.push('…');
    }
    text
}
