//! Maps the nodes of the Lua grammar to the kinds that the extractor tells apart.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// The kinds of nodes that the Lua extractor tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum LuaKind {
    /// A node that means nothing itself; its children may.
    #[default]
    Other,
    /// A node that means nothing, and whose children are skipped.
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

const KINDS: &[(&str, LuaKind)] = &[
    ("comment", LuaKind::Comment),
    ("hash_bang_line", LuaKind::Nothing),
    ("function_declaration", LuaKind::Function),
    ("function_definition", LuaKind::Lambda),
    ("variable_declaration", LuaKind::Local),
    ("assignment_statement", LuaKind::Assign),
    ("block", LuaKind::Block),
    ("for_statement", LuaKind::For),
    ("return_statement", LuaKind::Return),
    ("function_call", LuaKind::Call),
    ("dot_index_expression", LuaKind::Dot),
    ("method_index_expression", LuaKind::Method),
    ("identifier", LuaKind::Ident),
    ("table_constructor", LuaKind::Table),
    ("field", LuaKind::Field),
    ("string", LuaKind::Text),
    ("parenthesized_expression", LuaKind::Parens),
    ("goto_statement", LuaKind::Nothing),
    ("label_statement", LuaKind::Nothing),
    ("attribute", LuaKind::Nothing),
    ("number", LuaKind::Nothing),
    ("nil", LuaKind::Nothing),
    ("true", LuaKind::Nothing),
    ("false", LuaKind::Nothing),
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
pub(super) type LuaGrammar = crate::langs::support::Grammar<LuaKind, Fields>;

/// The Lua grammar with its kinds and fields, looked up once.
pub(super) static GRAMMAR: LazyLock<LuaGrammar> =
    LazyLock::new(|| LuaGrammar::new(super::language().as_ref(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(super::super::language().as_ref(), super::KINDS), [""; 0]);
    }
}
