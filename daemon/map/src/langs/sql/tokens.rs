//! Splits SQL into tokens, as far as dialects agree on them.
//!
//! Where they disagree, the text decides: a bracket is a quoted name only if it holds one, and a backslash keeps a
//! string open only if the string seems to go on. The body of a routine in PostgreSQL's dollar quotes is read like the
//! text around it.

use memchr::memmem::find;

/// Longest name in brackets, in bytes. SQL Server takes 128 characters.
const LONGEST_NAME: usize = 520;

/// Most nested dollar quotes that are told apart; more would make the search for their ends take quadratic time.
const MOST_BODIES: usize = 4;

/// The kinds of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    /// A keyword or a plain name.
    Word,
    /// A name in quotes, back-ticks or brackets.
    Quoted,
    /// A string or a number.
    Value,
    /// A parameter, a variable or a temporary table: `@x`, `:x`, `$1`, `#x`.
    Variable,
    /// Any other character.
    Symbol(u8),
    /// The beginning or the end of a text in dollar quotes.
    Body,
    /// The end of a statement by a line of its own or by a `DELIMITER`.
    End,
}

/// A token and the bytes that it takes, quotes included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// The tokens of a text, in order.
pub(super) struct Tokens<'s> {
    source: &'s [u8],
    at: usize,
    /// True if only blanks stand before the current place on its line.
    is_line_start: bool,
    delimiter: Option<&'s [u8]>,
    /// The dollar quotes around the current place.
    bodies: Vec<DollarBody>,
    /// True once a dollar quote had no end: the ends of further ones are not looked for.
    is_unclosed: bool,
    /// The range of the comments right before the current place.
    comments: Option<(usize, usize)>,
}

struct DollarBody {
    end: usize,
    mark: usize,
}

impl<'s> Tokens<'s> {
    pub(super) fn new(source: &'s [u8]) -> Self {
        Self {
            source,
            at: hob_base::line_index::mark_len(source),
            is_line_start: true,
            delimiter: None,
            bodies: Vec::new(),
            is_unclosed: false,
            comments: None,
        }
    }

    /// Returns true while `DELIMITER` has replaced the semicolon.
    pub(super) fn has_delimiter(&self) -> bool {
        self.delimiter.is_some()
    }

    /// Returns the range of the comments between the previous token and this one, if they belong to this one.
    pub(super) fn comments_before(&self, token: Token) -> Option<(usize, usize)> {
        let (from, to) = self.comments?;
        let between = self.source.get(to..token.from)?;
        let newlines = memchr::memchr_iter(b'\n', between).count();
        (newlines <= 1 && between.iter().all(u8::is_ascii_whitespace)).then_some((from, to))
    }

    /// Passes over the data that follow `COPY … FROM stdin`, if they have an end.
    pub(super) fn skip_copied_data(&mut self) {
        let rest = &self.source[self.at..];
        if let Some(length) = find(rest, b"\n\\.") {
            self.at += length + 3;
        }
    }

    pub(super) fn next_token(&mut self) -> Option<Token> {
        self.comments = None;
        self.skip_blanks_and_comments();
        let from = self.at;
        let first = *self.source.get(from)?;
        let is_line_start = std::mem::take(&mut self.is_line_start);
        let kind = self
            .delimiter_here()
            .or_else(|| self.body_end())
            .or_else(|| if is_line_start { self.line_of_its_own() } else { None })
            .unwrap_or_else(|| self.plain_token(first));
        self.at = self.at.max(from + 1);
        Some(Token { kind, from, to: self.at })
    }

    fn skip_blanks_and_comments(&mut self) {
        loop {
            let rest = &self.source[self.at..];
            let length = match rest {
                [b'\n', ..] => {
                    self.is_line_start = true;
                    1
                }
                [blank, ..] if blank.is_ascii_whitespace() => 1,
                [b'-', b'-', ..] => self.comment(line_length(rest)),
                [b'/', b'*', ..] => self.comment(find(rest, b"*/").map_or(rest.len(), |end| end + 2)),
                [b'#', b' ' | b'\t' | b'#' | b'!', ..] => self.comment(line_length(rest)),
                [b'#', ..] if self.is_line_start => self.comment(line_length(rest)),
                [b'\\', ..] if self.is_line_start => line_length(rest),
                _ => return,
            };
            self.at += length;
        }
    }

    /// Notes a comment at the current place, joined to one that ends on the line before; returns its length.
    fn comment(&mut self, length: usize) -> usize {
        let joined = self.comments.filter(|&(_, end)| {
            let between = self.source.get(end..self.at).unwrap_or_default();
            memchr::memchr_iter(b'\n', between).count() <= 1
        });
        let trailing = !self.is_line_start && joined.is_none();
        let from = joined.map_or(self.at, |(from, _)| from);
        self.comments = (!trailing).then_some((from, self.at + length));
        length
    }

    fn delimiter_here(&mut self) -> Option<TokenKind> {
        let delimiter = self.delimiter?;
        self.source[self.at..].starts_with(delimiter).then(|| {
            self.at += delimiter.len();
            TokenKind::End
        })
    }

    fn body_end(&mut self) -> Option<TokenKind> {
        let body = self.bodies.pop_if(|body| body.end <= self.at)?;
        self.at = body.end + body.mark;
        Some(TokenKind::Body)
    }

    /// Reads a line of `GO`, `/` or `DELIMITER x`, each of which stands alone.
    fn line_of_its_own(&mut self) -> Option<TokenKind> {
        let rest = &self.source[self.at..];
        let line = rest[..line_length(rest)].trim_ascii();
        let (word, argument) =
            line.split_at(line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len()));
        let argument = argument.trim_ascii();
        if word.eq_ignore_ascii_case(b"delimiter") && !argument.is_empty() {
            self.delimiter = Some(argument).filter(|delimiter| *delimiter != b";");
        } else if !is_end_line(line) {
            return None;
        }
        self.at += line_length(rest);
        Some(TokenKind::End)
    }

    fn plain_token(&mut self, first: u8) -> TokenKind {
        let rest = &self.source[self.at..];
        let (kind, length) = match first {
            b'\'' => (TokenKind::Value, string_length(rest)),
            b'"' | b'`' => quoted_name(rest, first),
            b'[' => self.bracketed_name(rest),
            b'$' => return self.dollar(rest),
            b'@' | b'#' => (TokenKind::Variable, 1 + word_length(&rest[1..])),
            b':' if rest.get(1) == Some(&b':') => (TokenKind::Symbol(first), 2),
            b':' => (TokenKind::Variable, 1 + word_length(&rest[1..])),
            b'0'..=b'9' => (TokenKind::Value, word_length(rest)),
            _ if is_word_byte(first) => (TokenKind::Word, word_length(rest)),
            _ => (TokenKind::Symbol(first), 1),
        };
        self.at += length;
        if kind == TokenKind::Variable && length == 1 { TokenKind::Symbol(first) } else { kind }
    }

    /// Reads `[name]`, unless it is an index or the bounds of an array.
    fn bracketed_name(&self, rest: &[u8]) -> (TokenKind, usize) {
        let before = self.at.checked_sub(1).and_then(|at| self.source.get(at));
        let is_index = before.is_some_and(|&b| is_word_byte(b) || matches!(b, b')' | b']'));
        // The search is short, because a file of brackets that never close would be read to its end from each of them.
        let near = &rest[..rest.len().min(LONGEST_NAME)];
        let length = near.iter().position(|&b| matches!(b, b']' | b'\n')).unwrap_or(0);
        let is_name = rest.get(1).is_some_and(|&b| is_word_byte(b) && !b.is_ascii_digit());
        if is_index || !is_name || rest.get(length) != Some(&b']') {
            return (TokenKind::Symbol(b'['), 1);
        }
        (TokenKind::Quoted, length + 1)
    }

    fn dollar(&mut self, rest: &[u8]) -> TokenKind {
        let mark = 2 + rest[1..].iter().take_while(|&&b| is_word_byte(b) && b != b'$').count();
        let is_parameter = rest.get(1).is_some_and(u8::is_ascii_digit);
        if is_parameter || rest.get(mark - 1) != Some(&b'$') {
            self.at += 1 + word_length(&rest[1..]);
            return TokenKind::Variable;
        }
        let limit = self.bodies.last().map_or(self.source.len(), |body| body.end);
        let inside = self.source.get(self.at + mark..limit).unwrap_or_default();
        let can_search = !self.is_unclosed && self.bodies.len() < MOST_BODIES;
        let length = if can_search { find(inside, &rest[..mark]) } else { None };
        self.is_unclosed |= length.is_none() && can_search;
        self.at += mark;
        match length {
            Some(length) => {
                self.bodies.push(DollarBody { end: self.at + length, mark });
                TokenKind::Body
            }
            None => TokenKind::Symbol(b'$'),
        }
    }
}

/// Returns true if a line, without blanks around it, ends a statement by itself.
pub(super) fn is_end_line(line: &[u8]) -> bool {
    line == b"/" || line.eq_ignore_ascii_case(b"go")
}

pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

fn word_length(text: &[u8]) -> usize {
    text.iter().take_while(|&&b| is_word_byte(b)).count()
}

fn line_length(text: &[u8]) -> usize {
    memchr::memchr(b'\n', text).unwrap_or(text.len())
}

/// Returns the kind and the length of a name in quotes; without an end on its line, the quote stands for itself.
fn quoted_name(text: &[u8], quote: u8) -> (TokenKind, usize) {
    let end = text[1..].iter().position(|&b| b == quote || b == b'\n');
    match end.map(|end| end + 1).filter(|&end| text[end] == quote && end > 1) {
        Some(end) => (TokenKind::Quoted, end + 1),
        None => (TokenKind::Symbol(quote), 1),
    }
}

/// Returns the length of a string. A doubled quote makes two strings of one, which does no harm.
fn string_length(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = text.get(at..).and_then(|rest| memchr::memchr2(b'\'', b'\\', rest)) {
        at += found;
        let ends_behind = matches!(text.get(at + 2), None | Some(b',' | b')' | b';' | b'\n' | b'\r'));
        match (text[at], text.get(at + 1)) {
            (b'\'', _) => return at + 1,
            (_, Some(b'\'')) if ends_behind => return at + 2,
            _ => at += 2,
        }
    }
    text.len()
}
