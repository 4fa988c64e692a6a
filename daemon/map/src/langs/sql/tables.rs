//! Finds the tables that a statement names, by the words before them, with their aliases; and calls, which need no such word.
//!
//! `FROM` is more than the beginning of a list of tables (`EXTRACT(DAY FROM x)`, `IS DISTINCT FROM y`), and so are
//! `UPDATE`, `INTO` and `ON`: each counts only in the places in which a statement has it.

use super::create::Created;
use super::names::{SqlName, TokenList};
use super::tokens::TokenKind;
use super::uses::StatementUses;
use super::words::is_own_type;

/// Words that end a list of tables.
const LIST_ENDS: &[&str] = &[
    "WHERE",
    "SET",
    "GROUP",
    "ORDER",
    "HAVING",
    "LIMIT",
    "UNION",
    "EXCEPT",
    "INTERSECT",
    "MINUS",
    "SELECT",
    "VALUES",
    "RETURNING",
    "WINDOW",
    "CASCADE",
    "RESTRICT",
    "QUALIFY",
    "OFFSET",
    "FETCH",
    "FOR",
    "CONNECT",
    "START",
];

/// Words before an `INTO` that a table follows; elsewhere it names variables.
const BEFORE_INTO: &[&str] = &[
    "INSERT",
    "MERGE",
    "REPLACE",
    "IGNORE",
    "ABORT",
    "ROLLBACK",
    "FAIL",
    "DELAYED",
    "LOW_PRIORITY",
    "HIGH_PRIORITY",
    "COPY",
];

/// Words before a `TABLE` or `VIEW` that several names may follow.
const GIVEN_UP: &[&str] = &["DROP", "TRUNCATE", "LOCK"];

/// Words that may stand between such a word and the table.
const BEFORE_TABLE: &[&str] =
    &["ONLY", "LATERAL", "IF", "NOT", "EXISTS", "LOW_PRIORITY", "IGNORE", "TABLE", "CONCURRENTLY"];

/// Functions with a `FROM` of their own.
const WITH_OWN_FROM: &[&str] = &["EXTRACT", "SUBSTRING", "TRIM", "OVERLAY", "POSITION", "NORMALIZE"];

/// Words that begin a statement, or follow the beginning of a block.
const STATEMENT_STARTS: &[&str] =
    &["BEGIN", "THEN", "ELSE", "LOOP", "AS", "DO", "EXPLAIN", "ANALYZE", "ATOMIC", "IS"];

/// Most tokens of a list of columns that are read.
const MOST_LISTED: usize = 2_000;

/// Most tokens of the columns of a name that `WITH` gives.
const MOST_GIVEN: usize = 200;

/// One level of parentheses.
#[derive(Clone, Copy, Default)]
struct BlockLevel {
    /// True if a comma is followed by another table.
    in_list: bool,
    /// True in a function whose `FROM` is followed by a value.
    own_from: bool,
}

/// A walk over the tokens of one statement.
pub(super) struct TableSearch<'a> {
    list: TokenList<'a>,
    created: Option<Created>,
    found: StatementUses,
    levels: Vec<BlockLevel>,
    has_with: bool,
    has_other_source: bool,
    has_on: bool,
}

impl<'a> TableSearch<'a> {
    pub(super) fn new(list: TokenList<'a>, created: Option<Created>) -> Self {
        Self {
            list,
            created,
            found: StatementUses::default(),
            levels: vec![BlockLevel::default()],
            has_with: false,
            has_other_source: false,
            has_on: false,
        }
    }

    pub(super) fn find(mut self) -> StatementUses {
        if self.list.is(0, &["GRANT", "REVOKE", "COMMENT"]) {
            return self.found;
        }
        let mut at = 0;
        while let Some(token) = self.list.get(at) {
            at = match token.kind {
                TokenKind::Symbol(b'(') => self.open(at),
                TokenKind::Symbol(b')') => self.close(at),
                TokenKind::Symbol(b',') if self.level().in_list => self.table(at + 1, false),
                TokenKind::Word => self.word(at),
                TokenKind::Quoted => self.plain_name(at),
                _ => at + 1,
            };
        }
        self.found
    }

    fn level(&mut self) -> &mut BlockLevel {
        if self.levels.is_empty() {
            self.levels.push(BlockLevel::default());
        }
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    fn open(&mut self, at: usize) -> usize {
        let own_from = self.list.is_before(at, WITH_OWN_FROM);
        self.levels.push(BlockLevel { in_list: false, own_from });
        at + 1
    }

    fn close(&mut self, at: usize) -> usize {
        self.levels.pop();
        at + 1
    }

    fn word(&mut self, at: usize) -> usize {
        let list = self.list;
        match () {
            () if at > 0 && list.is_symbol(at - 1, b'.') => at + 1,
            () if list.is(at, &["FROM"]) => self.from(at),
            () if list.is(at, &["JOIN", "APPLY"]) => self.table(at + 1, false),
            () if list.is(at, &["REFERENCES"]) => self.table(at + 1, true),
            () if list.is(at, &["INTO"]) && list.is_before(at, BEFORE_INTO) => self.table(at + 1, true),
            () if list.is(at, &["UPDATE"]) && self.begins_statement(at) => self.changed_table(at),
            () if list.is(at, &["COPY"]) && self.begins_statement(at) => self.table(at + 1, true),
            () if list.is(at, &["TRUNCATE"]) && self.begins_statement(at) => self.tables(at),
            () if list.is(at, &["TABLE", "VIEW"]) && self.is_changed(at, &["ALTER"]) => {
                self.table(at + 1, false)
            }
            () if list.is(at, &["TABLE", "VIEW"]) && self.is_changed(at, GIVEN_UP) => self.tables(at),
            () if list.is(at, &["LIKE"]) && self.begins_table(at) => self.table(at + 1, false),
            () if list.is(at, &["RETURNS", "SETOF"]) => self.returned(at),
            () if list.is(at, &["OF"]) && list.is_before(at, &["PARTITION"]) => self.table(at + 1, false),
            () if list.is(at, &["INHERITS"]) && list.is_symbol(at + 1, b'(') => self.tables(at + 1),
            () if list.is(at, &["ON"]) && self.is_head_of_index() => self.indexed_table(at),
            () if list.is(at, &["USING"]) && self.has_other_source => self.table(at + 1, false),
            () if list.is(at, &["CALL", "EXEC", "EXECUTE"]) => self.called(at),
            () if list.is(at, &["FUNCTION", "PROCEDURE", "ROUTINE"]) => self.named_routine(at),
            () if list.is(at, &["WITH"]) => self.note(at, |search| search.has_with = true),
            () if list.is(at, &["MERGE", "DELETE"]) => self.note(at, |search| search.has_other_source = true),
            () if list.is(at, LIST_ENDS) => self.note(at, |search| search.level().in_list = false),
            () => self.plain_name(at),
        }
    }

    fn note(&mut self, at: usize, change: impl FnOnce(&mut Self)) -> usize {
        change(self);
        at + 1
    }

    fn begins_statement(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.list.get(before));
        let is_start = before
            .is_none_or(|before| matches!(before.kind, TokenKind::Symbol(b'(' | b')') | TokenKind::Body));
        is_start || self.list.is_before(at, STATEMENT_STARTS)
    }

    fn from(&mut self, at: usize) -> usize {
        let is_cursor = self.list.is_before(at, &["NEXT", "PRIOR", "FIRST", "LAST"])
            && at >= 2
            && self.list.is(at - 2, &["FETCH"]);
        if is_cursor || self.level().own_from || self.list.is_before(at, &["DISTINCT"]) {
            return at + 1;
        }
        self.tables(at)
    }

    /// Notes the tables of the list behind a word; returns the next place to read.
    fn tables(&mut self, at: usize) -> usize {
        self.level().in_list = true;
        self.table(at + 1, false)
    }

    fn changed_table(&mut self, at: usize) -> usize {
        let is_other = self.list.is(at + 1, &["SET", "OF", "ON"]);
        if is_other { at + 1 } else { self.tables(at) }
    }

    /// Returns true if `TABLE` or `VIEW` names the thing that a statement changes.
    fn is_changed(&self, at: usize, words: &[&str]) -> bool {
        let is_kind = self.list.is_before(at, &["FOREIGN", "MATERIALIZED"]);
        self.list.is_before(at - usize::from(is_kind), words)
    }

    /// Returns true where `LIKE` names the table that a new one is modelled on.
    fn begins_table(&self, at: usize) -> bool {
        self.created == Some(Created::Table) && (at == 0 || (at == 1 && self.list.is_symbol(0, b'(')))
    }

    /// Notes the type of the rows that a routine returns; returns the next place to read.
    fn returned(&mut self, at: usize) -> usize {
        let name = self.list.name(at + 1).filter(|name| !is_own_type(&name.text));
        let next = name.as_ref().map_or(at + 1, |name| name.next);
        self.found.tables.extend(name);
        next
    }

    fn is_head_of_index(&self) -> bool {
        !self.has_on && matches!(self.created, Some(Created::Index | Created::Trigger))
    }

    fn indexed_table(&mut self, at: usize) -> usize {
        self.has_on = true;
        self.table(at + 1, true)
    }

    /// Notes the table at a place, with its alias or, with `columns`, with a list of its columns; returns the next
    /// place to read.
    fn table(&mut self, at: usize, columns: bool) -> usize {
        let list = self.list;
        let at = list.skip(at, BEFORE_TABLE);
        if list.is_symbol(at, b'(') {
            return at;
        }
        let Some(name) = list.name(at) else { return at };
        let next = name.next;
        let method = if list.is(next, &["USING"]) { next + 2 } else { next };
        if list.is_symbol(method, b'(') {
            return if columns { self.table_with_columns(name, method) } else { at + self.call(at) };
        }
        let next = self.alias(&name, next);
        self.found.tables.push(name);
        next
    }

    /// Binds the alias behind a table, or its own name; returns the next place to read.
    fn alias(&mut self, name: &SqlName, next: usize) -> usize {
        let table = Some(name.text.as_str()).filter(|_| !name.has_schema());
        let table = table.filter(|table| !self.found.local.contains(&table.to_lowercase()));
        let at = self.list.skip(next, &["AS"]);
        let alias = self.list.part(at).filter(|_| !self.list.is_keyword(at));
        match alias {
            Some((alias, _)) => {
                if alias.eq_ignore_ascii_case(&name.text) {
                    self.found.bind_name(alias, table);
                } else {
                    self.found.bind_alias(alias, table);
                }
                at + 1
            }
            None => {
                self.found.bind_name(name.last_part(), table);
                next
            }
        }
    }

    /// Notes a table and the columns in the parentheses behind it; returns the next place to read.
    fn table_with_columns(&mut self, name: SqlName, open: usize) -> usize {
        let list = self.list;
        self.found.bind_name(name.last_part(), Some(name.text.as_str()).filter(|_| !name.has_schema()));
        let end = list.behind_parentheses(open, MOST_LISTED);
        if list.is(open + 1, &["SELECT", "WITH", "VALUES"]) {
            self.found.tables.push(name);
            return open;
        }
        for at in open + 1..end {
            let begins = list.is_symbol(at - 1, b',') || at == open + 1;
            let is_column = begins && !list.is_symbol(at + 1, b'(') && !list.is_symbol(at + 1, b'.');
            if let Some((column, place)) = list.part(at).filter(|_| is_column && !name.has_schema()) {
                self.found.listed.push((name.text.clone(), column.to_owned(), place));
            }
        }
        self.found.tables.push(name);
        // The expressions of an index may call functions, so its parentheses are read again.
        open
    }

    /// Notes the routine behind `CALL` or `EXECUTE`; returns the next place to read.
    fn called(&mut self, at: usize) -> usize {
        let list = self.list;
        let at = list.skip(at + 1, &["FUNCTION", "PROCEDURE"]);
        let is_result = list.get(at).is_some_and(|token| token.kind == TokenKind::Variable)
            && list.is_symbol(at + 1, b'=');
        let at = at + if is_result { 2 } else { 0 };
        match list.name(at) {
            Some(name) => {
                let next = name.next;
                self.found.calls.push(name);
                next
            }
            None => at,
        }
    }

    /// Notes the routine behind `DROP FUNCTION` and the like; returns the next place to read.
    fn named_routine(&mut self, at: usize) -> usize {
        let at = self.list.skip(at + 1, &["IF", "EXISTS"]);
        let name = self.list.name(at);
        let next = name.as_ref().map_or(at, |name| name.next);
        self.found.routines.extend(name);
        next
    }

    /// Notes any other name, which `WITH` gives, or which is called; returns the next place to read.
    fn plain_name(&mut self, at: usize) -> usize {
        if self.has_with && self.is_given_by_with(at) {
            if let Some((name, _)) = self.list.part(at) {
                self.found.local.insert(name.to_lowercase());
            }
            return at + 1;
        }
        at + self.call(at)
    }

    /// Returns true for `name AS (` and `name (a, b) AS (`, behind `WITH` or a comma.
    fn is_given_by_with(&self, at: usize) -> bool {
        let list = self.list;
        let is_place = list.is_before(at, &["WITH", "RECURSIVE"]) || (at > 0 && list.is_symbol(at - 1, b','));
        if !is_place {
            return false;
        }
        let next =
            if list.is_symbol(at + 1, b'(') { list.behind_parentheses(at + 1, MOST_GIVEN) } else { at + 1 };
        list.is(next, &["AS"]) && list.is_symbol(list.skip(next + 1, &["NOT", "MATERIALIZED"]), b'(')
    }

    /// Notes a call of the name at a place, if it is one; returns the number of tokens that the name takes.
    fn call(&mut self, at: usize) -> usize {
        match self.list.name(at) {
            Some(name) => {
                let taken = name.next - at;
                if self.list.is_symbol(name.next, b'(') && !is_own_type(&name.text) {
                    self.found.calls.push(name);
                }
                taken
            }
            None => 1,
        }
    }
}
