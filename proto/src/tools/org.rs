//! `hob_org`: whether the code search of the user's organisation answers. For `hob doctor`; in no list of tools, because it tells of
//! settings and not of code.

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

/// Result of `hob_org`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct OrgResult {
    /// The address in the settings; nothing if they name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Repositories that it has indexed, if it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repositories: Option<u64>,
    /// Files that it has indexed, if it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<u64>,
    /// The reason why it does not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The change that may help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}
