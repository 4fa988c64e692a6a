//! Have the system's service manager run the daemon

use clap::Args;

use crate::cli::{Common, Failure, Outcome};

/// Have the system's service manager run the daemon
#[derive(Debug, Args)]
pub(crate) struct Service {}

impl Service {
    pub(super) async fn run(&self, _common: &Common) -> Result<Outcome, Failure> {
        Err(Failure::Usage("not there yet".to_owned()))
    }
}
