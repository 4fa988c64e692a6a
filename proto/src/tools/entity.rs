//! Defines the third shape of `resolve`: a name in words to an entity. Arguments and result, as in the
//! document that the tool comes from.
//!
//! Field names are those of that document. An unknown field is refused by its name, because a misspelt
//! constraint that is silently ignored would make a wrong answer look right.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The context of the words.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Context {
    /// A workspace, a folder or a cluster: entities outside of it are no answer.
    pub realm: Option<String>,
    /// The file or node that mentions the subject: nearer candidates rank higher.
    pub provenance: Option<String>,
    /// A git revision: resolve as of that revision.
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
    /// As `ranked`, but a model chooses if that is ambiguous.
    #[default]
    Hybrid,
}

impl Mode {
    /// Returns the word for the mode.
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
    /// The confidence from which the best candidate is the answer, 0 to 1.
    pub auto_accept_threshold: f64,
    /// True if the user is asked when the confidence is below the threshold.
    pub interactive_below_threshold: bool,
    /// True if a model may choose when the scores do not decide.
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

/// The source of candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntitySource {
    /// Symbols, sections and files of the map.
    Map,
    /// Symbols that language servers know.
    Live,
    /// Files and folders, and the places where the words occur.
    Text,
    /// Packages of manifests and lock files.
    Manifest,
    /// Branches, tags and commits.
    Git,
}

impl EntitySource {
    /// All sources, in the order in which equal candidates are shown.
    pub const ALL: [Self; 5] = [Self::Map, Self::Live, Self::Text, Self::Manifest, Self::Git];

    /// Returns the word for the source.
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

/// The rules that an answer keeps.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Constraints {
    /// True to use no model and no embeddings.
    pub deterministic: bool,
    /// True to return only entities that a language server confirmed.
    pub require_authority: bool,
    /// The only sources of candidates; `None` for all.
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
    /// The intended candidate: its ID, or any target that denotes it.
    pub preferred_id: Option<String>,
    /// Other names of the entity.
    pub aliases: Vec<String>,
}

/// The extras that the resolver shows besides the answer.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Debug {
    /// True to include the terms of every score.
    pub include_explanations: bool,
    /// True to include candidates even if one was chosen.
    pub include_candidates: bool,
}

/// The outcome of resolving a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// There is one answer.
    Resolved,
    /// Several entities may be meant, or one, but not for certain.
    Ambiguous,
    /// No entity matches.
    NotFound,
    /// The search failed.
    Error,
}

/// The entity that the words mean.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entity {
    /// A node ID if there is one, else a path, a `pkg:` URL or a full name of a ref.
    pub id: String,
    /// The entity's name, as people write it.
    pub label: String,
    /// The entity's kind in a word, as in `function`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The signature, documentation, version, or subject of the commit.
    pub description: String,
    /// The source of the entity.
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
    /// The source of the candidate.
    pub source: EntitySource,
    /// The confidence with which this candidate would be the answer, 0 to 1.
    pub confidence: f64,
    /// The terms of its score, if the call asks for explanations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<Map<String, Value>>,
}

/// The reason why nothing was chosen.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ambiguity {
    /// A sentence for people that says why nothing was chosen.
    pub reason: String,
    /// The property in which the candidates differ: `type`, `container`, `file`, `source`, `name`, `confidence`.
    pub dimension: String,
}

/// One step of the resolver.
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

/// Facts about the answer itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Meta {
    /// The ID of the question: equal for the same question at the same state of the project.
    pub request_id: String,
    /// The time of the answer, in UTC, RFC 3339.
    pub timestamp: String,
    /// Time from the question to the answer, in milliseconds.
    pub duration_ms: u64,
}

/// The reason why the search failed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EntityFailure {
    /// A stable word for the failure, for programs.
    pub code: String,
    /// A sentence that says what to do about the failure.
    pub message: String,
}

/// The data of `resolve` for a subject.
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
    /// The reason why nothing was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ambiguity: Option<Ambiguity>,
    /// The steps by which the resolver found the answer.
    pub resolution_path: Vec<EntityStep>,
    /// Facts about the answer itself: its ID, time and duration.
    pub meta: Meta,
    /// The reason why the search failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<EntityFailure>,
}
