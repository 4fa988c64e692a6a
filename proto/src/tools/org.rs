//! Defines `hob_org`, which checks whether the code search of the user's organisation answers. For `hob
//! doctor`; in no list of tools, because it is about settings and not about code.

use serde::{Deserialize, Serialize};

use super::{ToolDef, ToolSet};

/// Asks the code search for its list of repositories.
pub static ORG: ToolDef = ToolDef {
    name: "hob_org",
    title: "The organisation's code search",
    description: "The code search that the settings name, and whether it answers.",
    args: &[],
    output: "{url?: str, repositories?: int, documents?: int, problem?: str, fix?: str}",
    set: ToolSet::Hidden,
    ..ToolDef::READ
};

/// The data of a `hob_org` answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct OrgResult {
    /// The address in the settings; `None` if they name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Number of repositories that the server has indexed, if it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repositories: Option<u64>,
    /// Number of files that the server has indexed, if it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<u64>,
    /// The reason why it does not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// A change that may help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}
