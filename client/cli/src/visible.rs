//! Makes control characters visible: names and lines of a project must not steer the terminal, nor look different from
//! their bytes.
//!
//! There are two kinds: characters that move the cursor and the like, and Unicode's invisible ones, which reverse the
//! order of letters or hide among them ("Trojan Source"). This applies only to terminals: output into a pipe or a file
//! stays as it is, byte for byte. hob's own few colours pass wherever they come from: a name can do no more with them
//! than be coloured. A JSON document stays one, with the same contents. Where a text has to stay on its line,
//! [`on_one_line`] replaces its line ends, wherever the text goes.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::de::IgnoredAny;

/// The codes that may stand between `ESC [` and `m`: [`super::term`] and `hob grep` write these.
const COLOURS: &[&[u8]] = &[b"0", b"1", b"2", b"31", b"32", b"33", b"35", b"1;31"];

const ESCAPE: u8 = 0x1b;

/// The notation for a character that a terminal must not get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// In words: `^[`, `<9b>`, `<U+202E>`.
    Words,
    /// `\u001b`, as in a JSON string.
    Json,
}

/// Returns the text for a terminal: every control character except line ends, tabs, NULs (which separate) and hob's
/// colours, and every invisible one, is replaced by words, or by JSON escapes if the text is a JSON object.
pub(crate) fn make_visible(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.iter().enumerate().any(|(at, _)| hidden_char(text, at).is_some()) {
        return Cow::Borrowed(text);
    }
    let is_json = text.starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(text).is_ok();
    Cow::Owned(escape_hidden(text, if is_json { Form::Json } else { Form::Words }))
}

fn escape_hidden(text: &[u8], form: Form) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 16);
    let mut at = 0;
    while at < text.len() {
        if let Some(end) = colour_length(&text[at..]).filter(|_| form == Form::Words) {
            out.extend_from_slice(&text[at..at + end]);
            at += end;
            continue;
        }
        match hidden_char(text, at) {
            None => {
                out.push(text[at]);
                at += 1;
            }
            Some(c) => {
                out.extend_from_slice(char_in_words(c, form).as_bytes());
                at += c.len_utf8();
            }
        }
    }
    out
}

fn char_in_words(c: char, form: Form) -> String {
    let mut units = [0; 2];
    match (form, u32::from(c)) {
        (Form::Json, _) => c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
        (Form::Words, 0x7f) => "^?".to_owned(),
        (Form::Words, code @ ..0x20) => format!("^{}", char::from(code as u8 + b'@')),
        (Form::Words, code @ 0x80..0xa0) => format!("<{code:02x}>"),
        (Form::Words, code) => format!("<U+{code:04X}>"),
    }
}

/// Returns the character that begins at `at`, if a terminal must not get it.
fn hidden_char(text: &[u8], at: usize) -> Option<char> {
    match text[at] {
        b'\n' | b'\t' | 0 => None,
        b'\r' if text.get(at + 1) == Some(&b'\n') => None,
        ESCAPE if colour_length(&text[at..]).is_some() => None,
        byte if byte < b' ' || byte == 0x7f => Some(char::from(byte)),
        // The first byte of a character of several bytes.
        0xc2.. => {
            let bytes = &text[at..text.len().min(at + 4)];
            let c = bytes.utf8_chunks().next()?.valid().chars().next()?;
            let is_hidden = c.is_control() || is_invisible(c) || (is_joiner(c) && !is_joining(text, at, c));
            is_hidden.then_some(c)
        }
        _ => None,
    }
}

/// Returns true if a character has no shape of its own and changes how others are read: Unicode's format characters,
/// except those that scripts need.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e007f}')
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Returns true if a joiner stands where scripts and emoji need one: between two characters that are not ASCII.
fn is_joining(text: &[u8], at: usize, c: char) -> bool {
    let is_other = |byte: Option<&u8>| byte.is_some_and(|byte| !byte.is_ascii());
    is_other(at.checked_sub(1).and_then(|before| text.get(before))) && is_other(text.get(at + c.len_utf8()))
}

/// Returns a name, or a sentence with names, with line ends and tabs replaced by words, so that no file's name makes a
/// line of its own.
pub(crate) fn on_one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(['\n', '\r', '\t']) {
        return Cow::Borrowed(text);
    }
    let word =
        |c: char| if matches!(c, '\n' | '\r' | '\t') { char_in_words(c, Form::Words) } else { c.to_string() };
    Cow::Owned(text.chars().map(word).collect())
}

/// Returns a text without invisible characters, for output that is not a terminal's.
pub(crate) fn in_words(text: &str) -> Cow<'_, str> {
    if !text.contains(is_invisible) {
        return Cow::Borrowed(text);
    }
    let word = |c: char| if is_invisible(c) { char_in_words(c, Form::Words) } else { c.to_string() };
    Cow::Owned(text.chars().map(word).collect())
}

/// Returns the length in bytes of the colour code with which a text begins; `None` without one.
fn colour_length(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"\x1b[")?;
    let end = rest.iter().position(|byte| *byte == b'm')?;
    COLOURS.contains(&&rest[..end]).then_some(end + 3)
}

/// A stream that makes control characters visible if it is a terminal. A writer must write a whole text at once.
pub(crate) struct Visible<W> {
    inner: W,
    is_terminal: bool,
    form: Form,
}

impl<W> Visible<W> {
    /// Wraps `inner`; `is_terminal` tells whether its output ends at a terminal.
    pub(crate) fn new(inner: W, is_terminal: bool, form: Form) -> Self {
        Self { inner, is_terminal, form }
    }
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.is_terminal {
            true => self.inner.write_all(&escape_hidden(bytes, self.form)).map(|()| bytes.len()),
            false => self.inner.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &[u8]) -> String {
        String::from_utf8_lossy(&make_visible(text)).into_owned()
    }

    #[test]
    fn nothing_but_lines_tabs_and_our_colours_gets_through() {
        assert_eq!(shown("plain\tüñ\r\n\0".as_bytes()), "plain\tüñ\r\n\0");
        assert_eq!(
            shown(b"\x1b[1;31merror:\x1b[0m \x1b[35mpath\x1b[0m"),
            "\x1b[1;31merror:\x1b[0m \x1b[35mpath\x1b[0m"
        );
        assert_eq!(shown(b"a\x1b]0;title\x07b"), "a^[]0;title^Gb");
        assert_eq!(shown(b"\x1b[2J\x1b[8mhidden\x1b[31;1m"), "^[[2J^[[8mhidden^[[31;1m");
        assert_eq!(shown(b"real\rfake\x08\x7f"), "real^Mfake^H^?");
        assert_eq!(shown("c1\u{9b}2J".as_bytes()), "c1<9b>2J");
        assert_eq!(shown(b"\x1b[\x1b["), "^[[^[[");
    }

    #[test]
    fn what_is_invisible_is_told() {
        let bidi = ['\u{61c}', '\u{200e}', '\u{200f}'].into_iter().chain('\u{202a}'..='\u{202e}');
        for c in bidi.chain('\u{2066}'..='\u{2069}').chain(['\u{200b}', '\u{feff}', '\u{2028}', '\u{e0041}'])
        {
            let text = format!("gpj{c}.exe");
            assert_eq!(shown(text.as_bytes()), format!("gpj<U+{:04X}>.exe", u32::from(c)));
            assert_eq!(in_words(&text), format!("gpj<U+{:04X}>.exe", u32::from(c)));
            let json = serde_json::json!({ "file": text }).to_string();
            let escaped = shown(json.as_bytes());
            assert!(escaped.is_ascii(), "{escaped}");
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&escaped).expect("JSON")["file"],
                text.as_str()
            );
        }
        // Joiners are letters of some scripts, and parts of emoji; between ASCII characters they only hide.
        assert_eq!(
            shown("نمی\u{200c}خواهم 👩\u{200d}💻 ad\u{200d}min".as_bytes()),
            "نمی\u{200c}خواهم 👩\u{200d}💻 ad<U+200D>min"
        );
        assert_eq!(shown("{\"c1\": \"\u{9b}\"}\n".as_bytes()), "{\"c1\": \"\\u009b\"}\n");
        // Invalid UTF-8, and text that ends within a character, pass.
        assert_eq!(make_visible(b"\xff\xe2\x80 \xe2\x80"), &b"\xff\xe2\x80 \xe2\x80"[..]);
    }

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(on_one_line("a\nerror: b\t\r"), "a^Jerror: b^I^M");
        assert_eq!(on_one_line("plain"), "plain");
    }
}
