//! Maps the nodes of the Ruby grammar to the kinds that the extractor tells apart.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// The kinds of nodes that the Ruby extractor tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum RubyKind {
    /// A node that means nothing itself; its children may.
    #[default]
    Other,
    /// A node that means nothing, and whose children are skipped.
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
    ClassVar,
    Global,
    Pair,
    Parens,
    Body,
}

const KINDS: &[(&str, RubyKind)] = &[
    ("program", RubyKind::Program),
    ("comment", RubyKind::Comment),
    ("class", RubyKind::Class),
    ("module", RubyKind::Module),
    ("singleton_class", RubyKind::SingletonClass),
    ("method", RubyKind::Method),
    ("singleton_method", RubyKind::SingletonMethod),
    ("method_parameters", RubyKind::Params),
    ("block_parameters", RubyKind::Params),
    ("lambda_parameters", RubyKind::Params),
    ("destructured_parameter", RubyKind::Params),
    ("block", RubyKind::Block),
    ("do_block", RubyKind::Block),
    ("lambda", RubyKind::Block),
    ("call", RubyKind::Call),
    ("assignment", RubyKind::Assign),
    ("operator_assignment", RubyKind::OpAssign),
    ("left_assignment_list", RubyKind::LeftList),
    ("destructured_left_assignment", RubyKind::LeftList),
    ("rest_assignment", RubyKind::LeftList),
    ("identifier", RubyKind::Ident),
    ("constant", RubyKind::Constant),
    ("scope_resolution", RubyKind::Scoped),
    ("superclass", RubyKind::Superclass),
    ("super", RubyKind::Super),
    ("self", RubyKind::This),
    ("alias", RubyKind::Alias),
    ("undef", RubyKind::Undef),
    ("exception_variable", RubyKind::ExceptionVar),
    ("for", RubyKind::For),
    ("optional_parameter", RubyKind::NamedParam),
    ("keyword_parameter", RubyKind::NamedParam),
    ("splat_parameter", RubyKind::NamedParam),
    ("hash_splat_parameter", RubyKind::NamedParam),
    ("block_parameter", RubyKind::NamedParam),
    ("as_pattern", RubyKind::Pattern),
    ("array_pattern", RubyKind::Pattern),
    ("find_pattern", RubyKind::Pattern),
    ("hash_pattern", RubyKind::Pattern),
    ("keyword_pattern", RubyKind::Pattern),
    ("in_clause", RubyKind::Pattern),
    ("match_pattern", RubyKind::Pattern),
    ("test_pattern", RubyKind::Pattern),
    ("string", RubyKind::Text),
    ("simple_symbol", RubyKind::Symbol),
    ("instance_variable", RubyKind::Ivar),
    ("pair", RubyKind::Pair),
    ("parenthesized_statements", RubyKind::Parens),
    ("body_statement", RubyKind::Body),
    ("block_body", RubyKind::Body),
    ("class_variable", RubyKind::ClassVar),
    ("global_variable", RubyKind::Global),
    ("hash_key_symbol", RubyKind::Nothing),
    ("integer", RubyKind::Nothing),
    ("float", RubyKind::Nothing),
    ("uninterpreted", RubyKind::Nothing),
    ("string_content", RubyKind::Nothing),
    ("heredoc_content", RubyKind::Nothing),
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
pub(super) type RubyGrammar = crate::langs::support::Grammar<RubyKind, Fields>;

/// The Ruby grammar with its kinds and fields, looked up once.
pub(super) static GRAMMAR: LazyLock<RubyGrammar> =
    LazyLock::new(|| RubyGrammar::new(super::language().as_ref(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(super::super::language().as_ref(), super::KINDS), [""; 0]);
    }
}
