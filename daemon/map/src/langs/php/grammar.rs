//! Maps the nodes of the PHP grammar to the kinds that the extractor tells apart.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// The kinds of nodes that the PHP extractor tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum K {
    /// Nothing in itself; its children may be.
    #[default]
    Other,
    /// Neither it nor what is in it.
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

const KINDS: &[(&str, K)] = &[
    ("program", K::Program),
    ("comment", K::Comment),
    ("text", K::Nothing),
    ("php_tag", K::Nothing),
    ("namespace_definition", K::Namespace),
    ("namespace_use_declaration", K::Uses),
    ("class_declaration", K::Class),
    ("interface_declaration", K::Interface),
    ("trait_declaration", K::Trait),
    ("enum_declaration", K::Enum),
    ("anonymous_class", K::AnonymousClass),
    ("function_definition", K::Function),
    ("method_declaration", K::Method),
    ("anonymous_function", K::Closure),
    ("arrow_function", K::Arrow),
    ("anonymous_function_use_clause", K::ClosureUse),
    ("formal_parameters", K::Params),
    ("simple_parameter", K::Param),
    ("variadic_parameter", K::Param),
    ("property_promotion_parameter", K::Promoted),
    ("property_declaration", K::Properties),
    ("const_declaration", K::Constants),
    ("enum_case", K::Case),
    ("use_declaration", K::TraitUse),
    ("base_clause", K::Extends),
    ("class_interface_clause", K::Implements),
    ("attribute_list", K::Attributes),
    ("attribute", K::Attribute),
    ("assignment_expression", K::Assign),
    ("reference_assignment_expression", K::Assign),
    ("foreach_statement", K::Foreach),
    ("catch_clause", K::Catch),
    ("global_declaration", K::Global),
    ("function_call_expression", K::Call),
    ("member_call_expression", K::MemberCall),
    ("nullsafe_member_call_expression", K::MemberCall),
    ("scoped_call_expression", K::StaticCall),
    ("member_access_expression", K::Member),
    ("nullsafe_member_access_expression", K::Member),
    ("scoped_property_access_expression", K::StaticMember),
    ("class_constant_access_expression", K::ClassConstant),
    ("object_creation_expression", K::New),
    ("binary_expression", K::Binary),
    ("require_expression", K::Include),
    ("require_once_expression", K::Include),
    ("include_expression", K::Include),
    ("include_once_expression", K::Include),
    ("name", K::Name),
    ("qualified_name", K::Qualified),
    ("relative_name", K::Relative),
    ("variable_name", K::Variable),
    ("named_type", K::NamedType),
    ("parenthesized_expression", K::Parens),
    ("clone_expression", K::Clone),
    ("argument", K::Argument),
    ("goto_statement", K::Nothing),
    ("named_label_statement", K::Nothing),
    ("declare_directive", K::Nothing),
    ("string", K::Text),
    ("primitive_type", K::Nothing),
    ("bottom_type", K::Nothing),
    ("cast_type", K::Nothing),
    ("integer", K::Nothing),
    ("float", K::Nothing),
    ("boolean", K::Nothing),
    ("null", K::Nothing),
    ("nowdoc", K::Nothing),
    ("declaration_list", K::DeclarationList),
    ("enum_declaration_list", K::DeclarationList),
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
pub(super) type Grammar = crate::langs::support::Grammar<K, Fields>;

/// PHP, with the text around it.
pub(super) static GRAMMAR: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::new(&tree_sitter_php::LANGUAGE_PHP.into(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(&tree_sitter_php::LANGUAGE_PHP.into(), super::KINDS), [""; 0]);
    }
}
