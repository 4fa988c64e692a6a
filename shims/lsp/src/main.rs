//! Runs `hob-lsp`: forwards LSP on stdin and stdout to the hob daemon.
//!
//! It is a relay and no language server: the daemon answers. It uses no types of LSP, and reads of a message only the
//! parts that it needs to forward it. It lives until its editor ends it: until `exit`, the end of input, SIGINT or
//! SIGTERM. The daemon's failures never end it: the next daemon gets the editor's earlier messages again.

mod args;
mod asked;
mod greeting;
mod json;
mod link;
mod message;
mod relay;
mod replay;
mod stdio;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{CommandFactory as _, Parser as _};
use hob_client::far::FarSide;
use hob_client::shim::{self, stop_signal, working_dir};
use hob_client::{Settings, pipes};
use hob_proto::ClientKind;

use args::LspShimArgs;
use greeting::Additions;
use link::Linking;
use relay::Relay;
use stdio::{Input, Output};

fn main() -> ExitCode {
    let args = LspShimArgs::parse();
    if args.man {
        return shim::print_manual(&LspShimArgs::manual());
    }
    let far = shim::far_side(LspShimArgs::command(), &args.far, args.root.as_deref());
    shim::run("hob-lsp", run(&args, far))
}

async fn run(args: &LspShimArgs, far: Option<FarSide>) -> ExitCode {
    let stop = stop_signal();
    let settings = Settings::from_process_env(ClientKind::Lsp);
    let root = args.project_place(&working_dir());
    let far_root = far.as_ref().and_then(|far| far.place.as_deref()).map(PathBuf::from);
    let named = root.clone().or_else(|| far_root.filter(|place| place.is_absolute()));
    let additions = Additions::new(&args.languages, named.as_deref());
    let far = far.map(Arc::new);
    let settings = settings.map(|settings| Settings { cwd: root.unwrap_or(settings.cwd), far, ..settings });
    let relay = Relay::new(Output::new(pipes::open_output()), Linking::new(settings), additions);
    tokio::select! {
        end = relay.run(Input::new(pipes::open_input())) => end.into(),
        () = stop => ExitCode::SUCCESS,
    }
}
