//! Programs that know the right answers independently of hob: ripgrep for lines, and Python's own parser for
//! definitions and calls.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{outside, repository, run};

/// A matching line: its file, its number and its text.
pub type Line = (String, u64, String);

/// The matching lines of each file, as ripgrep prints them: `number:text`, each with a line feed.
pub type ByFile = BTreeMap<String, String>;

/// Returns every line that ripgrep finds below `root`, sorted by path and line.
///
/// # Panics
///
/// Panics if ripgrep cannot be run or refuses the pattern.
#[track_caller]
#[must_use]
pub fn ripgrep(root: &Path, pattern: &str, options: &[&str]) -> Vec<Line> {
    let found = Ripgrep { root, options, place: "" }.lines(pattern);
    found.unwrap_or_else(|told| panic!("ripgrep refuses `{pattern}`: {told}"))
}

/// Runs ripgrep in a tree. Its answers are sorted by path and line. If it refuses a pattern, the error is its message.
#[derive(Clone, Copy, Debug)]
pub struct Ripgrep<'a> {
    /// The folder in which ripgrep runs.
    pub root: &'a Path,
    /// The options in addition to those that make it independent of the user.
    pub options: &'a [&'a str],
    /// A folder below `root`, or an empty text for all of it.
    pub place: &'a str,
}

impl Ripgrep<'_> {
    /// Returns every matching line.
    ///
    /// # Errors
    ///
    /// Returns ripgrep's message about the pattern.
    #[track_caller]
    pub fn lines(&self, pattern: &str) -> Result<Vec<Line>, String> {
        Ok(records(&self.run(pattern, &["--line-number", "--no-heading"])?).collect())
    }

    /// Returns every matching line in a form for very many of them.
    ///
    /// # Errors
    ///
    /// As for [`Ripgrep::lines`].
    #[track_caller]
    pub fn by_file(&self, pattern: &str) -> Result<ByFile, String> {
        let said = self.run(pattern, &["--line-number", "--no-heading"])?;
        let mut files = ByFile::new();
        let (mut last, mut lines) = ("", String::new());
        for (path, line, _) in std::iter::successors(next_record(&said), |(_, _, rest)| next_record(rest)) {
            if path != last && !lines.is_empty() {
                files.insert(last.to_owned(), std::mem::take(&mut lines));
            }
            last = path;
            lines.push_str(line);
            lines.push('\n');
        }
        if !lines.is_empty() {
            files.insert(last.to_owned(), lines);
        }
        Ok(files)
    }

    /// Returns every matching line in the form of [`Ripgrep::by_file`], and `around` lines on each side of them.
    ///
    /// # Errors
    ///
    /// As for [`Ripgrep::lines`].
    #[track_caller]
    pub fn lines_around(&self, pattern: &str, around: u32) -> Result<(ByFile, Vec<Line>), String> {
        let around = format!("-C{around}");
        let options = ["--line-number", "--no-heading", "--no-context-separator", &around];
        let said = self.run(pattern, &options)?;
        let mut matching = ByFile::new();
        for (path, line, _) in std::iter::successors(next_record(&said), |(_, _, rest)| next_record(rest)) {
            if line.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(':') {
                matching.entry(path.to_owned()).or_default().extend([line, "\n"]);
            }
        }
        Ok((matching, records(&said).collect()))
    }

    /// Returns the number of matches in each file that has any.
    ///
    /// # Errors
    ///
    /// As for [`Ripgrep::lines`].
    #[track_caller]
    pub fn count_matches(&self, pattern: &str) -> Result<Vec<(String, u64)>, String> {
        let said = self.run(pattern, &["--count-matches"])?;
        let records = std::iter::successors(next_record(&said), |(_, _, rest)| next_record(rest));
        Ok(records.map(|(path, count, _)| (path.to_owned(), count.parse().unwrap_or(0))).collect())
    }

    /// Returns the files with matches.
    ///
    /// # Errors
    ///
    /// As for [`Ripgrep::lines`].
    #[track_caller]
    pub fn files(&self, pattern: &str) -> Result<Vec<String>, String> {
        let said = self.run(pattern, &["-l"])?;
        let paths = said.split('\0').filter(|path| !path.is_empty());
        Ok(paths.map(|path| path.trim_start_matches("./").to_owned()).collect())
    }

    #[track_caller]
    fn run(&self, pattern: &str, options: &[&str]) -> Result<String, String> {
        let mut command = Command::new(outside::ripgrep());
        command.current_dir(self.root).env_remove("RIPGREP_CONFIG_PATH").env("HOME", "/nonexistent");
        command.env_remove("XDG_CONFIG_HOME");
        // The daemon under test does not use the user's own git settings.
        command.args(["--no-config", "--with-filename", "--null", "--color=never", "--no-ignore-global"]);
        command.args(["--sort=path"]).args(self.options).args(options);
        let output = run(command.args(["-e", pattern, &format!("./{}", self.place)]), b"");
        match output.code {
            Some(0 | 1) => Ok(output.stdout),
            Some(2) if output.stdout.is_empty() => Err(output.stderr),
            _ => panic!("{output}"),
        }
    }
}

/// Parses `./path\0number:text`, or `number-text` for lines around a match. A path may contain newlines, and a text may
/// end with `\r`.
fn records(said: &str) -> impl Iterator<Item = Line> + use<> {
    let mut lines: Vec<Line> = Vec::new();
    let mut rest = said;
    while let Some((path, line, after)) = next_record(rest) {
        rest = after;
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let text = line.get(digits + 1..).unwrap_or_default();
        lines.push((path.to_owned(), line[..digits].parse().unwrap_or(0), text.to_owned()));
    }
    lines.sort();
    lines.into_iter()
}

/// Returns a path, the text about it, and everything that follows. Messages about binary files have another form and
/// are skipped.
fn next_record(said: &str) -> Option<(&str, &str, &str)> {
    let mut said = said;
    loop {
        let (path, rest) = said.split_once('\0')?;
        let remark = path.split_once('\n').filter(|(line, _)| is_remark(line));
        if let Some((line, _)) = remark {
            said = &said[line.len() + 1..];
            continue;
        }
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        return Some((path.trim_start_matches("./"), line, after));
    }
}

fn is_remark(line: &str) -> bool {
    line.contains("WARNING: stopped searching binary file") || line.contains("binary file matches")
}

/// A definition as Python's parser sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The line of `def` or `class`.
    pub line: u64,
    /// The last line of the definition.
    pub end: u64,
}

/// The facts about a tree that Python's parser finds.
#[derive(Clone, Debug, Default)]
pub struct PythonTruth {
    /// The first definition of each `path#Qualified.name`.
    pub definitions: BTreeMap<String, Definition>,
    /// The functions that call the given name, imported by `from django.urls import ...`, as `path#Qualified.name`
    /// (only `path` for the top level of a module).
    pub callers: Vec<String>,
    /// The callers with any import.
    pub callers_any_import: Vec<String>,
}

/// Parses every Python file below `root`; `called` is the name whose callers are collected.
///
/// # Panics
///
/// Panics if Python cannot be run.
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
