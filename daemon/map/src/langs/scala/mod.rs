//! Reads files of Scala 2 and 3.
//!
//! Scala shares names with Java and Kotlin, whose packages are the same. A class and the object of its name are two
//! definitions, and one as far as members go. Of `package a; package b` the outer one counts as imported whole. The
//! members of a package object are the package's. Methods of an `extension`, and of an implicit class, can be called on
//! values of other types. Members of anonymous classes belong to the definition that they are written in, and `this` in
//! them is unknown.

mod builtins;
mod grammar;
mod hazard;
mod imports;
mod infer;
mod items;
mod locals;
mod refs;
mod rules;
#[cfg(test)]
mod tests;

use super::support::define_grammar;
use super::{ExtensionScope, Lang, LangSpec, LanguageReader, NameSemantics, PackageScope, SourceRules};
use crate::facts::FactsBuilder;
use crate::syntax::Tree;
use crate::walk::walk;

/// Scala's row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Scala,
    id: "scala",
    name: "Scala",
    extensions: &["scala", "sc", "sbt"],
    file_names: &[],
    interpreters: &["scala", "scala-cli"],
    reader: LanguageReader::Tree { grammar: language, extract },
    imports: &imports::ScalaImportRules,
    bare_members: true,
    package_scope: PackageScope::Package,
    project_files: &[],
    semantics: NameSemantics {
        builtins: builtins::BUILTINS,
        named_packages: true,
        imports_tell_all: true,
        companions: true,
        extensions: ExtensionScope::PackageClass,
        marks_tests: true,
        ..NameSemantics::PLAIN
    },
    source: SourceRules { is_hazardous: hazard::is_hazardous, ..SourceRules::PLAIN },
};

define_grammar!(language, "scala", tree_sitter_scala::LANGUAGE);

fn extract(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    walk(tree, source, facts, &mut rules::ScalaRules::new())
}
