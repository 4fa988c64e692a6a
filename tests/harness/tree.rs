//! A project on disk, written as one string.
//!
//! ```text
//! //- /src/a.py
//! def f(): pass
//! //- /b.txt
//! hello
//! ```
//!
//! Its folder has an empty `.git`, so that it is a separate workspace wherever it is. Only [`Tree::unversioned`] has
//! none.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder with a project in it. It is removed together with its world.
#[derive(Clone, Debug)]
pub struct Tree {
    root: PathBuf,
}

impl Tree {
    /// Writes `fixture` below `root`, which becomes a workspace.
    ///
    /// # Panics
    ///
    /// Panics if the files cannot be written, or if the fixture is malformed.
    #[must_use]
    pub fn new(root: &Path, fixture: &str) -> Self {
        fs::create_dir_all(root.join(".git")).expect("the tree's folder can be made");
        Self::unversioned(root, fixture)
    }

    /// Writes `fixture` below `root`, without making it a workspace.
    ///
    /// # Panics
    ///
    /// As for [`Tree::new`].
    #[must_use]
    pub fn unversioned(root: &Path, fixture: &str) -> Self {
        fs::create_dir_all(root).expect("the tree's folder can be made");
        let root = fs::canonicalize(root).expect("it exists now");
        let tree = Self { root };
        for (path, text) in sections(fixture) {
            tree.write(path, text);
        }
        tree
    }

    /// Returns a tree that already exists on disk.
    ///
    /// # Panics
    ///
    /// Panics if it does not exist.
    #[must_use]
    pub fn existing(root: &Path) -> Self {
        Self { root: fs::canonicalize(root).expect("the tree exists") }
    }

    /// Returns the root folder, without symbolic links.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns a path in the tree.
    #[must_use]
    pub fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Writes a file, and the folders above it.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be written.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("folders can be made");
        fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    /// Reads a file as text.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be read.
    #[must_use]
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Removes a file.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be removed.
    pub fn remove(&self, path: &str) {
        fs::remove_file(self.at(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    }

    /// Renames a file or folder, and makes the folders above its new path.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be renamed.
    pub fn rename(&self, from: &str, to: &str) {
        let target = self.at(to);
        fs::create_dir_all(target.parent().expect("a file lies in a folder")).expect("folders can be made");
        fs::rename(self.at(from), target).unwrap_or_else(|error| panic!("{from} to {to}: {error}"));
    }

    /// Describes the files for failure messages: with their texts in a small tree, with names and sizes in a larger
    /// one.
    #[must_use]
    pub fn describe(&self) -> String {
        let mut files = Vec::new();
        list(&self.root, &mut files);
        files.sort();
        let small = files.len() <= 20 && files.iter().map(|(_, len)| len).sum::<u64>() < 8_000;
        let mut out = format!("{} ({} files)\n", self.root.display(), files.len());
        for (path, len) in files.iter().take(60) {
            let name = path.strip_prefix(&self.root).unwrap_or(path).display();
            out.push_str(&format!("//- /{name} ({len} bytes)\n"));
            // A pipe in a hostile tree could never be read to its end.
            if small && path.is_file() {
                out.push_str(&String::from_utf8_lossy(&fs::read(path).unwrap_or_default()));
            }
        }
        out
    }
}

fn list(folder: &Path, files: &mut Vec<(PathBuf, u64)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(meta) = fs::symlink_metadata(entry.path()) else { continue };
        if meta.is_dir() {
            list(&entry.path(), files);
        } else {
            files.push((entry.path(), meta.len()));
        }
    }
}

/// Returns the files of a fixture. The text of each ends with a line feed.
fn sections(fixture: &str) -> Vec<(&str, &str)> {
    let mut out = Vec::new();
    let mut rest = fixture.trim_start();
    while !rest.is_empty() {
        let after = rest.strip_prefix("//- /").unwrap_or_else(|| panic!("no `//- /path` at: {rest}"));
        let (path, body) = after.split_once('\n').unwrap_or((after, ""));
        let end = body.find("//- /").unwrap_or(body.len());
        out.push((path.trim(), &body[..end]));
        rest = &body[end..];
    }
    out
}
