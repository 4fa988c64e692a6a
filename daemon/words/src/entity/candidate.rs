//! Defines the candidates for a subject, with the evidence for and against each.

use hob_proto::tools::entity::EntitySource;
use serde_json::{Map, Value};

use super::fit::Fit;

/// A candidate for the meaning of a subject.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Node ID of a definition; a file, folder, package or commit has an ID of its own kind.
    pub id: String,
    /// The name that answers show.
    pub label: String,
    /// The kind, as answers write it.
    pub kind: String,
    /// One line that tells the candidate from others of its name.
    pub description: String,
    /// The layer that the candidate comes from.
    pub source: EntitySource,
    /// Address of its place: path and line, or the package.
    pub uri: String,
    /// Further facts for the answer, by name.
    pub attributes: Map<String, Value>,
    /// The path of the file or the folder, relative to the workspace; empty for a candidate without one.
    pub path: String,
    /// The names of its containers; empty at the top level.
    pub container: String,
    /// The traits that separate it from candidates of the same name.
    pub traits: Traits,
    /// The match of its name with the subject.
    pub fit: Fit,
    /// The parts of its score: reason and amount.
    pub terms: Vec<(&'static str, f64)>,
}

/// The traits that separate candidates of one name, before anybody is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traits {
    /// True if it tests something.
    pub is_test: bool,
    /// True if it only declares a definition elsewhere.
    pub is_declaration: bool,
    /// True if it is prose.
    pub is_prose: bool,
    /// True if other files can use it.
    pub is_exported: bool,
    /// True if it lies within a function.
    pub is_local: bool,
    /// Hub score, 0 to 1.
    pub hub: f64,
}

impl Candidate {
    /// Returns the sum of its terms, 0 to 1, in ten thousandths, so that equal scores are equal on every
    /// machine.
    pub fn score(&self) -> f64 {
        let sum: f64 = self.terms.iter().map(|(_, value)| value).sum();
        (sum.clamp(0.0, 1.0) * 1e4).round() / 1e4
    }
}
