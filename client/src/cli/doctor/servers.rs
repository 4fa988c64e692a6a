//! Language servers, for the languages that this project has: which would be used, and how those are got that are missing.
//!
//! The daemon says what it finds; it runs programs for their version and starts no server for this.

use hob_proto::tools::servers::{Candidate, Family};
use serde_json::Value;

use super::check::{Check, Finding};
use super::project;
use super::surroundings::Surroundings;

pub(super) const CHECKS: &[Check] =
    &[Check { name: "languages", run: languages }, Check { name: "running", run: running }];

/// The map's languages by other names in the language server protocol.
const RENAMED: &[(&str, &str)] =
    &[("tsx", "typescriptreact"), ("bash", "shellscript"), ("c#", "csharp"), ("c++", "cpp")];

fn languages(around: &Surroundings) -> Vec<Finding> {
    let (Some(workspace), Some(servers)) = (around.workspace(), &around.servers) else { return Vec::new() };
    let known: Vec<String> = project::found(workspace).map(|(name, _)| protocol_name(name)).collect();
    let of_project = |family: &&Family| family.languages.iter().any(|language| known.contains(language));
    servers.families.iter().filter(of_project).flat_map(|family| of_family(family, &known)).collect()
}

fn protocol_name(language: &str) -> String {
    let language = language.to_lowercase();
    RENAMED.iter().find(|(ours, _)| *ours == language).map_or(language, |(_, theirs)| (*theirs).to_owned())
}

fn of_family(family: &Family, known: &[String]) -> Vec<Finding> {
    let here: Vec<&str> =
        family.languages.iter().filter(|one| known.contains(one)).map(String::as_str).collect();
    let names = here.join(", ");
    let mut findings = Vec::new();
    let used = family.candidates.iter().find(|candidate| candidate.state == "used");
    match (used, family.candidates.first()) {
        (Some(used), _) => findings.push(Finding::ok(format!("{names}: {}", found(used)))),
        (None, _) if family.candidates.iter().all(|candidate| candidate.state == "off") => {
            findings.push(Finding::ok(format!("{names}: your settings switch its servers off")));
        }
        (None, Some(first)) => findings.push(missing(&names, family, first)),
        (None, None) => {}
    }
    // With a server that is used, what could not be is told only if the user asked for it by name.
    let wanted = |candidate: &&Candidate| used.is_none() || !candidate.settings.is_empty();
    for candidate in family.candidates.iter().filter(wanted) {
        findings.extend(candidate.rejected.iter().map(|why| rejected(candidate, why)));
    }
    findings
}

fn found(candidate: &Candidate) -> String {
    let version = candidate.version.as_deref().map(|version| format!(" ({version})")).unwrap_or_default();
    format!("{} {}{version}", candidate.name, candidate.program.as_deref().unwrap_or_default())
}

fn missing(names: &str, family: &Family, first: &Candidate) -> Finding {
    let text = format!(
        "{names}: no language server is installed, so nav_* tools answer from the map alone or not at all"
    );
    if family.candidates.iter().any(|candidate| candidate.needs_trust) {
        let text = format!(
            "{names}: a language server is there and is not run, because this project is not trusted"
        );
        return Finding::note(text).fix("hob trust, if you trust everybody who can change this project");
    }
    Finding::warning(text).fix(how_to_get(family, first))
}

/// The first server is the best; one that hob itself can get is the least trouble.
fn how_to_get(family: &Family, first: &Candidate) -> String {
    match family.candidates.iter().find(|candidate| candidate.installable) {
        Some(installable) => format!("hob servers install {}, or: {}", installable.name, first.install),
        None => first.install.clone(),
    }
}

fn rejected(candidate: &Candidate, why: &str) -> Finding {
    match candidate.needs_trust {
        true => Finding::note(format!("{}: {why}", candidate.name)),
        false => Finding::warning(format!("{}: {why}", candidate.name)).fix(format!(
            "hob servers why {} tells more; install it again: {}",
            candidate.name, candidate.install
        )),
    }
}

/// Those that the daemon runs, or tried to.
fn running(around: &Surroundings) -> Vec<Finding> {
    let root = around.open.as_deref().and_then(|root| root.to_str());
    let all = around.status["servers"].as_array().into_iter().flatten();
    let here = all.filter(|server| server["root"].as_str() == root && root.is_some());
    here.filter_map(state).collect()
}

fn state(server: &Value) -> Option<Finding> {
    let name = server["name"].as_str()?;
    let state = server["state"].as_str()?;
    let last = server["stderrTail"].as_array().and_then(|lines| lines.last()).and_then(Value::as_str);
    let last = last.map(|line| format!("; its last words: {line}")).unwrap_or_default();
    match state {
        "failed" => {
            Some(Finding::problem(format!("{name} failed too often and is not started any more{last}")).fix(
                format!("hob servers why {name}; once it works: hob stop, the next question begins anew"),
            ))
        }
        "crashed" => Some(
            Finding::warning(format!("{name} crashed, and is started again when it is needed{last}"))
                .fix(format!("hob servers why {name}; hob logs")),
        ),
        _ => Some(Finding::ok(format!("{name} is {state}"))),
    }
}
