//! Maps the nodes of the PHP grammar to the kinds that the extractor tells apart.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// The kinds of nodes that the PHP extractor tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum PhpKind {
    /// A node that means nothing itself; its children may.
    #[default]
    Other,
    /// A node that means nothing, and whose children are skipped.
    Nothing,
    Program,
    Comment,
    Namespace,
    Uses,
    Class,
    Interface,
    Trait,
    Enum,
    AnonymousClass,
    Function,
    Method,
    Closure,
    Arrow,
    ClosureUse,
    Params,
    Param,
    Promoted,
    Properties,
    Constants,
    Case,
    TraitUse,
    Extends,
    Implements,
    Attributes,
    Attribute,
    Assign,
    Foreach,
    Catch,
    Global,
    Call,
    MemberCall,
    StaticCall,
    Member,
    StaticMember,
    ClassConstant,
    New,
    Binary,
    Include,
    Name,
    Qualified,
    Relative,
    Variable,
    NamedType,
    Parens,
    Clone,
    Argument,
    Text,
    DeclarationList,
}

const KINDS: &[(&str, PhpKind)] = &[
    ("program", PhpKind::Program),
    ("comment", PhpKind::Comment),
    ("text", PhpKind::Nothing),
    ("php_tag", PhpKind::Nothing),
    ("namespace_definition", PhpKind::Namespace),
    ("namespace_use_declaration", PhpKind::Uses),
    ("class_declaration", PhpKind::Class),
    ("interface_declaration", PhpKind::Interface),
    ("trait_declaration", PhpKind::Trait),
    ("enum_declaration", PhpKind::Enum),
    ("anonymous_class", PhpKind::AnonymousClass),
    ("function_definition", PhpKind::Function),
    ("method_declaration", PhpKind::Method),
    ("anonymous_function", PhpKind::Closure),
    ("arrow_function", PhpKind::Arrow),
    ("anonymous_function_use_clause", PhpKind::ClosureUse),
    ("formal_parameters", PhpKind::Params),
    ("simple_parameter", PhpKind::Param),
    ("variadic_parameter", PhpKind::Param),
    ("property_promotion_parameter", PhpKind::Promoted),
    ("property_declaration", PhpKind::Properties),
    ("const_declaration", PhpKind::Constants),
    ("enum_case", PhpKind::Case),
    ("use_declaration", PhpKind::TraitUse),
    ("base_clause", PhpKind::Extends),
    ("class_interface_clause", PhpKind::Implements),
    ("attribute_list", PhpKind::Attributes),
    ("attribute", PhpKind::Attribute),
    ("assignment_expression", PhpKind::Assign),
    ("reference_assignment_expression", PhpKind::Assign),
    ("foreach_statement", PhpKind::Foreach),
    ("catch_clause", PhpKind::Catch),
    ("global_declaration", PhpKind::Global),
    ("function_call_expression", PhpKind::Call),
    ("member_call_expression", PhpKind::MemberCall),
    ("nullsafe_member_call_expression", PhpKind::MemberCall),
    ("scoped_call_expression", PhpKind::StaticCall),
    ("member_access_expression", PhpKind::Member),
    ("nullsafe_member_access_expression", PhpKind::Member),
    ("scoped_property_access_expression", PhpKind::StaticMember),
    ("class_constant_access_expression", PhpKind::ClassConstant),
    ("object_creation_expression", PhpKind::New),
    ("binary_expression", PhpKind::Binary),
    ("require_expression", PhpKind::Include),
    ("require_once_expression", PhpKind::Include),
    ("include_expression", PhpKind::Include),
    ("include_once_expression", PhpKind::Include),
    ("name", PhpKind::Name),
    ("qualified_name", PhpKind::Qualified),
    ("relative_name", PhpKind::Relative),
    ("variable_name", PhpKind::Variable),
    ("named_type", PhpKind::NamedType),
    ("parenthesized_expression", PhpKind::Parens),
    ("clone_expression", PhpKind::Clone),
    ("argument", PhpKind::Argument),
    ("goto_statement", PhpKind::Nothing),
    ("named_label_statement", PhpKind::Nothing),
    ("declare_directive", PhpKind::Nothing),
    ("string", PhpKind::Text),
    ("primitive_type", PhpKind::Nothing),
    ("bottom_type", PhpKind::Nothing),
    ("cast_type", PhpKind::Nothing),
    ("integer", PhpKind::Nothing),
    ("float", PhpKind::Nothing),
    ("boolean", PhpKind::Nothing),
    ("null", PhpKind::Nothing),
    ("nowdoc", PhpKind::Nothing),
    ("declaration_list", PhpKind::DeclarationList),
    ("enum_declaration_list", PhpKind::DeclarationList),
];

fields!(Fields {
    name: "name",
    alias: "alias",
    ty: "type",
    body: "body",
    parameters: "parameters",
    result: "return_type",
    left: "left",
    right: "right",
    object: "object",
    scope: "scope",
    function: "function",
    arguments: "arguments",
    operator: "operator",
    attributes: "attributes",
});

/// The grammar with its tables.
pub(super) type PhpGrammar = crate::langs::support::Grammar<PhpKind, Fields>;

/// The PHP grammar, with the text around the code, and its kinds and fields, looked up once.
pub(super) static GRAMMAR: LazyLock<PhpGrammar> =
    LazyLock::new(|| PhpGrammar::new(super::language().as_ref(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(super::super::language().as_ref(), super::KINDS), [""; 0]);
    }
}
