//! Looks up whether the user trusts a project at each use, so that the user's word counts from the next call on.
//!
//! The file is small and read each time, so nothing that is cached can be out of date.

use std::path::PathBuf;

use hob_base::AbsPath;
use hob_proto::trust::Trusted;

use super::notices::Notices;

/// The user's word on projects.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    file: Option<PathBuf>,
}

impl Trust {
    /// Returns the trust that `file` gives.
    #[must_use]
    pub fn in_file(file: PathBuf) -> Self {
        Self { file: Some(file) }
    }

    /// Returns true if the user trusts the folder `root`, wherever symbolic links lead. A file that cannot be used
    /// trusts nothing, and users are warned.
    pub(super) fn is_trusted(&self, root: &AbsPath, notices: &Notices) -> bool {
        let Some(file) = &self.file else { return false };
        match Trusted::read(file) {
            Ok(trusted) => root.as_path().canonicalize().is_ok_and(|real| trusted.covers(&real)),
            Err(error) => {
                notices.add_once("trust", format!("No project is trusted: {error}."));
                false
            }
        }
    }
}
