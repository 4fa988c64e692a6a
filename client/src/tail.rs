//! Collects the last lines of a daemon's output, which make the message "it did not start" useful.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Most lines of a log that are kept.
const LINES: usize = 8;
/// Most bytes at the end of a log that are read.
const BYTES: usize = 8 * 1024;

/// Collects the end of a stream while it is being written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    /// Reads to the end, and keeps the last bytes.
    pub(crate) async fn follow_stream(self, mut from: impl AsyncRead + Unpin) {
        let mut buffer = [0; 1024];
        while let Ok(read @ 1..) = from.read(&mut buffer).await {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend(&buffer[..read]);
            let surplus = kept.len().saturating_sub(BYTES);
            kept.drain(..surplus);
        }
    }

    /// Returns the last lines so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last_lines(kept.make_contiguous())
    }
}

/// Returns the last lines of the newest log file, if it was written since `since`.
pub(crate) fn log_lines(logs: &Path, since: Option<SystemTime>) -> Vec<String> {
    newest_log(logs, since)
        .and_then(|path| end_of(&path).ok())
        .map(|bytes| last_lines(&bytes))
        .unwrap_or_default()
}

fn newest_log(logs: &Path, since: Option<SystemTime>) -> Option<PathBuf> {
    let entries = std::fs::read_dir(logs).ok()?.filter_map(Result::ok);
    let logs = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("hobd"));
    let dated = logs.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())));
    dated.filter(|(at, _)| since.is_none_or(|since| *at >= since)).max().map(|(_, path)| path)
}

fn end_of(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let start = file.metadata()?.len().saturating_sub(BYTES as u64);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(BYTES as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn last_lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LINES)..].iter().map(|line| line.chars().take(400).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_log_counts_and_only_its_end() {
        let dir = tempfile::tempdir().expect("a folder");
        assert!(log_lines(dir.path(), None).is_empty());
        let text: String = (0..5_000).map(|n| format!("line {n}\n\n")).collect();
        std::fs::write(dir.path().join("hobd.2026-01-01.log"), text).expect("written");
        std::fs::write(dir.path().join("other"), "no").expect("written");
        let lines = log_lines(dir.path(), None);
        assert_eq!((lines.len(), lines.last().map(String::as_str)), (LINES, Some("line 4999")));
        let later = SystemTime::now() + std::time::Duration::from_secs(60);
        assert!(log_lines(dir.path(), Some(later)).is_empty());
    }
}
