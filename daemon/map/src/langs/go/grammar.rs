//! Maps the nodes of the Go grammar to the kinds that the extractor tells apart.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// The kinds of nodes that the Go extractor tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum K {
    /// Nothing in itself; its children may be.
    #[default]
    Other,
    /// Neither it nor what is in it.
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
    Composite,
    LiteralValue,
    Keyed,
    Unary,
    Assertion,
    Parens,
}

const KINDS: &[(&str, K)] = &[
    ("source_file", K::File),
    ("comment", K::Comment),
    ("package_clause", K::Package),
    ("import_spec", K::Import),
    ("const_declaration", K::Declaration),
    ("var_declaration", K::Declaration),
    ("type_declaration", K::Declaration),
    ("const_spec", K::ConstSpec),
    ("var_spec", K::VarSpec),
    ("type_spec", K::TypeSpec),
    ("type_alias", K::Alias),
    ("struct_type", K::Struct),
    ("interface_type", K::Interface),
    ("field_declaration", K::Field),
    ("method_elem", K::MethodElem),
    ("type_elem", K::TypeElem),
    ("function_declaration", K::Function),
    ("method_declaration", K::Method),
    ("parameter_declaration", K::Param),
    ("variadic_parameter_declaration", K::Param),
    ("type_parameter_declaration", K::TypeParam),
    ("func_literal", K::Scope),
    ("function_type", K::Scope),
    ("block", K::Block),
    ("if_statement", K::Block),
    ("for_statement", K::Block),
    ("expression_switch_statement", K::Block),
    ("select_statement", K::Block),
    ("expression_case", K::Block),
    ("default_case", K::Block),
    ("communication_case", K::Block),
    ("short_var_declaration", K::ShortVar),
    ("range_clause", K::Range),
    ("receive_statement", K::Receive),
    ("type_switch_statement", K::TypeSwitch),
    ("type_case", K::TypeCase),
    ("call_expression", K::Call),
    ("selector_expression", K::Selector),
    ("index_expression", K::Index),
    ("type_instantiation_expression", K::Index),
    ("identifier", K::Ident),
    ("type_identifier", K::TypeIdent),
    ("qualified_type", K::Qualified),
    ("pointer_type", K::Pointer),
    ("generic_type", K::Generic),
    ("slice_type", K::Sequence),
    ("array_type", K::Sequence),
    ("implicit_length_array_type", K::Sequence),
    ("map_type", K::Map),
    ("composite_literal", K::Composite),
    ("literal_value", K::LiteralValue),
    ("keyed_element", K::Keyed),
    ("unary_expression", K::Unary),
    ("type_assertion_expression", K::Assertion),
    ("parenthesized_expression", K::Parens),
    ("parenthesized_type", K::Parens),
    ("interpreted_string_literal", K::Nothing),
    ("raw_string_literal", K::Nothing),
    ("rune_literal", K::Nothing),
    ("int_literal", K::Nothing),
    ("float_literal", K::Nothing),
    ("imaginary_literal", K::Nothing),
    ("label_name", K::Nothing),
    ("field_identifier", K::Nothing),
    ("package_identifier", K::Nothing),
    ("nil", K::Nothing),
    ("true", K::Nothing),
    ("false", K::Nothing),
    ("iota", K::Nothing),
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
pub(super) type Grammar = crate::langs::support::Grammar<K, Fields>;

/// The Go grammar with its kinds and fields, looked up once.
pub(super) static GRAMMAR: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::new(&tree_sitter_go::LANGUAGE.into(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(&tree_sitter_go::LANGUAGE.into(), super::KINDS), [""; 0]);
    }
}
