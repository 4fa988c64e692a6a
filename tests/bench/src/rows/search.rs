//! Warm questions: symbols against another map, regexes against ripgrep.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{Failure, Lab, time_of, timed};
use crate::Args;
use crate::mcp::Server;
use crate::peers::is_there;
use crate::stats::{Times, compare, show};

/// Patterns for the regex row: selective, common, without a usable n-gram, no match.
const PATTERNS: &[&str] = &["deprecat\\w+warning", "return", "\\w{30,}", "zqxjkvbw"];

/// Warm symbol searches.
pub(super) fn search(args: &Args, lab: &Lab) -> Result<(), Failure> {
    println!("\nsymbol search, warm: map_search (barrier included) against find_symbol");
    let codanna = lab.codanna(args)?;
    let mut server = lab.world.server()?;
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

/// Regex search with the barrier, counted, against ripgrep counting on the same tree: `rg` pays for its start, hob for the
/// protocol.
pub(super) fn regex(args: &Args, lab: &Lab) -> Result<(), Failure> {
    println!("\nregex, counted: regex_search (barrier included) against `rg --count-matches`");
    if !is_there(&args.rg) {
        println!("  {} is not installed: left out", args.rg.display());
        return Ok(());
    }
    let mut server = lab.world.server()?;
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
