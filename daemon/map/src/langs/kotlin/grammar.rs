//! Maps the nodes of the Kotlin grammar to the kinds that the extractor tells apart.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// The kinds of nodes that the Kotlin extractor tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum KotlinKind {
    /// A node that means nothing itself; its children may.
    #[default]
    Other,
    /// A node that means nothing, and whose children are skipped.
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

const KINDS: &[(&str, KotlinKind)] = &[
    ("line_comment", KotlinKind::Comment),
    ("multiline_comment", KotlinKind::Comment),
    ("source_file", KotlinKind::Root),
    ("package_header", KotlinKind::Package),
    ("import_header", KotlinKind::Import),
    ("class_declaration", KotlinKind::Class),
    ("object_declaration", KotlinKind::Object),
    ("companion_object", KotlinKind::Companion),
    ("object_literal", KotlinKind::ObjectLiteral),
    ("enum_entry", KotlinKind::EnumEntry),
    ("function_declaration", KotlinKind::Function),
    ("secondary_constructor", KotlinKind::Constructor),
    ("anonymous_initializer", KotlinKind::Initializer),
    ("getter", KotlinKind::Accessor),
    ("setter", KotlinKind::Accessor),
    ("property_declaration", KotlinKind::Property),
    ("type_alias", KotlinKind::Alias),
    ("class_parameter", KotlinKind::ClassParameter),
    ("function_value_parameters", KotlinKind::Parameters),
    ("parameter", KotlinKind::Parameter),
    ("parameter_with_optional_type", KotlinKind::Parameter),
    ("variable_declaration", KotlinKind::Variable),
    ("delegation_specifier", KotlinKind::Delegation),
    ("annotation", KotlinKind::Annotation),
    ("file_annotation", KotlinKind::Annotation),
    ("constructor_invocation", KotlinKind::ConstructorCall),
    ("statements", KotlinKind::Statements),
    ("control_structure_body", KotlinKind::Statements),
    ("lambda_literal", KotlinKind::Lambda),
    ("anonymous_function", KotlinKind::AnonymousFunction),
    ("for_statement", KotlinKind::For),
    ("catch_block", KotlinKind::Catch),
    ("when_expression", KotlinKind::When),
    ("type_parameter", KotlinKind::TypeParam),
    ("user_type", KotlinKind::UserType),
    ("nullable_type", KotlinKind::NullableType),
    ("parenthesized_type", KotlinKind::NullableType),
    ("not_nullable_type", KotlinKind::NullableType),
    ("receiver_type", KotlinKind::NullableType),
    ("type_identifier", KotlinKind::TypeIdent),
    ("simple_identifier", KotlinKind::Ident),
    ("interpolated_identifier", KotlinKind::Interpolated),
    ("call_expression", KotlinKind::Call),
    ("navigation_expression", KotlinKind::Navigation),
    ("navigation_suffix", KotlinKind::Suffix),
    ("directly_assignable_expression", KotlinKind::Assignable),
    ("infix_expression", KotlinKind::Infix),
    ("callable_reference", KotlinKind::Reference),
    ("value_argument", KotlinKind::Argument),
    ("as_expression", KotlinKind::Cast),
    ("parenthesized_expression", KotlinKind::Same),
    ("postfix_expression", KotlinKind::Same),
    ("this_expression", KotlinKind::This),
    ("super_expression", KotlinKind::Super),
    ("string_literal", KotlinKind::Text),
    ("modifiers", KotlinKind::Modifiers),
    ("label", KotlinKind::Nothing),
    ("identifier", KotlinKind::Nothing),
    ("shebang_line", KotlinKind::Nothing),
    ("use_site_target", KotlinKind::Nothing),
    ("boolean_literal", KotlinKind::Nothing),
    ("integer_literal", KotlinKind::Nothing),
    ("long_literal", KotlinKind::Nothing),
    ("hex_literal", KotlinKind::Nothing),
    ("real_literal", KotlinKind::Nothing),
    ("character_literal", KotlinKind::Nothing),
    ("null_literal", KotlinKind::Nothing),
    ("string_content", KotlinKind::Nothing),
];

fields!(Fields { receiver: "receiver" });

/// The grammar with its tables.
pub(super) type KotlinGrammar = crate::langs::support::Grammar<KotlinKind, Fields>;

/// The Kotlin grammar with its kinds and fields, looked up once.
pub(super) static GRAMMAR: LazyLock<KotlinGrammar> =
    LazyLock::new(|| KotlinGrammar::new(super::language().as_ref(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(super::super::language().as_ref(), super::KINDS), [""; 0]);
    }
}
