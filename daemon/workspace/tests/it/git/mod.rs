//! Compares what hob reads of a repository with what git itself says.
//!
//! The program makes each repository and says what is right of it; the crate never runs it.

mod broken;
mod compare;
mod history;
mod refs;
mod revisions;
mod trees;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use hob_base::{AbsPath, CancelToken};
use hob_workspace::git::{Oid, Repository};

/// A folder in which git runs without anything of the user's. Every commit is a minute after the one before.
pub(crate) struct Git {
    temp: tempfile::TempDir,
    folder: PathBuf,
    clock: u64,
}

impl Git {
    /// An empty repository with the branch `main`.
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().expect("a folder");
        let folder = temp.path().join("repo");
        fs::create_dir(&folder).expect("a folder");
        let mut git = Self { temp, folder, clock: 1_700_000_000 };
        git.run("init -q -b main");
        git
    }

    /// A place beside the repository.
    pub(crate) fn path_beside(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    /// Runs git with words separated by spaces; `+` in a word is a space.
    #[track_caller]
    pub(crate) fn run(&mut self, line: &str) -> String {
        self.run_in(&self.folder.clone(), line)
    }

    #[track_caller]
    pub(crate) fn run_in(&mut self, folder: &Path, line: &str) -> String {
        let words: Vec<String> = line.split(' ').map(|word| word.replace('+', " ")).collect();
        let output = self.run_for_output(folder, &words);
        assert!(output.status.success(), "git {line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// The commit that `expression` is to git by itself, if it is one.
    pub(crate) fn resolve(&mut self, expression: &str) -> Option<Oid> {
        let words =
            ["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{expression}^{{commit}}")];
        let output = self.run_for_output(&self.folder.clone(), &words.map(str::to_owned));
        let text = String::from_utf8_lossy(&output.stdout);
        text.lines().next_back().and_then(|line| Oid::parse(line.trim())).filter(|_| output.status.success())
    }

    fn run_for_output(&mut self, folder: &Path, words: &[String]) -> Output {
        self.clock += 60;
        let date = format!("{} +0100", self.clock);
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
            command.env_remove(name);
        }
        for (name, value) in [("NAME", "Ada L."), ("EMAIL", "ada@example.invalid"), ("DATE", &date)] {
            command.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
        }
        command
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", self.temp.path().join("no-config"))
            .env("GIT_CEILING_DIRECTORIES", self.temp.path())
            .current_dir(folder)
            .args(["-c", "protocol.file.allow=always", "-c", "core.autocrlf=false"])
            .args(words)
            .stdin(Stdio::null())
            .output()
            .expect("git runs")
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let at = self.path(path);
        fs::create_dir_all(at.parent().expect("within the repository")).expect("a folder");
        fs::write(at, text).expect("a file");
    }

    /// Writes a file and commits everything.
    #[track_caller]
    pub(crate) fn commit(&mut self, path: &str, text: &str, subject: &str) -> Oid {
        self.write(path, text);
        self.run("add -A");
        self.run(&format!("commit -q -m {}", subject.replace(' ', "+")));
        self.oid_by_git("HEAD")
    }

    /// Returns the ID that git itself gives for `revision`.
    #[track_caller]
    pub(crate) fn oid_by_git(&mut self, revision: &str) -> Oid {
        Oid::parse(&self.run(&format!("rev-parse {revision}"))).expect("40 digits")
    }

    #[track_caller]
    pub(crate) fn open(&self) -> Repository {
        open(&self.folder)
    }
}

#[track_caller]
pub(crate) fn open(folder: &Path) -> Repository {
    Repository::discover(&abs(folder)).expect("it can be opened").expect("there is one")
}

pub(crate) fn abs(folder: &Path) -> AbsPath {
    AbsPath::new(folder).expect("an absolute path")
}

pub(crate) fn never_cancelled() -> CancelToken {
    CancelToken::default()
}
