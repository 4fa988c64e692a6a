//! Defines `hob_index`: imports SCIP indexes that compilers made of a project, and exports the map as such an
//! index. For the command line; in no list of tools, because only the user knows where an index came from.

use serde::{Deserialize, Serialize};

use super::{ArgDef, ArgType, Default, ListCut, ToolDef, ToolSet};

/// Lists, imports and drops indexes, and exports the map as one.
pub static INDEXES: ToolDef = ToolDef {
    name: "hob_index",
    title: "SCIP indexes",
    description: "The SCIP indexes that were imported for a project and how far they are believed; imports one, drops one, or \
                  writes the map as one.",
    args: &[
        ArgDef {
            name: "action",
            ty: ArgType::Enum(&["list", "import", "drop", "export"]),
            default: Default::Str("list"),
            description: "What to do",
        },
        ArgDef {
            name: "file",
            ty: ArgType::Str { min: 1 },
            default: Default::None,
            description: "For import and export: the index, as an absolute path",
        },
        ArgDef {
            name: "name",
            ty: ArgType::Str { min: 1 },
            default: Default::None,
            description: "For drop: which",
        },
        ArgDef {
            name: "relocate",
            ty: ArgType::Bool,
            default: Default::Bool(false),
            description: "For import: its paths are of this project, whatever folder it names",
        },
        ArgDef {
            name: "accept_newer",
            ty: ArgType::Bool,
            default: Default::Bool(false),
            description: "For import: also files that were written after it",
        },
        ArgDef {
            name: "force",
            ty: ArgType::Bool,
            default: Default::Bool(false),
            description: "For export: also where a file lies that is no index",
        },
    ],
    output: "{root: str, indexes: [{name: str, tool: str, version: str, source: str, documents: int, files: int, believed: int, \
             names: int, symbols: int, bytes: int, readAt: str}], imported?: str, left_aside?: [{why: str, documents: int, \
             first: str}], dropped?: str, exported?: {file: str, documents: int, names: int, symbols: int}}",
    cuts: &[ListCut { path: "indexes", kind: "indexes", narrow: "Raise tokenBudget" }],
    read_only: false,
    set: ToolSet::Hidden,
    ..ToolDef::READ
};

/// The checked arguments of a `hob_index` call.
#[derive(Clone, Debug, Deserialize)]
pub struct IndexesArgs {
    /// `list`, `import`, `drop` or `export`.
    pub action: String,
    /// The file of the index to import, or the intended place of an export.
    pub file: Option<String>,
    /// The name of the index to drop.
    pub name: Option<String>,
    /// True if the paths of the index belong to this project, whatever folder it names.
    pub relocate: bool,
    /// True if files that were written after the index count as well.
    pub accept_newer: bool,
    /// True if an export may replace a file that is no index.
    pub force: bool,
}

/// The data of a `hob_index` answer: the indexes after the action.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct IndexesResult {
    /// The absolute root of the workspace.
    pub root: String,
    /// The imported indexes, sorted by name.
    pub indexes: Vec<IndexInfo>,
    /// The name of the index that was imported; `None` if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<String>,
    /// Documents of the imported index that hob does not believe, by reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_aside: Vec<DocumentsLeftAside>,
    /// The name of the index that was dropped; `None` if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<String>,
    /// The index that was written; `None` if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exported: Option<ExportedIndex>,
}

/// The facts about one imported index.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexInfo {
    /// The name of the index, which `drop` takes.
    pub name: String,
    /// The indexer that made it.
    pub tool: String,
    /// The version of the indexer; empty if the index does not state one.
    pub version: String,
    /// The file that was imported.
    pub source: String,
    /// Number of documents in that file, skipped ones included.
    pub documents: u64,
    /// Number of the project's files in the index.
    pub files: usize,
    /// Number of files whose present contents are the indexed ones.
    pub believed: usize,
    /// Number of names in these files.
    pub names: usize,
    /// Number of symbols that the names refer to.
    pub symbols: usize,
    /// Size on disk in bytes.
    pub bytes: usize,
    /// The time of the import, RFC 3339.
    pub read_at: String,
}

/// Documents that were skipped for one reason.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DocumentsLeftAside {
    /// The reason, as the end of a sentence.
    pub why: String,
    /// Number of documents.
    pub documents: usize,
    /// The path of the first one, as the index has it.
    pub first: String,
}

/// An index that was written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExportedIndex {
    /// The file in hob's own folder, which the caller moves to its place.
    pub file: String,
    /// Number of documents in it.
    pub documents: usize,
    /// Number of names in them.
    pub names: usize,
    /// Number of symbols that they define.
    pub symbols: usize,
}

/// The line of `map_status` about an imported index.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BelievedIndex {
    /// The name of the index.
    pub name: String,
    /// Number of files in the index.
    pub files: usize,
    /// Number of files whose present contents are the indexed ones.
    pub believed: usize,
}
