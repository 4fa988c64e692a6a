//! Defines the tools that are not about code: they measure and check hob itself.

use serde::{Deserialize, Serialize};

use super::{ArgDef, ArgType, Default, ListCut, ToolDef, ToolSet};

/// Does nothing: the unit in which the cost of other calls is measured. In no list.
pub static NOOP: ToolDef = ToolDef {
    name: "hob_noop",
    title: "Do nothing",
    description: "Goes all the way to the daemon and back.",
    output: "{}",
    set: ToolSet::Hidden,
    ..ToolDef::READ
};

/// Digests the daemon's knowledge: three short texts that are equal for daemons with equal knowledge. In no
/// list.
pub static DIGEST: ToolDef = ToolDef {
    name: "hob_digest",
    title: "Digest of what is known",
    description: "Digests of the file table, the map and the text index that depend on paths and contents alone, so that \
                  two daemons on one tree can be compared. Slow: it resolves everything.",
    args: &[
        ArgDef {
            name: "list",
            ty: ArgType::Enum(&["files", "map", "text"]),
            default: Default::None,
            description: "Also show the lines that this digest is made of",
        },
        ArgDef {
            name: "path_prefix",
            ty: ArgType::Str { min: 1 },
            default: Default::None,
            description: "Only below this folder or file",
        },
        ArgDef {
            name: "from",
            ty: ArgType::Int { min: 0, max: u32::MAX as i64 },
            default: Default::Int(0),
            description: "First file of each part, in order of path",
        },
        ArgDef {
            name: "limit",
            ty: ArgType::Int { min: 0, max: u32::MAX as i64 },
            default: Default::None,
            description: "Most files of each part",
        },
    ],
    output: "{files: {count: int, digest: str}, map: {count: int, digest: str}, text: {count: int, digest: str}, \
             symbols: int, references: int, lines?: [str]}",
    cuts: &[ListCut { path: "lines", kind: "lines", narrow: "Pass path_prefix, or from and limit" }],
    set: ToolSet::Hidden,
    ..ToolDef::READ
};

/// Removes the data of one project. For the command line; in no list, and refused to agents.
pub static PURGE: ToolDef = ToolDef {
    name: "hob_purge",
    title: "Forget a project",
    description: "What is kept for one project alone: its index with its texts, what language servers keep of it, edits that wait, \
                  investigations. With confirm it is closed and all of that is removed.",
    args: &[ArgDef {
        name: "confirm",
        ty: ArgType::Bool,
        default: Default::Bool(false),
        description: "Remove it; without, it is only listed",
    }],
    output: "{root: str, removed: bool, folders: [str], pending: int, undo: bool, bundles: int}",
    read_only: false,
    destructive: true,
    set: ToolSet::Hidden,
    ..ToolDef::READ
};

/// The checked arguments of a `hob_purge` call.
#[derive(Clone, Debug, Deserialize)]
pub struct PurgeArgs {
    /// True to remove the project's data; false only lists it.
    pub confirm: bool,
}

/// The data of a `hob_purge` answer: the data that hob has of the project.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PurgeResult {
    /// The project's root, without links.
    pub root: String,
    /// True if the data is gone now; false if it was only listed.
    pub removed: bool,
    /// hob's own folders for the project.
    pub folders: Vec<String>,
    /// Number of pending changes.
    pub pending: usize,
    /// True if the project's last edit could be undone.
    pub undo: bool,
    /// Number of investigations that could be continued.
    pub bundles: usize,
}

/// Closes one project. For the command line; in no list, and refused to agents.
pub static CLOSE: ToolDef = ToolDef {
    name: "hob_close",
    title: "Close a project",
    description: "Saves a project, frees its memory and ends its language servers. The next question about it opens it again.",
    args: &[],
    output: "{root: str, was_open: bool, freed_bytes: int, servers: [str]}",
    read_only: false,
    set: ToolSet::Hidden,
    ..ToolDef::READ
};

/// Result of `hob_close`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CloseResult {
    /// The project's root.
    pub root: String,
    /// True if it was open.
    pub was_open: bool,
    /// The memory of its map and texts, in bytes.
    pub freed_bytes: u64,
    /// Language servers that ended with it.
    pub servers: Vec<String>,
}

/// The checked arguments of a `hob_digest` call.
#[derive(Clone, Debug, Deserialize)]
pub struct DigestArgs {
    /// The part to list: `files`, `map` or `text`.
    pub list: Option<String>,
    /// Only files below this path.
    pub path_prefix: Option<String>,
    /// First file of each part.
    pub from: usize,
    /// Most files of each part.
    pub limit: Option<usize>,
}

/// The data of a `hob_digest` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DigestResult {
    /// The file table: path, content hash and kind of each file.
    pub files: PartDigest,
    /// The map: every node and every edge.
    pub map: PartDigest,
    /// The text index: the trigrams of each file.
    pub text: PartDigest,
    /// Definitions in the whole map.
    pub symbols: usize,
    /// References in the whole map.
    pub references: usize,
    /// The lines of the requested digest; `None` without `list`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<String>>,
}

/// One part of the daemon's knowledge.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PartDigest {
    /// Files in this part, before `from` and `limit`.
    pub count: usize,
    /// BLAKE3 over the files from `from` up to `limit`.
    pub digest: String,
}
