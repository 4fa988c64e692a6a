//! Does what both shims need at their beginning and end: manual page, log, working directory, far side, runtime, and
//! the signal that ends them.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::far::{FarArgs, FarSide};

/// Prints a manual page to standard output.
#[must_use]
pub fn print_manual(page: &[u8]) -> ExitCode {
    if std::io::stdout().write_all(page).is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs a shim to its end in this thread, with a log; if it cannot begin, standard error has the reason.
pub fn run(program: &str, shim: impl Future<Output = ExitCode>) -> ExitCode {
    start_log();
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            // If this cannot be written, nothing is left to do.
            let _ = writeln!(std::io::stderr(), "{program}: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let code = runtime.block_on(shim);
    // A thread may still block in a read of standard input; it must not keep the process alive.
    runtime.shutdown_background();
    code
}

/// Completes at SIGINT or SIGTERM. The call itself takes the signals over, not the first poll.
#[cfg(unix)]
pub fn stop_signal() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    async move {
        let (Ok(mut interrupt), Ok(mut terminate)) = signals else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    }
}

/// Completes at Ctrl-C.
#[cfg(not(unix))]
pub async fn stop_signal() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

/// Returns the shim's working directory; the root if that is gone.
#[must_use]
#[allow(clippy::disallowed_methods, reason = "a shim is about the folder that its client starts it in")]
pub fn working_dir() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"))
}

/// Returns the far side that the command line names, if it names one. Contradictory options end the program, as a wrong
/// command line does.
#[must_use]
pub fn far_side(mut command: clap::Command, args: &FarArgs, root: Option<&Path>) -> Option<FarSide> {
    match args.far_side(root, &working_dir()) {
        Ok(far) => far,
        Err(problem) => command.error(clap::error::ErrorKind::ArgumentConflict, problem).exit(),
    }
}

/// Starts the log if `HOB_LOG` asks for one. It goes to standard error, because standard output belongs to the protocol.
fn start_log() {
    let Some(level) = std::env::var_os("HOB_LOG").filter(|level| !level.is_empty()) else { return };
    let level = level.to_str().and_then(|level| level.parse().ok()).unwrap_or(tracing::Level::INFO);
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).with_max_level(level).init();
}
