//! Measures warm questions: searches for symbols, against another map.

use serde_json::{Value, json};

use super::{Failure, Lab, time_of};
use crate::Args;
use crate::mcp::Server;
use crate::stats::{Times, compare, show};

/// Measures symbol searches on a warm index.
pub(super) fn search(args: &Args, lab: &Lab) -> Result<(), Failure> {
    println!("\nsymbol search, warm: map_search (barrier included) against find_symbol");
    let codanna = lab.codanna(args)?;
    let mut server = lab.world.server()?;
    let mut peer = codanna.map(|codanna| Server::start(&mut codanna.server_command())).transpose()?;
    let (mut hob, mut other) = (Times::default(), Times::default());
    for round in 0..args.rounds {
        for name in &args.names {
            let asked: Value = json!({"query": name});
            let took = time_of(|| server.call("map_search", &asked))?;
            let peer_took = peer
                .as_mut()
                .map(|peer| time_of(|| peer.call("find_symbol", &json!({"name": name}))))
                .transpose()?;
            // The first round warms both programs.
            if round > 0 {
                hob.push(took);
                peer_took.into_iter().for_each(|took| other.push(took));
            }
        }
    }
    match peer {
        Some(_) => {
            compare(("map_search", &hob), ("codanna find_symbol", &other));
            args.sheet.note_race("search", "a name", ("map_search", &hob), ("codanna find_symbol", &other));
        }
        None => {
            show("map_search", &hob);
            args.sheet.note_absence("search", "codanna", "it was not given (-- --codanna PROGRAM)");
        }
    }
    Ok(())
}
