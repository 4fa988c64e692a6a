//! Asks `resolve` for the meaning of words, in five projects in which their meaning is known.
//!
//! `subjects/` was written by reading the sources, and the misspellings were drawn from their definitions. The entries
//! that `golden.txt` calls wrong are a list to work on. No label is changed because an answer disagrees, but only if
//! the sources do. Half of the subjects serve to fit confidences (a hash of the words decides), and the other half
//! shows how well these hold.
//!
//! `HOB_FIT_ENTITY=<file>` writes a line for each subject with what is needed to fit confidences again, and prints the
//! steps that isotonic regression makes of the fitting half ([`fit`]).

mod fit;
mod report;
mod subjects;

use std::fmt::Write as _;
use std::fs;

use hob_tests::{Answer, World, repository};
use serde_json::{Value, json};

use super::five::{self, Project};
use fit::Point;
use report::Outcome;
use subjects::{Class, Subject};

/// The variable that makes the test write the present values instead of comparing them.
const BLESS: &str = "HOB_BLESS_ENTITY";

/// The variable with the path of a file to which the candidates are written with their scores.
const FIT: &str = "HOB_FIT_ENTITY";

/// All modes. No user and no model can be asked, so the last three do what they do without them.
const MODES: [&str; 5] = ["quick", "ranked", "hybrid", "llm_select", "interactive"];

fn ask(project: &mut Project, subject: &Subject, mode: &'static str) -> Outcome {
    let args = json!({"subject": subject.text, "strategy": {"mode": mode}});
    let answer = project.ask("resolve", &args);
    let data = answer.ok();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Outcome {
        project: project.name,
        subject: subject.clone(),
        status: text(&data["status"]).expect("an answer has a status"),
        id: text(&data["entity"]["id"]),
        confidence: data["confidence"].as_f64().expect("an answer has a confidence"),
        candidates: answer.texts("/candidates", "id").into_iter().map(str::to_owned).collect(),
        mode,
    }
}

/// Returns the labels that name nothing in the project.
fn missing(project: &mut Project, subject: &Subject) -> Vec<String> {
    let mut missing: Vec<String> = subject.missing(&project.tree).map(str::to_owned).collect();
    for node in subject.nodes() {
        if project.ask("resolve", &json!({"nodeId": node})).envelope["data"]["inMap"] != true {
            missing.push(node);
        }
    }
    missing
}

/// Asks everything in all modes. Returns the outcomes by mode.
fn outcomes(projects: &mut [Project]) -> [Vec<Outcome>; MODES.len()] {
    let mut outcomes = [const { Vec::new() }; MODES.len()];
    for project in projects {
        for subject in subjects::subjects(project.name) {
            let missing = missing(project, &subject);
            assert!(missing.is_empty(), "{}: {missing:?} are not in {}", subject.text, project.name);
            for (mode, outcomes) in MODES.into_iter().zip(&mut outcomes) {
                outcomes.push(ask(project, &subject, mode));
            }
        }
    }
    outcomes
}

#[test]
fn words_mean_what_they_meant_before() {
    let world = World::new().env("PATH", "/nonexistent");
    let mut projects = five::projects(&world);
    if let Some(path) = std::env::var_os(FIT) {
        fs::write(path, fitted(&mut projects)).expect("it can be written");
    }
    let all = outcomes(&mut projects);
    assert!(all[0].len() >= 300, "{}", all[0].len());
    compare(&golden(&all));
    for (mode, outcomes) in MODES.into_iter().zip(&all).skip(1) {
        reaches_the_goals(mode, outcomes);
    }
}

/// Formats the figures of all modes and the wrong answers. The modes other than `quick` and `ranked` list only those
/// wrong answers that `ranked` does not have.
fn golden(all: &[Vec<Outcome>; MODES.len()]) -> String {
    let mut text = "# What became of subjects by class; `shown`: what was meant is the answer or a candidate.\n\
                    # Reliability: for each tenth of confidence from its beginning, how many were resolved and the share right.\n"
        .to_owned();
    for (mode, outcomes) in MODES.into_iter().zip(all) {
        text.push_str(&report::figures(&format!("{mode}, all"), outcomes));
        text.push_str(&report::figures(&format!("{mode}, held out"), &held_out(outcomes)));
    }
    let ranked = report::wrong(&all[1]);
    for (mode, outcomes) in MODES.into_iter().zip(all) {
        let wrong = report::wrong(outcomes);
        let is_apart = ["quick", "ranked"].contains(&mode);
        let news = wrong.lines().filter(|line| is_apart || !ranked.lines().any(|known| known == *line));
        let news: String = news.map(|line| format!("{line}\n")).collect();
        let besides = if is_apart { "" } else { ", and otherwise than ranked" };
        write!(text, "# {mode}: not right{besides}\n{news}").expect("a string takes it");
    }
    text
}

fn held_out(outcomes: &[Outcome]) -> Vec<Outcome> {
    outcomes.iter().filter(|one| !one.subject.is_for_fitting()).cloned().collect()
}

/// Checks the goals. In `quick` the first candidate may be wrong, because this mode takes it unseen.
fn reaches_the_goals(mode: &str, outcomes: &[Outcome]) {
    let goals = [
        ("what is resolved is right", report::precision(outcomes, 0.0).1, 0.95),
        ("what is sure is right", report::precision(outcomes, 0.9).1, 0.97),
        ("what is sure is right, held out", report::precision(&held_out(outcomes), 0.9).1, 0.97),
        ("what is absent is not found", report::right(outcomes, Class::Absent), 0.95),
        ("misspelt names are resolved", report::right(outcomes, Class::Misspelling), 0.9),
    ];
    for (goal, reached, wanted) in goals {
        assert!(reached >= wanted, "{mode}: {goal}: {reached:.3} is less than {wanted}");
    }
}

/// Returns the sum of the terms of a score.
fn score(candidate: &Value) -> Option<f64> {
    let terms = candidate["score"].as_object()?;
    let total = terms.get("total").and_then(Value::as_f64);
    total.or_else(|| Some(terms.values().filter_map(Value::as_f64).sum()))
}

/// Returns the best candidate and its rival, or `None` if there is no candidate.
fn point(answer: &Answer, subject: &Subject) -> Option<Point> {
    let candidates = answer.list("/candidates");
    let first = candidates.first()?;
    let is_one = !matches!(subject.class, Class::Absent | Class::Ambiguous);
    let is_right = is_one && subject.is_meant(first["id"].as_str().unwrap_or_default());
    Some(Point { first: score(first)?, second: candidates.get(1).and_then(score), is_right })
}

/// Returns one line per subject, and prints the steps.
fn fitted(projects: &mut [Project]) -> String {
    let mut text =
        "half\tproject\tclass\tright\tstanding\tfirst\tsecond\tstatus\tconfidence\tsubject\tid\tterms\n"
            .to_owned();
    let mut points = Vec::new();
    let debug = json!({"include_candidates": true, "include_explanations": true});
    for project in projects {
        for subject in subjects::subjects(project.name) {
            let args = json!({"subject": subject.text, "strategy": {"mode": "ranked"}, "debug": debug, "tokenBudget": 10_000});
            let answer = project.ask("resolve", &args);
            let Some(point) = point(&answer, &subject) else { continue };
            let half = if subject.is_for_fitting() { "fit" } else { "judge" };
            let (data, best) = (answer.ok(), &answer.list("/candidates")[0]);
            writeln!(
                text,
                "{half}\t{}\t{}\t{}\t{:.4}\t{:.4}\t{:.4}\t{}\t{}\t{}\t{}\t{}",
                project.name,
                subject.class.name(),
                u8::from(point.is_right),
                point.standing(),
                point.first,
                point.second.unwrap_or(0.0),
                data["status"],
                data["confidence"],
                subject.text,
                best["id"],
                best["score"]
            )
            .expect("a string takes it");
            if subject.is_for_fitting() {
                points.push(point);
            }
        }
    }
    print!("{}", fit::steps(&points));
    text
}

fn compare(now: &str) {
    print!("{now}");
    let golden = repository().join("tests/quality/entity/golden.txt");
    if std::env::var_os(BLESS).is_some() {
        fs::write(&golden, now).expect("the golden file can be written");
    }
    let before = fs::read_to_string(&golden).unwrap_or_default();
    let differ = now.lines().zip(before.lines()).filter(|(now, before)| now != before);
    let differ: Vec<String> = differ.map(|(now, before)| format!("- {before}\n+ {now}")).collect();
    assert!(
        now == before,
        "what words mean has changed; if that is for the better, set {BLESS}=1 and commit {}\n{}",
        golden.display(),
        differ.join("\n")
    );
}
