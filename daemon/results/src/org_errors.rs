//! Defines the errors of the organisation's code search, and what to do about each.

use hob_org::OrgError;
use hob_org::pattern::Unsayable;
use hob_proto::{ErrorCode, ToolError};

use crate::errors;

/// Returns the error for settings that name no code search.
pub fn no_org() -> ToolError {
    ToolError::bad_args("`in: \"org\"` needs a code search, and the user's settings name none").hint(
        "Without `in` the project is searched. The user can name a Zoekt server in config.toml: [org] url = \"https://...\".",
    )
}

/// Returns the error for a code search of the organisation that gave no answer.
pub fn org_failed(error: &OrgError) -> ToolError {
    let hint = match error {
        OrgError::Stopped(_) => return errors::cancelled(),
        OrgError::NoToken { .. } => {
            "Set the variable where the daemon is started, or correct [org] in config.toml."
        }
        OrgError::Unreachable { .. } => {
            "Without `in` the project is searched. `hob doctor` checks the server."
        }
        OrgError::TooSlow { .. } => "Narrow the question with paths, or raise timeout_ms in [org].",
        OrgError::Refused { .. } => {
            "The token that [org] in config.toml names is missing, wrong or out of date."
        }
        OrgError::NoInterface { .. } => {
            "The server must be zoekt-webserver, started with -rpc, and url in [org] must be what stands before /api/search."
        }
        OrgError::Elsewhere { .. } => {
            "hob follows no redirect: set url in [org] to the final address, or a token if this is a page for signing in."
        }
        OrgError::Failed { .. } => "Ask something simpler, or look at the server's log.",
        OrgError::LongList { .. } => {
            "Ask in the project, without `in`; let url in [org] name a server with fewer repositories."
        }
        OrgError::TooLarge { .. } => "Narrow the question with paths.",
    };
    ToolError::new(ErrorCode::OrgUnavailable, crate::to_sentence(&error.to_string())).hint(hint)
}

/// Returns the error for a pattern that hob cannot send to the organisation's code search.
pub fn not_for_org(pattern: &str, why: Unsayable) -> ToolError {
    let shown: String = pattern.chars().take(100).collect();
    let message = format!("`{shown}` cannot be asked of the code search: {why}");
    let hint = match why {
        Unsayable::EveryLine => "Search for something that a line must have.",
        _ => "Write it otherwise, or leave `in` out to search the project.",
    };
    ToolError::new(ErrorCode::BadPattern, message).hint(hint)
}
