//! Checks the code search of the user's organisation, if the settings name one: whether it answers. The daemon asks it,
//! and only if one runs.
//!
//! The address in the settings may hold a password by mistake, so the doctor never shows it: it shows only the
//! daemon's, which the daemon has checked.

use hob_client::Settings;
use hob_proto::tools::org::OrgResult;
use toml::de::DeTable;

use super::check::{Check, Finding};
use super::surroundings::{Daemon, Surroundings};

pub(super) const CHECKS: &[Check] = &[Check { name: "answer", run: |around| vec![judge_org(around)] }];

/// Returns true if the user's settings name a code search.
pub(super) fn is_named(settings: &Settings) -> bool {
    std::fs::read_to_string(settings.places.settings_file()).is_ok_and(|text| names_org(&text))
}

fn names_org(text: &str) -> bool {
    let Ok(table) = DeTable::parse(text) else { return false };
    let org = table.get_ref().get("org").and_then(|org| org.get_ref().as_table());
    org.is_some_and(|org| org.contains_key("url"))
}

fn judge_org(around: &Surroundings) -> Finding {
    if !around.settings.as_ref().is_ok_and(is_named) {
        return Finding::ok("no code search of an organisation is named; none is needed");
    }
    match (&around.org, &around.daemon) {
        (Some(org), _) => judge_answer(org),
        (None, Daemon::Nobody) => {
            Finding::note("the code search that `[org]` names was not asked: no daemon runs")
                .with_fix("hob doctor --start")
        }
        (None, _) => {
            Finding::note("the daemon did not say whether the code search that `[org]` names answers")
        }
    }
}

fn judge_answer(org: &OrgResult) -> Finding {
    match (&org.url, &org.problem, org.repositories) {
        (_, Some(problem), _) => {
            let text = problem.trim_end_matches('.');
            Finding::problem(text).with_fix(org.fix.clone().unwrap_or_default().trim_end_matches('.'))
        }
        (Some(url), None, Some(repositories)) => {
            let documents = org.documents.unwrap_or_default();
            Finding::ok(format!(
                "the code search at {url} answers: {repositories} repositories, {documents} files"
            ))
        }
        _ => Finding::problem("the daemon does not take the `url` of `[org]`").with_fix("hob config check"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_the_daemon_refused_is_not_shown() {
        let text = "[org]\nurl = \"https://me:pw@zoekt\"\n";
        assert!(names_org(text) && !names_org("[model]\nurl = \"x\"\n") && !names_org("[org"));
        let told = format!("{:?}", judge_answer(&OrgResult::default()));
        assert!(told.contains("does not take the `url`") && !told.contains("pw"), "{told}");
    }
}
