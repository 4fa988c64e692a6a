//! Maps the nodes of the C and C++ grammars to the kinds that the extractors tell apart.
//!
//! The C++ grammar extends the C grammar, so one enumeration serves both; a kind that a grammar lacks never comes up.

use std::sync::LazyLock;

use tree_sitter::Language;

use crate::langs::support::fields;
use crate::syntax::Node;
use crate::walk::KindTable;

/// The kinds of nodes that the extractors of C and C++ tell apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum CKind {
    /// A node that means nothing itself; its children may.
    #[default]
    Other,
    /// A node that means nothing, and whose children are skipped.
    Nothing,
    Comment,
    Include,
    Define,
    Ifdef,
    Directive,
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
    PlainType,
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
    Dependent,
    Concept,
    Binding,
    CaptureInit,
    Friend,
    Auto,
    Literal,
}

const KINDS: &[(&str, CKind)] = &[
    ("comment", CKind::Comment),
    ("preproc_include", CKind::Include),
    ("preproc_def", CKind::Define),
    ("preproc_function_def", CKind::Define),
    ("preproc_ifdef", CKind::Ifdef),
    ("preproc_call", CKind::Directive),
    ("function_definition", CKind::Function),
    ("declaration", CKind::Declaration),
    ("type_definition", CKind::Typedef),
    ("struct_specifier", CKind::Record),
    ("union_specifier", CKind::Record),
    ("class_specifier", CKind::Record),
    ("enum_specifier", CKind::Enum),
    ("field_declaration", CKind::FieldDecl),
    ("enumerator", CKind::Enumerator),
    ("parameter_declaration", CKind::Param),
    ("optional_parameter_declaration", CKind::Param),
    ("variadic_parameter_declaration", CKind::Param),
    ("call_expression", CKind::Call),
    ("field_expression", CKind::Member),
    ("identifier", CKind::Ident),
    ("type_identifier", CKind::TypeIdent),
    ("field_identifier", CKind::FieldIdent),
    ("compound_statement", CKind::Block),
    ("for_statement", CKind::Scope),
    ("if_statement", CKind::Scope),
    ("while_statement", CKind::Scope),
    ("switch_statement", CKind::Scope),
    ("lambda_expression", CKind::Scope),
    ("catch_clause", CKind::Scope),
    ("requires_expression", CKind::Scope),
    ("expression_statement", CKind::Statement),
    ("macro_type_specifier", CKind::MacroType),
    ("ERROR", CKind::Error),
    ("function_declarator", CKind::FnDeclr),
    ("pointer_declarator", CKind::PtrDeclr),
    ("array_declarator", CKind::PtrDeclr),
    ("reference_declarator", CKind::PtrDeclr),
    ("pointer_type_declarator", CKind::PtrDeclr),
    ("parenthesized_declarator", CKind::ParenDeclr),
    ("attributed_declarator", CKind::ParenDeclr),
    ("variadic_declarator", CKind::ParenDeclr),
    ("init_declarator", CKind::InitDeclr),
    ("destructor_name", CKind::Operator),
    ("operator_name", CKind::Operator),
    ("operator_cast", CKind::Operator),
    ("namespace_definition", CKind::Namespace),
    ("using_declaration", CKind::Using),
    ("alias_declaration", CKind::Alias),
    ("namespace_alias_definition", CKind::NamespaceAlias),
    ("template_declaration", CKind::Template),
    ("type_parameter_declaration", CKind::TypeParam),
    ("variadic_type_parameter_declaration", CKind::TypeParam),
    ("optional_type_parameter_declaration", CKind::TypeParam),
    ("base_class_clause", CKind::Bases),
    ("qualified_identifier", CKind::Qualified),
    ("for_range_loop", CKind::RangeFor),
    ("new_expression", CKind::New),
    ("this", CKind::This),
    ("access_specifier", CKind::Access),
    ("field_initializer", CKind::MemberInit),
    ("template_type", CKind::TemplateType),
    ("template_function", CKind::TemplateType),
    ("template_method", CKind::TemplateType),
    ("dependent_name", CKind::Dependent),
    ("concept_definition", CKind::Concept),
    ("structured_binding_declarator", CKind::Binding),
    ("lambda_capture_initializer", CKind::CaptureInit),
    ("friend_declaration", CKind::Friend),
    ("placeholder_type_specifier", CKind::Auto),
    ("compound_literal_expression", CKind::Literal),
    ("string_literal", CKind::Nothing),
    ("raw_string_literal", CKind::Nothing),
    ("system_lib_string", CKind::Nothing),
    ("char_literal", CKind::Nothing),
    ("number_literal", CKind::Nothing),
    ("primitive_type", CKind::PlainType),
    ("sized_type_specifier", CKind::Nothing),
    ("statement_identifier", CKind::Nothing),
    ("storage_class_specifier", CKind::Nothing),
    ("attribute_specifier", CKind::Nothing),
    ("attribute_declaration", CKind::Nothing),
    ("ms_declspec_modifier", CKind::Nothing),
    ("ms_call_modifier", CKind::Nothing),
    ("field_designator", CKind::Nothing),
    ("namespace_identifier", CKind::Nothing),
    ("preproc_params", CKind::Nothing),
    ("lambda_default_capture", CKind::Nothing),
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
pub(crate) struct CGrammar {
    kinds: KindTable<CKind>,
    /// The numbers of the grammar's fields.
    pub(crate) f: Fields,
    /// True for the C++ grammar, false for that of C.
    pub(crate) cpp: bool,
    /// Node kind of a class (`class_specifier`), as opposed to a struct.
    pub(crate) class_kind: KindId,
    /// Node kind of a storage class: `static`, `extern`, `typedef`.
    pub(crate) storage: KindId,
    /// Node kind of a qualifier: `const`, `constexpr`.
    pub(crate) qualifier: KindId,
}

type KindId = u16;

/// The number that tree-sitter gives to all error nodes, outside the grammar's table.
const ERROR_KIND: u16 = u16::MAX;

impl CGrammar {
    fn new(language: Option<&Language>, cpp: bool) -> Self {
        let kind = |name| language.map_or(0, |language| language.id_for_node_kind(name, true));
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
    pub(crate) fn kind(&self, node: Node<'_>) -> CKind {
        if node.kind_id() == ERROR_KIND { CKind::Error } else { self.kinds.get(node) }
    }
}

/// The C grammar with its kinds and fields, looked up once.
pub(crate) static C: LazyLock<CGrammar> = LazyLock::new(|| CGrammar::new(super::language().as_ref(), false));

/// The C++ grammar with its kinds and fields, looked up once.
pub(crate) static CPP: LazyLock<CGrammar> =
    LazyLock::new(|| CGrammar::new(super::super::cpp::language().as_ref(), true));

/// Returns true for words of the languages that error recovery hands out as identifiers.
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
