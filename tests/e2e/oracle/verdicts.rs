//! Compares the diagnostics of hob with those of the server itself: the same, place for place and word for word.

use std::collections::BTreeSet;

use hob_tests::{Answer, Mcp, Rng, Tree};
use serde_json::{Value, json};

use super::questions::paths;
use super::{Subject, one_based};

/// The files whose diagnostics are compared. Every second one is broken first.
const FILES: usize = 10;

/// Asks for the diagnostics of a file. Asks again while the answer says that it is not complete or that the server has
/// not begun to load the project: on a busy machine, both may take longer than hob waits.
fn verdicts_on(mcp: &mut Mcp, file: &str) -> Answer {
    for _ in 0..60 {
        let answer = mcp.call("nav_diagnostics", json!({"file": file, "tokenBudget": 10_000}));
        let is_unloaded = answer.warnings().contains("it found no project to load");
        if answer.ok()["complete"] == true && !is_unloaded {
            return answer;
        }
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
    panic!("{file} never has a complete answer")
}

/// Asks for the diagnostics of files in a project, some of which end with `broken`.
#[track_caller]
pub(super) fn are_the_servers(subject: &Subject, broken: &str, seed: u64) {
    let world = subject.world();
    let tree = subject.tree(&world);
    let files = some_files(subject, &tree, seed);
    for file in files.iter().step_by(2) {
        tree.write(file, format!("{}\n{broken}\n", tree.read(file)));
    }
    let mut mcp = world.mcp(&tree);
    let answers: Vec<Answer> = files.iter().map(|file| verdicts_on(&mut mcp, file)).collect();
    let mut lsp = subject.itself(&world, &tree);
    files.iter().for_each(|file| lsp.open(file));
    lsp.wait_ready();
    let of_hob: Vec<_> = answers.iter().map(of_hob).collect();
    let mut of_server = Vec::new();
    // A server that is not asked reports its diagnostics in pieces.
    for _ in 0..5 {
        of_server = lsp.verdicts(&files).iter().map(of_server_said).collect();
        if of_hob == of_server {
            break;
        }
    }
    let all = files.iter().zip(of_hob.iter().zip(&of_server)).zip(&answers);
    for (at, ((file, (hob, server)), answer)) in all.enumerate() {
        assert_eq!(hob, server, "{file}{answer}");
        assert_eq!(answer.ok()["complete"], true, "{answer}");
        assert!(at % 2 == 1 || !hob.is_empty(), "{file} was broken{answer}");
    }
    mcp.close();
}

fn some_files(subject: &Subject, tree: &Tree, seed: u64) -> Vec<String> {
    let (all, mut rng) = (paths(tree, subject), Rng::new(seed));
    let some: BTreeSet<&String> = (0..FILES).map(|_| rng.pick(&all)).collect();
    some.into_iter().cloned().collect()
}

fn of_hob(answer: &Answer) -> BTreeSet<String> {
    let one = |one: &Value| {
        let text = |field: &str| one[field].as_str().unwrap_or_default();
        format!("{}:{} {} {} {}", one["line"], one["col"], text("severity"), text("code"), text("message"))
    };
    answer.list("/diagnostics").iter().map(one).collect()
}

fn of_server_said(list: &Value) -> BTreeSet<String> {
    let one = |one: &Value| {
        let (line, col) = one_based(&one["range"]["start"]);
        let severity =
            ["error", "warning", "information", "hint"][one["severity"].as_u64().unwrap_or(1) as usize - 1];
        let code = one["code"].as_str().map_or_else(|| one["code"].to_string(), str::to_owned);
        let code = if one["code"].is_null() { String::new() } else { code };
        format!("{line}:{col} {severity} {code} {}", one["message"].as_str().unwrap_or_default())
    };
    list.as_array().into_iter().flatten().map(one).collect()
}
