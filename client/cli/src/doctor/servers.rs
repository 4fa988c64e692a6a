//! Checks the language servers for the languages of this project: which ones would be used, and how to get missing
//! ones.
//!
//! The daemon looks for them; it runs programs for their version and starts no server for this.

use hob_proto::tools::servers::{Family, ListedServer};
use serde_json::Value;

use super::check::{Check, Finding};
use super::project;
use super::surroundings::Surroundings;

pub(super) const CHECKS: &[Check] =
    &[Check { name: "languages", run: check_languages }, Check { name: "running", run: check_running }];

/// The map's languages that have other names in the language server protocol.
const RENAMED: &[(&str, &str)] =
    &[("tsx", "typescriptreact"), ("bash", "shellscript"), ("c#", "csharp"), ("c++", "cpp")];

/// Share of the files, in per cent, below which languages are reported together: fixtures, a script or two.
const FEW: u64 = 2;

fn check_languages(around: &Surroundings) -> Vec<Finding> {
    let (Some(workspace), Some(servers)) = (around.workspace(), &around.servers) else { return Vec::new() };
    let counts: Vec<(String, u64)> =
        project::found_languages(workspace).map(|(name, files)| (protocol_name(name), files)).collect();
    language_findings(&servers.families, &counts)
}

fn language_findings(families: &[Family], counts: &[(String, u64)]) -> Vec<Finding> {
    let known: Vec<String> = counts.iter().map(|(language, _)| language.clone()).collect();
    let all: u64 = counts.iter().map(|(_, files)| files).sum();
    let of_project = families.iter().filter(|family| family.languages.iter().any(|one| known.contains(one)));
    let counts_in = |family: &Family| -> u64 {
        counts
            .iter()
            .filter(|(language, _)| family.languages.contains(language))
            .map(|(_, files)| files)
            .sum()
    };
    // A language with settings of the user is reported whatever its share.
    let is_named = |family: &Family| {
        !family.settings.is_empty()
            || family.candidates.iter().any(|candidate| !candidate.settings.is_empty())
    };
    let (few, many): (Vec<&Family>, Vec<&Family>) =
        of_project.partition(|family| counts_in(family) * 100 < all * FEW && !is_named(family));
    let of_many = many.into_iter().flat_map(|family| of_family(family, &known));
    of_many.chain(of_few(&few, &known)).collect()
}

/// Makes one line for all languages with few files.
fn of_few(families: &[&Family], known: &[String]) -> Option<Finding> {
    let is_served = |family: &Family| {
        family.candidates.iter().any(|candidate| matches!(candidate.state.as_str(), "used" | "off"))
    };
    let names = |served: bool| {
        let of_these = families.iter().filter(|family| is_served(family) == served);
        let names = of_these.flat_map(|family| languages_here(family, known));
        names.collect::<Vec<_>>().join(", ")
    };
    let (served, unserved) = (names(true), names(false));
    let about = format!("in under {FEW} % of the files each");
    match (served.is_empty(), unserved.is_empty()) {
        (true, true) => None,
        (false, true) => Some(Finding::ok(format!("{served}: {about}, and served"))),
        (_, false) => {
            let rest = if served.is_empty() { String::new() } else { format!("; {served}: served") };
            let text = format!("{unserved}: {about}, and without a language server{rest}");
            Some(Finding::note(text).with_fix("hob servers list shows how to get one, if that matters"))
        }
    }
}

/// Returns the languages of a family that the project has.
fn languages_here<'f>(family: &'f Family, known: &[String]) -> Vec<&'f str> {
    family.languages.iter().filter(|one| known.contains(one)).map(String::as_str).collect()
}

fn protocol_name(language: &str) -> String {
    let language = language.to_lowercase();
    RENAMED.iter().find(|(ours, _)| *ours == language).map_or(language, |(_, theirs)| (*theirs).to_owned())
}

fn of_family(family: &Family, known: &[String]) -> Vec<Finding> {
    let names = languages_here(family, known).join(", ");
    let mut findings = Vec::new();
    let used = family.candidates.iter().find(|candidate| candidate.state == "used");
    match (used, family.candidates.first()) {
        (Some(used), _) => findings.push(Finding::ok(format!("{names}: {}", found_server_text(used)))),
        (None, _) if family.candidates.iter().all(|candidate| candidate.state == "off") => {
            findings.push(Finding::ok(format!("{names}: your settings switch its servers off")));
        }
        (None, Some(first)) => findings.push(missing_server_finding(&names, family, first)),
        (None, None) => {}
    }
    // Where a server is used, rejected ones are reported only if the user named them.
    let wanted = |candidate: &&ListedServer| used.is_none() || !candidate.settings.is_empty();
    for candidate in family.candidates.iter().filter(wanted) {
        findings.extend(candidate.rejected.iter().map(|why| rejected_finding(candidate, why)));
    }
    findings
}

fn found_server_text(candidate: &ListedServer) -> String {
    let version = candidate.version.as_deref().map(|version| format!(" ({version})")).unwrap_or_default();
    format!("{} {}{version}", candidate.name, candidate.program.as_deref().unwrap_or_default())
}

fn missing_server_finding(names: &str, family: &Family, first: &ListedServer) -> Finding {
    let text = format!(
        "{names}: no language server is installed, so nav_* tools answer from the map alone or not at all"
    );
    if family.candidates.iter().any(|candidate| candidate.needs_trust) {
        let text = format!(
            "{names}: a language server is there and is not run, because this project is not trusted"
        );
        return Finding::note(text).with_fix("hob trust, if you trust everybody who can change this project");
    }
    Finding::warning(text).with_fix(how_to_get(family, first))
}

/// Describes how to get a server: the first is the best, and one that hob itself can install is the easiest.
fn how_to_get(family: &Family, first: &ListedServer) -> String {
    match family.candidates.iter().find(|candidate| candidate.installable) {
        Some(installable) => format!("hob servers install {}, or: {}", installable.name, first.install),
        None => first.install.clone(),
    }
}

fn rejected_finding(candidate: &ListedServer, why: &str) -> Finding {
    match candidate.needs_trust {
        true => Finding::note(format!("{}: {why}", candidate.name)),
        false => Finding::warning(format!("{}: {why}", candidate.name)).with_fix(format!(
            "hob servers why {} tells more; install it again: {}",
            candidate.name, candidate.install
        )),
    }
}

/// Checks the servers that the daemon runs, or tried to.
fn check_running(around: &Surroundings) -> Vec<Finding> {
    let root = around.open.as_deref().and_then(|root| root.to_str());
    let all = around.status["servers"].as_array().into_iter().flatten();
    let here = all.filter(|server| server["root"].as_str() == root && root.is_some());
    here.filter_map(server_finding).collect()
}

fn server_finding(server: &Value) -> Option<Finding> {
    let name = server["name"].as_str()?;
    let state = server["state"].as_str()?;
    let last = server["stderrTail"].as_array().and_then(|lines| lines.last()).and_then(Value::as_str);
    let last = last.map(|line| format!("; its last words: {line}")).unwrap_or_default();
    match state {
        "failed" => Some(
            Finding::problem(format!("{name} failed too often and is not started any more{last}")).with_fix(
                format!("hob servers why {name}; once it works: hob stop, the next question begins anew"),
            ),
        ),
        "crashed" => Some(
            Finding::warning(format!("{name} crashed, and is started again when it is needed{last}"))
                .with_fix(format!("hob servers why {name}; hob logs")),
        ),
        _ => Some(Finding::ok(format!("{name} is {state}"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn family(language: &str, state: &str, setting: Option<&str>) -> Family {
        let settings: Vec<_> =
            setting.map(|key| json!({"key": key, "value": "x", "from": "f:1"})).into_iter().collect();
        let candidate = json!({"name": format!("{language}-server"), "state": state, "rejected": [], "needs_trust": false,
            "installable": false, "install": "apt install it", "settings": settings});
        let family = json!({"languages": [language], "files": 0, "candidates": [candidate]});
        serde_json::from_value(family).expect("a family")
    }

    #[test]
    fn languages_of_few_files_share_a_line() {
        let counts = [("python", 970), ("go", 20), ("lua", 4), ("php", 3), ("ruby", 3)];
        let counts = counts.map(|(name, files)| (name.to_owned(), files));
        let families = [
            family("python", "used", None),
            family("go", "missing", None),
            family("lua", "missing", None),
            family("php", "used", None),
            family("ruby", "missing", None),
            family("zig", "missing", None),
        ];
        let findings = language_findings(&families, &counts);
        let texts: Vec<&str> = findings.iter().map(|finding| finding.text.as_str()).collect();
        assert_eq!(findings.len(), 3, "{texts:?}");
        assert!(
            texts[0].starts_with("python: python-server") && texts[1].starts_with("go: no language server"),
            "{texts:?}"
        );
        assert_eq!(
            texts[2],
            "lua, ruby: in under 2 % of the files each, and without a language server; php: served"
        );
        let named = [family("python", "used", None), family("lua", "missing", Some("servers.lua"))];
        assert_eq!(language_findings(&named, &counts).len(), 2, "what the user named is told by itself");
    }
}
