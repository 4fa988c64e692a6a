//! Keeps the counts between two runs of the daemon, in one small private file that is replaced whole.
//!
//! A file that cannot be used is no failure: it is set aside and reported, and the counting begins anew.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::counts::Figures;
use super::histogram::{BUCKETS, HistogramCounts};

/// The version of the format; a file with another one is replaced.
const VERSION: u32 = 1;

/// Size limit of the file, in bytes: every tool with every bucket takes a fifth of it.
const LARGEST: u64 = 1 << 20;

/// Largest count that is accepted from the file, so that no sum can overflow.
const MOST: u64 = 1 << 48;

/// The counts in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CountsOnDisk {
    /// The beginning of the counting, in seconds of Unix time.
    pub(super) since: u64,
    /// Counts by the tool's name. Tools that this build does not know are kept for the build that does.
    pub(super) tools: BTreeMap<String, (Figures, HistogramCounts)>,
}

/// The form of the file.
#[derive(Debug, Serialize, Deserialize)]
struct OnDisk {
    version: u32,
    since: u64,
    tools: BTreeMap<String, ToolOnDisk>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ToolOnDisk {
    calls: u64,
    failed: u64,
    actual_tokens: u64,
    baseline_tokens: u64,
    max_micros: u64,
    /// Buckets that are not empty, with their counts.
    latency: Vec<(usize, u64)>,
}

/// Reads the counts; `None` without a file.
///
/// # Errors
/// The reason in words, when there is a file and it cannot be used.
pub(super) fn read(path: &Path) -> Result<Option<CountsOnDisk>, String> {
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    // Opening a pipe would wait, and a link may lead anywhere.
    if !metadata.is_file() {
        return Err("it is no plain file".to_owned());
    }
    let mut text = String::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(LARGEST + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if text.len() as u64 > LARGEST {
        return Err(format!("it is larger than {LARGEST} bytes"));
    }
    let read: OnDisk = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    if read.version != VERSION {
        return Err(format!("it is of version {}", read.version));
    }
    let tools = read.tools.into_iter().map(|(name, tool)| (name, tool.checked_figures())).collect();
    Ok(Some(CountsOnDisk { since: read.since.min(MOST), tools }))
}

impl ToolOnDisk {
    fn checked_figures(self) -> (Figures, HistogramCounts) {
        let mut shot = HistogramCounts { counts: vec![0; BUCKETS], max: self.max_micros.min(MOST) };
        for (at, count) in self.latency {
            if let Some(bucket) = shot.counts.get_mut(at) {
                *bucket = count.min(MOST);
            }
        }
        let figures = Figures {
            calls: self.calls.min(MOST),
            failed: self.failed.min(MOST),
            actual: self.actual_tokens.min(MOST),
            baseline: self.baseline_tokens.min(MOST),
        };
        (figures, shot)
    }
}

/// Writes a new file beside the old one, readable by the user alone, and puts it in its place.
///
/// # Errors
/// The system's error; the old file then stays as it was.
pub(super) fn write(path: &Path, kept: &CountsOnDisk) -> io::Result<()> {
    let tool = |(figures, shot): &(Figures, HistogramCounts)| ToolOnDisk {
        calls: figures.calls,
        failed: figures.failed,
        actual_tokens: figures.actual,
        baseline_tokens: figures.baseline,
        max_micros: shot.max,
        latency: shot.counts.iter().copied().enumerate().filter(|(_, count)| *count > 0).collect(),
    };
    let tools = kept.tools.iter().map(|(name, counted)| (name.clone(), tool(counted))).collect();
    let on_disk = OnDisk { version: VERSION, since: kept.since, tools };
    let text = serde_json::to_vec(&on_disk).map_err(io::Error::other)?;
    let new = path.with_extension("new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // The file is not synced: losing a minute of counts does no harm, and the name changes only after the writing.
    options.open(&new)?.write_all(&text)?;
    fs::rename(&new, path)
}

/// Renames a file that cannot be used.
pub(super) fn set_aside(path: &Path) {
    // If that fails too, the next write replaces it.
    let _ = fs::rename(path, path.with_extension("damaged"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_what_is_damaged_is_told() {
        let temp = tempfile::tempdir().expect("a folder");
        let path = temp.path().join("metrics.json");
        assert_eq!(read(&path), Ok(None));
        let mut counts = vec![0; BUCKETS];
        counts[7] = 3;
        let figures = Figures { calls: 3, failed: 1, actual: 20, baseline: 400 };
        let tools =
            BTreeMap::from([("map_search".to_owned(), (figures, HistogramCounts { counts, max: 7 }))]);
        let kept = CountsOnDisk { since: 77, tools };
        write(&path, &kept).expect("it can be written");
        write(&path, &kept).expect("it can be replaced");
        assert_eq!(read(&path), Ok(Some(kept)));
        let huge = format!(
            "{{\"version\": 1, \"since\": {0}, \"tools\": {{\"x\": {{\"calls\": {0}, \"failed\": 0, \
            \"actual_tokens\": 0, \"baseline_tokens\": 0, \"max_micros\": 0, \"latency\": [[9999999, 1]]}}}}}}",
            u64::MAX
        );
        fs::write(&path, huge).expect("written");
        assert_eq!(read(&path).expect("usable").expect("there").tools["x"].0.calls, MOST);
        for damaged in ["", "{", "[]", "{\"version\": 2, \"since\": 0, \"tools\": {}}", "{\"version\": 1}"] {
            fs::write(&path, damaged).expect("written");
            assert!(read(&path).is_err(), "{damaged}");
        }
        set_aside(&path);
        fs::create_dir(&path).expect("a folder");
        assert!(read(&path).is_err());
    }
}
