//! Maps the nodes of the HCL grammar to the kinds that the extractor tells apart.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// The kinds of nodes that the HCL extractor tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum HclKind {
    /// A node that means nothing itself; its children may.
    #[default]
    Other,
    /// A node that means nothing, and whose children are skipped.
    Nothing,
    Comment,
    Body,
    Block,
    Attribute,
    Ident,
    Quoted,
    Literal,
    Expression,
    Variable,
    ObjectElem,
    For,
    ForIntro,
}

const KINDS: &[(&str, HclKind)] = &[
    ("comment", HclKind::Comment),
    ("body", HclKind::Body),
    ("block", HclKind::Block),
    ("attribute", HclKind::Attribute),
    ("identifier", HclKind::Ident),
    ("string_lit", HclKind::Quoted),
    ("template_literal", HclKind::Literal),
    ("expression", HclKind::Expression),
    ("variable_expr", HclKind::Variable),
    ("get_attr", HclKind::Nothing),
    ("object_elem", HclKind::ObjectElem),
    ("for_tuple_expr", HclKind::For),
    ("for_object_expr", HclKind::For),
    ("template_for", HclKind::For),
    ("for_intro", HclKind::ForIntro),
    ("template_for_start", HclKind::ForIntro),
    ("numeric_lit", HclKind::Nothing),
    ("bool_lit", HclKind::Nothing),
    ("null_lit", HclKind::Nothing),
    ("heredoc_identifier", HclKind::Nothing),
];

fields!(Fields { key: "key" });

/// The grammar with its tables.
pub(super) type HclGrammar = crate::langs::support::Grammar<HclKind, Fields>;

/// The HCL grammar with its kinds and fields, looked up once.
pub(super) static GRAMMAR: LazyLock<HclGrammar> =
    LazyLock::new(|| HclGrammar::new(super::language().as_ref(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(super::super::language().as_ref(), super::KINDS), [""; 0]);
    }
}
