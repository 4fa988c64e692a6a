//! Makes the reports of `hob config`: the files that exist, their problems, the values that count and where they were
//! set.
//!
//! `hob` asks `hobd` in a process of its own (`hobd report-settings QUESTION`, one line of JSON each way), so
//! that no daemon need run and none is started. The parser stays in the daemon's program: only the daemon
//! knows which servers and languages exist, and `hob` links none of its crates. The report therefore checks
//! exactly what the daemon would read.
//!
//! A report reveals nothing that may be a secret: of variables for servers it says only that they are set,
//! and the same of options with a telling name.

use std::path::Path;

use hob_base::AbsPath;
use hob_live::preferences::{Leaves, Preferences, StatedPreference};
use hob_proto::places::Places;
use hob_proto::settings::{EffectiveSetting, File, Problem, Report, SettingsRequest};
use hob_proto::trust::Trusted;
use hob_workspace::{BroadFolders, find_root};
use serde_json::{Value, json};

use super::daemon::{Environment, choose_values, key_of, toml_of};
use super::parse::{self, Parsed, SettingsSource};
use super::{EffectiveSettings, IN_PROJECT, Settings, commands, parse_read, read, schema};

/// The first argument of a `hobd` that only answers such a question.
pub const WORD: &str = "report-settings";

/// Answers a question about settings with one line of JSON.
///
/// # Errors
/// An explanation in words, when the question cannot be read.
pub fn answer_question(
    question: &str,
    places: &Places,
    environment: Environment<'_>,
) -> Result<String, String> {
    let question: SettingsRequest = serde_json::from_str(question).map_err(|error| error.to_string())?;
    let home = std::env::home_dir();
    let asked = ReportContext { places, home: home.as_deref(), environment };
    let report = match &question.file {
        Some(file) => asked.about_file(Path::new(file)),
        None => asked.about_project(question.root.as_deref().map(Path::new), question.tries),
    };
    let report = Report {
        schema: question.schema.then(|| schema::settings_schema(question.of_project)),
        page: question.page.then(schema::page),
        ..report
    };
    serde_json::to_string(&report).map_err(|error| error.to_string())
}

struct ReportContext<'a> {
    places: &'a Places,
    home: Option<&'a Path>,
    environment: Environment<'a>,
}

impl ReportContext<'_> {
    /// Reports on one file, whose owner follows from its name.
    fn about_file(&self, path: &Path) -> Report {
        let is_users = path.file_name().is_none_or(|name| name != IN_PROJECT);
        let (mut file, problems, _) = self.read(path, is_users);
        if !file.exists && file.why.is_none() {
            file.why = Some("there is no such file".to_owned());
        }
        let mut report = Report { problems, ..Report::default() };
        if !file.exists {
            let text = format!("`{}`: {}", path.display(), file.why.clone().unwrap_or_default());
            report.problems = vec![Problem { file: file.path.clone(), line: 0, column: 0, text }];
        }
        if !is_users && let Some(root) = path.parent() {
            report.notes.extend(self.unheard_note(root, &mut file));
        }
        report.files.push(file);
        report
    }

    /// Reports everything that counts in a project, or outside of any.
    fn about_project(&self, start: Option<&Path>, tries: bool) -> Report {
        let mut report = Report::default();
        let (mut file, problems, own) = self.read(&self.places.settings_file(), true);
        file.counts = file.exists;
        report.files.push(file);
        report.problems.extend(problems);
        let root = start.and_then(|start| self.project(start));
        if let Some(root) = &root {
            let path = root.as_path().join(IN_PROJECT);
            let (mut file, problems, _) = self.read(&path, false);
            file.counts = file.exists;
            report.problems.extend(problems);
            if file.exists {
                report.notes.extend(self.unheard_note(root.as_path(), &mut file));
            }
            report.files.push(file);
        }
        let (chosen, problems) = choose_values(&own.daemon, self.environment);
        let of_environment = |text| Problem { file: String::new(), line: 0, column: 0, text };
        report.problems.extend(problems.into_iter().map(of_environment));
        for choice in chosen {
            report.counted.push(counted_value(choice.key.path(), &choice.value, choice.from));
        }
        self.in_force(root.as_ref(), tries, &mut report);
        report
    }

    /// Reads a file as the daemon would.
    fn read(&self, path: &Path, is_users: bool) -> (File, Vec<Problem>, Parsed) {
        let name = path.display().to_string();
        let text = read(path, is_users);
        let file = File {
            path: name.clone(),
            is_users,
            exists: path.symlink_metadata().is_ok(),
            counts: false,
            why: text.as_ref().err().cloned(),
        };
        let parsed =
            parse_read(text, &SettingsSource { name: &name, home: self.home.filter(|_| is_users), is_users });
        let problem = |problem: &parse::Problem| Problem {
            file: name.clone(),
            line: problem.line,
            column: problem.column,
            text: problem.text.clone(),
        };
        (file, parsed.problems.iter().map(problem).collect(), parsed)
    }

    fn project(&self, start: &Path) -> Option<AbsPath> {
        let home = self.home.and_then(|home| AbsPath::new(home).ok());
        let settings = Settings::in_file(self.places.settings_file(), self.home.map(Path::to_path_buf));
        let broad = BroadFolders::new(home.as_ref()).with_allowed(&settings.allowed_roots());
        Some(find_root(&AbsPath::new(start).ok()?, &broad).ok()?.path)
    }

    fn is_trusted(&self, root: &Path) -> bool {
        let trusted = Trusted::read(&self.places.trust_file()).unwrap_or_default();
        root.canonicalize().is_ok_and(|real| trusted.covers(&real))
    }

    /// Returns the note on a project's file that does not count; `None` if the project is trusted.
    fn unheard_note(&self, root: &Path, file: &mut File) -> Option<String> {
        if self.is_trusted(root) {
            return None;
        }
        file.counts = false;
        file.why = Some("the project is not trusted".to_owned());
        let (path, root) = (&file.path, root.display());
        Some(format!(
            "`{path}` does not count: the project is not trusted, so nothing in it is used (`hob trust {root}`)"
        ))
    }

    /// Adds the settings that count besides the daemon's own; with `tries`, the programs that they name are tried.
    fn in_force(&self, root: Option<&AbsPath>, tries: bool, report: &mut Report) {
        let settings = Settings::in_file(self.places.settings_file(), self.home.map(Path::to_path_buf));
        let nowhere = AbsPath::new(self.places.config.join("no project")).ok();
        let Some(root) = root.or(nowhere.as_ref()) else { return };
        let in_force: EffectiveSettings =
            (*settings.in_force_for(root, self.is_trusted(root.as_path()))).clone();
        let edits = Some(in_force.edits_from.clone()).filter(|from| !from.is_empty());
        report.counted.push(counted_value("edits".to_owned(), &in_force.edits.into(), edits));
        let allowed = settings.wanted_roots();
        let from = allowed.as_ref().map(|said| said.from.clone());
        let folders = allowed.map(|said| said.value).unwrap_or_default();
        report.counted.push(counted_value("allow_roots".to_owned(), &json!(folders), from));
        for (name, said) in &in_force.model_said {
            report.counted.push(counted_value(format!("model.{name}"), &said.value, Some(said.from.clone())));
        }
        for (name, said) in &in_force.org_said {
            report.counted.push(counted_value(format!("org.{name}"), &said.value, Some(said.from.clone())));
        }
        of_preferences(&in_force.preferences, report);
        if tries {
            let trusted = self.is_trusted(root.as_path());
            report.problems.extend(commands::try_commands(root, trusted, &in_force.preferences));
        }
    }
}

fn counted_value(key: String, value: &Value, from: Option<String>) -> EffectiveSetting {
    EffectiveSetting { key, value: toml_of(value), from }
}

fn of_preferences(wishes: &Preferences, report: &mut Report) {
    let mut take = |key: String, value: &Value, from: &str| {
        report.counted.push(counted_value(key, value, Some(from.to_owned())));
    };
    for (name, wish) in &wishes.languages {
        let key = |part: &str| format!("languages.{}.{part}", key_of(name));
        report_truth(wish.enabled.as_ref(), key("enabled"), &mut take);
        report_texts(wish.servers.as_ref(), key("servers"), &mut take);
    }
    for (name, wish) in &wishes.servers {
        let key = |part: &str| format!("servers.{}.{part}", key_of(name));
        report_truth(wish.enabled.as_ref(), key("enabled"), &mut take);
        if let Some(said) = &wish.command {
            take(key("command"), &said.value.as_str().into(), &said.from);
        }
        report_texts(wish.args.as_ref(), key("args"), &mut take);
        for (variable, said) in &wish.env {
            take(format!("{}.{}", key("env"), key_of(variable)), &SET.into(), &said.from);
        }
        report_leaves(&wish.options, &key("initialization_options"), &mut take);
        report_leaves(&wish.settings, &key("settings"), &mut take);
    }
}

/// The text that replaces a value that may be a secret.
const SET: &str = "(set)";

fn report_truth(
    said: Option<&StatedPreference<bool>>,
    key: String,
    take: &mut dyn FnMut(String, &Value, &str),
) {
    if let Some(said) = said {
        take(key, &said.value.into(), &said.from);
    }
}

fn report_texts(
    said: Option<&StatedPreference<Vec<String>>>,
    key: String,
    take: &mut dyn FnMut(String, &Value, &str),
) {
    if let Some(said) = said {
        take(key, &json!(said.value), &said.from);
    }
}

fn report_leaves(leaves: &Leaves, key: &str, take: &mut dyn FnMut(String, &Value, &str)) {
    for (path, said) in leaves {
        let parts: Vec<String> = path.iter().map(|part| key_of(part)).collect();
        let shown =
            if path.iter().any(|part| is_secret(part)) { SET.into() } else { without_secrets(&said.value) };
        take(format!("{key}.{}", parts.join(".")), &shown, &said.from);
    }
}

/// Replaces the secrets in a value; lists may hold tables, whose names are checked too.
fn without_secrets(value: &Value) -> Value {
    match value {
        Value::Array(all) => all.iter().map(without_secrets).collect(),
        Value::Object(fields) => {
            let shown = |(name, value): (&String, &Value)| {
                (name.clone(), if is_secret(name) { SET.into() } else { without_secrets(value) })
            };
            Value::Object(fields.iter().map(shown).collect())
        }
        plain => plain.clone(),
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    ["key", "token", "secret", "password", "licence", "license", "credential"]
        .iter()
        .any(|word| name.contains(word))
}
