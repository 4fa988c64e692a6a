//! Names the kinds of parts that `hob setup` can add to an agent beside the entry.

use serde::{Deserialize, Serialize};

/// A kind of part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PartKind {
    /// A block in the instructions that the agent reads at the start.
    Instructions,
    /// The agent's own permission for the tools that only read.
    Permissions,
    /// A skill that the agent reads when a task fits.
    Skill,
    /// A sub-agent that has hob's tools.
    Subagent,
    /// A hook that adds context to the agent's own searches.
    Hook,
}

impl PartKind {
    /// Every kind, in the order in which hob offers them.
    pub(crate) const ALL: [Self; 5] =
        [Self::Instructions, Self::Permissions, Self::Skill, Self::Subagent, Self::Hook];

    /// Returns the word of the kind, which is also its option.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Permissions => "permissions",
            Self::Skill => "skill",
            Self::Subagent => "subagent",
            Self::Hook => "hook",
        }
    }

    /// Returns a sentence on the use of the part, for the user's decision.
    pub(crate) fn purpose(self) -> &'static str {
        match self {
            Self::Instructions => "tells the agent when to ask hob, in under 120 tokens",
            Self::Permissions => "lets the agent call the tools that only read without asking you each time",
            Self::Skill => "tells the agent more, when a question is about how code hangs together",
            Self::Subagent => "is a sub-agent that answers such questions with hob's tools",
            Self::Hook => {
                "adds what hob knows to the agent's own greps, at most 60 tokens and never an error"
            }
        }
    }
}
