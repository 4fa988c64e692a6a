//! Reads Lua files.
//!
//! A module is the table that its file returns, so `require` binds the file's export `default`. A table with methods, a
//! metatable of itself or `__index` counts as a class; one that is returned or has functions as a module. Local
//! variables are followed as in any language with blocks; the text of assignments shows which functions are stored in
//! which fields. Busted's `describe` and `it` with a literal description are tests.

mod builtins;
mod calls;
mod fields;
mod grammar;
mod hazard;
mod imports;
mod items;
mod refs;
mod rules;
mod tables;
#[cfg(test)]
mod tests;
mod values;

use super::support::define_grammar;
use super::{
    CommentStyle, Lang, LangSpec, LanguageReader, NameSemantics, PackageScope, SourceRules, VagueNames,
};
use crate::facts::FactsBuilder;
use crate::syntax::Tree;
use crate::walk::walk;

/// Lua's row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Lua,
    id: "lua",
    name: "Lua",
    extensions: &["lua", "rockspec"],
    file_names: &[],
    interpreters: &["lua", "luajit", "texlua", "resty"],
    reader: LanguageReader::Tree { grammar: language, extract },
    imports: &imports::Roots,
    bare_members: false,
    package_scope: PackageScope::File,
    project_files: &[],
    semantics: NameSemantics {
        builtins: builtins::BUILTINS,
        tables_hide_fields: true,
        returned_tables: true,
        test_blocks: true,
        vague_names: VagueNames::Members,
        ..NameSemantics::PLAIN
    },
    source: SourceRules {
        comments: CommentStyle::Dashes,
        is_hazardous: hazard::is_hazardous,
        ..SourceRules::PLAIN
    },
};

define_grammar!(language, "lua", tree_sitter_lua::LANGUAGE);

fn extract(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    let mut rules = rules::LuaRules::new(tables::scan_tables(tree, source));
    walk(tree, source, facts, &mut rules)
}
