//! Measures memory by the number of clients: all of hob's processes with one session and with more, and a program that
//! runs one server for each session.
//!
//! Only private memory is counted, which no other process shares. It does not include mapped files.

use serde_json::json;

use super::{Failure, Lab};
use crate::Args;
use crate::mcp::Server;
use crate::peers::Codanna;
use crate::process::private_bytes;
use crate::report::figure::{Sample, Sense, Unit};

/// The numbers of sessions, in the order of measurement.
const SESSIONS: [usize; 3] = [1, 4, 16];

/// The most sessions of a program that holds an index in each.
const FEW_SESSIONS: usize = 4;

/// Opens sessions and adds up the memory of their processes.
pub(super) fn clients(args: &Args, lab: &Lab) -> Result<(), Failure> {
    println!("\nclients: private memory of all processes by the number of sessions");
    lab.world.rest()?;
    let name = args.names.first().map_or("main", String::as_str);
    let mut codanna = lab.codanna(args)?;
    if codanna.is_none() {
        println!("  codanna was not given (--codanna): left out");
        args.sheet.note_absence("clients", "codanna", "it was not given (-- --codanna PROGRAM)");
    }
    let (mut sessions, mut theirs) = (Vec::new(), Vec::new());
    let mut alone = None;
    for count in SESSIONS {
        while sessions.len() < count {
            let mut session = lab.world.server()?;
            session.call("map_search", &json!({"query": name}))?;
            sessions.push(session);
        }
        let hob = private_bytes(lab.world.pid()?)? + sum(&sessions)?;
        let first = *alone.get_or_insert(hob);
        println!("  hob, {count} sessions: {:.2} MB", hob as f64 / 1e6);
        let asked = codanna.filter(|_| count <= FEW_SESSIONS);
        let opened = asked.map(|codanna| open_sessions(codanna, &mut theirs, count, name)).transpose();
        // Of some versions only one server runs on an index.
        let opened = opened.or_else(|why| {
            println!("  codanna, {count} sessions: {why}");
            args.sheet.note_absence("clients", &format!("codanna, {count} sessions"), &why.to_string());
            codanna = None;
            Ok::<_, Failure>(None)
        })?;
        let mut beside = None;
        if opened.is_some() {
            let bytes = sum(&theirs)?;
            println!("  codanna, {count} sessions: {:.2} MB", bytes as f64 / 1e6);
            beside = Some(sample("codanna", bytes));
        }
        if let Some(beside) = beside {
            let name = format!("{count} sessions (codanna)");
            args.sheet.note_figure("clients", &name, Sense::Race, sample("hob", hob), Some(beside));
        }
        if count > 1 {
            let (name, alone) = (format!("{count} sessions"), sample("hob, 1 session", first));
            args.sheet.note_figure("clients", &name, Sense::Multiple, sample("hob", hob), Some(alone));
        }
    }
    Ok(())
}

/// Starts servers of codanna until there are so many, and asks each once.
fn open_sessions(codanna: &Codanna, open: &mut Vec<Server>, count: usize, name: &str) -> Result<(), Failure> {
    while open.len() < count {
        let mut session = Server::start(&mut codanna.server_command())?;
        session.call("find_symbol", &json!({"name": name}))?;
        open.push(session);
    }
    Ok(())
}

fn sum(sessions: &[Server]) -> Result<u64, Failure> {
    sessions.iter().map(|session| private_bytes(session.pid())).sum()
}

fn sample(who: &str, bytes: u64) -> Sample {
    Sample::new(who, Unit::Bytes, vec![bytes as f64])
}
