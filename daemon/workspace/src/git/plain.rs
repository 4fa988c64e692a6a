//! Checks that the files of a repository are regular files.
//!
//! The library opens files by name and reads them to their end. In a repository that came in an archive such a file may
//! be a pipe, on which the library would wait for ever, or a device, which has no end. So before the library opens a
//! repository, this module looks at the kind of every file that it could open. That costs a listing of folders, not of
//! contents.
//!
//! What it is not: a check of object stores that others name (`alternates`), or of files that change after the check.

use std::fs;
use std::path::{Path, PathBuf};

use hob_base::{AbsPath, small};

/// Files that are read whole, by name.
const NAMED: &[&str] = &[
    "HEAD",
    "commondir",
    "config",
    "config.worktree",
    "gitdir",
    "index",
    "objects/info/alternates",
    "packed-refs",
    "shallow",
];

/// Size limit of such a file, in bytes.
const LARGEST: u64 = 1 << 30;

/// Folders in which the library may open any file.
const LISTED: &[&str] = &["logs", "objects", "refs", "worktrees"];

/// Number of levels of folders that are checked; git's own files are never deeper.
const DEEPEST: usize = 32;

/// The longest `.git` or `commondir` file: a path.
const LONGEST_LINK: u64 = 16 << 10;

/// Returns the reason why the repository around `root` may not be opened, if there is one.
pub(super) fn find_obstacle(root: &AbsPath) -> Option<String> {
    let found = root.as_path().ancestors().map(|folder| folder.join(".git"));
    let git = found.into_iter().find(|git| fs::symlink_metadata(git).is_ok())?;
    let kind = fs::metadata(&git).ok()?;
    if kind.is_dir() {
        return in_folder(&git);
    }
    if !kind.is_file() {
        return Some("its `.git` is neither a folder nor a file".to_owned());
    }
    let text = match small::read_text(&git, LONGEST_LINK) {
        Ok(text) => text,
        Err(error) => return Some(format!("its `.git` cannot be read: {error}")),
    };
    let own = git.parent()?.join(text.strip_prefix("gitdir:")?.trim());
    in_folder(&own).or_else(|| in_folder(&common_folder(&own)?))
}

/// The folder that a work tree of its own shares with the others of its repository.
pub(super) fn common_folder(own: &Path) -> Option<PathBuf> {
    Some(own.join(small::read_text(&own.join("commondir"), LONGEST_LINK).ok()?.trim()))
}

fn in_folder(git: &Path) -> Option<String> {
    let named = NAMED.iter().map(|name| git.join(name)).find_map(|path| {
        let found = fs::metadata(&path).ok()?;
        let is_fine = found.is_dir() || found.is_file() && found.len() <= LARGEST;
        (!is_fine).then(|| describe_odd(&path))
    });
    named.or_else(|| LISTED.iter().find_map(|name| find_odd_below(&git.join(name), DEEPEST)))
}

fn find_odd_below(folder: &Path, depth: usize) -> Option<String> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    // Joins a path only where it is needed: there are thousands of loose objects, and every question runs this check.
    entries.into_iter().find_map(|entry| match entry.file_type().ok()? {
        kind if kind.is_file() => None,
        kind if kind.is_dir() => find_odd_below(&entry.path(), depth.checked_sub(1)?),
        // A link counts as its target, and is not descended into.
        _ => {
            let found = fs::metadata(entry.path()).ok()?;
            (!found.is_file() && !found.is_dir()).then(|| describe_odd(&entry.path()))
        }
    })
}

fn describe_odd(path: &Path) -> String {
    format!("`{}` is no regular file", path.display())
}
