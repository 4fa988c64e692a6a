//! Forgets one project: removes everything that is kept for it alone.
//!
//! The workspace is closed first, and its folder moved away under the lock that opens workspaces, so that a call
//! meanwhile begins with nothing instead of with half of it. A folder that is no longer admitted, or is gone, can be
//! forgotten as well, because its data is found by the path alone. Facts of files belong to no single project (they are
//! found by content); the collection removes those that nobody uses any more (`collect`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hob_base::AbsPath;
use hob_live::keep;

use super::collect::GOING;
use super::folder_name::folder_name;
use super::registry::Host;
use hob_base::lock;

/// The data on disk that hob keeps for one project alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProjectData {
    /// Its root, without links.
    pub root: AbsPath,
    /// Folders: its snapshot with its texts, its cookies, and the caches of language servers.
    pub folders: Vec<PathBuf>,
    /// Number of edits that wait for a decision.
    pub pending: usize,
    /// True if the project's last edit could be undone.
    pub undo: bool,
}

impl Host {
    /// Returns the data that is kept for the project that `start` is or is in.
    #[must_use]
    pub fn kept_for(&self, start: &AbsPath) -> ProjectData {
        let root = self.kept_root(start);
        let name = folder_name(&root);
        let own = [&self.options.snapshots, &self.options.cookies].map(|all| all.as_path().join(&name));
        let of_servers =
            self.shared.live.cache_root().map(|all| keep::folders_of(all, &root)).unwrap_or_default();
        let folders = own.into_iter().chain(of_servers).filter(|folder| folder.symlink_metadata().is_ok());
        ProjectData {
            folders: folders.collect(),
            pending: self.edits.pending_edits(&|one| one.owner.root == root).len(),
            undo: self.edits.has_undo(&root),
            root,
        }
    }

    /// Closes a project and removes what is kept for it.
    ///
    /// # Errors
    /// The folder or edit that could not be removed, and why; those before it are gone.
    pub fn purge_project(&self, kept: &ProjectData) -> Result<(), String> {
        let root = &kept.root;
        let aside = self.close_and_put_aside(root);
        self.end_servers_of(root);
        for folder in kept.folders.iter().chain([&aside]) {
            remove(folder)
                .map_err(|error| format!("`{}` could not be removed: {error}", folder.display()))?;
        }
        lock(&self.roots).retain(|_, known| known.root.path != *root);
        self.edits.forget_workspace(root).map_err(|error| error.to_string())
    }

    /// Closes the project and returns the folder to which its snapshot was moved; nobody has it open then.
    fn close_and_put_aside(&self, root: &AbsPath) -> PathBuf {
        let (all, name) = (self.options.snapshots.as_path(), folder_name(root));
        let aside = all.join(format!("{name}{GOING}"));
        let mut open = lock(&self.open);
        if let Some(gone) = open.remove(root) {
            gone.workspace.close();
        }
        // A folder that cannot be renamed is removed where it is.
        let _ = fs::rename(all.join(name), &aside);
        aside
    }

    /// Returns the root for which something is kept: the folder itself if it was a root, else that of the project
    /// around it.
    fn kept_root(&self, start: &AbsPath) -> AbsPath {
        let itself = without_links(start);
        let was_root = self.options.snapshots.as_path().join(folder_name(&itself)).exists();
        if was_root { itself } else { self.root_of(start).unwrap_or(itself) }
    }
}

/// Returns a path without the links in the part of it that exists.
fn without_links(path: &AbsPath) -> AbsPath {
    let real = |at: &Path| AbsPath::new(fs::canonicalize(at).ok()?).ok();
    let found = path.as_path().ancestors().find_map(|at| Some((at, real(at)?)));
    let Some((at, real)) = found else { return path.clone() };
    let rest = path.as_path().strip_prefix(at).unwrap_or(Path::new(""));
    if rest.as_os_str().is_empty() { real } else { real.join(rest) }
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
