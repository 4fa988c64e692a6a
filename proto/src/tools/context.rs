//! Defines `hob_context`: the context of an agent's own search or reading, for which `hob hook` asks after
//! each of them.
//!
//! The tool is in no list, because no model calls it. It opens no project, starts no index and waits only for
//! a moment: a hook must not delay the agent that it helps, so an empty answer is acceptable.

use serde::{Deserialize, Serialize};

use super::{ArgDef, ArgType, Default, ToolDef, ToolSet};

/// Returns the map's knowledge of searched names, of found lines, and of a file that was read.
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
    /// The searched names.
    pub names: Option<Vec<String>>,
    /// The found lines, each as `path:line`.
    pub hits: Option<Vec<String>>,
    /// The file that was read.
    pub file: Option<String>,
    /// The first line that was read; `None` for the whole file.
    pub from: Option<u32>,
}

/// The data of a `hob_context` answer. It is empty if the project is not open, or the map is not complete.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContextResult {
    /// The searched names that the project defines.
    pub names: Vec<NameContext>,
    /// The found lines that are in a definition.
    pub hits: Vec<HitSymbol>,
    /// The definition around the first line that was read; for a whole file, its most used definitions.
    pub read: Vec<SymbolUse>,
}

/// The definitions of a searched name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameContext {
    /// The searched name.
    pub name: String,
    /// Number of its definitions.
    pub definitions: usize,
    /// The first definitions.
    pub shown: Vec<SymbolUse>,
}

/// A definition, and the number of its uses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolUse {
    /// Its qualified name.
    pub symbol: String,
    /// Its file, from the project's root.
    pub file: String,
    /// The line of its name, from 1.
    pub line: u32,
    /// Number of definitions that call it for certain; `None` for a definition that cannot be called, and if
    /// time did not suffice to count all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callers: Option<usize>,
    /// Number of other files that use it for certain; `None` if time did not suffice to count all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
}

/// A found line, and the definition around it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitSymbol {
    /// The file of the line, from the project's root.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The qualified name of the innermost definition around it.
    pub symbol: String,
}
