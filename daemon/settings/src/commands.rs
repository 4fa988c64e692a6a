//! Tries the programs that settings name for language servers, for `hob config check`: it reports, with the
//! line of the settings, why a server would fail at the first question.
//!
//! A program is asked for its version, under the rules for starting a server: a program that a project brings
//! along runs only if the user trusts the project.

use std::sync::Arc;

use hob_base::AbsPath;
use hob_live::catalogue;
use hob_live::live::{Live, LiveOptions, LiveProject};
use hob_live::preferences::Preferences;
use hob_live::process::scrubbed_environment;
use hob_proto::settings::Problem;

/// Returns the problems of the programs that `preferences` name.
pub(super) fn try_commands(root: &AbsPath, trusted: bool, preferences: &Arc<Preferences>) -> Vec<Problem> {
    let env = scrubbed_environment(std::env::vars_os());
    let live = Live::new(LiveOptions { env, ..LiveOptions::default() });
    let project = LiveProject { root: root.clone(), trusted, preferences: Arc::clone(preferences) };
    let named = preferences.servers.iter().filter_map(|(name, wish)| Some((name, wish.command.as_ref()?)));
    let problem = |(name, command): (&String, &hob_live::preferences::StatedPreference<String>)| {
        let spec = catalogue::by_name(name)?;
        let rejected = live.try_named(spec, &project)?;
        let (file, line) = file_and_line(&command.from);
        let program = rejected.program.display();
        let text = format!("`servers.{name}.command`: `{program}` cannot be used: {}", rejected.why);
        Some(Problem { file, line, column: 1, text })
    };
    named.filter_map(problem).collect()
}

/// Splits a place in settings into its file and its line.
fn file_and_line(from: &str) -> (String, usize) {
    let split = from.rsplit_once(':').and_then(|(file, line)| Some((file.to_owned(), line.parse().ok()?)));
    split.unwrap_or_else(|| (from.to_owned(), 0))
}
