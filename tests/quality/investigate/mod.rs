//! Asks `investigate` about topics whose answers are known, in five projects, and compares it with an agent that uses
//! grep.
//!
//! `topics/` contains the questions and the files that answer them. They were written by reading the sources before the
//! first answer was seen, and have not been changed since: a question with a wrong answer stays. For each question,
//! `golden.txt` contains the place of the first right file among the entries, the tokens that the answer costs with
//! hob, and those that it costs with grep ([`grep`]).
//!
//! hob's cost is that of the answer to `investigate`. If no entry in a right file contains its source text, the cost of
//! `investigate_expand` on the first such entry is added. If no entry is in a right file, all of grep's cost is added.

mod grep;

use std::fmt::Write as _;
use std::fs;

use hob_tests::{Answer, World, repository};
use serde_json::{Value, json};

use super::five::{self, Project};

/// The variable that makes the test write the present values instead of comparing them.
const BLESS: &str = "HOB_BLESS_INVESTIGATE";

/// The most tokens that an answer may cost.
const BUDGET: u64 = 4_000;

const TOPICS: [(&str, &str); 5] = [
    ("flask", include_str!("topics/flask.txt")),
    ("rxjs", include_str!("topics/rxjs.txt")),
    ("aho-corasick", include_str!("topics/aho-corasick.txt")),
    ("go-cmp", include_str!("topics/go-cmp.txt")),
    ("zstd", include_str!("topics/zstd.txt")),
];

struct Topic {
    text: &'static str,
    /// The files that answer it. Any of them is right.
    files: Vec<&'static str>,
}

fn topics(project: &str) -> Vec<Topic> {
    let all = TOPICS.iter().find(|(name, _)| *name == project).expect("every project has topics").1;
    let topic = |line: &'static str| {
        let (text, files) = line.split_once(" | ").expect("a question and its files");
        Topic { text, files: files.split(", ").collect() }
    };
    all.lines().filter(|line| !line.starts_with('#')).map(topic).collect()
}

/// The result of one topic.
struct Outcome {
    /// The place of the first entry in a right file, from 1.
    rank: Option<usize>,
    /// The tokens for finding the answer with hob.
    hob: u64,
    /// The tokens for finding the answer with grep.
    grep: u64,
}

fn cost(answer: &Answer) -> u64 {
    answer.envelope["tokenBudget"]["used"].as_u64().expect("an answer says what it costs")
}

fn is_in(entry: &Value, files: &[&str]) -> bool {
    let location = entry["location"].as_str().and_then(|at| at.rsplit_once(':'));
    location.is_some_and(|(file, _)| files.contains(&file))
}

/// Returns the tokens that are needed in addition to the answer to see the code.
fn rest(project: &mut Project, topic: &Topic, answer: &Answer) -> u64 {
    let right: Vec<&Value> =
        answer.list("/entries").iter().filter(|entry| is_in(entry, &topic.files)).collect();
    if right.iter().any(|entry| entry["body_complete"] == true) {
        return 0;
    }
    let args = json!({"bundle_id": answer.ok()["bundle_id"], "targets": [right[0]["asset_id"]]});
    cost(&project.ask("investigate_expand", &args))
}

fn outcome(project: &mut Project, topic: &Topic, answer: &Answer) -> Outcome {
    let all = answer.list("/entries");
    let rank = all.iter().position(|entry| is_in(entry, &topic.files)).map(|at| at + 1);
    let grep = grep::tokens(&project.tree, topic.text, &topic.files);
    let beyond = match rank {
        Some(_) => rest(project, topic, answer),
        None => grep,
    };
    assert!(cost(answer) <= BUDGET, "{answer}");
    assert!(answer.text.chars().count() as u64 / 4 <= BUDGET, "{answer}");
    Outcome { rank, hob: cost(answer) + beyond, grep }
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of[of.len() / 2]
}

/// Returns the share of outcomes with the right file among the first `most` entries.
fn within(outcomes: &[Outcome], most: usize) -> f64 {
    let right = outcomes.iter().filter(|one| one.rank.is_some_and(|rank| rank <= most));
    right.count() as f64 / outcomes.len() as f64
}

/// Returns the total cost of grep, as a multiple of hob's.
fn ratio(outcomes: &[Outcome]) -> f64 {
    let sum = |of: fn(&Outcome) -> u64| outcomes.iter().map(of).sum::<u64>() as f64;
    sum(|one| one.grep) / sum(|one| one.hob)
}

fn figures(name: &str, outcomes: &[Outcome]) -> String {
    let each = median(outcomes.iter().map(|one| one.grep as f64 / one.hob as f64).collect());
    let (all, five) = (within(outcomes, usize::MAX), within(outcomes, 5));
    let (count, total) = (outcomes.len(), ratio(outcomes));
    format!(
        "{name:<12} {count:>3} topics  among the entries {all:.3}  within five {five:.3}  \
         grep costs {total:.1} times as much, {each:.1} in the median\n"
    )
}

fn line(project: &str, topic: &Topic, outcome: &Outcome) -> String {
    let rank = outcome.rank.map_or("-".to_owned(), |rank| rank.to_string());
    format!("{project:<12} {rank:>3} {:>6} {:>7}  {}\n", outcome.hob, outcome.grep, topic.text)
}

/// Checks that the same words give the same bytes, both immediately and after everything was extracted again.
fn is_steady(project: &mut Project, asked: &[(Value, Answer)]) {
    let mut again = |when: &str| {
        for (args, before) in asked {
            let now = project.ask("investigate", args);
            assert!(now.text == before.text, "{when}{now}\n--- before\n{}", before.text);
        }
        project.rebuild();
    };
    again("asked twice");
    again("asked after a rebuild");
}

#[test]
fn topics_lead_to_the_files_that_answer_them() {
    let world = World::new().env("PATH", "/nonexistent");
    let (mut all, mut parts, mut list) = (Vec::new(), String::new(), String::new());
    for mut project in five::projects(&world) {
        let (mut own, mut asked) = (Vec::new(), Vec::new());
        for topic in topics(project.name) {
            topic.files.iter().for_each(|file| assert!(project.tree.at(file).is_file(), "{file}"));
            let args = json!({"query": topic.text});
            let answer = project.ask("investigate", &args);
            let outcome = outcome(&mut project, &topic, &answer);
            list.push_str(&line(project.name, &topic, &outcome));
            own.push(outcome);
            asked.push((args, answer));
        }
        is_steady(&mut project, &asked);
        parts.push_str(&figures(project.name, &own));
        all.extend(own);
    }
    let mut now = String::from(
        "# Place of the first entry in a right file (`-`: none), tokens with hob, tokens with grep, question.\n",
    );
    write!(now, "{}{parts}{list}", figures("all", &all)).expect("a string takes it");
    compare(&now);
    assert!(all.len() >= 60, "{}", all.len());
    assert!(within(&all, usize::MAX) >= 0.9 && within(&all, 5) >= 0.75, "{now}");
}

fn compare(now: &str) {
    print!("{now}");
    let golden = repository().join("tests/quality/investigate/golden.txt");
    if std::env::var_os(BLESS).is_some() {
        fs::write(&golden, now).expect("the golden file can be written");
    }
    let before = fs::read_to_string(&golden).unwrap_or_default();
    let differ = now.lines().zip(before.lines()).filter(|(now, before)| now != before);
    let differ: Vec<String> = differ.map(|(now, before)| format!("- {before}\n+ {now}")).collect();
    assert!(
        now == before,
        "what topics lead to has changed; if that is for the better, set {BLESS}=1 and commit {}\n{}",
        golden.display(),
        differ.join("\n")
    );
}
