//! Defines the `edit_*` family: previews of changes, and the decision about them. Arguments, results,
//! definitions.
//!
//! Every `edit_*` tool previews and writes nothing, so clients may treat it as reading; only `resolve_action`
//! writes, under a name of its own, because clients grant permission by name. Lists omit all of them, and
//! their calls fail, unless the user has enabled edits.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::nav::{COL, FILE, LINE, NODE, TARGET};
use super::{ArgDef, ArgType, Default, ListCut, ToolDef, ToolSet};

const STAGE: ArgDef = ArgDef {
    name: "stage",
    ty: ArgType::Bool,
    default: Default::Bool(false),
    description: "Add to the change set instead of proposing it alone",
};

const fn text(name: &'static str, min: usize, default: Default, description: &'static str) -> ArgDef {
    ArgDef { name, ty: ArgType::Str { min }, default, description }
}

const PREVIEW: &str = "{pendingId: str, label: str, files: [{file: str, additions: int, deletions: int, movedTo?: str, \
                       created?: bool, deleted?: bool}], diff: str, next: str, details?: any}";

const FILES: ListCut =
    ListCut { path: "files", kind: "files", narrow: "Call edit_pending with pendingId for all of them" };

/// The fields that all previewing tools have in common.
const EDIT: ToolDef = ToolDef { output: PREVIEW, cuts: &[FILES], set: ToolSet::Edit, ..ToolDef::READ };

/// The definition of the tool `edit_rename`.
pub static RENAME: ToolDef = ToolDef {
    name: "edit_rename",
    title: "Preview: rename",
    description: "Previews a rename everywhere, by the language server; the path of a file renames the file. Writes nothing.",
    args: &[
        text("newName", 1, Default::Required, "New name, or for a file its new name or path"),
        TARGET,
        STAGE,
    ],
    unlisted: &[FILE, LINE, COL, NODE],
    ..EDIT
};

/// The checked arguments of an `edit_rename` call.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RenameArgs {
    /// The name after the rename, or for a file its new path.
    pub new_name: String,
    /// The file, if no node is given.
    pub file: Option<String>,
    /// The 1-based line of the symbol in `file`; `None` without `file`.
    pub line: Option<u32>,
    /// The column; if it is missing, the name that the line defines or the only name on it.
    pub col: Option<u32>,
    /// The node, if no file is given.
    pub node_id: Option<String>,
    /// The target to rename: a symbol, a place, or a file.
    pub target: Option<String>,
    /// True to add the change to the standing change set.
    pub stage: bool,
}

/// The definition of the tool `edit_pattern`.
pub static PATTERN: ToolDef = ToolDef {
    name: "edit_pattern",
    title: "Preview: structural replacement",
    description: "Previews replacing code by structure: ast-grep patterns ($A one node, $$$A several). Writes nothing.",
    args: &[
        text("language", 1, Default::Required, "Such as py, ts, rs"),
        text("pattern", 1, Default::Required, "Code with metavariables"),
        text("rewrite", 0, Default::Required, "Code that takes its place"),
        text("path_prefix", 1, Default::None, "Only below this folder or file"),
        ArgDef {
            name: "limit",
            ty: ArgType::Int { min: 1, max: u32::MAX as i64 },
            default: Default::None,
            description: "Refuse to replace more",
        },
        STAGE,
    ],
    ..EDIT
};

/// The checked arguments of an `edit_pattern` call.
#[derive(Clone, Debug, Deserialize)]
pub struct PatternArgs {
    /// The language's name or tag.
    pub language: String,
    /// The structural pattern whose matches are rewritten.
    pub pattern: String,
    /// The template that takes the place of each match.
    pub rewrite: String,
    /// Only files below this path.
    pub path_prefix: Option<String>,
    /// The most matches.
    pub limit: Option<usize>,
    /// True to add the change to the standing change set.
    pub stage: bool,
}

/// The definition of the tool `edit_symbol`.
pub static SYMBOL: ToolDef = ToolDef {
    name: "edit_symbol",
    title: "Preview: one definition",
    description: "Previews replacing or deleting a definition, or inserting beside it. Writes nothing.",
    args: &[
        text("nodeId", 1, Default::Required, "The definition"),
        ArgDef {
            name: "operation",
            ty: ArgType::Enum(&["replace", "insert_before", "insert_after", "delete"]),
            default: Default::Required,
            description: "delete is refused while it is referred to",
        },
        text("source", 1, Default::None, "New source; not for delete"),
        ArgDef {
            name: "force",
            ty: ArgType::Bool,
            default: Default::Bool(false),
            description: "Delete all the same",
        },
        STAGE,
    ],
    ..EDIT
};

/// The checked arguments of an `edit_symbol` call.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SymbolArgs {
    /// The node ID of the definition to change.
    pub node_id: String,
    /// The change to make to the definition.
    pub operation: Operation,
    /// The source text to insert; `None` for a deletion.
    pub source: Option<String>,
    /// True to delete the definition although uses refer to it.
    pub force: bool,
    /// True to add the change to the standing change set.
    pub stage: bool,
}

/// A change that `edit_symbol` makes to a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Replaces the definition by the source.
    Replace,
    /// Puts the source before the definition.
    InsertBefore,
    /// Puts the source after the definition.
    InsertAfter,
    /// Deletes the definition.
    Delete,
}

/// The definition of the tool `edit_text`.
pub static TEXT: ToolDef = ToolDef {
    name: "edit_text",
    title: "Preview: text replacement",
    description: "Previews replacing an exact text (old, new) or what a regex matches (pattern, replacement). Writes nothing.",
    args: &[
        text("file", 1, Default::Required, "The file"),
        text("old", 1, Default::None, "Exact text"),
        text("new", 0, Default::None, "What takes its place"),
        ArgDef {
            name: "expected",
            ty: ArgType::Int { min: 1, max: u32::MAX as i64 },
            default: Default::None,
            description: "How often it must be there; 1 for old, any for pattern",
        },
        text("pattern", 1, Default::None, "Rust regex"),
        text("replacement", 0, Default::None, "With $1, ${name}"),
        STAGE,
    ],
    ..EDIT
};

/// Arguments of `edit_text`: exactly one of `old` and `pattern`.
#[derive(Clone, Debug, Deserialize)]
pub struct TextArgs {
    /// The path of the file to change, relative to the root.
    pub file: String,
    /// The exact text to replace; `None` if `pattern` is given.
    pub old: Option<String>,
    /// The text that takes the place of `old`.
    pub new: Option<String>,
    /// Number of times that the text must occur; `None` means once for `old` and any number for `pattern`.
    pub expected: Option<usize>,
    /// A regex that replaces `old`.
    pub pattern: Option<String>,
    /// The template that takes the place of each match of `pattern`.
    pub replacement: Option<String>,
    /// True to add the change to the standing change set.
    pub stage: bool,
}

/// The data of every preview.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewResult {
    /// The ID that `resolve_action` and `edit_pending` take.
    pub pending_id: String,
    /// A description of the edit in a few words.
    pub label: String,
    /// The files it touches.
    pub files: Vec<FileCount>,
    /// The unified diff, as far as the budget allows.
    pub diff: String,
    /// A sentence that tells the caller the next step.
    pub next: String,
    /// Further findings of the edit; `None` if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

/// The extent of the change in one file, in lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileCount {
    /// Relative to the root.
    pub file: String,
    /// Number of lines that the edit adds.
    pub additions: usize,
    /// Number of lines that the edit removes.
    pub deletions: usize,
    /// The file's path after a move; `None` if it stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
    /// True if the edit creates the file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub created: bool,
    /// True if the edit deletes the file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
}

/// The definition of the tool `resolve_action`.
pub static RESOLVE_ACTION: ToolDef = ToolDef {
    name: "resolve_action",
    title: "Apply or discard a preview",
    description: "Applies or discards a previewed edit: pendingId, else the newest preview, else the change set.",
    args: &[
        ArgDef {
            name: "action",
            ty: ArgType::Enum(&["apply", "discard"]),
            default: Default::Required,
            description: "What to do with it",
        },
        text("reason", 1, Default::Required, "Why, in a sentence"),
        ArgDef { name: "extra", ty: ArgType::Object, default: Default::None, description: "Handed back" },
        text("pendingId", 1, Default::None, "Which one"),
    ],
    output: "{action: str, reason: str, extra?: any, sourceToolName?: str, label?: str, sourceResultDetails?: any, \
             message: str, files?: [{file: str, additions: int, deletions: int, movedTo?: str, created?: bool, \
             deleted?: bool}]}",
    cuts: &[ListCut { path: "files", kind: "files", narrow: "Raise tokenBudget" }],
    read_only: false,
    destructive: true,
    idempotent: false,
    set: ToolSet::Edit,
    ..ToolDef::READ
};

/// The checked arguments of a `resolve_action` call.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolveActionArgs {
    /// The decision about the pending change.
    pub action: Action,
    /// The caller's reason for the decision, in words.
    pub reason: String,
    /// Any object that the caller wants back.
    pub extra: Option<Map<String, Value>>,
    /// The ID of the pending change to decide; `None` if the caller names none.
    pub pending_id: Option<String>,
}

/// A decision about a pending change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Writes the pending change to the files.
    Apply,
    /// Drops the pending change and writes nothing.
    Discard,
}

/// The data of a `resolve_action` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolveActionResult {
    /// The decision that the caller asked for.
    pub action: Action,
    /// The reason that the caller gave.
    pub reason: String,
    /// The extra object that the caller gave, unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra: Option<Map<String, Value>>,
    /// The tool that previewed it.
    pub source_tool_name: String,
    /// The label of the change that was decided.
    pub label: String,
    /// Details of the outcome; `None` if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_result_details: Option<Value>,
    /// The outcome in a sentence.
    pub message: String,
    /// The files that were written, with their counts of lines; `None` for a discarded change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileCount>>,
}

/// The definition of the tool `edit_pending`.
pub static PENDING: ToolDef = ToolDef {
    name: "edit_pending",
    title: "What waits for a decision",
    description: "Previews of this workspace that were neither applied nor discarded; with pendingId its diff, page by page.",
    args: &[
        text("pendingId", 1, Default::None, "Show this one's diff"),
        text("file", 1, Default::None, "Only this file's part"),
        ArgDef {
            name: "offset",
            ty: ArgType::Int { min: 0, max: u32::MAX as i64 },
            default: Default::Int(0),
            description: "Where the part begins: nextOffset of the one before",
        },
    ],
    output: "{pending: [{pendingId: str, label: str, sourceToolName: str, createdAt: str, expiresAt: str, yours: bool, \
             staged: bool, files: [str]}], files?: [{file: str, additions: int, deletions: int, movedTo?: str, created?: bool, \
             deleted?: bool}], diff?: str, diffLines?: int, nextOffset?: int}",
    cuts: &[
        ListCut { path: "pending[].files", kind: "files", narrow: "Pass pendingId" },
        ListCut { path: "files", kind: "files", narrow: "Raise tokenBudget" },
        ListCut {
            path: "pending",
            kind: "pending actions",
            narrow: "Decide about some, or raise tokenBudget",
        },
    ],
    set: ToolSet::Edit,
    ..ToolDef::READ
};

/// The checked arguments of an `edit_pending` call.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingArgs {
    /// The only pending change to show, with its diff.
    pub pending_id: Option<String>,
    /// The only file whose part of the diff to show.
    pub file: Option<String>,
    /// The byte of the diff at which the part begins.
    pub offset: usize,
}

/// The data of an `edit_pending` answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingResult {
    /// The pending changes, with the newest first.
    pub pending: Vec<PendingItem>,
    /// The extent of the named change in each file; `None` if no change was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileCount>>,
    /// Part of the diff of the named change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Lines of the whole diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff_lines: Option<usize>,
    /// The `offset` of the next part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}

/// A pending change.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingItem {
    /// The ID that `resolve_action` takes.
    pub pending_id: String,
    /// A description of the change in a few words.
    pub label: String,
    /// The tool that previewed it.
    pub source_tool_name: String,
    /// The time of the preview, as RFC 3339 text.
    pub created_at: String,
    /// The time at which the preview expires, as RFC 3339 text.
    pub expires_at: String,
    /// True if the client that asks proposed the change.
    pub yours: bool,
    /// True if the change is a standing change set.
    pub staged: bool,
    /// The files it touches.
    pub files: Vec<String>,
}

/// Undoes the last applied edit; for people. In no list.
pub static UNDO: ToolDef = ToolDef {
    name: "hob_undo",
    title: "Undo the last apply",
    description: "Takes the last applied edit of the workspace back, while its files still have what it wrote.",
    output: "{label: str, message: str, files: [str]}",
    cuts: &[ListCut { path: "files", kind: "files", narrow: "Raise tokenBudget" }],
    read_only: false,
    destructive: true,
    idempotent: false,
    set: ToolSet::Hidden,
    ..ToolDef::READ
};

/// The data of a `hob_undo` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UndoResult {
    /// The label of the edit that was undone.
    pub label: String,
    /// The outcome of the undo in a sentence.
    pub message: String,
    /// The files that the undo has written, relative to the root.
    pub files: Vec<String>,
}
