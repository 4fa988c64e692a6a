//! Replaces or removes one definition as a whole, or inserts source before or after it.
//!
//! The caller knows the definition's bytes and its language; this module reads from the text to which definition the
//! lines, comments and blank lines around it belong. `replace` replaces the same text that reading the definition
//! shows: decorators and attributes included, comments above it not, unless the new source brings one. The other
//! operations include the comment directly above as well. Pure functions; the caller has to know whether anything still
//! refers to the definition.

mod indent;
mod style;

use std::ops::Range;

use crate::change::Splice;
use crate::lines::{self, Ending};
use indent::{IndentTarget, closes_block, indent_for};
use style::{Style, style_of};

/// The operation on a definition, with its source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolOperation<'a> {
    /// Replaces the definition by this source.
    Replace(&'a str),
    /// Inserts this source before the definition.
    InsertBefore(&'a str),
    /// Inserts this source after the definition.
    InsertAfter(&'a str),
    /// Removes the definition.
    Delete,
}

/// The place of a definition in its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolPlace<'a> {
    /// Range of its bytes, decorators and attributes included.
    pub bytes: Range<usize>,
    /// The tag of its language: `py`, `rs`, ...
    pub language: &'a str,
}

/// Why the operation is impossible, in words for the caller.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SymbolEditError {
    /// The contents are not those in which the range was found.
    #[error("the definition's range {}..{} does not fit the file, which has changed", .0.start, .0.end)]
    Stale(Range<usize>),
    /// The file is not UTF-8.
    #[error("the file is not UTF-8; its encoding would not survive an edit")]
    NotUtf8,
    /// The definition's text stands in strings of another notation, as in a notebook.
    #[error(
        "the definition is written in strings of a notebook's JSON, where code cannot be put as it is; use edit_text"
    )]
    InStrings,
    /// The source is empty.
    #[error("`source` is empty; to remove the definition use the operation `delete`")]
    EmptySource,
    /// Other code stands on the definition's lines.
    #[error(
        "the definition shares line {line} with other code (`{code}`), so it cannot be taken out as a whole; use edit_text"
    )]
    SharesLine {
        /// Number of the line, 1-based.
        line: usize,
        /// The text of that line.
        code: String,
    },
    /// The definition is a value within something larger.
    #[error(
        "the definition is the value of what line {0} begins, so it cannot be taken out alone; use edit_text"
    )]
    IsValue(
        /// Number of the line, 1-based.
        usize,
    ),
    /// The operation would change nothing.
    #[error("nothing would change: the definition already reads like that")]
    NothingChanges,
}

/// The tag of notebooks.
const NOTEBOOK: &str = "ipynb";

/// Returns the replacements that perform the operation.
///
/// # Errors
/// [`SymbolEditError`] when it is impossible, or would change nothing.
pub fn edit_symbol(
    contents: &[u8],
    place: &SymbolPlace<'_>,
    operation: SymbolOperation<'_>,
) -> Result<Vec<Splice>, SymbolEditError> {
    let text = std::str::from_utf8(contents).map_err(|_| SymbolEditError::NotUtf8)?;
    if place.language == NOTEBOOK {
        return Err(SymbolEditError::InStrings);
    }
    let item = EditedDefinition::new(text, place)?;
    let splice = match operation {
        SymbolOperation::Replace(source) => item.replace(require_source(source)?),
        SymbolOperation::InsertBefore(source) => item.insert_before(require_source(source)?),
        SymbolOperation::InsertAfter(source) => item.insert_after(require_source(source)?),
        SymbolOperation::Delete => item.delete()?,
    };
    if text[splice.range.clone()] == *splice.text {
        Err(SymbolEditError::NothingChanges)
    } else {
        Ok(vec![splice])
    }
}

fn require_source(source: &str) -> Result<&str, SymbolEditError> {
    if source.trim().is_empty() { Err(SymbolEditError::EmptySource) } else { Ok(source) }
}

/// A definition with the text of its file.
struct EditedDefinition<'t> {
    text: &'t str,
    bytes: Range<usize>,
    style: Style,
    /// Offset at which its first line begins.
    first: usize,
    /// Offset at which the first line of the comment directly above it begins; else the same as `first`.
    top: usize,
    indentation: &'t str,
    ending: Ending,
    level: String,
}

/// The code above or below an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Neighbour {
    /// Number of empty lines between.
    blanks: usize,
    /// True if it is code or a comment as deep as the item or deeper: the end or the beginning of another item.
    is_sibling: bool,
    /// Offset at which the empty lines begin or end, on the far side from the item.
    edge: usize,
}

impl<'t> EditedDefinition<'t> {
    fn new(text: &'t str, place: &SymbolPlace<'_>) -> Result<Self, SymbolEditError> {
        let stale = || SymbolEditError::Stale(place.bytes.clone());
        let said = text.get(place.bytes.clone()).ok_or_else(stale)?;
        let kept = said.trim();
        if kept.is_empty() {
            return Err(stale());
        }
        // Some grammars count the newline behind a definition, or the blanks before it, as part of it.
        let start = place.bytes.start + (said.len() - said.trim_start().len());
        let first = lines::line_start(text, start);
        let style = style_of(place.language);
        // The definition's own lines are preferred: text elsewhere may have another layout.
        let own = &text[first..start + kept.len()];
        let level = indent::level_of(own).or_else(|| indent::level_of(text));
        Ok(Self {
            text,
            bytes: start..start + kept.len(),
            style,
            first,
            top: style.comment_above(text, first),
            indentation: lines::indentation_of(&text[first..]),
            ending: lines::ending_near(text, start),
            level: level.unwrap_or_else(|| "    ".to_owned()),
        })
    }

    fn indent_source(&self, source: &str) -> String {
        let place = IndentTarget {
            indentation: self.indentation,
            ending: self.ending,
            style: self.style,
            level: &self.level,
        };
        indent_for(source, place)
    }

    fn replace(&self, source: &str) -> Splice {
        let mut range = self.bytes.clone();
        let brings_comment = self.style.is_comment(source.trim_start());
        let stands_alone = self.text[self.first..self.bytes.start].trim().is_empty();
        if brings_comment && stands_alone && !self.style.is_comment(&self.text[range.clone()]) {
            range.start = self.top + lines::indentation_of(&self.text[self.top..]).len();
        }
        let text = self.indent_source(source);
        // The separator behind a definition is no part of it, but people write it in their source.
        let behind = self.text[range.end..].chars().next().filter(|c| matches!(c, ';' | ','));
        if behind.is_some_and(|c| text.ends_with(c)) {
            range.end += 1;
        }
        Splice { range, text }
    }

    fn insert_before(&self, source: &str) -> Splice {
        let gap = self.blank_lines_between(source, self.neighbour_above(), self.neighbour_below());
        let text =
            format!("{}{}{}", self.indentation, self.indent_source(source), self.ending.repeat(gap + 1));
        Splice { range: self.top..self.top, text }
    }

    fn insert_after(&self, source: &str) -> Splice {
        let gap = self.blank_lines_between(source, self.neighbour_below(), self.neighbour_above());
        let text =
            format!("{}{}{}", self.ending.repeat(gap + 1), self.indentation, self.indent_source(source));
        let at = lines::line_end(self.text, self.bytes.end);
        Splice { range: at..at, text }
    }

    /// Returns the number of empty lines between the item and a new one: as many as there are to its neighbours.
    fn blank_lines_between(&self, source: &str, nearest: Neighbour, other: Neighbour) -> usize {
        let mut seen = [nearest, other].into_iter().filter(|one| one.is_sibling).map(|one| one.blanks);
        match (has_block(source), has_block(&self.text[self.first..self.bytes.end])) {
            (false, false) => seen.min().unwrap_or(0),
            (false, true) => seen.next().unwrap_or_else(|| self.usual_gap()),
            (true, _) => seen.next().filter(|blanks| *blanks > 0).unwrap_or_else(|| self.usual_gap()),
        }
    }

    fn usual_gap(&self) -> usize {
        if self.style.by_indentation && self.indentation.is_empty() { 2 } else { 1 }
    }

    fn delete(&self) -> Result<Splice, SymbolEditError> {
        let is_alone = self.text[self.first..self.bytes.start].trim().is_empty();
        if !is_alone {
            return Err(self.shares_line(self.first));
        }
        let tail = self.style.tail(self.text, self.bytes.end);
        tail.ok_or_else(|| self.shares_line(lines::line_start(self.text, self.bytes.end)))?;
        if let Some(line) = lines::line_before(self.text, self.top)
            && ["=", "=>"].iter().any(|sign| self.text[line.clone()].trim_end().ends_with(sign))
        {
            return Err(SymbolEditError::IsValue(lines::line_number(self.text, line.start)));
        }
        if self.is_all_of_a_block() {
            let text = format!("{}pass", self.indentation);
            return Ok(Splice { range: self.top..lines::line_end(self.text, self.bytes.end), text });
        }
        Ok(Splice { range: self.without_blanks(), text: String::new() })
    }

    fn shares_line(&self, start: usize) -> SymbolEditError {
        let code = self.text[start..lines::line_end(self.text, start)].trim();
        let code = code.chars().take(80).collect();
        SymbolEditError::SharesLine { line: lines::line_number(self.text, start), code }
    }

    /// Returns the lines of the item, with the empty lines that are not needed any more: between two other items the
    /// larger number of those above and below stays, at the beginning or end of a block or file none.
    fn without_blanks(&self) -> Range<usize> {
        let (above, below) = (self.neighbour_above(), self.neighbour_below());
        let (start, end) = (self.top, lines::next_line(self.text, self.bytes.end));
        match (above.is_sibling, below.is_sibling) {
            (true, true) if above.blanks < below.blanks => above.edge..end,
            (_, true) => start..below.edge,
            (true, false) => self.to_the_end(above.edge..end),
            (false, false) if closes_block(&self.text[below.edge..]) => {
                self.to_the_end(above.edge..below.edge)
            }
            (false, false) => above.edge..end,
        }
    }

    /// Extends the range so that a file without a newline at its end still has none when its last item is gone.
    fn to_the_end(&self, range: Range<usize>) -> Range<usize> {
        let is_open = range.end == self.text.len() && !self.text.ends_with('\n');
        let start =
            if is_open { lines::line_before(self.text, range.start).map(|line| line.end) } else { None };
        start.unwrap_or(range.start)..range.end
    }

    /// Returns true if the item is the whole block, where a block must not be empty.
    fn is_all_of_a_block(&self) -> bool {
        if !self.style.by_indentation || self.indentation.is_empty() {
            return false;
        }
        let is_code = |line: &&str| !line.trim().is_empty() && !self.style.is_comment(line.trim_start());
        let before = self.text[..self.top].lines().rev().find(is_code);
        let after = self.text[lines::next_line(self.text, self.bytes.end)..].lines().find(is_code);
        before.is_none_or(|line| !self.is_as_deep(line) || self.opens_block(line))
            && after.is_none_or(|line| !self.is_as_deep(line))
    }

    fn neighbour_above(&self) -> Neighbour {
        let (mut edge, mut blanks) = (self.top, 0);
        while let Some(line) = lines::line_before(self.text, edge) {
            let said = &self.text[line.clone()];
            if !said.trim().is_empty() {
                return Neighbour {
                    blanks,
                    is_sibling: self.is_as_deep(said) && !self.opens_block(said),
                    edge,
                };
            }
            (edge, blanks) = (line.start, blanks + 1);
        }
        Neighbour { blanks, is_sibling: false, edge }
    }

    fn neighbour_below(&self) -> Neighbour {
        let (mut edge, mut blanks) = (lines::next_line(self.text, self.bytes.end), 0);
        while edge < self.text.len() {
            let said = &self.text[edge..lines::line_end(self.text, edge)];
            if !said.trim().is_empty() {
                return Neighbour { blanks, is_sibling: self.is_as_deep(said) && !closes_block(said), edge };
            }
            (edge, blanks) = (lines::next_line(self.text, edge), blanks + 1);
        }
        Neighbour { blanks, is_sibling: false, edge }
    }

    fn is_as_deep(&self, line: &str) -> bool {
        lines::indentation_of(line).len() >= self.indentation.len()
    }

    /// Returns true if a line above an item is the head of the item's block.
    fn opens_block(&self, line: &str) -> bool {
        let said = line.trim();
        let ends = said.ends_with(['{', '(']) || (self.style.by_indentation && said.ends_with(':'));
        ends && !self.style.is_comment(said)
    }
}

/// Returns true if some of the source is indented deeper than its first line.
fn has_block(source: &str) -> bool {
    let source = source.trim_matches(['\r', '\n']).trim_end();
    let depth = |line: &str| lines::indentation_of(line).len();
    let first = source.lines().next().map_or(0, depth);
    source.lines().skip(1).any(|line| depth(line) > first)
}

#[cfg(test)]
mod tests;
