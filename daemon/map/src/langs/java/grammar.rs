//! Maps the nodes of the Java grammar to the kinds that the extractor tells apart.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// The kinds of nodes that the Java extractor tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum JavaKind {
    /// A node that means nothing itself; its children may.
    #[default]
    Other,
    /// A node that means nothing, and whose children are skipped.
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
    SwitchLabel,
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

const KINDS: &[(&str, JavaKind)] = &[
    ("line_comment", JavaKind::Comment),
    ("block_comment", JavaKind::Comment),
    ("package_declaration", JavaKind::Package),
    ("import_declaration", JavaKind::Import),
    ("module_declaration", JavaKind::Nothing),
    ("class_declaration", JavaKind::Class),
    ("interface_declaration", JavaKind::Interface),
    ("enum_declaration", JavaKind::Enum),
    ("record_declaration", JavaKind::Record),
    ("annotation_type_declaration", JavaKind::AnnotationType),
    ("method_declaration", JavaKind::Method),
    ("constructor_declaration", JavaKind::Constructor),
    ("compact_constructor_declaration", JavaKind::Constructor),
    ("annotation_type_element_declaration", JavaKind::Element),
    ("field_declaration", JavaKind::Field),
    ("constant_declaration", JavaKind::Constant),
    ("enum_constant", JavaKind::EnumConstant),
    ("modifiers", JavaKind::Modifiers),
    ("annotation", JavaKind::Annotation),
    ("marker_annotation", JavaKind::Annotation),
    ("formal_parameter", JavaKind::Param),
    ("spread_parameter", JavaKind::Spread),
    ("catch_formal_parameter", JavaKind::Catch),
    ("local_variable_declaration", JavaKind::Locals),
    ("enhanced_for_statement", JavaKind::ForEach),
    ("resource", JavaKind::Resource),
    ("lambda_expression", JavaKind::Lambda),
    ("instanceof_expression", JavaKind::Instanceof),
    ("type_pattern", JavaKind::Pattern),
    ("record_pattern_component", JavaKind::Pattern),
    ("block", JavaKind::Scope),
    ("constructor_body", JavaKind::Scope),
    ("for_statement", JavaKind::Scope),
    ("catch_clause", JavaKind::Scope),
    ("try_with_resources_statement", JavaKind::Scope),
    ("switch_block_statement_group", JavaKind::Scope),
    ("switch_rule", JavaKind::Scope),
    ("switch_label", JavaKind::SwitchLabel),
    ("labeled_statement", JavaKind::Labeled),
    ("break_statement", JavaKind::Nothing),
    ("continue_statement", JavaKind::Nothing),
    ("element_value_pair", JavaKind::Pair),
    ("method_invocation", JavaKind::Invocation),
    ("object_creation_expression", JavaKind::New),
    ("field_access", JavaKind::FieldAccess),
    ("method_reference", JavaKind::MethodRef),
    ("identifier", JavaKind::Ident),
    ("type_identifier", JavaKind::TypeIdent),
    ("scoped_type_identifier", JavaKind::ScopedType),
    ("scoped_identifier", JavaKind::ScopedName),
    ("generic_type", JavaKind::Generic),
    ("annotated_type", JavaKind::Annotated),
    ("superclass", JavaKind::Superclass),
    ("super_interfaces", JavaKind::Implements),
    ("extends_interfaces", JavaKind::ExtendsList),
    ("type_list", JavaKind::TypeList),
    ("type_parameter", JavaKind::TypeParam),
    ("cast_expression", JavaKind::Cast),
    ("parenthesized_expression", JavaKind::Parens),
    ("this", JavaKind::This),
    ("super", JavaKind::Super),
    ("string_literal", JavaKind::Text),
    ("class_body", JavaKind::ClassBody),
    ("character_literal", JavaKind::Nothing),
    ("decimal_integer_literal", JavaKind::Nothing),
    ("hex_integer_literal", JavaKind::Nothing),
    ("decimal_floating_point_literal", JavaKind::Nothing),
    ("integral_type", JavaKind::Nothing),
    ("floating_point_type", JavaKind::Nothing),
    ("boolean_type", JavaKind::Nothing),
    ("void_type", JavaKind::Nothing),
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
pub(super) type JavaGrammar = crate::langs::support::Grammar<JavaKind, Fields>;

/// The Java grammar with its kinds and fields, looked up once.
pub(super) static GRAMMAR: LazyLock<JavaGrammar> =
    LazyLock::new(|| JavaGrammar::new(super::language().as_ref(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(super::super::language().as_ref(), super::KINDS), [""; 0]);
    }
}
