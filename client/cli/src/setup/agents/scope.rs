//! Names the two scopes of an entry, which the command line, files of agents and receipts share.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// The scope of an entry: the agents of one project, or all of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SetupScope {
    /// This project's: a file in it, which goes where the project goes
    Project,
    /// This user's, in every project
    User,
}
