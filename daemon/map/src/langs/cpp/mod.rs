//! placeholder: C++.

use tree_sitter::{Language, Tree};

use super::{FileId, ImportRules, Lang, LangSpec, ModuleTarget, PackageScope, Project};
use crate::facts::FactsBuilder;

/// Its row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Cpp,
    id: "cpp",
    name: "C++",
    extensions: &["cc", "cpp", "cxx", "hpp", "hh", "hxx", "ipp", "inl"],
    interpreters: &[],
    grammar,
    extract,
    imports: &Imports,
    bare_members: true,
    package_scope: PackageScope::File,
};

fn grammar() -> Language {
    tree_sitter_cpp::LANGUAGE.into()
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

/// Whether a header is C++ rather than C.
#[must_use]
pub fn looks_like_cpp(_head: &[u8]) -> bool {
    false
}
