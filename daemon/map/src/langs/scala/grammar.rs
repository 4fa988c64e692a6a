//! Maps the nodes of the Scala grammar to the kinds that the extractor tells apart.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// The kinds of nodes that the Scala extractor tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum K {
    /// Nothing in itself; its children may be.
    #[default]
    Other,
    /// Neither it nor what is in it.
    Nothing,
    Comment,
    Root,
    Package,
    PackageObject,
    Import,
    Class,
    Trait,
    Object,
    Enum,
    EnumCase,
    Given,
    Extension,
    Function,
    Value,
    TypeAlias,
    ClassParameter,
    Parameter,
    Binding,
    TypeParameters,
    TypeParameter,
    Extends,
    Derives,
    SelfType,
    Annotation,
    Template,
    Code,
    Lambda,
    Case,
    Enumerator,
    Call,
    Generic,
    Field,
    Infix,
    New,
    Arguments,
    Ascription,
    Parens,
    Text,
    Ident,
    TypeIdent,
    StableType,
    Stable,
    GenericType,
    WrappedType,
    Projected,
    PatternClass,
}

const KINDS: &[(&str, K)] = &[
    ("comment", K::Comment),
    ("block_comment", K::Comment),
    ("compilation_unit", K::Root),
    ("package_clause", K::Package),
    ("package_object", K::PackageObject),
    ("import_declaration", K::Import),
    ("export_declaration", K::Nothing),
    ("class_definition", K::Class),
    ("trait_definition", K::Trait),
    ("object_definition", K::Object),
    ("enum_definition", K::Enum),
    ("simple_enum_case", K::EnumCase),
    ("full_enum_case", K::EnumCase),
    ("given_definition", K::Given),
    ("extension_definition", K::Extension),
    ("function_definition", K::Function),
    ("function_declaration", K::Function),
    ("val_definition", K::Value),
    ("var_definition", K::Value),
    ("val_declaration", K::Value),
    ("var_declaration", K::Value),
    ("type_definition", K::TypeAlias),
    ("class_parameter", K::ClassParameter),
    ("parameter", K::Parameter),
    ("binding", K::Binding),
    ("type_parameters", K::TypeParameters),
    ("covariant_type_parameter", K::TypeParameter),
    ("contravariant_type_parameter", K::TypeParameter),
    ("extends_clause", K::Extends),
    ("derives_clause", K::Derives),
    ("self_type", K::SelfType),
    ("annotation", K::Annotation),
    ("template_body", K::Template),
    ("with_template_body", K::Template),
    ("block", K::Code),
    ("indented_block", K::Code),
    ("for_expression", K::Code),
    ("lambda_expression", K::Lambda),
    ("case_clause", K::Case),
    ("catch_clause", K::Case),
    ("enumerator", K::Enumerator),
    ("call_expression", K::Call),
    ("generic_function", K::Generic),
    ("field_expression", K::Field),
    ("infix_expression", K::Infix),
    ("instance_expression", K::New),
    ("arguments", K::Arguments),
    ("ascription_expression", K::Ascription),
    ("parenthesized_expression", K::Parens),
    ("string", K::Text),
    ("interpolated_string_expression", K::Text),
    ("identifier", K::Ident),
    ("operator_identifier", K::Nothing),
    ("type_identifier", K::TypeIdent),
    ("stable_type_identifier", K::StableType),
    ("stable_identifier", K::Stable),
    ("generic_type", K::GenericType),
    ("applied_constructor_type", K::GenericType),
    ("annotated_type", K::WrappedType),
    ("compound_type", K::WrappedType),
    ("lazy_parameter_type", K::WrappedType),
    ("projected_type", K::Projected),
    ("case_class_pattern", K::PatternClass),
    ("boolean_literal", K::Nothing),
    ("integer_literal", K::Nothing),
    ("floating_point_literal", K::Nothing),
    ("character_literal", K::Nothing),
    ("null_literal", K::Nothing),
    ("end_marker", K::Nothing),
    ("modifiers", K::Nothing),
    ("access_modifier", K::Nothing),
    ("wildcard", K::Nothing),
];

fields!(Fields {
    name: "name",
    alias: "alias",
    path: "path",
    body: "body",
    extend: "extend",
    ty: "type",
    result: "return_type",
    pattern: "pattern",
    value: "value",
    member: "field",
    function: "function",
    left: "left",
    operator: "operator",
    interpolator: "interpolator",
});

/// The grammar with its tables.
pub(super) type Grammar = crate::langs::support::Grammar<K, Fields>;

/// The Scala grammar with its kinds and fields, looked up once.
pub(super) static GRAMMAR: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::new(&tree_sitter_scala::LANGUAGE.into(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(&tree_sitter_scala::LANGUAGE.into(), super::KINDS), [""; 0]);
    }
}
