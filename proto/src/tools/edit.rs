//! The `edit_*` family: changes that are only shown, and the decision about them. Arguments, results, definitions.
//!
//! Every `edit_*` tool previews and writes nothing, so clients may treat it as reading; `resolve_action` alone writes, under a
//! name of its own, because clients grant permission by name. None of them is listed, or does anything, unless the user has
//! enabled edits.

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

/// What previews have in common.
const EDIT: ToolDef = ToolDef { output: PREVIEW, cuts: &[FILES], set: ToolSet::Edit, ..ToolDef::READ };

/// `edit_rename`.
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

/// Arguments of `edit_rename`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RenameArgs {
    /// The new name.
    pub new_name: String,
    /// The file, if not a node.
    pub file: Option<String>,
    /// Its line.
    pub line: Option<u32>,
    /// Its column; without one, the name that the line defines or the only one on it.
    pub col: Option<u32>,
    /// The node, if not a file.
    pub node_id: Option<String>,
    /// What is renamed: a symbol, a place, or a file.
    pub target: Option<String>,
    /// Into the standing change set.
    pub stage: bool,
}

/// `edit_pattern`.
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

/// Arguments of `edit_pattern`.
#[derive(Clone, Debug, Deserialize)]
pub struct PatternArgs {
    /// The language's name or tag.
    pub language: String,
    /// What to find.
    pub pattern: String,
    /// What to put there.
    pub rewrite: String,
    /// Only below this path.
    pub path_prefix: Option<String>,
    /// The most matches that are wanted.
    pub limit: Option<usize>,
    /// Into the standing change set.
    pub stage: bool,
}

/// `edit_symbol`.
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

/// Arguments of `edit_symbol`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SymbolArgs {
    /// The definition.
    pub node_id: String,
    /// What to do with it.
    pub operation: Operation,
    /// The new source.
    pub source: Option<String>,
    /// Delete although something refers to it.
    pub force: bool,
    /// Into the standing change set.
    pub stage: bool,
}

/// What to do with a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Something else in its place.
    Replace,
    /// Something before it.
    InsertBefore,
    /// Something after it.
    InsertAfter,
    /// Nothing in its place.
    Delete,
}

/// `edit_text`.
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
    /// The file.
    pub file: String,
    /// Exact text.
    pub old: Option<String>,
    /// What takes its place.
    pub new: Option<String>,
    /// How often.
    pub expected: Option<usize>,
    /// A regex instead of `old`.
    pub pattern: Option<String>,
    /// What takes its matches' place.
    pub replacement: Option<String>,
    /// Into the standing change set.
    pub stage: bool,
}

/// Result of every preview.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewResult {
    /// What `resolve_action` and `edit_pending` take.
    pub pending_id: String,
    /// What it is, in a few words.
    pub label: String,
    /// The files it touches.
    pub files: Vec<FileCount>,
    /// Unified diff, as far as the budget goes.
    pub diff: String,
    /// What to do now.
    pub next: String,
    /// What else the edit found out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

/// How much of a file changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileCount {
    /// Relative to the root.
    pub file: String,
    /// Lines added.
    pub additions: usize,
    /// Lines removed.
    pub deletions: usize,
    /// Where it goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
    /// It was not there before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub created: bool,
    /// It is not there afterwards.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
}

/// `resolve_action`.
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

/// Arguments of `resolve_action`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolveActionArgs {
    /// What to do.
    pub action: Action,
    /// Why.
    pub reason: String,
    /// Whatever the caller wants to see again.
    pub extra: Option<Map<String, Value>>,
    /// Which pending action.
    pub pending_id: Option<String>,
}

/// A decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Write it.
    Apply,
    /// Forget it.
    Discard,
}

/// Result of `resolve_action`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolveActionResult {
    /// As asked.
    pub action: Action,
    /// As given.
    pub reason: String,
    /// As given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra: Option<Map<String, Value>>,
    /// The tool that previewed it.
    pub source_tool_name: String,
    /// What it was.
    pub label: String,
    /// What there is to know about the outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_result_details: Option<Value>,
    /// The outcome in a sentence.
    pub message: String,
    /// What was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileCount>>,
}

/// `edit_pending`.
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

/// Arguments of `edit_pending`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingArgs {
    /// Only this one, with its diff.
    pub pending_id: Option<String>,
    /// Only this file's part of the diff.
    pub file: Option<String>,
    /// Byte of the diff with which the part begins.
    pub offset: usize,
}

/// Result of `edit_pending`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingResult {
    /// Newest first.
    pub pending: Vec<PendingItem>,
    /// How much of each file the one that was named changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileCount>>,
    /// Part of the diff of the one that was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Lines of the whole of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff_lines: Option<usize>,
    /// `offset` of the next part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}

/// A preview that waits.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingItem {
    /// What `resolve_action` takes.
    pub pending_id: String,
    /// What it is.
    pub label: String,
    /// The tool that previewed it.
    pub source_tool_name: String,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub expires_at: String,
    /// Whether the client that asks proposed it.
    pub yours: bool,
    /// Whether it is a standing change set.
    pub staged: bool,
    /// The files it touches.
    pub files: Vec<String>,
}

/// Takes the last apply back; for people. In no list.
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

/// Result of `hob_undo`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UndoResult {
    /// What was undone.
    pub label: String,
    /// In a sentence.
    pub message: String,
    /// What was written.
    pub files: Vec<String>,
}
