//! Measures the cost of `hob hook` to an agent that waits for it, against the start of a program that does nothing, in
//! pairs.
//!
//! Every run gets the event of a search on standard input and is waited for. `true` does not read it, which is unfair
//! to the hook by the time of one read. Other programs that could have been the hook are measured as well; they only
//! start and end.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use super::{Failure, Lab, time_of};
use crate::Args;
use crate::stats::{Times, millis, show};
use crate::world::World;

/// The runs of each program.
const ROUNDS: usize = 60;

/// A hook whose time is compared with that of `true`.
struct Candidate {
    what: &'static str,
    command: Box<dyn Fn() -> Command>,
    input: Vec<u8>,
    own: Times,
    more: Times,
}

/// Measures the hook with and without a daemon, and the starts of other programs.
pub(super) fn hook(args: &Args, lab: &Lab) -> Result<(), Failure> {
    let debug = if cfg!(debug_assertions) { "debug" } else { "release" };
    println!("\nhook: a client's hook against the start of `true`, in pairs ({debug} build)");
    let tree = lab.world.tree();
    let name = args.names.first().map_or("main", String::as_str);
    // A daemon is running and has the project open.
    let _ = lab.world.server()?.call("map_search", &json!({"query": name}))?;
    lab.world.rest()?;
    let alone = World::new(tree)?;
    let event = search_event(tree, name);
    let told = output_of(lab.world.command("hob").args(["hook", "claude-code"]), &event)?;
    println!("  says: {}", if told.is_empty() { "nothing" } else { told.trim() });
    let of = |what, command: Box<dyn Fn() -> Command>, input: &[u8]| Candidate {
        what,
        command,
        input: input.to_vec(),
        own: Times::default(),
        more: Times::default(),
    };
    let program = |world: &World, name: &str, args: &'static [&'static str]| {
        let (command, folder) = (world.command(name), world.folder().to_path_buf());
        let (path, tree) = (command.get_program().to_owned(), world.tree().to_path_buf());
        Box::new(move || {
            let mut command = Command::new(&path);
            command.args(args).env("HOB_DIR", &folder).current_dir(&tree);
            command
        })
    };
    let mut candidates = [
        of("hob hook, with an answer", program(&lab.world, "hob", &["hook", "claude-code"]), &event),
        of("hob hook, no daemon", program(&alone, "hob", &["hook", "claude-code"]), &event),
        of("hob hook, an event of no search", program(&lab.world, "hob", &["hook", "claude-code"]), b"{}"),
        of("hob --version (its command line is built)", program(&lab.world, "hob", &["--version"]), b""),
        of("hob-mcp --version", program(&lab.world, "hob-mcp", &["--version"]), b""),
    ];
    let mut nothing = Times::default();
    for _ in 0..ROUNDS {
        for candidate in &mut candidates {
            let floor = time_of(|| output_of(&mut Command::new("true"), &candidate.input).map(drop))?;
            let own = time_of(|| output_of(&mut (candidate.command)(), &candidate.input).map(drop))?;
            nothing.push(floor);
            candidate.own.push(own);
            candidate.more.push_millis(millis(own) - millis(floor));
        }
    }
    show("true", &nothing);
    for candidate in &candidates {
        show(candidate.what, &candidate.own);
        println!(
            "  => adds {:.2} ms (median of pairs), p90 {:.2} ms",
            candidate.more.median(),
            candidate.more.quantile(0.9)
        );
        args.sheet.note_multiple("hook", candidate.what, &candidate.own, ("true", &nothing));
    }
    Ok(())
}

/// Returns the event that Claude Code sends after its own search.
fn search_event(tree: &Path, name: &str) -> Vec<u8> {
    let event = json!({
        "session_id": "bench", "cwd": tree, "hook_event_name": "PostToolUse", "tool_name": "Grep",
        "tool_input": {"pattern": format!(r"\b{name}\b"), "output_mode": "content"},
        "tool_response": {"mode": "content", "numFiles": 0, "filenames": [], "content": "", "numLines": 0},
    });
    event.to_string().into_bytes()
}

fn output_of(command: &mut Command, input: &[u8]) -> Result<String, Failure> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read may have ended already.
        let _ = stdin.write_all(input);
    }
    let output = child.wait_with_output()?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{command:?} ended with {}", output.status).into()),
    }
}
