//! Splits the tokens of a text into statements.
//!
//! A semicolon ends a statement, but not in the body of a routine: there `BEGIN` and `CASE` are counted against `END`. Where lines
//! of `GO` or `/` end statements, they alone end a routine; so does a new `CREATE` at the beginning of a line, if an `END` was lost.

use super::tokens::{Token, TokenKind, Tokens, is_end_line};
use super::words::is_word;

/// Most tokens of one statement that are kept: the rest of a longer one is data.
const MOST_TOKENS: usize = 20_000;

/// Most tokens before the name of a routine.
const MOST_HEAD: usize = 24;

/// Words that make a statement one about a routine; the second list has those that make it one about something else.
const ROUTINES: &[&str] = &["FUNCTION", "PROCEDURE", "PROC", "TRIGGER", "PACKAGE", "EVENT"];
const OTHERS: &[&str] = &["TABLE", "VIEW", "INDEX", "TYPE", "SEQUENCE", "SCHEMA", "DATABASE", "USER", "ROLE"];

/// A statement: its tokens without the semicolon at its end, and the comment before it.
pub(super) struct Statement {
    pub(super) tokens: Vec<Token>,
    pub(super) comments: Option<(usize, usize)>,
}

/// The statements of a text, in order.
pub(super) struct Statements<'s> {
    source: &'s [u8],
    tokens: Tokens<'s>,
    /// The first token of the next statement, if it has been read already, with the comment before it.
    held: Option<(Token, Option<(usize, usize)>)>,
    /// True if lines such as `GO` end statements.
    has_end_lines: bool,
}

/// The state of the statement that is being read.
#[derive(Default)]
struct StatementProgress {
    /// True for a `CREATE` or an `ALTER` whose kind of thing is still to come.
    may_be_routine: bool,
    is_routine: bool,
    /// Number of open blocks.
    blocks: usize,
    in_body: bool,
    parentheses: usize,
    last: Option<Token>,
    before_last: Option<Token>,
}

impl<'s> Statements<'s> {
    pub(super) fn new(source: &'s [u8]) -> Self {
        let mut lines = source.split(|&b| b == b'\n');
        let has_end_lines = lines.any(|line| is_end_line(line.trim_ascii()));
        Self { source, tokens: Tokens::new(source), held: None, has_end_lines }
    }

    pub(super) fn next_statement(&mut self) -> Option<Statement> {
        let mut statement = Statement { tokens: Vec::new(), comments: None };
        let mut progress = StatementProgress::default();
        while let Some((token, comments)) = self.next_token() {
            if token.kind == TokenKind::End || self.is_last(token, &mut progress) {
                if statement.tokens.is_empty() {
                    progress = StatementProgress::default();
                    continue;
                }
                self.skip_data(&statement);
                return Some(statement);
            }
            if !statement.tokens.is_empty() && self.begins_another(token, &progress) {
                self.held = Some((token, comments));
                return Some(statement);
            }
            if statement.tokens.is_empty() {
                statement.comments = comments;
            }
            self.note(token, statement.tokens.len(), &mut progress);
            if statement.tokens.len() < MOST_TOKENS {
                statement.tokens.push(token);
            }
        }
        (!statement.tokens.is_empty()).then_some(statement)
    }

    fn next_token(&mut self) -> Option<(Token, Option<(usize, usize)>)> {
        if let Some(held) = self.held.take() {
            return Some(held);
        }
        let token = self.tokens.next_token()?;
        Some((token, self.tokens.comments_before(token)))
    }

    fn is(&self, token: Option<Token>, words: &[&str]) -> bool {
        token.is_some_and(|token| is_word(self.source, token, words))
    }

    /// Counts the block that the tokens before have opened or closed; returns true if the token is the semicolon that
    /// ends the statement.
    fn is_last(&self, token: Token, progress: &mut StatementProgress) -> bool {
        let is_semicolon = token.kind == TokenKind::Symbol(b';');
        if self.is(progress.last, &["END"]) {
            let goes_on = self.is(Some(token), &["IF", "LOOP", "WHILE", "REPEAT", "FOR"]);
            progress.blocks = progress.blocks.saturating_sub(usize::from(!goes_on));
        }
        let no_block = is_semicolon || self.is(Some(token), &["TRAN", "TRANSACTION", "WORK"]);
        let opens = (self.is(progress.last, &["BEGIN"]) && !no_block)
            || (self.is(progress.last, &["CASE"]) && !self.is(progress.before_last, &["END"]));
        progress.blocks += usize::from(opens);
        let is_inside = progress.in_body
            || self.tokens.has_delimiter()
            || (progress.is_routine && (progress.blocks > 0 || self.has_end_lines));
        is_semicolon && !is_inside
    }

    /// Returns true for a `CREATE` inside a statement that begins another one, as behind `IF NOT EXISTS (…)`. In a
    /// routine, it does so only if the routine seems to have lost its end.
    fn begins_another(&self, token: Token, progress: &StatementProgress) -> bool {
        if progress.in_body || progress.parentheses > 0 || !self.is(Some(token), &["CREATE"]) {
            return false;
        }
        let is_privilege = self.is(progress.last, &["GRANT", "REVOKE"])
            || progress.last.is_some_and(|last| last.kind == TokenKind::Symbol(b','));
        let is_at_margin = token.from.checked_sub(1).is_none_or(|at| self.source.get(at) == Some(&b'\n'));
        let ended = progress.last.is_some_and(|last| last.kind == TokenKind::Symbol(b';'));
        if progress.is_routine { is_at_margin && ended } else { !is_privilege }
    }

    fn note(&self, token: Token, number: usize, progress: &mut StatementProgress) {
        match token.kind {
            TokenKind::Body => progress.in_body = !progress.in_body,
            TokenKind::Symbol(b'(') => progress.parentheses += 1,
            TokenKind::Symbol(b')') => progress.parentheses = progress.parentheses.saturating_sub(1),
            TokenKind::Word if progress.parentheses == 0 && number < MOST_HEAD => {
                progress.may_be_routine |= number == 0 && self.is(Some(token), &["CREATE", "ALTER"]);
                progress.is_routine |= progress.may_be_routine && self.is(Some(token), ROUTINES);
                progress.may_be_routine &= !self.is(Some(token), OTHERS);
            }
            _ => {}
        }
        progress.before_last = progress.last.replace(token);
    }

    fn skip_data(&mut self, statement: &Statement) {
        let first = statement.tokens.first().copied();
        if self.is(first, &["COPY"]) && statement.tokens.iter().any(|t| self.is(Some(*t), &["STDIN"])) {
            self.tokens.skip_copied_data();
        }
    }
}
