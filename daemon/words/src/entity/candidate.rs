//! Describes the candidates for a subject, with everything that speaks for and against each.

use hob_proto::tools::entity::EntitySource;
use serde_json::{Map, Value};

use super::fit::Fit;

/// Something that may be meant.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Node ID of a definition; a file, folder, package or commit has an ID of its own kind.
    pub id: String,
    /// The name that answers show.
    pub label: String,
    /// As answers write it.
    pub kind: String,
    /// One line that tells the candidate from others of its name.
    pub description: String,
    /// The layer that the candidate comes from.
    pub source: EntitySource,
    /// Address of its place: path and line, or the package.
    pub uri: String,
    /// Further facts for the answer, by name.
    pub attributes: Map<String, Value>,
    /// The file, or the folder, relative to the workspace; empty for what has none.
    pub path: String,
    /// The outer names that the candidate is in; empty at the top.
    pub container: String,
    /// What tells it apart from candidates of the same name.
    pub traits: Traits,
    /// How well its name fits the subject.
    pub fit: Fit,
    /// Score by parts: what was added for what.
    pub terms: Vec<(&'static str, f64)>,
}

/// The traits that tell candidates of one name apart, before anybody is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traits {
    /// True if it tests something.
    pub is_test: bool,
    /// It announces what is defined elsewhere.
    pub is_declaration: bool,
    /// True if it is prose.
    pub is_prose: bool,
    /// Others can use it.
    pub is_exported: bool,
    /// It lies within a function.
    pub is_local: bool,
    /// Hub score, 0 to 1.
    pub hub: f64,
}

impl Candidate {
    /// The sum of its parts, 0 to 1, in ten thousandths, so that equals are equal on every machine.
    pub fn score(&self) -> f64 {
        let sum: f64 = self.terms.iter().map(|(_, value)| value).sum();
        (sum.clamp(0.0, 1.0) * 1e4).round() / 1e4
    }
}
