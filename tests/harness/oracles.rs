//! Programs that know the truth independently of hob: ripgrep for lines, Python's own parser for definitions and calls.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{outside, repository, run};

/// A matching line: file, line, text.
pub type Line = (String, u64, String);

/// The matching lines of each file, as ripgrep prints them: `number:text`, each with a line feed.
pub type ByFile = BTreeMap<String, String>;

/// Returns every line that ripgrep finds below `root`, sorted by path and line.
///
/// # Panics
/// When ripgrep cannot be run or refuses the pattern.
#[track_caller]
#[must_use]
pub fn ripgrep(root: &Path, pattern: &str, options: &[&str]) -> Vec<Line> {
    let found = Ripgrep { root, options, place: "" }.lines(pattern);
    found.unwrap_or_else(|told| panic!("ripgrep refuses `{pattern}`: {told}"))
}

/// ripgrep, asked about a tree. What it answers is sorted by path and line; the error is what it says when it refuses a pattern.
#[derive(Clone, Copy, Debug)]
pub struct Ripgrep<'a> {
    /// The folder in which ripgrep runs.
    pub root: &'a Path,
    /// Options besides those that make it hermetic.
    pub options: &'a [&'a str],
    /// A folder below `root`, or nothing.
    pub place: &'a str,
}

impl Ripgrep<'_> {
    /// Returns every line that matches.
    ///
    /// # Errors
    /// What ripgrep says about the pattern.
    #[track_caller]
    pub fn lines(&self, pattern: &str) -> Result<Vec<Line>, String> {
        Ok(records(&self.run(pattern, &["--line-number", "--no-heading"])?).collect())
    }

    /// Returns every line that matches, for answers with a great many of them.
    ///
    /// # Errors
    /// As [`Ripgrep::lines`].
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

    /// Returns every line that matches and `around` lines on each side, the former by file and as [`Ripgrep::by_file`] has them.
    ///
    /// # Errors
    /// As [`Ripgrep::lines`].
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

    /// Matches in each file with some.
    ///
    /// # Errors
    /// As [`Ripgrep::lines`].
    #[track_caller]
    pub fn count_matches(&self, pattern: &str) -> Result<Vec<(String, u64)>, String> {
        let said = self.run(pattern, &["--count-matches"])?;
        let records = std::iter::successors(next_record(&said), |(_, _, rest)| next_record(rest));
        Ok(records.map(|(path, count, _)| (path.to_owned(), count.parse().unwrap_or(0))).collect())
    }

    /// Returns the files that match.
    ///
    /// # Errors
    /// As [`Ripgrep::lines`].
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
        // The user's own settings of git are none of the daemon's under test.
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

/// Returns the lines of `./path\0number:text`, or `number-text` around a match. A path may have newlines in it, a text a `\r` at its end.
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

/// Returns a path, what is said of it, and all that follows. What ripgrep says about binary files has another form and is left out.
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
    /// Line of `def` or `class`.
    pub line: u64,
    /// The last line of the stretch.
    pub end: u64,
}

/// The facts about a tree that Python's parser finds.
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
