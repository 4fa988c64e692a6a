//! Reads C# files.
//!
//! A file belongs to the namespace that it declares first; types of that namespace are its top level, those of further
//! namespaces in the same file are in a module of that name. A `using` is a star import of what it opens, a `global
//! using` one for the whole project. The parts of a `partial` type are one type as far as members go. An attribute
//! counts as a call of its class, under the class's whole name (`[Fact]` is `FactAttribute`). By convention, which all
//! code keeps, a base is an interface if its name is an `I` before a capital.

mod builtins;
mod docs;
mod frameworks;
mod grammar;
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
use super::{ExtensionScope, Lang, LangSpec, LanguageReader, NameSemantics, PackageScope, SourceRules};
use crate::facts::FactsBuilder;
use crate::syntax::Tree;
use crate::walk::walk;

/// C#'s row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::CSharp,
    id: "cs",
    name: "C#",
    extensions: &["cs", "csx"],
    file_names: &[],
    interpreters: &[],
    reader: LanguageReader::Tree { grammar: language, extract },
    imports: &imports::Namespaces,
    bare_members: true,
    package_scope: PackageScope::Enclosing,
    project_files: &[],
    semantics: NameSemantics {
        builtins: builtins::BUILTINS,
        named_packages: true,
        extensions: ExtensionScope::Namespace,
        overloads: true,
        ..NameSemantics::PLAIN
    },
    source: SourceRules { lexical_scopes: Some(&lexical::RULES), ..SourceRules::PLAIN },
};

define_grammar!(language, "csharp", tree_sitter_c_sharp::LANGUAGE);

fn extract(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    walk(tree, source, facts, &mut rules::CSharpRules::new())
}
