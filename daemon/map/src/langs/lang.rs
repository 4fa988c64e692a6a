//! Names the languages, with the facts about a language that need no more than its name.
//!
//! The numbers of the variants are on disk, so a new variant goes last. What a language does with names is not here,
//! but in its row of the table.

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
    /// Protocol Buffers (`.proto`).
    Proto,
    /// Terraform and other HCL files (`.tf`, `.hcl`).
    Hcl,
    /// SQL of any dialect.
    Sql,
    /// Jupyter notebooks (`.ipynb`), read by their Python cells and in one language group with Python.
    Notebook,
    /// Style sheets (`.css`).
    Css,
    /// Elixir source files and scripts (`.ex`, `.exs`).
    Elixir,
    /// Dart source files (`.dart`).
    Dart,
}

impl Lang {
    /// All languages, in the order of their numbers on disk.
    pub const ALL: [Self; 30] = [
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
        Self::Proto,
        Self::Hcl,
        Self::Sql,
        Self::Notebook,
        Self::Css,
        Self::Elixir,
        Self::Dart,
    ];

    /// Returns the language that stands for all whose code can use each other's names: TypeScript for the ECMAScript
    /// ones, C++ for C and C++, Java for those of its virtual machine, Python for notebooks, itself for the others.
    #[must_use]
    pub fn language_group(self) -> Self {
        match self {
            Self::Tsx | Self::JavaScript | Self::Vue | Self::Svelte | Self::Astro | Self::Html => {
                Self::TypeScript
            }
            Self::C => Self::Cpp,
            Self::Kotlin | Self::Scala => Self::Java,
            Self::Notebook => Self::Python,
            other => other,
        }
    }

    /// Returns true if code of other languages is generated from its files.
    #[must_use]
    pub fn is_schema(self) -> bool {
        self.semantics().generated.is_schema()
    }

    /// Returns true if its files are project files, which steer imports and are no code.
    #[must_use]
    pub fn is_manifest(self) -> bool {
        self == Self::Manifest
    }

    /// Returns true if its files are written for people: their definitions are headings, and code never means one.
    #[must_use]
    pub fn is_prose(self) -> bool {
        self == Self::Markdown
    }

    /// Returns the character between the names in a qualified name.
    #[must_use]
    pub fn separator(self) -> char {
        if self.is_prose() { '/' } else { '.' }
    }
}
