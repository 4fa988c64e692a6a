//! placeholder: Go.

use tree_sitter::{Language, Tree};

use super::{FileId, ImportRules, Lang, LangSpec, ModuleTarget, PackageScope, Project};
use crate::facts::FactsBuilder;

/// Its row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Go,
    id: "go",
    name: "Go",
    extensions: &["go"],
    interpreters: &[],
    grammar,
    extract,
    imports: &Imports,
    bare_members: false,
    package_scope: PackageScope::Folder,
};

fn grammar() -> Language {
    tree_sitter_go::LANGUAGE.into()
}

fn extract(_tree: &Tree, _source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    facts
}

struct Imports;

impl ImportRules for Imports {
    fn resolve(&self, _project: &dyn Project, _from: FileId, _module: &str) -> ModuleTarget {
        ModuleTarget::Unknown
    }
}

/// Reads the module path of a `go.mod`.
pub fn manifest(_text: &str, _facts: &mut FactsBuilder) {}
