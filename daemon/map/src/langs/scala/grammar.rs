//! Maps the nodes of the Scala grammar to the kinds that the extractor tells apart.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// The kinds of nodes that the Scala extractor tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum ScalaKind {
    /// A node that means nothing itself; its children may.
    #[default]
    Other,
    /// A node that means nothing, and whose children are skipped.
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

const KINDS: &[(&str, ScalaKind)] = &[
    ("comment", ScalaKind::Comment),
    ("block_comment", ScalaKind::Comment),
    ("compilation_unit", ScalaKind::Root),
    ("package_clause", ScalaKind::Package),
    ("package_object", ScalaKind::PackageObject),
    ("import_declaration", ScalaKind::Import),
    ("export_declaration", ScalaKind::Nothing),
    ("class_definition", ScalaKind::Class),
    ("trait_definition", ScalaKind::Trait),
    ("object_definition", ScalaKind::Object),
    ("enum_definition", ScalaKind::Enum),
    ("simple_enum_case", ScalaKind::EnumCase),
    ("full_enum_case", ScalaKind::EnumCase),
    ("given_definition", ScalaKind::Given),
    ("extension_definition", ScalaKind::Extension),
    ("function_definition", ScalaKind::Function),
    ("function_declaration", ScalaKind::Function),
    ("val_definition", ScalaKind::Value),
    ("var_definition", ScalaKind::Value),
    ("val_declaration", ScalaKind::Value),
    ("var_declaration", ScalaKind::Value),
    ("type_definition", ScalaKind::TypeAlias),
    ("class_parameter", ScalaKind::ClassParameter),
    ("parameter", ScalaKind::Parameter),
    ("binding", ScalaKind::Binding),
    ("type_parameters", ScalaKind::TypeParameters),
    ("covariant_type_parameter", ScalaKind::TypeParameter),
    ("contravariant_type_parameter", ScalaKind::TypeParameter),
    ("extends_clause", ScalaKind::Extends),
    ("derives_clause", ScalaKind::Derives),
    ("self_type", ScalaKind::SelfType),
    ("annotation", ScalaKind::Annotation),
    ("template_body", ScalaKind::Template),
    ("with_template_body", ScalaKind::Template),
    ("block", ScalaKind::Code),
    ("indented_block", ScalaKind::Code),
    ("for_expression", ScalaKind::Code),
    ("lambda_expression", ScalaKind::Lambda),
    ("case_clause", ScalaKind::Case),
    ("catch_clause", ScalaKind::Case),
    ("enumerator", ScalaKind::Enumerator),
    ("call_expression", ScalaKind::Call),
    ("generic_function", ScalaKind::Generic),
    ("field_expression", ScalaKind::Field),
    ("infix_expression", ScalaKind::Infix),
    ("instance_expression", ScalaKind::New),
    ("arguments", ScalaKind::Arguments),
    ("ascription_expression", ScalaKind::Ascription),
    ("parenthesized_expression", ScalaKind::Parens),
    ("string", ScalaKind::Text),
    ("interpolated_string_expression", ScalaKind::Text),
    ("identifier", ScalaKind::Ident),
    ("operator_identifier", ScalaKind::Nothing),
    ("type_identifier", ScalaKind::TypeIdent),
    ("stable_type_identifier", ScalaKind::StableType),
    ("stable_identifier", ScalaKind::Stable),
    ("generic_type", ScalaKind::GenericType),
    ("applied_constructor_type", ScalaKind::GenericType),
    ("annotated_type", ScalaKind::WrappedType),
    ("compound_type", ScalaKind::WrappedType),
    ("lazy_parameter_type", ScalaKind::WrappedType),
    ("projected_type", ScalaKind::Projected),
    ("case_class_pattern", ScalaKind::PatternClass),
    ("boolean_literal", ScalaKind::Nothing),
    ("integer_literal", ScalaKind::Nothing),
    ("floating_point_literal", ScalaKind::Nothing),
    ("character_literal", ScalaKind::Nothing),
    ("null_literal", ScalaKind::Nothing),
    ("end_marker", ScalaKind::Nothing),
    ("modifiers", ScalaKind::Nothing),
    ("access_modifier", ScalaKind::Nothing),
    ("wildcard", ScalaKind::Nothing),
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
pub(super) type ScalaGrammar = crate::langs::support::Grammar<ScalaKind, Fields>;

/// The Scala grammar with its kinds and fields, looked up once.
pub(super) static GRAMMAR: LazyLock<ScalaGrammar> =
    LazyLock::new(|| ScalaGrammar::new(super::language().as_ref(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(super::super::language().as_ref(), super::KINDS), [""; 0]);
    }
}
