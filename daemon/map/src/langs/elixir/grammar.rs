//! Maps the nodes of the Elixir grammar to the kinds that the extractor tells apart.
//!
//! The grammar knows no definitions: `defmodule`, `def` and `alias` are calls like any other, which only their words
//! tell apart.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// The kinds of nodes that the Elixir extractor tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum ElixirKind {
    /// A node that means nothing itself; its children may.
    #[default]
    Other,
    /// A node that means nothing, and whose children are skipped.
    Nothing,
    Call,
    Arguments,
    DoBlock,
    Keywords,
    Pair,
    Keyword,
    Dot,
    Alias,
    Ident,
    Atom,
    Integer,
    List,
    Tuple,
    Text,
    Unary,
    Binary,
}

const KINDS: &[(&str, ElixirKind)] = &[
    ("call", ElixirKind::Call),
    ("arguments", ElixirKind::Arguments),
    ("do_block", ElixirKind::DoBlock),
    ("keywords", ElixirKind::Keywords),
    ("pair", ElixirKind::Pair),
    ("keyword", ElixirKind::Keyword),
    ("dot", ElixirKind::Dot),
    ("alias", ElixirKind::Alias),
    ("identifier", ElixirKind::Ident),
    ("atom", ElixirKind::Atom),
    ("integer", ElixirKind::Integer),
    ("list", ElixirKind::List),
    ("tuple", ElixirKind::Tuple),
    ("string", ElixirKind::Text),
    ("unary_operator", ElixirKind::Unary),
    ("binary_operator", ElixirKind::Binary),
    ("comment", ElixirKind::Nothing),
    ("float", ElixirKind::Nothing),
    ("char", ElixirKind::Nothing),
    ("quoted_content", ElixirKind::Nothing),
    ("escape_sequence", ElixirKind::Nothing),
];

fields!(Fields {
    target: "target",
    left: "left",
    right: "right",
    operator: "operator",
    operand: "operand",
    key: "key",
    value: "value",
});

/// The grammar with its tables.
pub(super) type ElixirGrammar = crate::langs::support::Grammar<ElixirKind, Fields>;

/// The Elixir grammar with its kinds and fields, looked up once.
pub(super) static GRAMMAR: LazyLock<ElixirGrammar> =
    LazyLock::new(|| ElixirGrammar::new(super::language().as_ref(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(super::super::language().as_ref(), super::KINDS), [""; 0]);
    }
}
