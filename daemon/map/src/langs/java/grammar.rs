//! Maps the nodes of the Java grammar to the kinds that the extractor tells apart.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// The kinds of nodes that the Java extractor tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum K {
    /// Nothing in itself; its children may be.
    #[default]
    Other,
    /// Neither it nor what is in it.
    Nothing,
    Comment,
    Package,
    Import,
    Class,
    Interface,
    Enum,
    Record,
    AnnotationType,
    Method,
    Constructor,
    Element,
    Field,
    Constant,
    EnumConstant,
    Modifiers,
    Annotation,
    Param,
    Spread,
    Catch,
    Locals,
    ForEach,
    Resource,
    Lambda,
    Instanceof,
    Pattern,
    Scope,
    Labeled,
    Pair,
    Invocation,
    New,
    FieldAccess,
    MethodRef,
    Ident,
    TypeIdent,
    ScopedType,
    ScopedName,
    Generic,
    Annotated,
    Superclass,
    Implements,
    ExtendsList,
    TypeList,
    TypeParam,
    Cast,
    Parens,
    This,
    Super,
    Text,
    ClassBody,
}

const KINDS: &[(&str, K)] = &[
    ("line_comment", K::Comment),
    ("block_comment", K::Comment),
    ("package_declaration", K::Package),
    ("import_declaration", K::Import),
    ("module_declaration", K::Nothing),
    ("class_declaration", K::Class),
    ("interface_declaration", K::Interface),
    ("enum_declaration", K::Enum),
    ("record_declaration", K::Record),
    ("annotation_type_declaration", K::AnnotationType),
    ("method_declaration", K::Method),
    ("constructor_declaration", K::Constructor),
    ("compact_constructor_declaration", K::Constructor),
    ("annotation_type_element_declaration", K::Element),
    ("field_declaration", K::Field),
    ("constant_declaration", K::Constant),
    ("enum_constant", K::EnumConstant),
    ("modifiers", K::Modifiers),
    ("annotation", K::Annotation),
    ("marker_annotation", K::Annotation),
    ("formal_parameter", K::Param),
    ("spread_parameter", K::Spread),
    ("catch_formal_parameter", K::Catch),
    ("local_variable_declaration", K::Locals),
    ("enhanced_for_statement", K::ForEach),
    ("resource", K::Resource),
    ("lambda_expression", K::Lambda),
    ("instanceof_expression", K::Instanceof),
    ("type_pattern", K::Pattern),
    ("record_pattern_component", K::Pattern),
    ("block", K::Scope),
    ("constructor_body", K::Scope),
    ("for_statement", K::Scope),
    ("catch_clause", K::Scope),
    ("try_with_resources_statement", K::Scope),
    ("switch_block_statement_group", K::Scope),
    ("switch_rule", K::Scope),
    ("labeled_statement", K::Labeled),
    ("break_statement", K::Nothing),
    ("continue_statement", K::Nothing),
    ("element_value_pair", K::Pair),
    ("method_invocation", K::Invocation),
    ("object_creation_expression", K::New),
    ("field_access", K::FieldAccess),
    ("method_reference", K::MethodRef),
    ("identifier", K::Ident),
    ("type_identifier", K::TypeIdent),
    ("scoped_type_identifier", K::ScopedType),
    ("scoped_identifier", K::ScopedName),
    ("generic_type", K::Generic),
    ("annotated_type", K::Annotated),
    ("superclass", K::Superclass),
    ("super_interfaces", K::Implements),
    ("extends_interfaces", K::ExtendsList),
    ("type_list", K::TypeList),
    ("type_parameter", K::TypeParam),
    ("cast_expression", K::Cast),
    ("parenthesized_expression", K::Parens),
    ("this", K::This),
    ("super", K::Super),
    ("string_literal", K::Text),
    ("class_body", K::ClassBody),
    ("character_literal", K::Nothing),
    ("decimal_integer_literal", K::Nothing),
    ("hex_integer_literal", K::Nothing),
    ("decimal_floating_point_literal", K::Nothing),
    ("integral_type", K::Nothing),
    ("floating_point_type", K::Nothing),
    ("boolean_type", K::Nothing),
    ("void_type", K::Nothing),
];

fields!(Fields {
    name: "name",
    ty: "type",
    body: "body",
    value: "value",
    object: "object",
    member: "field",
    declarator: "declarator",
    parameters: "parameters",
});

/// The grammar with its tables.
pub(super) type Grammar = crate::langs::support::Grammar<K, Fields>;

/// The Java grammar with its kinds and fields, looked up once.
pub(super) static GRAMMAR: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::new(&tree_sitter_java::LANGUAGE.into(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(&tree_sitter_java::LANGUAGE.into(), super::KINDS), [""; 0]);
    }
}
