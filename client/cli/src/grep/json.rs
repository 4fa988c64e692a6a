//! Prints matches as ripgrep does with `--json`: one message per line.
//!
//! Times are hob's own. In the summary, `searches` and `bytes_searched` count the files that the index could not rule
//! out.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use hob_proto::tools::grep::GrepFile;
use serde::Serialize;
use serde_json::{Value, json};

use super::rows::{PrintedRow, PrintedRowKind};

/// The printer of ripgrep's JSON messages.
pub(super) struct Messages<W> {
    out: W,
    started: Instant,
    /// Number of bytes printed for the present file.
    printed: u64,
    file: Stats,
    all: Stats,
}

#[derive(Clone, Debug, Default, Serialize)]
struct Stats {
    elapsed: Elapsed,
    searches: u64,
    searches_with_match: u64,
    bytes_searched: u64,
    bytes_printed: u64,
    matched_lines: u64,
    matches: u64,
}

#[derive(Clone, Debug, Default, Serialize)]
struct Elapsed {
    secs: u64,
    nanos: u32,
    human: String,
}

impl Elapsed {
    fn from_duration(time: Duration) -> Self {
        Self {
            secs: time.as_secs(),
            nanos: time.subsec_nanos(),
            human: format!("{:.6}s", time.as_secs_f64()),
        }
    }
}

/// Converts bytes to text, or to base64 if they are no text.
fn data_value(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => json!({ "text": text }),
        Err(_) => json!({ "bytes": base64(bytes) }),
    }
}

impl<W: Write> Messages<W> {
    pub(super) fn new(out: W) -> Self {
        let (file, all) = (Stats::default(), Stats::default());
        Self { out, started: Instant::now(), printed: 0, file, all }
    }

    pub(super) fn begin(&mut self, path: &str) -> io::Result<()> {
        self.printed = 0;
        self.file = Stats { searches: 1, searches_with_match: 1, ..Stats::default() };
        self.print_message(&json!({"type": "begin", "data": {"path": {"text": path}}}))
    }

    pub(super) fn print_row(&mut self, path: &str, row: &PrintedRow<'_>) -> io::Result<()> {
        let kind = match row.kind {
            PrintedRowKind::Gap => return Ok(()),
            PrintedRowKind::Match => "match",
            PrintedRowKind::Context => "context",
        };
        if row.kind == PrintedRowKind::Match {
            self.file.matched_lines += 1;
            self.file.matches += row.matches.len() as u64;
        }
        let submatches = row.matches.iter().map(
            |found| json!({"match": data_value(&row.bytes[found.clone()]), "start": found.start, "end": found.end}),
        );
        self.print_message(&json!({"type": kind, "data": {
            "path": {"text": path},
            "lines": data_value(row.bytes),
            "line_number": row.line,
            "absolute_offset": row.offset,
            "submatches": submatches.collect::<Vec<_>>(),
        }}))
    }

    pub(super) fn end(&mut self, path: &str, file: &GrepFile) -> io::Result<()> {
        self.file.bytes_searched = file.searched;
        self.file.bytes_printed = self.printed;
        self.file.elapsed = Elapsed::from_duration(Duration::ZERO);
        let stats = self.file.clone();
        self.all.searches_with_match += 1;
        self.all.bytes_printed += stats.bytes_printed;
        self.all.matched_lines += stats.matched_lines;
        self.all.matches += stats.matches;
        self.print_message(
            &json!({"type": "end", "data": {"path": {"text": path}, "binary_offset": file.binary, "stats": stats}}),
        )
    }

    /// Counts a searched page.
    pub(super) fn count_searched(&mut self, files: u64, bytes: u64) {
        self.all.searches += files;
        self.all.bytes_searched += bytes;
    }

    pub(super) fn summary(&mut self) -> io::Result<()> {
        self.all.elapsed = Elapsed::from_duration(self.started.elapsed());
        let all = &self.all;
        let elapsed = |time: &Elapsed| json!({"human": time.human, "nanos": time.nanos, "secs": time.secs});
        let message = json!({"data": {"elapsed_total": elapsed(&all.elapsed), "stats": {
            "bytes_printed": all.bytes_printed,
            "bytes_searched": all.bytes_searched,
            "elapsed": elapsed(&all.elapsed),
            "matched_lines": all.matched_lines,
            "matches": all.matches,
            "searches": all.searches,
            "searches_with_match": all.searches_with_match,
        }}, "type": "summary"});
        self.print_message(&message)
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn print_message(&mut self, message: &Value) -> io::Result<()> {
        let line = message.to_string();
        self.printed += line.len() as u64 + 1;
        writeln!(self.out, "{line}")
    }
}

/// Encodes as base64 by RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for digit in 0..4 {
            let value = bits >> (18 - 6 * digit) & 63;
            out.push(if digit <= group.len() { char::from(DIGITS[value as usize]) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_as_everywhere() {
        let pairs = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")];
        for (plain, encoded) in pairs {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
        assert_eq!(base64(&[0xff, 0xfe]), "//4=");
    }
}
