//! Maps the nodes of the Bash grammar to the kinds that the extractor tells apart.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// The kinds of nodes that the Bash extractor tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum K {
    /// Nothing in itself; its children may be.
    #[default]
    Other,
    /// Neither it nor what is in it.
    Nothing,
    Comment,
    Function,
    Command,
    Declaration,
    Assignment,
    Variable,
    For,
    Subshell,
}

const KINDS: &[(&str, K)] = &[
    ("comment", K::Comment),
    ("function_definition", K::Function),
    ("command", K::Command),
    ("declaration_command", K::Declaration),
    ("variable_assignment", K::Assignment),
    ("variable_name", K::Variable),
    ("for_statement", K::For),
    ("subshell", K::Subshell),
    ("raw_string", K::Nothing),
    ("heredoc_start", K::Nothing),
    ("heredoc_content", K::Nothing),
    ("string_content", K::Nothing),
    ("special_variable_name", K::Nothing),
    ("regex", K::Nothing),
    ("number", K::Nothing),
];

fields!(Fields { name: "name", body: "body", argument: "argument", variable: "variable" });

/// The grammar with its tables.
pub(super) type Grammar = crate::langs::support::Grammar<K, Fields>;

/// The Bash grammar with its kinds and fields, looked up once.
pub(super) static GRAMMAR: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::new(&tree_sitter_bash::LANGUAGE.into(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(&tree_sitter_bash::LANGUAGE.into(), super::KINDS), [""; 0]);
    }
}
