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

use std::process::ExitCode;

use clap::Parser as _;
use hob_client::Settings;
use hob_client::shim::{self, stop_signal, working_dir};
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
    shim::run("hob-lsp", run(&args))
}

async fn run(args: &LspShimArgs) -> ExitCode {
    let stop = stop_signal();
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
        () = stop => ExitCode::SUCCESS,
    }
}
