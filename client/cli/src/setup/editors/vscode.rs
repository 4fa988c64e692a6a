//! Configures VS Code: it has no client for arbitrary servers, so an extension is the client.

use super::languages::Language;
use super::plan::{EditorSetupPlan, EditorSetupStep};
use super::surroundings::{Surroundings, list};

pub(super) fn plan(at: &Surroundings, languages: &[Language]) -> EditorSetupPlan {
    let settings = match cfg!(target_os = "macos") {
        true => at.home_path("Library/Application Support/Code/User/settings.json"),
        false => at.config_path("Code/User/settings.json"),
    };
    let ids = list(languages.iter().flat_map(|language| language.vscode).copied(), ", ");
    let options = at.quoted_options();
    let options = options.map(|options| format!("\"glspc.server.commandArguments\": {options},\n"));
    let text = format!(
        "\"glspc.server.command\": {},\n{}\"glspc.server.languageId\": [{ids}],\n",
        at.quoted_command(),
        options.unwrap_or_default()
    );
    EditorSetupPlan {
        steps: vec![EditorSetupStep::into(
            "With the extension \"Generic LSP Client (v2)\" (zsol.vscode-glspc)",
            settings,
            text,
        )],
        notes: vec![
            "VS Code cannot use a language server without an extension, and hob has none of its own: this one is somebody else's",
            "extensions that bring a server for the same language along answer beside hob: disable them",
        ],
    }
}
