//! placeholder: TypeScript.

use tree_sitter::{Language, Tree};

use super::{FileId, ImportRules, Lang, LangSpec, ModuleTarget, PackageScope, Project};
use crate::facts::FactsBuilder;

/// Its row in the language table.
pub const TYPESCRIPT: LangSpec = LangSpec {
    lang: Lang::TypeScript,
    id: "ts",
    name: "TypeScript",
    extensions: &["ts", "mts", "cts"],
    interpreters: &[],
    grammar,
    extract,
    imports: &Imports,
    bare_members: false,
    package_scope: PackageScope::File,
};

fn grammar() -> Language {
    tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()
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

/// TSX's row.
pub const TSX: LangSpec =
    LangSpec { lang: Lang::Tsx, name: "TSX", extensions: &["tsx"], grammar: tsx, ..TYPESCRIPT };

/// JavaScript's row; its grammar reads JSX too.
pub const JAVASCRIPT: LangSpec = LangSpec {
    lang: Lang::JavaScript,
    id: "js",
    name: "JavaScript",
    extensions: &["js", "jsx", "mjs", "cjs"],
    interpreters: &["node"],
    grammar: javascript,
    ..TYPESCRIPT
};

fn tsx() -> Language {
    tree_sitter_typescript::LANGUAGE_TSX.into()
}

fn javascript() -> Language {
    tree_sitter_javascript::LANGUAGE.into()
}

/// Reads a `tsconfig.json`.
pub fn tsconfig(_text: &str, _facts: &mut FactsBuilder) {}

/// Reads a `package.json`.
pub fn package_json(_text: &str, _facts: &mut FactsBuilder) {}
