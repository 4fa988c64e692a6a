//! Defines `hob_models`: the embedding models that the user has added to hob. For the command line; in no
//! list of tools, because only the user chooses a model.

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
    /// The folder of the model to add.
    pub folder: Option<String>,
    /// The model's name; `None` where the action needs none.
    pub name: Option<String>,
}

/// The data of a `hob_models` answer: the models after the action.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModelsResult {
    /// The models: the active one first, then the one added before it.
    pub models: Vec<ModelInfo>,
}

/// The facts about one installed model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModelInfo {
    /// The name of the model.
    pub name: String,
    /// True if the model is the one that hob uses.
    pub active: bool,
    /// The length of a vector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dims: Option<usize>,
    /// Number of tokens that it knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
    /// Size of its files in bytes.
    pub disk_bytes: u64,
    /// Approximate memory while it is in use, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<usize>,
    /// The reason why it cannot be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}
