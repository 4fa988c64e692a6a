//! Says what a question about meaning is answered with: the nearest definitions, and which of all had vectors.

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
    /// No model was added: there are none.
    NoModel,
    /// The model cannot be used, for this reason.
    Broken(String),
    /// They are being made, or brought up to date.
    Building {
        /// Vectors that there are.
        done: u64,
        /// Symbols and sections in all.
        total: u64,
    },
    /// There are too many symbols: those that others can use and that are used most have one.
    Partial {
        /// Vectors that there are.
        kept: u64,
        /// Symbols and sections in all.
        total: u64,
    },
    /// Every symbol and section has one.
    Whole,
}

impl VectorState {
    /// Returns the warning for an answer that was to use vectors; `None` if all were there.
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
