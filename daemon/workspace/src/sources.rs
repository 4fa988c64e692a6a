//! Tracks rule files whose changes give no event. Some lie where nothing is watched: above the workspace, in git's own
//! folder, in the user's home. Others have another name (links, and files with several names), and a write gives an
//! event for that name.
//!
//! They are few, and hob has no business in their folders (the user's home may be among them), so it does not watch
//! them: a call that wants freshness looks at the stat of each. If one differs, everything is scanned again.
//!
//! What it is not: a tracker of the files that git's configuration names, or of the private ignore file of a repository
//! *within* the workspace; changes of those count from the next sweep on.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ignore::gitignore::gitconfig_excludes_path;

use crate::names;
use crate::rule_files::common_folder;
use crate::{Rules, Stat};

/// The rule files outside the workspace, with the stat of each.
#[derive(Debug, Default)]
pub(crate) struct Sources(Vec<(PathBuf, Option<Stat>)>);

impl Sources {
    /// Takes the present stats. Callers do this before they read the files.
    pub(crate) fn stat_all(rules: &Rules) -> Self {
        Self(paths_of(rules).into_iter().map(|path| (path.clone(), stat_of(&path))).collect())
    }

    /// Returns true if one of the files has another stat by now.
    pub(crate) fn any_changed(&self) -> bool {
        self.0.iter().any(|(path, before)| has_changed(path, *before))
    }
}

/// Rule files with another name, with the stat of each before it was read. The reader of such a file records it.
#[derive(Debug, Default)]
pub(crate) struct Linked(Mutex<BTreeMap<PathBuf, Option<Stat>>>);

impl Linked {
    /// Records a rule file that is about to be read, if it has another name. `found` is the metadata of the path
    /// itself, a link not followed.
    pub(crate) fn note_if_linked(&self, file: &Path, found: &fs::Metadata) {
        if found.is_symlink() || (found.is_file() && Stat::of(found).links > 1) {
            self.lock().insert(file.to_path_buf(), stat_of(file));
        }
    }

    /// Returns true if one of the files has another stat by now.
    pub(crate) fn any_changed(&self) -> bool {
        self.lock().iter().any(|(path, before)| has_changed(path, *before))
    }

    /// Forgets all files, because they are about to be read anew.
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

/// Returns git's private ignore file; for a worktree, the one of its repository.
fn git_exclude(root: &Path) -> Option<PathBuf> {
    let git = fs::metadata(root.join(".git")).ok()?;
    Some(common_folder(root, git.is_file())?.join("info/exclude"))
}
