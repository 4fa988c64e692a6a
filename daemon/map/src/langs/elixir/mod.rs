//! Reads Elixir files.
//!
//! A module is named in full from anywhere, so the path of a call says which module it means once its aliases are
//! known; the import rules look modules up by their names and not by files. A bare call means a function of the module
//! around it, or of those that this module imports.
//!
//! Conventions that the graph relies on:
//! - A module is a Module, a protocol an Interface, an implementation a Module with the name that Elixir gives it
//!   (`Size.MyApp.User`), which implements the protocol. `@behaviour` implements too.
//! - Clauses of one name and number of parameters are one definition; other numbers are definitions of their own, which
//!   calls tell apart by their arguments, together with the one that a pipe adds.
//! - An attribute has its `@` in its name, because a function may have the rest of it.
//! - A name without brackets is a variable, never a call. The names that `use` brings are unknown, so a module with
//!   `use` guesses no bare name.
//! - The package of a file is the first part of its first module's name.

mod builtins;
mod calls;
mod directives;
mod grammar;
mod heads;
mod imports;
mod items;
mod rules;
#[cfg(test)]
mod tests;
mod types;

use super::support::define_grammar;
use super::{
    CommentStyle, Lang, LangSpec, LanguageReader, NameSemantics, PackageScope, SourceRules, VagueNames,
};
use crate::facts::FactsBuilder;
use crate::syntax::Tree;
use crate::walk::walk;

/// Elixir's row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Elixir,
    id: "ex",
    name: "Elixir",
    extensions: &["ex", "exs"],
    file_names: &[],
    interpreters: &["elixir"],
    reader: LanguageReader::Tree { grammar: language, extract },
    imports: &imports::ModuleNames,
    bare_members: false,
    package_scope: PackageScope::File,
    project_files: &[],
    semantics: NameSemantics {
        builtins: builtins::BUILTINS,
        modules_are_types: true,
        arities: true,
        test_blocks: true,
        vague_names: VagueNames::Members,
        ..NameSemantics::PLAIN
    },
    source: SourceRules { comments: CommentStyle::Hash, ..SourceRules::PLAIN },
};

define_grammar!(language, "elixir", tree_sitter_elixir::LANGUAGE);

fn extract(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    walk(tree, source, facts, &mut rules::ElixirRules::new())
}
