//! Finds the context of one run of `hob setup` for agents: the project, the user's folders and the receipts.

use std::path::{Path, PathBuf};

use hob_proto::places::Places;

use super::clients::Bases;
use super::receipt::Receipts;
use crate::term::Style;
use crate::{CommandFailure, Common, repository_top};

/// The context of one run.
pub(super) struct AgentSetupContext<'a> {
    pub(super) bases: Bases<'a>,
    /// The project: the top of the repository around the working directory, or that directory itself.
    pub(super) root: PathBuf,
    pub(super) receipts: Receipts,
    pub(super) json: bool,
    pub(super) style: Style,
}

/// Reads a variable of the environment; an empty one counts as missing.
pub(super) fn nonempty_variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

impl AgentSetupContext<'_> {
    /// Finds the context from the environment and the options that all commands have.
    ///
    /// # Errors
    /// The error when no home folder is known, or the receipts have no place.
    pub(super) fn find(common: &Common) -> Result<Self, CommandFailure> {
        let bases =
            Bases::find(&nonempty_variable).map_err(|problem| CommandFailure::Usage(problem.to_owned()))?;
        let places = Places::from_process_env()?;
        let place = common.real_project_folder()?;
        Ok(Self {
            bases,
            root: repository_top(&place).map_or_else(|| place.clone(), Path::to_path_buf),
            receipts: Receipts::in_places(&places),
            json: common.json,
            style: Style::of_stdout(),
        })
    }

    /// Returns true if the folder is the user's home, which is no project: files in it are the user's.
    pub(super) fn is_home(&self) -> bool {
        self.bases.home.canonicalize().is_ok_and(|home| home == self.root) || self.root.parent().is_none()
    }
}
