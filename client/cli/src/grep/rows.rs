//! Parses the lines of a file in the daemon's answer.

use std::ops::Range;

use hob_proto::tools::grep::GrepFile;

/// The kind of a row in a file's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PrintedRowKind {
    /// A line of context.
    Context,
    /// A line that matches.
    Match,
    /// Lines are left out here.
    Gap,
}

/// A line of a file, matching or context, or a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PrintedRow<'b> {
    pub(super) kind: PrintedRowKind,
    pub(super) line: u64,
    pub(super) offset: u64,
    /// The line's bytes, with its line end if it has one.
    pub(super) bytes: &'b [u8],
    pub(super) matches: Vec<Range<usize>>,
}

impl<'b> PrintedRow<'b> {
    /// Returns the line without its newline.
    pub(super) fn text(&self) -> &'b [u8] {
        self.bytes.strip_suffix(b"\n").unwrap_or(self.bytes)
    }
}

/// Returns the bytes of a file's lines.
pub(super) fn take_bytes(file: &mut GrepFile) -> Vec<u8> {
    let text = std::mem::take(&mut file.text);
    // One character stands for each byte, and all of them fit.
    if file.latin {
        text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect()
    } else {
        text.into_bytes()
    }
}

/// Returns the rows over `bytes`; the first inconsistent row ends them.
pub(super) fn read_rows<'b>(file: &'b GrepFile, bytes: &'b [u8]) -> impl Iterator<Item = PrintedRow<'b>> {
    let (mut numbers, mut at) = (file.rows.iter().copied(), 0);
    std::iter::from_fn(move || {
        let kind = match numbers.next()? {
            0 => PrintedRowKind::Context,
            1 => PrintedRowKind::Match,
            _ => PrintedRowKind::Gap,
        };
        let (line, offset) = (numbers.next()?, numbers.next()?);
        let end = at + usize::try_from(numbers.next()?).ok()?;
        let count = numbers.next()?;
        let text = bytes.get(at..end)?;
        at = end;
        let mut place = || usize::try_from(numbers.next()?).ok().map(|at| at.min(text.len()));
        let matches = (0..count).map_while(|_| Some(place()?..place()?)).filter(|m| m.start <= m.end);
        Some(PrintedRow { kind, line, offset, bytes: text, matches: matches.collect() })
    })
}
