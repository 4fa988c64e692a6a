//! Maps the nodes of the C and C++ grammars to the kinds that the extractors tell apart.
//!
//! The C++ grammar extends the C grammar, so one enumeration serves both; a kind that a grammar lacks never comes up.

use std::sync::LazyLock;

use tree_sitter::{Language, Node};

use crate::langs::support::fields;
use crate::walk::KindTable;

/// The kinds of nodes that the extractors of C and C++ tell apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum K {
    /// Nothing in itself; its children may be.
    #[default]
    Other,
    /// Neither it nor what is in it.
    Nothing,
    Comment,
    Include,
    Define,
    Ifdef,
    Function,
    Declaration,
    Typedef,
    Record,
    Enum,
    FieldDecl,
    Enumerator,
    Param,
    Call,
    Member,
    Ident,
    TypeIdent,
    FieldIdent,
    Block,
    Scope,
    Statement,
    MacroType,
    Error,
    // The parts of a declarator.
    FnDeclr,
    PtrDeclr,
    ParenDeclr,
    InitDeclr,
    Operator,
    // C++ only.
    Namespace,
    Using,
    Alias,
    NamespaceAlias,
    Template,
    TypeParam,
    Bases,
    Qualified,
    RangeFor,
    New,
    This,
    Access,
    MemberInit,
    TemplateType,
    Concept,
    Binding,
    CaptureInit,
    Friend,
    Auto,
    Literal,
}

const KINDS: &[(&str, K)] = &[
    ("comment", K::Comment),
    ("preproc_include", K::Include),
    ("preproc_def", K::Define),
    ("preproc_function_def", K::Define),
    ("preproc_ifdef", K::Ifdef),
    ("preproc_call", K::Nothing),
    ("function_definition", K::Function),
    ("declaration", K::Declaration),
    ("type_definition", K::Typedef),
    ("struct_specifier", K::Record),
    ("union_specifier", K::Record),
    ("class_specifier", K::Record),
    ("enum_specifier", K::Enum),
    ("field_declaration", K::FieldDecl),
    ("enumerator", K::Enumerator),
    ("parameter_declaration", K::Param),
    ("optional_parameter_declaration", K::Param),
    ("variadic_parameter_declaration", K::Param),
    ("call_expression", K::Call),
    ("field_expression", K::Member),
    ("identifier", K::Ident),
    ("type_identifier", K::TypeIdent),
    ("field_identifier", K::FieldIdent),
    ("compound_statement", K::Block),
    ("for_statement", K::Scope),
    ("if_statement", K::Scope),
    ("while_statement", K::Scope),
    ("switch_statement", K::Scope),
    ("lambda_expression", K::Scope),
    ("catch_clause", K::Scope),
    ("requires_expression", K::Scope),
    ("expression_statement", K::Statement),
    ("macro_type_specifier", K::MacroType),
    ("ERROR", K::Error),
    ("function_declarator", K::FnDeclr),
    ("pointer_declarator", K::PtrDeclr),
    ("array_declarator", K::PtrDeclr),
    ("reference_declarator", K::PtrDeclr),
    ("pointer_type_declarator", K::PtrDeclr),
    ("parenthesized_declarator", K::ParenDeclr),
    ("attributed_declarator", K::ParenDeclr),
    ("variadic_declarator", K::ParenDeclr),
    ("init_declarator", K::InitDeclr),
    ("destructor_name", K::Operator),
    ("operator_name", K::Operator),
    ("operator_cast", K::Operator),
    ("namespace_definition", K::Namespace),
    ("using_declaration", K::Using),
    ("alias_declaration", K::Alias),
    ("namespace_alias_definition", K::NamespaceAlias),
    ("template_declaration", K::Template),
    ("type_parameter_declaration", K::TypeParam),
    ("variadic_type_parameter_declaration", K::TypeParam),
    ("optional_type_parameter_declaration", K::TypeParam),
    ("base_class_clause", K::Bases),
    ("qualified_identifier", K::Qualified),
    ("for_range_loop", K::RangeFor),
    ("new_expression", K::New),
    ("this", K::This),
    ("access_specifier", K::Access),
    ("field_initializer", K::MemberInit),
    ("template_type", K::TemplateType),
    ("template_function", K::TemplateType),
    ("template_method", K::TemplateType),
    ("concept_definition", K::Concept),
    ("structured_binding_declarator", K::Binding),
    ("lambda_capture_initializer", K::CaptureInit),
    ("friend_declaration", K::Friend),
    ("placeholder_type_specifier", K::Auto),
    ("compound_literal_expression", K::Literal),
    ("string_literal", K::Nothing),
    ("raw_string_literal", K::Nothing),
    ("system_lib_string", K::Nothing),
    ("char_literal", K::Nothing),
    ("number_literal", K::Nothing),
    ("primitive_type", K::Nothing),
    ("sized_type_specifier", K::Nothing),
    ("statement_identifier", K::Nothing),
    ("storage_class_specifier", K::Nothing),
    ("attribute_specifier", K::Nothing),
    ("attribute_declaration", K::Nothing),
    ("ms_declspec_modifier", K::Nothing),
    ("ms_call_modifier", K::Nothing),
    ("field_designator", K::Nothing),
    ("namespace_identifier", K::Nothing),
    ("preproc_params", K::Nothing),
    ("lambda_default_capture", K::Nothing),
];

fields!(Fields {
    name: "name",
    ty: "type",
    body: "body",
    declarator: "declarator",
    parameters: "parameters",
    value: "value",
    path: "path",
    function: "function",
    argument: "argument",
    arguments: "arguments",
    member: "field",
    scope: "scope",
    left: "left",
});

/// A grammar with its tables, made once.
#[derive(Debug)]
pub(crate) struct Grammar {
    kinds: KindTable<K>,
    /// The numbers of the grammar's fields.
    pub(crate) f: Fields,
    /// True for the C++ grammar, false for that of C.
    pub(crate) cpp: bool,
    /// `class` rather than `struct`.
    pub(crate) class_kind: KindId,
    /// Node kind of a storage class: `static`, `extern`, `typedef`.
    pub(crate) storage: KindId,
    /// Node kind of a qualifier: `const`, `constexpr`.
    pub(crate) qualifier: KindId,
}

type KindId = u16;

/// tree-sitter gives all error nodes this number, outside the grammar's table.
const ERROR_KIND: u16 = u16::MAX;

impl Grammar {
    fn new(language: &Language, cpp: bool) -> Self {
        let kind = |name| language.id_for_node_kind(name, true);
        Self {
            kinds: KindTable::new(language, KINDS),
            f: Fields::new(language),
            cpp,
            class_kind: kind("class_specifier"),
            storage: kind("storage_class_specifier"),
            qualifier: kind("type_qualifier"),
        }
    }

    /// Returns the kind of a node; errors have one of their own.
    pub(crate) fn kind(&self, node: Node<'_>) -> K {
        if node.kind_id() == ERROR_KIND { K::Error } else { self.kinds.get(node) }
    }
}

/// The C grammar with its kinds and fields, looked up once.
pub(crate) static C: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::new(&tree_sitter_c::LANGUAGE.into(), false));

/// The C++ grammar with its kinds and fields, looked up once.
pub(crate) static CPP: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::new(&tree_sitter_cpp::LANGUAGE.into(), true));

/// Words of the languages that error recovery hands out as identifiers.
pub(crate) fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "int"
            | "char"
            | "void"
            | "long"
            | "short"
            | "unsigned"
            | "signed"
            | "float"
            | "double"
            | "const"
            | "volatile"
            | "static"
            | "extern"
            | "inline"
            | "struct"
            | "union"
            | "enum"
            | "return"
            | "if"
            | "else"
            | "for"
            | "while"
            | "do"
            | "switch"
            | "case"
            | "default"
            | "break"
            | "continue"
            | "goto"
            | "sizeof"
            | "typedef"
            | "register"
            | "auto"
            | "defined"
            | "restrict"
            | "bool"
            | "_Bool"
    ) || is_cpp_keyword(name)
}

fn is_cpp_keyword(name: &str) -> bool {
    matches!(
        name,
        "public"
            | "private"
            | "protected"
            | "virtual"
            | "override"
            | "final"
            | "namespace"
            | "using"
            | "class"
            | "typename"
            | "template"
            | "operator"
            | "new"
            | "delete"
            | "throw"
            | "try"
            | "catch"
            | "friend"
            | "noexcept"
            | "constexpr"
    )
}
