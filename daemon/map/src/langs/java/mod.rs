//! Reads Java files.
//!
//! A bare name inside a class can mean a member of it or of the classes around it; methods have a name space of their
//! own, so that a local variable does not hide them. Members of anonymous classes belong to the method that they are
//! written in, and `this` in them is unknown. An annotation counts as a call of its type.

mod builtins;
mod frameworks;
mod grammar;
mod imports;
mod infer;
mod items;
mod lexical;
mod refs;
mod rules;
#[cfg(test)]
mod tests;

use super::support::define_grammar;
use super::{Lang, LangSpec, LanguageReader, NameSemantics, PackageScope, SourceRules};
use crate::facts::FactsBuilder;
use crate::syntax::Tree;
use crate::walk::walk;

/// Java's row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Java,
    id: "java",
    name: "Java",
    extensions: &["java"],
    file_names: &[],
    interpreters: &[],
    reader: LanguageReader::Tree { grammar: language, extract },
    imports: &imports::JavaImportRules,
    bare_members: true,
    package_scope: PackageScope::Package,
    project_files: &[],
    semantics: NameSemantics {
        builtins: builtins::BUILTINS,
        named_packages: true,
        imports_tell_all: true,
        methods_apart: true,
        marks_tests: true,
        overloads: true,
        strict_arguments: true,
        ..NameSemantics::PLAIN
    },
    source: SourceRules { lexical_scopes: Some(&lexical::RULES), ..SourceRules::PLAIN },
};

define_grammar!(language, "java", tree_sitter_java::LANGUAGE);

fn extract(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    walk(tree, source, facts, &mut rules::JavaRules::new())
}
