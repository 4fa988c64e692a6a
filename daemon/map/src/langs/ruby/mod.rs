//! Reads Ruby files.
//!
//! Constants are found by their qualified names wherever they are written, because `require` binds nothing and classes
//! are reopened at will; nesting decides which names are tried. A bare word that is no local variable is a call on
//! `self`. `Foo.new` counts as a call of `Foo`. `@size` is a field of the class, under that name. The methods and types
//! that `attr_accessor`, `define_method`, `alias_method`, `Struct.new` and RSpec's `let` make are defined where their
//! literal names stand; `describe` and `it` with a literal description are tests.

mod builtins;
mod calls;
mod delegates;
mod frameworks;
mod grammar;
mod hazard;
mod imports;
mod items;
mod ivars;
mod lexical;
mod locals;
mod macros;
mod paths;
mod refs;
mod rules;
mod specs;
#[cfg(test)]
mod tests;
mod variables;

use super::support::define_grammar;
use super::{
    CommentStyle, Lang, LangSpec, LanguageReader, NameSemantics, PackageScope, SourceRules, VagueNames,
};
use crate::facts::FactsBuilder;
use crate::syntax::Tree;
use crate::walk::walk;

/// Ruby's row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Ruby,
    id: "rb",
    name: "Ruby",
    extensions: &["rb", "rbi", "rake", "gemspec", "ru", "rbw", "podspec", "jbuilder", "thor"],
    file_names: FILE_NAMES,
    interpreters: &["ruby", "jruby", "rake", "macruby"],
    reader: LanguageReader::Tree { grammar: language, extract },
    imports: &imports::LoadPath,
    bare_members: true,
    package_scope: PackageScope::File,
    project_files: &[],
    semantics: NameSemantics {
        constructors: &["initialize"],
        builtins: builtins::BUILTINS,
        constants_by_capital: true,
        reopens_types: true,
        modules_are_types: true,
        plain_builtin_bases: true,
        functions_are_methods: true,
        test_blocks: true,
        vague_names: VagueNames::Members,
        own_prefix: Some("@"),
        ..NameSemantics::PLAIN
    },
    source: SourceRules {
        comments: CommentStyle::Hash,
        is_hazardous: hazard::is_hazardous,
        lexical_scopes: Some(&lexical::RULES),
        ..SourceRules::PLAIN
    },
};

/// The names of Ruby files without an ending.
const FILE_NAMES: &[&str] = &[
    "Rakefile",
    "Gemfile",
    "Guardfile",
    "Capfile",
    "Vagrantfile",
    "Podfile",
    "Fastfile",
    "Appfile",
    "Brewfile",
    "Dangerfile",
    "Berksfile",
    "Thorfile",
    "Steepfile",
];

define_grammar!(language, "ruby", tree_sitter_ruby::LANGUAGE);

fn extract(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    let mut rules = rules::RubyRules::new(ivars::scan_ivars(tree, source));
    walk(tree, source, facts, &mut rules)
}
