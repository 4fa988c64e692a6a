//! Reads scripts of Bash, and of the other shells as far as they are written alike.
//!
//! Functions are found in the file and in the files that it sources. Any other command is a call of a function only if
//! no well-known program has its name, and even then it is no more than a candidate unless the name could hardly be a
//! program's (`log_info`, `nvm::use`). Variables that are exported (`export`), that cannot change (`readonly`) or that
//! are assigned at file level are defined once, at their first place. `@test "…"` of Bats is a test.

mod bats;
mod builtins;
mod commands;
mod grammar;
mod imports;
mod items;
mod rules;
#[cfg(test)]
mod tests;

use super::support::define_grammar;
use super::{
    CommentStyle, Lang, LangSpec, LanguageReader, NameSemantics, PackageScope, PassedImports, SourceRules,
    VagueNames,
};
use crate::facts::FactsBuilder;
use crate::syntax::Tree;
use crate::walk::walk;

/// Bash's row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Bash,
    id: "sh",
    name: "Bash",
    extensions: &[
        "sh",
        "bash",
        "bats",
        "ksh",
        "zsh",
        "bashrc",
        "bash_profile",
        "bash_aliases",
        "bash_login",
        "bash_logout",
        "profile",
        "zshrc",
        "zprofile",
        "zshenv",
        "envrc",
        "ebuild",
        "eclass",
    ],
    file_names: FILE_NAMES,
    interpreters: &["sh", "bash", "dash", "ksh", "zsh", "ash", "bats", "mksh"],
    reader: LanguageReader::Tree { grammar: language, extract },
    imports: &imports::Sources,
    bare_members: false,
    package_scope: PackageScope::File,
    project_files: &[],
    semantics: NameSemantics {
        builtins: builtins::BUILTINS,
        passed_imports: PassedImports::None,
        test_blocks: true,
        vague_names: VagueNames::Commands,
        ..NameSemantics::PLAIN
    },
    source: SourceRules { comments: CommentStyle::Hash, ..SourceRules::PLAIN },
};

/// The names of shell scripts without an ending.
const FILE_NAMES: &[&str] = &["PKGBUILD", "APKBUILD", "bashrc", "zshrc", "profile"];

define_grammar!(language, "bash", tree_sitter_bash::LANGUAGE);

fn extract(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    walk(tree, source, facts, &mut rules::ShellRules::new())
}
