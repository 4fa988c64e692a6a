//! Checks this project: whether it is one, is indexed and trusted, and what it contains.

use hob_proto::trust::Trusted;
use serde_json::Value;

use super::check::{Check, Finding};
use super::surroundings::Surroundings;
use crate::render;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "root", run: root },
    Check { name: "index", run: |around| vec![index(around)] },
    Check { name: "watcher", run: |around| check_watcher(around).into_iter().collect() },
    Check { name: "notes", run: check_notes },
    Check { name: "trust", run: |around| trust(around).into_iter().collect() },
];

fn root(around: &Surroundings) -> Vec<Finding> {
    let root = around.root();
    let shown = root.display();
    let home = std::env::home_dir();
    let fix = "cd into a project, or pass --root PATH";
    vec![match () {
        () if !root.is_dir() => Finding::problem(format!("{shown} is not a folder")).with_fix(fix),
        () if root.parent().is_none() || home.as_deref() == Some(root) => {
            Finding::note(format!("{shown} is no project but everything on this machine or account"))
                .with_fix(fix)
        }
        () if root.join(".git").exists() => Finding::ok(format!("{shown}, a git repository")),
        () => Finding::ok(format!("{shown}, not a git repository")),
    }]
}

fn index(around: &Surroundings) -> Finding {
    let Some(workspace) = around.workspace() else {
        let fix = match around.has_status() {
            true => "any question here opens it: hob map, or hob doctor --start",
            false => "hob doctor --start has a daemon open it",
        };
        return Finding::note(
            "the daemon does not have this project open, so nothing can be said of its index",
        )
        .with_fix(fix);
    };
    let number = |field: &str| workspace[field].as_u64().unwrap_or(0);
    let (files, symbols) =
        (render::count(number("files"), "file"), render::count(number("symbols"), "symbol"));
    match workspace["built"] == true {
        true if number("files") == 0 => {
            Finding::warning("nothing in this project is a language that the map knows").with_fix(
                "hob call map_status tells what was left out; regex_search and text_search work all the same",
            )
        }
        true => Finding::ok(format!("indexed: {files}, {symbols}; {}", languages_text(workspace))),
        false => {
            let state = workspace["state"].as_str().unwrap_or("being indexed");
            Finding::note(format!("the first index is under way: {state}")).with_fix("hob index waits for it")
        }
    }
}

/// Lists the languages with the most files first.
fn languages_text(workspace: &Value) -> String {
    let mut all: Vec<(&str, u64)> = found_languages(workspace).collect();
    all.sort_by_key(|(_, files)| std::cmp::Reverse(*files));
    let all: Vec<String> =
        all.iter().map(|(name, files)| format!("{name} {}", render::grouped_digits(*files))).collect();
    all.join(", ")
}

/// Returns the languages of the project, each with its number of files.
pub(super) fn found_languages(workspace: &Value) -> impl Iterator<Item = (&str, u64)> {
    let all = workspace["languages"].as_object().into_iter().flatten();
    all.map(|(name, files)| (name.as_str(), files.as_u64().unwrap_or(0)))
}

fn check_watcher(around: &Surroundings) -> Option<Finding> {
    let workspace = around.workspace()?;
    let note = workspace["watcherNote"].as_str().unwrap_or("it is not known why");
    Some(match workspace["watcher"].as_str()? {
        "live" => Finding::ok("changes are noticed as they happen"),
        _ => Finding::warning(format!("not every change is noticed as it happens: {note}"))
            .with_fix("see limits; hob stop and the next question begin anew"),
    })
}

/// Turns the scan's notes on skipped files into findings.
fn check_notes(around: &Surroundings) -> Vec<Finding> {
    let notes = around.workspace().and_then(|workspace| workspace["notes"].as_array());
    let notes = notes.into_iter().flatten().filter_map(|note| note.as_str());
    let of_scan =
        notes.filter(|note| !note.contains(".hob.toml") && !super::settings::is_about_settings(around, note));
    of_scan.map(|note| Finding::note(note.trim_end_matches('.'))).collect()
}

/// Reads the list of trusted projects; `None` when the file cannot be used, which [`trust`] reports.
pub(super) fn trusted_projects(around: &Surroundings) -> Option<Trusted> {
    Trusted::read(&around.settings.as_ref().ok()?.places.trust_file()).ok()
}

fn trust(around: &Surroundings) -> Option<Finding> {
    let file = around.settings.as_ref().ok()?.places.trust_file();
    Some(match Trusted::read(&file) {
        Err(error) => Finding::problem(format!("no project is trusted, because {error}"))
            .with_fix(format!("rm {}, then hob trust in each project", super::places::shell_quoted(&file))),
        Ok(trusted) if trusted.covers(around.root()) => Finding::ok("this project is trusted"),
        Ok(_) => Finding::ok("this project is not trusted: no program in it is run (hob trust)"),
    })
}
