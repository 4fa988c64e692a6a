//! Keeps the last lines that a server wrote to standard error. A thread reads them as they come, so that the server
//! never blocks on them, and drops all but the last.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Number of lines that are kept.
const LINES: usize = 40;
/// Number of bytes of a line that are kept.
const WIDTH: usize = 400;
/// Longest time that the last lines of an ended process may take to arrive.
const ENDS_WITHIN: Duration = Duration::from_secs(1);

/// The last lines of an output.
#[derive(Clone, Debug, Default)]
pub struct StderrTail {
    shared: Arc<SharedStderr>,
}

#[derive(Debug, Default)]
struct SharedStderr {
    heard: Mutex<StderrState>,
    has_ended: Condvar,
}

#[derive(Debug, Default)]
struct StderrState {
    lines: VecDeque<String>,
    /// Number of lines so far, including dropped ones.
    count: u64,
    ended: bool,
}

impl StderrTail {
    /// Reads `output` until its end, on a thread of its own.
    ///
    /// # Errors
    /// The system's error when it refuses to start a thread.
    pub fn read_from(output: impl Read + Send + 'static) -> io::Result<Self> {
        let tail = Self::default();
        let writer = tail.clone();
        let read = move || {
            let mut output = BufReader::new(output);
            while let Ok(Some(line)) = next_line(&mut output) {
                writer.push(line);
            }
            writer.lock_heard().ended = true;
            writer.shared.has_ended.notify_all();
        };
        thread::Builder::new().name("hob-lsp-stderr".to_owned()).spawn(read)?;
        Ok(tail)
    }

    /// Returns the kept lines, oldest first.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.lock_heard().lines.iter().cloned().collect()
    }

    /// Returns the number of lines that were written, kept or not.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.lock_heard().count
    }

    /// Returns the lines of a process that has ended: waits for lines that have not been read yet.
    #[must_use]
    pub fn last_lines(&self) -> Vec<String> {
        let waited =
            self.shared.has_ended.wait_timeout_while(self.lock_heard(), ENDS_WITHIN, |heard| !heard.ended);
        let (heard, _) = waited.unwrap_or_else(PoisonError::into_inner);
        heard.lines.iter().cloned().collect()
    }

    fn push(&self, line: String) {
        let mut heard = self.lock_heard();
        if heard.lines.len() == LINES {
            heard.lines.pop_front();
        }
        heard.lines.push_back(line);
        heard.count += 1;
    }

    fn lock_heard(&self) -> MutexGuard<'_, StderrState> {
        // Each line is added at once.
        self.shared.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the next line, cut to [`WIDTH`] bytes; a line without end costs no memory.
fn next_line(output: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut kept = Vec::new();
    let mut read = 0;
    loop {
        let part = output.fill_buf()?;
        let (taken, ends) = match part.iter().position(|&byte| byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (part.len(), part.is_empty()),
        };
        let room = WIDTH.saturating_sub(kept.len()).min(taken);
        kept.extend_from_slice(&part[..room]);
        output.consume(taken);
        read += taken;
        if ends {
            let text = String::from_utf8_lossy(&kept).trim_end().to_owned();
            return Ok((read > 0).then_some(text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_and_never_lost() {
        let long = "x".repeat(100_000);
        let text = format!("first\n{long}\n\nlast");
        let mut input = BufReader::with_capacity(16, text.as_bytes());
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut input).expect("memory") {
            lines.push(line);
        }
        assert_eq!(lines, ["first", &long[..WIDTH], "", "last"]);
    }

    #[test]
    fn only_the_end_is_kept() {
        let tail = StderrTail::default();
        (0..LINES + 5).for_each(|i| tail.push(i.to_string()));
        assert_eq!(tail.lines().len(), LINES);
        assert_eq!(tail.lines()[0], "5");
    }

    #[test]
    fn the_last_words_are_waited_for() {
        for _ in 0..100 {
            let tail = StderrTail::read_from(&b"that was it"[..]).expect("a thread");
            assert_eq!(tail.last_lines(), ["that was it"]);
        }
    }
}
