//! Indents source for its new place.
//!
//! Source comes flush left, or with its final indentation, or copied from the middle of a line, so that only its first
//! line is flush left. The lines after the first show which: by the end of a block, or by the beginning of its body.
//! Where the file indents with tabs and the source with blanks, or the other way round, levels are translated. No line
//! shows whether it lies within a string of several lines: such lines are moved with the others.

use super::style::Style;
use crate::lines::{self, Ending, LF};

/// The new place of source.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndentTarget<'a> {
    /// The indentation of its first line.
    pub(super) indentation: &'a str,
    /// The line end at that place.
    pub(super) ending: Ending,
    /// The layout of the file's language.
    pub(super) style: Style,
    /// One level of indentation in this file.
    pub(super) level: &'a str,
}

/// Returns the lines of `source`, indented for the place, without the indentation of the first and without an end of
/// the last.
pub(super) fn indent_for(source: &str, place: IndentTarget<'_>) -> String {
    let plain = lines::with_ending(source, LF);
    let all: Vec<&str> = plain.trim_end().split('\n').skip_while(|line| line.trim().is_empty()).collect();
    let (given, rest) = common_indentation(&all, place);
    let source_level = indentation_step(&rest, given);
    let mut out = String::with_capacity(source.len() + all.len() * place.indentation.len());
    for (number, line) in all.iter().enumerate() {
        if number == 0 {
            out.push_str(line.trim());
            continue;
        }
        out.push_str(place.ending);
        if !line.trim().is_empty() {
            out.push_str(&move_line(line, given, source_level, place));
        }
    }
    out
}

/// Returns the indentation that the source's lines share, and the non-blank lines after the first.
fn common_indentation<'s>(all: &[&'s str], place: IndentTarget<'s>) -> (&'s str, Vec<&'s str>) {
    let Some((first, rest)) = all.split_first() else { return ("", Vec::new()) };
    let rest: Vec<&str> = rest.iter().copied().filter(|line| !line.trim().is_empty()).collect();
    let own = lines::indentation_of(first);
    let is_cut = own.is_empty() && !place.indentation.is_empty() && is_from_the_middle(first, &rest, place);
    (if is_cut { place.indentation } else { own }, rest)
}

/// Returns true if only the first line is flush left and the others are still indented as in their file.
fn is_from_the_middle(first: &str, rest: &[&str], place: IndentTarget<'_>) -> bool {
    if place.style.by_indentation {
        return head_is_from_the_middle(first, rest, place);
    }
    let is_as_deep = |line: &&str| line.starts_with(place.indentation);
    // A line that closes the block at the margin ends it there.
    if let Some(last) = rest.last().filter(|line| closes_block(line)) {
        return is_as_deep(last);
    }
    if stands_above(first, place) {
        return rest.first().is_some_and(is_as_deep);
    }
    match end_of_brackets(first, rest) {
        Some(end) => is_as_deep(&end),
        None => !rest.is_empty() && rest.iter().all(|line| is_deeper(line, place)),
    }
}

/// Returns true if a text begins with the end of a block, or is empty.
pub(super) fn closes_block(text: &str) -> bool {
    let said = text.trim_start();
    said.is_empty() || said.starts_with(['}', ')', ']']) || said.starts_with("end")
}

/// Returns the line that begins by closing the brackets of the first line.
fn end_of_brackets<'s>(first: &str, rest: &[&'s str]) -> Option<&'s str> {
    let mut open = bracket_balance(first);
    if open <= 0 {
        return None;
    }
    let end = rest.iter().find(|line| {
        open += bracket_balance(line);
        open <= 0
    })?;
    closes_block(end).then_some(*end)
}

fn is_deeper(line: &str, place: IndentTarget<'_>) -> bool {
    line.strip_prefix(place.indentation).is_some_and(|rest| rest.starts_with([' ', '\t']))
}

/// Returns true if a line, such as a decorator, is a part of a definition that begins below it: it does not make later
/// lines deeper.
fn stands_above(line: &str, place: IndentTarget<'_>) -> bool {
    line.starts_with(['@', '[']) || line.starts_with("#[") || place.style.is_comment(line)
}

/// Decides as `is_from_the_middle` does, for a language whose blocks are made by indentation, by the first line outside
/// of brackets. That line is a body, which lies deeper than its head, or as deep as what it belongs to.
fn head_is_from_the_middle(first: &str, rest: &[&str], place: IndentTarget<'_>) -> bool {
    let opens =
        |line: &str, open: i32| open == 0 && line.trim_end().ends_with(':') && !stands_above(line, place);
    let mut open = bracket_balance(first);
    let mut is_head = opens(first, open);
    for line in rest {
        let after = open + bracket_balance(line);
        let ends = after == 0 && line.trim_start().starts_with([')', ']', '}']);
        if open == 0 || ends {
            return if is_head { is_deeper(line, place) } else { line.starts_with(place.indentation) };
        }
        open = after;
        is_head = opens(line, open);
    }
    false
}

/// Returns the number of brackets that a line opens, less those that it closes; brackets in quotes or behind `#` do not
/// count.
fn bracket_balance(line: &str) -> i32 {
    let (mut open, mut quote) = (0, None);
    for c in line.chars() {
        match (c, quote) {
            (_, Some(end)) => quote = quote.filter(|_| c != end),
            ('"' | '\'', None) => quote = Some(c),
            ('#', None) => break,
            ('(' | '[' | '{', None) => open += 1,
            (')' | ']' | '}', None) => open -= 1,
            _ => {}
        }
    }
    open
}

/// Returns the step by which the source's lines are indented, in the character that most of them use; empty if none is
/// indented.
fn indentation_step<'s>(rest: &[&'s str], given: &str) -> &'s str {
    let deeper = || rest.iter().filter_map(|line| lines::indentation_of(line).strip_prefix(given));
    let tabs = deeper().filter(|space| space.starts_with('\t')).count();
    let blanks = deeper().filter(|space| space.starts_with(' ')).count();
    let usual = if tabs > blanks { '\t' } else { ' ' };
    deeper().filter(|space| space.starts_with(usual)).min_by_key(|space| space.len()).unwrap_or_default()
}

/// Moves one line after the first to its place.
fn move_line(line: &str, given: &str, source_level: &str, place: IndentTarget<'_>) -> String {
    let space = lines::indentation_of(line);
    let said = &line[space.len()..];
    match space.strip_prefix(given) {
        Some(deeper) => {
            format!("{}{}{said}", place.indentation, translate_indentation(deeper, source_level, place.level))
        }
        // A line further left than the first line is there on purpose.
        None => line.to_owned(),
    }
}

/// Translates indentation into the characters of the file.
fn translate_indentation(space: &str, source_level: &str, level: &str) -> String {
    let is_tabs = |space: &str| space.starts_with('\t');
    if source_level.is_empty() || is_tabs(source_level) == is_tabs(level) || is_tabs(space) == is_tabs(level)
    {
        return space.to_owned();
    }
    let (levels, over) = (space.len() / source_level.len(), space.len() % source_level.len());
    format!("{}{}", level.repeat(levels), " ".repeat(over))
}

/// Returns one level of indentation: in the character that most indented lines use, and with the width by which most
/// lines that begin deeper than the line before them do so. `None` if no line is indented.
pub(super) fn level_of(text: &str) -> Option<String> {
    let (mut tabs, mut blanks, mut steps) = (0_usize, 0_usize, [0_usize; 9]);
    let mut last = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let space = lines::indentation_of(line);
        tabs += usize::from(space.starts_with('\t'));
        blanks += usize::from(space.starts_with(' '));
        steps[space.len().saturating_sub(last).min(8)] += usize::from(space.starts_with(' '));
        last = space.len();
    }
    let (step, _) = steps.iter().enumerate().skip(2).rev().max_by_key(|(_, times)| **times)?;
    match (tabs, blanks) {
        (0, 0) => None,
        (tabs, blanks) if tabs > blanks => Some("\t".to_owned()),
        _ => Some(" ".repeat(step)),
    }
}
