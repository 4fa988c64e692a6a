//! Records the definition that a `CREATE` makes, and the columns that an `ALTER TABLE` adds.

use super::columns::{add_columns, define_columns};
use super::names::{SqlName, TokenList};
use super::record::{SqlDef, SqlRecord};
use super::statements::Statement;
use super::tokens::TokenKind;
use crate::facts::{DefIdx, DefKind};

/// Words between `CREATE` and the kind of thing that it creates.
const MODIFIERS: &[&str] = &[
    "OR",
    "REPLACE",
    "ALTER",
    "TEMP",
    "TEMPORARY",
    "GLOBAL",
    "LOCAL",
    "UNLOGGED",
    "EXTERNAL",
    "FOREIGN",
    "VIRTUAL",
    "MATERIALIZED",
    "RECURSIVE",
    "UNIQUE",
    "CLUSTERED",
    "NONCLUSTERED",
    "COLUMNSTORE",
    "FULLTEXT",
    "SPATIAL",
    "BITMAP",
    "EDITIONABLE",
    "NONEDITIONABLE",
    "FORCE",
    "NO",
    "SQL",
    "SECURITY",
    "DEFINER",
    "INVOKER",
    "ALGORITHM",
    "UNDEFINED",
    "MERGE",
    "TEMPTABLE",
    "CONSTRAINT",
    "AGGREGATE",
    "TRANSIENT",
    "SECURE",
    "DYNAMIC",
    "ICEBERG",
    "HYBRID",
    "PUBLIC",
];

/// Words between the kind and the name.
const BEFORE_NAME: &[&str] = &["IF", "NOT", "EXISTS", "CONCURRENTLY", "AUTHORIZATION"];

/// Words that begin the body of a definition.
const BODY_WORDS: &[&str] = &["AS", "IS", "BEGIN", "LANGUAGE", "EXECUTE", "DECLARE", "SELECT", "WITH"];

/// Most tokens between `CREATE` and the kind of thing.
const MOST_MODIFIERS: usize = 24;

/// The kinds of things that statements create, as far as uses differ by them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Created {
    Table,
    View,
    Routine,
    Trigger,
    Index,
    Other,
}

/// The definition that a statement makes, and the token at which its uses begin.
pub(super) struct Defined {
    pub(super) def: Option<DefIdx>,
    pub(super) created: Option<Created>,
    /// The number of the token behind the name.
    pub(super) from: usize,
}

/// Records the definition that a statement makes.
pub(super) fn define(statement: &Statement, record: &mut SqlRecord<'_>) -> Defined {
    let list = TokenList { source: record.source, tokens: &statement.tokens };
    let nothing = Defined { def: None, created: None, from: 0 };
    if list.is(0, &["ALTER"]) {
        add_columns(list, record);
        return nothing;
    }
    let Some((created, kind_at)) = created_kind(list) else { return nothing };
    let name_at = list.skip(kind_at + 1, BEFORE_NAME);
    let Some(name) = list.name(name_at).filter(|_| !list.is(name_at, &["ON"])) else {
        return Defined { created: Some(created), from: kind_at + 1, ..nothing };
    };
    let def = define_named(list, statement, &name, kind_of(list, kind_at, &name), record);
    // The parentheses of a type without `AS` hold settings.
    if list.is(kind_at, &["TABLE"]) || (list.is(kind_at, &["TYPE"]) && list.is(name.next, &["AS", "IS"])) {
        define_columns(list, list.skip(name.next, &["AS", "IS", "OBJECT"]), def, record);
    }
    Defined { def: Some(def), created: Some(created), from: name.next }
}

/// Returns the kind of thing that a `CREATE` is about, and the number of the token that names it.
fn created_kind(list: TokenList<'_>) -> Option<(Created, usize)> {
    if !list.is(0, &["CREATE"]) {
        return None;
    }
    let mut at = 1;
    while at < MOST_MODIFIERS {
        let kinds: [(&[&str], Created); 6] = [
            (&["TABLE"], Created::Table),
            (&["VIEW"], Created::View),
            (&["FUNCTION", "PROCEDURE", "PROC"], Created::Routine),
            (&["TRIGGER"], Created::Trigger),
            (&["INDEX"], Created::Index),
            (&["TYPE", "DOMAIN", "SEQUENCE", "SCHEMA"], Created::Other),
        ];
        if let Some((_, created)) = kinds.iter().find(|(words, _)| list.is(at, words)) {
            return Some((*created, at));
        }
        // `DEFINER = user@host` has any name behind it.
        let is_user =
            list.is_symbol(at, b'=') || list.is_symbol(at, b'@') || list.is_before(at, &["DEFINER"]);
        let is_user = is_user || list.get(at).is_some_and(|token| token.kind == TokenKind::Variable);
        let follows = at > 0 && (list.is_symbol(at - 1, b'=') || list.is_symbol(at - 1, b'@'));
        if !(is_user || follows || list.is(at, MODIFIERS)) {
            return None;
        }
        at += 1;
    }
    None
}

fn kind_of(list: TokenList<'_>, kind_at: usize, name: &SqlName) -> DefKind {
    let is_enum = list.is(name.next, &["AS"]) && list.is(name.next + 1, &["ENUM"]);
    match () {
        () if list.is(kind_at, &["TABLE", "VIEW"]) => DefKind::Struct,
        () if list.is(kind_at, &["TYPE"]) && is_enum => DefKind::Enum,
        () if list.is(kind_at, &["TYPE"]) => DefKind::Struct,
        () if list.is(kind_at, &["DOMAIN"]) => DefKind::TypeAlias,
        () if list.is(kind_at, &["SCHEMA"]) => DefKind::Module,
        () if list.is(kind_at, &["INDEX", "SEQUENCE"]) => DefKind::Variable,
        () => DefKind::Function,
    }
}

fn define_named(
    list: TokenList<'_>,
    statement: &Statement,
    name: &SqlName,
    kind: DefKind,
    record: &mut SqlRecord<'_>,
) -> DefIdx {
    let from = list.get(0).map_or(0, |token| token.from);
    let to = list.tokens.last().map_or(from, |token| token.to);
    let name_end = list.get(name.next - 1).map_or(to, |token| token.to);
    let head_end = if kind == DefKind::Struct { name_end } else { head_end(list, name.next).unwrap_or(to) };
    record.define(&SqlDef {
        name: &name.text,
        name_at: name.at,
        kind,
        parent: None,
        table: None,
        from,
        to,
        head_end,
        comments: statement.comments,
    })
}

/// Returns the byte at which the body begins.
fn head_end(list: TokenList<'_>, from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in list.tokens.iter().enumerate().skip(from) {
        match token.kind {
            TokenKind::Symbol(b'(') => depth += 1,
            TokenKind::Symbol(b')') => depth = depth.saturating_sub(1),
            TokenKind::Body => return Some(token.from),
            TokenKind::Word if depth == 0 && list.is(at, BODY_WORDS) => return Some(token.from),
            _ => {}
        }
    }
    None
}
