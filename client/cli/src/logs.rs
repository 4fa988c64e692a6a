//! Defines `hob logs`: shows the end of the daemon's log, and follows it.
//!
//! The command reads the files themselves, so that it also shows the log of a daemon that no longer runs. The newest
//! file by modification time is the current one; following switches when a newer one appears.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::Args;
use hob_proto::places::Places;

use super::term;
use super::{CommandFailure, CommandOutcome};

/// Pause between two checks of a followed file.
const PERIOD: Duration = Duration::from_millis(200);

/// Show the end of the daemon's log
#[derive(Debug, Args)]
pub(crate) struct Logs {
    /// Go on printing new lines, until interrupted
    #[arg(short, long)]
    follow: bool,

    /// Number of lines to show
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    lines: usize,
}

impl Logs {
    pub(super) fn run(&self) -> Result<CommandOutcome, CommandFailure> {
        let places = Places::from_process_env()?;
        let folder = places.logs_dir();
        match newest_log(&folder) {
            Some(file) => term::print(&last_lines(&file, self.lines)?)?,
            None => term::print_to_stderr(&format!("no log in {} yet", folder.display())),
        }
        if self.follow {
            follow_log(&folder)?;
        }
        Ok(CommandOutcome::Done)
    }
}

/// Returns the log file that was written to last.
pub(crate) fn newest_log(folder: &Path) -> Option<PathBuf> {
    let files = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let dated = files.filter_map(|file| {
        let meta = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        // Output on standard error lies in the same folder.
        file.path().extension().filter(|ending| *ending == "log")?;
        Some((meta.modified().unwrap_or(SystemTime::UNIX_EPOCH), file.path()))
    });
    dated.max().map(|(_, path)| path)
}

/// Returns the last `count` lines of a file.
pub(crate) fn last_lines(file: &Path, count: usize) -> io::Result<String> {
    let mut last = VecDeque::with_capacity(count.min(1000) + 1);
    let mut reader = BufReader::new(File::open(file)?);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        last.push_back(String::from_utf8_lossy(&line).into_owned());
        if last.len() > count {
            last.pop_front();
        }
        line.clear();
    }
    Ok(last.into_iter().collect())
}

/// Prints additions for ever. A file that became shorter was replaced, and is read from its start.
fn follow_log(folder: &Path) -> io::Result<()> {
    let mut current = newest_log(folder);
    let mut seen = current.as_deref().map_or(0, file_length);
    loop {
        std::thread::sleep(PERIOD);
        if let Some(path) = &current {
            seen = print_from(path, seen)?;
        }
        let latest = newest_log(folder);
        if latest != current {
            current = latest;
            seen = 0;
        }
    }
}

fn file_length(path: &Path) -> u64 {
    path.metadata().map_or(0, |meta| meta.len())
}

fn print_from(path: &Path, seen: u64) -> io::Result<u64> {
    let from = if file_length(path) < seen { 0 } else { seen };
    let Ok(mut file) = File::open(path) else { return Ok(0) };
    file.seek(SeekFrom::Start(from))?;
    let mut added = Vec::new();
    file.read_to_end(&mut added)?;
    if !added.is_empty() {
        term::print(&String::from_utf8_lossy(&added))?;
    }
    Ok(from + added.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_of_the_newest_file() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(newest_log(folder.path()), None);
        let file = folder.path().join("hobd.log");
        std::fs::write(&file, b"1\n2\n3\xff\n").expect("written");
        assert_eq!(newest_log(folder.path()), Some(file.clone()));
        assert_eq!(last_lines(&file, 2).expect("read"), "2\n3\u{fffd}\n");
        assert_eq!(last_lines(&file, 0).expect("read"), "");
        assert_eq!(last_lines(&file, 9).expect("read").lines().count(), 3);
    }
}
