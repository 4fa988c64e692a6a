//! Runs `hob-mcp`: forwards MCP on stdin and stdout to the hob daemon.
//!
//! A client waits for this program whenever it starts, so it does next to nothing before it answers: one thread, a
//! static table, and the connection to the daemon in the background. It lives until its client ends it: until the end
//! of input, SIGINT or SIGTERM. The daemon's failures never end it; they become answers.

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

use clap::{CommandFactory as _, Parser as _};
use hob_client::far::FarSide;
use hob_client::shim::{self, stop_signal, working_dir};
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;

use args::{McpShimArgs, UserFolders};
use relay::Relay;
use roots::Roots;
use server::Server;
use stdio::Stdio;

fn main() -> ExitCode {
    let args = McpShimArgs::parse();
    if args.man {
        return shim::print_manual(&McpShimArgs::manual());
    }
    let far = shim::far_side(McpShimArgs::command(), &args.far, args.root.as_deref());
    shim::run("hob-mcp", run(args, far))
}

async fn run(args: McpShimArgs, far: Option<FarSide>) -> ExitCode {
    // Set up before the first answer, because a client may send the signal right after it.
    let stop = stop_signal();
    let place = UserFolders::find(args.root.as_deref(), project_dir(), &working_dir());
    let roots = Roots::new(place.fixed, place.fallback, far.is_none());
    let relay = Relay::new(roots.known_root(), far, args.edits, args.format);
    relay.connect_early();
    let server = Server::new(args.chosen_tools(relay.edits_enabled()), args.output_schemas, roots, relay);
    tokio::select! {
        () = serve_stdio(Arc::new(server)) => {}
        () = stop => {}
    }
    ExitCode::SUCCESS
}

/// Serves until the end of input. A message that may not come first (a stray notification, say) makes `rmcp` give up
/// before a session has begun; serving then begins again with the next message.
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

/// Returns the project that a client names in the environment, if it does.
fn project_dir() -> Option<PathBuf> {
    std::env::var_os("CLAUDE_PROJECT_DIR").filter(|dir| !dir.is_empty()).map(PathBuf::from)
}
