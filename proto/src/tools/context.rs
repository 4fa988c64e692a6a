//! The context of an agent's own search or reading: what `hob hook` asks after each of them.
//!
//! The tool is in no list, because no model calls it. It opens no project, starts no index and waits only for a moment: a hook
//! must not delay the agent that it helps, so an empty answer is a good one.

use serde::{Deserialize, Serialize};

use super::{ArgDef, ArgType, Default, ToolDef, ToolSet};

/// Tells what the map knows of names that were searched, of lines that were found, and of a file that was read.
pub static CONTEXT: ToolDef = ToolDef {
    name: "hob_context",
    title: "Context of a search",
    description: "What the map knows of searched names, found lines or a file that was read, if the project is open and its index \
                  is complete. Opens nothing.",
    args: &[
        ArgDef {
            name: "names",
            ty: ArgType::StrList,
            default: Default::None,
            description: "Names that were searched",
        },
        ArgDef {
            name: "hits",
            ty: ArgType::StrList,
            default: Default::None,
            description: "Lines that were found, each as path:line",
        },
        ArgDef {
            name: "file",
            ty: ArgType::Str { min: 1 },
            default: Default::None,
            description: "The file that was read",
        },
        ArgDef {
            name: "from",
            ty: ArgType::Int { min: 1, max: u32::MAX as i64 },
            default: Default::None,
            description: "The first line that was read; none for the whole file",
        },
    ],
    output: "{names: [{name: str, definitions: int, shown: [{symbol: str, file: str, line: int, callers?: int, files?: int}]}], \
             hits: [{file: str, line: int, symbol: str}], \
             read: [{symbol: str, file: str, line: int, callers?: int, files?: int}]}",
    set: ToolSet::Hidden,
    ..ToolDef::READ
};

/// The checked arguments of a `hob_context` call.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ContextArgs {
    /// Names that were searched.
    pub names: Option<Vec<String>>,
    /// Lines that were found, each as `path:line`.
    pub hits: Option<Vec<String>>,
    /// The file that was read.
    pub file: Option<String>,
    /// The first line that was read; `None` for the whole file.
    pub from: Option<u32>,
}

/// Result of `hob_context`. All of it is empty where the project is not open, or the map is not complete.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContextResult {
    /// The searched names that the project defines.
    pub names: Vec<NameContext>,
    /// The found lines that stand in a definition.
    pub hits: Vec<HitSymbol>,
    /// The definition around the first line that was read; or of a whole file, its most used ones.
    pub read: Vec<SymbolUse>,
}

/// The definitions of a searched name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameContext {
    /// The name as it was searched.
    pub name: String,
    /// Number of its definitions.
    pub definitions: usize,
    /// The first of them.
    pub shown: Vec<SymbolUse>,
}

/// A definition, and how much it is used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolUse {
    /// Its qualified name.
    pub symbol: String,
    /// Its file, from the project's root.
    pub file: String,
    /// The line of its name, from 1.
    pub line: u32,
    /// Number of definitions that surely call it; `None` for what is not called, and where they could not all be counted in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callers: Option<usize>,
    /// Number of other files that surely use it; `None` where they could not all be counted in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
}

/// A found line, and the definition that it stands in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitSymbol {
    /// The file of the line, from the project's root.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The qualified name of the innermost definition around it.
    pub symbol: String,
}
