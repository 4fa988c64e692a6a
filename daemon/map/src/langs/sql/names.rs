//! Reads names: `orders`, `sales.orders`, `"Orders"`, `[dbo].[Orders]`.

use super::tokens::{Token, TokenKind};
use super::words::{is_reserved, is_word, text_of};

/// Most parts of a name: server, database, schema, name.
const MOST_PARTS: usize = 4;

/// Schemas in which a name without one is looked up.
const DEFAULT_SCHEMAS: [&str; 2] = ["public", "dbo"];

/// Schemas that belong to the database itself.
const OWN_SCHEMAS: [&str; 3] = ["information_schema", "pg_catalog", "sys"];

/// A name, without quotes and without a default schema.
#[derive(Clone, Debug)]
pub(super) struct SqlName {
    pub(super) text: String,
    /// The byte at which its last part begins.
    pub(super) at: usize,
    /// The number of the token behind it.
    pub(super) next: usize,
}

impl SqlName {
    /// Returns the part behind the schema.
    pub(super) fn last_part(&self) -> &str {
        self.text.rsplit('.').next().unwrap_or(&self.text)
    }

    /// Returns true if the name has a schema, whose members no path can name.
    pub(super) fn has_schema(&self) -> bool {
        self.text.contains('.')
    }
}

/// The tokens of a statement, with questions about them; a place is the number of a token.
#[derive(Clone, Copy)]
pub(super) struct TokenList<'a> {
    pub(super) source: &'a [u8],
    pub(super) tokens: &'a [Token],
}

impl<'a> TokenList<'a> {
    pub(super) fn get(&self, at: usize) -> Option<Token> {
        self.tokens.get(at).copied()
    }

    /// Returns true if the token at a place is one of these words.
    pub(super) fn is(&self, at: usize, words: &[&str]) -> bool {
        self.get(at).is_some_and(|token| is_word(self.source, token, words))
    }

    /// Returns true if the token before a place is one of these words.
    pub(super) fn is_before(&self, at: usize, words: &[&str]) -> bool {
        at.checked_sub(1).is_some_and(|before| self.is(before, words))
    }

    pub(super) fn is_symbol(&self, at: usize, symbol: u8) -> bool {
        self.get(at).is_some_and(|token| token.kind == TokenKind::Symbol(symbol))
    }

    /// Returns the place behind all of these words that stand there.
    pub(super) fn skip(&self, mut at: usize, words: &[&str]) -> usize {
        while self.is(at, words) {
            at += 1;
        }
        at
    }

    /// Returns the text of a token that may be a part of a name, and the byte at which it begins.
    pub(super) fn part(&self, at: usize) -> Option<(&'a str, usize)> {
        let token = self.get(at)?;
        let text = text_of(self.source, token);
        match token.kind {
            TokenKind::Word => Some((text, token.from)),
            TokenKind::Quoted => Some((text.get(1..text.len().saturating_sub(1))?, token.from + 1)),
            _ => None,
        }
        .filter(|(text, _)| !text.is_empty() && !text.contains('.'))
    }

    /// Returns true if the token is a plain word that SQL reserves.
    pub(super) fn is_keyword(&self, at: usize) -> bool {
        let word = self.get(at).filter(|token| token.kind == TokenKind::Word);
        word.is_some_and(|word| is_reserved(text_of(self.source, word)))
    }

    /// Returns the name that begins at a place; `None` for keywords, and for names of the database's own schemas.
    pub(super) fn name(&self, at: usize) -> Option<SqlName> {
        if self.is_keyword(at) {
            return None;
        }
        let mut parts = vec![self.part(at)?];
        let mut next = at + 1;
        while self.is_symbol(next, b'.') && parts.len() < MOST_PARTS {
            parts.push(self.part(next + 1)?);
            next += 2;
        }
        if parts.len() > 1 && is_one_of(&OWN_SCHEMAS, parts[parts.len() - 2].0) {
            return None;
        }
        if parts.len() > 1 && is_one_of(&DEFAULT_SCHEMAS, parts[parts.len() - 2].0) {
            parts.drain(..parts.len() - 1);
        }
        let from = parts.last()?.1;
        let text = parts.iter().map(|(text, _)| *text).collect::<Vec<_>>().join(".");
        Some(SqlName { text, at: from, next })
    }

    /// Returns the place behind the parenthesis that closes the one at a place, at most `most` tokens on.
    pub(super) fn behind_parentheses(&self, at: usize, most: usize) -> usize {
        let mut depth = 0_usize;
        for (number, token) in self.tokens.iter().enumerate().skip(at).take(most) {
            match token.kind {
                TokenKind::Symbol(b'(') => depth += 1,
                TokenKind::Symbol(b')') if depth <= 1 => return number + 1,
                TokenKind::Symbol(b')') => depth -= 1,
                _ => {}
            }
        }
        self.tokens.len().min(at.saturating_add(most))
    }
}

fn is_one_of(names: &[&str], text: &str) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(text))
}
