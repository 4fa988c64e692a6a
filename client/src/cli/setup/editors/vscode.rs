//! VS Code: it has no client for any server, so an extension is the client.

use super::languages::Language;
use super::plan::{Place, Plan, Step};
use super::surroundings::{Surroundings, list};

pub(super) fn plan(at: &Surroundings, languages: &[Language]) -> Plan {
    let settings = match cfg!(target_os = "macos") {
        true => at.home("Library/Application Support/Code/User/settings.json"),
        false => at.config("Code/User/settings.json"),
    };
    let ids = list(languages.iter().flat_map(|language| language.vscode).copied(), ", ");
    let text = format!(
        "\"glspc.server.command\": {},\n\"glspc.server.languageId\": [{ids}],\n",
        at.quoted_command()
    );
    Plan {
        steps: vec![Step {
            about: "With the extension \"Generic LSP Client (v2)\" (zsol.vscode-glspc)",
            place: Place::Into(settings),
            text,
        }],
        notes: vec![
            "VS Code cannot use a language server without an extension, and hob has none of its own: this one is somebody else's",
            "extensions that bring a server for the same language along answer beside hob: disable them",
        ],
    }
}
