//! Configures Zed: it starts only servers that it or an extension knows, so it starts hob in place of one of them.

use super::languages::Language;
use super::plan::{EditorSetupPlan, EditorSetupStep};
use super::surroundings::{Surroundings, quote_json};

pub(super) fn plan(at: &Surroundings, languages: &[Language]) -> EditorSetupPlan {
    let settings = if cfg!(windows) {
        at.config_path("Zed/settings.json")
    } else {
        at.home_path(".config/zed/settings.json")
    };
    let known: Vec<_> = languages.iter().flat_map(|language| language.zed).collect();
    let mut servers: Vec<&str> = known.iter().map(|(_, server)| *server).collect();
    servers.sort_unstable();
    servers.dedup();
    let program = at.quoted_program();
    let options =
        at.quoted_options().map(|list| format!(", {}", &list[1..list.len() - 1])).unwrap_or_default();
    let uses = known.iter().map(|(name, server)| {
        format!("  {}: {{ \"language_servers\": [{}] }}", quote_json(name), quote_json(server))
    });
    let starts = servers.iter().map(|server| {
        format!(
            "  {}: {{ \"binary\": {{ \"path\": {program}, \"arguments\": [\"--stdio\"{options}] }} }}",
            quote_json(server)
        )
    });
    let (uses, starts): (Vec<_>, Vec<_>) = (uses.collect(), starts.collect());
    let text =
        format!("\"languages\": {{\n{}\n}},\n\"lsp\": {{\n{}\n}},\n", uses.join(",\n"), starts.join(",\n"));
    let mut notes = vec![
        "Zed starts no server that neither it nor an extension knows, so hob is started under the names of others; what Zed shows as rust-analyzer, say, is hob then",
        "other languages go the same way, once their extension is there: the server's name is in the extension's description, and the extension has to heed `binary`",
    ];
    if known.is_empty() {
        notes.push("of the languages that were named, Zed has none without an extension");
    }
    EditorSetupPlan {
        steps: vec![EditorSetupStep::into("hob in place of Zed's servers", settings, text)],
        notes,
    }
}
