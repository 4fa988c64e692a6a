//! Maps the nodes of the CSS grammar to the kinds that the extractor tells apart.

use std::sync::LazyLock;

use crate::langs::support::Grammar;

/// The kinds of nodes that the CSS extractor tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum CssKind {
    /// A node that means nothing itself; its children may.
    #[default]
    Other,
    /// A node that means nothing, and whose children are skipped.
    Nothing,
    Comment,
    RuleSet,
    Selectors,
    Class,
    Id,
    PseudoClass,
    Arguments,
    Name,
    Block,
    Declaration,
    Property,
    Call,
    Word,
    Text,
    Operation,
    Import,
    Keyframes,
    KeyframesName,
    AtRule,
    PostCss,
    AtWord,
    Query,
}

const KINDS: &[(&str, CssKind)] = &[
    ("comment", CssKind::Comment),
    ("rule_set", CssKind::RuleSet),
    ("selectors", CssKind::Selectors),
    ("class_selector", CssKind::Class),
    ("id_selector", CssKind::Id),
    ("pseudo_class_selector", CssKind::PseudoClass),
    ("arguments", CssKind::Arguments),
    ("class_name", CssKind::Name),
    ("id_name", CssKind::Name),
    ("block", CssKind::Block),
    ("declaration", CssKind::Declaration),
    ("property_name", CssKind::Property),
    ("call_expression", CssKind::Call),
    ("plain_value", CssKind::Word),
    ("string_value", CssKind::Text),
    ("binary_expression", CssKind::Operation),
    ("import_statement", CssKind::Import),
    ("keyframes_statement", CssKind::Keyframes),
    ("keyframes_name", CssKind::KeyframesName),
    ("at_rule", CssKind::AtRule),
    ("postcss_statement", CssKind::PostCss),
    ("at_keyword", CssKind::AtWord),
    ("keyword_query", CssKind::Query),
    ("charset_statement", CssKind::Nothing),
    ("namespace_statement", CssKind::Nothing),
    ("integer_value", CssKind::Nothing),
    ("float_value", CssKind::Nothing),
    ("color_value", CssKind::Nothing),
];

/// The grammar with its tables; it has no fields.
pub(super) type CssGrammar = Grammar<CssKind, ()>;

/// The CSS grammar with its kinds, looked up once.
pub(super) static GRAMMAR: LazyLock<CssGrammar> =
    LazyLock::new(|| CssGrammar::new(super::language().as_ref(), KINDS, |_| ()));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(super::super::language().as_ref(), super::KINDS), [""; 0]);
    }
}
