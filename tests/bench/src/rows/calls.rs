//! Measures the cost of a call before it does anything: the start of the shim, and the way to the daemon and back.

use serde_json::json;

use super::{Failure, Lab, timed};
use crate::Args;
use crate::mcp::Server;
use crate::stats::{Times, compare, show};
use crate::world::World;

/// Measures the time from the start of the process to the answer of `initialize`.
pub(super) fn handshake(args: &Args) -> Result<(), Failure> {
    println!("\nhandshake: start to `initialize` answered; a bare rmcp server that lists nothing");
    let world = World::new(&args.tree)?;
    // A daemon that a shim has just started would end with the shim, which is killed.
    world.index()?;
    let (mut hob, mut other) = (Times::default(), Times::default());
    for _ in 0..args.rounds {
        timed(&mut hob, || Server::start(&mut world.shim()))?;
        timed(&mut other, || Server::start(&mut world.command("hello-mcp")))?;
    }
    compare(("hob-mcp", &hob), ("hello-mcp", &other));
    args.sheet.note_race("handshake", "start to initialize", ("hob-mcp", &hob), ("hello-mcp", &other));
    Ok(())
}

/// Measures a call that does nothing, through the shim and the daemon. It is the unit of other rows.
pub(super) fn noop(args: &Args, lab: &Lab) -> Result<(), Failure> {
    println!(
        "\nno-op call: hob-mcp -> hobd -> hob-mcp, without and with the freshness barrier; MCP ping ends in the shim"
    );
    let mut server = Server::start(&mut lab.world.shim())?;
    let (mut plain, mut barrier, mut ping) = (Times::default(), Times::default(), Times::default());
    server.call("hob_noop", &json!({}))?;
    for _ in 0..args.rounds * 25 {
        timed(&mut plain, || server.call("hob_noop", &json!({"fresh": false})))?;
        timed(&mut barrier, || server.call("hob_noop", &json!({})))?;
        timed(&mut ping, || server.request("ping", &json!({})))?;
    }
    show("MCP ping (shim only)", &ping);
    compare(("no-op with barrier", &barrier), ("no-op, fresh: false", &plain));
    args.sheet.note_multiple("noop", "with the barrier", &barrier, ("without it", &plain));
    args.sheet.note_multiple("noop", "to the daemon", &plain, ("MCP ping", &ping));
    Ok(())
}

/// Measures the time from the start of the shim to its first answer, with a running daemon.
pub(super) fn first_answer(args: &Args, lab: &Lab) -> Result<(), Failure> {
    println!("\nfirst answer: start of the MCP server to the first answer about a symbol");
    let codanna = lab.codanna(args)?;
    let (mut hob, mut other) = (Times::default(), Times::default());
    let name = args.names.first().map_or("main", String::as_str);
    for _ in 0..args.rounds / 2 {
        timed(&mut hob, || {
            Server::start(&mut lab.world.shim())?.call("map_search", &json!({"query": name}))
        })?;
        if let Some(codanna) = codanna {
            timed(&mut other, || {
                Server::start(&mut codanna.server_command())?.call("find_symbol", &json!({"name": name}))
            })?;
        }
    }
    match codanna {
        Some(_) => {
            compare(("hob-mcp", &hob), ("codanna serve", &other));
            args.sheet.note_race(
                "first-answer",
                "about a symbol",
                ("hob-mcp", &hob),
                ("codanna serve", &other),
            );
        }
        None => show("hob-mcp", &hob),
    }
    Ok(())
}
