//! Describes the candidates for a subject, with everything that speaks for and against each.

use hob_proto::tools::entity::EntitySource;
use serde_json::{Map, Value};

use super::fit::Fit;

/// Something that may be meant.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) id: String,
    pub(crate) label: String,
    /// As answers write it.
    pub(crate) kind: String,
    pub(crate) description: String,
    pub(crate) source: EntitySource,
    pub(crate) uri: String,
    pub(crate) attributes: Map<String, Value>,
    /// The file, or the folder, relative to the workspace; empty for what has none.
    pub(crate) path: String,
    /// The outer names that the candidate is in; empty at the top.
    pub(crate) container: String,
    pub(crate) traits: Traits,
    pub(crate) fit: Fit,
    /// Score by parts: what was added for what.
    pub(crate) terms: Vec<(&'static str, f64)>,
}

/// The traits that tell candidates of one name apart, before anybody is asked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Traits {
    /// True if it tests something.
    pub(crate) is_test: bool,
    /// It announces what is defined elsewhere.
    pub(crate) is_declaration: bool,
    /// True if it is prose.
    pub(crate) is_prose: bool,
    /// Others can use it.
    pub(crate) is_exported: bool,
    /// It lies within a function.
    pub(crate) is_local: bool,
    /// Hub score, 0 to 1.
    pub(crate) hub: f64,
}

impl Candidate {
    /// The sum of its parts, 0 to 1, in ten thousandths, so that equals are equal on every machine.
    pub(crate) fn score(&self) -> f64 {
        let sum: f64 = self.terms.iter().map(|(_, value)| value).sum();
        (sum.clamp(0.0, 1.0) * 1e4).round() / 1e4
    }
}
