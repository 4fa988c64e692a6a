//! Decides which files may be edited.
//!
//! A path that a caller names is resolved and must lie within the workspace. A path that a search or a server found
//! must also be visible to hob: nobody means a copy in a build folder that git ignores without naming it. Git's own
//! folder is never touched, however its name is written.

use hob_base::WsPath;
use hob_proto::{ErrorCode, ToolError};

use super::super::ToolCall;
use hob_host::Workspace;
use hob_results::errors;

/// Refuses if neither the user's settings nor the client's start allow edits.
pub(super) fn allowed(call: &ToolCall<'_>, workspace: &Workspace) -> Result<(), ToolError> {
    if call.request.edits || workspace.settings().edits {
        return Ok(());
    }
    let root = workspace.root();
    Err(ToolError::new(ErrorCode::EditsDisabled, "Edits are off in this workspace.").hint(format!(
        "The user can allow them: start hob-mcp with `--edits`, or put `edits = true` into hob's config.toml, for every \
         project or below `[workspaces.'{root}']`."
    )))
}

/// Resolves a path that the caller names to the real place of the file.
pub(super) fn real_path(workspace: &Workspace, path: &str) -> Result<WsPath, ToolError> {
    let found = hob_workspace::confine(workspace.root(), path)
        .map_err(|error| errors::outside_workspace(&error, workspace.root()))?;
    not_gits(&found)?;
    // A link within the workspace may have led here.
    not_gits_as_written(path)?;
    Ok(found)
}

/// Resolves a path that a search or a server found, and refuses it if hob does not show the file.
pub(super) fn found(workspace: &Workspace, path: &WsPath) -> Result<WsPath, ToolError> {
    let real = real_path(workspace, path.as_str())?;
    if workspace.is_visible(&real) {
        return Ok(real);
    }
    Err(ToolError::new(
        ErrorCode::OutsideWorkspace,
        format!("`{real}` would be changed too, and it is hidden by ignore rules (.gitignore, .hobignore)."),
    )
    .hint("Edit such files by name with edit_text, or take them out of the ignore rules."))
}

fn not_gits(path: &WsPath) -> Result<(), ToolError> {
    not_gits_as_written(path.as_str())
}

fn not_gits_as_written(path: &str) -> Result<(), ToolError> {
    if path.split(['/', '\\']).any(is_gits) {
        let message = format!("`{path}` belongs to git, which hob never edits.");
        return Err(ToolError::new(ErrorCode::OutsideWorkspace, message).hint("Use git for that."));
    }
    Ok(())
}

/// Returns true if a segment of a path may be git's folder: file systems that fold case, drop invisible characters, or
/// have short names know `.git` under many names. The list is git's own.
fn is_gits(part: &str) -> bool {
    let seen: String = part.chars().filter(|c| !is_ignorable(*c)).collect();
    let plain = seen.trim_end_matches([' ', '.']).split(':').next().unwrap_or_default();
    plain.trim_end_matches([' ', '.']).eq_ignore_ascii_case(".git") || plain.eq_ignore_ascii_case("git~1")
}

/// Returns true if HFS+ ignores a character when it compares names.
fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gits_folder_is_known_by_all_its_names() {
        for name in [".git", ".GIT", ".Git ", ".git.", "git~1", ".g\u{200c}it", ".git::$INDEX_ALLOCATION"] {
            assert!(is_gits(name), "{name:?}");
        }
        for name in [".gitignore", "git", ".github", "a.git", ".gitmodules"] {
            assert!(!is_gits(name), "{name}");
        }
    }
}
