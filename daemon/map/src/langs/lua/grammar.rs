//! Maps the nodes of the Lua grammar to the kinds that the extractor tells apart.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// The kinds of nodes that the Lua extractor tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum K {
    /// Nothing in itself; its children may be.
    #[default]
    Other,
    /// Neither it nor what is in it.
    Nothing,
    Comment,
    Function,
    Lambda,
    Local,
    Assign,
    Block,
    For,
    Return,
    Call,
    Dot,
    Method,
    Ident,
    Table,
    Field,
    Text,
    Parens,
}

const KINDS: &[(&str, K)] = &[
    ("comment", K::Comment),
    ("hash_bang_line", K::Nothing),
    ("function_declaration", K::Function),
    ("function_definition", K::Lambda),
    ("variable_declaration", K::Local),
    ("assignment_statement", K::Assign),
    ("block", K::Block),
    ("for_statement", K::For),
    ("return_statement", K::Return),
    ("function_call", K::Call),
    ("dot_index_expression", K::Dot),
    ("method_index_expression", K::Method),
    ("identifier", K::Ident),
    ("table_constructor", K::Table),
    ("field", K::Field),
    ("string", K::Text),
    ("parenthesized_expression", K::Parens),
    ("goto_statement", K::Nothing),
    ("label_statement", K::Nothing),
    ("attribute", K::Nothing),
    ("number", K::Nothing),
    ("nil", K::Nothing),
    ("true", K::Nothing),
    ("false", K::Nothing),
];

fields!(Fields {
    name: "name",
    parameters: "parameters",
    arguments: "arguments",
    table: "table",
    field: "field",
    method: "method",
    value: "value",
    content: "content",
    clause: "clause",
});

/// The grammar with its tables.
pub(super) type Grammar = crate::langs::support::Grammar<K, Fields>;

/// The Lua grammar with its kinds and fields, looked up once.
pub(super) static GRAMMAR: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::new(&tree_sitter_lua::LANGUAGE.into(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(&tree_sitter_lua::LANGUAGE.into(), super::KINDS), [""; 0]);
    }
}
