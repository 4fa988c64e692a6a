//! Writes the lines that differ as hunks of a unified diff.
//!
//! Which lines differ is found by `imara-diff`; how that is written is done here, because its own printer has no word for a
//! missing newline at the end and writes text only.

use std::fmt::Write as _;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput, sources};

/// Lines shown around a change.
const CONTEXT: u32 = 3;

/// The difference of two contents.
#[derive(Default)]
pub(super) struct Hunks {
    pub(super) additions: usize,
    pub(super) deletions: usize,
    /// From the first `@@`; empty if the contents are equal, or no text.
    pub(super) text: String,
}

/// Returns true if contents can stand in a diff: as for git, a zero byte says no.
pub(super) fn is_text(contents: &[u8]) -> bool {
    !contents.contains(&0) && std::str::from_utf8(contents).is_ok()
}

pub(super) fn find_hunks(old: &[u8], new: &[u8]) -> Hunks {
    // No file of this size is edited, but the library would panic at one with as many lines.
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
    /// Differences that are near each other, with the lines around and between them.
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

/// Lines as in the head of a hunk: the first, counted from one, and how many. Of none, the line before them.
fn span(lines: &Range<u32>) -> String {
    match lines.end - lines.start {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        many => format!("{},{many}", lines.start + 1),
    }
}
