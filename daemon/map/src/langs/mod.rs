//! The language table: one row per language, one folder each.
//!
//! A folder holds what is peculiar to its language: which node kinds mean what (`mod.rs`, `names.rs`), how an import finds
//! its module (`imports.rs`), what its project files say (`manifest.rs`). Everything else is shared: the walk, the facts,
//! the resolution. Adding a language touches its folder and [`TABLE`].

pub mod bash;
pub mod c;
pub mod cpp;
pub mod csharp;
pub mod ecma;
pub mod embedded;
pub mod go;
pub mod java;
pub mod kotlin;
pub mod lua;
pub mod markdown;
pub mod php;
pub mod python;
pub mod ruby;
pub mod rust;
pub mod scala;
pub(crate) mod support;
pub mod swift;

use hob_base::FileId;
use tree_sitter::{Language, Tree};

use crate::facts::{FactsBuilder, FileFacts};
use crate::parse::Patience;

/// A language that the map understands, or a kind of project file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Lang {
    /// Python source files and their stubs (`.py`, `.pyi`).
    Python,
    /// TypeScript files without JSX, which have a grammar of their own.
    TypeScript,
    /// TypeScript files with JSX (`.tsx`).
    Tsx,
    /// JavaScript files, with and without JSX.
    JavaScript,
    /// Rust source files (`.rs`).
    Rust,
    /// Go source files (`.go`).
    Go,
    /// Java source files (`.java`).
    Java,
    /// C sources and headers, except headers that are C++.
    C,
    /// C++ sources and headers, in one language group with C.
    Cpp,
    /// Markdown notes: prose with headings as definitions.
    Markdown,
    /// A project file whose facts steer import resolution (`go.mod`, `Cargo.toml`, `tsconfig.json`, `package.json`).
    Manifest,
    /// PHP source files (`.php`).
    Php,
    /// C# source files (`.cs`).
    CSharp,
    /// Kotlin source files, in one language group with Java.
    Kotlin,
    /// Scala source files, in one language group with Java.
    Scala,
    /// Swift source files (`.swift`).
    Swift,
    /// Vue components, read by their scripts.
    Vue,
    /// Svelte components, read by their scripts.
    Svelte,
    /// Astro components, read by their scripts.
    Astro,
    /// HTML pages, by their scripts.
    Html,
    /// Ruby source files (`.rb`).
    Ruby,
    /// Lua source files (`.lua`).
    Lua,
    /// Bash, and other shells.
    Bash,
}

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
}

/// Parses another text of a file, with the tree of one that it was changed from; `None` where that takes too long.
pub type Reparse<'a> = &'a dyn Fn(&[u8], Option<&Tree>) -> Option<Tree>;

/// The way in which the files of a language become facts.
#[derive(Clone, Copy)]
pub enum LanguageReader {
    /// By a grammar, and rules over its trees.
    Tree {
        /// Returns the tree-sitter grammar of the language.
        grammar: fn() -> Language,
        /// Turns a tree into facts.
        extract: fn(&Tree, &[u8], FactsBuilder) -> FactsBuilder,
    },
    /// The same for a language whose text may have to be changed before its grammar understands it.
    Twice {
        /// Returns the tree-sitter grammar of the language.
        grammar: fn() -> Language,
        /// Turns a tree of the source into facts, and says whether there are errors.
        extract: fn((&Tree, &[u8]), FactsBuilder, Reparse<'_>) -> FactsBuilder,
    },
    /// By code of its own, for what is no programming language. As total as a parser: any bytes give facts.
    Own(fn(&[u8], FactsBuilder, Patience<'_>) -> FactsBuilder),
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
    /// Those in the same folder that declare the same package.
    Folder,
    /// Those that declare the same package, wherever they are.
    Package,
    /// Those too, and those of the packages around it (C#: in `A.B` the names of `A` are visible).
    Enclosing,
    /// Those of the same module, as the language's import rules tell ([`ImportRules::module_of`]; Swift).
    Module,
}

/// The questions that import rules may ask about the workspace. All paths are relative to its root, `/`-separated.
pub trait ImportProject {
    /// The file at exactly this path, if the map has it.
    fn file(&self, path: &str) -> Option<FileId>;
    /// The path of a file, relative to the root.
    fn path(&self, file: FileId) -> &str;
    /// Returns true if any mapped file lies below this folder.
    fn has_dir(&self, dir: &str) -> bool;
    /// The mapped files directly in this folder.
    fn files_in(&self, dir: &str) -> Vec<FileId>;
    /// The mapped files in and below this folder, in order of path.
    fn files_below(&self, dir: &str) -> Vec<FileId>;
    /// The mapped files with this file name, anywhere (`utils.h`): for languages that search include paths.
    fn files_named(&self, file_name: &str) -> &[FileId];
    /// The files that declare this package (Java's `package a.b.c`), see [`FileFacts::package`].
    fn files_of_package(&self, package: &str) -> &[FileId];
    /// All project files with this file name: (folder, facts).
    fn manifests(&self, file_name: &str) -> Vec<(&str, &FileFacts)>;
    /// The facts of a file.
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
    /// It cannot be told.
    Unknown,
}

/// The rules by which the imports of a language find what they name. Implementations are stateless.
pub trait ImportRules: Send + Sync {
    /// Resolves `module`, as written in an [`crate::facts::Import`] of the file `from`.
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget;

    /// For languages with path expressions that need no import (`crate::net::open()` in Rust, `a.b.C` in Java): the
    /// module a dotted path starts with, and how many of its segments that takes. `None`: such paths start with a name
    /// in scope.
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

    /// The files whose re-exported star imports hold for `from` too (C#'s `global using`).
    fn project_wide(&self, _project: &dyn ImportProject, _from: FileId) -> Vec<FileId> {
        Vec::new()
    }

    /// For [`PackageScope::Module`]: which module a file belongs to, by any word that no other module has.
    fn module_of(&self, _project: &dyn ImportProject, _file: FileId) -> Option<String> {
        None
    }

    /// For languages whose modules hold modules that can be imported as names (`from pkg import sub`, `use crate::net`):
    /// the module `name` inside `module`, written as [`ImportRules::resolve`] reads it. `None`: there are no such.
    fn submodule(&self, _module: &str, _name: &str) -> Option<String> {
        None
    }
}

/// Every language, sorted by [`Lang`]; new ones go last, in both.
pub static TABLE: &[LangSpec] = &[
    python::SPEC,
    ecma::TYPESCRIPT,
    ecma::TSX,
    ecma::JAVASCRIPT,
    rust::SPEC,
    go::SPEC,
    java::SPEC,
    c::SPEC,
    cpp::SPEC,
    markdown::SPEC,
    php::SPEC,
    csharp::SPEC,
    kotlin::SPEC,
    scala::SPEC,
    swift::SPEC,
    embedded::VUE,
    embedded::SVELTE,
    embedded::ASTRO,
    embedded::HTML,
    ruby::SPEC,
    lua::SPEC,
    bash::SPEC,
];

impl Lang {
    /// Every value, in order of its number on disk.
    pub const ALL: [Self; 23] = [
        Self::Python,
        Self::TypeScript,
        Self::Tsx,
        Self::JavaScript,
        Self::Rust,
        Self::Go,
        Self::Java,
        Self::C,
        Self::Cpp,
        Self::Markdown,
        Self::Manifest,
        Self::Php,
        Self::CSharp,
        Self::Kotlin,
        Self::Scala,
        Self::Swift,
        Self::Vue,
        Self::Svelte,
        Self::Astro,
        Self::Html,
        Self::Ruby,
        Self::Lua,
        Self::Bash,
    ];

    /// Its row; project files have none.
    #[must_use]
    pub fn spec(self) -> Option<&'static LangSpec> {
        // Numbers on disk only ever grow, so project files, which have no row, stand between the rows.
        let before = usize::from(self > Self::Manifest);
        TABLE.get(self as usize - before).filter(|_| self != Self::Manifest)
    }

    /// The language that stands for all whose code can use each other's names: TypeScript for the ECMAScript ones, C++
    /// for C and C++, Java for those of its virtual machine, itself for the others.
    #[must_use]
    pub fn language_group(self) -> Self {
        match self {
            Self::Tsx | Self::JavaScript | Self::Vue | Self::Svelte | Self::Astro | Self::Html => {
                Self::TypeScript
            }
            Self::C => Self::Cpp,
            Self::Kotlin | Self::Scala => Self::Java,
            other => other,
        }
    }

    /// Returns true if its files are written for people: their definitions are headings, and code never means one.
    #[must_use]
    pub fn is_prose(self) -> bool {
        self == Self::Markdown
    }

    /// The character between the names in a qualified name.
    #[must_use]
    pub fn separator(self) -> char {
        if self.is_prose() { '/' } else { '.' }
    }

    /// The prefix of the IDs of packages outside that its files import: a component imports what its scripts can.
    #[must_use]
    pub fn package_id(self) -> &'static str {
        match self {
            Self::Vue | Self::Svelte | Self::Astro | Self::Html => Self::TypeScript.id(),
            other => other.id(),
        }
    }

    /// The prefix of its node IDs.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.spec().map_or("manifest", |spec| spec.id)
    }
}

/// The language of a file, from its name and, for names without a known extension and for `.h`, its first bytes.
#[must_use]
pub fn language_of(file_name: &str, head: &[u8]) -> Option<Lang> {
    if is_manifest(file_name) {
        return Some(Lang::Manifest);
    }
    let extension = file_name.rsplit_once('.').map(|(_, ext)| ext.to_ascii_lowercase());
    match extension {
        Some(ext) if ext == "h" => Some(if cpp::looks_like_cpp(head) { Lang::Cpp } else { Lang::C }),
        Some(ext) => {
            let known = TABLE.iter().find(|s| s.extensions.contains(&ext.as_str())).map(|s| s.lang);
            known.or_else(|| php::looks_like_php(head).then_some(Lang::Php))
        }
        None => by_file_name(file_name).or_else(|| by_interpreter(head)),
    }
}

/// Files that are known by their whole name.
fn by_file_name(file_name: &str) -> Option<Lang> {
    let ruby = ruby::FILE_NAMES.contains(&file_name).then_some(Lang::Ruby);
    ruby.or_else(|| bash::FILE_NAMES.contains(&file_name).then_some(Lang::Bash))
}

fn by_interpreter(head: &[u8]) -> Option<Lang> {
    let line = head.strip_prefix(b"#!")?.split(|&b| b == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let program =
        line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word)).find(|w| *w != "env")?;
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    TABLE.iter().find(|spec| spec.interpreters.contains(&program)).map(|spec| spec.lang)
}

fn is_manifest(file_name: &str) -> bool {
    matches!(
        file_name,
        "go.mod"
            | "Cargo.toml"
            | "package.json"
            | "pyproject.toml"
            | "composer.json"
            | "Package.swift"
            | "go.work"
            | "compile_commands.json"
    ) || is_config(file_name)
}

/// `tsconfig.json` and those that it refers to or extends: `tsconfig.app.json`, `jsconfig.base.json`.
fn is_config(file_name: &str) -> bool {
    ["tsconfig.", "jsconfig."].iter().any(|prefix| file_name.starts_with(prefix))
        && file_name.ends_with(".json")
}

/// Facts of a project file, by its name; files that cannot be read give none.
#[must_use]
pub fn manifest_facts(file_name: &str, source: &[u8]) -> FileFacts {
    let mut facts = FactsBuilder::new(Lang::Manifest);
    let text = String::from_utf8_lossy(source);
    match file_name {
        "compile_commands.json" => c::compile_commands(&text, &mut facts),
        "go.mod" | "go.work" => go::read_go_mod(&text, &mut facts),
        "Cargo.toml" => rust::read_cargo_toml(&text, &mut facts),
        name if is_config(name) => ecma::read_tsconfig(&text, &mut facts),
        "package.json" => ecma::package_json(&text, &mut facts),
        "Package.swift" => swift::read_package_swift(&text, &mut facts),
        "composer.json" => php::read_composer_json(&text, &mut facts),
        _ => {}
    }
    facts.finish()
}
