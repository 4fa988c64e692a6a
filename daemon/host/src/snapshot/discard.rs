//! Tells users that a saved index was discarded.

use crate::workspace::Workspace;

/// Adds the notice that all files were read again, and `why`.
pub(super) fn discard_saved(workspace: &Workspace, why: &str) {
    let text = format!(
        "The saved index of `{}` was discarded ({why}); all files were read again.",
        workspace.root()
    );
    workspace.shared.notices.add_once("snapshot", text);
}
