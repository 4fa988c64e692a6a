//! Defines the answer to a question about meaning: the nearest definitions, and the share of all that had vectors.

use hob_base::FileId;
use hob_map::facts::Def;
use hob_proto::node_id::NodeId;

/// The test for the definitions that a question is about.
pub type Admits<'a> = &'a (dyn Fn(FileId, &Def) -> bool + Sync);

/// The definitions nearest to a text, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// Symbols, notes and sections with their cosines, best first; equals in the order of their IDs.
    pub hits: Vec<(NodeId, f32)>,
    /// The state of the vectors in which these were found.
    pub state: VectorState,
}

/// The share of a workspace that has vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VectorState {
    /// There are no vectors, because no model was added.
    NoModel,
    /// The model cannot be used, for this reason.
    Broken(String),
    /// The vectors are being made, or brought up to date.
    Building {
        /// Number of vectors so far.
        done: u64,
        /// Number of all symbols and sections.
        total: u64,
    },
    /// There are too many symbols: only those have a vector that others can use and that are used most.
    Partial {
        /// The number of vectors that were made.
        kept: u64,
        /// Number of all symbols and sections.
        total: u64,
    },
    /// Every symbol and section has one.
    Whole,
}

impl VectorState {
    /// Returns the warning for an answer that was to use vectors; `None` if none was missing.
    #[must_use]
    pub fn vectors_warning(&self) -> Option<String> {
        match self {
            Self::NoModel => Some(
                "No embedding model is installed: the answer is by words alone (`hob model add DIR`).".into(),
            ),
            Self::Broken(why) => Some(format!("The answer is by words alone: {why}.")),
            Self::Building { done, total } => Some(format!(
                "Vectors are still being made ({done} of {total}): what has none was found by words alone."
            )),
            Self::Partial { kept, total } => Some(format!(
                "Only {kept} of {total} symbols have vectors, those that are exported or used most: the others were found by words alone."
            )),
            Self::Whole => None,
        }
    }
}
