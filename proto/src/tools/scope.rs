//! Defines the scope of an answer: its paths, and whether it includes tests.

use serde::Deserialize;

use super::{ArgDef, ArgType, Default};

/// The words that the argument `tests` accepts.
pub const TESTS: &[&str] = &["include", "exclude", "only"];

/// The arguments of every tool that answers with places.
pub static ARGS: &[ArgDef] = &[
    ArgDef {
        name: "paths",
        ty: ArgType::StrList,
        default: Default::None,
        description: "Prefixes, globs, !excludes",
    },
    ArgDef { name: "tests", ty: ArgType::Enum(TESTS), default: Default::None, description: "Tests" },
];

/// The dependency to ask instead of the project, or all dependencies, or the organisation. In no list: the
/// server's instructions name it.
pub const IN: ArgDef = ArgDef {
    name: "in",
    ty: ArgType::Str { min: 3 },
    default: Default::None,
    description: "dep:NAME asks the source of a dependency, deps all of them; org the organisation's code search",
};

/// The older names of `paths`.
pub(super) const PATH_PREFIX: ArgDef = ArgDef {
    name: "path_prefix",
    ty: ArgType::Str { min: 1 },
    default: Default::None,
    description: "Older: one of paths",
};
pub(super) const PATH_PREFIX_CAMEL: ArgDef = ArgDef { name: "pathPrefix", ..PATH_PREFIX };
pub(super) const GLOB: ArgDef = ArgDef { name: "glob", description: "Older: a glob of paths", ..PATH_PREFIX };
pub(super) const FILE_FILTER: ArgDef =
    ArgDef { name: "fileFilter", description: "Older: only paths with this, or of this glob", ..PATH_PREFIX };

/// A scope in the arguments, in any of its spellings.
#[derive(Clone, Debug, Deserialize, std::default::Default)]
pub struct ScopeArgs {
    /// Prefixes and globs; `!` before one excludes its paths.
    #[serde(default)]
    pub paths: Vec<String>,
    /// One of [`TESTS`]; `None` means `include`.
    pub tests: Option<String>,
    /// A prefix of paths; the older spelling of one of `paths`.
    #[serde(alias = "pathPrefix")]
    pub path_prefix: Option<String>,
    /// A glob of paths; the older spelling of one of `paths`.
    pub glob: Option<String>,
    /// A substring or glob.
    #[serde(rename = "fileFilter")]
    pub file_filter: Option<String>,
}
