//! Configures Helix (since 23.10): a server, and languages that use it in place of their own.

use std::fmt::Write as _;

use super::languages::Language;
use super::plan::{EditorSetupPlan, EditorSetupStep, mark_line};
use super::surroundings::Surroundings;

pub(super) fn plan(at: &Surroundings, languages: &[Language]) -> EditorSetupPlan {
    let mark = mark_line("helix");
    let mut text = format!("# {mark}\n[language-server.hob]\ncommand = {}\n", at.quoted_command());
    if let Some(options) = at.quoted_options() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "args = {options}");
    }
    for name in languages.iter().flat_map(|language| language.helix) {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n[[language]]\nname = \"{name}\"\nlanguage-servers = [\"hob\"]\n");
    }
    EditorSetupPlan {
        steps: vec![EditorSetupStep::file(
            "The server, and who uses it",
            at.config_path("helix/languages.toml"),
            text,
        )],
        notes: vec![
            "a language that has a [[language]] section already gets the line `language-servers` there, not a second section",
            "`hx --health rust` shows which server a language has",
        ],
    }
}
