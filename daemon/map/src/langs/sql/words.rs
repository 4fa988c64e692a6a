//! Lists SQL's own words, and tells whether a token is one of them.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::tokens::{Token, TokenKind};

/// Words that, without quotes, are no name of a table or a function, and no alias.
const KEYWORDS: &str = "\
    add all alter analyze and any apply array as asc atomic before begin between by call cascade case check collate column \
    comment conflict connect constraint create cross cursor declare default deferrable delete desc distinct do drop each else elsif end \
    escape except exec execute exists explain fetch filter for force foreign from full function go grant group having if ilike \
    immediate in index inner insert intersect into is join key language lateral left like limit loop lock match materialized \
    merge minus natural no not null offset on only open option or order outer over partition perform pivot primary procedure \
    qualify raise range recursive references rename replace restrict return returning returns revoke right rollback row rows \
    select set setof show similar some start stdin stdout straight_join table tablesample then to trigger truncate union unique unpivot \
    until update use using values view when where while window with within";

/// Types that databases have.
const TYPES: &str = "\
    bigint bigserial binary bit blob bool boolean bpchar bytea bytes char character cidr clob date datetime datetime2 \
    datetimeoffset dec decimal double enum float float4 float8 geography geometry hstore image inet int int2 int4 int64 int8 \
    integer interval json jsonb long longblob longtext macaddr mediumblob mediumint mediumtext money name national nchar nclob \
    ntext number numeric nvarchar nvarchar2 oid raw real regclass serial serial4 serial8 set signed smallint smalldatetime \
    smallmoney smallserial string sysname text time timestamp timestamptz timetz tinyblob tinyint tinytext tsquery tsvector \
    unsigned uniqueidentifier uuid varbinary varbit varchar varchar2 varying vector void xml year";

/// The length of the longest of these words, in bytes.
const LONGEST: usize = 16;

/// Words that begin something else than a column in the parentheses of a table.
pub(super) const NO_COLUMNS: &[&str] = &[
    "PRIMARY",
    "FOREIGN",
    "UNIQUE",
    "CONSTRAINT",
    "CHECK",
    "EXCLUDE",
    "LIKE",
    "FULLTEXT",
    "SPATIAL",
    "PERIOD",
    "PARTITION",
    "KEY",
    "INDEX",
    "DEFAULT",
    "VALUE",
];

/// Returns the source of a token.
pub(super) fn text_of(source: &[u8], token: Token) -> &str {
    let bytes = source.get(token.from..token.to).unwrap_or_default();
    std::str::from_utf8(bytes).unwrap_or("")
}

/// Returns true if a token is one of these words, which are in capitals.
pub(super) fn is_word(source: &[u8], token: Token, words: &[&str]) -> bool {
    let text = source.get(token.from..token.to).unwrap_or_default();
    token.kind == TokenKind::Word && words.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(text))
}

/// Returns true if SQL reserves a word.
pub(super) fn is_reserved(text: &str) -> bool {
    static WORDS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| KEYWORDS.split_whitespace().collect());
    has(&WORDS, text)
}

/// Returns true if a database has a type of this name.
pub(super) fn is_own_type(text: &str) -> bool {
    static WORDS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| TYPES.split_whitespace().collect());
    has(&WORDS, text)
}

fn has(words: &FxHashSet<&str>, text: &str) -> bool {
    text.len() <= LONGEST && words.contains(text.to_ascii_lowercase().as_str())
}
