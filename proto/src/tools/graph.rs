//! Defines the request of `hob graph` to the daemon and its answer: the whole map, a page at a time.
//!
//! The tool is in no list, because its answers are for a program that draws them. Numbers identify nodes
//! within a page, and IDs identify those of other files, each once: between two pages files may change, and
//! numbers with them.

use serde::{Deserialize, Serialize};

use super::{ArgDef, ArgType, Default, ListCut, ToolDef, ToolSet};

/// The size of a page in tokens; it fits into a frame with much to spare.
const PAGE_BUDGET: u32 = 12 << 20;

/// Returns the whole map, page by page. In no list.
pub static GRAPH: ToolDef = ToolDef {
    name: "hob_graph",
    title: "The whole map",
    description: "What `hob graph` draws: every definition with whom it uses, file by file, a page at a time.",
    args: &[
        ArgDef {
            name: "after_path",
            ty: ArgType::Str { min: 1 },
            default: Default::None,
            description: "Where the last page ended",
        },
        ArgDef {
            name: "heat_days",
            ty: ArgType::Int { min: 1, max: 36_500 },
            default: Default::None,
            description: "Count, on the first page, the commits of so many days that changed each file",
        },
    ],
    output: "{name: str, root: str, built_at: str, clusters: [str], files_total: int, symbols_total: int, edges_total: int, changes?: \
             [{path: str, commits: int}], files: [{path: str, id: str, cluster?: int, symbols: [{id: str, name: str, kind: str, line: int, \
             end?: int, score: num, test?: bool, signature?: str, doc?: str}], uses: [int], use_lines?: [int]}], others: [str], next_path?: str}",
    cuts: &[ListCut { path: "files", kind: "files", narrow: "Raise tokenBudget: a page needs its own" }],
    default_budget: PAGE_BUDGET,
    max_budget: PAGE_BUDGET,
    set: ToolSet::Hidden,
    ..ToolDef::READ
};

/// The checked arguments of a `hob_graph` call.
#[derive(Clone, Debug, Deserialize)]
pub struct GraphArgs {
    /// The last path of the page before.
    pub after_path: Option<String>,
    /// Number of days whose commits are counted; `None` for no counts.
    pub heat_days: Option<u32>,
}

/// The data of a `hob_graph` answer: one page.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GraphResult {
    /// The name of the workspace's folder.
    pub name: String,
    /// The root of the workspace; empty from an older daemon.
    #[serde(default)]
    pub root: String,
    /// The time when the map last ingested a change, RFC 3339.
    pub built_at: String,
    /// Labels of the clusters by number; on the first page only.
    #[serde(default)]
    pub clusters: Vec<String>,
    /// Number of files on all pages.
    pub files_total: usize,
    /// Number of definitions in the whole map.
    pub symbols_total: usize,
    /// Number of resolved edges in the whole map at the last background computation.
    pub edges_total: usize,
    /// Commits that changed a file in the requested days; on the first page only, and only for files that
    /// changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FileChanges>,
    /// Files in order of path.
    pub files: Vec<GraphFile>,
    /// IDs that the files' `uses` refer to.
    pub others: Vec<String>,
    /// The last path of this page, if there are more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_path: Option<String>,
}

/// A file of the graph.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GraphFile {
    /// Relative to the root of the workspace.
    pub path: String,
    /// The node ID of the file.
    pub id: String,
    /// The cluster it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<u32>,
    /// Its definitions in source order.
    pub symbols: Vec<GraphSymbol>,
    /// Resolved edges, four numbers each: the source (a place in `symbols`, from 1; 0 is the file), the
    /// target (a place in `others`), the kind (a place in [`super::map::EDGE_KINDS`]), and the number of
    /// places.
    pub uses: Vec<u64>,
    /// The first line of each of these edges; empty from an older daemon.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub use_lines: Vec<u32>,
}

/// The number of changes of a file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FileChanges {
    /// Relative to the root of the workspace.
    pub path: String,
    /// Number of commits.
    pub commits: u32,
}

/// A definition of the graph.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GraphSymbol {
    /// The node ID of the definition.
    pub id: String,
    /// The qualified name of the definition.
    pub name: String,
    /// The kind of the definition, as in `function`.
    pub kind: String,
    /// 1-based line of its name.
    pub line: u32,
    /// 1-based line of its end; 0 from an older daemon.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub end: u32,
    /// Hub score, 0 to 1.
    pub score: f64,
    /// True for a test.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// The header of the definition, shortened.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub signature: String,
    /// First paragraph of its documentation, shortened.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doc: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}
