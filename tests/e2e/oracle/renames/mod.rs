//! Tests renames of names drawn from all over a project, through hob and by the server itself: the preview is the
//! server's own edit, applying it gives exactly the files that this edit gives, every line that still contains the old
//! name is counted, and a checker finds no new errors in the project.
//!
//! Some servers omit uses, for example in macros. Then hob must have said so: a checker may complain only about such
//! names. `HOB_TEST_RENAMES` sets the number of drawn names that are used in several files. The default is six for one
//! server of each language and [`FEW`] for each further one, which takes one minute instead of five.

pub(super) mod checkers;
mod drawn;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use hob_tests::{Answer, Mcp, McpOptions, Rng, Tree, World, run};
use serde_json::{Value, json};

use self::checkers::{Checker, Errors};
use self::drawn::{Case, Edits, draw, written};
use super::said::{Kind, Question};
use super::{Subject, ask_until_whole, running};

/// The number of names that are used in several files.
pub(super) const ACROSS_FILES: usize = 6;

/// The number for servers of a language that another server already covers.
pub(super) const FEW: usize = 3;

/// The texts of files by path.
type Files = BTreeMap<String, String>;

/// The result of a rename through hob.
#[derive(Default)]
struct Outcome {
    /// True if hob called the rename complete.
    is_whole: bool,
    /// The lines that still contain the name, as hob counted them.
    left: usize,
    /// hob's report on the diagnostics of the changed files: the number of files for which it knows them, and the
    /// increases.
    diagnostics: Value,
}

/// Draws names, and asks first the server itself and then hob about each.
#[track_caller]
pub(super) fn are_the_servers(subject: &Subject, seed: u64, wanted: usize, checker: Checker) {
    let given = std::env::var("HOB_TEST_RENAMES").ok().and_then(|text| text.parse().ok());
    let wanted = given.unwrap_or(wanted);
    let world = subject.world();
    let (tree, copy) = (subject.tree(&world), subject.tree_in(&world, "copy"));
    let mut lsp = subject.itself(&world, &copy);
    let cases = draw(subject, &copy, &mut lsp, wanted, &mut Rng::new(seed));
    drop(lsp);
    let options = McpOptions {
        args: ["--tools", "all", "--edits"].map(str::to_owned).to_vec(),
        ..McpOptions::default()
    };
    let mut mcp = Mcp::start(&world, &tree, &options);
    let first = Question { kind: Kind::Symbols, file: cases[0].file.clone(), line: 1, col: 1 };
    let _ = ask_until_whole(&mut mcp, &first);
    assert_eq!(running(&mut mcp), [subject.server], "hob asks the server that is meant");
    // If a server omits uses, its rename breaks them, and hob has to say so beforehand.
    let mut whole = Vec::new();
    for case in &cases {
        let outcome = case.is_the_same_through_hob(&mut mcp, &world, &tree, &copy);
        case.tell(&outcome);
        whole.extend(outcome.is_whole.then_some((case, outcome)));
    }
    println!("{}: {} names, {} of them renamed completely", subject.server, cases.len(), whole.len());
    assert!(whole.len() >= wanted / 2, "{}", whole.len());
    mcp.close();
    let worse = made_worse(subject, &world, &whole, checker);
    assert_eq!(worse, Vec::<String>::new(), "after all of them more is wrong");
}

impl Case {
    fn at(&self) -> String {
        format!("{} at {}:{}:{}", self.name, self.file, self.line, self.col)
    }

    fn tell(&self, outcome: &Outcome) {
        let Outcome { is_whole, left, diagnostics } = outcome;
        let judged = diagnostics["filesJudged"].as_u64().unwrap_or(0);
        let said = match &self.edits {
            Ok(edits) => {
                format!("in {} files, complete: {is_whole}, {left} lines left, {judged} judged", edits.len())
            }
            Err(why) => format!("refused: {why}"),
        };
        println!("  {}: {said}", self.at());
        for one in diagnostics["worse"].as_array().into_iter().flatten() {
            println!("    worse: {} {} to {}", one["file"], one["before"], one["after"]);
        }
    }

    /// Previews the rename, applies it and undoes it.
    #[track_caller]
    fn is_the_same_through_hob(&self, mcp: &mut Mcp, world: &World, tree: &Tree, copy: &Tree) -> Outcome {
        let preview = loop {
            let args = json!({
                "file": self.file, "line": self.line, "col": self.col, "newName": self.new_name,
                "tokenBudget": 10_000,
            });
            let preview = mcp.call("edit_rename", args);
            if preview.envelope["error"]["code"] != "LSP_TIMEOUT" {
                break preview;
            }
        };
        let at = self.at();
        let Ok(edits) = &self.edits else {
            assert_eq!(preview.envelope["ok"], false, "{at}: the server refuses{preview}");
            return Outcome::default();
        };
        let after = written(copy, edits);
        let id = preview.ok()["pendingId"].as_str().expect("an ID").to_owned();
        let diff = whole_diff(mcp, &id);
        assert_eq!(patched(world, copy, &after, &diff), after, "{at}: the preview{preview}");
        let touched: Vec<String> = after.keys().cloned().collect();
        assert_eq!(texts(tree, &touched), texts(copy, &touched), "{at}: a preview writes nothing");
        let done = mcp.call("resolve_action", json!({"action": "apply", "reason": "test", "pendingId": id}));
        assert!(done.ok()["message"].is_string(), "{done}");
        assert_eq!(differences(tree, copy), after, "{at}: what was applied{done}");
        let left = self.leftovers(tree, &done);
        touched.iter().for_each(|file| tree.write(file, copy.read(file)));
        let is_whole = preview.ok()["details"]["completeness"] == "complete";
        let warned =
            ["may be missing", "keep the old name"].iter().any(|text| preview.warnings().contains(text));
        assert!(is_whole || warned, "{at}{preview}");
        Outcome { is_whole, left, diagnostics: done.ok()["sourceResultDetails"]["diagnostics"].clone() }
    }

    /// Returns the number of lines that still contain the name, after checking that hob counted them.
    #[track_caller]
    fn leftovers(&self, tree: &Tree, done: &Answer) -> usize {
        let has_it = |text: &str| words(text).any(|word| word == self.name);
        let mut lines = BTreeSet::new();
        for (path, bytes) in all_files(tree.root()) {
            let text = String::from_utf8_lossy(&bytes);
            let here = text.split('\n').enumerate().filter(|(_, line)| has_it(line));
            lines.extend(here.map(|(at, _)| (path.clone(), at as u64 + 1)));
        }
        let at = self.at();
        let said = &done.ok()["sourceResultDetails"]["leftovers"];
        assert_eq!((&said["name"], &said["complete"]), (&json!(self.name), &json!(true)), "{at}{done}");
        assert_eq!(said["lines"], lines.len(), "{at}: {lines:?}{done}");
        for shown in said["shown"].as_array().expect("some lines") {
            let line = shown["line"].as_u64().expect("a number");
            assert!(
                lines.contains(&(shown["file"].as_str().expect("a path").to_owned(), line)),
                "{at}{done}"
            );
        }
        let message = done.ok()["message"].as_str().expect("a text");
        assert_eq!(message.contains("still have"), !lines.is_empty(), "{at}{done}");
        lines.len()
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Returns the whole diff of a preview.
#[track_caller]
fn whole_diff(mcp: &mut Mcp, id: &str) -> String {
    let (mut diff, mut offset) = (String::new(), json!(0));
    while !offset.is_null() {
        let args = json!({"pendingId": id, "offset": offset, "tokenBudget": 10_000});
        let page: Answer = mcp.call("edit_pending", args);
        diff.push_str(page.ok()["diff"].as_str().unwrap_or_else(|| panic!("a diff{page}")));
        offset = page.ok()["nextOffset"].clone();
    }
    diff
}

/// Returns the files that git makes from a diff of them.
#[track_caller]
fn patched(world: &World, copy: &Tree, after: &Files, diff: &str) -> Files {
    let folder = world.path("patched");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let tree = Tree::existing(&folder);
    after.keys().for_each(|file| tree.write(file, copy.read(file)));
    let mut git = Command::new("git");
    git.args(["apply", "-p1", "--whitespace=nowarn", "-"]).current_dir(&folder);
    let _ = run(git.env("GIT_DIR", "/nonexistent"), diff.as_bytes()).success();
    let names: Vec<String> = after.keys().cloned().collect();
    texts(&tree, &names)
}

fn texts(tree: &Tree, files: &[String]) -> Files {
    files.iter().map(|file| (file.clone(), tree.read(file))).collect()
}

/// Returns the files of `tree` that differ from those in `copy`, after checking that none were added or removed.
#[track_caller]
fn differences(tree: &Tree, copy: &Tree) -> Files {
    let (ours, theirs) = (all_files(tree.root()), all_files(copy.root()));
    let paths = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(paths(&ours), paths(&theirs));
    // This file contains the path of its folder.
    let differs =
        |(path, bytes): &(String, Vec<u8>)| theirs[path] != *bytes && path != "compile_commands.json";
    let text = |(path, bytes)| (path, String::from_utf8(bytes).expect("a text"));
    ours.into_iter().filter(differs).map(text).collect()
}

fn all_files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut all, mut folders) = (BTreeMap::new(), vec![root.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of the project").flatten() {
            let path = entry.path();
            let name =
                path.strip_prefix(root).expect("it lies in it").to_str().expect("a plain path").to_owned();
            match path.is_dir() {
                // The folders of git and those that servers leave behind.
                true if name == ".git" || name == ".cache" || name == "target" => {}
                true => folders.push(path),
                false => drop(all.insert(name, fs::read(&path).expect("it can be read"))),
            }
        }
    }
    all
}

/// Returns the new errors after all renames, except those about a name for which hob reported remaining uses.
#[track_caller]
fn made_worse(subject: &Subject, world: &World, whole: &[(&Case, Outcome)], checker: Checker) -> Vec<String> {
    let (before, after) = (subject.tree_in(world, "before"), subject.tree_in(world, "after"));
    let mut all = Edits::new();
    for (file, edits) in whole.iter().flat_map(|(case, _)| case.edits.iter().flatten()) {
        all.entry(file.clone()).or_default().extend(edits.clone());
    }
    written(&before, &all).iter().for_each(|(file, text)| after.write(file, text));
    let (then, now) = (checker(world, &before), checker(world, &after));
    let count = |errors: &Errors| errors.values().map(Vec::len).sum::<usize>();
    println!("{}: {} errors before, {} after", subject.server, count(&then), count(&now));
    then.iter().take(3).for_each(|(file, errors)| println!("  already in {file}: {}", errors[0]));
    let left: Vec<&str> =
        whole.iter().filter(|(_, outcome)| outcome.left > 0).map(|(case, _)| case.name.as_str()).collect();
    let is_told = |message: &String| words(message).any(|word| left.contains(&word));
    let (told, untold): (Vec<_>, Vec<_>) =
        checkers::more(&then, &now).into_iter().partition(|(_, new)| new.iter().all(is_told));
    told.iter().for_each(|(file, new)| println!("  about what is left behind, {file}: {new:#?}"));
    untold.into_iter().map(|(file, new)| format!("{file}: {new:#?}")).collect()
}
