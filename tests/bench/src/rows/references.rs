//! Measures one question, "who references this", through MCP: hob, and cclsp and Serena, which put a language server
//! behind their tools too.
//!
//! Each program has a language server of its own, of the same make. The time of the first answer begins with the start of
//! the MCP server and ends when an answer names every file that hob's complete answer names. After that, all are asked in
//! turns. Serena is asked for the symbols that contain references, and the others for the references themselves. A program
//! whose answers never name all files is not raced: the row says how many files it named.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use hob_live::requests::RequestPosition;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::nav::place;
use super::{Failure, timed};
use crate::Args;
use crate::mcp::Server;
use crate::peers::Serena;
use crate::report::figure::{Sample, Sense, Unit};
use crate::stats::{Times, compare};
use crate::world::World;

/// Longer than any server needs to load.
const PATIENCE: Duration = Duration::from_secs(180);

/// The time after which an answer that names some of the files is not expected to name more of them.
const SETTLED: Duration = Duration::from_secs(30);

/// The pause between two questions to a server that does not know the answer yet.
const PAUSE: Duration = Duration::from_millis(100);

/// A language server that the neighbours are told to start.
struct LanguageServer {
    /// The endings of the files that it serves.
    endings: &'static [&'static str],
    program: &'static str,
    /// The name that Serena has for the language.
    language: &'static str,
}

const LANGUAGE_SERVERS: [LanguageServer; 2] = [
    LanguageServer { endings: &["py", "pyi"], program: "pyright-langserver", language: "python" },
    LanguageServer {
        endings: &["ts", "tsx", "js", "jsx"],
        program: "typescript-language-server",
        language: "typescript",
    },
];

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

/// The end of the wait for a first answer with all files.
#[derive(Debug, PartialEq, Eq)]
enum FirstAnswer {
    /// The time since the start, and the number of earlier answers.
    Whole(Duration, usize),
    /// The number of files that the last answer named.
    Partial(usize),
}

impl Asked {
    fn start(
        who: &'static str,
        command: &mut Command,
        tool: &'static str,
        question: Value,
    ) -> Result<Self, Failure> {
        let server = Server::start(command)?;
        Ok(Self { who, server, tool, question, times: Times::default(), answer: String::new() })
    }

    fn ask(&mut self) -> Result<(), Failure> {
        self.answer = timed(&mut self.times, || self.server.call(self.tool, &self.question))?;
        Ok(())
    }

    /// Asks until an answer names all files, or until the answers name no more of them.
    fn ask_until_named(&mut self, files: &BTreeSet<String>, start: Instant) -> Result<FirstAnswer, Failure> {
        let mut best = (0, Instant::now());
        for earlier in 0.. {
            self.ask()?;
            let known = known_files(&self.answer, files);
            if known == files.len() {
                return Ok(FirstAnswer::Whole(start.elapsed(), earlier));
            }
            if known > best.0 {
                best = (known, Instant::now());
            }
            let settled = best.0 > 0 && best.1.elapsed() > SETTLED;
            if settled || start.elapsed() > PATIENCE {
                break;
            }
            std::thread::sleep(PAUSE);
        }
        Ok(FirstAnswer::Partial(best.0))
    }

    fn answer_tokens(&self) -> Sample {
        Sample::new(self.who, Unit::Tokens, vec![self.answer.chars().count() as f64 / CHARS_OF_TOKEN])
    }
}

/// The neighbours that can be asked, with what they need.
struct Neighbours<'a> {
    cclsp: Option<&'a Path>,
    serena: Option<&'a Path>,
    server: &'static LanguageServer,
    /// The `PATH` on which the language server is looked for.
    path: Option<OsString>,
    scratch: TempDir,
}

/// Asks hob and its neighbours about the definition at `--at`.
pub(super) fn references(args: &Args) -> Result<(), Failure> {
    println!("\nreferences: who references a definition, through MCP servers that ask a language server");
    let asked = args.at.as_deref().map(place).transpose()?;
    let Some(at) = asked.filter(|at| args.tree.join(at.file.as_str()).is_file()) else {
        let why = "no place in this tree was given (-- --at FILE:LINE:COL)";
        return leave_out(args, "the whole row", why);
    };
    let Some(neighbours) = Neighbours::named_in(args, &at)? else { return Ok(()) };
    let world = World::new(&args.tree)?;
    let world = match &neighbours.path {
        Some(path) => world.with_path(path.clone()),
        None => world,
    };
    world.index()?;
    world.rest()?;
    let name = name_at(&args.tree, &at)?;
    let found = world.server()?.ask("map_search", &json!({"query": name, "limit": 100}))?;
    let name = name_path(found.data(), &at).unwrap_or(name);
    let question =
        json!({"file": at.file.to_string(), "line": at.line, "col": at.col, "tokenBudget": BUDGET});
    let start = Instant::now();
    let mut hob = Asked::start("hob", &mut world.shim(), "nav_references", question)?;
    let files = complete_files(&mut hob)?;
    let first = start.elapsed();
    println!("  {} files reference {name} ({}:{}:{})", files.len(), at.file, at.line, at.col);
    println!("  first answer with all files: hob {first:.1?}");
    let serena = neighbours.prepare_serena(args)?;
    let mut others = Vec::new();
    if let Some(program) = neighbours.cclsp {
        let start = Instant::now();
        let other = neighbours.start_cclsp(args, &at, program);
        let other = other.and_then(|other| first_race(args, &files, first, other, start));
        others.extend(other_or_absence(args, "cclsp", other)?);
    }
    if let Some(serena) = &serena {
        let start = Instant::now();
        let other = neighbours.start_serena(&at, &name, serena);
        let other = other.and_then(|other| first_race(args, &files, first, other, start));
        others.extend(other_or_absence(args, "serena", other)?);
    }
    ask_in_turns(args, &mut hob, &mut others)?;
    for other in others.iter().filter(|other| known_files(&other.answer, &files) < files.len()) {
        println!("  the last answer of {} lacks files", other.who);
    }
    others.into_iter().for_each(|other| other.server.shut_down());
    Ok(())
}

/// Returns what another program's race gave. A program that fails is absent, and the row goes on with the others.
fn other_or_absence(
    args: &Args,
    who: &str,
    other: Result<Option<Asked>, Failure>,
) -> Result<Option<Asked>, Failure> {
    other.or_else(|why| leave_out(args, who, &why.to_string()).map(|()| None))
}

impl<'a> Neighbours<'a> {
    /// Returns the neighbours that were given, or `None` if none of them can answer. Their absence is noted.
    fn named_in(args: &'a Args, at: &RequestPosition) -> Result<Option<Self>, Failure> {
        for (who, program) in [("cclsp", &args.cclsp), ("serena", &args.serena)] {
            if program.is_none() {
                leave_out(args, who, &format!("it was not given (-- --{who} PROGRAM)"))?;
            }
        }
        let (cclsp, serena) = (args.cclsp.as_deref(), args.serena.as_deref());
        if cclsp.is_none() && serena.is_none() {
            return Ok(None);
        }
        let Some(server) = language_server(at) else {
            leave_out(args, "the whole row", &format!("no language server is known for {}", at.file))?;
            return Ok(None);
        };
        let path = args.path.as_deref().map(search_path).transpose()?;
        Ok(Some(Self { cclsp, serena, server, path, scratch: tempfile::tempdir()? }))
    }

    fn start_cclsp(&self, args: &Args, at: &RequestPosition, program: &Path) -> Result<Asked, Failure> {
        let settings = self.scratch.path().join("cclsp.json");
        fs::write(&settings, cclsp_config(&args.tree, self.server)?.to_string())?;
        let mut command = Command::new(program.canonicalize()?);
        command.current_dir(&args.tree).env("CCLSP_CONFIG_PATH", &settings);
        let question = json!({"file_path": at.file.to_string(), "symbol_name": name_at(&args.tree, at)?});
        Asked::start("cclsp", self.with_path(&mut command), "find_references", question)
    }

    fn prepare_serena(&self, args: &Args) -> Result<Option<Serena>, Failure> {
        let prepare =
            |program| Serena::prepare_copy(program, &args.tree, self.server.language, self.server.program);
        self.serena.map(prepare).transpose()
    }

    fn start_serena(&self, at: &RequestPosition, name: &str, serena: &Serena) -> Result<Asked, Failure> {
        let question = json!({"name_path": name, "relative_path": at.file.to_string()});
        let mut command = serena.server_command();
        Asked::start("serena", self.with_path(&mut command), "find_referencing_symbols", question)
    }

    fn with_path<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        if let Some(path) = &self.path {
            command.env("PATH", path);
        }
        command
    }
}

fn leave_out(args: &Args, what: &str, why: &str) -> Result<(), Failure> {
    println!("  {what}: {why}");
    args.sheet.note_absence("references", what, why);
    Ok(())
}

/// Notes the race for the first whole answer. Returns the other program if it can be raced again.
fn first_race(
    args: &Args,
    files: &BTreeSet<String>,
    first: Duration,
    mut other: Asked,
    start: Instant,
) -> Result<Option<Asked>, Failure> {
    match other.ask_until_named(files, start)? {
        FirstAnswer::Whole(theirs, earlier) => {
            println!("  {}: {theirs:.1?}, after {earlier} answers that lacked some", other.who);
            let mut firsts = (Times::default(), Times::default());
            firsts.0.push(first);
            firsts.1.push(theirs);
            let name = format!("the first answer ({})", other.who);
            args.sheet.note_race("references", &name, ("hob", &firsts.0), (other.who, &firsts.1));
            Ok(Some(other))
        }
        FirstAnswer::Partial(known) => {
            let all = files.len();
            let why =
                format!("its answers named {known} of the {all} files that hob's names, so there is no race");
            leave_out(args, other.who, &why)?;
            other.server.shut_down();
            Ok(None)
        }
    }
}

/// Asks all in turns, and notes times and sizes of their answers.
fn ask_in_turns(args: &Args, hob: &mut Asked, others: &mut [Asked]) -> Result<(), Failure> {
    if others.is_empty() {
        return Ok(());
    }
    hob.times = Times::default();
    others.iter_mut().for_each(|other| other.times = Times::default());
    for _ in 0..args.rounds {
        hob.ask()?;
        others.iter_mut().try_for_each(Asked::ask)?;
    }
    for other in others {
        compare((hob.tool, &hob.times), (other.who, &other.times));
        let name = format!("asked again ({})", other.who);
        args.sheet.note_race("references", &name, ("hob", &hob.times), (other.who, &other.times));
        let name = format!("the answer ({})", other.who);
        let (own, theirs) = (hob.answer_tokens(), other.answer_tokens());
        args.sheet.note_figure("references", &name, Sense::Race, own, Some(theirs));
    }
    Ok(())
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
    let is_of_word = |one: char| one.is_alphanumeric() || one == '_';
    text.match_indices(file).any(|(at, _)| {
        let begins = !text[..at].ends_with(|before: char| is_of_word(before) || matches!(before, '-' | '.'));
        begins && !text[at + file.len()..].starts_with(is_of_word)
    })
}

/// Returns the name of the definition at a position with the names of those around it, as Serena writes it
/// (`Flask/make_response`); `None` if hob did not find it.
fn name_path(found: &Value, at: &RequestPosition) -> Option<String> {
    let is_it =
        |hit: &&Value| hit["file"] == at.file.as_str() && hit["line"] == at.line && hit["col"] == at.col;
    let hit = found["results"].as_array()?.iter().find(is_it)?;
    let (_, name) = hit["id"].as_str()?.rsplit_once('#')?;
    Some(name.replace('.', "/"))
}

/// Returns the number of files that a text names.
fn known_files(text: &str, files: &BTreeSet<String>) -> usize {
    files.iter().filter(|file| names_file(text, file)).count()
}

/// Returns the language server for the file of a position.
fn language_server(at: &RequestPosition) -> Option<&'static LanguageServer> {
    let ending = at.file.as_str().rsplit('.').next().unwrap_or_default();
    LANGUAGE_SERVERS.iter().find(|server| server.endings.contains(&ending))
}

/// Returns the settings with which cclsp starts a language server.
fn cclsp_config(tree: &Path, server: &LanguageServer) -> Result<Value, Failure> {
    let root = tree.canonicalize()?;
    let server =
        json!({"extensions": server.endings, "command": [server.program, "--stdio"], "rootDir": root});
    Ok(json!({"servers": [server]}))
}

/// Returns the `PATH` of this process with a folder before it.
fn search_path(folder: &Path) -> Result<OsString, Failure> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.canonicalize()?).chain(std::env::split_paths(&path));
    Ok(std::env::join_paths(folders)?)
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
    use serde_json::json;

    use super::{
        RequestPosition, cclsp_config, known_files, language_server, name_at, name_path, names_file,
        search_path,
    };

    fn position_in(file: &str, line: u32, col: u32) -> RequestPosition {
        RequestPosition { file: WsPath::new(file).expect("a path"), line, col }
    }

    #[test]
    fn the_name_at_a_place_is_a_whole_word() {
        let tree = tempfile::tempdir().expect("a folder");
        std::fs::write(tree.path().join("a.py"), "x = 1\ndef größe_2(x): pass\n").expect("written");
        let name = |line, col| name_at(tree.path(), &position_in("a.py", line, col));
        assert_eq!(name(2, 5).expect("a name"), "größe_2");
        assert!(name(1, 3).is_err(), "no name begins at `=`");
        assert!(name(9, 1).is_err(), "there is no such line");
        let server = language_server(&position_in("a.py", 2, 5)).expect("Python is known");
        let config = cclsp_config(tree.path(), server).expect("a folder");
        assert_eq!(config["servers"][0]["command"][0], "pyright-langserver");
        assert!(language_server(&position_in("a.hs", 1, 1)).is_none());
    }

    #[test]
    fn a_definition_is_named_with_those_around_it() {
        let hit = |id: &str, line| json!({"id": id, "file": "src/a.py", "line": line, "col": 9});
        let found = json!({"results": [hit("py:src/a.py#make", 3), hit("py:src/a.py#App.Inner.make", 7)]});
        assert_eq!(name_path(&found, &position_in("src/a.py", 7, 9)).expect("found"), "App/Inner/make");
        assert_eq!(name_path(&found, &position_in("src/a.py", 3, 9)).expect("found"), "make");
        assert_eq!(name_path(&found, &position_in("src/a.py", 7, 1)), None);
    }

    #[test]
    fn a_longer_name_is_not_the_file() {
        assert!(names_file("/w/tree/a/b.py:3:1", "a/b.py") && names_file("a/b.py", "a/b.py"));
        assert!(!names_file("extra/b.py and my-a/b.py and a/b.pyi", "a/b.py"));
        let files = ["a/b.py", "b/c.py", "c.py"].map(str::to_owned).into();
        assert_eq!(known_files("{\"a/b.py\": [], \"xc.py\": []}", &files), 1);
    }

    #[test]
    fn a_folder_with_servers_comes_before_the_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = search_path(folder.path()).expect("a path");
        let first = std::env::split_paths(&path).next().expect("a folder");
        assert_eq!(first, folder.path().canonicalize().expect("it is there"));
        assert!(search_path(&folder.path().join("none")).is_err());
    }
}
