//! Control characters made visible: names and lines of a project must not steer the terminal.
//!
//! Only for terminals; what goes into a pipe or a file stays as it is, byte for byte. Colours of hob's own are few, and let
//! through wherever they come from: all that a name can do with them is be coloured.

use std::borrow::Cow;
use std::io::{self, Write};

/// What may stand between `ESC [` and `m`: the codes that [`super::term`] and `hob grep` write.
const COLOURS: &[&[u8]] = &[b"0", b"1", b"2", b"31", b"32", b"33", b"35", b"1;31"];

const ESCAPE: u8 = 0x1b;

/// The text as a terminal may have it: every control character but line ends, tabs, NULs (which separate) and hob's colours is
/// written as `^[` and the like.
pub(crate) fn visible(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.iter().enumerate().any(|(at, _)| is_control(text, at)) {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len() + 16);
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            ESCAPE if colour(&text[at..]).is_some() => {
                let end = at + colour(&text[at..]).unwrap_or(1);
                out.extend_from_slice(&text[at..end]);
                at = end;
                continue;
            }
            // The second block of control characters, as UTF-8 has it.
            0xc2 if is_control(text, at) => {
                out.extend_from_slice(format!("<{:02x}>", text[at + 1]).as_bytes());
                at += 2;
                continue;
            }
            0x7f => out.extend_from_slice(b"^?"),
            byte if is_control(text, at) => out.extend_from_slice(&[b'^', byte + b'@']),
            byte => out.push(byte),
        }
        at += 1;
    }
    Cow::Owned(out)
}

fn is_control(text: &[u8], at: usize) -> bool {
    match text[at] {
        b'\n' | b'\t' | 0 => false,
        b'\r' => text.get(at + 1) != Some(&b'\n'),
        byte if byte < b' ' || byte == 0x7f => true,
        0xc2 => text.get(at + 1).is_some_and(|next| (0x80..0xa0).contains(next)),
        _ => false,
    }
}

/// How long the colour is that a text begins with.
fn colour(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"\x1b[")?;
    let end = rest.iter().position(|byte| *byte == b'm')?;
    COLOURS.contains(&&rest[..end]).then_some(end + 3)
}

/// A stream that makes control characters visible if it is a terminal. What belongs together must be written at once.
pub(crate) struct Visible<W> {
    inner: W,
    is_terminal: bool,
}

impl<W> Visible<W> {
    /// For `inner`, which ends up at a terminal or not.
    pub(crate) fn new(inner: W, is_terminal: bool) -> Self {
        Self { inner, is_terminal }
    }
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.is_terminal {
            true => self.inner.write_all(&visible(bytes)).map(|()| bytes.len()),
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
        String::from_utf8_lossy(&visible(text)).into_owned()
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
}
