//! Leaves a report when the daemon crashes: a file in the state folder, which `hob doctor` finds and `hob debug bundle` takes along.
//!
//! The process reports a panic as it happens. A process that is killed, or that native code or the lack of
//! memory ends, cannot report itself: so the daemon keeps a file as long as it lives, and the next daemon
//! finds a file that an earlier one left. The holder of the daemon's lock knows that no other daemon lives,
//! so an existing file is then always a sign of such an end.
//!
//! Reports are few and small, and only the user sees them.

use std::backtrace::Backtrace;
use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hob_proto::Build;
use hob_proto::places::Places;
use serde_json::{Value, json};

use super::stdio::make_dir;

/// Most reports in the folder; the oldest are removed first.
const MOST_REPORTS: usize = 10;
/// Most panics that one process reports: further ones say nothing new.
const MOST_PANICS: usize = 5;
/// Longest report, in bytes.
const LONGEST: usize = 64 << 10;
/// Lines at the end of the log that a report includes.
const LOG_LINES: usize = 40;
/// Bytes at the end of a file that are read.
const FILE_END: u64 = 16 << 10;

static PANICS: AtomicUsize = AtomicUsize::new(0);

/// Writes a report of a panic; `place` is the line of code, `thread` its thread's name.
pub(super) fn report_panic(folder: &Path, message: &str, place: &str, thread: &str) {
    if PANICS.fetch_add(1, Ordering::Relaxed) >= MOST_PANICS {
        return;
    }
    let trace = Backtrace::force_capture();
    let text = format!(
        "hob {} panicked: {message}\nat {place}, in thread {thread} of process {}\n\n{trace}\n",
        env!("CARGO_PKG_VERSION"),
        std::process::id(),
    );
    keep_report(folder, "panic", &text);
}

/// The file of a living daemon. Dropping it marks an orderly end.
#[derive(Debug)]
pub(super) struct LifeSign {
    file: PathBuf,
}

impl LifeSign {
    /// Reports the end of the previous daemon, if it left its file, and replaces that file by this daemon's.
    /// The caller must hold the daemon's locks.
    pub(super) fn begin(places: &Places, build: &Build) -> Self {
        let file = places.life_sign();
        if let Ok(left) = fs::read_to_string(&file) {
            let text = describe_end(places, &left);
            keep_report(&places.crashes_dir(), "end", &text);
            tracing::warn!("an earlier daemon did not end in order; `hob doctor` names the report");
        }
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let sign = json!({"pid": std::process::id(), "version": build.version, "started": seconds});
        if let Err(error) = fs::write(&file, sign.to_string()) {
            tracing::debug!(%error, "a crash of this daemon will leave no report");
        }
        Self { file }
    }
}

impl Drop for LifeSign {
    /// Removes the file if it is this daemon's: if its folders were removed meanwhile, another daemon may
    /// have made its own file there.
    fn drop(&mut self) {
        let sign: Option<Value> =
            fs::read(&self.file).ok().and_then(|text| serde_json::from_slice(&text).ok());
        if sign.is_some_and(|sign| sign["pid"] == std::process::id()) {
            let _ = fs::remove_file(&self.file);
        }
    }
}

/// Describes the end of a daemon from its file, its log and its last words.
fn describe_end(places: &Places, left: &str) -> String {
    let sign: Value = serde_json::from_str(left).unwrap_or_default();
    let version = sign["version"].as_str().unwrap_or("of an unknown version");
    let mut text = format!("hob {version} ended without a word\n");
    let ran = sign["started"].as_u64().map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds));
    let log = log_of_the_dead(&places.logs_dir());
    let said = log.as_ref().and_then(|log| fs::metadata(log).ok()?.modified().ok());
    if let Some(lasted) = ran.zip(said).and_then(|(ran, said)| said.duration_since(ran).ok()) {
        let _ = writeln!(text, "its last line in the log came {} s after its start", lasted.as_secs());
    }
    text.push_str(
        "It was killed, ran out of memory, lost its power, or crashed in native code (a grammar, the store).\n\n",
    );
    let words = end_of(&places.logs_dir().join("hobd-stderr.txt"));
    if !words.trim().is_empty() {
        let _ = writeln!(
            text,
            "last words on standard error, of this daemon or an earlier one:\n{}\n",
            words.trim_end()
        );
    }
    if let Some(log) = log {
        let end = end_of(&log);
        let lines: Vec<&str> = end.lines().collect();
        let last = &lines[lines.len().saturating_sub(LOG_LINES)..];
        let _ = writeln!(text, "end of the log:\n{}", last.join("\n"));
    }
    text
}

/// Returns the newest log with lines in it. This daemon has opened its own log by now, which on another day
/// is a new file.
fn log_of_the_dead(folder: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let logs = files.filter(|path| path.extension().is_some_and(|ending| ending == "log"));
    let dated = logs.filter_map(|path| {
        let about = fs::metadata(&path).ok().filter(|about| about.len() > 0)?;
        Some((about.modified().ok()?, path))
    });
    dated.max().map(|(_, path)| path)
}

fn end_of(file: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok(mut file) = fs::File::open(file) {
        let size = file.metadata().map_or(0, |about| about.len());
        let _ = file.seek(SeekFrom::Start(size.saturating_sub(FILE_END)));
        let _ = file.take(FILE_END).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Writes a report and removes the oldest ones. A failure here must not cause a second crash.
fn keep_report(folder: &Path, kind: &str, text: &str) {
    if make_dir(folder).is_err() {
        return;
    }
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // Twenty digits make the order of names the order of time.
    let _ = fs::write(folder.join(format!("{nanos:020}-{kind}.txt")), &text[..end]);
    let mut reports: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    reports.sort();
    let surplus = reports.len().saturating_sub(MOST_REPORTS);
    reports.iter().take(surplus).for_each(|report| drop(fs::remove_file(report)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports(folder: &Path) -> Vec<String> {
        let mut files: Vec<PathBuf> =
            fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        files.sort();
        files.iter().map(|file| fs::read_to_string(file).expect("a report")).collect()
    }

    #[test]
    fn a_daemon_that_was_killed_is_reported_by_the_next_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path().as_os_str().to_owned();
        let env = |name: &str| (name == "HOB_DIR").then(|| dir.clone());
        let places = Places::find(&env, "1").expect("places");
        fs::create_dir_all(places.logs_dir()).expect("a folder");
        fs::write(places.logs_dir().join("hobd.2026-01-01.log"), "one\nready\n").expect("a log");
        fs::write(places.logs_dir().join("hobd.2026-01-02.log"), "").expect("the log of the next day");
        fs::write(places.logs_dir().join("hobd-stderr.txt"), "thread 'x' has overflowed its stack\n")
            .expect("words");
        let build = Build { version: "7.8.9".to_owned(), stamp: 0 };
        let killed = LifeSign::begin(&places, &build);
        assert!(reports(&places.crashes_dir()).is_empty(), "nobody was there before");
        std::mem::forget(killed);
        let next = LifeSign::begin(&places, &build);
        let found = reports(&places.crashes_dir());
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("hob 7.8.9 ended without a word\n"), "{}", found[0]);
        for said in ["has overflowed its stack", "end of the log:\none\nready"] {
            assert!(found[0].contains(said), "{said}: {}", found[0]);
        }
        drop(next);
        drop(LifeSign::begin(&places, &build));
        assert_eq!(reports(&places.crashes_dir()).len(), 1, "a proper end is none");
    }

    #[test]
    fn reports_are_few_and_short() {
        let folder = tempfile::tempdir().expect("a folder");
        for round in 0..MOST_REPORTS + 3 {
            keep_report(folder.path(), "end", &format!("{round} {}", "é".repeat(LONGEST)));
        }
        let found = reports(folder.path());
        assert_eq!(found.len(), MOST_REPORTS);
        assert!(found[0].starts_with("3 ") && found.iter().all(|text| text.len() <= LONGEST));
    }
}
