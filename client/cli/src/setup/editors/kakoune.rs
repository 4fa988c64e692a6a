//! Configures Kakoune: `kakoune-lsp`, whose servers are options of a buffer since version 17.

use super::languages::Language;
use super::plan::{EditorSetupPlan, EditorSetupStep, mark_line};
use super::surroundings::Surroundings;

pub(super) fn plan(at: &Surroundings, languages: &[Language]) -> EditorSetupPlan {
    let mark = mark_line("kakoune");
    let types: Vec<&str> = languages.iter().flat_map(|language| language.kakoune).copied().collect();
    let types = types.join("|");
    let (command, options) = (at.quoted_command(), at.quoted_options());
    let options = options.map(|options| format!("\n        args = {options}")).unwrap_or_default();
    let text = format!(
        "# {mark}
remove-hooks global lsp-filetype-.*
hook -group lsp-filetype-hob global BufSetOption filetype=(?:{types}) %{{
    set-option buffer lsp_servers %{{
        [hob-lsp]
        command = {command}{options}
        root_globs = [\".git\", \".hg\", \".jj\"]
    }}
}}
"
    );
    let load = "eval %sh{kak-lsp}\nsource \"%val{config}/hob-lsp.kak\"\nlsp-enable\n";
    EditorSetupPlan {
        steps: vec![
            EditorSetupStep::file("The server", at.config_path("kak/hob-lsp.kak"), text),
            EditorSetupStep::into("To use it", at.config_path("kak/kakrc"), load),
        ],
        notes: vec![
            "this is for kakoune-lsp 17 and later; `kak-lsp --kakoune -s $kak_session` is how 17 is loaded",
            "the first line of the file takes the servers of other file types away: name them again, or take it out",
        ],
    }
}
