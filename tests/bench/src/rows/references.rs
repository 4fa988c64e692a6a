//! Measures one question, "who references this", through MCP: hob, and cclsp, which puts a language server behind its
//! tools too.
//!
//! Each program has a language server of its own, of the same make. The time of the first answer begins with the start of
//! the MCP server and ends when an answer names every file that hob's complete answer names. After that, all are asked in
//! turns.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use hob_live::requests::RequestPosition;
use serde_json::{Value, json};

use super::nav::place;
use super::{Failure, timed};
use crate::Args;
use crate::mcp::Server;
use crate::report::figure::{Sample, Sense, Unit};
use crate::stats::{Times, compare};
use crate::world::World;

/// Longer than any server needs to load.
const PATIENCE: Duration = Duration::from_secs(180);

/// The pause between two questions to a server that does not know the answer yet.
const PAUSE: Duration = Duration::from_millis(100);

/// The language servers that cclsp is told to start, after the endings of their files.
const LANGUAGE_SERVERS: [(&[&str], &str); 2] =
    [(&["py", "pyi"], "pyright-langserver"), (&["ts", "tsx", "js", "jsx"], "typescript-language-server")];

/// The tokens that hob's answer may have: the most that a call can ask for, since all files are wanted.
const BUDGET: u32 = 10_000;

/// Characters of an answer that count as one token.
const CHARS_OF_TOKEN: f64 = 4.0;

/// An MCP server with its question.
struct Asked {
    who: &'static str,
    server: Server,
    tool: &'static str,
    question: Value,
    times: Times,
    /// The last answer.
    answer: String,
}

impl Asked {
    fn ask(&mut self) -> Result<(), Failure> {
        self.answer = timed(&mut self.times, || self.server.call(self.tool, &self.question))?;
        Ok(())
    }

    /// Asks until an answer names all files, and returns the time since `start` and the number of earlier answers.
    fn ask_until_named(
        &mut self,
        files: &BTreeSet<String>,
        start: Instant,
    ) -> Result<(Duration, usize), Failure> {
        for earlier in 0.. {
            self.ask()?;
            if self.names_all(files) {
                return Ok((start.elapsed(), earlier));
            }
            if start.elapsed() > PATIENCE {
                break;
            }
            std::thread::sleep(PAUSE);
        }
        let known = files.iter().filter(|file| names_file(&self.answer, file)).count();
        Err(format!("{} named {known} of {} files in {} s", self.who, files.len(), PATIENCE.as_secs()).into())
    }

    fn names_all(&self, files: &BTreeSet<String>) -> bool {
        files.iter().all(|file| names_file(&self.answer, file))
    }

    fn answer_tokens(&self) -> Sample {
        Sample::new(self.who, Unit::Tokens, vec![self.answer.chars().count() as f64 / CHARS_OF_TOKEN])
    }
}

/// Asks hob and cclsp about the definition at `--at`.
pub(super) fn references(args: &Args) -> Result<(), Failure> {
    println!("\nreferences: who references a definition, through MCP servers that ask a language server");
    let asked = args.at.as_deref().map(place).transpose()?;
    let at = asked.filter(|at| args.tree.join(at.file.as_str()).is_file());
    let (at, program) = match (at, &args.cclsp) {
        (Some(at), Some(program)) => (at, program),
        (None, _) => {
            return leave_out(
                args,
                "the whole row",
                "no place in this tree was given (-- --at FILE:LINE:COL)",
            );
        }
        (_, None) => return leave_out(args, "cclsp", "it was not given (-- --cclsp PROGRAM)"),
    };
    let Some(config) = cclsp_config(&args.tree, &at)? else {
        return leave_out(args, "cclsp", &format!("no language server is known for {}", at.file));
    };
    let world = World::new(&args.tree)?;
    world.index()?;
    world.rest()?;
    let question =
        json!({"file": at.file.to_string(), "line": at.line, "col": at.col, "tokenBudget": BUDGET});
    let start = Instant::now();
    let mut hob = asked_server("hob", &mut world.shim(), "nav_references", question)?;
    let files = complete_files(&mut hob)?;
    let first = start.elapsed();
    println!("  {} files reference what is at {}:{}:{}", files.len(), at.file, at.line, at.col);
    let scratch = tempfile::tempdir()?;
    let settings = scratch.path().join("cclsp.json");
    fs::write(&settings, config.to_string())?;
    let mut command = Command::new(program.canonicalize()?);
    command.current_dir(&args.tree).env("CCLSP_CONFIG_PATH", &settings);
    let question = json!({"file_path": at.file.to_string(), "symbol_name": name_at(&args.tree, &at)?});
    let start = Instant::now();
    let mut cclsp = asked_server("cclsp", &mut command, "find_references", question)?;
    let (theirs, earlier) = cclsp.ask_until_named(&files, start)?;
    println!(
        "  first answer with all files: hob {first:.1?}, cclsp {theirs:.1?} after {earlier} that lacked some"
    );
    let mut firsts = (Times::default(), Times::default());
    firsts.0.push(first);
    firsts.1.push(theirs);
    args.sheet.note_race("references", "the first answer", ("hob", &firsts.0), ("cclsp", &firsts.1));
    ask_in_turns(args, &mut hob, &mut cclsp)?;
    if !cclsp.names_all(&files) {
        println!("  the last answer of cclsp lacks files");
    }
    Ok(())
}

fn leave_out(args: &Args, what: &str, why: &str) -> Result<(), Failure> {
    println!("  {what}: {why}");
    args.sheet.note_absence("references", what, why);
    Ok(())
}

/// Asks both in turns, and notes times and sizes of their answers.
fn ask_in_turns(args: &Args, hob: &mut Asked, other: &mut Asked) -> Result<(), Failure> {
    (hob.times, other.times) = (Times::default(), Times::default());
    for _ in 0..args.rounds {
        hob.ask()?;
        other.ask()?;
    }
    compare((hob.tool, &hob.times), (other.who, &other.times));
    let name = format!("asked again ({})", other.who);
    args.sheet.note_race("references", &name, ("hob", &hob.times), (other.who, &other.times));
    let name = format!("the answer ({})", other.who);
    args.sheet.note_figure(
        "references",
        &name,
        Sense::Race,
        hob.answer_tokens(),
        Some(other.answer_tokens()),
    );
    Ok(())
}

fn asked_server(
    who: &'static str,
    command: &mut Command,
    tool: &'static str,
    question: Value,
) -> Result<Asked, Failure> {
    let server = Server::start(command)?;
    Ok(Asked { who, server, tool, question, times: Times::default(), answer: String::new() })
}

/// Asks hob until its answer is complete, and returns the files that it names.
fn complete_files(hob: &mut Asked) -> Result<BTreeSet<String>, Failure> {
    let until = Instant::now() + PATIENCE;
    loop {
        let answer = hob.server.ask(hob.tool, &hob.question)?;
        let data = answer.data();
        if data["completeness"] == "complete" {
            let found = data["locations"].as_array().map_or(&[][..], Vec::as_slice);
            let files: BTreeSet<String> =
                found.iter().filter_map(|place| place["file"].as_str()).map(str::to_owned).collect();
            return match files.is_empty() || data["files"] != files.len() {
                true => Err("hob's answer does not name all files: ask about something less used".into()),
                false => Ok(files),
            };
        }
        if Instant::now() > until {
            return Err("hob's answer did not become complete".into());
        }
        std::thread::sleep(PAUSE);
    }
}

/// Returns true if a text has the path of a file, alone or at the end of a longer path.
fn names_file(text: &str, file: &str) -> bool {
    text.match_indices(file).any(|(at, _)| {
        !text[..at].ends_with(|before: char| before.is_alphanumeric() || matches!(before, '_' | '-' | '.'))
    })
}

/// Returns the settings with which cclsp starts the language server for a file; `None` if none is known for it.
fn cclsp_config(tree: &Path, at: &RequestPosition) -> Result<Option<Value>, Failure> {
    let ending = at.file.as_str().rsplit('.').next().unwrap_or_default();
    let known = LANGUAGE_SERVERS.iter().find(|(endings, _)| endings.contains(&ending));
    let Some((endings, program)) = known else { return Ok(None) };
    let root = tree.canonicalize()?;
    let server = json!({"extensions": endings, "command": [program, "--stdio"], "rootDir": root});
    Ok(Some(json!({"servers": [server]})))
}

/// Returns the word of a text file that begins at a position.
fn name_at(tree: &Path, at: &RequestPosition) -> Result<String, Failure> {
    let text = fs::read_to_string(tree.join(at.file.as_str()))?;
    let line = text.lines().nth((at.line as usize).saturating_sub(1)).unwrap_or_default();
    let rest = line.chars().skip((at.col as usize).saturating_sub(1));
    let name: String = rest.take_while(|one| one.is_alphanumeric() || *one == '_').collect();
    match name.is_empty() {
        true => Err(format!("no name begins at {}:{}:{}", at.file, at.line, at.col).into()),
        false => Ok(name),
    }
}

#[cfg(test)]
mod tests {
    use hob_base::WsPath;

    use super::{RequestPosition, cclsp_config, name_at, names_file};

    #[test]
    fn the_name_at_a_place_is_a_whole_word() {
        let tree = tempfile::tempdir().expect("a folder");
        std::fs::write(tree.path().join("a.py"), "x = 1\ndef größe_2(x): pass\n").expect("written");
        let at = |line, col| RequestPosition { file: WsPath::new("a.py").expect("a path"), line, col };
        assert_eq!(name_at(tree.path(), &at(2, 5)).expect("a name"), "größe_2");
        assert!(name_at(tree.path(), &at(1, 3)).is_err(), "no name begins at `=`");
        assert!(name_at(tree.path(), &at(9, 1)).is_err(), "there is no such line");
        let config = cclsp_config(tree.path(), &at(2, 5)).expect("a folder").expect("Python is known");
        assert_eq!(config["servers"][0]["command"][0], "pyright-langserver");
    }

    #[test]
    fn a_longer_name_is_not_the_file() {
        assert!(names_file("/w/tree/a/b.py:3:1", "a/b.py") && names_file("a/b.py", "a/b.py"));
        assert!(!names_file("extra/b.py and my-a/b.py", "a/b.py"));
    }
}
