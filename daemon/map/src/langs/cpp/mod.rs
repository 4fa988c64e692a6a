//! Reads C++ files: adds to C what C++ has beyond it.
//!
//! The rules are C's ([`crate::langs::c`]) with classes, namespaces, templates and the types that `auto` hides.
//! Overloads are told apart by ordinals; templates are not instantiated; a name that only argument-dependent look-up
//! would find is left to the resolution. `using namespace a::b` is a star import of the module `a::b`, `using a::b::c`
//! a named import from it; a namespace is spread over files, so such modules resolve to no file, except that `std` is
//! external.

mod builtins;
mod hazard;
mod header;
mod launch;
mod refs;
mod rules;
#[cfg(test)]
mod tests;

use hob_base::FileId;

pub use header::looks_like_cpp;

use super::c::{Family, grammar, include_target, lexical, repair};
use super::support::define_grammar;
use super::{
    ImportProject, ImportRules, Lang, LangSpec, LanguageReader, ModuleTarget, NameSemantics, PackageScope,
    PassedImports, Reach, Reparse, SourceRules,
};
use crate::facts::FactsBuilder;
use crate::syntax::Tree;
use crate::walk::walk;

/// C++'s row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Cpp,
    id: "cpp",
    name: "C++",
    extensions: &["cc", "cpp", "cxx", "hpp", "hh", "hxx", "ipp", "inl", "cu", "cuh"],
    file_names: &[],
    interpreters: &[],
    reader: LanguageReader::Twice { grammar: language, extract },
    imports: &CppImportRules,
    bare_members: true,
    package_scope: PackageScope::File,
    project_files: &[],
    semantics: NameSemantics {
        builtins: builtins::BUILTINS,
        reach: Reach::Linkage,
        variable_paths: true,
        open_namespaces: true,
        open_enums: true,
        declares_in_headers: true,
        textual_imports: true,
        never_renames: true,
        passed_imports: PassedImports::None,
        imports_tell_all: true,
        marks_tests: true,
        overloads: true,
        redefined_macros: true,
        ..NameSemantics::PLAIN
    },
    source: SourceRules {
        is_hazardous: hazard::is_hazardous,
        rewrite: Some(launch::without_launches),
        // Macros take several lines between definitions that are mapped.
        noticeable_loss: 4,
        lexical_scopes: Some(&lexical::RULES),
        ..SourceRules::PLAIN
    },
};

define_grammar!(language, "cpp", tree_sitter_cpp::LANGUAGE);

fn extract(parsed: (&Tree, &[u8]), facts: FactsBuilder, reparse: Reparse<'_>) -> FactsBuilder {
    repair::extract(Lang::Cpp, read, parsed.0, parsed.1, facts, reparse)
}

fn read(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    walk(tree, source, facts, &mut Family::new(&grammar::CPP))
}

struct CppImportRules;

impl ImportRules for CppImportRules {
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget {
        match module.split("::").next() {
            Some("std") => ModuleTarget::External("std".to_owned()),
            _ => include_target(project, from, module),
        }
    }
}
