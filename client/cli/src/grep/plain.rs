//! Prints matches in ripgrep's form, for people and for pipes.

use std::io::{self, Write};
use std::ops::Range;

use super::rows::{PrintedRow, PrintedRowKind};
use crate::visible::on_one_line;

/// The style in which matches are printed.
#[derive(Clone, Debug, Default)]
pub(super) struct MatchStyle {
    pub(super) colour: bool,
    pub(super) paths: bool,
    pub(super) heading: bool,
    pub(super) lines: bool,
    pub(super) column: bool,
    pub(super) only_matching: bool,
    pub(super) null: bool,
    /// True if there is context, so that gaps between lines are marked.
    pub(super) context: bool,
    /// True if line ends in names are written as words.
    pub(super) names_on_one_line: bool,
}

/// Prints one file after the other.
pub(super) struct Plain<W> {
    out: W,
    look: MatchStyle,
    /// True if anything has been printed.
    begun: bool,
    /// True if a match is being coloured.
    in_match: bool,
}

const RESET: &[u8] = b"\x1b[0m";
const PATH: &[u8] = b"\x1b[0m\x1b[35m";
const LINE: &[u8] = b"\x1b[0m\x1b[32m";
const COLUMN: &[u8] = b"\x1b[0m";
const MATCH: &[u8] = b"\x1b[0m\x1b[1m\x1b[31m";

impl<W: Write> Plain<W> {
    pub(super) fn new(out: W, look: MatchStyle) -> Self {
        Self { out, look, begun: false, in_match: false }
    }

    /// Prints the separator and the path before the first line of a file.
    pub(super) fn begin(&mut self, path: &str) -> io::Result<()> {
        let (heading, context) = (self.look.heading, self.look.context);
        if std::mem::replace(&mut self.begun, true) {
            match () {
                () if heading => self.out.write_all(b"\n")?,
                () if context => self.out.write_all(b"--\n")?,
                () => {}
            }
        }
        if heading && self.look.paths {
            self.path(path)?;
            self.out.write_all(if self.look.null { b"\0" } else { b"\n" })?;
        }
        Ok(())
    }

    pub(super) fn print_row(&mut self, path: &str, row: &PrintedRow<'_>) -> io::Result<()> {
        match row.kind {
            PrintedRowKind::Gap => self.out.write_all(b"--\n"),
            PrintedRowKind::Context => {
                self.write_prelude(path, b"-", row, None)?;
                self.line(row.text(), &[])
            }
            // A line whose only match is empty, at its very end, is printed whole.
            PrintedRowKind::Match if self.look.only_matching && !row.matches.is_empty() => {
                row.matches.iter().try_for_each(|found| {
                    self.write_prelude(path, b":", row, Some(found.start))?;
                    let text = &row.bytes[found.clone()];
                    let text = text.strip_suffix(b"\n").unwrap_or(text);
                    self.line(text, std::slice::from_ref(&(0..text.len())))
                })
            }
            PrintedRowKind::Match => {
                self.write_prelude(path, b":", row, row.matches.first().map(|found| found.start))?;
                self.line(row.text(), &row.matches)
            }
        }
    }

    /// Prints that a NUL ended the search of a file, at byte `offset`.
    pub(super) fn print_stopped(&mut self, path: &str, offset: u64) -> io::Result<()> {
        if self.look.paths {
            self.path(path)?;
            self.out.write_all(b": ")?;
        }
        let words = "WARNING: stopped searching binary file after match (found \"\\0\" byte around offset";
        writeln!(self.out, "{words} {offset})")
    }

    /// Prints a path by itself.
    pub(super) fn print_listed_path(&mut self, path: &str) -> io::Result<()> {
        self.path(path)?;
        self.out.write_all(if self.look.null { b"\0" } else { b"\n" })
    }

    /// Prints the count of a file, after its path.
    pub(super) fn count(&mut self, path: &str, count: u64) -> io::Result<()> {
        if self.look.paths {
            self.path(path)?;
            self.out.write_all(if self.look.null { b"\0" } else { b":" })?;
        }
        writeln!(self.out, "{count}")
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn path(&mut self, path: &str) -> io::Result<()> {
        let path = if self.look.names_on_one_line { on_one_line(path) } else { path.into() };
        self.write_painted(PATH, path.as_bytes())
    }

    fn write_painted(&mut self, colour: &[u8], text: &[u8]) -> io::Result<()> {
        if !self.look.colour {
            return self.out.write_all(text);
        }
        [colour, text, RESET].into_iter().try_for_each(|part| self.out.write_all(part))
    }

    fn write_prelude(
        &mut self,
        path: &str,
        separator: &[u8],
        row: &PrintedRow<'_>,
        start: Option<usize>,
    ) -> io::Result<()> {
        if self.look.paths && !self.look.heading {
            self.path(path)?;
            self.out.write_all(if self.look.null { b"\0" } else { separator })?;
        }
        if self.look.lines {
            self.write_painted(LINE, row.line.to_string().as_bytes())?;
            self.out.write_all(separator)?;
        }
        if let Some(start) = start.filter(|_| self.look.column) {
            self.write_painted(COLUMN, (start + 1).to_string().as_bytes())?;
            self.out.write_all(separator)?;
        }
        Ok(())
    }

    /// Prints a line without its end, with its matches coloured; adjacent matches look like one.
    fn line(&mut self, text: &[u8], matches: &[Range<usize>]) -> io::Result<()> {
        if self.look.colour && !matches.is_empty() {
            let mut at = 0;
            for found in matches.iter().filter(|found| !found.is_empty() && found.start < text.len()) {
                if at < found.start {
                    self.colour_match(false)?;
                    self.out.write_all(&text[at..found.start])?;
                }
                self.colour_match(true)?;
                at = found.end.min(text.len());
                self.out.write_all(&text[found.start..at])?;
            }
            self.colour_match(false)?;
            self.out.write_all(&text[at..])?;
        } else {
            self.out.write_all(text)?;
        }
        self.out.write_all(b"\n")
    }

    fn colour_match(&mut self, on: bool) -> io::Result<()> {
        if std::mem::replace(&mut self.in_match, on) == on {
            return Ok(());
        }
        self.out.write_all(if on { MATCH } else { RESET })
    }
}
