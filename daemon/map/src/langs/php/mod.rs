//! Reads PHP files.
//!
//! The text of a file alone decides what its names mean: the namespace that it is in, and its `use` clauses. So
//! qualified names are spelt out in full here, as paths that begin with `\`; a plain class name means a class of the
//! same namespace and nothing else, a plain function or constant also one of no namespace. Namespaces are packages
//! (`A\B` as `A.B`), found by what files declare first; a further namespace of a file is a module in it (`namespaces`).
//! Variables keep their `$`, so that they never hide a function or a class. Blocks of Pest's `it` and `test` are tests
//! under their description.

mod builtins;
mod docblock;
mod documented;
mod frameworks;
mod grammar;
mod imports;
mod infer;
mod items;
mod lexical;
mod manifest;
mod members;
mod names;
mod namespaces;
mod refs;
mod rules;
#[cfg(test)]
mod tests;
mod traits;

pub(super) use manifest::read_composer_json;

use super::support::define_grammar;
use super::{
    Lang, LangSpec, LanguageReader, NameSemantics, PackageScope, ProjectFile, Reach, SourceRules, VagueNames,
};
use crate::facts::FactsBuilder;
use crate::syntax::Tree;
use crate::walk::walk;

/// The start of a path from the root namespace.
pub(crate) const ROOT: &str = "\\";

/// PHP's row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Php,
    id: "php",
    name: "PHP",
    extensions: &["php", "phtml", "php5", "phpt"],
    file_names: &[],
    interpreters: &["php"],
    reader: LanguageReader::Tree { grammar: language, extract },
    imports: &imports::Namespaces,
    bare_members: false,
    package_scope: PackageScope::Package,
    project_files: &[ProjectFile { is_named: |name| name == "composer.json", read: read_composer_json }],
    semantics: NameSemantics {
        constructors: &["__construct"],
        builtins: builtins::BUILTINS,
        reach: Reach::Namespace,
        root_namespace: Some(ROOT),
        named_packages: true,
        methods_apart: true,
        test_blocks: true,
        vague_names: VagueNames::Members,
        ..NameSemantics::PLAIN
    },
    source: SourceRules {
        slow_comments: Some("//"),
        piece_opening: "<?php\n",
        piece_grammar: Some(piece_language),
        lexical_scopes: Some(&lexical::RULES),
        ..SourceRules::PLAIN
    },
};

/// Returns true if a file whose name does not tell its language (`.inc`, `.module`) begins like PHP.
pub(super) fn looks_like_php(head: &[u8]) -> bool {
    head.trim_ascii_start().starts_with(b"<?php")
}

// The grammar of code without the text around it.
define_grammar!(piece_language, "php", tree_sitter_php::LANGUAGE_PHP_ONLY);

define_grammar!(language, "php", tree_sitter_php::LANGUAGE_PHP);

fn extract(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    walk(tree, source, facts, &mut rules::PhpRules::new())
}
