//! Maps the nodes of the Bash grammar to the kinds that the extractor tells apart.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// The kinds of nodes that the Bash extractor tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum ShellKind {
    /// A node that means nothing itself; its children may.
    #[default]
    Other,
    /// A node that means nothing, and whose children are skipped.
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

const KINDS: &[(&str, ShellKind)] = &[
    ("comment", ShellKind::Comment),
    ("function_definition", ShellKind::Function),
    ("command", ShellKind::Command),
    ("declaration_command", ShellKind::Declaration),
    ("variable_assignment", ShellKind::Assignment),
    ("variable_name", ShellKind::Variable),
    ("for_statement", ShellKind::For),
    ("subshell", ShellKind::Subshell),
    ("raw_string", ShellKind::Nothing),
    ("heredoc_start", ShellKind::Nothing),
    ("heredoc_content", ShellKind::Nothing),
    ("string_content", ShellKind::Nothing),
    ("special_variable_name", ShellKind::Nothing),
    ("regex", ShellKind::Nothing),
    ("number", ShellKind::Nothing),
];

fields!(Fields { name: "name", body: "body", argument: "argument", variable: "variable" });

/// The grammar with its tables.
pub(super) type ShellGrammar = crate::langs::support::Grammar<ShellKind, Fields>;

/// The Bash grammar with its kinds and fields, looked up once.
pub(super) static GRAMMAR: LazyLock<ShellGrammar> =
    LazyLock::new(|| ShellGrammar::new(super::language().as_ref(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(super::super::language().as_ref(), super::KINDS), [""; 0]);
    }
}
