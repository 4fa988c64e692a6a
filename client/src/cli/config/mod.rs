//! Check and show the settings

use clap::Args;

use crate::cli::{Common, Failure, Outcome};

/// Check and show the settings
#[derive(Debug, Args)]
pub(crate) struct Config {}

impl Config {
    pub(super) async fn run(&self, _common: &Common) -> Result<Outcome, Failure> {
        Err(Failure::Usage("not there yet".to_owned()))
    }
}
