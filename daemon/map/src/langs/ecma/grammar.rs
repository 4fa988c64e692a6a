//! Holds the three grammars of the family (TypeScript, TSX, JavaScript): which node kinds matter, and the numbers of
//! fields.
//!
//! They share most names; the kinds that only one of them has never occur in the others.

use std::sync::LazyLock;

use tree_sitter::Language;

use super::flows::FlowKind;
use crate::langs::support::{define_grammar, fields};
use crate::walk::KindTable;

fields!(Fields {
    alias: "alias",
    arguments: "arguments",
    body: "body",
    constraint: "constraint",
    constructor: "constructor",
    declaration: "declaration",
    function: "function",
    index: "index",
    initializer: "initializer",
    key: "key",
    kind: "kind",
    left: "left",
    module: "module",
    name: "name",
    object: "object",
    parameter: "parameter",
    parameters: "parameters",
    pattern: "pattern",
    property: "property",
    return_type: "return_type",
    right: "right",
    source: "source",
    ty: "type",
    type_arguments: "type_arguments",
    type_parameters: "type_parameters",
    value: "value",
});

/// The handling that a node gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Act {
    #[default]
    Into,
    Skip,
    Program,
    Comment,
    Decorator,
    Import,
    ImportAlias,
    Export,
    Ambient,
    Function,
    Signature,
    Lambda,
    Class,
    ClassValue,
    ClassBody,
    Object,
    ObjectType,
    Method,
    MemberSignature,
    FieldDefinition,
    PropertySignature,
    Pair,
    Return,
    Cast,
    Interface,
    Enum,
    EnumMember,
    TypeAlias,
    Namespace,
    Declaration,
    Declarator,
    Assignment,
    Block,
    SwitchBody,
    For,
    ForIn,
    Catch,
    Identifier,
    Shorthand,
    Member,
    TypeIdentifier,
    NestedType,
    Extends,
    Implements,
    Call,
    New,
    Jsx,
    JsxEnd,
    TypeScope,
    Parameter,
}

/// Node kinds of all three grammars.
const KINDS: &[(&str, Act)] = &[
    ("program", Act::Program),
    ("comment", Act::Comment),
    ("jsx_closing_element", Act::JsxEnd),
    ("string", Act::Skip),
    ("string_fragment", Act::Skip),
    ("escape_sequence", Act::Skip),
    ("regex", Act::Skip),
    ("number", Act::Skip),
    ("true", Act::Skip),
    ("false", Act::Skip),
    ("null", Act::Skip),
    ("undefined", Act::Skip),
    ("jsx_text", Act::Skip),
    ("property_identifier", Act::Skip),
    ("private_property_identifier", Act::Skip),
    ("shorthand_property_identifier_pattern", Act::Skip),
    ("statement_identifier", Act::Skip),
    ("predefined_type", Act::Skip),
    ("meta_property", Act::Skip),
    ("jsx_namespace_name", Act::Skip),
    ("decorator", Act::Decorator),
    ("import_statement", Act::Import),
    ("import_alias", Act::ImportAlias),
    ("export_statement", Act::Export),
    ("ambient_declaration", Act::Ambient),
    ("function_declaration", Act::Function),
    ("generator_function_declaration", Act::Function),
    ("function_signature", Act::Signature),
    ("function_expression", Act::Lambda),
    ("generator_function", Act::Lambda),
    ("arrow_function", Act::Lambda),
    ("class_declaration", Act::Class),
    ("abstract_class_declaration", Act::Class),
    ("class", Act::ClassValue),
    ("class_body", Act::ClassBody),
    ("object", Act::Object),
    ("object_type", Act::ObjectType),
    ("interface_body", Act::ObjectType),
    ("method_definition", Act::Method),
    ("method_signature", Act::MemberSignature),
    ("abstract_method_signature", Act::MemberSignature),
    ("public_field_definition", Act::FieldDefinition),
    ("field_definition", Act::FieldDefinition),
    ("property_signature", Act::PropertySignature),
    ("pair", Act::Pair),
    ("return_statement", Act::Return),
    ("as_expression", Act::Cast),
    ("satisfies_expression", Act::Cast),
    ("type_assertion", Act::Cast),
    ("interface_declaration", Act::Interface),
    ("enum_declaration", Act::Enum),
    ("enum_body", Act::EnumMember),
    ("type_alias_declaration", Act::TypeAlias),
    ("module", Act::Namespace),
    ("internal_module", Act::Namespace),
    ("lexical_declaration", Act::Declaration),
    ("variable_declaration", Act::Declaration),
    ("using_declaration", Act::Declaration),
    ("variable_declarator", Act::Declarator),
    ("assignment_expression", Act::Assignment),
    ("statement_block", Act::Block),
    ("switch_body", Act::SwitchBody),
    ("for_statement", Act::For),
    ("for_in_statement", Act::ForIn),
    ("catch_clause", Act::Catch),
    ("identifier", Act::Identifier),
    ("shorthand_property_identifier", Act::Shorthand),
    ("member_expression", Act::Member),
    ("nested_identifier", Act::Member),
    ("type_identifier", Act::TypeIdentifier),
    ("nested_type_identifier", Act::NestedType),
    ("extends_clause", Act::Extends),
    ("extends_type_clause", Act::Extends),
    ("class_heritage", Act::Extends),
    ("implements_clause", Act::Implements),
    ("call_expression", Act::Call),
    ("new_expression", Act::New),
    ("jsx_opening_element", Act::Jsx),
    ("jsx_self_closing_element", Act::Jsx),
    ("function_type", Act::TypeScope),
    ("constructor_type", Act::TypeScope),
    ("call_signature", Act::TypeScope),
    ("construct_signature", Act::TypeScope),
    ("index_signature", Act::TypeScope),
    ("conditional_type", Act::TypeScope),
    ("required_parameter", Act::Parameter),
    ("optional_parameter", Act::Parameter),
];

/// The tables of one grammar.
#[derive(Debug)]
pub(super) struct EcmaGrammar {
    pub(super) kinds: KindTable<Act>,
    pub(super) flow_kinds: KindTable<FlowKind>,
    pub(super) fields: Fields,
    /// True if the language has no types: fields are then found where they are assigned.
    pub(super) untyped: bool,
}

impl EcmaGrammar {
    fn new(language: Option<&Language>, untyped: bool) -> Self {
        Self {
            kinds: KindTable::new(language, KINDS),
            flow_kinds: KindTable::new(language, FlowKind::NAMES),
            fields: Fields::new(language),
            untyped,
        }
    }
}

pub(super) static TYPESCRIPT: LazyLock<EcmaGrammar> =
    LazyLock::new(|| EcmaGrammar::new(typescript_language().as_ref(), false));
pub(super) static TSX: LazyLock<EcmaGrammar> =
    LazyLock::new(|| EcmaGrammar::new(tsx_language().as_ref(), false));
pub(super) static JAVASCRIPT: LazyLock<EcmaGrammar> =
    LazyLock::new(|| EcmaGrammar::new(javascript_language().as_ref(), true));

define_grammar!(typescript_language, "typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT);

define_grammar!(tsx_language, "typescript", tree_sitter_typescript::LANGUAGE_TSX);

define_grammar!(javascript_language, "javascript", tree_sitter_javascript::LANGUAGE);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_one_of_some_grammar() {
        let grammars = [typescript_language(), tsx_language(), javascript_language()];
        for (kind, _) in KINDS {
            assert!(grammars.iter().flatten().any(|g| g.id_for_node_kind(kind, true) != 0), "{kind}");
        }
    }

    #[test]
    fn typescript_has_every_field() {
        for name in ["alias", "constructor", "declaration", "module", "pattern", "return_type", "source"] {
            let typescript = typescript_language().expect("tests are built with all languages");
            assert!(typescript.field_id_for_name(name).is_some(), "{name}");
        }
    }
}
