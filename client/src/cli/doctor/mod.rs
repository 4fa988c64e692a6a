//! Look for what is wrong with hob here, and say what mends it

use clap::Args;

use crate::cli::{Common, Failure, Outcome};

/// Look for what is wrong with hob here, and say what mends it
#[derive(Debug, Args)]
pub(crate) struct Doctor {}

impl Doctor {
    pub(super) async fn run(&self, _common: &Common) -> Result<Outcome, Failure> {
        Err(Failure::Usage("not there yet".to_owned()))
    }
}
