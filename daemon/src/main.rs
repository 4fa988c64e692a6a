//! Starts `hobd`: reads its arguments, starts the log, and runs [`lifecycle`].

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{CommandFactory as _, Parser};
use hob_base::AbsPath;
use hob_calls::Calls;
use hob_daemon::dispatch::Dispatcher;
use hob_daemon::lifecycle::log::{self, StderrReader};
use hob_daemon::lifecycle::{self, Manager, Options, StartError};
use hob_host::{Host, HostOptions, PackageCaches, Trust, maven_repository};
use hob_live::live::LiveOptions;
use hob_live::pool::PoolOptions;
use hob_live::process::{Guard, guard, scrubbed_environment};
use hob_proto::Readiness;
use hob_proto::places::Places;
use hob_settings::{self, DaemonSettings, REPORT_WORD, Settings};

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
struct DaemonArgs {
    /// Stay in this terminal and process group, and show the log here as well
    #[arg(long)]
    foreground: bool,

    /// End after so many minutes without a client; 0 for never [default: 30, or as config.toml says]
    #[arg(long, value_name = "N", env = "HOB_IDLE_MINUTES", value_parser = parse_minutes)]
    idle_minutes: Option<Duration>,

    /// Keep no copy of the projects' texts in the cache folder: broad searches are slower and the folder is smaller
    #[arg(long, env = "HOB_NO_TEXT_CACHE", value_parser = clap::builder::FalseyValueParser::new())]
    no_text_cache: bool,

    /// Filter of the log: error, warn, info, debug or trace, or a list such as `info,hob_map=debug` [default: info,
    /// or as config.toml says]
    #[arg(long, value_name = "LEVEL", env = "HOB_LOG")]
    log: Option<String>,

    /// Print the manual page as roff and end; `hob man` asks for it
    #[arg(long, hide = true)]
    man: bool,
}

/// Parsers' trees and facts are many small blocks: with this allocator, a first index takes a quarter less
/// processor time than with glibc's. It serves C code too. It is not used where pages may be larger than on
/// the build machine, because there it would end the program.
#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The settings that the allocator reads before anything else: the number of arenas, and the half second
/// after which free memory goes back to the system, which [`lifecycle::give_memory_back`] brings about.
// SAFETY: the allocator declares this name as a pointer to text that ends with a zero, and expects programs to define it.
#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
#[allow(unsafe_code)]
#[unsafe(export_name = "malloc_conf")]
static ALLOCATOR_SETTINGS: &[u8; 46] = b"narenas:4,dirty_decay_ms:500,muzzy_decay_ms:0\0";

fn parse_minutes(text: &str) -> Result<Duration, String> {
    let minutes: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of minutes"))?;
    Duration::try_from_secs_f64(minutes * 60.0).map_err(|error| error.to_string())
}

fn main() -> ExitCode {
    let handed = lifecycle::close_inherited();
    if let Some(command) = guarded_command() {
        return guard::run(&command);
    }
    hob_base::umask::make_private();
    hob_base::open_files::raise_limit();
    if let Some(question) = settings_question() {
        return print_settings_report(&question);
    }
    lifecycle::give_memory_back();
    let args = DaemonArgs::parse();
    if args.man {
        return print_manual();
    }
    let manager = Manager::find(handed);
    // A client started this process, and no person watches it.
    let is_detached = !args.foreground && manager.is_none();
    if is_detached {
        lifecycle::leave_terminal();
    }
    let places = match Places::from_process_env() {
        Ok(places) => places,
        Err(error) => return report_failure(error.to_string()),
    };
    let also = match (&manager, args.foreground) {
        (Some(_), _) => StderrReader::Journal,
        (None, true) => StderrReader::Terminal,
        (None, false) => StderrReader::Nobody,
    };
    let settings = combine_settings(&places, &args);
    log::start(&places, &settings.0.log, also);
    settings.1.iter().for_each(|problem| tracing::warn!("{problem}; it does not count"));
    let settings = settings.0;
    // A service manager gets its own notifications, and this output would appear in its journal.
    let is_run_by_service = manager.is_some();
    let report = |readiness: &Readiness| {
        if !is_run_by_service {
            print_readiness(readiness);
        }
        if is_detached {
            lifecycle::let_go_of_stdio(&places.logs_dir());
        }
    };
    let options = daemon_options(&args, &settings, manager);
    match lifecycle::run(&places, &options, |places| make_calls(places, &settings), &report) {
        // The result holds the daemon's lock, which must be released last: with the process.
        Ok(finished) => {
            std::mem::forget(finished);
            ExitCode::SUCCESS
        }
        Err(error) if is_run_by_service => {
            tracing::error!(reason = explain_start_error(&error), "the daemon could not start");
            ExitCode::FAILURE
        }
        Err(error) => report_failure(explain_start_error(&error)),
    }
}

fn print_manual() -> ExitCode {
    let page =
        clap_mangen::Man::new(DaemonArgs::command()).source(concat!("hob ", env!("CARGO_PKG_VERSION")));
    // The date is a space, because an empty one would shift the fields behind it.
    let printed = page.date(" ").manual("hob").render(&mut std::io::stdout());
    if printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the command of a language server to run: the daemon runs servers under copies of itself, see
/// [`guard`]. It is checked before the arguments are parsed, because the rest is the command line of another
/// program.
fn guarded_command() -> Option<Vec<OsString>> {
    let mut args = std::env::args_os().skip(1);
    args.next().filter(|first| first == guard::WORD)?;
    Some(args.collect())
}

/// Returns the question of `hob config`, for which this program reports settings and ends; such a command
/// line is not parsed either.
fn settings_question() -> Option<OsString> {
    let mut args = std::env::args_os().skip(1);
    args.next().filter(|first| first == REPORT_WORD)?;
    Some(args.next().unwrap_or_default())
}

fn print_settings_report(question: &OsStr) -> ExitCode {
    let places = Places::from_process_env().map_err(|error| error.to_string());
    let told = places.and_then(|places| {
        hob_settings::report(&question.to_string_lossy(), &places, &|name| std::env::var_os(name))
    });
    match told {
        Ok(told) => {
            let printed = writeln!(std::io::stdout().lock(), "{told}");
            if printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(why) => {
            let _ = writeln!(std::io::stderr().lock(), "{why}");
            ExitCode::FAILURE
        }
    }
}

/// Combines the settings of the daemon: the command line goes before the environment, that before the user's file,
/// and that before the built-in values.
fn combine_settings(places: &Places, args: &DaemonArgs) -> (DaemonSettings, Vec<String>) {
    let settings = Settings::in_file(places.settings_file(), std::env::home_dir());
    let (mut settings, problems) = settings.daemon_settings(&|name| std::env::var_os(name));
    if let Some(idle) = args.idle_minutes {
        settings.idle = Some(idle).filter(|idle| !idle.is_zero());
    }
    if let Some(log) = &args.log {
        settings.log.clone_from(log);
    }
    settings.text_cache &= !args.no_text_cache;
    (settings, problems)
}

fn daemon_options(args: &DaemonArgs, settings: &DaemonSettings, manager: Option<Manager>) -> Options {
    Options { idle: settings.idle, hangup_ends: args.foreground, manager, ..Options::default() }
}

/// The variables that name folders with headers for C compilers.
const INCLUDE_PATHS: [&str; 3] = ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"];

/// Returns where package managers keep their sources: in the configured folders, or else in the default ones.
fn package_caches() -> PackageCaches {
    let home = std::env::home_dir();
    let usual = home.as_ref().map(|home| PackageCaches::in_home(home)).unwrap_or_default();
    let options = std::env::var_os("MAVEN_OPTS");
    let told = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    PackageCaches {
        cargo_home: told("CARGO_HOME").or(usual.cargo_home),
        go_modules: told("GOMODCACHE").or(usual.go_modules),
        go_root: told("GOROOT").or_else(go_on_path),
        maven_repository: home.map(|home| maven_repository(&home, options.as_deref())),
        gradle_home: told("GRADLE_USER_HOME").or(usual.gradle_home),
        include_folders: INCLUDE_PATHS
            .iter()
            .filter_map(std::env::var_os)
            .flat_map(|paths| std::env::split_paths(&paths).collect::<Vec<_>>())
            .filter(|folder| folder.is_absolute())
            .collect(),
    }
}

/// Returns the folder of the Go whose program comes first in the search path: the program lies in its `bin`.
fn go_on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let program = std::env::split_paths(&path).map(|folder| folder.join("go")).find(|file| file.is_file())?;
    let root = program.canonicalize().ok()?.parent()?.parent()?.to_path_buf();
    root.join("src/fmt").is_dir().then_some(root)
}

fn make_calls(places: &Places, settings: &DaemonSettings) -> Result<Arc<dyn Calls>, String> {
    let options = HostOptions {
        store: places.cache.join("store"),
        snapshots: AbsPath::new(places.cache.join("workspaces")).map_err(|error| error.to_string())?,
        keep_contents: settings.text_cache,
        edits: AbsPath::new(places.state.join("edits")).map_err(|error| error.to_string())?,
        models: AbsPath::new(places.state.join("models")).map_err(|error| error.to_string())?,
        cookies: AbsPath::new(places.runtime.join("cookies")).map_err(|error| error.to_string())?,
        memory: settings.memory,
        index_threads: settings.index_threads,
        home: std::env::home_dir().and_then(|home| AbsPath::new(home).ok()),
        unpacked: AbsPath::new(places.cache.join("packages")).map_err(|error| error.to_string())?,
        package_caches: package_caches(),
        groups_file: Some(places.groups_file()),
    };
    let live = LiveOptions {
        guard: Some(Guard::this_program().map_err(|error| error.to_string())?),
        env: scrubbed_environment(std::env::vars_os()),
        own: Some(places.servers_dir()),
        keep: Some(places.cache.join("servers")),
        pool: PoolOptions { idle: settings.server_idle },
    };
    let trust = Trust::in_file(places.trust_file());
    let user_settings = Settings::in_file(places.settings_file(), std::env::home_dir());
    let host = Host::with_live(options, live, trust, user_settings)
        .map_err(|error| format!("cannot start worker threads: {error}"))?;
    Ok(Arc::new(Dispatcher::new(Arc::new(host), settings.metrics.then(|| places.metrics_file()))))
}

fn report_failure(reason: String) -> ExitCode {
    tracing::error!(reason, "the daemon could not start");
    print_readiness(&Readiness::Failed { reason });
    ExitCode::FAILURE
}

fn explain_start_error(error: &StartError) -> String {
    let mut text = error.to_string();
    if let StartError::Listen { source, .. } | StartError::Lock { source, .. } = error
        && source.kind() == std::io::ErrorKind::StorageFull
    {
        text.push_str("; the disk is full");
    }
    text
}

fn print_readiness(readiness: &Readiness) {
    // The process that started the daemon may be gone; the daemon serves all the same.
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(readiness.to_line().as_bytes()).and_then(|()| stdout.flush());
}
