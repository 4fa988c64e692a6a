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
    /// Of this programming language.
    pub language: Option<String>,
}

/// How an entity is chosen.
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

/// How the resolver behaves.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Strategy {
    /// How the entity is chosen.
    pub mode: Mode,
    /// Whether candidates are also looked for by meaning.
    pub use_embeddings: bool,
    /// From this confidence on the best candidate is the answer, 0 to 1.
    pub auto_accept_threshold: f64,
    /// Whether the user is asked below it.
    pub interactive_below_threshold: bool,
    /// Whether a model may choose where the scores do not.
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
pub enum Source {
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

impl Source {
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
    pub allowed_sources: Option<Vec<Source>>,
    /// Most candidates.
    pub max_candidates: u32,
    /// What is less sure is no answer and no candidate, 0 to 1.
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

/// What the client knows already.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Hints {
    /// What it probably is: `function`, `class`, `file`, `package`, `branch` and so on.
    pub expected_type: Option<String>,
    /// The candidate that is meant: its ID, or any target that means it.
    pub preferred_id: Option<String>,
    /// Other names of it.
    pub aliases: Vec<String>,
}

/// What is shown besides the answer.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Debug {
    /// The terms of every score.
    pub include_explanations: bool,
    /// Candidates also where one was chosen.
    pub include_candidates: bool,
}

/// How it ended.
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

/// What was meant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entity {
    /// A node ID where there is one, else a path, a `pkg:` URL or a full name of a ref.
    pub id: String,
    /// Its name.
    pub label: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// Signature, documentation, version, subject of the commit.
    pub description: String,
    /// Where it comes from.
    pub source: Source,
    /// `file://` with a line, `pkg:`, or `git:` and the object.
    pub uri: String,
    /// What else is known of it.
    pub attributes: Map<String, Value>,
}

/// What may be meant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Candidate {
    /// As in [`Entity`].
    pub id: String,
    /// Its name.
    pub label: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where it comes from.
    pub source: Source,
    /// How sure it would be if it were chosen, 0 to 1.
    pub confidence: f64,
    /// The terms of its score, where explanations are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<Map<String, Value>>,
}

/// Why nothing was chosen.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ambiguity {
    /// For people.
    pub reason: String,
    /// In what the candidates differ: `type`, `container`, `file`, `source`, `name`, `confidence`.
    pub dimension: String,
}

/// One step on the way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// `normalise`, `generate`, `score`, `decide`, `select` or `verify`.
    pub phase: String,
    /// What was done.
    pub action: String,
    /// With what.
    pub source: String,
    /// What came of it.
    pub note: String,
}

/// About the answer itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Meta {
    /// The same for the same question at the same state of the project.
    pub request_id: String,
    /// When it was answered, in UTC, RFC 3339.
    pub timestamp: String,
    /// How long that took.
    pub duration_ms: u64,
}

/// Why it could not be looked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// A stable word.
    pub code: String,
    /// What to do about it.
    pub message: String,
}

/// Result of `resolve` for a subject.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EntityResult {
    /// How it ended.
    pub status: Status,
    /// What was meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<Entity>,
    /// How sure that is; of `ambiguous` the best candidate's; 0 where there is none.
    pub confidence: f64,
    /// What may be meant, likeliest first.
    pub candidates: Vec<Candidate>,
    /// Why nothing was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ambiguity: Option<Ambiguity>,
    /// How it was found.
    pub resolution_path: Vec<Step>,
    /// About the answer.
    pub meta: Meta,
    /// Why it could not be looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
}
