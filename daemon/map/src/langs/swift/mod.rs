//! Reads Swift files.
//!
//! All files of a module (a SwiftPM target, else the project) see each other's top-level names; an import brings in every
//! public name of another module. An extension is no definition: its members belong to the type that it extends, as
//! members of an `impl` block do in Rust, wherever it is written. A bare name inside a type can mean a member of it, and
//! shares its name space with local variables.
//!
//! In `.case` without a type before the dot, only the context tells the type.

mod bindings;
mod builtins;
mod grammar;
mod imports;
mod infer;
mod manifest;
mod members;
mod refs;
mod rules;
#[cfg(test)]
mod tests;
mod types;

use super::support::define_grammar;
use super::{
    Lang, LangSpec, LanguageReader, NameSemantics, OutsideMembers, PackageScope, ProjectFile, Reach,
    SourceRules,
};
use crate::facts::FactsBuilder;
use crate::syntax::Tree;
use crate::walk::walk;

pub use manifest::read_package_swift;

/// Swift's row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Swift,
    id: "swift",
    name: "Swift",
    extensions: &["swift"],
    file_names: &[],
    interpreters: &["swift"],
    reader: LanguageReader::Tree { grammar: language, extract },
    imports: &imports::SwiftImportRules,
    bare_members: true,
    package_scope: PackageScope::Module,
    project_files: &[ProjectFile { is_named: |name| name == "Package.swift", read: read_package_swift }],
    semantics: NameSemantics {
        constructors: &["init"],
        builtins: builtins::BUILTINS,
        reach: Reach::File,
        outside_members: OutsideMembers::Extensions,
        ..NameSemantics::PLAIN
    },
    source: SourceRules::PLAIN,
};

define_grammar!(language, "swift", tree_sitter_swift::LANGUAGE);

fn extract(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    walk(tree, source, facts, &mut rules::SwiftRules::new())
}
