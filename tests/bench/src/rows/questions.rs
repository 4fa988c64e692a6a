//! Measures the tokens and calls of recorded questions, against a shell with ripgrep and `sed`.
//!
//! The questions are those of `tests/quality/economy`, where a golden file fixes their characters; here the figures are
//! shown side by side. The questions are about three pinned projects, so the tree has to be one of these.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{Failure, Lab};
use crate::Args;
use crate::peers::is_there;
use crate::report::figure::{Sample, Sense, Unit};

const QUESTIONS: &str = include_str!("../../../quality/economy/questions.txt");

/// The characters of a token.
const CHARACTERS: f64 = 4.0;

/// A question with the calls to hob and the shell commands that answer it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Question<'t> {
    name: &'t str,
    calls: Vec<(&'t str, &'t str)>,
    commands: Vec<&'t str>,
}

/// Asks the questions about one project.
pub(super) fn questions(args: &Args, lab: &Lab) -> Result<(), Failure> {
    println!("\nquestions: tokens and calls of hob, and of a shell with ripgrep and sed");
    let Some(project) = &args.questions else {
        args.sheet.note_absence(
            "questions",
            "the whole row",
            "recorded questions are about click, flask and rxjs",
        );
        println!("  the tree is none of click, flask, rxjs (--questions): left out");
        return Ok(());
    };
    if !is_there(&args.rg) {
        println!("  {} is not installed: left out", args.rg.display());
        args.sheet.note_absence("questions", "ripgrep", "it is not installed (--rg)");
        return Ok(());
    }
    let mut server = lab.world.server()?;
    // Ranks are known only after everything is derived.
    server.call("map_overview", &json!({}))?;
    let asked = read_questions(QUESTIONS, project);
    let (mut hob, mut shell) = ([0.0; 2], [0.0; 2]);
    for question in &asked {
        let mut tokens = [0.0; 2];
        for (tool, arguments) in &question.calls {
            let arguments: Value = serde_json::from_str(arguments)?;
            tokens[0] += server.call(tool, &arguments)?.chars().count() as f64 / CHARACTERS;
        }
        for command in &question.commands {
            tokens[1] += characters_of(command, &args.rg, lab.world.tree())? as f64 / CHARACTERS;
        }
        println!(
            "  {:<40} {:>6.0} {:>6.0} => {:.2}",
            question.name,
            tokens[0],
            tokens[1],
            tokens[0] / tokens[1]
        );
        note_figure(args, question.name, Unit::Tokens, tokens);
        hob = [hob[0] + tokens[0], hob[1] + question.calls.len() as f64];
        shell = [shell[0] + tokens[1], shell[1] + question.commands.len() as f64];
    }
    note_figure(args, "all questions", Unit::Tokens, [hob[0], shell[0]]);
    note_figure(args, "calls of all questions", Unit::Calls, [hob[1], shell[1]]);
    Ok(())
}

fn note_figure(args: &Args, name: &str, unit: Unit, values: [f64; 2]) {
    let [hob, shell] = [("hob", values[0]), ("rg and sed", values[1])]
        .map(|(who, value)| Sample::new(who, unit, vec![value]));
    args.sheet.note_figure("questions", name, Sense::Race, hob, Some(shell));
}

/// Returns the questions about one project.
fn read_questions<'t>(text: &'t str, project: &str) -> Vec<Question<'t>> {
    let mut all: Vec<(&str, Question<'t>)> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((kind, rest)) = line.split_once(' ') else { continue };
        match (kind, all.last_mut()) {
            ("h", Some((_, question))) => question.calls.extend(rest.split_once(' ')),
            ("g", Some((_, question))) => question.commands.push(rest),
            _ => all.push((kind, Question { name: rest, ..Question::default() })),
        }
    }
    all.into_iter().filter(|(about, _)| *about == project).map(|(_, question)| question).collect()
}

/// Returns the number of characters that a command prints. A command that prints nothing was written for another
/// version of the project.
fn characters_of(command: &str, rg: &Path, tree: &Path) -> Result<usize, Failure> {
    let folder = rg.parent().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", command])
        .current_dir(tree)
        .env("PATH", format!("{folder}:{path}"))
        .stdin(Stdio::null());
    let count = String::from_utf8_lossy(&shell.output()?.stdout).chars().count();
    match count {
        0 => {
            Err(format!("`{command}` prints nothing: is this the version that the questions are about?")
                .into())
        }
        count => Ok(count),
    }
}

#[cfg(test)]
mod tests {
    use super::{QUESTIONS, read_questions};

    #[test]
    fn questions_are_read_with_their_calls_and_commands() {
        let text = "# head\nclick who\nh tool {\"a\": 1}\ng rg a\ng sed b\nrxjs other\nh t {}\ng c\n";
        let asked = read_questions(text, "click");
        assert_eq!(asked.len(), 1);
        assert_eq!((asked[0].calls[0], asked[0].commands.len()), (("tool", "{\"a\": 1}"), 2));
        for project in ["click", "flask", "rxjs"] {
            let asked = read_questions(QUESTIONS, project);
            assert!(
                !asked.is_empty() && asked.iter().all(|question| !question.commands.is_empty()),
                "{project}"
            );
        }
    }
}
