//! Decides colours, width and printing once, from the kinds of the streams.
//!
//! Renderers make strings and print nothing, so that they can be tested. Everything that is printed goes through here,
//! where a closed pipe is the normal end of `hob ... | head` and not an error, and where a terminal gets control
//! characters only as words (`visible.rs`).

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use super::visible::make_visible;

/// The style of writing to one stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Style {
    /// True if to write escape codes for colours.
    pub(crate) colour: bool,
    /// Columns of the terminal; `None` when the stream is no terminal, and then nothing is shortened.
    pub(crate) width: Option<usize>,
}

impl Style {
    /// Returns the style for standard output.
    pub(crate) fn of_stdout() -> Self {
        Self::of_stream(io::stdout().is_terminal())
    }

    /// Returns the style for standard error.
    pub(crate) fn of_stderr() -> Self {
        Self::of_stream(io::stderr().is_terminal())
    }

    fn of_stream(is_terminal: bool) -> Self {
        Self { colour: is_terminal && colours_wanted(), width: is_terminal.then(terminal_columns) }
    }

    /// Paints headings and names in bold.
    pub(crate) fn bold<'a>(&self, text: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
        self.paint("1", text.into())
    }

    /// Paints text faint that a reader may overlook.
    pub(crate) fn dim<'a>(&self, text: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
        self.paint("2", text.into())
    }

    /// Paints paths in their colour.
    pub(crate) fn path<'a>(&self, text: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
        self.paint("35", text.into())
    }

    /// Paints line numbers in their colour.
    pub(crate) fn line<'a>(&self, text: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
        self.paint("32", text.into())
    }

    /// Paints failures in bold red.
    pub(crate) fn alarm<'a>(&self, text: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
        self.paint("1;31", text.into())
    }

    /// Paints good states in green.
    pub(crate) fn good<'a>(&self, text: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
        self.paint("32", text.into())
    }

    /// Paints warnings and matches in yellow.
    pub(crate) fn notice<'a>(&self, text: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
        self.paint("33", text.into())
    }

    /// Puts the word `note:` before a sentence.
    pub(crate) fn note(&self, sentence: impl Display) -> String {
        format!("{} {sentence}", self.notice("note:"))
    }

    fn paint<'a>(&self, code: &str, text: Cow<'a, str>) -> Cow<'a, str> {
        if self.colour && !text.is_empty() { Cow::Owned(format!("\x1b[{code}m{text}\x1b[0m")) } else { text }
    }

    /// Cuts `text` to the columns that are left after `used`, if the stream is a terminal.
    pub(crate) fn cut_to_width<'a>(&self, text: &'a str, used: usize) -> Cow<'a, str> {
        let Some(width) = self.width else { return Cow::Borrowed(text) };
        let left = width.saturating_sub(used).max(20);
        match text.char_indices().nth(left.saturating_sub(1)) {
            Some((cut, c)) if cut + c.len_utf8() < text.len() => Cow::Owned(format!("{}…", &text[..cut])),
            _ => Cow::Borrowed(text),
        }
    }
}

/// Returns false if the variable of <https://no-color.org> has any non-empty value.
fn colours_wanted() -> bool {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != OsStr::new("dumb"))
}

fn terminal_columns() -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    said.or_else(ask_columns).filter(|columns| *columns >= 40).unwrap_or(100)
}

#[cfg(unix)]
fn ask_columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    Some(usize::from(size.ws_col))
}

#[cfg(not(unix))]
fn ask_columns() -> Option<usize> {
    None
}

/// Writes to standard output. A reader that closed the pipe has read enough.
///
/// # Errors
/// Any other error of the system.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let is_terminal = out.is_terminal();
    let bytes = if is_terminal { make_visible(text.as_bytes()) } else { Cow::Borrowed(text.as_bytes()) };
    match out.write_all(&bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Returns true if a person at a terminal can be asked.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Asks a question at the terminal; any answer but a yes is a no.
///
/// # Errors
/// The system's error of reading or writing.
pub(crate) fn ask_yes_or_no(question: &str) -> io::Result<bool> {
    print(&format!("{question} [y/N] "))?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Writes a line to standard error; an error is ignored, because there is nowhere to report it.
pub(crate) fn print_to_stderr(line: &str) {
    let mut err = io::stderr().lock();
    let is_terminal = err.is_terminal();
    let bytes = if is_terminal { make_visible(line.as_bytes()) } else { Cow::Borrowed(line.as_bytes()) };
    let _ = err.write_all(&bytes).and_then(|()| err.write_all(b"\n"));
}

/// Writes a note to standard error, as a line.
pub(crate) fn note_to_stderr(sentence: &str) {
    print_to_stderr(&Style::of_stderr().note(sentence));
}

/// Writes an error to standard error, as a line.
pub(crate) fn error_to_stderr(sentence: impl Display) {
    print_to_stderr(&format!("{} {sentence}", Style::of_stderr().alarm("error:")));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_only_when_wanted() {
        let plain = Style::default();
        assert_eq!(plain.bold("x"), "x");
        let colour = Style { colour: true, width: None };
        assert_eq!(colour.bold("x"), "\u{1b}[1mx\u{1b}[0m");
        assert_eq!(colour.dim(""), "");
    }

    #[test]
    fn lines_are_cut_only_on_a_terminal() {
        let text = "é".repeat(50);
        assert_eq!(Style::default().cut_to_width(&text, 0), text);
        let narrow = Style { colour: false, width: Some(40) };
        assert_eq!(narrow.cut_to_width(&text, 10).chars().count(), 30);
        assert_eq!(narrow.cut_to_width("short", 10), "short");
        let exact = "x".repeat(30);
        assert_eq!(narrow.cut_to_width(&exact, 10), exact);
    }
}
