//! Programs that know the truth independently of hob: ripgrep for lines, Python's own parser for definitions and calls.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{outside, repository, run};

/// A matching line: file, line, text.
pub type Line = (String, u64, String);

/// Every line that ripgrep finds below `root`, sorted by path and line.
///
/// # Panics
/// When ripgrep cannot be run or refuses the pattern.
#[track_caller]
#[must_use]
pub fn ripgrep(root: &Path, pattern: &str, options: &[&str]) -> Vec<Line> {
    let mut command = Command::new(outside::ripgrep());
    command
        .current_dir(root)
        .env_remove("RIPGREP_CONFIG_PATH")
        .env("HOME", "/nonexistent")
        .env_remove("XDG_CONFIG_HOME");
    command.args([
        "--no-config",
        "--line-number",
        "--no-heading",
        "--with-filename",
        "--null",
        "--color=never",
    ]);
    // The user's own settings of git are none of the daemon's under test.
    command.args(["--no-ignore-global", "--sort=path"]).args(options);
    let output = run(command.args(["-e", pattern, "./"]), b"");
    assert!(matches!(output.code, Some(0 | 1)), "{output}");
    let mut lines: Vec<Line> = output.stdout.lines().filter_map(line_of).collect();
    lines.sort();
    lines
}

/// `./path\0line:text`; what ripgrep says about binary files has another form.
fn line_of(line: &str) -> Option<Line> {
    let (path, rest) = line.split_once('\0')?;
    let (number, text) = rest.split_once(':')?;
    Some((path.trim_start_matches("./").to_owned(), number.parse().ok()?, text.to_owned()))
}

/// A definition as Python's parser sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Line of `def` or `class`.
    pub line: u64,
    /// Last line.
    pub end: u64,
}

/// What Python's parser says about a tree.
#[derive(Clone, Debug, Default)]
pub struct PythonTruth {
    /// First definition of each `path#Qualified.name`.
    pub definitions: BTreeMap<String, Definition>,
    /// `path#Qualified.name` of functions (`path` alone for a module's own level) that call the name asked for, imported as
    /// `from django.urls import ...`.
    pub callers: Vec<String>,
    /// The same, imported from anywhere.
    pub callers_any_import: Vec<String>,
}

/// Parses every Python file below `root`; `called` is the name whose callers are wanted.
///
/// # Panics
/// When Python cannot be run.
#[track_caller]
#[must_use]
pub fn python(root: &Path, called: &str) -> PythonTruth {
    let script = repository().join("tests/clients/ast_truth.py");
    let said = run(Command::new(outside::python()).arg(script).arg(root).arg(called), b"").success();
    let said: Value = serde_json::from_str(&said).expect("the script writes JSON");
    let names = |field: &str| {
        let list = said[field].as_array().into_iter().flatten();
        list.filter_map(|name| name.as_str().map(str::to_owned)).collect()
    };
    let definitions = said["definitions"].as_object().into_iter().flatten().map(|(name, at)| {
        (name.clone(), Definition { line: at[0].as_u64().unwrap_or(0), end: at[1].as_u64().unwrap_or(0) })
    });
    PythonTruth {
        definitions: definitions.collect(),
        callers: names("callers"),
        callers_any_import: names("callers_any_import"),
    }
}
