//! Write the manual pages

use clap::Args;

use super::{Common, Failure, Outcome};

/// Write the manual pages
#[derive(Debug, Args)]
pub(crate) struct Man {}

impl Man {
    pub(super) async fn run(&self, _common: &Common) -> Result<Outcome, Failure> {
        Err(Failure::Usage("not there yet".to_owned()))
    }
}
