//! Finds the uses in a statement: tables and their aliases first (`tables`), then columns behind these, and calls.

use rustc_hash::{FxHashMap, FxHashSet};

use super::create::{Created, Defined};
use super::names::{SqlName, TokenList};
use super::record::{SqlRecord, SqlUse};
use super::statements::Statement;
use super::tables::TableSearch;
use super::tokens::{Token, TokenKind};
use super::words::text_of;
use crate::facts::{DefIdx, RefKind};

/// Languages of routines whose text is SQL.
const SQL_LANGUAGES: [&str; 3] = ["sql", "plpgsql", "plsql"];

/// The names that one statement uses, and the meaning of its aliases.
#[derive(Default)]
pub(super) struct StatementUses {
    pub(super) tables: Vec<SqlName>,
    /// The table behind each alias or plain name, in small letters; `None` if the table is not certain.
    pub(super) aliases: FxHashMap<String, Option<String>>,
    /// The aliases that are not the table's own name, in small letters.
    given: FxHashSet<String>,
    /// The names that `WITH` gives, in small letters.
    pub(super) local: FxHashSet<String>,
    /// The columns in lists that belong to a table: the table, the column and the column's byte.
    pub(super) listed: Vec<(String, String, usize)>,
    pub(super) calls: Vec<SqlName>,
    /// Routines that are named without being called.
    pub(super) routines: Vec<SqlName>,
}

impl StatementUses {
    /// Binds the plain name of a table. An alias goes before it: `UPDATE o … FROM orders o`.
    pub(super) fn bind_name(&mut self, name: &str, table: Option<&str>) {
        let name = name.to_lowercase();
        if !self.given.contains(&name) {
            self.bind(name, table);
        }
    }

    pub(super) fn bind_alias(&mut self, alias: &str, table: Option<&str>) {
        let alias = alias.to_lowercase();
        if self.given.insert(alias.clone()) {
            self.aliases.remove(&alias);
        }
        self.bind(alias, table);
    }

    fn bind(&mut self, name: String, table: Option<&str>) {
        let table = table.map(str::to_owned);
        let known = self.aliases.entry(name).or_insert_with(|| table.clone());
        if *known != table {
            *known = None;
        }
    }

    fn is_local(&self, name: &SqlName) -> bool {
        self.local.contains(&name.text.to_lowercase())
    }

    /// Returns true if a name stands for a table under an alias.
    fn is_alias(&self, name: &SqlName) -> bool {
        self.given.contains(&name.text.to_lowercase())
    }
}

/// Records the uses in a statement.
pub(super) fn record_uses(statement: &Statement, defined: &Defined, record: &mut SqlRecord<'_>) {
    let source = record.source;
    let tokens = without_foreign_body(source, &statement.tokens);
    let rest = tokens.get(defined.from..).unwrap_or_default();
    let mut created = defined.created;
    for part in rest.split(|token| token.kind == TokenKind::Symbol(b';')) {
        let list = TokenList { source, tokens: part };
        let uses = TableSearch::new(list, created).find();
        record_found(list, uses, defined.def, record);
        // The meaning of `ON` at the head of a trigger holds for its head alone.
        created = created.filter(|created| !matches!(created, Created::Trigger | Created::Index));
    }
}

/// Returns the tokens without the body of a routine in another language than SQL.
fn without_foreign_body<'t>(source: &[u8], tokens: &'t [Token]) -> &'t [Token] {
    let list = TokenList { source, tokens };
    let bodies = || tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Body);
    let (Some((first, _)), Some((last, _))) = (bodies().next(), bodies().next_back()) else { return tokens };
    let outside = (0..first).chain(last..tokens.len());
    let language = outside.into_iter().find(|at| list.is(*at, &["LANGUAGE"])).and_then(|at| list.get(at + 1));
    let language = language.map(|language| text_of(source, language).trim_matches(['\'', '"']));
    let is_sql = language.is_none_or(|name| SQL_LANGUAGES.iter().any(|sql| sql.eq_ignore_ascii_case(name)));
    if is_sql { tokens } else { &tokens[..first] }
}

fn record_found(list: TokenList<'_>, uses: StatementUses, owner: Option<DefIdx>, record: &mut SqlRecord<'_>) {
    for table in uses.tables.iter().filter(|table| !uses.is_local(table) && !uses.is_alias(table)) {
        record.refer_name(table, RefKind::Type, owner);
    }
    for call in uses.calls.iter().filter(|call| !uses.is_local(call)) {
        record.refer_name(call, RefKind::Call, owner);
    }
    for routine in &uses.routines {
        record.refer_name(routine, RefKind::Use, owner);
    }
    record_columns(list, &uses, owner, record);
    for (table, name, at) in uses.listed {
        record.refer(SqlUse { name, table: Some(table), kind: RefKind::Use, owner, at });
    }
}

/// Records the column of `alias.column` where the alias means one table.
fn record_columns(
    list: TokenList<'_>,
    uses: &StatementUses,
    owner: Option<DefIdx>,
    record: &mut SqlRecord<'_>,
) {
    for at in 1..list.tokens.len() {
        let begins_path = at < 2 || !list.is_symbol(at - 2, b'.');
        if !list.is_symbol(at, b'.')
            || !begins_path
            || list.is_symbol(at + 2, b'.')
            || list.is_symbol(at + 2, b'(')
        {
            continue;
        }
        let (Some((alias, _)), Some((name, place))) = (list.part(at - 1), list.part(at + 1)) else {
            continue;
        };
        let Some(Some(table)) = uses.aliases.get(&alias.to_lowercase()) else { continue };
        let (name, table) = (name.to_owned(), Some(table.clone()));
        record.refer(SqlUse { name, table, kind: RefKind::Use, owner, at: place });
    }
}
