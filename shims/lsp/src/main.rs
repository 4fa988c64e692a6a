//! `hob-lsp`: LSP on stdin and stdout, forwarded to the hob daemon.
//!
//! A relay and no language server: the daemon answers. It knows no types of LSP and reads of a message only what passing it on
//! needs. It lives as long as its editor wants it: until `exit`, the end of input, SIGINT or SIGTERM. The daemon's troubles
//! never end it: the next daemon hears what the editor had said.

mod args;
mod asked;
mod greeting;
mod json;
mod link;
mod message;
mod pipes;
mod relay;
mod replay;
mod stdio;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser as _;
use hob_client::Settings;
use hob_proto::ClientKind;

use args::LspShimArgs;
use greeting::Additions;
use link::Linking;
use relay::Relay;
use stdio::{Input, Output};

fn main() -> ExitCode {
    let args = LspShimArgs::parse();
    if args.man {
        return print_manual();
    }
    start_log();
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("hob-lsp: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let code = runtime.block_on(run(&args));
    // A thread may still sit in a read of standard input; it must not keep the process.
    runtime.shutdown_background();
    code
}

fn print_manual() -> ExitCode {
    let printed = std::io::Write::write_all(&mut std::io::stdout(), &LspShimArgs::manual());
    if printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn run(args: &LspShimArgs) -> ExitCode {
    let told_to_stop = told_to_stop();
    let settings = Settings::from_process_env(ClientKind::Lsp);
    let root = args.project_place(&working_dir());
    let additions = Additions::new(&args.languages, root.as_deref());
    let settings = settings.map(|settings| match root {
        Some(cwd) => Settings { cwd, ..settings },
        None => settings,
    });
    let relay = Relay::new(Output::new(pipes::open_output()), Linking::new(settings), additions);
    tokio::select! {
        end = relay.run(Input::new(pipes::open_input())) => end.into(),
        () = told_to_stop => ExitCode::SUCCESS,
    }
}

/// Ends at SIGINT or SIGTERM, which are taken over by the call itself, not by the first poll.
#[cfg(unix)]
fn told_to_stop() -> impl Future<Output = ()> {
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

#[cfg(not(unix))]
async fn told_to_stop() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

#[allow(clippy::disallowed_methods, reason = "a shim is about the folder that its editor starts it in")]
fn working_dir() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"))
}

/// Standard output belongs to the protocol; a log goes to standard error, and only when it is asked for.
fn start_log() {
    let Some(level) = std::env::var_os("HOB_LOG").filter(|level| !level.is_empty()) else { return };
    let level = level.to_str().and_then(|level| level.parse().ok()).unwrap_or(tracing::Level::INFO);
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).with_max_level(level).init();
}
