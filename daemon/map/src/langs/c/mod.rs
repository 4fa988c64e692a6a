//! Reads C files, and holds the rules that C++ shares with C.
//!
//! The grammars of C and C++ name their nodes alike, so one set of rules (`Family`) serves both; the rules of C++ alone
//! are in the `cpp` folder. C has one scope for all files: enumerators and nested structs are named as if they stood at
//! file level (their parent still says where they are written). Macros are not expanded, so what a macro produces is
//! unknown. The usual ways in which macros disturb the grammar (attributes before and after names, `DEFINE(x) { }`) are
//! repaired, and text in which the grammar would lose its way is taken out (`mend`).

mod database;
mod declarator;
mod decls;
mod defs;
pub(crate) mod grammar;
mod imports;
pub(crate) mod lexical;
mod names;
mod preproc;
mod refs;
pub(crate) mod repair;
mod rules;
#[cfg(test)]
mod tests;
mod types;

pub use database::compile_commands;
pub use repair::without_system_macros;

pub(crate) use declarator::{CDeclarationParts, Declared, follow_declarator};
pub(crate) use imports::{Includes, include_target};
pub(crate) use rules::Family;

use super::support::define_grammar;
use super::{Lang, LangSpec, LanguageReader, NameSemantics, PackageScope, ProjectFile, Reparse, cpp};
use crate::facts::FactsBuilder;
use crate::syntax::Tree;
use crate::walk::walk;

/// C's row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::C,
    id: "c",
    name: "C",
    extensions: &["c"],
    file_names: &[],
    interpreters: &[],
    reader: LanguageReader::Twice { grammar: language, extract },
    imports: &Includes,
    bare_members: false,
    package_scope: PackageScope::File,
    project_files: &[ProjectFile {
        is_named: |name| name == "compile_commands.json",
        read: compile_commands,
    }],
    semantics: NameSemantics { overloads: false, ..cpp::SPEC.semantics },
    source: cpp::SPEC.source,
};

define_grammar!(language, "c", tree_sitter_c::LANGUAGE);

fn extract(parsed: (&Tree, &[u8]), facts: FactsBuilder, reparse: Reparse<'_>) -> FactsBuilder {
    repair::extract(Lang::C, read, parsed.0, parsed.1, facts, reparse)
}

fn read(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    walk(tree, source, facts, &mut Family::new(&grammar::C))
}
