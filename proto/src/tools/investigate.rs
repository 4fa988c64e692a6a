//! Defines `investigate` and its two follow-up tools, which find the places that a topic is about: arguments,
//! results, definitions.

use serde::{Deserialize, Serialize};

use super::scope::IN;
use super::{ArgDef, ArgType, Default, ListCut, ToolDef, ToolSet};

/// The highest budget of these tools, in tokens.
const MOST: u32 = 16_000;
/// The default budget of these tools, in tokens.
const USUAL: u32 = 4_000;
/// The default budget of a first answer in the text form, in tokens.
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

/// The definition of the tool `investigate`.
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
    unlisted: &[IN],
    scoped: true,
    output: "{bundle_id: str, query: str, scope: str, domains: [{label: str, entry_point: str, members: [str]}], \
             entries: [{asset_id: str, uid: str, kind: str, title: str, location: str, summary: str, snippet?: str, \
             inline_body?: str, body_complete: bool, relevance: num, confidence?: num, reason?: str, is_seed: bool, changed?: bool}], more_available: bool, returned: int, total: int}",
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

/// The definition of the tool `investigate_expand`.
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

/// The definition of the tool `investigate_hydrate`.
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

/// The checked arguments of an `investigate` call.
#[derive(Clone, Debug, Deserialize)]
pub struct InvestigateArgs {
    /// The topic in the words of the caller.
    pub query: String,
    /// The part of the project to investigate.
    pub scope: String,
    /// True to find places of similar meaning as well.
    pub use_embeddings: bool,
}

/// The checked arguments of an `investigate_expand` call.
#[derive(Clone, Debug, Deserialize)]
pub struct ExpandArgs {
    /// The ID of the bundle to expand.
    pub bundle_id: String,
    /// Asset IDs of the bundle's entries, or targets of any nodes.
    pub targets: Vec<String>,
}

/// The checked arguments of an `investigate_hydrate` call.
#[derive(Clone, Debug, Deserialize)]
pub struct HydrateArgs {
    /// The ID of the bundle to hydrate.
    pub bundle_id: String,
}

/// The data of an `investigate` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InvestigateResult {
    /// The ID of the bundle, which `investigate_expand` and `investigate_hydrate` take for 24 hours.
    pub bundle_id: String,
    /// The question of the call; of a long one, the beginning.
    pub query: String,
    /// The scope of the call.
    pub scope: String,
    /// The clusters of the shown entries, most relevant first.
    pub domains: Vec<Domain>,
    /// The entries shown, with the most relevant first.
    pub entries: Vec<InvestigationEntry>,
    /// True if the bundle has entries that are not shown.
    pub more_available: bool,
    /// Number of entries that are shown.
    pub returned: usize,
    /// Number of entries that the bundle has.
    pub total: usize,
}

/// Entries of one cluster.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Domain {
    /// The label of the cluster, as in the overview.
    pub label: String,
    /// Node ID of the entry to begin with.
    pub entry_point: String,
    /// Asset IDs of the cluster's entries.
    pub members: Vec<String>,
}

/// A place that the topic is about.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InvestigationEntry {
    /// Its name in the bundle; empty for a place outside of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub asset_id: String,
    /// The node ID of the place.
    pub uid: String,
    /// The kind of the node, as in `function`.
    pub kind: String,
    /// Qualified name, heading, or file name.
    pub title: String,
    /// The place in the form `file:line`.
    pub location: String,
    /// The signature and the beginning of the documentation.
    pub summary: String,
    /// The lines that share most words with the question, each with its number before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// The source of the definition; `None` if it is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inline_body: Option<String>,
    /// True if `inline_body` is present and complete.
    pub body_complete: bool,
    /// The relevance, 0 to 1, comparable within one bundle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f64>,
    /// The probability that the topic is about the entry's file, 0 to 1; in a first answer only, and not for
    /// entries that only the graph found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The reason why the entry is in the answer; in a first answer only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<PlaceReason>,
    /// True if the words of the topic found it; false if the graph did.
    pub is_seed: bool,
    /// True if its source has changed since the bundle was made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
}

/// The reason why a place is in an answer, in the words of the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum PlaceReason {
    /// The question names it by file and line.
    #[serde(rename = "named by place")]
    NamedByPlace,
    /// The question writes its name as code.
    #[serde(rename = "named in the question")]
    NamedInQuestion,
    /// The question mentions its file.
    #[serde(rename = "its file is mentioned")]
    FileMentioned,
    /// The words of the question's title find it.
    #[serde(rename = "has the title's words")]
    TitleWords,
    /// The words of the whole question find it.
    #[serde(rename = "has the words")]
    Words,
    /// A definition that the words find calls or extends it.
    #[serde(rename = "called or extended by what has the words")]
    OneStep,
    /// It is near the found definitions in the graph.
    #[serde(rename = "near in the graph")]
    NearInGraph,
}

/// The data of an `investigate_expand` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExpandResult {
    /// The bundle of the call.
    pub bundle_id: String,
    /// The expanded entries, in the order of the targets.
    pub expanded: Vec<InvestigationEntry>,
    /// The neighbours of the expanded entries.
    pub neighbors: Vec<Beside>,
    /// Targets that denote nothing at present.
    pub unresolved: Vec<String>,
}

/// A node that has an edge to or from an entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Beside {
    /// Node ID of the entry.
    pub of: String,
    /// The node ID of the neighbour.
    pub uid: String,
    /// The kind of the neighbour, as in `function`.
    pub kind: String,
    /// The name of the neighbour, as in [`InvestigationEntry::title`].
    pub title: String,
    /// The relation as the entry sees it: `calls`, `called by`, ...
    pub relation: String,
}

/// The data of an `investigate_hydrate` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HydrateResult {
    /// The bundle of the call.
    pub bundle_id: String,
    /// Number of entries with their source in this answer.
    pub hydrated: usize,
    /// Number of entries whose source an earlier answer had.
    pub already_hydrated: usize,
    /// Number of entries without source so far.
    pub skipped: usize,
    /// The reasons why entries were skipped, with their entries.
    pub skipped_reasons: Vec<Skipped>,
    /// The entries with their source.
    pub entries: Vec<InvestigationEntry>,
}

/// Entries without their source.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Skipped {
    /// The reason why these entries have no source.
    pub reason: String,
    /// Asset IDs of the entries without source.
    pub asset_ids: Vec<String>,
}
