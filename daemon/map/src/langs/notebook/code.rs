//! Joins the code of a notebook to one text, and remembers the place of each part in the file.
//!
//! A string of JSON stands for its text, except for the escapes: `\"` is one character that takes two. Between escapes
//! the text and the file advance alike, so a *run* from one escape to the next gives the place of everything in it.

use std::ops::Range;

use hob_base::line_index::utf16_len;

use super::file::CodeCell;
use super::magics::{self, CellMagic};
use crate::facts::SourcePlaces;
use crate::langs::support::PiecePositions;

/// A stretch of the text that stands in the file without escapes.
#[derive(Clone, Copy, Debug)]
struct CodeRun {
    /// Its first byte in the text.
    byte: u32,
    /// Its line and UTF-16 column in the text, from 1.
    at: (u32, u32),
    /// The byte of the same place in the file.
    file_byte: u32,
    file_at: (u32, u32),
}

/// The code of a notebook as one text.
#[derive(Debug, Default)]
pub(super) struct NotebookCode {
    pub(super) text: String,
    runs: Vec<CodeRun>,
}

impl SourcePlaces for NotebookCode {
    fn place_of(&self, line: u32, col: u32) -> (u32, u32) {
        let after = self.runs.partition_point(|run| run.at <= (line, col));
        let Some(run) = self.runs.get(after.saturating_sub(1)) else { return (1, 1) };
        let further = if run.at.0 == line { col.saturating_sub(run.at.1) } else { 0 };
        (run.file_at.0, run.file_at.1 + further)
    }

    fn byte_of(&self, byte: u32) -> u32 {
        let after = self.runs.partition_point(|run| run.byte <= byte);
        self.runs.get(after.saturating_sub(1)).map_or(0, |run| run.file_byte + byte.saturating_sub(run.byte))
    }
}

/// Joins the code of all cells.
pub(super) fn join_cells(source: &[u8], cells: &[CodeCell]) -> NotebookCode {
    let mut writer = CodeWriter::new(source);
    for cell in cells {
        for piece in &cell.pieces {
            writer.write_piece(piece.clone());
        }
        writer.end_cell();
    }
    writer.code
}

struct CodeWriter<'s> {
    source: &'s [u8],
    places: PiecePositions<'s>,
    code: NotebookCode,
    /// The line at which the text goes on.
    line: u32,
    col: u32,
    /// The byte at which the current line begins, and its first run.
    line_start: usize,
    line_runs: usize,
    /// The state that the lines of the cell so far set for those to come.
    cell: CellMagic,
}

impl<'s> CodeWriter<'s> {
    fn new(source: &'s [u8]) -> Self {
        Self {
            source,
            places: PiecePositions::new(source),
            code: NotebookCode::default(),
            line: 1,
            col: 1,
            line_start: 0,
            line_runs: 0,
            cell: CellMagic::default(),
        }
    }

    /// Writes the text of one string of JSON.
    fn write_piece(&mut self, piece: Range<usize>) {
        let mut at = piece.start;
        while at < piece.end {
            let rest = &self.source[at..piece.end];
            let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
            if plain > 0 {
                self.write_run(at, &rest[..plain]);
                at += plain;
                continue;
            }
            let (letter, length) = magics::unescape(rest);
            match letter {
                '\n' => self.end_line(at),
                _ => self.write_run(at, letter.encode_utf8(&mut [0; 4]).as_bytes()),
            }
            at += length;
        }
    }

    /// Adds text whose first byte in the file is `at`.
    fn write_run(&mut self, at: usize, text: &[u8]) {
        self.open_run(at);
        let text = String::from_utf8_lossy(text);
        self.col += utf16_len(text.as_bytes());
        self.code.text.push_str(&text);
    }

    fn open_run(&mut self, at: usize) {
        let (byte, file_at) = (self.code.text.len() as u32, self.places.position_at(at));
        let run = CodeRun { byte, at: (self.line, self.col), file_byte: at as u32, file_at };
        self.code.runs.push(run);
    }

    /// Ends a line whose end is at this byte of the file.
    fn end_line(&mut self, at: usize) {
        self.open_run(at);
        self.leave_line();
    }

    /// Ends the last line of a cell, and begins the next cell.
    fn end_cell(&mut self) {
        self.leave_line();
        self.cell = CellMagic::default();
    }

    fn leave_line(&mut self) {
        let line = &self.code.text[self.line_start..];
        if let Some(kept) = self.cell.read_line(line) {
            self.cut_line(self.line_start + kept.bytes, kept.then);
        }
        self.code.text.push('\n');
        self.line += 1;
        self.col = 1;
        self.line_start = self.code.text.len();
        self.line_runs = self.code.runs.len();
    }

    /// Cuts the rest of the line off, and writes words of Python in its place that do nothing.
    fn cut_line(&mut self, end: usize, then: &str) {
        self.code.text.truncate(end);
        let kept = self.code.runs[self.line_runs..].partition_point(|run| run.byte as usize <= end);
        self.code.runs.truncate(self.line_runs + kept);
        self.code.text.push_str(then);
    }
}
