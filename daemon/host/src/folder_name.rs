//! Names the folders in which hob keeps what belongs to one workspace.

use hob_base::{AbsPath, ContentHash};

/// Returns the name of a workspace's own folders, derived from its root so that it is the same in every run.
pub(super) fn folder_name(root: &AbsPath) -> String {
    let mut name = ContentHash::of(root.as_path().as_os_str().as_encoded_bytes()).to_string();
    name.truncate(FOLDER_NAME);
    name
}

/// Length of such a name, in hexadecimal digits.
pub(super) const FOLDER_NAME: usize = 16;
