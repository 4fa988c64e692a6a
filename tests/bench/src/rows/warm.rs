//! Measures the return to known files: the next start of a stopped daemon, and a second work tree of the same commit.
//!
//! The clock of a warm start begins with the start of a session's shim, which finds no daemon and starts one. It ends
//! with the first answer that equals the one from before the stop. The sources are in the page cache in both cases.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{FEW, Failure, Lab, time_of, timed};
use crate::Args;
use crate::git;
use crate::mcp::{Answer, Server};
use crate::stats::{Times, millis, show};
use crate::world::{World, run};

/// The longest time from a start to a right answer.
const PATIENCE: Duration = Duration::from_secs(600);

/// A cold index is measured again only if it takes less than this.
const CHEAP: Duration = Duration::from_secs(20);

/// A question whose answer covers the whole tree.
struct Question {
    tool: &'static str,
    args: Value,
    /// The fields of the result that must be the same again.
    same: &'static [&'static str],
}

/// Measures a cold index, then restarts, then a second work tree.
pub(super) fn warm(args: &Args, lab: &Lab) -> Result<(), Failure> {
    println!("\nwarm: cold index against the first right answer of a restarted daemon");
    let cold = cold_times(lab)?;
    show("hob index, empty cache, daemon's start included", &cold);
    let name = args.names.first().map_or("main", String::as_str);
    let questions = [
        Question {
            tool: "regex_search",
            args: json!({"pattern": name, "output": "count", "max_millis": 60_000}),
            same: &["total_lines", "total_matches", "files_matched", "complete"],
        },
        Question { tool: "map_search", args: json!({"query": name}), same: &["total"] },
    ];
    let mut stops = Times::default();
    let mut warm = [Times::default(), Times::default()];
    let truths = questions.iter().map(|question| question.truth(lab)).collect::<Result<Vec<_>, _>>()?;
    for _ in 0..FEW {
        for ((question, truth), times) in questions.iter().zip(&truths).zip(&mut warm) {
            timed(&mut stops, || lab.world.stop())?;
            question.first_right_answer(lab, truth, times)?;
        }
    }
    show("hob stop", &stops);
    for (question, times) in questions.iter().zip(&warm) {
        show(&format!("restart to a right {}", question.tool), times);
        println!("  => cold / warm = {:.1} (medians)", cold.median() / times.median());
        args.sheet.note_multiple(
            "warm",
            &format!("restart to a right {}", question.tool),
            times,
            ("hob index, cold", &cold),
        );
    }
    second_work_tree(lab, &cold)
}

fn cold_times(lab: &Lab) -> Result<Times, Failure> {
    let mut cold = Times::default();
    if let Some(took) = lab.cold {
        cold.push(took);
    }
    if lab.cold.is_none_or(|took| took < CHEAP) {
        for _ in 0..FEW - 1 {
            let world = World::new(lab.world.tree())?;
            timed(&mut cold, || world.index())?;
        }
    }
    Ok(cold)
}

impl Question {
    /// Returns the answer of a daemon that has derived everything.
    fn truth(&self, lab: &Lab) -> Result<Answer, Failure> {
        lab.world.rest()?;
        let answer = lab.world.server()?.ask(self.tool, &self.args)?;
        if answer.has_doubts() {
            return Err(format!("{} has no sure answer: {answer:?}", self.tool).into());
        }
        Ok(answer)
    }

    fn first_right_answer(&self, lab: &Lab, truth: &Answer, times: &mut Times) -> Result<(), Failure> {
        let start = Instant::now();
        let mut server = lab.world.server()?;
        loop {
            let answer = server.ask(self.tool, &self.args)?;
            let same = |field: &&str| answer.data()[*field] == truth.data()[*field];
            if self.same.iter().all(same) {
                times.push(start.elapsed());
                return Ok(());
            }
            if !answer.has_doubts() {
                println!("  (an answer was wrong silently: {answer:?})");
            }
            if start.elapsed() > PATIENCE {
                return Err(format!("no right answer after a restart: {answer:?}").into());
            }
        }
    }
}

/// Measures the same commit in a second work tree: known contents need not be parsed.
fn second_work_tree(lab: &Lab, cold: &Times) -> Result<(), Failure> {
    println!("\nwarm: a second work tree of the same commit, with the same daemon");
    let tree = lab.world.tree();
    // A tree without a repository of its own would be a part of one above it.
    git::init(tree)?;
    if !git::has_commit(tree) {
        git::commit_all(tree)?;
    }
    let second = lab.scratch.at("second");
    let path = second.to_str().ok_or("the scratch folder's name is not Unicode")?;
    run(&mut git::git(tree, &["worktree", "add", "--detach", "-f", path, "HEAD"]))?;
    let took = time_of(|| run(lab.world.command("hob").current_dir(&second).arg("index")))?;
    let status = Server::start(lab.world.shim().current_dir(&second))?.ask("map_status", &json!({}))?;
    run(&mut git::git(tree, &["worktree", "remove", "--force", path]))?;
    let (files, memory) = (&status.data()["files"], &status.data()["memory"]);
    println!("  hob index in the second work tree: {:.0} ms (n=1), {files} files in its map", millis(took));
    println!("  => parsed: {}, from the store: {}", memory["factsExtracted"], memory["factsFromStore"]);
    println!("  => first cold index / second work tree = {:.1}", cold.median() / millis(took));
    Ok(())
}
