//! `hob-mcp`: MCP on stdin and stdout, forwarded to the hob daemon.
//!
//! A client waits for this program whenever it starts, so it does next to nothing before it answers: one thread, a static
//! table, and the connection to the daemon in the background. It lives as long as its client wants it: until the end of
//! input, SIGINT or SIGTERM. The daemon's troubles never end it; they become answers.

mod args;
mod ask;
mod policy;
mod relay;
mod roots;
mod server;
mod stdio;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser as _;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;

use args::{McpShimArgs, Where};
use relay::Relay;
use roots::Roots;
use server::Server;
use stdio::Stdio;

fn main() -> ExitCode {
    let args = McpShimArgs::parse();
    if args.man {
        return print_manual();
    }
    start_log();
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("hob-mcp: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    runtime.block_on(run(args));
    // A thread may still sit in a read of standard input; it must not keep the process.
    runtime.shutdown_background();
    ExitCode::SUCCESS
}

fn print_manual() -> ExitCode {
    let printed = std::io::Write::write_all(&mut std::io::stdout(), &McpShimArgs::manual());
    if printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn run(args: McpShimArgs) {
    // Before the first answer: a client may say stop right after it.
    let told_to_stop = told_to_stop();
    let place = Where::find(args.root.as_deref(), project_dir(), &working_dir());
    let roots = Roots::new(place.fixed, place.fallback);
    let relay = Relay::new(roots.known_root(), args.edits, args.format);
    relay.connect_early();
    let server = Server::new(args.chosen_tools(relay.edits_enabled()), args.output_schemas, roots, relay);
    tokio::select! {
        () = serve_stdio(Arc::new(server)) => {}
        () = told_to_stop => {}
    }
}

/// Serves until the end of input. A message that may not come first (a stray notification, say) makes `rmcp` give up before
/// a session began; serving then begins again with the next message.
async fn serve_stdio(server: Arc<Server>) {
    let (reader, writer) = stdio_pipes();
    let stdio = Stdio::new(reader, writer);
    loop {
        match Arc::clone(&server).serve(stdio.clone()).await {
            Ok(running) => {
                let _ = running.waiting().await;
                return;
            }
            Err(
                ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::TransportError { .. },
            ) => return,
            Err(error) => tracing::debug!(%error, "no session yet"),
        }
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

/// Some clients say in the environment which project they are in.
fn project_dir() -> Option<PathBuf> {
    std::env::var_os("CLAUDE_PROJECT_DIR").filter(|dir| !dir.is_empty()).map(PathBuf::from)
}

#[allow(clippy::disallowed_methods, reason = "a shim is about the folder that its client starts it in")]
fn working_dir() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"))
}

/// Standard output belongs to the protocol; a log goes to standard error, and only when it is asked for.
fn start_log() {
    let Some(level) = std::env::var_os("HOB_LOG").filter(|level| !level.is_empty()) else { return };
    let level = level.to_str().and_then(|level| level.parse().ok()).unwrap_or(tracing::Level::INFO);
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).with_max_level(level).init();
}
