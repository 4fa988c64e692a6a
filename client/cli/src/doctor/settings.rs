//! Checks the settings: reports the errors that the daemon found, or, without a daemon, whether the files can be read
//! at all.

use std::path::{Path, PathBuf};

use super::check::{Check, Finding};
use super::surroundings::Surroundings;

pub(super) const CHECKS: &[Check] =
    &[Check { name: "user", run: check_users_file }, Check { name: "project", run: of_project }];

/// The name of a project's own file.
const IN_PROJECT: &str = ".hob.toml";

fn users_file(around: &Surroundings) -> Option<PathBuf> {
    around.settings.as_ref().ok().map(|settings| settings.places.settings_file())
}

/// Returns true if a notice of the daemon is about the user's settings file.
pub(super) fn is_about_settings(around: &Surroundings, notice: &str) -> bool {
    users_file(around).is_some_and(|file| notice.contains(&*file.to_string_lossy()))
}

fn check_users_file(around: &Surroundings) -> Vec<Finding> {
    let Some(file) = users_file(around) else { return Vec::new() };
    if !file.exists() {
        return vec![Finding::ok(format!(
            "there are no settings ({}); everything is as usual",
            file.display()
        ))];
    }
    let notices =
        around.status["notices"].as_array().into_iter().flatten().filter_map(|notice| notice.as_str());
    let told: Vec<&str> = notices.filter(|notice| is_about_settings(around, notice)).collect();
    judge_settings(&file, &told, around.has_status())
}

fn of_project(around: &Surroundings) -> Vec<Finding> {
    let file = around.root().join(IN_PROJECT);
    if file.symlink_metadata().is_err() {
        return vec![Finding::ok("this project has no settings of its own")];
    }
    let trusted =
        super::project::trusted_projects(around).is_some_and(|trusted| trusted.covers(around.root()));
    if !trusted {
        let text = format!("{} does not count, because this project is not trusted", file.display());
        return vec![
            Finding::note(text).with_fix("hob trust, if you trust everybody who can change this project"),
        ];
    }
    let notes = around.workspace().and_then(|workspace| workspace["notes"].as_array());
    let notes = notes.into_iter().flatten().filter_map(|note| note.as_str());
    let told: Vec<&str> = notes.filter(|note| note.contains(IN_PROJECT)).collect();
    judge_settings(&file, &told, around.workspace().is_some())
}

/// Returns the daemon's findings about the file, if the daemon reported any; else checks that the file is TOML.
fn judge_settings(file: &Path, told: &[&str], asked: bool) -> Vec<Finding> {
    if asked {
        let problem =
            |text: &&str| Finding::problem(text.trim_end_matches('.')).with_fix(change_hint(file, text));
        return match told {
            [] => vec![Finding::ok(format!("{} is understood", file.display()))],
            told => told.iter().map(problem).collect(),
        };
    }
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => {
            let text = format!("{} cannot be read: {error}", file.display());
            return vec![Finding::problem(text).with_fix("make it a text file that you may read")];
        }
    };
    vec![match toml::de::DeTable::parse(&text) {
        Ok(_) => Finding::ok(format!("{} can be read (what it says, a daemon judges)", file.display())),
        Err(error) => {
            let line = error.span().map(|span| 1 + text[..span.start.min(text.len())].matches('\n').count());
            let at = line.map(|line| format!(":{line}")).unwrap_or_default();
            let told = format!("{}{at}: {}", file.display(), error.message());
            Finding::problem(told.clone()).with_fix(change_hint(file, &told))
        }
    }]
}

/// Names the place to change, from a message that begins with file and line.
fn change_hint(file: &Path, told: &str) -> String {
    let shown = file.display().to_string();
    let after =
        told.split_once(&*shown).map_or("", |(_, rest)| rest).trim_start_matches(['`', ':', ',', ' ']);
    let line: String = after.trim_start_matches("line ").chars().take_while(char::is_ascii_digit).collect();
    match line.is_empty() {
        true => format!("change {shown}; docs/settings.md has all that can stand there"),
        false => format!("change line {line} of {shown}; docs/settings.md has all that can stand there"),
    }
}
