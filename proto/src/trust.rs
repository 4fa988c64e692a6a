//! Reads and writes the list of projects that the user trusts: one private file, which the command line
//! writes and the daemon reads whenever it matters.
//!
//! Trust of a folder covers all folders below it. Folders are stored with symbolic links resolved, and
//! callers must resolve them too. A file that cannot be used trusts nothing: the daemon then goes on without
//! trust, and the command line reports the problem.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::user_file::{UserFileError, change_user_file, read_user_file};

/// The trusted folders.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Trusted {
    folders: BTreeSet<PathBuf>,
}

impl Trusted {
    /// Reads the trusted folders from the file; without a file, nothing is trusted.
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

    /// Returns true if `folder`, with symbolic links resolved, is trusted or lies below a trusted folder.
    #[must_use]
    pub fn covers(&self, folder: &Path) -> bool {
        self.because_of(folder).is_some()
    }

    /// Returns the trusted folder that `folder` is or lies in.
    #[must_use]
    pub fn because_of(&self, folder: &Path) -> Option<&Path> {
        self.folders().find(|trusted| folder.starts_with(trusted))
    }

    /// Returns every trusted folder, sorted.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(PathBuf::as_path)
    }

    /// Trusts a folder; returns false if it was trusted already.
    pub fn add(&mut self, folder: &Path) -> bool {
        !self.covers(folder) && self.folders.insert(folder.to_path_buf())
    }

    /// Removes the trust of a folder and of those below it; returns the number of removed entries.
    pub fn remove(&mut self, folder: &Path) -> usize {
        let before = self.folders.len();
        self.folders.retain(|trusted| !trusted.starts_with(folder));
        before - self.folders.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_covers_what_lies_below_it_and_nothing_else() {
        let mut trusted = Trusted::default();
        assert!(!trusted.covers(Path::new("/a/b")));
        assert!(trusted.add(Path::new("/a/b")) && !trusted.add(Path::new("/a/b/c")));
        assert!(trusted.covers(Path::new("/a/b")) && trusted.covers(Path::new("/a/b/c")));
        assert!(!trusted.covers(Path::new("/a")) && !trusted.covers(Path::new("/a/bc")));
        assert_eq!(trusted.remove(Path::new("/a/b/c")), 0);
        assert_eq!(trusted.remove(Path::new("/a")), 1);
        assert!(!trusted.covers(Path::new("/a/b")));
    }
}
