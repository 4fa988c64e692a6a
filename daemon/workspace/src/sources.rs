//! Rule files that lie where nothing is watched: above the workspace, in git's own folder, at the user's.
//!
//! They are few, and their folders are none of our business (the user's home may be among them), so they are not watched:
//! a call that wants freshness looks at the stat of each. If one differs, everything is looked at again.
//!
//! What it is not: knowledge of which files git's configuration names, or of the private ignore file of a repository
//! *within* the workspace; those count from the next sweep on.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::gitignore::gitconfig_excludes_path;

use crate::names;
use crate::rule_files::common_folder;
use crate::{Rules, Stat};

/// The rule files outside, and what they were.
#[derive(Debug, Default)]
pub(crate) struct Sources(Vec<(PathBuf, Option<Stat>)>);

impl Sources {
    /// As they are now; to be taken before they are read.
    pub(crate) fn of(rules: &Rules) -> Self {
        Self(paths(rules).into_iter().map(|path| (path.clone(), stat(&path))).collect())
    }

    /// Whether one of them is another file than it was.
    pub(crate) fn changed(&self) -> bool {
        self.0.iter().any(|(path, before)| match (before, stat(path)) {
            (Some(before), Some(now)) => !before.matches(&now),
            (before, now) => before.is_some() != now.is_some(),
        })
    }
}

fn stat(path: &Path) -> Option<Stat> {
    fs::metadata(path).ok().map(|metadata| Stat::of(&metadata))
}

fn paths(rules: &Rules) -> Vec<PathBuf> {
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
