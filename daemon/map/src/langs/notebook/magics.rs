//! Tells the lines of a cell that IPython reads and Python does not: magics, commands of a shell, questions for help.
//!
//! IPython decides by the beginning of a line, and so does this module. A line in the middle of an expression that
//! begins with `%` and a blank is an operator of Python. Words that do nothing take the place of a magic, so that the
//! block around it stays a block.

/// The magics at the beginning of a cell whose rest is Python all the same.
const PYTHON_CELLS: &[&str] =
    &["capture", "debug", "ipytest", "memit", "prun", "px", "pypy", "python", "python3", "time", "timeit"];
/// Words that some hosts allow alone before a cell in another language.
const OTHER_CELLS: &[&str] = &["bash", "fs", "html", "md", "r", "scala", "sh", "sql"];

/// The part of a line that stays code.
#[derive(Debug)]
pub(super) struct CodeOfLine {
    /// The length of its beginning that is kept.
    pub(super) bytes: usize,
    /// The words of Python that follow it.
    pub(super) then: &'static str,
}

/// The state that the lines of a cell so far set for those to come.
#[derive(Debug, Default)]
pub(super) struct CellMagic {
    /// True if a line with more than blanks has been read.
    begun: bool,
    /// True if the cell is in another language.
    foreign: bool,
    /// True if the last line was a command that goes on in the next.
    goes_on: bool,
}

impl CellMagic {
    /// Reads the next line of the cell; `None` if all of it is code.
    pub(super) fn read_line(&mut self, line: &str) -> Option<CodeOfLine> {
        let begins = !self.begun;
        let blanks = line.len() - line.trim_start().len();
        let said = line.trim();
        self.begun |= !said.is_empty();
        if begins && is_foreign_cell(said) {
            self.foreign = true;
        }
        if self.foreign || self.goes_on {
            self.goes_on = self.goes_on && said.ends_with('\\');
            return Some(CodeOfLine { bytes: 0, then: "" });
        }
        let kept = if is_magic(said) {
            CodeOfLine { bytes: blanks, then: "pass" }
        } else {
            CodeOfLine { bytes: assigned_magic(line)?, then: " None" }
        };
        self.goes_on = said.ends_with('\\');
        Some(kept)
    }
}

/// Returns true if the first line of a cell says that the cell is in another language.
fn is_foreign_cell(line: &str) -> bool {
    if let Some(magic) = line.strip_prefix("%%") {
        return !PYTHON_CELLS.contains(&magic.split_whitespace().next().unwrap_or(""));
    }
    let alone = line.strip_prefix('%').filter(|word| !word.contains(char::is_whitespace));
    alone.is_some_and(|word| OTHER_CELLS.contains(&word))
}

/// Returns true if a line without its indentation is IPython's: `%magic`, `!command`, `?name`, `name?`.
fn is_magic(line: &str) -> bool {
    let is_name = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '*'))
    };
    begins_magic(line)
        || line.starts_with('?')
        || line.strip_suffix('?').is_some_and(|rest| is_name(rest.strip_suffix('?').unwrap_or(rest)))
}

/// Returns true if code begins with `%magic` or `!command`.
fn begins_magic(code: &str) -> bool {
    let name = code.strip_prefix('%').map(|rest| rest.trim_start_matches('%'));
    let is_line = name.is_some_and(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    is_line || (code.starts_with('!') && !code.starts_with("!="))
}

/// Returns the length of the code in `files = !ls`, up to and including the `=`; `None` if the line is no such
/// assignment.
fn assigned_magic(line: &str) -> Option<usize> {
    let at = line.find('=')?;
    let is_target = |c: char| c.is_alphanumeric() || matches!(c, '_' | ',' | '.' | ' ');
    let (target, value) = (line[..at].trim(), line[at + 1..].trim_start());
    (!target.is_empty() && target.chars().all(is_target) && begins_magic(value)).then_some(at + 1)
}

/// Returns the character that an escape of JSON at the beginning of `text` stands for, and the length of the escape; a
/// question mark for a broken one.
pub(super) fn unescape(text: &[u8]) -> (char, usize) {
    match text.get(1) {
        Some(b'n') => ('\n', 2),
        Some(b't') => ('\t', 2),
        // The end of a line is the `\n` behind this.
        Some(b'r' | b'b' | b'f') => (' ', 2),
        Some(b'u') => unescape_unicode(text),
        Some(&other) if other.is_ascii() => (char::from(other), 2),
        Some(_) | None => ('?', 1),
    }
}

/// Reads `\u00e9`, or two of them for a character outside the basic plane.
fn unescape_unicode(text: &[u8]) -> (char, usize) {
    let unit = |from: usize| {
        let digits = text.get(from..from + 4).and_then(|digits| std::str::from_utf8(digits).ok())?;
        u16::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(2) else { return ('?', text.len().min(2)) };
    let second = unit(8).filter(|_| text.get(6..8) == Some(b"\\u"));
    let units = [first, second.unwrap_or(0)];
    match char::decode_utf16(units).next() {
        Some(Ok(letter)) => (letter, 6 * letter.len_utf16()),
        _ => ('?', 6),
    }
}
