//! Defines `hob proxy`: a program on another machine starts it here to reach this user's daemon. Users do not type it.

use clap::Args;
use hob_client::proxy::{ProxyOptions, serve_far_client};

use super::{CommandFailure, CommandOutcome, Common};

/// Connect standard input and output to the daemon, for a program elsewhere
#[derive(Debug, Args)]
pub(crate) struct Proxy {
    /// A folder whose real path to print; may be repeated
    #[arg(long = "path", value_name = "PATH")]
    paths: Vec<String>,

    /// Only report the programs and folders here, and start nothing
    #[arg(long)]
    check: bool,
}

impl Proxy {
    pub(super) async fn run(self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let root = common.root.as_ref().map(|root| root.to_string_lossy().into_owned());
        let wishes = ProxyOptions { root, paths: self.paths, check: self.check };
        Ok(if serve_far_client(&wishes).await { CommandOutcome::Done } else { CommandOutcome::Failed })
    }
}
