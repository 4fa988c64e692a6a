//! The code search of the user's organisation, if the settings name one: does it answer. The daemon asks it, and only if one runs.

use hob_client::Settings;
use toml::de::DeTable;

use super::check::{Check, Finding};
use super::surroundings::{Daemon, Surroundings};

pub(super) const CHECKS: &[Check] = &[Check { name: "answer", run: |around| vec![judge_org(around)] }];

/// Returns the address of the code search that the user's settings name.
pub(super) fn named_url(settings: &Settings) -> Option<String> {
    let text = std::fs::read_to_string(settings.places.settings_file()).ok()?;
    let table = DeTable::parse(&text).ok()?;
    let org = table.get_ref().get("org")?.get_ref().as_table()?;
    Some(org.get("url")?.get_ref().as_str()?.to_owned())
}

fn judge_org(around: &Surroundings) -> Finding {
    let Some(url) = around.settings.as_ref().ok().and_then(named_url) else {
        return Finding::ok("no code search of an organisation is named; none is needed");
    };
    let Some(org) = &around.org else {
        return match around.daemon {
            Daemon::Nobody => {
                Finding::note(format!("the code search at {url} was not asked: no daemon runs"))
                    .with_fix("hob doctor --start")
            }
            _ => Finding::note(format!("the daemon did not say whether the code search at {url} answers")),
        };
    };
    match (&org.problem, org.repositories) {
        (Some(problem), _) => {
            let text = problem.trim_end_matches('.');
            Finding::problem(text).with_fix(org.fix.clone().unwrap_or_default().trim_end_matches('.'))
        }
        (None, Some(repositories)) => {
            let documents = org.documents.unwrap_or_default();
            Finding::ok(format!(
                "the code search at {url} answers: {repositories} repositories, {documents} files"
            ))
        }
        (None, None) => Finding::problem(format!("the daemon does not take the code search at {url}"))
            .with_fix("hob config check"),
    }
}
