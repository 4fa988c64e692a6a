//! Reads the columns of a table: those in its parentheses, and those that `ALTER TABLE` adds.

use super::names::{SqlName, TokenList};
use super::record::{SqlDef, SqlRecord};
use super::tokens::TokenKind;
use super::words::{NO_COLUMNS, is_own_type, text_of};
use crate::facts::{DefIdx, DefKind, RefKind};

/// Most tokens of one column that are read.
const MOST_TOKENS: usize = 400;

/// The tokens of a column's definition, and the table that it belongs to.
struct ColumnPlace<'a> {
    from: usize,
    to: usize,
    parent: Option<DefIdx>,
    table: Option<&'a str>,
}

/// Defines the columns in the parentheses that begin at token `open`.
pub(super) fn define_columns(list: TokenList<'_>, open: usize, table: DefIdx, record: &mut SqlRecord<'_>) {
    if !list.is_symbol(open, b'(') || list.is(open + 1, &["SELECT", "WITH", "VALUES"]) {
        return;
    }
    let end = list.behind_parentheses(open, usize::MAX);
    let mut from = open + 1;
    while from < end {
        let to = element_end(list, from, end);
        let place = ColumnPlace { from, to, parent: Some(table), table: None };
        define_column(list, &place, record);
        from = to + 1;
    }
}

/// Returns the number of the comma or parenthesis that ends an element of a list.
fn element_end(list: TokenList<'_>, from: usize, end: usize) -> usize {
    let mut depth = 0_usize;
    let end = end.min(list.tokens.len()).min(from + MOST_TOKENS);
    for at in from..end {
        match list.tokens[at].kind {
            TokenKind::Symbol(b'(') => depth += 1,
            TokenKind::Symbol(b')') if depth == 0 => return at,
            TokenKind::Symbol(b')') => depth -= 1,
            TokenKind::Symbol(b',' | b';') if depth == 0 => return at,
            _ => {}
        }
    }
    end
}

fn define_column(list: TokenList<'_>, place: &ColumnPlace<'_>, record: &mut SqlRecord<'_>) {
    let Some((name, name_at)) = list.part(place.from).filter(|_| is_column(list, place.from)) else { return };
    // Some dialects allow columns without types, but an added name without one is no column.
    let least = place.from + usize::from(place.parent.is_none());
    let Some(last) = place.to.checked_sub(1).filter(|last| *last >= least) else { return };
    let to = list.get(last).map_or(name_at, |token| token.to);
    let from = list.get(place.from).map_or(name_at, |token| token.from);
    record.define(&SqlDef {
        name,
        name_at,
        kind: DefKind::Field,
        parent: place.parent,
        table: place.table,
        from,
        to,
        head_end: to,
        comments: None,
    });
    if let Some(ty) = list.name(place.from + 1).filter(|ty| !is_own_type(&ty.text)) {
        record.refer_name(&ty, RefKind::Type, place.parent);
    }
}

/// Returns true if an element begins with a column, and not with a constraint or an index.
fn is_column(list: TokenList<'_>, at: usize) -> bool {
    let ty = list.get(at + 1).filter(|token| token.kind == TokenKind::Word);
    let has_type = ty.is_some_and(|ty| is_own_type(text_of(list.source, ty)));
    !list.is(at, NO_COLUMNS) || (list.is(at, &["KEY", "INDEX", "VALUE", "PERIOD", "DEFAULT"]) && has_type)
}

/// Defines the columns that `ALTER TABLE name ADD …` adds.
pub(super) fn add_columns(list: TokenList<'_>, record: &mut SqlRecord<'_>) {
    let at = list.skip(1, &["FOREIGN", "TABLE", "IF", "EXISTS", "ONLY"]);
    let table: Option<SqlName> = list.name(at).filter(|_| list.is(1, &["TABLE", "FOREIGN"]));
    let Some(table) = table.filter(|table| !table.has_schema()) else { return };
    let mut depth = 0_usize;
    for at in table.next..list.tokens.len() {
        match list.tokens[at].kind {
            TokenKind::Symbol(b'(') => depth += 1,
            TokenKind::Symbol(b')') => depth = depth.saturating_sub(1),
            TokenKind::Word if depth == 0 && list.is(at, &["ADD"]) => {
                let from = list.skip(at + 1, &["COLUMN", "IF", "NOT", "EXISTS"]);
                let to = element_end(list, from, list.tokens.len());
                let place = ColumnPlace { from, to, parent: None, table: Some(&table.text) };
                define_column(list, &place, record);
            }
            _ => {}
        }
    }
}
