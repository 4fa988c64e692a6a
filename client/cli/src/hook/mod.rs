//! Defines `hob hook CLIENT`: after an agent's own grep or read, tells the agent facts that hob knows and grep does
//! not.
//!
//! A client runs this program after every such tool and waits for it, so three rules hold whatever happens. It ends
//! within [`DEADLINE`]. It exits with 0 and writes nothing but an answer in the client's format: it is silent without a
//! daemon, without an index of the project, for an unknown event and after every error. It starts no daemon and opens
//! no project. `main` comes here before it reads its command line, because building that takes longer than all of this.
//!
//! `formats` has the clients' formats, `event` reads an event (with `shell`, `names`, `hits`), `words` writes the answer.

mod event;
mod formats;
mod hits;
mod names;
mod shell;
mod words;

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::panic;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use hob_proto::tools::context::{CONTEXT, ContextResult};
use serde_json::Value;

use self::event::question_of_event;
use self::formats::HookFormat;
use self::words::context_text;
use crate::ask::ask_if_running;

/// Longest time from the beginning to the end of the program.
const DEADLINE: Duration = Duration::from_millis(150);

/// Size limit of an event, in bytes: it may hold all of a tool's output.
const LARGEST: u64 = 16 << 20;

/// Tell an agent the facts that hob has for its last search or reading
///
/// `hob setup AGENT --hook` makes the agent run this. It reads the agent's event from standard input and
/// writes at most 60 tokens in the agent's format: the definition of the searched name, its callers, the
/// functions around the hits. It never blocks: after 150 ms, without a daemon, without an index of the
/// project or without a result it exits with 0 in silence.
#[derive(Debug, Args)]
pub(crate) struct Hook {
    /// The agent, which decides the format
    #[arg(value_name = "CLIENT")]
    client: String,
}

impl Hook {
    pub(crate) fn run(&self) -> ExitCode {
        run_hook(&self.client)
    }
}

/// Returns the client of `hob hook CLIENT`; `None` for every other command line.
pub(crate) fn client_in_arguments(args: impl Iterator<Item = OsString>) -> Option<String> {
    let args: Vec<OsString> = args.skip(1).take(3).collect();
    match args.as_slice() {
        [word, client] if word == "hook" => {
            client.to_str().filter(|name| !name.starts_with('-')).map(str::to_owned)
        }
        _ => None,
    }
}

/// Answers one event of a client, or is silent. This thread does the work, because handing it over and back costs
/// milliseconds on a busy machine; another thread only ends the process in time.
pub(crate) fn run_hook(client: &str) -> ExitCode {
    let until = Instant::now() + DEADLINE;
    // A bug is silent too.
    panic::set_hook(Box::new(|_| {}));
    let watch = thread::Builder::new().spawn(end_in_time);
    // Without the watching thread nothing would end a wait for the client.
    if watch.is_ok()
        && let Some(format) = HookFormat::of_client(client)
        && let Ok(Some(answer)) = panic::catch_unwind(|| answer_event(format, until))
    {
        // One write, so that the client never reads half of it. If the write fails, no client reads.
        let _ = io::stdout().write_all(format!("{answer}\n").as_bytes());
    }
    end_now()
}

/// Ends the process at its deadline.
fn end_in_time() {
    thread::sleep(DEADLINE);
    end_now()
}

/// Ends the process at once, because the other thread may still wait for the client or for the daemon.
#[allow(clippy::exit, reason = "nothing may keep the agent waiting")]
fn end_now() -> ! {
    std::process::exit(0)
}

fn answer_event(format: &HookFormat, until: Instant) -> Option<Value> {
    let mut event = Vec::new();
    io::stdin().lock().take(LARGEST).read_to_end(&mut event).ok()?;
    let event = serde_json::from_slice(&event).ok()?;
    let question = question_of_event(format, &event)?;
    let left = until.checked_duration_since(Instant::now())?;
    let data = ask_if_running(CONTEXT.name, question.args, &question.start, left)?;
    let result: ContextResult = serde_json::from_value(data).ok()?;
    context_text(&result).map(|text| (format.answer)(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_command_line_is_meant() {
        let client = |line: &str| client_in_arguments(line.split(' ').map(OsString::from));
        assert_eq!(client("hob hook codex").as_deref(), Some("codex"));
        for other in
            ["hob", "hob hook", "hob hook --help", "hob hook codex x", "hob map", "hob --json hook codex"]
        {
            assert_eq!(client(other), None, "{other}");
        }
    }
}
