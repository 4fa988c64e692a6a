//! Reads Protocol Buffers: messages, enumerations and services, and the types that they name.
//!
//! Conventions that the graph relies on:
//! - An `import` is a star import, passed on if it is `public`. It brings only names of the file's own package and of
//!   the packages around it; every other name is written with its package, and `imports` finds the imported file that
//!   declares the package.
//! - A name is looked up in the messages around it, then in the file, then in the imported files. Fields and calls are
//!   no names there, so that `common.Status common = 1` names the package.
//! - A path that begins with a dot in the file begins with a dot in the facts too: it starts at no scope.
//! - The fields of a `oneof` and the `oneof` itself are fields of the message. An extension is a field of the scope in
//!   which its `extend` is written. A value of an enumeration is a constant of the enumeration.
//! - Code of other languages imports modules that are generated from a file; `support::schemas` leads these imports to
//!   the file.

mod builtins;
mod grammar;
mod imports;
mod items;
mod refs;
mod rules;
#[cfg(test)]
mod tests;

use super::semantics::GeneratedNames;
use super::support::{define_grammar, schemas};
use super::{Lang, LangSpec, LanguageReader, NameSemantics, PackageScope, SourceRules};
use crate::facts::FactsBuilder;
use crate::syntax::Tree;
use crate::walk::walk;

/// Endings of the types that generators make from a service, and from a message beside the one of its own name.
const GENERATED_TYPES: &[&str] =
    &["Stub", "AsyncStub", "Servicer", "PromiseClient", "Client", "Server", "Service", "Schema"];

/// Protocol Buffers' row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Proto,
    id: "proto",
    name: "Protocol Buffers",
    extensions: &["proto", "protodevel"],
    file_names: &[],
    interpreters: &[],
    reader: LanguageReader::Tree { grammar: language, extract },
    imports: &imports::ProtoImports,
    bare_members: true,
    package_scope: PackageScope::File,
    project_files: &[],
    semantics: NameSemantics {
        builtins: builtins::BUILTINS,
        named_packages: true,
        never_renames: true,
        objects_hide_members: true,
        stars_keep_packages: true,
        open_enums: true,
        generated: GeneratedNames { module_endings: schemas::MODULE_ENDINGS, type_endings: GENERATED_TYPES },
        ..NameSemantics::PLAIN
    },
    source: SourceRules::PLAIN,
};

define_grammar!(language, "proto", tree_sitter_proto::LANGUAGE);

fn extract(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    walk(tree, source, facts, &mut rules::ProtoRules::new())
}
