//! Maps the nodes of the Kotlin grammar to the kinds that the extractor tells apart.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// The kinds of nodes that the Kotlin extractor tells apart.
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
    Import,
    Class,
    Object,
    Companion,
    ObjectLiteral,
    EnumEntry,
    Function,
    Constructor,
    Initializer,
    Accessor,
    Property,
    Alias,
    ClassParameter,
    Parameters,
    Parameter,
    Variable,
    Delegation,
    Annotation,
    ConstructorCall,
    Statements,
    Lambda,
    AnonymousFunction,
    For,
    Catch,
    When,
    TypeParam,
    UserType,
    NullableType,
    TypeIdent,
    Ident,
    Interpolated,
    Call,
    Navigation,
    Suffix,
    Assignable,
    Infix,
    Reference,
    Argument,
    Cast,
    Same,
    This,
    Super,
    Text,
    Modifiers,
}

const KINDS: &[(&str, K)] = &[
    ("line_comment", K::Comment),
    ("multiline_comment", K::Comment),
    ("source_file", K::Root),
    ("package_header", K::Package),
    ("import_header", K::Import),
    ("class_declaration", K::Class),
    ("object_declaration", K::Object),
    ("companion_object", K::Companion),
    ("object_literal", K::ObjectLiteral),
    ("enum_entry", K::EnumEntry),
    ("function_declaration", K::Function),
    ("secondary_constructor", K::Constructor),
    ("anonymous_initializer", K::Initializer),
    ("getter", K::Accessor),
    ("setter", K::Accessor),
    ("property_declaration", K::Property),
    ("type_alias", K::Alias),
    ("class_parameter", K::ClassParameter),
    ("function_value_parameters", K::Parameters),
    ("parameter", K::Parameter),
    ("parameter_with_optional_type", K::Parameter),
    ("variable_declaration", K::Variable),
    ("delegation_specifier", K::Delegation),
    ("annotation", K::Annotation),
    ("file_annotation", K::Annotation),
    ("constructor_invocation", K::ConstructorCall),
    ("statements", K::Statements),
    ("control_structure_body", K::Statements),
    ("lambda_literal", K::Lambda),
    ("anonymous_function", K::AnonymousFunction),
    ("for_statement", K::For),
    ("catch_block", K::Catch),
    ("when_expression", K::When),
    ("type_parameter", K::TypeParam),
    ("user_type", K::UserType),
    ("nullable_type", K::NullableType),
    ("parenthesized_type", K::NullableType),
    ("not_nullable_type", K::NullableType),
    ("receiver_type", K::NullableType),
    ("type_identifier", K::TypeIdent),
    ("simple_identifier", K::Ident),
    ("interpolated_identifier", K::Interpolated),
    ("call_expression", K::Call),
    ("navigation_expression", K::Navigation),
    ("navigation_suffix", K::Suffix),
    ("directly_assignable_expression", K::Assignable),
    ("infix_expression", K::Infix),
    ("callable_reference", K::Reference),
    ("value_argument", K::Argument),
    ("as_expression", K::Cast),
    ("parenthesized_expression", K::Same),
    ("postfix_expression", K::Same),
    ("this_expression", K::This),
    ("super_expression", K::Super),
    ("string_literal", K::Text),
    ("modifiers", K::Modifiers),
    ("label", K::Nothing),
    ("identifier", K::Nothing),
    ("shebang_line", K::Nothing),
    ("use_site_target", K::Nothing),
    ("boolean_literal", K::Nothing),
    ("integer_literal", K::Nothing),
    ("long_literal", K::Nothing),
    ("hex_literal", K::Nothing),
    ("real_literal", K::Nothing),
    ("character_literal", K::Nothing),
    ("null_literal", K::Nothing),
    ("string_content", K::Nothing),
];

fields!(Fields { receiver: "receiver" });

/// The grammar with its tables.
pub(super) type Grammar = crate::langs::support::Grammar<K, Fields>;

/// The Kotlin grammar with its kinds and fields, looked up once.
pub(super) static GRAMMAR: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::new(&tree_sitter_kotlin_sg::LANGUAGE.into(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(&tree_sitter_kotlin_sg::LANGUAGE.into(), super::KINDS), [""; 0]);
    }
}
