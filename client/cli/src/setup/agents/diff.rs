//! Shows a change of a file for people: the removed lines, the added ones, and two around them.

use crate::term::Style;

const AROUND: usize = 2;

/// Returns the change as lines with `-`, `+` or a space before them.
pub(super) fn lines(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let left = old.len().min(new.len()) - same;
    let tail = old.iter().rev().zip(new.iter().rev()).take(left).take_while(|(old, new)| old == new).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let mut all = Vec::new();
    let mut add = |mark: char, lines: &[&str]| all.extend(lines.iter().map(|line| format!("{mark} {line}")));
    add(' ', &old[same.saturating_sub(AROUND)..same]);
    add('-', &old[same..old_end]);
    add('+', &new[same..new_end]);
    add(' ', &old[old_end..(old_end + AROUND).min(old.len())]);
    all
}

/// Colours and indents the lines of a change.
pub(super) fn paint_lines(lines: &[String], style: &Style) -> String {
    let paint = |line: &String| match line.as_bytes().first() {
        Some(b'+') => style.line(line.clone()).into_owned(),
        Some(b'-') => style.alarm(line.clone()).into_owned(),
        _ => style.dim(line.clone()).into_owned(),
    };
    lines.iter().map(|line| format!("    {}\n", paint(line).trim_end())).collect()
}
