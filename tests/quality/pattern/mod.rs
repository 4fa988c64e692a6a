//! Compares `edit_pattern` with ast-grep's own command line: both must leave the same files, byte for byte.
//!
//! Both get the same pattern and rewrite on real trees, and on one file each for languages without a tree. hob's
//! changes are previewed and applied as an agent would do it. The command line has its own grammars, in the same
//! versions as hob's.

mod fixtures;
mod pairs;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hob_tests::{Mcp, Tree, World, copy_folder, outside, run};
use serde_json::json;

use crate::e2e::edit::{apply, editor, id};
use pairs::Pair;

/// The files of a tree by their paths.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn read(root: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        if folder.ends_with(".git") {
            continue;
        }
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            match entry.file_type().expect("it was just listed") {
                kind if kind.is_dir() => folders.push(entry.path()),
                kind if kind.is_file() => {
                    files.insert(entry.path(), fs::read(entry.path()).expect("a file"));
                }
                _ => {}
            }
        }
    }
    files
}

/// Changes the tree with hob, by a preview and an apply. Returns the files that change.
fn ours(mcp: &mut Mcp, root: &Path, before: &Files, (language, pattern, rewrite): Pair) -> Files {
    let args = json!({"language": language, "pattern": pattern, "rewrite": rewrite});
    let preview = mcp.call("edit_pattern", args);
    let id = id(&preview);
    let _ = apply(mcp, &id).ok();
    changed(root, before)
}

fn changed(root: &Path, before: &Files) -> Files {
    read(root).into_iter().filter(|(path, contents)| before.get(path) != Some(contents)).collect()
}

/// Returns ast-grep's name of a language, which may differ from hob's.
fn name_of(language: &str) -> &str {
    if language == "sh" { "bash" } else { language }
}

/// Changes the tree with ast-grep. Returns the files that change.
fn theirs(root: &Path, before: &Files, (language, pattern, rewrite): Pair) -> Files {
    let mut command = Command::new(outside::ast_grep());
    command.current_dir(root).env("HOME", "/nonexistent");
    command.args(["run", "--update-all", "--lang", name_of(language)]);
    command.args(["--pattern", pattern, "--rewrite", rewrite]);
    let output = run(command.arg("."), b"");
    assert!(matches!(output.code, Some(0 | 1)), "{output}");
    changed(root, before)
}

/// Returns the first difference with some lines around it, or `None` if there is none.
fn difference(ours: &Files, theirs: &Files) -> Option<String> {
    let paths = ours.keys().chain(theirs.keys());
    let path = paths.into_iter().find(|path| ours.get(*path) != theirs.get(*path))?;
    let text = |files: &Files| files.get(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let (Some(ours), Some(theirs)) = (text(ours), text(theirs)) else {
        let who = if ours.contains_key(path) { "hob" } else { "ast-grep" };
        return Some(format!("only {who} changes {}", path.display()));
    };
    let same = ours.lines().zip(theirs.lines()).take_while(|(ours, theirs)| ours == theirs).count();
    let part = |text: &str| text.lines().skip(same).take(6).collect::<Vec<_>>().join("\n  ");
    Some(format!("{}:{}\nhob\n  {}\nast-grep\n  {}", path.display(), same + 1, part(&ours), part(&theirs)))
}

/// Tries every pair on the tree, which is restored afterwards. Adds differences to `wrong`.
fn compare(world: &World, tree: &Tree, pairs: &[Pair], wrong: &mut Vec<String>) {
    let (root, mut mcp) = (tree.root(), editor(world, tree));
    let before = read(root);
    let put_back = |changed: &Files| {
        changed.keys().for_each(|path| fs::write(path, &before[path]).expect("it can be written"));
    };
    for pair in pairs {
        let theirs = theirs(root, &before, *pair);
        put_back(&theirs);
        let what = format!("{}: `{}` -> `{}`", pair.0, pair.1, pair.2);
        if theirs.is_empty() {
            wrong.push(format!("{what}: ast-grep changes nothing in {}", root.display()));
            continue;
        }
        let ours = ours(&mut mcp, root, &before, *pair);
        put_back(&ours);
        wrong.extend(difference(&ours, &theirs).map(|said| format!("{what}\n{said}")));
    }
    mcp.close();
}

#[test]
fn real_trees_become_what_ast_grep_makes_of_them() {
    let world = World::new();
    let mut wrong = Vec::new();
    for (number, (source, pairs)) in pairs::projects().into_iter().enumerate() {
        let root = world.path(&format!("tree{number}"));
        copy_folder(&source, &root);
        fs::create_dir_all(root.join(".git")).expect("a folder can be made");
        compare(&world, &Tree::existing(&root), pairs, &mut wrong);
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn every_other_language_becomes_what_ast_grep_makes_of_it() {
    let world = World::new();
    let mut wrong = Vec::new();
    for (name, text, pairs) in fixtures::FIXTURES {
        let root = world.path(&format!("of {name}"));
        fs::create_dir_all(root.join(".git")).expect("a folder can be made");
        fs::write(root.join(name), text).expect("it can be written");
        compare(&world, &Tree::existing(&root), pairs, &mut wrong);
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n\n"));
}
