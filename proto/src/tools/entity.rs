//! The third shape of `resolve`: a name in words to an entity. Arguments and result, as in the document that the tool comes from.
//!
//! Names of fields are written as that document writes them. What it does not know is refused by its name, because a
//! constraint that is misspelt and silently not kept would make a wrong answer look right.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Where the words were met.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Context {
    /// A workspace, a folder or a cluster: nothing outside is an answer.
    pub realm: Option<String>,
    /// The file or node in which the mention stands: what is nearer goes first.
    pub provenance: Option<String>,
    /// A git revision: resolve as of then.
    pub time: Option<String>,
    /// The one programming language of the answer; `None` for any.
    pub language: Option<String>,
}

/// The way in which the resolver chooses an entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The first candidate by name.
    Quick,
    /// Several candidates with explicit scores.
    Ranked,
    /// A model chooses among the candidates.
    LlmSelect,
    /// The candidates are always shown to the client.
    Interactive,
    /// As `ranked`, and a model only where that is ambiguous.
    #[default]
    Hybrid,
}

impl Mode {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Ranked => "ranked",
            Self::LlmSelect => "llm_select",
            Self::Interactive => "interactive",
            Self::Hybrid => "hybrid",
        }
    }
}

/// The settings that decide how the resolver behaves.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Strategy {
    /// The way in which the entity is chosen.
    pub mode: Mode,
    /// True if the resolver also looks for candidates by meaning.
    pub use_embeddings: bool,
    /// From this confidence on the best candidate is the answer, 0 to 1.
    pub auto_accept_threshold: f64,
    /// True if the user is asked when the confidence is below the threshold.
    pub interactive_below_threshold: bool,
    /// True if a model may choose where the scores do not decide.
    pub use_llm_fallback: bool,
}

impl Default for Strategy {
    fn default() -> Self {
        Self {
            mode: Mode::Hybrid,
            use_embeddings: false,
            auto_accept_threshold: 0.85,
            interactive_below_threshold: false,
            use_llm_fallback: false,
        }
    }
}

/// Where candidates come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntitySource {
    /// Symbols, sections and files of the map.
    Map,
    /// Symbols that language servers know.
    Live,
    /// Files and folders, and what the words stand in.
    Text,
    /// Packages of manifests and lock files.
    Manifest,
    /// Branches, tags and commits.
    Git,
}

impl EntitySource {
    /// All of them, in the order in which equals are shown.
    pub const ALL: [Self; 5] = [Self::Map, Self::Live, Self::Text, Self::Manifest, Self::Git];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Map => "map",
            Self::Live => "live",
            Self::Text => "text",
            Self::Manifest => "manifest",
            Self::Git => "git",
        }
    }
}

/// Rules that an answer keeps.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Constraints {
    /// No model and no embeddings.
    pub deterministic: bool,
    /// Only what a language server confirmed.
    pub require_authority: bool,
    /// Only from these; everything when left out.
    pub allowed_sources: Option<Vec<EntitySource>>,
    /// Most candidates in the answer.
    pub max_candidates: u32,
    /// Least confidence of an answer or a candidate, 0 to 1; less sure ones are dropped.
    pub min_confidence: f64,
}

impl Default for Constraints {
    fn default() -> Self {
        Self {
            deterministic: false,
            require_authority: false,
            allowed_sources: None,
            max_candidates: 10,
            min_confidence: 0.0,
        }
    }
}

/// Facts about the entity that the client knows already.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Hints {
    /// The entity's probable type: `function`, `class`, `file`, `package`, `branch` and so on.
    pub expected_type: Option<String>,
    /// The candidate that is meant: its ID, or any target that means it.
    pub preferred_id: Option<String>,
    /// Other names of it.
    pub aliases: Vec<String>,
}

/// The extras that the resolver shows besides the answer.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Debug {
    /// The terms of every score.
    pub include_explanations: bool,
    /// Candidates also where one was chosen.
    pub include_candidates: bool,
}

/// The outcome of resolving a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// There is one answer.
    Resolved,
    /// Several things may be meant, or one, and not surely.
    Ambiguous,
    /// Nothing may be meant.
    NotFound,
    /// It could not be looked for.
    Error,
}

/// The entity that the words mean.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entity {
    /// A node ID where there is one, else a path, a `pkg:` URL or a full name of a ref.
    pub id: String,
    /// The entity's name, as people write it.
    pub label: String,
    /// The entity's kind in a word, as in `function`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Signature, documentation, version, subject of the commit.
    pub description: String,
    /// Where it comes from.
    pub source: EntitySource,
    /// `file://` with a line, `pkg:`, or `git:` and the object.
    pub uri: String,
    /// Further facts about the entity; empty if there are none.
    pub attributes: Map<String, Value>,
}

/// A candidate: one entity that the words may mean.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EntityCandidate {
    /// The candidate's ID, in the form of [`Entity::id`].
    pub id: String,
    /// The candidate's name, as people write it.
    pub label: String,
    /// The candidate's kind in a word, as in `function`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where it comes from.
    pub source: EntitySource,
    /// The confidence with which this candidate would be the answer, 0 to 1.
    pub confidence: f64,
    /// The terms of its score, where explanations are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<Map<String, Value>>,
}

/// Why nothing was chosen.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ambiguity {
    /// A sentence for people that says why nothing was chosen.
    pub reason: String,
    /// The property in which the candidates differ: `type`, `container`, `file`, `source`, `name`, `confidence`.
    pub dimension: String,
}

/// One step on the way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntityStep {
    /// `normalise`, `generate`, `score`, `decide`, `select` or `verify`.
    pub phase: String,
    /// The action of the step in a few words.
    pub action: String,
    /// The source or means that the step used.
    pub source: String,
    /// The outcome of the step in a few words.
    pub note: String,
}

/// About the answer itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Meta {
    /// The same for the same question at the same state of the project.
    pub request_id: String,
    /// When it was answered, in UTC, RFC 3339.
    pub timestamp: String,
    /// Time from the question to the answer, in milliseconds.
    pub duration_ms: u64,
}

/// Why it could not be looked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EntityFailure {
    /// A stable word for the failure, for programs.
    pub code: String,
    /// A sentence that says what to do about the failure.
    pub message: String,
}

/// Result of `resolve` for a subject.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EntityResult {
    /// The outcome, which decides which other fields are set.
    pub status: Status,
    /// The entity that the words mean; `None` unless `resolved`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<Entity>,
    /// The answer's confidence, 0 to 1; the best candidate's if `ambiguous`, and 0 if there is none.
    pub confidence: f64,
    /// The candidates that the words may mean, likeliest first.
    pub candidates: Vec<EntityCandidate>,
    /// Why nothing was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ambiguity: Option<Ambiguity>,
    /// The steps by which the resolver found the answer.
    pub resolution_path: Vec<EntityStep>,
    /// Facts about the answer itself: its ID, time and duration.
    pub meta: Meta,
    /// Why it could not be looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<EntityFailure>,
}
