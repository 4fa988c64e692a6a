//! Defines the shape of a language's row, and the interface of its import rules.
//!
//! The row says how files of a language become facts and where its imports lead. Import rules see the project through a
//! trait, so that they stay functions of their arguments and can be tested without a map.

use hob_base::FileId;
use tree_sitter::Language;

use super::lang::Lang;
use super::semantics::NameSemantics;
use super::source::SourceRules;
use crate::facts::{FactsBuilder, FileFacts};
use crate::parse::Patience;
use crate::syntax::Tree;

/// One row of the language table.
pub struct LangSpec {
    /// The language that this row describes.
    pub lang: Lang,
    /// The prefix of its node IDs: `py`, `ts`, ...
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// File name extensions, lower case, without the dot.
    pub extensions: &'static [&'static str],
    /// Whole names of files that belong to the language without its extension.
    pub file_names: &'static [&'static str],
    /// Interpreters in a `#!` line.
    pub interpreters: &'static [&'static str],
    /// The way its files become facts.
    pub reader: LanguageReader,
    /// The rules by which its imports find modules.
    pub imports: &'static dyn ImportRules,
    /// True if a bare name inside a type's method can mean a member of that type (Java, C++); false if a member needs
    /// `self`/`this`.
    pub bare_members: bool,
    /// The other files whose names a file sees without importing them: those of its folder (Go), or of its declared
    /// package (Java).
    pub package_scope: PackageScope,
    /// The project files that steer its imports.
    pub project_files: &'static [ProjectFile],
    /// The meaning of its names, for the resolution.
    pub semantics: NameSemantics,
    /// The peculiarities of its text, for the parser and for headers.
    pub source: SourceRules,
}

/// A kind of project file, whose facts steer the resolution of imports.
#[derive(Clone, Copy)]
pub struct ProjectFile {
    /// Returns true if a file of this name is of this kind.
    pub is_named: fn(&str) -> bool,
    /// Adds the parts of the text that import rules read to the facts; nothing if the text cannot be read.
    pub read: fn(&str, &mut FactsBuilder),
}

/// Parses a changed text of a file, with the tree of the text before; `None` if that takes too long.
pub type Reparse<'a> = &'a dyn Fn(&[u8], Option<&Tree>) -> Option<Tree>;

/// The way in which the files of a language become facts.
#[derive(Clone, Copy)]
pub enum LanguageReader {
    /// By a grammar, and rules over its trees.
    Tree {
        /// Returns the tree-sitter grammar of the language; `None` in a build without it.
        grammar: fn() -> Option<Language>,
        /// Turns a tree into facts.
        extract: fn(&Tree, &[u8], FactsBuilder) -> FactsBuilder,
    },
    /// By a grammar and rules, for a language whose text may have to be changed before its grammar understands it.
    Twice {
        /// Returns the tree-sitter grammar of the language; `None` in a build without it.
        grammar: fn() -> Option<Language>,
        /// Turns a tree of the source into facts; it may parse a changed text, and read that too.
        extract: fn((&Tree, &[u8]), FactsBuilder, Reparse<'_>) -> FactsBuilder,
    },
    /// By code of its own, for text in no programming language. As total as a parser: any bytes give facts.
    Own {
        /// Turns a text into facts.
        read: fn(&[u8], FactsBuilder, Patience<'_>) -> FactsBuilder,
        /// Returns true if this build has every grammar that the code may hand a part of a text to.
        is_built: fn() -> bool,
    },
}

impl LanguageReader {
    /// Returns the grammar by which the reader reads; `None` for a reader with code of its own.
    pub(crate) fn grammar(&self) -> Option<fn() -> Option<Language>> {
        match self {
            Self::Tree { grammar, .. } | Self::Twice { grammar, .. } => Some(*grammar),
            Self::Own { .. } => None,
        }
    }

    /// Returns true if this build can read all of the language. Facts are stored, so they must not depend on the
    /// grammars of a build.
    pub(crate) fn is_built(&self) -> bool {
        match self {
            Self::Tree { grammar, .. } | Self::Twice { grammar, .. } => grammar().is_some(),
            Self::Own { is_built, .. } => is_built(),
        }
    }
}

impl PackageScope {
    /// Returns true if packages are what files declare, wherever the files are.
    #[must_use]
    pub fn is_declared(self) -> bool {
        matches!(self, Self::Package | Self::Enclosing)
    }
}

/// The other files whose top-level names a file sees without an import.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PackageScope {
    /// No other files: each file sees only its own names.
    File,
    /// The files of the same folder that declare the same package.
    Folder,
    /// The files that declare the same package, wherever they are.
    Package,
    /// The files of the same package and of the packages around it (C#: in `A.B` the names of `A` are visible).
    Enclosing,
    /// The files of the same module, as [`ImportRules::module_of`] tells it (Swift).
    Module,
}

/// The project as import rules see it. All paths are relative to its root, `/`-separated.
pub trait ImportProject {
    /// Returns the file at exactly this path, if the map has it.
    fn file(&self, path: &str) -> Option<FileId>;
    /// Returns the path of a file, relative to the root.
    fn path(&self, file: FileId) -> &str;
    /// Returns true if any mapped file lies below this folder.
    fn has_dir(&self, dir: &str) -> bool;
    /// Returns the mapped files directly in this folder.
    fn files_in(&self, dir: &str) -> Vec<FileId>;
    /// Returns the mapped files in and below this folder, in order of path.
    fn files_below(&self, dir: &str) -> Vec<FileId>;
    /// Returns the mapped files with this file name, anywhere (`utils.h`): for languages that search include paths.
    fn files_named(&self, file_name: &str) -> &[FileId];
    /// Returns the files that define a module or type of this qualified name, in order of path.
    fn files_defining(&self, qualified: &str) -> Vec<FileId>;
    /// Returns the files that declare this package (Java's `package a.b.c`), see [`FileFacts::package`].
    fn files_of_package(&self, package: &str) -> &[FileId];
    /// Returns the folder and the facts of every project file with this file name.
    fn manifests(&self, file_name: &str) -> Vec<(&str, &FileFacts)>;
    /// Returns the facts of a file.
    fn facts(&self, file: FileId) -> Option<&FileFacts>;
}

/// The files or the package that a module specifier means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ModuleTarget {
    /// One file that is the whole module.
    File(FileId),
    /// A package made of several files (a Go or Java package, a Python package folder with its `__init__`).
    Files(Vec<FileId>),
    /// A type or module *inside* a file: the dotted path within it (`use crate::net::Conn` with `mod net { }` inline).
    Inside(FileId, String),
    /// A package outside the workspace, under the name it is published by (`requests`, `react`, `std`).
    External(String),
    /// A module that the rules cannot find, or several that they cannot tell apart.
    Unknown,
}

/// The rules by which the imports of a language find what they name. Implementations are stateless.
pub trait ImportRules: Send + Sync {
    /// Resolves `module`, as written in an [`crate::facts::Import`] of the file `from`.
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget;

    /// Returns the module that a dotted path starts with, and how many of its segments that takes, for languages with
    /// path expressions that need no import (`crate::net::open()` in Rust, `a.b.C` in Java). `None`: the path starts
    /// with a name in scope.
    fn resolve_path(
        &self,
        _project: &dyn ImportProject,
        _from: FileId,
        _path: &str,
    ) -> Option<(ModuleTarget, usize)> {
        None
    }

    /// Returns true if [`ImportRules::resolve`] looks into the facts of source files, so that its results may change
    /// with them. Project files and the set of files always count.
    fn reads_facts(&self) -> bool {
        true
    }

    /// Returns the files whose re-exported star imports hold for `from` too (C#'s `global using`).
    fn project_wide(&self, _project: &dyn ImportProject, _from: FileId) -> Vec<FileId> {
        Vec::new()
    }

    /// Returns the file whose names and imports hold in `file` too, as those of a library do in its parts.
    fn scope_file(&self, _project: &dyn ImportProject, _file: FileId) -> Option<FileId> {
        None
    }

    /// Returns the module that a file belongs to, by any word that no other module has, for [`PackageScope::Module`].
    fn module_of(&self, _project: &dyn ImportProject, _file: FileId) -> Option<String> {
        None
    }

    /// Returns the module `name` inside `module`, written as [`ImportRules::resolve`] reads it, for languages whose
    /// modules hold modules that can be imported as names (`from pkg import sub`, `use crate::net`). `None` in other
    /// languages.
    fn submodule(&self, _module: &str, _name: &str) -> Option<String> {
        None
    }
}
