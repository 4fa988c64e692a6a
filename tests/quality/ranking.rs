//! Asks `text_search` the questions that agents ask, about Django, flask and rxjs as they were published.
//!
//! `questions.txt` contains the questions and their answers, which were found by reading the sources. `ranking.txt`
//! contains the rank of the first answer to each, and the resulting figures, so that a change of the ranking is visible
//! in the diff. Half of the questions are for tuning, and the other half shows if the tuning went too far.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use hob_tests::{Answer, Tree, World, copy_folder, outside, projects, repository};
use serde_json::{Value, json};

use super::super::e2e::ranked::ask;

/// The variable that makes the test write the present values instead of comparing them.
const BLESS: &str = "HOB_BLESS_RANKING";

struct Question {
    project: &'static str,
    text: &'static str,
    answers: Vec<&'static str>,
}

fn questions() -> Vec<Question> {
    let lines = include_str!("questions.txt").lines().filter(|line| !line.starts_with('#'));
    let question = |line: &'static str| {
        let mut fields = line.split(" | ");
        let mut field = || fields.next().expect("three fields").trim();
        Question { project: field(), text: field(), answers: field().split(", ").collect() }
    };
    lines.map(question).collect()
}

/// Copies each project to a folder that no other repository's rules apply to.
fn trees(world: &World) -> BTreeMap<&'static str, Tree> {
    let sources: [(&str, &Path); 3] =
        [("django", outside::django()), ("flask", projects::flask()), ("rxjs", projects::rxjs())];
    let tree = |(name, source): (&'static str, &Path)| {
        let root = world.path(name);
        copy_folder(source, &root);
        fs::create_dir_all(root.join(".git")).expect("a folder can be made");
        (name, Tree::existing(&root))
    };
    sources.map(tree).into_iter().collect()
}

/// Returns the answers that are not in the tree, as `path` or `path#Definition`.
fn missing(world: &World, tree: &Tree, question: &Question) -> Vec<&'static str> {
    let ending = |file: &str| if file.ends_with(".ts") { "ts" } else { "py" };
    let is_there = |answer: &str| match answer.split_once('#') {
        None => tree.at(answer).is_file(),
        Some((file, _)) => {
            let id = format!("{}:{answer}", ending(file));
            world.call(tree, "resolve", &json!({"nodeId": id})).envelope["data"]["inMap"] == true
        }
    };
    question.answers.iter().copied().filter(|answer| !is_there(answer)).collect()
}

/// Returns the place of the first answer among the results, from 1.
fn rank(question: &Question, answer: &Answer) -> Option<usize> {
    let is_answer = |found: &Value| {
        let id = found["id"].as_str().unwrap_or_default();
        let named = id.split_once(':').map_or("", |(_, rest)| rest);
        question.answers.iter().any(|answer| *answer == named || found["file"] == **answer)
    };
    Some(answer.list("/results").iter().position(is_answer)? + 1)
}

fn figures(name: &str, ranks: &[Option<usize>]) -> String {
    let all = ranks.len() as f64;
    let within = |most: usize| ranks.iter().flatten().filter(|rank| **rank <= most).count() as f64 / all;
    let mrr = ranks.iter().flatten().map(|rank| 1.0 / *rank as f64).sum::<f64>() / all;
    let (five, ten) = (within(5), within(10));
    format!("{name:<8} {all:>3} questions  recall@5 {five:.3}  recall@10 {ten:.3}  MRR {mrr:.3}\n")
}

#[test]
fn questions_are_answered_as_well_as_before() {
    let world = World::new();
    let trees = trees(&world);
    let questions = questions();
    assert!(questions.len() >= 60, "{}", questions.len());
    let mut ranks = Vec::new();
    let mut list = String::new();
    for question in &questions {
        let tree = &trees[question.project];
        let args = json!({"query": question.text, "tokenBudget": 10_000});
        let rank = rank(question, &ask(&world, tree, &args));
        let missing = missing(&world, tree, question);
        assert!(missing.is_empty(), "{}: {missing:?} are not in {}", question.text, question.project);
        ranks.push(rank);
        let rank = rank.map_or("-".to_owned(), |rank| rank.to_string());
        writeln!(list, "{:<8} {rank:>3}  {}", question.project, question.text).expect("a string takes it");
    }
    let half = |odd: usize| ranks.iter().skip(odd).step_by(2).copied().collect::<Vec<_>>();
    let mut now =
        String::from("# Rank of the first answer to each question; `-` is none among the first 20.\n");
    for (name, ranks) in [("tuned", half(0)), ("checked", half(1)), ("all", ranks.clone())] {
        now.push_str(&figures(name, &ranks));
    }
    now.push_str(&list);
    let golden = repository().join("tests/quality/ranking.txt");
    if std::env::var_os(BLESS).is_some() {
        fs::write(&golden, &now).expect("the golden file can be written");
    }
    let before = fs::read_to_string(&golden).unwrap_or_default();
    print!("{}", now.lines().take(4).map(|line| format!("{line}\n")).collect::<String>());
    let differ = now.lines().zip(before.lines()).filter(|(now, before)| now != before);
    let differ: Vec<String> = differ.map(|(now, before)| format!("- {before}\n+ {now}")).collect();
    assert!(
        now == before,
        "the ranking has changed; if that is for the better, set {BLESS}=1 and commit tests/quality/ranking.txt\n{}",
        differ.join("\n")
    );
}
