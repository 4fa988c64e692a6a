//! Maps the nodes of the Ruby grammar to the kinds that the extractor tells apart.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// The kinds of nodes that the Ruby extractor tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum K {
    /// Nothing in itself; its children may be.
    #[default]
    Other,
    /// Neither it nor what is in it.
    Nothing,
    Program,
    Comment,
    Class,
    Module,
    SingletonClass,
    Method,
    SingletonMethod,
    Params,
    Block,
    Call,
    Assign,
    OpAssign,
    LeftList,
    Ident,
    Constant,
    Scoped,
    Superclass,
    Super,
    This,
    Alias,
    Undef,
    ExceptionVar,
    For,
    NamedParam,
    Pattern,
    Text,
    Symbol,
    Ivar,
    Pair,
    Parens,
    Body,
}

const KINDS: &[(&str, K)] = &[
    ("program", K::Program),
    ("comment", K::Comment),
    ("class", K::Class),
    ("module", K::Module),
    ("singleton_class", K::SingletonClass),
    ("method", K::Method),
    ("singleton_method", K::SingletonMethod),
    ("method_parameters", K::Params),
    ("block_parameters", K::Params),
    ("lambda_parameters", K::Params),
    ("destructured_parameter", K::Params),
    ("block", K::Block),
    ("do_block", K::Block),
    ("lambda", K::Block),
    ("call", K::Call),
    ("assignment", K::Assign),
    ("operator_assignment", K::OpAssign),
    ("left_assignment_list", K::LeftList),
    ("destructured_left_assignment", K::LeftList),
    ("rest_assignment", K::LeftList),
    ("identifier", K::Ident),
    ("constant", K::Constant),
    ("scope_resolution", K::Scoped),
    ("superclass", K::Superclass),
    ("super", K::Super),
    ("self", K::This),
    ("alias", K::Alias),
    ("undef", K::Undef),
    ("exception_variable", K::ExceptionVar),
    ("for", K::For),
    ("optional_parameter", K::NamedParam),
    ("keyword_parameter", K::NamedParam),
    ("splat_parameter", K::NamedParam),
    ("hash_splat_parameter", K::NamedParam),
    ("block_parameter", K::NamedParam),
    ("as_pattern", K::Pattern),
    ("array_pattern", K::Pattern),
    ("find_pattern", K::Pattern),
    ("hash_pattern", K::Pattern),
    ("keyword_pattern", K::Pattern),
    ("in_clause", K::Pattern),
    ("match_pattern", K::Pattern),
    ("test_pattern", K::Pattern),
    ("string", K::Text),
    ("simple_symbol", K::Symbol),
    ("instance_variable", K::Ivar),
    ("pair", K::Pair),
    ("parenthesized_statements", K::Parens),
    ("body_statement", K::Body),
    ("block_body", K::Body),
    ("class_variable", K::Nothing),
    ("global_variable", K::Nothing),
    ("hash_key_symbol", K::Nothing),
    ("integer", K::Nothing),
    ("float", K::Nothing),
    ("string_array", K::Nothing),
    ("symbol_array", K::Nothing),
    ("uninterpreted", K::Nothing),
    ("string_content", K::Nothing),
    ("heredoc_content", K::Nothing),
];

fields!(Fields {
    name: "name",
    alias: "alias",
    parameters: "parameters",
    superclass: "superclass",
    receiver: "receiver",
    method: "method",
    arguments: "arguments",
    block: "block",
    left: "left",
    right: "right",
    scope: "scope",
    value: "value",
    pattern: "pattern",
    object: "object",
    key: "key",
});

/// The grammar with its tables.
pub(super) type Grammar = crate::langs::support::Grammar<K, Fields>;

/// The Ruby grammar with its kinds and fields, looked up once.
pub(super) static GRAMMAR: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::new(&tree_sitter_ruby::LANGUAGE.into(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(&tree_sitter_ruby::LANGUAGE.into(), super::KINDS), [""; 0]);
    }
}
