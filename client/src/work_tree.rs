//! Finds the git work tree around a path, and tells whether two work trees belong to one repository.
//!
//! Agents start in one work tree and move into another, while the programs that they started stay. A shim that sees
//! their paths can follow them, but only within one repository: a path elsewhere does not move the agent. Git's files
//! are read as gitrepository-layout(5) describes them, and git itself is not run. A missing path is in no work tree,
//! and neither is one with broken files of git.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Most bytes of `.git` and `commondir` that are read: each holds one path.
const LARGEST: u64 = 8 << 10;

/// A git work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkTree {
    /// Its top folder, without links.
    pub top: PathBuf,
    /// True if `git worktree add` made it.
    pub is_linked: bool,
    /// The folder that all work trees of the repository share.
    common: PathBuf,
}

impl WorkTree {
    /// Finds the work tree around a path; `None` for a path outside of git.
    #[must_use]
    pub fn around(path: &Path) -> Option<Self> {
        let path = path.canonicalize().ok()?;
        let top = path.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())?;
        let mark = top.join(".git");
        if mark.is_dir() {
            return Some(Self {
                top: top.to_path_buf(),
                is_linked: false,
                common: mark.canonicalize().ok()?,
            });
        }
        let git_folder = top.join(small_text(&mark)?.strip_prefix("gitdir:")?.trim());
        // A submodule has no such file: it does not share its repository.
        let common = small_text(&git_folder.join("commondir"));
        let is_linked = common.is_some();
        let common = common.map_or_else(|| git_folder.clone(), |common| git_folder.join(common.trim()));
        Some(Self { top: top.to_path_buf(), is_linked, common: common.canonicalize().ok()? })
    }

    /// Returns true if both belong to one repository and are not the same.
    #[must_use]
    pub fn is_beside(&self, other: &Self) -> bool {
        self.top != other.top && self.common == other.common
    }
}

fn small_text(path: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(path).ok()?.take(LARGEST).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    #[test]
    fn work_trees_of_one_repository_are_beside_each_other() {
        let dir = tempfile::tempdir().expect("a folder");
        let at = |path: &str| dir.path().join(path);
        write(&at("main/.git/HEAD"), "ref: x");
        write(&at("main/src/a.py"), "");
        write(&at("main/.git/worktrees/wt/commondir"), "../..\n");
        write(&at("wt/.git"), &format!("gitdir: {}\n", at("main/.git/worktrees/wt").display()));
        write(&at("wt/src/a.py"), "");
        write(&at("other/.git/HEAD"), "");
        write(&at("main/.git/modules/sub/HEAD"), "");
        write(&at("main/sub/.git"), "gitdir: ../.git/modules/sub\n");
        let around = |path: &str| WorkTree::around(&at(path)).unwrap_or_else(|| panic!("{path} is in one"));
        let (main, linked) = (around("main/src/a.py"), around("wt/src"));
        assert!(main.is_beside(&linked) && linked.is_beside(&main) && linked.is_linked && !main.is_linked);
        assert_eq!(linked.top, at("wt").canonicalize().expect("exists"));
        assert!(!main.is_beside(&around("main")) && !main.is_beside(&around("other")));
        assert!(!main.is_beside(&around("main/sub")) && !around("main/sub").is_linked);
    }

    #[test]
    fn what_is_broken_is_no_work_tree() {
        let dir = tempfile::tempdir().expect("a folder");
        write(&dir.path().join("a/.git"), "something else");
        write(&dir.path().join("b/.git"), "gitdir: /no/such/folder\n");
        for path in ["a", "b", "gone"] {
            assert_eq!(WorkTree::around(&dir.path().join(path)), None, "{path}");
        }
    }
}
