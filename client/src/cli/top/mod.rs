//! Watch the daemon: projects, servers, memory, calls

use clap::Args;

use crate::cli::{Common, Failure, Outcome};

/// Watch the daemon: projects, servers, memory, calls
#[derive(Debug, Args)]
pub(crate) struct Top {}

impl Top {
    pub(super) async fn run(&self, _common: &Common) -> Result<Outcome, Failure> {
        Err(Failure::Usage("not there yet".to_owned()))
    }
}
