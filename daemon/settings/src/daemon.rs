//! Reads `[daemon]`: the daemon's own settings, from four levels: built in, the user's file, the environment,
//! the command line.
//!
//! The daemon reads them only when it starts. A mistake invalidates one key, whose value then comes from the
//! level below.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Duration;

use hob_live::preferences::StatedPreference;
use serde_json::Value;

use super::keys::{self, KeyDef, Memory};
use super::memory::MemoryBudget;
use super::parse::{SettingsReader, TomlEntry, toml_to_json};

/// The settings that a file makes for the daemon, by the key's name.
pub(super) type Section = BTreeMap<&'static str, StatedPreference<Value>>;

/// The function that looks up an environment variable.
pub type Environment<'e> = &'e dyn Fn(&str) -> Option<OsString>;

/// The effective value of a key, and the place where it was set.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// The key that the value is of.
    pub(super) key: &'static KeyDef,
    /// The effective value.
    pub(super) value: Value,
    /// A file and a line, or a variable; `None` for a built-in value.
    pub(super) from: Option<String>,
}

/// The settings of the daemon, each chosen from its four levels.
#[derive(Clone, Debug, PartialEq)]
pub struct DaemonSettings {
    /// Time without a client after which the daemon ends; `None` for never.
    pub idle: Option<Duration>,
    /// Time after which the daemon stops a language server that nobody uses.
    pub server_idle: Duration,
    /// The memory limit of projects and servers together.
    pub memory: MemoryBudget,
    /// True if the daemon copies texts into the cache folder.
    pub text_cache: bool,
    /// Threads that index; 0 for as many as there are processors.
    pub index_threads: usize,
    /// True if the counts of calls outlive the daemon.
    pub metrics: bool,
    /// The filter of the log, such as `info`.
    pub log: String,
}

/// A time that never passes in practice; deadlines are computed from it, so it must not overflow them.
const NEVER: Duration = Duration::from_secs(10 * 366 * 24 * 60 * 60);

impl SettingsReader<'_> {
    /// Reads the valid keys of the section.
    pub(super) fn read_daemon_section(&mut self, section: TomlEntry<'_, '_>) -> Section {
        let mut said = Section::new();
        let Some(table) = self.read_table(section) else { return said };
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            let Some(def) = keys::of_section("daemon").find(|def| def.name == name) else {
                self.report_unknown(key, "daemon", &keys::key_names("daemon"));
                continue;
            };
            let wanted = toml_to_json(value.get_ref()).unwrap_or_default();
            match def.takes.check_value(&wanted) {
                Ok(()) => drop(said.insert(def.name, self.with_place(value, wanted))),
                // A value out of its range is reported with the range; a value of another kind, with the
                // kind.
                Err(why) if is_kin(&wanted, def) => {
                    let got = toml_of(&wanted);
                    self.add_problem(value.span().start, format!("`{name}` {why}, and is {got}"));
                }
                Err(_) => self.report_wrong_type(TomlEntry { key, value }, &def.takes.in_words()),
            }
        }
        said
    }
}

/// Returns true if a value is of the kind that a key takes.
fn is_kin(value: &Value, key: &KeyDef) -> bool {
    key.default_value()
        .is_some_and(|default| std::mem::discriminant(&default) == std::mem::discriminant(value))
}

/// Chooses the value of every key, and returns the problems of the environment as well.
pub(super) fn choose_values(file: &Section, environment: Environment<'_>) -> (Vec<Choice>, Vec<String>) {
    let mut problems = Vec::new();
    let chosen = keys::of_section("daemon").map(|key| {
        let variable = key.variable.and_then(|variable| Some((variable.name, environment(variable.name)?)));
        // An empty variable counts as unset.
        if let Some((name, said)) = variable.filter(|(_, said)| !said.is_empty()) {
            match key.of_environment(&said) {
                Ok(value) => return Choice { key, value, from: Some(format!("the variable {name}")) },
                Err(why) => {
                    problems.push(format!("the variable {name} {why}, and is `{}`", said.to_string_lossy()));
                }
            }
        }
        match file.get(key.name) {
            Some(said) => Choice { key, value: said.value.clone(), from: Some(said.from.clone()) },
            None => Choice { key, value: key.default_value().unwrap_or_default(), from: None },
        }
    });
    (chosen.collect(), problems)
}

impl DaemonSettings {
    /// Creates the settings from the chosen values.
    pub(super) fn from_choices(chosen: &[Choice]) -> Self {
        let value = |name: &str| {
            let choice = chosen.iter().find(|choice| choice.key.name == name);
            choice.map(|choice| choice.value.clone()).unwrap_or_default()
        };
        let minutes = |name: &str| {
            let minutes = value(name).as_f64().filter(|minutes| *minutes > 0.0)?;
            Duration::try_from_secs_f64(minutes * 60.0).ok()
        };
        let truth = |name: &str| value(name).as_bool().unwrap_or(true);
        Self {
            idle: minutes("idle_minutes"),
            server_idle: minutes("server_idle_minutes").unwrap_or(NEVER),
            memory: budget(value("memory").as_str().and_then(keys::parse_memory)),
            text_cache: truth("text_cache"),
            index_threads: value("index_threads").as_u64().and_then(|n| n.try_into().ok()).unwrap_or(0),
            metrics: truth("metrics"),
            log: value("log").as_str().unwrap_or("info").to_owned(),
        }
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "more than nothing and less than a petabyte"
)]
fn budget(memory: Option<Memory>) -> MemoryBudget {
    match memory {
        Some(Memory::Share(percent)) => MemoryBudget::of_share(percent),
        Some(Memory::Bytes(bytes)) => MemoryBudget { bytes: bytes as u64, ..MemoryBudget::default() },
        None => MemoryBudget::default(),
    }
}

/// Writes a value as TOML.
pub(super) fn toml_of(value: &Value) -> String {
    match value {
        Value::Array(all) => format!("[{}]", all.iter().map(toml_of).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let entry = |(name, value): (&String, &Value)| format!("{} = {}", key_of(name), toml_of(value));
            format!("{{ {} }}", fields.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        // Texts, numbers and truth values are written alike in JSON and TOML.
        plain => plain.to_string(),
    }
}

/// Writes a key as TOML.
pub(super) fn key_of(name: &str) -> String {
    let is_bare =
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if is_bare { name.to_owned() } else { toml_of(&name.into()) }
}

#[cfg(test)]
mod tests {
    use super::super::parse::{SettingsSource, parse};
    use super::*;

    fn settings_chosen(text: &str, environment: &[(&str, &str)]) -> (DaemonSettings, Vec<String>) {
        let parsed = parse(text, &SettingsSource { name: "f", home: None, is_users: true });
        let look = |name: &str| environment.iter().find(|(set, _)| *set == name).map(|(_, said)| said.into());
        let (chosen, problems) = choose_values(&parsed.daemon, &look);
        let told = parsed.problems.iter().map(ToString::to_string).chain(problems).collect();
        (DaemonSettings::from_choices(&chosen), told)
    }

    #[test]
    fn the_environment_goes_before_the_file_and_the_file_before_what_is_built_in() {
        let (built_in, told) = settings_chosen("", &[]);
        assert_eq!((built_in.idle, told), (Some(Duration::from_secs(1_800)), vec![]));
        assert_eq!(
            (built_in.server_idle, built_in.memory),
            (Duration::from_secs(900), MemoryBudget::default())
        );
        let text = "[daemon]\nidle_minutes = 0\nserver_idle_minutes = 0.5\nmemory = '1 GiB'\ntext_cache = false\nlog = 'debug'\n\
                    index_threads = 2\nmetrics = false\n";
        let (said, told) = settings_chosen(text, &[]);
        assert_eq!(told, Vec::<String>::new());
        assert_eq!(
            (said.idle, said.server_idle, said.memory.bytes),
            (None, Duration::from_secs(30), 1 << 30)
        );
        assert_eq!(
            (said.text_cache, said.index_threads, said.metrics, said.log.as_str()),
            (false, 2, false, "debug")
        );
        let environment =
            [("HOB_IDLE_MINUTES", "1"), ("HOB_MEMORY", "much"), ("HOB_LOG", ""), ("HOB_NO_METRICS", "0")];
        let (said, told) = settings_chosen(text, &environment);
        assert_eq!(said.idle, Some(Duration::from_secs(60)));
        assert_eq!((said.memory.bytes, said.log.as_str(), said.metrics), (1 << 30, "debug", true));
        assert!(told.len() == 1 && told[0].contains("HOB_MEMORY must be a share"), "{told:?}");
    }

    #[test]
    fn a_mistake_is_told_and_the_default_counts() {
        for (line, part) in [
            ("idle_minutes = -1", "f:2: `idle_minutes` must be a number between 0 and 525600, and is -1"),
            (
                "idle_minutes = '1'",
                "f:2: `idle_minutes` must be a number between 0 and 525600, and not a text",
            ),
            ("memory = '101%'", "f:2: `memory` must be a share"),
            ("idle_minute = 1", "f:2: `idle_minute` is unknown in `daemon`; did you mean `idle_minutes`?"),
            ("log = ''", "f:2: `log` must be a level"),
            ("index_threads = 99999", "between 0 and 1024, and is 99999"),
        ] {
            let (said, told) = settings_chosen(&format!("[daemon]\n{line}\n"), &[]);
            assert!(told.len() == 1 && told[0].contains(part), "{line}: {told:?}");
            assert_eq!(said, settings_chosen("", &[]).0, "{line}");
        }
    }
}
