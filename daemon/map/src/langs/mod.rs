//! Holds the languages: one row of the table, and one folder, for each.
//!
//! A folder holds what is peculiar to its language: the meaning of node kinds (`mod.rs`, `names.rs`), how an import
//! finds its module (`imports.rs`), the facts of its project files (`manifest.rs`), the names that belong to the
//! language (`builtins.rs`). Everything else is shared: the walk, the facts, the resolution. Shared code asks a row for
//! a property ([`NameSemantics`], [`SourceRules`]) and never for a language, so adding a language touches its folder
//! and [`TABLE`].

pub mod bash;
pub mod c;
pub mod cpp;
pub mod csharp;
pub mod css;
pub mod dart;
pub(crate) mod detect;
pub mod ecma;
pub mod elixir;
pub mod embedded;
pub mod go;
pub mod hcl;
pub mod java;
pub mod kotlin;
pub(crate) mod lang;
pub mod lua;
pub mod markdown;
pub mod notebook;
pub mod php;
pub mod proto;
pub mod python;
pub mod ruby;
pub(crate) mod rules;
pub mod rust;
pub mod scala;
pub(crate) mod scope_rules;
pub(crate) mod semantics;
pub(crate) mod source;
pub mod sql;
pub(crate) mod support;
pub mod swift;
mod table;

pub use detect::{language_of, manifest_facts};
pub use lang::Lang;
pub use rules::{
    ImportProject, ImportRules, LangSpec, LanguageReader, ModuleTarget, PackageScope, ProjectFile, Reparse,
};
pub use semantics::{
    BuiltinWords, ExtensionScope, NameSemantics, OutsideMembers, ParallelBodies, PassedImports, Reach,
    StaticMembers, VagueNames,
};
pub use source::{CommentStyle, Repair, SourceRules};
pub use table::{TABLE, built_languages};
