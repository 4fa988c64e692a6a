//! Reads Dart files.
//!
//! A library is a file with its parts. A part is a re-exported star import of its library, and is resolved in the scope
//! of the library ([`ImportRules::scope_file`](super::ImportRules::scope_file)), so that its names and imports are
//! those of the library. A name with `_` in front is private to its library. Stars that hide names come after the
//! others: a name that one hides may come from another.
//!
//! The unnamed constructor has the name of its class, a named one is a member of it; `Order()` uses the class. Getters
//! and setters are fields. An extension is a class whose bare names mean members of the type that it extends, and is no
//! base of anything. Local functions are no definitions. A label before an argument is no reference.

mod builtins;
mod directives;
mod frameworks;
mod grammar;
mod hazard;
mod imports;
mod items;
mod lexical;
mod locals;
mod manifest;
mod members;
mod promoted;
mod refs;
mod rules;
#[cfg(test)]
mod tests;
mod types;
mod values;

use super::support::define_grammar;
use super::{
    ExtensionScope, Lang, LangSpec, LanguageReader, NameSemantics, PackageScope, ProjectFile, Reach,
    SourceRules, VagueNames,
};
use crate::facts::FactsBuilder;
use crate::syntax::Tree;
use crate::walk::walk;

/// Dart's row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Dart,
    id: "dart",
    name: "Dart",
    extensions: &["dart"],
    file_names: &[],
    interpreters: &["dart"],
    reader: LanguageReader::Tree { grammar: language, extract },
    imports: &imports::DartImportRules,
    bare_members: true,
    package_scope: PackageScope::File,
    project_files: &[ProjectFile { is_named: |name| name == "pubspec.yaml", read: manifest::read_pubspec }],
    semantics: NameSemantics {
        builtins: builtins::BUILTINS,
        reach: Reach::File,
        imports_tell_all: true,
        later_bases_hide: true,
        extensions: ExtensionScope::ByHolder,
        marks_tests: true,
        test_blocks: true,
        vague_names: VagueNames::Members,
        ..NameSemantics::PLAIN
    },
    source: SourceRules {
        is_hazardous: hazard::is_hazardous,
        lexical_scopes: Some(&lexical::RULES),
        ..SourceRules::PLAIN
    },
};

define_grammar!(language, "dart", tree_sitter_dart::LANGUAGE);

fn extract(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    walk(tree, source, facts, &mut rules::DartRules::new())
}
