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
pub(super) enum NodeHandling {
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
const KINDS: &[(&str, NodeHandling)] = &[
    ("program", NodeHandling::Program),
    ("comment", NodeHandling::Comment),
    ("jsx_closing_element", NodeHandling::JsxEnd),
    ("string", NodeHandling::Skip),
    ("string_fragment", NodeHandling::Skip),
    ("escape_sequence", NodeHandling::Skip),
    ("regex", NodeHandling::Skip),
    ("number", NodeHandling::Skip),
    ("true", NodeHandling::Skip),
    ("false", NodeHandling::Skip),
    ("null", NodeHandling::Skip),
    ("undefined", NodeHandling::Skip),
    ("jsx_text", NodeHandling::Skip),
    ("property_identifier", NodeHandling::Skip),
    ("private_property_identifier", NodeHandling::Skip),
    ("shorthand_property_identifier_pattern", NodeHandling::Skip),
    ("statement_identifier", NodeHandling::Skip),
    ("predefined_type", NodeHandling::Skip),
    ("meta_property", NodeHandling::Skip),
    ("jsx_namespace_name", NodeHandling::Skip),
    ("decorator", NodeHandling::Decorator),
    ("import_statement", NodeHandling::Import),
    ("import_alias", NodeHandling::ImportAlias),
    ("export_statement", NodeHandling::Export),
    ("ambient_declaration", NodeHandling::Ambient),
    ("function_declaration", NodeHandling::Function),
    ("generator_function_declaration", NodeHandling::Function),
    ("function_signature", NodeHandling::Signature),
    ("function_expression", NodeHandling::Lambda),
    ("generator_function", NodeHandling::Lambda),
    ("arrow_function", NodeHandling::Lambda),
    ("class_declaration", NodeHandling::Class),
    ("abstract_class_declaration", NodeHandling::Class),
    ("class", NodeHandling::ClassValue),
    ("class_body", NodeHandling::ClassBody),
    ("object", NodeHandling::Object),
    ("object_type", NodeHandling::ObjectType),
    ("interface_body", NodeHandling::ObjectType),
    ("method_definition", NodeHandling::Method),
    ("method_signature", NodeHandling::MemberSignature),
    ("abstract_method_signature", NodeHandling::MemberSignature),
    ("public_field_definition", NodeHandling::FieldDefinition),
    ("field_definition", NodeHandling::FieldDefinition),
    ("property_signature", NodeHandling::PropertySignature),
    ("pair", NodeHandling::Pair),
    ("return_statement", NodeHandling::Return),
    ("as_expression", NodeHandling::Cast),
    ("satisfies_expression", NodeHandling::Cast),
    ("type_assertion", NodeHandling::Cast),
    ("interface_declaration", NodeHandling::Interface),
    ("enum_declaration", NodeHandling::Enum),
    ("enum_body", NodeHandling::EnumMember),
    ("type_alias_declaration", NodeHandling::TypeAlias),
    ("module", NodeHandling::Namespace),
    ("internal_module", NodeHandling::Namespace),
    ("lexical_declaration", NodeHandling::Declaration),
    ("variable_declaration", NodeHandling::Declaration),
    ("using_declaration", NodeHandling::Declaration),
    ("variable_declarator", NodeHandling::Declarator),
    ("assignment_expression", NodeHandling::Assignment),
    ("statement_block", NodeHandling::Block),
    ("switch_body", NodeHandling::SwitchBody),
    ("for_statement", NodeHandling::For),
    ("for_in_statement", NodeHandling::ForIn),
    ("catch_clause", NodeHandling::Catch),
    ("identifier", NodeHandling::Identifier),
    ("shorthand_property_identifier", NodeHandling::Shorthand),
    ("member_expression", NodeHandling::Member),
    ("nested_identifier", NodeHandling::Member),
    ("type_identifier", NodeHandling::TypeIdentifier),
    ("nested_type_identifier", NodeHandling::NestedType),
    ("extends_clause", NodeHandling::Extends),
    ("extends_type_clause", NodeHandling::Extends),
    ("class_heritage", NodeHandling::Extends),
    ("implements_clause", NodeHandling::Implements),
    ("call_expression", NodeHandling::Call),
    ("new_expression", NodeHandling::New),
    ("jsx_opening_element", NodeHandling::Jsx),
    ("jsx_self_closing_element", NodeHandling::Jsx),
    ("function_type", NodeHandling::TypeScope),
    ("constructor_type", NodeHandling::TypeScope),
    ("call_signature", NodeHandling::TypeScope),
    ("construct_signature", NodeHandling::TypeScope),
    ("index_signature", NodeHandling::TypeScope),
    ("conditional_type", NodeHandling::TypeScope),
    ("required_parameter", NodeHandling::Parameter),
    ("optional_parameter", NodeHandling::Parameter),
];

/// The tables of one grammar.
#[derive(Debug)]
pub(super) struct EcmaGrammar {
    pub(super) kinds: KindTable<NodeHandling>,
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
