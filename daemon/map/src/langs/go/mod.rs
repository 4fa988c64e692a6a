//! Reads Go files.
//!
//! Methods belong to their receiver's type if it is in the same file, and otherwise carry its name. Locals have the
//! types that the file states: results of its functions and methods, declarations of its fields and variables; beyond
//! the file the resolution follows the types that other files state. A defined type that is neither struct nor
//! interface (`type Names []string`) is a class: it can have methods. Embedding counts as extending.

mod builtins;
mod frameworks;
mod grammar;
mod imports;
mod infer;
mod items;
mod lexical;
mod locals;
mod manifest;
mod refs;
mod rules;
#[cfg(test)]
mod tests;
mod types;

pub use manifest::read_go_mod;

use super::support::define_grammar;
use super::{
    Lang, LangSpec, LanguageReader, NameSemantics, PackageScope, ParallelBodies, ProjectFile, Reach,
    SourceRules,
};
use crate::facts::FactsBuilder;
use crate::syntax::Tree;
use crate::walk::walk;

/// Go's row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Go,
    id: "go",
    name: "Go",
    extensions: &["go"],
    file_names: &[],
    interpreters: &[],
    reader: LanguageReader::Tree { grammar: language, extract },
    imports: &imports::GoImportRules,
    bare_members: false,
    package_scope: PackageScope::Folder,
    project_files: &[ProjectFile {
        is_named: |name| matches!(name, "go.mod" | "go.work"),
        read: read_go_mod,
    }],
    semantics: NameSemantics {
        builtins: builtins::BUILTINS,
        reach: Reach::Folder,
        imports_tell_all: true,
        structural_interfaces: true,
        objects_hide_members: true,
        twins: ParallelBodies::InFolder,
        marks_tests: true,
        ..NameSemantics::PLAIN
    },
    source: SourceRules { lexical_scopes: Some(&lexical::RULES), ..SourceRules::PLAIN },
};

define_grammar!(language, "go", tree_sitter_go::LANGUAGE);

fn extract(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    walk(tree, source, facts, &mut rules::GoWalk::new())
}
