//! Provides a user with agents, and runs `hob setup` for them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Map, Value};

/// A home folder with a project in it and a `hob-mcp` on the `PATH`.
pub(crate) struct AgentHome(tempfile::TempDir);

impl AgentHome {
    pub(crate) fn new() -> Self {
        Self::with_programs(&["hob-mcp"])
    }

    /// Creates a home whose `PATH` has these programs.
    pub(crate) fn with_programs(programs: &[&str]) -> Self {
        let home = Self(tempfile::tempdir().expect("a folder"));
        for folder in ["home/project/.git", "bin"] {
            fs::create_dir_all(home.0.path().join(folder)).expect("created");
        }
        for program in programs {
            fs::write(home.0.path().join("bin").join(program), "").expect("written");
        }
        home
    }

    pub(crate) fn home_path(&self, rest: &str) -> PathBuf {
        self.0.path().join("home").join(rest)
    }

    pub(crate) fn project(&self, rest: &str) -> PathBuf {
        self.home_path("project").join(rest)
    }

    pub(crate) fn receipts_folder(&self) -> PathBuf {
        self.0.path().join("hob/state/setup")
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hob"));
        command.arg("setup").args(args).env_clear().env("HOME", self.home_path(""));
        command.env("HOB_DIR", self.0.path().join("hob")).env("PATH", self.0.path().join("bin"));
        command.current_dir(self.project(""));
        command
    }

    pub(crate) fn setup(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("hob runs")
    }

    /// Runs a command that succeeds, and returns its output.
    #[track_caller]
    pub(crate) fn setup_ok(&self, args: &[&str]) -> String {
        let output = self.setup(args);
        let all = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{args:?}: {all}");
        all
    }

    /// Runs a command that is refused with this exit code, and returns its message.
    #[track_caller]
    pub(crate) fn setup_refused(&self, code: i32, args: &[&str]) -> String {
        let output = self.setup(args);
        let all = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{args:?}: {all}");
        all
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("created");
    fs::write(path, bytes).expect("written");
}

#[track_caller]
pub(crate) fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns every file below a folder, with its bytes.
pub(crate) fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => all.extend(files(&path)),
            path => all.push((path.clone(), fs::read(&path).unwrap_or_default())),
        }
    }
    all.sort();
    all
}

/// Reads a file as its agent does: if possible, not with the tested code.
pub(crate) fn as_the_agent_reads(path: &Path, bytes: &[u8]) -> Value {
    let all = String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let plain = all.trim_start_matches('\u{feff}');
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("toml") => toml_data(toml::de::DeTable::parse(plain).expect("TOML").get_ref()),
        Some("yaml") => yaml_data(plain),
        _ if plain.trim().is_empty() => Value::Object(Map::new()),
        _ => {
            let stripped = without_comments(plain);
            match stripped.trim() {
                "" => Value::Object(Map::new()),
                json => serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {all}")),
            }
        }
    }
}

/// Returns JSON without comments and trailing commas.
fn without_comments(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(c) = rest.chars().next() {
        if c == '"' {
            let mut end = 1;
            while !rest[end..].starts_with('"') {
                end += if rest[end..].starts_with('\\') { 1 } else { 0 };
                end += rest[end..].chars().next().map_or(1, char::len_utf8);
            }
            out.push_str(&rest[..=end]);
            rest = &rest[end + 1..];
        } else if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
        } else {
            if matches!(c, '}' | ']') && out.trim_end().ends_with(',') {
                out.truncate(out.trim_end().len() - 1);
            }
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

fn toml_data(table: &toml::de::DeTable<'_>) -> Value {
    fn toml_value(value: &toml::de::DeValue<'_>) -> Value {
        match value {
            toml::de::DeValue::Table(table) => toml_data(table),
            toml::de::DeValue::Array(items) => items.iter().map(|item| toml_value(item.get_ref())).collect(),
            toml::de::DeValue::String(text) => Value::from(text.to_string()),
            other => Value::from(format!("{other:?}")),
        }
    }
    table
        .iter()
        .map(|(name, value)| (name.get_ref().to_string(), toml_value(value.get_ref())))
        .collect::<Map<_, _>>()
        .into()
}

fn yaml_data(text: &str) -> Value {
    use saphyr::{LoadableYamlNode as _, Scalar, Yaml};
    fn yaml_value(node: &Yaml<'_>) -> Value {
        match node {
            Yaml::Value(Scalar::Null) => Value::Null,
            Yaml::Value(Scalar::String(text)) => Value::from(text.as_ref()),
            Yaml::Sequence(items) => items.iter().map(yaml_value).collect(),
            Yaml::Mapping(pairs) => {
                let name = |key: &Yaml<'_>| {
                    yaml_value(key).as_str().map_or_else(|| format!("{key:?}"), str::to_owned)
                };
                pairs.iter().map(|(key, value)| (name(key), yaml_value(value))).collect::<Map<_, _>>().into()
            }
            other => Value::from(format!("{other:?}")),
        }
    }
    let all = Yaml::load_from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    all.first().map(yaml_value).filter(|data| !data.is_null()).unwrap_or_else(|| Value::Object(Map::new()))
}
