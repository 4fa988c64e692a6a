//! Show what hob was asked, how fast it answered and what that saved

use clap::Args;

use super::{Common, Failure, Outcome};

/// Show what hob was asked, how fast it answered and what that saved
#[derive(Debug, Args)]
pub(crate) struct Stats {}

impl Stats {
    pub(super) async fn run(&self, _common: &Common) -> Result<Outcome, Failure> {
        Err(Failure::Usage("not there yet".to_owned()))
    }
}
