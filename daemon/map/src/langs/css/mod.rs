//! Reads CSS: classes, ids, custom properties, keyframes, layers, containers and fonts.
//!
//! A name occurs in many rules, and none of them is more its place than another. So the first place in a file is the
//! definition, and all further ones in the file are uses of it. Selectors in `:not()` and `:has()` ask and define
//! nothing.
//!
//! Conventions that the graph relies on:
//! - A class has its dot in its name (`.btn`), an id its `#`, a custom property its dashes: so no name of code is ever
//!   one of these. Escapes in names are resolved (`.sm\:flex` is `.sm:flex`), as HTML writes them.
//! - The name of a rule with an `@` has the word of the rule before it (`@keyframes spin`, `@layer base`, `@container
//!   side`, `@font-face Inter`), because the same word may be all of these, and a function of a page's script besides.
//! - Uses in a block belong to the last name of the first selector of its rule.
//! - `@import` is a star import that is passed on. Other files are not seen; a custom property or animation that the
//!   file does not have is found by its name, if the project has one of that name.
//! - In a page's `<style>` the same holds, but the names are not exported.

mod grammar;
mod hazard;
mod imports;
mod items;
mod names;
mod rules;
mod selectors;
#[cfg(test)]
mod tests;
mod values;

use super::support::define_grammar;
use super::{CommentStyle, Lang, LangSpec, LanguageReader, NameSemantics, PackageScope, SourceRules};
use crate::facts::FactsBuilder;
use crate::syntax::Tree;
use crate::walk::walk;

/// CSS's row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Css,
    id: "css",
    name: "CSS",
    extensions: &["css"],
    file_names: &[],
    interpreters: &[],
    reader: LanguageReader::Tree { grammar: language, extract },
    imports: &imports::StyleSheets,
    bare_members: false,
    package_scope: PackageScope::File,
    project_files: &[],
    semantics: NameSemantics::PLAIN,
    source: SourceRules {
        comments: CommentStyle::None,
        is_hazardous: hazard::is_hazardous,
        ..SourceRules::PLAIN
    },
};

define_grammar!(language, "css", tree_sitter_css::LANGUAGE);

/// Returns true if this build has the grammar, by which the styles of pages are read too.
pub(super) fn is_built() -> bool {
    language().is_some()
}

fn extract(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    let mut rules = rules::CssRules::new(&facts);
    walk(tree, source, facts, &mut rules)
}
