//! Source as it is given, indented as its place is.
//!
//! Source comes flush left, or indented as it will be, or copied from the middle of a line, so that only its first line is
//! flush left. What it is can be told from the lines after the first: they are indented less, or as much, as the place
//! itself. Where the file indents with tabs and the source with blanks, or the other way round, levels are translated. What
//! no line tells is whether it lies within a string that goes over several lines: such lines are moved with the others.

use crate::lines::{self, Ending, LF};

/// The place that source goes to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    /// The indentation of its first line.
    pub(super) indentation: &'a str,
    /// What ends lines there.
    pub(super) ending: Ending,
    /// Whether blocks are made by indentation.
    pub(super) by_indentation: bool,
    /// One level of indentation in this file.
    pub(super) level: &'a str,
}

/// The lines of `source`, indented for the place, without the indentation of the first and without an end of the last.
pub(super) fn fit(source: &str, place: Place<'_>) -> String {
    let plain = lines::with_ending(source, LF);
    let all: Vec<&str> = plain.trim_end().split('\n').skip_while(|line| line.trim().is_empty()).collect();
    let (given, rest) = given(&all, place);
    let source_level = level(&rest, given);
    let mut out = String::with_capacity(source.len() + all.len() * place.indentation.len());
    for (number, line) in all.iter().enumerate() {
        if number == 0 {
            out.push_str(line.trim());
            continue;
        }
        out.push_str(place.ending);
        if !line.trim().is_empty() {
            out.push_str(&moved(line, given, source_level, place));
        }
    }
    out
}

/// The indentation that the source's lines have in common, and the lines after the first with anything on them.
fn given<'s>(all: &[&'s str], place: Place<'_>) -> (&'s str, Vec<&'s str>) {
    let Some((first, rest)) = all.split_first() else { return ("", Vec::new()) };
    let rest: Vec<&str> = rest.iter().copied().filter(|line| !line.trim().is_empty()).collect();
    let own = lines::indentation(first);
    if !own.is_empty() {
        return (own, rest);
    }
    let least = rest.iter().map(|line| lines::indentation(line)).min_by_key(|space| space.len());
    let is_cut = least.is_some_and(|least| is_from_the_middle(&rest, least, place));
    // A block lies deeper than its head, and the place's indentation is that of the head.
    let given = least.filter(|_| is_cut).map_or("", |least| &least[..place.indentation.len()]);
    (given, rest)
}

/// Whether the lines after a first that is flush left are indented as they were in the file.
fn is_from_the_middle(rest: &[&str], least: &str, place: Place<'_>) -> bool {
    if place.indentation.is_empty() || !least.starts_with(place.indentation) {
        return false;
    }
    let ends = rest.last().is_some_and(|line| super::closes(line));
    least.len() > place.indentation.len() || (ends && !place.by_indentation)
}

/// The step by which the source's lines are indented, in its own characters; empty if none is.
fn level<'s>(rest: &[&'s str], given: &str) -> &'s str {
    let deeper = rest.iter().filter_map(|line| lines::indentation(line).strip_prefix(given));
    deeper.filter(|space| !space.is_empty()).min_by_key(|space| space.len()).unwrap_or_default()
}

/// One line after the first, where it belongs.
fn moved(line: &str, given: &str, source_level: &str, place: Place<'_>) -> String {
    let space = lines::indentation(line);
    let said = &line[space.len()..];
    match space.strip_prefix(given) {
        Some(deeper) => {
            format!("{}{}{said}", place.indentation, translated(deeper, source_level, place.level))
        }
        // What lies further left than the first line lies there on purpose.
        None => line.to_owned(),
    }
}

/// Indentation in the characters of the file.
fn translated(space: &str, source_level: &str, level: &str) -> String {
    let is_tabs = |space: &str| space.starts_with('\t');
    if source_level.is_empty() || is_tabs(source_level) == is_tabs(level) {
        return space.to_owned();
    }
    let (levels, over) = (space.len() / source_level.len(), space.len() % source_level.len());
    format!("{}{}", level.repeat(levels), " ".repeat(over))
}

/// One level of indentation, as most of the file's lines that begin deeper than the one before them have it.
pub(super) fn level_of(text: &str) -> String {
    let (mut tabs, mut blanks) = (0_usize, [0_usize; 9]);
    let mut last = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let space = lines::indentation(line);
        let width = space.len();
        match width.saturating_sub(last) {
            0 => {}
            _ if space.starts_with('\t') => tabs += 1,
            step => blanks[step.min(8)] += 1,
        }
        last = width;
    }
    let (step, most) = blanks.iter().enumerate().skip(2).max_by_key(|(_, times)| **times).unwrap_or((4, &0));
    match (tabs, *most) {
        (tabs, most) if tabs > most => "\t".to_owned(),
        (_, 0) => "    ".to_owned(),
        _ => " ".repeat(step),
    }
}
