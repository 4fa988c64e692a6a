//! `hobd`: arguments and logging, then [`lifecycle`].

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use hob_base::AbsPath;
use hob_daemon::calls::Calls;
use hob_daemon::dispatch::Dispatcher;
use hob_daemon::host::{Host, HostOptions, MemoryBudget, Settings, Trust};
use hob_daemon::lifecycle::{self, Options, StartError, log};
use hob_live::live::LiveOptions;
use hob_live::process::{Guard, guard, scrubbed_environment};
use hob_proto::Readiness;
use hob_proto::places::Places;

/// The hob daemon: keeps code maps and text indexes warm for every hob program of this user.
///
/// There is no need to run it by hand. `hob` and `hob-mcp` start it when they need it, one serves all of them, a newer
/// one takes the place of an older one, and it ends by itself when nobody has used it for a while. `hob status` shows
/// it, `hob stop` ends it, `hob logs` shows its log.
///
/// It reports on standard output, as one line of JSON, once it accepts connections or why it cannot, and then closes
/// standard output. Exit status: 0 after a proper end or when another daemon is running already, 1 when it could not start.
#[derive(Debug, Parser)]
#[command(name = "hobd", version, max_term_width = 100)]
struct Args {
    /// Stay in this terminal and process group, and show the log here as well
    #[arg(long)]
    foreground: bool,

    /// End after so many minutes without a client; 0 for never
    #[arg(long, value_name = "N", default_value = "30", env = "HOB_IDLE_MINUTES", value_parser = minutes)]
    idle_minutes: Duration,

    /// Keep no copy of the projects' texts in the cache folder: broad searches are slower and the folder is smaller
    #[arg(long, env = "HOB_NO_TEXT_CACHE", value_parser = clap::builder::FalseyValueParser::new())]
    no_text_cache: bool,

    /// What to log: error, warn, info, debug or trace, or a list such as `info,hob_map=debug`
    #[arg(long, value_name = "LEVEL", default_value = "info", env = "HOB_LOG")]
    log: String,
}

/// Parsers' trees and facts are many small pieces: a first index takes a quarter less processor time than with glibc's allocator.
/// It serves C code too. Not where pages may be larger than where it was built: there it would end the program.
#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Read by the allocator before anything else: how many arenas there are, and that free memory goes back to the system after half
/// a second, which [`lifecycle::give_memory_back`] has it do.
// SAFETY: the allocator declares this name as a pointer to text that ends with a zero, and expects programs to define it.
#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
#[allow(unsafe_code)]
#[unsafe(export_name = "malloc_conf")]
static ALLOCATOR_SETTINGS: &[u8; 46] = b"narenas:4,dirty_decay_ms:500,muzzy_decay_ms:0\0";

fn minutes(text: &str) -> Result<Duration, String> {
    let minutes: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of minutes"))?;
    Duration::try_from_secs_f64(minutes * 60.0).map_err(|error| error.to_string())
}

fn main() -> ExitCode {
    lifecycle::close_inherited();
    if let Some(command) = guarded_command() {
        return guard::run(&command);
    }
    lifecycle::give_memory_back();
    let args = Args::parse();
    if !args.foreground {
        lifecycle::leave_terminal();
    }
    let places = match Places::from_process_env() {
        Ok(places) => places,
        Err(error) => return failed(error.to_string()),
    };
    log::start(&places, &args.log, args.foreground);
    let report = |readiness: &Readiness| {
        say(readiness);
        if !args.foreground {
            lifecycle::let_go_of_stdio(&places.logs());
        }
    };
    match lifecycle::run(&places, &options(&args), |places| make_calls(places, !args.no_text_cache), &report)
    {
        // The daemon's lock is in there and must be the last thing to go: it goes with the process.
        Ok(finished) => {
            std::mem::forget(finished);
            ExitCode::SUCCESS
        }
        Err(error) => failed(explain(&error)),
    }
}

/// The daemon runs language servers under copies of itself: see [`guard`]. Looked at before arguments are read, because what
/// follows is somebody else's command line.
fn guarded_command() -> Option<Vec<OsString>> {
    let mut args = std::env::args_os().skip(1);
    args.next().filter(|first| first == guard::WORD)?;
    Some(args.collect())
}

fn options(args: &Args) -> Options {
    Options {
        idle: Some(args.idle_minutes).filter(|idle| !idle.is_zero()),
        hangup_ends: args.foreground,
        ..Options::default()
    }
}

fn make_calls(places: &Places, keep_contents: bool) -> Result<Arc<dyn Calls>, String> {
    let options = HostOptions {
        store: places.cache.join("store"),
        snapshots: AbsPath::new(places.cache.join("workspaces")).map_err(|error| error.to_string())?,
        keep_contents,
        edits: AbsPath::new(places.state.join("edits")).map_err(|error| error.to_string())?,
        models: AbsPath::new(places.state.join("models")).map_err(|error| error.to_string())?,
        cookies: AbsPath::new(places.runtime.join("cookies")).map_err(|error| error.to_string())?,
        memory: MemoryBudget::default(),
        home: std::env::home_dir().and_then(|home| AbsPath::new(home).ok()),
    };
    let live = LiveOptions {
        guard: Some(Guard::this_program().map_err(|error| error.to_string())?),
        env: scrubbed_environment(std::env::vars_os()),
        own: Some(places.servers()),
        keep: Some(places.cache.join("servers")),
        ..LiveOptions::default()
    };
    let word = (Trust::in_file(places.trust()), Settings::in_file(places.settings(), std::env::home_dir()));
    let host = Host::with_live(options, live, word)
        .map_err(|error| format!("cannot start worker threads: {error}"))?;
    Ok(Arc::new(Dispatcher::new(Arc::new(host))))
}

fn failed(reason: String) -> ExitCode {
    tracing::error!(reason, "the daemon could not start");
    say(&Readiness::Failed { reason });
    ExitCode::FAILURE
}

fn explain(error: &StartError) -> String {
    let mut text = error.to_string();
    if let StartError::Listen { source, .. } | StartError::Lock { source, .. } = error
        && source.kind() == std::io::ErrorKind::StorageFull
    {
        text.push_str("; the disk is full");
    }
    text
}

fn say(readiness: &Readiness) {
    // Whoever started the daemon may be gone; that is no reason not to serve.
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(readiness.to_line().as_bytes()).and_then(|()| stdout.flush());
}
