//! Tools that are not about code: for measuring hob, and for doubting it.

use serde::{Deserialize, Serialize};

use super::{ArgDef, ArgType, Default, ListCut, ToolDef, ToolSet};

/// A call that does nothing: the unit in which the cost of other calls is measured. In no list.
pub static NOOP: ToolDef = ToolDef {
    name: "hob_noop",
    title: "Do nothing",
    description: "Goes all the way to the daemon and back.",
    output: "{}",
    set: ToolSet::Hidden,
    ..ToolDef::READ
};

/// The tool that digests the daemon's knowledge: three short texts that are the same for every daemon that knows the
/// same. In no list.
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

/// Forgets one project. For the command line; in no list, and refused to agents.
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

/// Result of `hob_purge`: what was kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PurgeResult {
    /// The project's root, without links.
    pub root: String,
    /// True if the data is gone now; false if it was only listed.
    pub removed: bool,
    /// Folders of hob's own.
    pub folders: Vec<String>,
    /// Edits that waited for a decision.
    pub pending: usize,
    /// True if the project's last edit could be taken back.
    pub undo: bool,
    /// Investigations that could be gone on with.
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
    /// The memory that its map and texts took, in bytes.
    pub freed_bytes: u64,
    /// Language servers that were ended with it.
    pub servers: Vec<String>,
}

/// The checked arguments of a `hob_digest` call.
#[derive(Clone, Debug, Deserialize)]
pub struct DigestArgs {
    /// `files`, `map` or `text`.
    pub list: Option<String>,
    /// Only below this path.
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
    /// The lines of which the requested digest is made; `None` without `list`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<String>>,
}

/// One part of what is known.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PartDigest {
    /// Files in this part, before `from` and `limit`.
    pub count: usize,
    /// BLAKE3 over the files from `from` up to `limit`.
    pub digest: String,
}
