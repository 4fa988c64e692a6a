//! Lists the names of refs without opening the repository.
//!
//! Opening one looks at the kind of everything that it could read, loose objects included, and reads a commit for each ref. Most
//! questions only want to know whether some ref is called so, and none is. The names are in `packed-refs` and in three folders,
//! which is all that this looks at.
//!
//! What it is not: the word on what a ref is. Whoever finds a name here asks [`Repository::list_refs`](super::Repository::list_refs).
//! Names that lead to no commit, or that only repeat another, may be among these.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hob_base::{AbsPath, small};

use super::plain::common_folder;
use super::refs::RefKind;

/// A larger list of packed refs is left to the library, in bytes.
const LARGEST_LIST: u64 = 1 << 20;
/// The longest `.git` file: a path.
const LONGEST_LINK: u64 = 16 << 10;
/// Deeper there are no refs.
const DEEPEST: usize = 16;
/// More names are left to the library.
const MANY: usize = 20_000;

/// The name of a ref, with its purpose.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RefName {
    /// The purpose of the ref.
    pub kind: RefKind,
    /// As people say it: `main`, `origin/main`, `v1.2`.
    pub name: String,
}

impl RefName {
    /// Returns the whole name, such as `refs/heads/main`.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}{}", self.kind.folder(), self.name)
    }

    fn parse(full: &str) -> Option<Self> {
        let known = RefKind::ALL.into_iter();
        let (kind, name) = known.filter_map(|kind| Some((kind, full.strip_prefix(kind.folder())?))).next()?;
        // `origin/HEAD` repeats another.
        let repeats = kind == RefKind::RemoteBranch && name.ends_with("/HEAD");
        (!repeats).then(|| Self { kind, name: name.to_owned() })
    }
}

/// The names of branches, remote branches and tags of the repository around `root`, sorted; `None` unless it is an ordinary
/// repository with ordinary files, whose names only the library can tell.
#[must_use]
pub fn list_ref_names(root: &AbsPath) -> Option<Vec<RefName>> {
    let folder = common_git_folder(root)?;
    let is_ordinary = folder.join("objects").is_dir() && !folder.join("reftable").exists();
    if !is_ordinary || !fs::metadata(folder.join("HEAD")).ok()?.is_file() {
        return None;
    }
    let mut names = packed_names(&folder.join("packed-refs"))?;
    for kind in RefKind::ALL {
        let above = folder.join(kind.folder());
        add_loose_names(&above, kind.folder(), DEEPEST, &mut names)?;
    }
    names.sort_unstable();
    names.dedup();
    Some(names)
}

/// The folder in which the refs of all work trees are.
fn common_git_folder(root: &AbsPath) -> Option<PathBuf> {
    let found = root.as_path().ancestors().map(|folder| folder.join(".git"));
    let git = found.into_iter().find(|git| fs::symlink_metadata(git).is_ok())?;
    if fs::metadata(&git).ok()?.is_dir() {
        return Some(git);
    }
    let text = small::read_text(&git, LONGEST_LINK).ok()?;
    let own = git.parent()?.join(text.strip_prefix("gitdir:")?.trim());
    Some(common_folder(&own).unwrap_or(own))
}

/// The names in a list of packed refs; none if there is no list, and `None` if it is not an ordinary one.
fn packed_names(list: &Path) -> Option<Vec<RefName>> {
    if fs::symlink_metadata(list).is_err() {
        return Some(Vec::new());
    }
    let text = small::read_text(list, LARGEST_LIST).ok()?;
    let lines = text.lines().filter(|line| !line.starts_with(['#', '^']));
    Some(lines.filter_map(|line| RefName::parse(line.split_once(' ')?.1.trim_end())).collect())
}

/// Adds the names of the files below a folder of refs; `None` if something is no ordinary file or folder, or there is too much.
fn add_loose_names(folder: &Path, above: &str, depth: usize, names: &mut Vec<RefName>) -> Option<()> {
    // Packed refs leave their folder empty, and some clones leave it out.
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(()),
        Err(_) => return None,
    };
    for entry in entries {
        let entry = entry.ok()?;
        let name = entry.file_name();
        let full = format!("{above}{}", name.to_str()?);
        match entry.file_type().ok()? {
            kind if kind.is_file() => names.extend(RefName::parse(&full)),
            kind if kind.is_dir() => {
                add_loose_names(&entry.path(), &format!("{full}/"), depth.checked_sub(1)?, names)?;
            }
            _ => return None,
        }
        if names.len() > MANY {
            return None;
        }
    }
    Some(())
}
