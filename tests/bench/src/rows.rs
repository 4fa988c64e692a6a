//! The rows: what is measured, against what.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Args;
use crate::mcp::Server;
use crate::peers::{Codanna, ctags, is_there};
use crate::stats::{Times, compare, show};
use crate::world::{World, run as run_quietly};

/// Anything that ends the measurement.
pub(crate) type Failure = Box<dyn std::error::Error>;

/// Rounds of rows that take seconds each.
const FEW: usize = 3;

/// Patterns for the regex row: selective, common, without a usable n-gram, no match.
const PATTERNS: &[&str] = &["deprecat\\w+warning", "return", "\\w{30,}", "zqxjkvbw"];

/// Measures what was asked for.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let wanted = |row: &str| args.rows.is_empty() || args.rows.iter().any(|name| name == row);
    println!("tree: {}", args.tree.display());
    if wanted("index") {
        index(args)?;
    }
    if wanted("handshake") {
        handshake(args)?;
    }
    let world = World::new(&args.tree)?;
    world.index()?;
    if wanted("noop") {
        noop(args, &world)?;
    }
    let codanna = match &args.codanna {
        Some(program) if wanted("first-answer") || wanted("search") => {
            Some(Codanna::index(program, &args.tree)?)
        }
        _ => None,
    };
    if wanted("first-answer") {
        first_answer(args, &world, codanna.as_ref())?;
    }
    if wanted("search") {
        search(args, &world, codanna.as_ref())?;
    }
    if wanted("regex") {
        regex(args, &world)?;
    }
    Ok(())
}

fn timed<T>(times: &mut Times, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let start = Instant::now();
    let out = work()?;
    times.push(start.elapsed());
    Ok(out)
}

/// Cold index (text and map, with the daemon's start) against `ctags -R`, which makes no text index and no graph.
fn index(args: &Args) -> Result<(), Failure> {
    println!("\nindex: `hob index` into an empty cache; `ctags -R` (definitions only)");
    if !is_there(Path::new("ctags")) {
        println!("  ctags is not installed: left out");
        return Ok(());
    }
    let out = tempfile::tempdir()?;
    let (mut hob, mut other) = (Times::default(), Times::default());
    run_quietly(&mut ctags(&args.tree, &out.path().join("tags")))?;
    for _ in 0..FEW {
        let world = World::new(&args.tree)?;
        timed(&mut hob, || world.index())?;
        drop(world);
        timed(&mut other, || run_quietly(&mut ctags(&args.tree, &out.path().join("tags"))))?;
    }
    compare(("hob index", &hob), ("ctags -R", &other));
    Ok(())
}

/// Start of the process to the answered `initialize`.
fn handshake(args: &Args) -> Result<(), Failure> {
    println!("\nhandshake: start to `initialize` answered; a bare rmcp server that lists nothing");
    let world = World::new(&args.tree)?;
    let (mut hob, mut other) = (Times::default(), Times::default());
    for _ in 0..args.rounds {
        timed(&mut hob, || Server::start(&mut world.shim()))?;
        timed(&mut other, || Server::start(&mut world.command("hello-mcp")))?;
    }
    compare(("hob-mcp", &hob), ("hello-mcp", &other));
    Ok(())
}

/// A call that does nothing, through the shim and the daemon: the unit of later goals.
fn noop(args: &Args, world: &World) -> Result<(), Failure> {
    println!(
        "\nno-op call: hob-mcp -> hobd -> hob-mcp, without and with the freshness barrier; MCP ping ends in the shim"
    );
    let mut server = Server::start(&mut world.shim())?;
    let (mut plain, mut barrier, mut ping) = (Times::default(), Times::default(), Times::default());
    server.call("hob_noop", &json!({}))?;
    for _ in 0..args.rounds * 25 {
        timed(&mut plain, || server.call("hob_noop", &json!({"fresh": false})))?;
        timed(&mut barrier, || server.call("hob_noop", &json!({})))?;
        timed(&mut ping, || server.request("ping", &json!({})))?;
    }
    show("MCP ping (shim only)", &ping);
    compare(("no-op with barrier", &barrier), ("no-op, fresh: false", &plain));
    Ok(())
}

/// Start of the shim to its first answer, the daemon running.
fn first_answer(args: &Args, world: &World, codanna: Option<&Codanna>) -> Result<(), Failure> {
    println!("\nfirst answer: start of the MCP server to the first answer about a symbol");
    let (mut hob, mut other) = (Times::default(), Times::default());
    let name = args.names.first().map_or("main", String::as_str);
    for _ in 0..args.rounds / 2 {
        timed(&mut hob, || Server::start(&mut world.shim())?.call("map_search", &json!({"query": name})))?;
        if let Some(codanna) = codanna {
            timed(&mut other, || {
                Server::start(&mut codanna.server())?.call("find_symbol", &json!({"name": name}))
            })?;
        }
    }
    match codanna {
        Some(_) => compare(("hob-mcp", &hob), ("codanna serve", &other)),
        None => show("hob-mcp", &hob),
    }
    Ok(())
}

/// Warm symbol searches.
fn search(args: &Args, world: &World, codanna: Option<&Codanna>) -> Result<(), Failure> {
    println!("\nsymbol search, warm: map_search (barrier included) against find_symbol");
    let mut server = Server::start(&mut world.shim())?;
    let mut peer = codanna.map(|codanna| Server::start(&mut codanna.server())).transpose()?;
    let (mut hob, mut other) = (Times::default(), Times::default());
    for round in 0..args.rounds {
        for name in &args.names {
            let asked: Value = json!({"query": name});
            let took = time_of(|| server.call("map_search", &asked))?;
            let peer_took = peer
                .as_mut()
                .map(|peer| time_of(|| peer.call("find_symbol", &json!({"name": name}))))
                .transpose()?;
            // The first round warms both.
            if round > 0 {
                hob.push(took);
                peer_took.into_iter().for_each(|took| other.push(took));
            }
        }
    }
    match peer {
        Some(_) => compare(("map_search", &hob), ("codanna find_symbol", &other)),
        None => show("map_search", &hob),
    }
    Ok(())
}

fn time_of<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<Duration, Failure> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

/// Regex search with the barrier, counted, against ripgrep counting on the same tree: `rg` pays for its start, hob for the
/// protocol.
fn regex(args: &Args, world: &World) -> Result<(), Failure> {
    println!("\nregex, counted: regex_search (barrier included) against `rg --count-matches`");
    if !is_there(&args.rg) {
        println!("  {} is not installed: left out", args.rg.display());
        return Ok(());
    }
    let mut server = Server::start(&mut world.shim())?;
    for pattern in PATTERNS {
        println!("  pattern {pattern}");
        let (mut hob, mut other) = (Times::default(), Times::default());
        for _ in 0..args.rounds / 4 {
            let asked = json!({"pattern": pattern, "output": "count", "max_millis": 60_000});
            timed(&mut hob, || server.call("regex_search", &asked))?;
            timed(&mut other, || count_with_rg(&args.rg, pattern, &args.tree))?;
        }
        compare(("regex_search", &hob), ("rg", &other));
    }
    Ok(())
}

/// ripgrep ends with 1 when nothing matches.
fn count_with_rg(rg: &Path, pattern: &str, tree: &Path) -> Result<(), Failure> {
    let mut command = Command::new(rg);
    command.current_dir(tree).args(["--count-matches", "-e", pattern, "."]);
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    if matches!(status.code(), Some(0 | 1)) { Ok(()) } else { Err(format!("rg ended with {status}").into()) }
}
