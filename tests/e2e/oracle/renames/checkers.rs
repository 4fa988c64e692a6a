//! Counts the errors of a whole project without a language server, by type checkers and compilers.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use hob_tests::{Output, Tree, World, run};
use serde_json::Value;

/// The errors by file, without positions, because edits move things.
pub(in super::super) type Errors = BTreeMap<String, Vec<String>>;

/// Finds all errors in a project. May write to the project.
pub(in super::super) type Checker = fn(&World, &Tree) -> Errors;

/// Returns the files with more errors than before, each with the messages that are new.
pub(super) fn more(then: &Errors, now: &Errors) -> Vec<(String, Vec<String>)> {
    let nothing = Vec::new();
    let new = |(file, now): (&String, &Vec<String>)| {
        let mut said = then.get(file).unwrap_or(&nothing).clone();
        let has_more = now.len() > said.len();
        let is_new = |one: &&String| match said.iter().position(|old| old == *one) {
            Some(at) => {
                said.swap_remove(at);
                false
            }
            None => true,
        };
        let new = now.iter().filter(is_new).cloned().collect();
        has_more.then(|| (file.clone(), new))
    };
    now.iter().filter_map(new).collect()
}

fn by_file(found: impl Iterator<Item = (String, String)>) -> Errors {
    let mut all = Errors::new();
    for (file, message) in found {
        all.entry(file).or_default().push(message);
    }
    all
}

/// Runs a program in a project. The program is found on the world's `PATH`, or given by its path.
fn ran(world: &World, tree: &Tree, line: &[&str]) -> Output {
    let mut command = Command::new(line[0]);
    world.clean(&mut command);
    command.args(&line[1..]).current_dir(tree.root()).env("CARGO_TARGET_DIR", world.path("cargo-target"));
    run(&mut command, b"")
}

/// Parses lines such as `path:line:col: error...: message`, which most compilers write. Paths are made relative to the
/// project.
#[track_caller]
fn of_lines(tree: &Tree, output: &Output, mark: &str) -> Errors {
    let root = format!("{}/", tree.root().display());
    let one = |line: &str| {
        let (place, message) = line.split_once(mark)?;
        let place = place.trim_start_matches(&root).trim_start_matches("./");
        let file = place.split([':', '(']).next().unwrap_or_default();
        Some((file.to_owned(), message.to_owned()))
    };
    let errors = by_file(output.stdout.lines().chain(output.stderr.lines()).filter_map(one));
    // A checker that finds no error exits with 0. An error outside of the project would keep it from checking the
    // project.
    assert_eq!(errors.is_empty(), output.code == Some(0), "{output}");
    assert!(errors.keys().all(|file| !file.is_empty() && tree.at(file).starts_with(tree.root())), "{output}");
    errors
}

/// Checks a project with ty.
pub(in super::super) fn ty(world: &World, tree: &Tree) -> Errors {
    of_lines(tree, &ran(world, tree, &["ty", "check", "--output-format", "concise"]), " error[")
}

/// Checks a project with pyright.
#[track_caller]
pub(in super::super) fn pyright(world: &World, tree: &Tree) -> Errors {
    let output = ran(world, tree, &["pyright", "--outputjson"]);
    let said: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}{output}"));
    let found = said["generalDiagnostics"].as_array().expect("a list").iter();
    let errors = found.filter(|one| one["severity"] == "error");
    let text = |one: &Value, field: &str| one[field].as_str().unwrap_or_default().to_owned();
    let root = format!("{}/", tree.root().display());
    by_file(errors.map(|one| (text(one, "file").trim_start_matches(&root).to_owned(), text(one, "message"))))
}

/// Checks a project with TypeScript's compiler, in whichever version is found.
pub(in super::super) fn tsc(world: &World, tree: &Tree) -> Errors {
    of_lines(tree, &ran(world, tree, &["tsc", "--noEmit", "--pretty", "false", "-p", "."]), ": error ")
}

/// Checks each file with the machine's C compiler, with the options from the compilation database.
pub(in super::super) fn cc(world: &World, tree: &Tree) -> Errors {
    let entries: Value =
        serde_json::from_str(&tree.read("compile_commands.json")).expect("a compilation database");
    let mut all = Errors::new();
    for entry in entries.as_array().expect("a list") {
        let arguments = entry["arguments"].as_array().expect("a list").iter().filter_map(Value::as_str);
        let line: Vec<&str> = arguments.chain(["-fsyntax-only", "-w"]).collect();
        let is_there = |file: &str| Path::new(file).exists();
        if entry["file"].as_str().is_some_and(is_there) {
            let errors = of_lines(tree, &ran(world, tree, &line), " error: ");
            errors.into_iter().for_each(|(file, new)| all.entry(file).or_default().extend(new));
        }
    }
    all
}

/// Checks a project with Cargo, except for benchmarks, which need another compiler. Modules that are missing are
/// removed.
pub(in super::super) fn cargo(world: &World, tree: &Tree) -> Errors {
    const USERS: &str = "src/users/mod.rs";
    let users = tree.read(USERS);
    let is_there = |line: &&str| {
        let name = line.trim_start_matches("mod ").trim_end_matches(';');
        tree.at(&format!("src/users/{name}.rs")).exists()
    };
    tree.write(USERS, users.lines().filter(is_there).map(|line| format!("{line}\n")).collect::<String>());
    let line = "cargo check --offline --lib --tests --examples --keep-going --message-format short";
    of_lines(tree, &ran(world, tree, &line.split(' ').collect::<Vec<_>>()), ": error")
}

/// Checks a project with gopls on the command line, because Go's own compiler needs parts of its library that the tests
/// do not have.
pub(in super::super) fn gopls(world: &World, tree: &Tree) -> Errors {
    let all = std::fs::read_dir(tree.root()).expect("the project").flatten();
    let names: Vec<String> = all.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let files = names.iter().map(String::as_str).filter(|name| name.ends_with(".go"));
    let line: Vec<&str> = ["gopls", "check"].into_iter().chain(files).collect();
    let output = ran(world, tree, &line);
    let root = format!("{}/", tree.root().display());
    let one = |line: &str| {
        let (place, message) = line.trim_start_matches(&root).split_once(": ")?;
        Some((place.split(':').next()?.to_owned(), message.to_owned()))
    };
    let errors = by_file(output.stdout.lines().filter_map(one));
    assert!(output.code == Some(0) && errors.keys().all(|file| names.contains(file)), "{output}");
    errors
}
