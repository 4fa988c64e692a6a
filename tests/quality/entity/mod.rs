//! `resolve` is asked what words mean, over five projects in which what they mean is known.
//!
//! `subjects/` was written by reading the sources, the misspellings drawn from their definitions; what `golden.txt` calls
//! wrong is a list to work on, and no label is changed because an answer disagrees, only where the sources do. Half of the
//! subjects are for fitting confidences (told by a hash of the words), the other half says how well they hold.
//!
//! `HOB_FIT_ENTITY=<file>` writes a line for each subject with what is needed to fit confidences anew, and prints the steps
//! that isotonic regression makes of the fitting half ([`fit`]).

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

/// Set to write what is instead of comparing it.
const BLESS: &str = "HOB_BLESS_ENTITY";

/// Set to the path of a file: candidates with their scores are written there.
const FIT: &str = "HOB_FIT_ENTITY";

/// All of them. Nobody is there to be asked, no user and no model, so that the last three come down to what they do without.
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

/// Labels that mean nothing in the project.
fn missing(project: &mut Project, subject: &Subject) -> Vec<String> {
    let mut missing: Vec<String> = subject.missing(&project.tree).map(str::to_owned).collect();
    for node in subject.nodes() {
        if project.ask("resolve", &json!({"nodeId": node})).envelope["data"]["inMap"] != true {
            missing.push(node);
        }
    }
    missing
}

/// Asks everything in all modes; outcomes by mode.
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

/// Figures of all modes, and what went wrong; where `ranked` is all that is done, only what is otherwise there.
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

/// The first candidate may be wrong in `quick`, which takes it unseen.
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

/// Returns the best candidate and its rival; `None` if there is no candidate.
fn point(answer: &Answer, subject: &Subject) -> Option<Point> {
    let candidates = answer.list("/candidates");
    let first = candidates.first()?;
    let is_one = !matches!(subject.class, Class::Absent | Class::Ambiguous);
    let is_right = is_one && subject.is_meant(first["id"].as_str().unwrap_or_default());
    Some(Point { first: score(first)?, second: candidates.get(1).and_then(score), is_right })
}

/// One line a subject, and the steps on standard output.
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
