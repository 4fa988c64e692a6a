//! Reads Rust files.
//!
//! Macro invocations are not expanded: their token trees are scanned for calls and paths. Modules written as `mod x;`
//! are imports (their file is elsewhere), modules with a body are definitions. Members of an `impl` belong to the type
//! if it is in the same file; otherwise they only carry its name.

mod builtins;
#[cfg(test)]
mod flow_tests;
mod frameworks;
mod grammar;
mod impls;
mod imports;
mod infer;
mod items;
mod known;
mod lexical;
mod macros;
mod manifest;
mod patterns;
mod refs;
mod rules;
#[cfg(test)]
mod tests;
mod uses;
mod values;
mod written;

pub use manifest::read_cargo_toml;

use super::support::define_grammar;
use super::{
    Lang, LangSpec, LanguageReader, NameSemantics, OutsideMembers, PackageScope, ParallelBodies, ProjectFile,
    SourceRules,
};
use crate::facts::FactsBuilder;
use crate::syntax::Tree;
use crate::walk::walk;

/// Rust's row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Rust,
    id: "rs",
    name: "Rust",
    extensions: &["rs"],
    file_names: &[],
    interpreters: &[],
    reader: LanguageReader::Tree { grammar: language, extract },
    imports: &imports::RustImportRules,
    bare_members: false,
    package_scope: PackageScope::File,
    project_files: &[ProjectFile { is_named: |name| name == "Cargo.toml", read: read_cargo_toml }],
    semantics: NameSemantics {
        builtins: builtins::BUILTINS,
        path_keywords: true,
        closed_modules: true,
        methods_apart: true,
        outside_members: OutsideMembers::Traits,
        blanket_impls: true,
        derefs: true,
        variant_values: true,
        library_types: true,
        twins: ParallelBodies::InFile,
        marks_tests: true,
        test_methods: true,
        ..NameSemantics::PLAIN
    },
    source: SourceRules { lexical_scopes: Some(&lexical::RULES), ..SourceRules::PLAIN },
};

define_grammar!(language, "rust", tree_sitter_rust::LANGUAGE);

fn extract(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    walk(tree, source, facts, &mut rules::RustWalk::new())
}
