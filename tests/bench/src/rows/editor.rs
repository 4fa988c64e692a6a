//! Measures what it costs an editor to share its language server: the same client uses `hob-lsp`, and directly another
//! instance of the same server. Also measures the effects of a long session.
//!
//! Nothing is saved, so the tree stays unchanged.

use std::process::Command;

use hob_live::catalogue;
use serde_json::{Value, json};

use super::nav::place;
use super::{Failure, time_of, timed};
use crate::Args;
use crate::lsp::Client;
use crate::process;
use crate::stats::{Times, compare, difference, millis, show};
use crate::world::World;

/// The keys that are pressed in the long session.
const KEYSTROKES: usize = 10_000;

/// The number of keys after which the session waits for an answer, like an editor that shows an outline.
const PAUSE: usize = 200;

/// The two ways to use one language server.
struct Ways {
    hob: Client,
    straight: Client,
    /// The position that the questions are about, counted from 0.
    at: (u64, u64),
    /// The text of the document on disk.
    text: String,
}

/// The questions about a position in the document.
const QUESTIONS: [&str; 3] = ["textDocument/hover", "textDocument/definition", "textDocument/completion"];

pub(super) fn editor(args: &Args) -> Result<(), Failure> {
    println!(
        "\neditor: an editor's questions through hob-lsp, and straight to the same server; the same client, in turns"
    );
    let Some(asked) = &args.at else {
        println!("  no place to ask about was given (--at FILE:LINE:COL): left out");
        return Ok(());
    };
    let world = World::new(&args.tree)?;
    for server in &args.servers {
        one_server(args, &world, server, asked)?;
    }
    Ok(())
}

fn one_server(args: &Args, world: &World, server: &str, asked: &str) -> Result<(), Failure> {
    let at = place(asked)?;
    let spec = catalogue::by_name(server).ok_or_else(|| format!("`{server}` is no server hob knows"))?;
    let language = spec.language_of(at.file.file_name());
    let language = language.ok_or_else(|| format!("{server} does not serve {}", at.file))?;
    world.stop()?;
    world.settings(&format!("[languages.{language}]\nservers = [\"{server}\"]\n"))?;
    world.index()?;
    world.rest()?;
    let noop = noop(args, world)?;
    let (file, text) = (at.file.to_string(), std::fs::read_to_string(args.tree.join(at.file.as_str()))?);
    let [program, arguments @ ..] = spec.commands[0] else { return Err("a server without a command".into()) };
    let hob = Client::start(&mut world.command("hob-lsp"), world.tree(), &file, language, &text)?;
    let straight =
        Client::start(Command::new(program).args(arguments), world.tree(), &file, language, &text)?;
    let at = (u64::from(at.line) - 1, u64::from(at.col) - 1);
    let mut ways = Ways { hob, straight, at, text };
    for question in QUESTIONS {
        ways.ask(args, server, question, &noop)?;
    }
    ways.verdicts(args, server, &noop)?;
    ways.session(server, world)
}

/// Measures the unit: a call that does nothing.
fn noop(args: &Args, world: &World) -> Result<Times, Failure> {
    let mut agent = world.server()?;
    let mut noop = Times::default();
    for _ in 0..args.rounds * 5 {
        timed(&mut noop, || agent.call("hob_noop", &json!({})))?;
    }
    show("no-op with barrier, the unit", &noop);
    Ok(noop)
}

impl Ways {
    fn ask(&mut self, args: &Args, server: &str, question: &str, noop: &Times) -> Result<(), Failure> {
        let (line, character) = self.at;
        let (ours, theirs) = (self.hob.at(line, character), self.straight.at(line, character));
        let (mut hob, mut straight) = (Times::default(), Times::default());
        let mut answers = (0, 0);
        for round in 0..args.rounds * 5 + 5 {
            // During the first rounds the servers load.
            let mut scratch = (Times::default(), Times::default());
            let (one, other) =
                if round < 5 { (&mut scratch.0, &mut scratch.1) } else { (&mut hob, &mut straight) };
            let mut through = || timed(one, || self.hob.request(question, &ours));
            let mut directly = || timed(other, || self.straight.request(question, &theirs));
            let (got, wanted) = match round % 2 {
                0 => (through()?, directly()?),
                _ => {
                    let wanted = directly()?;
                    (through()?, wanted)
                }
            };
            answers = (size(&got), size(&wanted));
        }
        println!("  {server} {question}: {} bytes through hob, {} straight", answers.0, answers.1);
        report((&format!("hob-lsp, {question}"), &hob), (server, &straight), noop);
        Ok(())
    }

    /// Measures the time from a line with a new mistake to its diagnostic.
    fn verdicts(&mut self, args: &Args, server: &str, noop: &Times) -> Result<(), Failure> {
        let (mut hob, mut straight) = (Times::default(), Times::default());
        for round in 0..args.rounds + 3 {
            let name = format!("undefined_name_{round}");
            let text = format!("{name}()\n{}", self.text);
            let run = |client: &mut Client| {
                client.replace(&text)?;
                client.wait_for_wrong(&name)
            };
            let (through, directly) = match round % 2 {
                0 => (time_of(|| run(&mut self.hob))?, time_of(|| run(&mut self.straight))?),
                _ => {
                    let directly = time_of(|| run(&mut self.straight))?;
                    (time_of(|| run(&mut self.hob))?, directly)
                }
            };
            if round >= 3 {
                hob.push(through);
                straight.push(directly);
            }
        }
        report(("hob-lsp, change to verdict", &hob), (server, &straight), noop);
        Ok(())
    }

    /// Types a long text, key by key, through both ways, and compares the outlines that the servers then give.
    fn session(&mut self, server: &str, world: &World) -> Result<(), Failure> {
        let keys = keys();
        let (early, late) = keys.split_at(keys.len() / 5);
        self.hob.replace("")?;
        self.straight.replace("")?;
        let mut end = (0, 0);
        let mut took = [
            type_all(&mut self.hob, early, &mut end.clone())?,
            type_all(&mut self.straight, early, &mut end)?,
        ];
        world.rest()?;
        let before = process::private_bytes(world.pid()?)?;
        let rest =
            [type_all(&mut self.hob, late, &mut end.clone())?, type_all(&mut self.straight, late, &mut end)?];
        took.iter_mut().zip(rest).for_each(|(all, more)| *all += more);
        world.rest()?;
        let after = process::private_bytes(world.pid()?)?;
        let (got, wanted) = (outline(&mut self.hob)?, outline(&mut self.straight)?);
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        println!(
            "  {server}: {} keys in {:.0} ms through hob, {:.0} ms straight; the daemon had {:.1} MiB of its own after a fifth \
             of them, {:.1} in the end",
            keys.len(),
            took[0],
            took[1],
            mib(before),
            mib(after)
        );
        match got == wanted && !got.is_empty() {
            true => println!("  => the same {} symbols at the same places", got.len()),
            false => {
                return Err(format!(
                    "{server} ends with different outlines: {} and {} symbols",
                    got.len(),
                    wanted.len()
                )
                .into());
            }
        }
        Ok(())
    }
}

fn report(hob: (&str, &Times), straight: (&str, &Times), noop: &Times) {
    compare(hob, straight);
    difference(hob, straight);
    println!("  => that is {:.1} no-op round trips", (hob.1.median() - straight.1.median()) / noop.median());
}

fn size(answer: &Value) -> usize {
    answer.to_string().len()
}

/// Returns the keys that are typed. They make small functions.
fn keys() -> Vec<char> {
    let functions = (0..).map(|i| format!("def typed_{i}(value):\n    return value + {i}\n\n\n"));
    functions.flat_map(|text| text.chars().collect::<Vec<_>>()).take(KEYSTROKES).collect()
}

/// Sends one change for each key, starting at `end`, and asks for an answer now and then. Returns the milliseconds that
/// this took.
fn type_all(client: &mut Client, keys: &[char], end: &mut (u64, u64)) -> Result<f64, Failure> {
    let took = time_of(|| {
        for (count, key) in keys.iter().enumerate() {
            client.insert(end.0, end.1, &key.to_string())?;
            *end = if *key == '\n' { (end.0 + 1, 0) } else { (end.0, end.1 + 1) };
            if count % PAUSE == PAUSE - 1 {
                outline(client)?;
            }
        }
        outline(client).map(drop)
    })?;
    Ok(millis(took))
}

/// Returns the names, kinds and positions of the symbols, without anything else that a server says about them.
fn outline(client: &mut Client) -> Result<Vec<String>, Failure> {
    let params = json!({"textDocument": client.at(0, 0)["textDocument"]});
    let symbols = client.request("textDocument/documentSymbol", &params)?;
    let mut found = Vec::new();
    collect(&symbols, &mut found);
    Ok(found)
}

fn collect(symbols: &Value, found: &mut Vec<String>) {
    for symbol in symbols.as_array().into_iter().flatten() {
        found.push(format!("{} {} {}", symbol["name"], symbol["kind"], symbol["range"]));
        collect(&symbol["children"], found);
    }
}
