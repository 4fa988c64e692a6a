//! `hob_models`: the embedding models that the user has given to hob. For the command line; in no list of tools, because a
//! model is the user's to choose.

use serde::{Deserialize, Serialize};

use super::{ArgDef, ArgType, Default, ToolDef, ToolSet};

/// Lists, adds and removes models.
pub static MODELS: ToolDef = ToolDef {
    name: "hob_models",
    title: "Embedding models",
    description: "The static-embedding models that were added, the one that counts first; adds one from a folder, or removes one.",
    args: &[
        ArgDef {
            name: "action",
            ty: ArgType::Enum(&["list", "add", "remove"]),
            default: Default::Str("list"),
            description: "What to do",
        },
        ArgDef {
            name: "folder",
            ty: ArgType::Str { min: 1 },
            default: Default::None,
            description: "For add: the model's folder, as an absolute path",
        },
        ArgDef {
            name: "name",
            ty: ArgType::Str { min: 1 },
            default: Default::None,
            description: "For add: what to call it (default: as the folder); for remove: which",
        },
    ],
    output: "{models: [{name: str, active: bool, dims?: int, tokens?: int, disk_bytes: int, memory_bytes?: int, problem?: str}]}",
    read_only: false,
    set: ToolSet::Hidden,
    ..ToolDef::READ
};

/// The checked arguments of a `hob_models` call.
#[derive(Clone, Debug, Deserialize)]
pub struct ModelsArgs {
    /// `list`, `add` or `remove`.
    pub action: String,
    /// Where the model to add lies.
    pub folder: Option<String>,
    /// The model's name; `None` where the action needs none.
    pub name: Option<String>,
}

/// Result of `hob_models`: what there is after it was done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModelsResult {
    /// The one that counts first, then the one added before it.
    pub models: Vec<ModelInfo>,
}

/// The facts about one installed model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModelInfo {
    /// The name of the model.
    pub name: String,
    /// True if the model is the one that hob uses.
    pub active: bool,
    /// Numbers in a vector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dims: Option<usize>,
    /// Tokens that it knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
    /// Bytes of its files.
    pub disk_bytes: u64,
    /// Bytes of memory that it takes while it is used, about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<usize>,
    /// Why it cannot be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}
