//! Defines places in files as every tool writes them: 1-based line and column, the column in UTF-16 code
//! units.

use serde::{Deserialize, Serialize};

/// A place in a file. `file` is relative to the workspace root with `/`; a place outside it (a library's source) has
/// `external: true` and an absolute `file`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Anchor {
    /// The file's path: relative to the root, or absolute if `external`.
    pub file: String,
    /// The line of the place, from 1.
    pub line: u32,
    /// 1-based column in UTF-16 code units.
    pub col: u32,
    /// Last line, when the place is a range of lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// The source text at the place; `None` if the answer shows none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// True if the file lies outside the workspace.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub external: bool,
    /// Set if the place does not come from a language server: the map's confidence (`live`, `exact`, `import`
    /// or less), or `scip` if an imported index has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_map: Option<String>,
    /// The qualified name of the definition around it, if the map knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
}
