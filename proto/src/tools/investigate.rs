//! From a topic to the places that it is about: arguments, results, definitions.

use serde::{Deserialize, Serialize};

use super::{ArgDef, ArgType, Default, ListCut, ToolDef, ToolSet};

/// The most that these tools may answer, in tokens.
const MOST: u32 = 16_000;
/// What they answer if they are not told.
const USUAL: u32 = 4_000;
/// What a first answer is in the text form if it is not told.
const USUAL_TEXT: u32 = 750;

const TOKEN_BUDGET: ArgDef = ArgDef {
    name: "token_budget",
    ty: ArgType::Int { min: 0, max: i64::MAX },
    default: Default::None,
    description: "Size limit",
};

const BUNDLE_ID: ArgDef = ArgDef {
    name: "bundle_id",
    ty: ArgType::Str { min: 1 },
    default: Default::Required,
    description: "From investigate",
};

/// `investigate`.
pub static INVESTIGATE: ToolDef = ToolDef {
    name: "investigate",
    title: "Investigate",
    description: "Where is the code for this: paste a question, an issue or a stack trace; the places it is about, with the lines that matter.",
    args: &[
        ArgDef {
            name: "query",
            ty: ArgType::Str { min: 1 },
            default: Default::Required,
            description: "A topic, e.g. device pairing",
        },
        ArgDef {
            name: "scope",
            ty: ArgType::Str { min: 1 },
            default: Default::Str("all"),
            description: "all, repo:<name>, project:<package or folder>, path:<prefix>, vault (notes)",
        },
        TOKEN_BUDGET,
        ArgDef {
            name: "use_embeddings",
            ty: ArgType::Bool,
            default: Default::Bool(false),
            description: "Also by meaning",
        },
    ],
    scoped: true,
    output: "{bundle_id: str, query: str, scope: str, domains: [{label: str, entry_point: str, members: [str]}], \
             entries: [{asset_id: str, uid: str, kind: str, title: str, location: str, summary: str, snippet?: str, \
             inline_body?: str, body_complete: bool, relevance: num, is_seed: bool, changed?: bool}], more_available: bool, returned: int, total: int}",
    cuts: &[
        ListCut { path: "domains[].members", kind: "members", narrow: "They are the entries" },
        ListCut { path: "entries", kind: "entries", narrow: "Raise token_budget, or narrow scope or query" },
        ListCut { path: "domains", kind: "domains", narrow: "Raise token_budget, or narrow scope" },
    ],
    default_budget: USUAL,
    text_budget: Some(USUAL_TEXT),
    max_budget: MOST,
    set: ToolSet::Core,
    ..ToolDef::READ
};

/// `investigate_expand`.
pub static EXPAND: ToolDef = ToolDef {
    name: "investigate_expand",
    title: "Expand entries of a bundle",
    description: "Whole source and direct neighbours of entries that investigate found.",
    args: &[
        BUNDLE_ID,
        ArgDef {
            name: "targets",
            ty: ArgType::StrList,
            default: Default::Required,
            description: "asset_ids, or node IDs",
        },
        TOKEN_BUDGET,
    ],
    output: "{bundle_id: str, expanded: [{asset_id?: str, uid: str, kind: str, title: str, location: str, summary: str, \
             inline_body?: str, body_complete: bool, relevance?: num, is_seed: bool, changed?: bool}], \
             neighbors: [{of: str, uid: str, kind: str, title: str, relation: str}], unresolved: [str]}",
    cuts: &[
        ListCut { path: "neighbors", kind: "neighbors", narrow: "map_neighbors pages through them" },
        ListCut { path: "expanded", kind: "entries", narrow: "Pass fewer targets, or raise token_budget" },
        ListCut { path: "unresolved", kind: "targets", narrow: "Pass fewer targets" },
    ],
    default_budget: USUAL,
    max_budget: MOST,
    ..ToolDef::READ
};

/// `investigate_hydrate`.
pub static HYDRATE: ToolDef = ToolDef {
    name: "investigate_hydrate",
    title: "Fill a bundle with source",
    description: "Source of the entries of a bundle that had none yet, best first, as many as the budget takes; call again for the next.",
    args: &[BUNDLE_ID, TOKEN_BUDGET],
    output: "{bundle_id: str, hydrated: int, already_hydrated: int, skipped: int, \
             skipped_reasons: [{reason: str, asset_ids: [str]}], \
             entries: [{asset_id: str, uid: str, kind: str, title: str, location: str, summary: str, inline_body?: str, \
             body_complete: bool, relevance: num, is_seed: bool, changed?: bool}]}",
    cuts: &[
        ListCut {
            path: "skipped_reasons[].asset_ids",
            kind: "asset IDs",
            narrow: "They are the entries of the bundle",
        },
        ListCut { path: "entries", kind: "entries", narrow: "Raise token_budget" },
    ],
    default_budget: USUAL,
    max_budget: MOST,
    idempotent: false,
    ..ToolDef::READ
};

/// Arguments of `investigate`.
#[derive(Clone, Debug, Deserialize)]
pub struct InvestigateArgs {
    /// The topic.
    pub query: String,
    /// Where to look.
    pub scope: String,
    /// Also what is near in meaning.
    pub use_embeddings: bool,
}

/// Arguments of `investigate_expand`.
#[derive(Clone, Debug, Deserialize)]
pub struct ExpandArgs {
    /// Which bundle.
    pub bundle_id: String,
    /// Which of its entries, or any nodes.
    pub targets: Vec<String>,
}

/// Arguments of `investigate_hydrate`.
#[derive(Clone, Debug, Deserialize)]
pub struct HydrateArgs {
    /// Which bundle.
    pub bundle_id: String,
}

/// Result of `investigate`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InvestigateResult {
    /// For `investigate_expand` and `investigate_hydrate`, for 24 hours.
    pub bundle_id: String,
    /// As it was asked.
    pub query: String,
    /// As it was asked.
    pub scope: String,
    /// The clusters that the entries shown are in, most relevant first.
    pub domains: Vec<Domain>,
    /// Most relevant first.
    pub entries: Vec<Entry>,
    /// Whether the bundle has entries that are not shown.
    pub more_available: bool,
    /// How many are shown.
    pub returned: usize,
    /// How many the bundle has.
    pub total: usize,
}

/// Entries of one cluster.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Domain {
    /// The cluster's.
    pub label: String,
    /// Node ID of where to begin.
    pub entry_point: String,
    /// Asset IDs.
    pub members: Vec<String>,
}

/// A place that the topic is about.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Its name in the bundle; nothing if it is in none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub asset_id: String,
    /// Node ID.
    pub uid: String,
    /// Its kind.
    pub kind: String,
    /// Qualified name, heading, or file name.
    pub title: String,
    /// `file:line`.
    pub location: String,
    /// Signature and what the documentation begins with.
    pub summary: String,
    /// Lines of it that have most of the question, each with its number before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// Its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inline_body: Option<String>,
    /// Whether `inline_body` is there and whole.
    pub body_complete: bool,
    /// 0 to 1, comparable within one bundle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f64>,
    /// Whether the words led here, and not the graph.
    pub is_seed: bool,
    /// Its source is not what it was when the bundle was made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
}

/// Result of `investigate_expand`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExpandResult {
    /// As it was asked.
    pub bundle_id: String,
    /// In the order of the targets.
    pub expanded: Vec<Entry>,
    /// Their neighbours.
    pub neighbors: Vec<Beside>,
    /// Targets that mean nothing now.
    pub unresolved: Vec<String>,
}

/// What is connected with an entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Beside {
    /// Node ID of the entry.
    pub of: String,
    /// Node ID.
    pub uid: String,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub title: String,
    /// How, seen from the entry: `calls`, `called by`, ...
    pub relation: String,
}

/// Result of `investigate_hydrate`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HydrateResult {
    /// As it was asked.
    pub bundle_id: String,
    /// Entries that have their source here.
    pub hydrated: usize,
    /// Entries that had been given theirs before.
    pub already_hydrated: usize,
    /// Entries that have none yet.
    pub skipped: usize,
    /// Why not.
    pub skipped_reasons: Vec<Skipped>,
    /// Those that have their source here.
    pub entries: Vec<Entry>,
}

/// Entries without their source.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Skipped {
    /// Why.
    pub reason: String,
    /// Which.
    pub asset_ids: Vec<String>,
}
