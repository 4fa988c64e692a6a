//! Measures what hob adds to a language server's own answer: the same question is asked through `hob-mcp`, and directly
//! to another instance of the same server.

use std::path::Path;
use std::time::{Duration, Instant};

use hob_base::{AbsPath, CancelToken, Deadline, WsPath};
use hob_live::instance::Instance;
use hob_live::live::{Live, LiveError, LiveOptions, LiveProject};
use hob_live::process::scrubbed_environment;
use hob_live::requests::{RequestPosition, ServerQueryContext, definition, references, type_of};
use serde_json::json;

use super::{Failure, Lab, timed};
use crate::Args;
use crate::mcp::Server;
use crate::stats::{Times, compare, difference, show};

/// Longer than any server needs to load.
const PATIENCE: Duration = Duration::from_secs(300);

/// A question that is asked directly to a server. The number of places or characters in the answer does not matter
/// here.
type Straight = fn(&Instance, &RequestPosition, ServerQueryContext<'_>) -> Result<(), LiveError>;

const QUESTIONS: &[(&str, Straight)] = &[
    ("nav_type", |server, at, asking| type_of(server, at, asking).map(drop)),
    ("nav_definition", |server, at, asking| definition(server, at, asking).map(drop)),
    ("nav_references", |server, at, asking| references(server, at, false, asking).map(drop)),
];

pub(super) fn nav(args: &Args, lab: &Lab) -> Result<(), Failure> {
    println!(
        "\nnav: a question to a language server through hob-mcp (barrier included), and straight to the same server"
    );
    let Some(at) = &args.at else {
        println!("  no place to ask about was given (--at FILE:LINE:COL): left out");
        return Ok(());
    };
    let (at, root) = (place(at)?, AbsPath::new(lab.world.tree())?);
    let env = scrubbed_environment(std::env::vars_os());
    let live = Live::new(LiveOptions { env, ..LiveOptions::default() });
    let project = LiveProject { root, trusted: false, preferences: std::sync::Arc::default() };
    let mut server = Server::start(&mut lab.world.shim())?;
    let mut noop = Times::default();
    for _ in 0..args.rounds * 5 {
        timed(&mut noop, || server.call("hob_noop", &json!({})))?;
    }
    show("no-op with barrier, the unit", &noop);
    let asked = json!({"file": at.file.to_string(), "line": at.line, "col": at.col, "tokenBudget": 10_000});
    for (tool, question) in QUESTIONS {
        let mut straight = || ask(&live, &project, &at, *question);
        warm(&mut server, tool, &asked, &mut straight)?;
        let (mut hob, mut direct) = (Times::default(), Times::default());
        for _ in 0..args.rounds {
            timed(&mut hob, || server.call(tool, &asked))?;
            timed(&mut direct, straight)?;
        }
        compare((tool, &hob), ("the server itself", &direct));
        difference((tool, &hob), ("the server itself", &direct));
        println!("  => that is {:.1} no-op round trips", (hob.median() - direct.median()) / noop.median());
    }
    live.close();
    Ok(())
}

/// Asks both until hob's answer is complete, and then a few more times.
fn warm(
    server: &mut Server,
    tool: &str,
    asked: &serde_json::Value,
    straight: &mut dyn FnMut() -> Result<(), Failure>,
) -> Result<(), Failure> {
    let until = Instant::now() + PATIENCE;
    while server.ask(tool, asked)?.data()["completeness"] != "complete" {
        if Instant::now() > until {
            return Err(format!("{tool} did not become complete").into());
        }
    }
    for _ in 0..3 {
        server.call(tool, asked)?;
        straight()?;
    }
    Ok(())
}

fn ask(live: &Live, project: &LiveProject, at: &RequestPosition, question: Straight) -> Result<(), Failure> {
    let cancel = CancelToken::new(Deadline::after(PATIENCE));
    let read = |path: &WsPath| std::fs::read_to_string(project.root.join_ws(path)).ok();
    let asking = ServerQueryContext { read: &read, cancel: &cancel };
    Ok(live.ask(project, &at.file, &cancel, |server| question(server, at, asking))?)
}

/// Parses a position such as `src/a.py:3:5`.
pub(super) fn place(text: &str) -> Result<RequestPosition, Failure> {
    let mut parts = text.rsplitn(3, ':');
    let (col, line, file) = (parts.next(), parts.next(), parts.next());
    let wrong = || format!("`{text}` is no FILE:LINE:COL");
    let file = WsPath::new(&Path::new(file.ok_or_else(wrong)?).to_string_lossy())?;
    let (line, col) = (line.ok_or_else(wrong)?.parse()?, col.ok_or_else(wrong)?.parse()?);
    Ok(RequestPosition { file, line, col })
}
