//! What the nodes of the Rust grammar mean to the extractor.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// What a node is to the extractor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum K {
    /// Nothing in itself; its children may be.
    #[default]
    Other,
    /// Neither it nor what is in it.
    Nothing,
    File,
    Comment,
    Attribute,
    Use,
    ExternCrate,
    Mod,
    Fn,
    FnSig,
    Struct,
    Enum,
    Variant,
    Field,
    Trait,
    Impl,
    Const,
    TypeItem,
    MacroDef,
    MacroCall,
    TokenTree,
    Let,
    LetCond,
    Param,
    Closure,
    For,
    Scope,
    Arm,
    MatchPattern,
    Block,
    Call,
    Turbofish,
    FieldExpr,
    Ident,
    TypeIdent,
    Scoped,
    ScopedType,
    StructExpr,
    TypeParam,
    // Types.
    RefType,
    Generic,
    Bracketed,
    TraitObject,
    Primitive,
    // Patterns.
    FieldName,
    ShorthandField,
    FieldPattern,
    TuplePattern,
    StructPattern,
    Wrapping,
    // Expressions that a type can be seen through.
    Reference,
    Try,
    SelfValue,
    Super,
    Crate,
}

const KINDS: &[(&str, K)] = &[
    ("source_file", K::File),
    ("line_comment", K::Comment),
    ("block_comment", K::Comment),
    ("attribute_item", K::Attribute),
    ("inner_attribute_item", K::Nothing),
    ("use_declaration", K::Use),
    ("extern_crate_declaration", K::ExternCrate),
    ("mod_item", K::Mod),
    ("function_item", K::Fn),
    ("function_signature_item", K::FnSig),
    ("struct_item", K::Struct),
    ("union_item", K::Struct),
    ("enum_item", K::Enum),
    ("enum_variant", K::Variant),
    ("field_declaration", K::Field),
    ("trait_item", K::Trait),
    ("impl_item", K::Impl),
    ("const_item", K::Const),
    ("static_item", K::Const),
    ("type_item", K::TypeItem),
    ("associated_type", K::TypeItem),
    ("macro_definition", K::MacroDef),
    ("macro_invocation", K::MacroCall),
    ("token_tree", K::TokenTree),
    ("let_declaration", K::Let),
    ("let_condition", K::LetCond),
    ("parameter", K::Param),
    ("closure_expression", K::Closure),
    ("for_expression", K::For),
    ("if_expression", K::Scope),
    ("while_expression", K::Scope),
    ("match_arm", K::Arm),
    ("match_pattern", K::MatchPattern),
    ("block", K::Block),
    ("call_expression", K::Call),
    ("generic_function", K::Turbofish),
    ("field_expression", K::FieldExpr),
    ("identifier", K::Ident),
    ("type_identifier", K::TypeIdent),
    ("scoped_identifier", K::Scoped),
    ("scoped_type_identifier", K::ScopedType),
    ("struct_expression", K::StructExpr),
    ("type_parameter", K::TypeParam),
    ("const_parameter", K::TypeParam),
    ("reference_type", K::RefType),
    ("pointer_type", K::RefType),
    ("generic_type", K::Generic),
    ("generic_type_with_turbofish", K::Generic),
    ("bracketed_type", K::Bracketed),
    ("qualified_type", K::Bracketed),
    ("dynamic_type", K::TraitObject),
    ("abstract_type", K::TraitObject),
    ("primitive_type", K::Primitive),
    ("field_identifier", K::FieldName),
    ("shorthand_field_identifier", K::ShorthandField),
    ("field_pattern", K::FieldPattern),
    ("tuple_struct_pattern", K::TuplePattern),
    ("struct_pattern", K::StructPattern),
    ("mut_pattern", K::Wrapping),
    ("ref_pattern", K::Wrapping),
    ("reference_pattern", K::Wrapping),
    ("reference_expression", K::Reference),
    ("try_expression", K::Try),
    ("self", K::SelfValue),
    ("super", K::Super),
    ("crate", K::Crate),
    ("string_literal", K::Nothing),
    ("raw_string_literal", K::Nothing),
    ("char_literal", K::Nothing),
    ("integer_literal", K::Nothing),
    ("float_literal", K::Nothing),
    ("boolean_literal", K::Nothing),
    ("lifetime", K::Nothing),
    ("label", K::Nothing),
    ("visibility_modifier", K::Nothing),
    ("function_modifiers", K::Nothing),
    ("mutable_specifier", K::Nothing),
    ("metavariable", K::Nothing),
    ("self_parameter", K::Nothing),
];

fields!(Fields {
    name: "name",
    ty: "type",
    body: "body",
    value: "value",
    path: "path",
    list: "list",
    alias: "alias",
    argument: "argument",
    function: "function",
    arguments: "arguments",
    type_arguments: "type_arguments",
    member: "field",
    pattern: "pattern",
    parameters: "parameters",
    trait_: "trait",
    bounds: "bounds",
    result: "return_type",
    makro: "macro",
});

/// The grammar with its tables.
pub(super) type Grammar = crate::langs::support::Grammar<K, Fields>;

/// Rust.
pub(super) static GRAMMAR: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::new(&tree_sitter_rust::LANGUAGE.into(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(&tree_sitter_rust::LANGUAGE.into(), super::KINDS), [""; 0]);
    }
}
