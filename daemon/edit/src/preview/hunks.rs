//! Writes the lines that differ as hunks of a unified diff.
//!
//! `imara-diff` finds the lines that differ. This module writes them, because the library's own printer cannot express
//! a missing newline at the end and writes only text.

use std::fmt::Write as _;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput, sources};

/// Number of lines shown around a change.
const CONTEXT: u32 = 3;

/// The difference of two contents.
#[derive(Default)]
pub(super) struct Hunks {
    pub(super) additions: usize,
    pub(super) deletions: usize,
    /// The hunks, from the first `@@`; empty if the contents are equal, or no text.
    pub(super) text: String,
}

/// Returns true if contents can stand in a diff: as in git, contents with a zero byte cannot.
pub(super) fn is_text(contents: &[u8]) -> bool {
    !contents.contains(&0) && std::str::from_utf8(contents).is_ok()
}

pub(super) fn find_hunks(old: &[u8], new: &[u8]) -> Hunks {
    // Files of this size are never edited, but the library would panic at that many lines.
    if old == new || old.len().max(new.len()) >= i32::MAX as usize {
        return Hunks::default();
    }
    let input = InternedInput::new(sources::byte_lines(old), sources::byte_lines(new));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let mut out = Hunks {
        additions: diff.count_additions() as usize,
        deletions: diff.count_removals() as usize,
        text: String::new(),
    };
    if is_text(old) && is_text(new) {
        let found: Vec<Hunk> = diff.hunks().collect();
        let near = |a: &Hunk, b: &Hunk| b.before.start - a.before.end <= 2 * CONTEXT;
        found
            .chunk_by(near)
            .for_each(|group| HunkWriter { input: &input, out: &mut out.text }.write_hunk(group));
    }
    out
}

struct HunkWriter<'a, 'b> {
    input: &'a InternedInput<&'b [u8]>,
    out: &'a mut String,
}

impl HunkWriter<'_, '_> {
    /// Writes a group of nearby differences, with the lines around and between them.
    fn write_hunk(&mut self, group: &[Hunk]) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
        let lead = first.before.start.min(CONTEXT);
        let trail = (self.input.before.len() as u32 - last.before.end).min(CONTEXT);
        let old = first.before.start - lead..last.before.end + trail;
        let new = first.after.start - lead..last.after.end + trail;
        let _ = writeln!(self.out, "@@ -{} +{} @@", span(&old), span(&new));
        let mut at = old.start;
        for one in group {
            self.old_lines(' ', at..one.before.start);
            self.old_lines('-', one.before.clone());
            self.new_lines(one.after.clone());
            at = one.before.end;
        }
        self.old_lines(' ', at..old.end);
    }

    fn old_lines(&mut self, mark: char, lines: Range<u32>) {
        for token in &self.input.before[lines.start as usize..lines.end as usize] {
            line(self.out, mark, self.input.interner[*token]);
        }
    }

    fn new_lines(&mut self, lines: Range<u32>) {
        for token in &self.input.after[lines.start as usize..lines.end as usize] {
            line(self.out, '+', self.input.interner[*token]);
        }
    }
}

fn line(out: &mut String, mark: char, line: &[u8]) {
    out.push(mark);
    // Both contents are UTF-8, and so are their lines.
    out.push_str(&String::from_utf8_lossy(line));
    if !line.ends_with(b"\n") {
        out.push_str("\n\\ No newline at end of file\n");
    }
}

/// Returns a range of lines as the head of a hunk writes it: the first, counted from one, and the number. An empty
/// range has the line before it.
fn span(lines: &Range<u32>) -> String {
    match lines.end - lines.start {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        many => format!("{},{many}", lines.start + 1),
    }
}
