//! Splits the text of C into words, marks and directives.
//!
//! It does not follow the grammar: nothing is lost behind an error, because nothing is understood. Comments and white
//! space are left out.

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CTokenKind {
    /// A name, a keyword or a number.
    Word,
    /// A string or a character.
    Text,
    /// One byte of anything else.
    Mark(u8),
    /// A directive with all its lines, without the last line ending.
    Directive,
}

/// A stretch of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: CTokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Token {
    /// Returns true if the token is this mark.
    pub(super) fn is(self, mark: u8) -> bool {
        self.kind == CTokenKind::Mark(mark)
    }

    pub(super) fn text(self, source: &[u8]) -> &[u8] {
        source.get(self.start..self.end).unwrap_or(&[])
    }
}

/// Splits a text into tokens.
pub(super) fn tokens(source: &[u8]) -> Vec<Token> {
    let mut lexer = Lexer { source, at: 0 };
    let mut found = Vec::with_capacity(source.len() / 6);
    let mut fresh_line = true;
    while let Some(&byte) = source.get(lexer.at) {
        let start = lexer.at;
        let kind = match byte {
            b'\n' => {
                lexer.at += 1;
                fresh_line = true;
                continue;
            }
            b' ' | b'\t' | b'\r' | b'\x0c' | b'/' | b'\\' if lexer.skip_blank() => continue,
            b'#' if fresh_line => {
                lexer.skip_directive();
                CTokenKind::Directive
            }
            b'"' | b'\'' => {
                lexer.skip_quoted(byte);
                CTokenKind::Text
            }
            _ if is_word(byte) => lexer.skip_word(),
            _ => {
                lexer.at += 1;
                CTokenKind::Mark(byte)
            }
        };
        fresh_line = false;
        found.push(Token { kind, start, end: lexer.at });
    }
    found
}

/// Returns true if a byte is part of a name. Every byte that is not ASCII is, since no mark is one.
pub(super) fn is_word(byte: u8) -> bool {
    WORDS[usize::from(byte)]
}

/// The answers of [`is_word`], which is asked for every byte.
static WORDS: [bool; 256] = {
    let mut words = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let ascii = byte as u8;
        words[byte] = ascii.is_ascii_alphanumeric() || matches!(ascii, b'_' | b'$') || !ascii.is_ascii();
        byte += 1;
    }
    words
};

struct Lexer<'a> {
    source: &'a [u8],
    at: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &[u8] {
        self.source.get(self.at..).unwrap_or(&[])
    }

    /// Skips white space, a line's continuation or a comment; false if there is none.
    fn skip_blank(&mut self) -> bool {
        let rest = self.rest();
        self.at += match rest {
            [b'\\', b'\n', ..] => 2,
            [b'\\', b'\r', b'\n', ..] => 3,
            [b'/', b'/', ..] => line_length(rest),
            [b'/', b'*', ..] => comment_length(rest),
            [byte, ..] if byte.is_ascii_whitespace() => {
                rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count().max(1)
            }
            _ => return false,
        };
        true
    }

    /// Skips a directive. A comment in it may go on in the next line.
    fn skip_directive(&mut self) {
        while let Some(&byte) = self.source.get(self.at) {
            match byte {
                b'\n' => return,
                b'"' => self.skip_quoted(byte),
                b'/' | b'\\' if self.skip_blank() => {}
                _ => self.at += 1,
            }
        }
    }

    /// Skips a string, which the end of the line ends too.
    fn skip_quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(&byte) = self.source.get(self.at) {
            match byte {
                b'\n' => return,
                b'\\' if self.rest().starts_with(b"\\\r\n") => self.at += 3,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
            if byte == quote {
                break;
            }
        }
        self.at = self.at.min(self.source.len());
    }

    /// Skips a name or a number; `R"` begins a raw string.
    fn skip_word(&mut self) -> CTokenKind {
        let is_number = self.rest().first().is_some_and(u8::is_ascii_digit);
        let length = self.rest().iter().take_while(|byte| is_word(**byte)).count();
        self.at += length;
        if is_number {
            // `1'000'000`
            while matches!(self.rest(), [b'\'', next, ..] if next.is_ascii_hexdigit()) {
                self.at += 1 + self.rest()[1..].iter().take_while(|byte| is_word(**byte)).count();
            }
            return CTokenKind::Word;
        }
        let word = &self.source[self.at - length..self.at];
        if self.rest().first() == Some(&b'"') && matches!(word, b"R" | b"LR" | b"uR" | b"UR" | b"u8R") {
            self.skip_raw_string();
            return CTokenKind::Text;
        }
        CTokenKind::Word
    }

    /// Skips a raw string: `"x(...)x"`.
    fn skip_raw_string(&mut self) {
        let rest = self.rest();
        let open = rest.iter().take(20).position(|byte| *byte == b'(');
        let Some(open) = open else { return self.skip_quoted(b'"') };
        let end = [b")", &rest[1..open], b"\""].concat();
        let found = memchr::memmem::find(&rest[open..], &end);
        self.at += found.map_or(rest.len(), |at| open + at + end.len());
    }
}

/// Returns the length of a line, with its continuations.
fn line_length(text: &[u8]) -> usize {
    let mut ends = memchr::memchr_iter(b'\n', text);
    let is_continued = |at: &usize| text[..*at].ends_with(b"\\") || text[..*at].ends_with(b"\\\r");
    ends.find(|at| !is_continued(at)).unwrap_or(text.len())
}

fn comment_length(text: &[u8]) -> usize {
    let mut slashes = memchr::memchr_iter(b'/', &text[3.min(text.len())..]);
    slashes.find(|at| text[at + 2] == b'*').map_or(text.len(), |at| at + 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_tokens(source: &str, expected: &[&str]) {
        let found = tokens(source.as_bytes());
        let texts: Vec<&str> = found.iter().map(|token| &source[token.start..token.end]).collect();
        assert_eq!(texts, expected);
    }

    #[test]
    fn words_marks_texts_and_directives() {
        check_tokens(
            "int a = '\\''; // \"b\n/* c\n d */ s = \"e\\\"/*\" ;\n",
            &["int", "a", "=", "'\\''", ";", "s", "=", "\"e\\\"/*\"", ";"],
        );
        check_tokens("x 1'000'000 R\"y(a)\")y\" z", &["x", "1'000'000", "R\"y(a)\")y\"", "z"]);
        check_tokens("# if A \\\n B /* c\nd */ E\na # b\n", &["# if A \\\n B /* c\nd */ E", "a", "#", "b"]);
        check_tokens("#define URL \"http://x/*\"\nint", &["#define URL \"http://x/*\"", "int"]);
        check_tokens(
            "char *s = \"open\nint é;\n\"\\",
            &["char", "*", "s", "=", "\"open", "int", "é", ";", "\"\\"],
        );
    }
}
