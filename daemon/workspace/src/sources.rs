//! Rule files that lie where nothing is watched: above the workspace, in git's own folder, at the user's; and those that have another
//! name, which is the one that a write gives an event for: links, and files with several names.
//!
//! They are few, and their folders are none of our business (the user's home may be among them), so they are not watched:
//! a call that wants freshness looks at the stat of each. If one differs, everything is looked at again.
//!
//! What it is not: knowledge of which files git's configuration names, or of the private ignore file of a repository
//! *within* the workspace; those count from the next sweep on.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ignore::gitignore::gitconfig_excludes_path;

use crate::names;
use crate::rule_files::common_folder;
use crate::{Rules, Stat};

/// The rule files outside, and what they were.
#[derive(Debug, Default)]
pub(crate) struct Sources(Vec<(PathBuf, Option<Stat>)>);

impl Sources {
    /// As they are now; to be taken before they are read.
    pub(crate) fn stat_all(rules: &Rules) -> Self {
        Self(paths_of(rules).into_iter().map(|path| (path.clone(), stat_of(&path))).collect())
    }

    /// Returns true if one of the files is another file than it was.
    pub(crate) fn any_changed(&self) -> bool {
        self.0.iter().any(|(path, before)| has_changed(path, *before))
    }
}

/// Rule files with another name, and what they were before they were read. Whoever reads one writes it down.
#[derive(Debug, Default)]
pub(crate) struct Linked(Mutex<BTreeMap<PathBuf, Option<Stat>>>);

impl Linked {
    /// Notes a rule file that is about to be read, if it has another name. `found` is what lies there, a link not followed.
    pub(crate) fn note_if_linked(&self, file: &Path, found: &fs::Metadata) {
        if found.is_symlink() || (found.is_file() && Stat::of(found).links > 1) {
            self.lock().insert(file.to_path_buf(), stat_of(file));
        }
    }

    /// Returns true if one of the files is another file than it was.
    pub(crate) fn any_changed(&self) -> bool {
        self.lock().iter().any(|(path, before)| has_changed(path, *before))
    }

    /// Forgets all: they are about to be read anew.
    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Option<Stat>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn has_changed(path: &Path, before: Option<Stat>) -> bool {
    match (before, stat_of(path)) {
        (Some(before), Some(now)) => !before.matches(&now),
        (before, now) => before.is_some() != now.is_some(),
    }
}

fn stat_of(path: &Path) -> Option<Stat> {
    fs::metadata(path).ok().map(|metadata| Stat::of(&metadata))
}

fn paths_of(rules: &Rules) -> Vec<PathBuf> {
    let root = rules.root().as_path();
    let kinds = [names::GIT_IGNORE, names::IGNORE].into_iter().chain(names::CUSTOM_IGNORE);
    let above = root.ancestors().skip(1);
    let mut paths: Vec<PathBuf> =
        above.flat_map(|folder| kinds.clone().map(move |name| folder.join(name))).collect();
    paths.extend(git_exclude(root));
    paths.extend(gitconfig_excludes_path().filter(|_| rules.options().global));
    paths
}

/// git's private ignore file: of a worktree, the one of the repository that it belongs to.
fn git_exclude(root: &Path) -> Option<PathBuf> {
    let git = fs::metadata(root.join(".git")).ok()?;
    Some(common_folder(root, git.is_file())?.join("info/exclude"))
}
