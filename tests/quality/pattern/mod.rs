//! `edit_pattern` against ast-grep's own command line: the files that both leave behind are the same, byte for byte.
//!
//! Pattern and rewrite are given to both over real trees, and over a file each for languages that no tree is written in. The
//! command line brings grammars of its own, of the same versions as those that are linked here.

mod fixtures;
mod pairs;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use hob_base::CancelToken;
use hob_edit::{Grammar, PatternEdit, pattern_language, splice};
use hob_tests::{copy_folder, outside, run};
use tempfile::tempdir;
use tree_sitter::{Language, Parser};

use pairs::Pair;

/// The files of a tree by their paths.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// What ast-grep calls a language, if not as hob does, and the files that it takes for it.
const FILES: &[(&str, &str, &[&str])] = &[
    ("py", "py", &["py", "pyi"]),
    ("ts", "ts", &["ts", "mts", "cts"]),
    ("tsx", "tsx", &["tsx"]),
    ("js", "js", &["js", "mjs", "cjs", "jsx"]),
    ("rs", "rs", &["rs"]),
    ("go", "go", &["go"]),
    ("java", "java", &["java"]),
    ("c", "c", &["c", "h"]),
    ("cpp", "cpp", &["cpp", "cc", "hpp"]),
    ("cs", "cs", &["cs"]),
    ("rb", "rb", &["rb"]),
    ("php", "php", &["php"]),
    ("kt", "kt", &["kt"]),
    ("swift", "swift", &["swift"]),
    ("scala", "scala", &["scala"]),
    ("lua", "lua", &["lua"]),
    ("sh", "bash", &["sh", "bash"]),
];

fn language(id: &str) -> Language {
    match id {
        "py" => tree_sitter_python::LANGUAGE.into(),
        "ts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        "js" => tree_sitter_javascript::LANGUAGE.into(),
        "rs" => tree_sitter_rust::LANGUAGE.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        "java" => tree_sitter_java::LANGUAGE.into(),
        "c" => tree_sitter_c::LANGUAGE.into(),
        "cpp" => tree_sitter_cpp::LANGUAGE.into(),
        "cs" => tree_sitter_c_sharp::LANGUAGE.into(),
        "rb" => tree_sitter_ruby::LANGUAGE.into(),
        // Patterns are code, so this is the grammar of code alone.
        "php" => tree_sitter_php::LANGUAGE_PHP_ONLY.into(),
        "kt" => tree_sitter_kotlin_sg::LANGUAGE.into(),
        "swift" => tree_sitter_swift::LANGUAGE.into(),
        "scala" => tree_sitter_scala::LANGUAGE.into(),
        "lua" => tree_sitter_lua::LANGUAGE.into(),
        "sh" => tree_sitter_bash::LANGUAGE.into(),
        other => panic!("no grammar for {other}"),
    }
}

fn grammar(id: &str) -> Grammar {
    let language = language(id);
    let parsed = language.clone();
    let parse = move |source: &[u8]| {
        let mut parser = Parser::new();
        parser.set_language(&parsed).expect("a grammar of this version");
        parser.parse(source, None)
    };
    Grammar { language, parse: Arc::new(parse) }
}

fn read(root: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
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

/// What hob makes of the files that are of the language: those that change.
fn ours(before: &Files, (id, pattern, rewrite): Pair) -> Files {
    let language = pattern_language(id).expect("it is known");
    let edit = PatternEdit::new(language, grammar(id), pattern, rewrite)
        .unwrap_or_else(|error| panic!("{id}: `{pattern}`: {error}"));
    let (_, _, endings) = FILES.iter().find(|(known, _, _)| *known == id).expect("it has files");
    let is_its = |path: &Path| endings.iter().any(|ending| path.extension().is_some_and(|is| is == *ending));
    let mut changed = Files::new();
    for (path, contents) in before.iter().filter(|(path, _)| is_its(path)) {
        let splices = edit.splices(contents, &CancelToken::default());
        let splices =
            splices.unwrap_or_else(|error| panic!("{id}: `{pattern}` in {}: {error}", path.display()));
        let after = splice(contents, &splices).expect("they are apart");
        if after != *contents {
            changed.insert(path.clone(), after);
        }
    }
    changed
}

/// What ast-grep makes of the tree: the files that change.
fn theirs(root: &Path, before: &Files, (id, pattern, rewrite): Pair) -> Files {
    let (_, name, _) = FILES.iter().find(|(known, _, _)| *known == id).expect("it has a name");
    let mut command = Command::new(outside::ast_grep());
    command.current_dir(root).env("HOME", "/nonexistent").args(["run", "--update-all", "--lang", name]);
    command.args(["--pattern", pattern, "--rewrite", rewrite]);
    for rules in ["hidden", "dot", "exclude", "global", "parent", "vcs"] {
        command.args(["--no-ignore", rules]);
    }
    let output = run(command.arg("."), b"");
    assert!(matches!(output.code, Some(0 | 1)), "{output}");
    let changed = |(path, contents): (PathBuf, Vec<u8>)| {
        (before.get(&path) != Some(&contents)).then_some((path, contents))
    };
    read(root).into_iter().filter_map(changed).collect()
}

/// What differs first, with some lines around it.
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

/// Tries every pair on the tree at `root`, which is as it was afterwards. What differs goes to `wrong`.
fn compare(root: &Path, pairs: &[Pair], wrong: &mut Vec<String>) {
    let before = read(root);
    for pair in pairs {
        let theirs = theirs(root, &before, *pair);
        for path in theirs.keys() {
            fs::write(path, &before[path]).expect("it can be written");
        }
        let ours = ours(&before, *pair);
        let what = format!("{}: `{}` -> `{}`", pair.0, pair.1, pair.2);
        if theirs.is_empty() {
            wrong.push(format!("{what}: ast-grep changes nothing in {}", root.display()));
        }
        wrong.extend(difference(&ours, &theirs).map(|said| format!("{what}\n{said}")));
    }
}

#[test]
fn real_trees_become_what_ast_grep_makes_of_them() {
    let world = tempdir().expect("a folder can be made");
    let mut wrong = Vec::new();
    for (number, (source, pairs)) in pairs::projects().into_iter().enumerate() {
        let root = world.path().join(format!("tree{number}"));
        copy_folder(&source, &root);
        compare(&root, pairs, &mut wrong);
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn every_other_language_becomes_what_ast_grep_makes_of_it() {
    let world = tempdir().expect("a folder can be made");
    let mut wrong = Vec::new();
    for (name, text, pairs) in fixtures::FIXTURES {
        let root = world.path().join(name);
        fs::create_dir_all(&root).expect("a folder can be made");
        fs::write(root.join(name), text).expect("it can be written");
        compare(&root, pairs, &mut wrong);
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n\n"));
}
