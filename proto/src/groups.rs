//! Reads and writes the user's groups of projects: names for several projects that one question is about.
//!
//! `hob group` writes them, the daemon reads them whenever a call names one (`root: "group:shop"`). A group
//! lists folders, not their contents: a missing folder is an error of the call that needs it. Groups give no
//! trust.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::user_file::{UserFileError, change_user_file, read_user_file};

/// The beginning of a `root` that names a group.
pub const GROUP_PREFIX: &str = "group:";

/// Groups of projects by name.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ProjectGroups {
    groups: BTreeMap<String, Vec<PathBuf>>,
}

impl ProjectGroups {
    /// Reads the groups from the file; without a file there are none.
    ///
    /// # Errors
    /// [`UserFileError`].
    pub fn read(file: &Path) -> Result<Self, UserFileError> {
        read_user_file(file)
    }

    /// Changes the file. Concurrent changes by several programs all count.
    ///
    /// # Errors
    /// [`UserFileError`]; the file is then as it was.
    pub fn change_file<T>(file: &Path, change: impl FnOnce(&mut Self) -> T) -> Result<T, UserFileError> {
        change_user_file(file, change)
    }

    /// Returns the folders of a group, in the order in which they were added.
    #[must_use]
    pub fn folders(&self, name: &str) -> Option<&[PathBuf]> {
        self.groups.get(name).map(Vec::as_slice)
    }

    /// Returns every group with its folders, sorted by name.
    pub fn all(&self) -> impl Iterator<Item = (&str, &[PathBuf])> {
        self.groups.iter().map(|(name, folders)| (name.as_str(), folders.as_slice()))
    }

    /// Adds a folder to a group, and creates the group if it does not exist; returns false if the group had
    /// the folder already.
    pub fn add(&mut self, name: &str, folder: &Path) -> bool {
        let folders = self.groups.entry(name.to_owned()).or_default();
        let is_new = folders.iter().all(|other| other != folder);
        if is_new {
            folders.push(folder.to_path_buf());
        }
        is_new
    }

    /// Removes a folder from a group, and removes the group with its last folder; returns false if the group
    /// did not have the folder.
    pub fn remove_folder(&mut self, name: &str, folder: &Path) -> bool {
        let Some(folders) = self.groups.get_mut(name) else { return false };
        let before = folders.len();
        folders.retain(|other| other != folder);
        let is_gone = folders.len() < before;
        if folders.is_empty() {
            self.groups.remove(name);
        }
        is_gone
    }

    /// Removes a group; returns false if none has this name.
    pub fn remove_group(&mut self, name: &str) -> bool {
        self.groups.remove(name).is_some()
    }
}

/// Returns true if a group may have this name: letters, digits, `-`, `_` and `.`, at most 64 of them.
#[must_use]
pub fn is_group_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.chars().count() <= 64 && name.chars().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_goes_with_its_last_folder() {
        let mut groups = ProjectGroups::default();
        assert!(groups.add("shop", Path::new("/w/web")) && groups.add("shop", Path::new("/w/api")));
        assert!(!groups.add("shop", Path::new("/w/web")));
        assert_eq!(groups.folders("shop").map(<[PathBuf]>::len), Some(2));
        assert!(groups.remove_folder("shop", Path::new("/w/web")));
        assert!(!groups.remove_folder("shop", Path::new("/w/web")));
        assert!(groups.remove_folder("shop", Path::new("/w/api")));
        assert_eq!(groups, ProjectGroups::default());
    }

    #[test]
    fn names_are_words() {
        assert!(is_group_name("shop-2.0") && is_group_name("läden"));
        assert!(
            !is_group_name("") && !is_group_name("a b") && !is_group_name("a/b") && !is_group_name("a:b")
        );
    }
}
