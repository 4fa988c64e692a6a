//! Tests every `nav_*` answer against the language server's own, which a client asks that has no code in common with
//! hob's, on real projects.
//!
//! A [`Subject`] is one server on one project; each file of this folder contains those of one family. Each is tested by
//! [`questions::same_as_the_server`], [`at_once::right_while_loading`], and [`edits`], which asks directly after files
//! have changed. To add a server, write a `Subject`, one `#[test]` for each of these, and an [`edits::Edits`].

mod at_once;
mod edits;
mod native;
mod python;
mod questions;
mod renames;
mod said;
mod typescript;
mod verdicts;

use std::fs;
use std::path::{Path, PathBuf};

use hob_tests::lsp::{Lsp, Speaks};
use hob_tests::{Mcp, Tree, World, copy_folder, projects_native};
use serde_json::{Value, json};

use super::nav::path_with;

/// One kind of server on one project.
pub(super) struct Subject {
    /// The name that hob has for the server, as `map_status` shows it.
    pub server: &'static str,
    /// The folders to put in front of the `PATH`: with them hob finds this server for the project, and no other.
    pub folders: fn() -> Vec<PathBuf>,
    /// The command that starts the server directly; its first word is looked up in `folders`.
    pub command: &'static [&'static str],
    /// The variables that the server needs in addition to `PATH` and `HOME`. hob's daemon and the server itself get the
    /// same ones.
    pub env: fn() -> Vec<(&'static str, String)>,
    /// The facts that a direct client of the server has to know.
    pub speaks: Speaks,
    /// True if the user trusts the project, for servers that run only then.
    pub trusted: bool,
    /// The project, which is copied into each test's world.
    pub project: fn() -> &'static Path,
    /// The endings of the files that are asked about.
    pub endings: &'static [&'static str],
}

impl Subject {
    /// Returns a world in which hob finds this server.
    fn world(&self) -> World {
        let world = World::new().env("PATH", path_with(&(self.folders)()));
        (self.env)().into_iter().fold(world, |world, (name, value)| world.env(name, value))
    }

    /// Returns the project, copied into a world.
    fn tree(&self, world: &World) -> Tree {
        self.tree_in(world, "ws")
    }

    /// Copies the project like [`Subject::tree`], into a folder of this name.
    fn tree_in(&self, world: &World, folder: &str) -> Tree {
        let root = world.path(folder);
        copy_folder((self.project)(), &root);
        fs::create_dir_all(root.join(".git")).expect("a folder can be made");
        // If pyright's settings exclude a file, pyright knows it as soon as it is open, and hob opens files that a
        // server omits.
        if let Ok(text) = fs::read_to_string(root.join("pyproject.toml")) {
            let whole = text.replace("include = [\"src\", \"tests/type_check\"]\n", "");
            fs::write(root.join("pyproject.toml"), whole).expect("it can be written");
        }
        if self.endings.contains(&"c") {
            // A compilation database contains absolute paths.
            projects_native::write_compile_commands(&root);
        }
        let tree = Tree::existing(&root);
        if self.trusted {
            let _ = world.hob(tree.root(), &["trust", "--yes"]).success();
        }
        tree
    }

    /// Starts the server itself, on the same files.
    fn itself(&self, world: &World, tree: &Tree) -> Lsp {
        let folders = (self.folders)();
        let found =
            folders.iter().map(|folder| folder.join(self.command[0])).find(|program| program.exists());
        let program = found.unwrap_or_else(|| panic!("{} is in none of {folders:?}", self.command[0]));
        let mut command = world.command(program);
        command.args(&self.command[1..]);
        Lsp::start(command, tree.root(), &self.speaks)
    }
}

/// Returns no variables.
fn no_env() -> Vec<(&'static str, String)> {
    Vec::new()
}

/// A place in a project, given by its text.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    /// The path of the file in the project.
    pub file: &'static str,
    /// A line that occurs only once in it, or a part of such a line.
    pub line: &'static str,
    /// The name in that part that is meant.
    pub name: &'static str,
}

impl Mark {
    /// Returns the line and the column, 1-based. Lines with marks are ASCII.
    fn at(&self, tree: &Tree) -> (usize, usize) {
        let text = tree.read(self.file);
        let mut lines = text.lines().enumerate().filter_map(|(at, line)| Some((at, line.find(self.line)?)));
        let (line, start) = lines.next().unwrap_or_else(|| panic!("no `{}` in {}", self.line, self.file));
        let within = self.line.find(self.name).expect("the name stands in the part of the line");
        (line + 1, start + within + 1)
    }

    fn references(&self, tree: &Tree) -> said::Question {
        let (line, col) = self.at(tree);
        said::Question { kind: said::Kind::References, file: self.file.to_owned(), line, col }
    }
}

/// Asks hob until its answer is complete, however long the server takes to load.
#[track_caller]
fn ask_until_whole(mcp: &mut Mcp, question: &said::Question) -> hob_tests::Answer {
    loop {
        let answer = question.ask_hob(mcp);
        if answer.ok()["completeness"] == "complete" {
            return answer;
        }
        assert!(!answer.warnings().is_empty(), "what may be missing is said{answer}");
    }
}

/// Returns the servers that run for the project, as hob reports them.
fn running(mcp: &mut Mcp) -> Vec<String> {
    let status = mcp.call("map_status", json!({}));
    let servers = status.ok()["lsp"].as_object().map(|servers| servers.keys().cloned().collect());
    servers.unwrap_or_default()
}

/// Converts a position to 1-based numbers, as hob counts.
fn one_based(position: &Value) -> (u64, u64) {
    let number = |field: &str| position[field].as_u64().unwrap_or(u64::MAX - 1) + 1;
    (number("line"), number("character"))
}
