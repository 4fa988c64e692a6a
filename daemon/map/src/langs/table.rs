//! Lists the languages with their rows, and finds the row of a language. Everything that is common to languages stands below this file,
//! so that a language's folder never needs it.

use super::lang::Lang;
use super::rules::LangSpec;
use super::semantics::NameSemantics;
use super::source::SourceRules;
use super::{
    bash, c, cpp, csharp, css, dart, ecma, elixir, embedded, go, hcl, java, kotlin, lua, markdown, notebook,
    php, proto, python, ruby, rust, scala, sql, swift,
};

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
    proto::SPEC,
    hcl::SPEC,
    sql::SPEC,
    notebook::SPEC,
    css::SPEC,
    elixir::SPEC,
    dart::SPEC,
];

/// Returns the languages that this build reads, as a set: bit `n` stands for the language with the number `n`. Saved
/// kinds of files hold for builds with the same set only.
#[must_use]
pub fn built_languages() -> u64 {
    let built = TABLE.iter().filter(|spec| spec.reader.is_built());
    built.fold(0, |set, spec| set | 1 << spec.lang as u64)
}

impl Lang {
    /// Returns the language's row; `None` for project files.
    #[must_use]
    pub fn spec(self) -> Option<&'static LangSpec> {
        // Numbers on disk only ever grow, so project files, which have no row, stand between the rows.
        let before = usize::from(self > Self::Manifest);
        TABLE.get(self as usize - before).filter(|_| self != Self::Manifest)
    }

    /// Returns the properties of the language's names; those of [`NameSemantics::PLAIN`] for project files.
    #[must_use]
    pub fn semantics(self) -> &'static NameSemantics {
        static PLAIN: NameSemantics = NameSemantics::PLAIN;
        self.spec().map_or(&PLAIN, |spec| &spec.semantics)
    }

    /// Returns the peculiarities of the language's text; those of [`SourceRules::PROSE`] for project files.
    #[must_use]
    pub fn source_rules(self) -> &'static SourceRules {
        static PROSE: SourceRules = SourceRules::PROSE;
        self.spec().map_or(&PROSE, |spec| &spec.source)
    }

    /// Returns the prefix of the IDs of outside packages that files of the language import: a component imports the
    /// packages that its scripts can import, and a notebook those of its cells.
    #[must_use]
    pub fn package_id(self) -> &'static str {
        match self {
            Self::Vue | Self::Svelte | Self::Astro | Self::Html => Self::TypeScript.id(),
            Self::Notebook => Self::Python.id(),
            other => other.id(),
        }
    }

    /// Returns the prefix of the language's node IDs.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.spec().map_or("manifest", |spec| spec.id)
    }

    /// Returns the first language whose node IDs begin with `id`; project files have no node IDs.
    #[must_use]
    pub fn with_id(id: &str) -> Option<Self> {
        TABLE.iter().find(|spec| spec.id == id).map(|spec| spec.lang)
    }
}
