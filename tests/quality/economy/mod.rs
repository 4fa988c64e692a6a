//! Measures what answers cost a model, compared with its shell: recorded questions about pinned projects.
//!
//! `questions.txt` contains the calls that a sensible agent makes, and the commands that it runs if it has only ripgrep
//! and `sed`. `economy.txt` contains the characters of the answers. The test fails if an answer of hob becomes more
//! expensive, so that such a change is a conscious decision. Other tests check that answers are right.

mod rows;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use hob_tests::{Mcp, Tree, World, copy_folder, outside, projects, repository};

/// The variable that makes the test write the present values instead of comparing them.
const BLESS: &str = "HOB_BLESS_ECONOMY";

/// The hundredths by which an answer may grow before the test fails.
const TOLERANCE: usize = 2;

#[derive(Debug, Default)]
struct Question {
    project: &'static str,
    name: &'static str,
    /// The calls of a question, each with its tool and arguments.
    calls: Vec<(&'static str, &'static str)>,
    commands: Vec<&'static str>,
}

/// The calls and characters of one question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cost {
    calls: usize,
    chars: usize,
}

fn questions() -> Vec<Question> {
    let mut all: Vec<Question> = Vec::new();
    for line in include_str!("questions.txt").lines().filter(|line| !line.starts_with('#')) {
        let (kind, rest) = line.split_once(' ').expect("two fields");
        match (kind, all.last_mut()) {
            ("h", Some(question)) => question.calls.push(rest.split_once(' ').expect("arguments")),
            ("g", Some(question)) => question.commands.push(rest),
            _ => all.push(Question { project: kind, name: rest, ..Question::default() }),
        }
    }
    all
}

fn cost_of_answers(mcp: &mut Mcp, question: &Question) -> Cost {
    let chars = question.calls.iter().map(|(tool, args)| {
        let args = serde_json::from_str(args).unwrap_or_else(|error| panic!("{args}: {error}"));
        let text = mcp.read(tool, args);
        assert!(!text.starts_with("BAD_ARGS") && !text.contains("_NOT_FOUND"), "{}: {text}", question.name);
        text.chars().count()
    });
    Cost { calls: question.calls.len(), chars: chars.sum() }
}

fn cost_of_shell(tree: &Tree, question: &Question) -> Cost {
    let ripgrep = outside::ripgrep();
    let folder = ripgrep.parent().expect("a program is in a folder").to_string_lossy().into_owned();
    let chars = question.commands.iter().map(|command| {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", command]).current_dir(tree.root()).env("PATH", format!("{folder}:/usr/bin:/bin"));
        let output = shell.output().expect("a shell runs");
        assert!(!output.stdout.is_empty(), "{command} finds nothing");
        String::from_utf8_lossy(&output.stdout).chars().count()
    });
    Cost { calls: question.commands.len(), chars: chars.sum() }
}

/// Copies the project to a folder that no other repository's rules apply to.
fn tree(world: &World, name: &str) -> Tree {
    let source: &Path = match name {
        "click" => projects::click(),
        "flask" => projects::flask(),
        _ => projects::rxjs(),
    };
    let root = world.path(name);
    if !root.exists() {
        copy_folder(source, &root);
        fs::create_dir_all(root.join(".git")).expect("a folder can be made");
    }
    Tree::existing(&root)
}

fn row(name: &str, answers: Cost, shell: Cost) -> String {
    let ratio = answers.chars as f64 / shell.chars as f64;
    format!(
        "{name:<40} {:>2} {:>6} {:>2} {:>6} {ratio:.2}",
        answers.calls, answers.chars, shell.calls, shell.chars
    )
}

#[test]
fn answers_do_not_become_dearer() {
    let world = World::new().env("PATH", "/usr/bin:/bin");
    let mut table =
        String::from("# question, then calls and characters of hob and of the shell, and their ratio\n");
    let (mut all, mut all_shell) = (Cost::default(), Cost::default());
    let mut rows: Vec<(String, Cost)> = Vec::new();
    for question in questions() {
        let tree = tree(&world, question.project);
        let mut mcp = world.mcp(&tree);
        // Ranks are known only after everything is derived.
        let _ = mcp.call("map_overview", serde_json::json!({}));
        let (answers, shell) = (cost_of_answers(&mut mcp, &question), cost_of_shell(&tree, &question));
        let name = format!("{}/{}", question.project, question.name);
        let _ = writeln!(table, "{}", row(&name, answers, shell));
        rows.push((name, answers));
        for (sum, one) in [(&mut all, answers), (&mut all_shell, shell)] {
            sum.calls += one.calls;
            sum.chars += one.chars;
        }
    }
    let _ = writeln!(table, "{}", row("total", all, all_shell));
    rows.push(("total".to_owned(), all));
    let file = repository().join("tests/quality/economy/economy.txt");
    if std::env::var_os(BLESS).is_some() {
        fs::write(&file, &table).expect("the table can be written");
    }
    let kept = fs::read_to_string(&file).unwrap_or_default();
    let dearer: Vec<String> = rows.iter().filter_map(|(name, now)| dearer(&kept, name, *now)).collect();
    assert!(
        dearer.is_empty(),
        "answers cost more than they did ({BLESS}=1 takes that for good):\n{}\n{table}",
        dearer.join("\n")
    );
}

/// Returns a message if a question costs more than the table says, or is not in the table.
fn dearer(kept: &str, name: &str, now: Cost) -> Option<String> {
    let line = kept.lines().find(|line| line.split_whitespace().next() == Some(name));
    let mut fields = line.into_iter().flat_map(|line| line.split_whitespace().skip(1));
    let mut number = || fields.next().and_then(|field| field.parse::<usize>().ok()).unwrap_or(0);
    let then = Cost { calls: number(), chars: number() };
    let most = then.chars + then.chars * TOLERANCE / 100;
    (now.calls > then.calls || now.chars > most).then(|| format!("{name}: {then:?} became {now:?}"))
}
