//! Holds the open workspaces by root, each with the time of its last use. One lock guards opening, closing and finding.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use hob_base::AbsPath;

use super::workspace::Workspace;

/// The open workspaces by root.
pub(super) type OpenWorkspaces = Arc<Mutex<HashMap<AbsPath, UsedWorkspace>>>;

/// An open workspace with the time of its last use by a call.
#[derive(Debug)]
pub(super) struct UsedWorkspace {
    pub(super) workspace: Arc<Workspace>,
    pub(super) used: Instant,
    /// True if it was only ever asked for as the source of a package: it is the first to leave.
    pub(super) is_package: bool,
}
