//! Cuts an answer to its token budget: `used <= requested` whatever the data.
//!
//! Works on the serialised form, because a client pays for that, and knows no tool: each tool's definition names the
//! lists that may be cut, and the hint for the caller. The order is fixed (see `fit`); the answer always names its
//! omissions.

mod cuts;
mod estimate;
mod fit;
mod note;
mod paging;
mod sent;
mod shrink;
mod text;

use hob_proto::ToolError;
use hob_proto::envelope::chars_of_tokens;
use hob_proto::tools::{DEFAULT_BUDGET, ListCut, MAX_BUDGET, MIN_BUDGET, ToolDef, clamp_budget};
use serde_json::Value;

pub use estimate::chars_of;
pub use fit::{Fitted, fit};
pub use note::OmittedItems;
pub use paging::Paging;
pub use sent::SentBodies;
pub use text::{AnswerPage, AnswerReader, fit_as_text};

/// An answer before it is cut.
#[derive(Clone, Debug)]
pub struct AnswerDraft {
    /// The tool's result, or its error.
    pub outcome: Result<Value, ToolError>,
    /// Context that is not a failure.
    pub warnings: Vec<String>,
    /// The items that the handler left out because of a limit of the question.
    pub omitted: Vec<OmittedItems>,
    /// The generation to show, if any.
    pub generation: Option<u64>,
    /// The most tokens that the answer may cost.
    pub limit: Limit,
    /// Lists that may be cut, most expendable first.
    pub cuts: &'static [ListCut],
}

/// A token budget within the tool's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Number of tokens that the caller allows.
    pub requested: u32,
    /// The most tokens that this tool allows.
    pub max: u32,
}

impl Limit {
    /// The budget for answers to calls whose tool or arguments could not be read.
    pub const USUAL: Self = Self { requested: DEFAULT_BUDGET, max: MAX_BUDGET };

    /// Clamps the caller's budget into the limits of `tool`, with a warning if that changes it.
    #[must_use]
    pub fn new(tool: &ToolDef, asked: Option<i64>) -> (Self, Option<String>) {
        let max = tool.max_budget;
        let Some(asked) = asked else { return (Self { requested: tool.default_budget, max }, None) };
        let requested = clamp_budget(asked, max);
        let warning = (i64::from(requested) != asked).then(|| {
            format!("tokenBudget was {asked}; the range is {MIN_BUDGET} to {max}, so {requested} was used.")
        });
        (Self { requested, max }, warning)
    }

    /// Returns the most characters that the answer may have.
    #[must_use]
    pub fn max_chars(self) -> usize {
        chars_of_tokens(self.requested)
    }
}

#[cfg(test)]
mod tests;
