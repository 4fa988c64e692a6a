//! Reads Kotlin files.
//!
//! Kotlin shares names with Java and Scala, whose packages are the same. A member of a companion object is a member of
//! its class, which is how it is called; the companion itself has none. An extension function is a member of the type
//! that it extends as far as its qualified name goes (`String.shout`), wherever it is written; on a type parameter it
//! is a function like others. A call of a capital is a creation. Members of anonymous objects belong to the definition
//! that they are written in, and `this` in them is unknown.

mod builtins;
mod grammar;
mod hazard;
mod imports;
mod infer;
mod items;
mod lexical;
mod locals;
mod refs;
mod rules;
#[cfg(test)]
mod tests;

use super::support::define_grammar;
use super::{
    ExtensionScope, Lang, LangSpec, LanguageReader, NameSemantics, PackageScope, SourceRules, StaticMembers,
};
use crate::facts::FactsBuilder;
use crate::syntax::Tree;
use crate::walk::walk;

/// Kotlin's row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Kotlin,
    id: "kt",
    name: "Kotlin",
    extensions: &["kt", "kts"],
    file_names: &[],
    interpreters: &["kotlin"],
    reader: LanguageReader::Tree { grammar: language, extract },
    imports: &imports::KotlinImportRules,
    bare_members: true,
    package_scope: PackageScope::Package,
    project_files: &[],
    semantics: NameSemantics {
        builtins: builtins::BUILTINS,
        named_packages: true,
        imports_tell_all: true,
        extensions: ExtensionScope::Imported,
        marks_tests: true,
        overloads: true,
        static_members: StaticMembers::InCompanion,
        ..NameSemantics::PLAIN
    },
    source: SourceRules {
        is_hazardous: hazard::is_hazardous,
        lexical_scopes: Some(&lexical::RULES),
        ..SourceRules::PLAIN
    },
};

define_grammar!(language, "kotlin", tree_sitter_kotlin_sg::LANGUAGE);

fn extract(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    walk(tree, source, facts, &mut rules::KotlinRules::new())
}
