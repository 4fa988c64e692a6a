//! Maps the nodes of the Go grammar to the kinds that the extractor tells apart.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// The kinds of nodes that the Go extractor tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum GoKind {
    /// A node that means nothing itself; its children may.
    #[default]
    Other,
    /// A node that means nothing, and whose children are skipped.
    Nothing,
    File,
    Comment,
    Package,
    Import,
    Declaration,
    ConstSpec,
    VarSpec,
    TypeSpec,
    Alias,
    Struct,
    Interface,
    Field,
    MethodElem,
    TypeElem,
    Function,
    Method,
    Param,
    TypeParam,
    Scope,
    Block,
    ShortVar,
    Range,
    Receive,
    TypeSwitch,
    TypeCase,
    Call,
    Selector,
    Index,
    Ident,
    TypeIdent,
    Qualified,
    Pointer,
    Generic,
    Sequence,
    Map,
    Channel,
    Composite,
    LiteralValue,
    Keyed,
    Unary,
    Assertion,
    Parens,
}

const KINDS: &[(&str, GoKind)] = &[
    ("source_file", GoKind::File),
    ("comment", GoKind::Comment),
    ("package_clause", GoKind::Package),
    ("import_spec", GoKind::Import),
    ("const_declaration", GoKind::Declaration),
    ("var_declaration", GoKind::Declaration),
    ("type_declaration", GoKind::Declaration),
    ("const_spec", GoKind::ConstSpec),
    ("var_spec", GoKind::VarSpec),
    ("type_spec", GoKind::TypeSpec),
    ("type_alias", GoKind::Alias),
    ("struct_type", GoKind::Struct),
    ("interface_type", GoKind::Interface),
    ("field_declaration", GoKind::Field),
    ("method_elem", GoKind::MethodElem),
    ("type_elem", GoKind::TypeElem),
    ("function_declaration", GoKind::Function),
    ("method_declaration", GoKind::Method),
    ("parameter_declaration", GoKind::Param),
    ("variadic_parameter_declaration", GoKind::Param),
    ("type_parameter_declaration", GoKind::TypeParam),
    ("func_literal", GoKind::Scope),
    ("function_type", GoKind::Scope),
    ("block", GoKind::Block),
    ("if_statement", GoKind::Block),
    ("for_statement", GoKind::Block),
    ("expression_switch_statement", GoKind::Block),
    ("select_statement", GoKind::Block),
    ("expression_case", GoKind::Block),
    ("default_case", GoKind::Block),
    ("communication_case", GoKind::Block),
    ("short_var_declaration", GoKind::ShortVar),
    ("range_clause", GoKind::Range),
    ("receive_statement", GoKind::Receive),
    ("type_switch_statement", GoKind::TypeSwitch),
    ("type_case", GoKind::TypeCase),
    ("call_expression", GoKind::Call),
    ("selector_expression", GoKind::Selector),
    ("index_expression", GoKind::Index),
    ("type_instantiation_expression", GoKind::Index),
    ("identifier", GoKind::Ident),
    ("type_identifier", GoKind::TypeIdent),
    ("qualified_type", GoKind::Qualified),
    ("pointer_type", GoKind::Pointer),
    ("generic_type", GoKind::Generic),
    ("slice_type", GoKind::Sequence),
    ("array_type", GoKind::Sequence),
    ("implicit_length_array_type", GoKind::Sequence),
    ("map_type", GoKind::Map),
    ("channel_type", GoKind::Channel),
    ("composite_literal", GoKind::Composite),
    ("literal_value", GoKind::LiteralValue),
    ("keyed_element", GoKind::Keyed),
    ("unary_expression", GoKind::Unary),
    ("type_assertion_expression", GoKind::Assertion),
    ("parenthesized_expression", GoKind::Parens),
    ("parenthesized_type", GoKind::Parens),
    ("interpreted_string_literal", GoKind::Nothing),
    ("raw_string_literal", GoKind::Nothing),
    ("rune_literal", GoKind::Nothing),
    ("int_literal", GoKind::Nothing),
    ("float_literal", GoKind::Nothing),
    ("imaginary_literal", GoKind::Nothing),
    ("label_name", GoKind::Nothing),
    ("field_identifier", GoKind::Nothing),
    ("package_identifier", GoKind::Nothing),
    ("nil", GoKind::Nothing),
    ("true", GoKind::Nothing),
    ("false", GoKind::Nothing),
    ("iota", GoKind::Nothing),
];

fields!(Fields {
    name: "name",
    ty: "type",
    body: "body",
    value: "value",
    path: "path",
    function: "function",
    operand: "operand",
    member: "field",
    left: "left",
    right: "right",
    receiver: "receiver",
    parameters: "parameters",
    result: "result",
    package: "package",
    element: "element",
    key: "key",
    alias: "alias",
    arguments: "arguments",
    type_arguments: "type_arguments",
});

/// The grammar with its tables.
pub(super) type GoGrammar = crate::langs::support::Grammar<GoKind, Fields>;

/// The Go grammar with its kinds and fields, looked up once.
pub(super) static GRAMMAR: LazyLock<GoGrammar> =
    LazyLock::new(|| GoGrammar::new(super::language().as_ref(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(super::super::language().as_ref(), super::KINDS), [""; 0]);
    }
}
