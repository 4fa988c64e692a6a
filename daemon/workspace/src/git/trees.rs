//! Lists the files of a revision, as paths of the workspace.
//!
//! The walk keeps a list of the trees that are still to be read and never recurses, because whoever made the repository
//! decides how deep its trees are. A loop is impossible, since a tree's name is the hash of its contents.

use std::cmp::Ordering;

use gix::objs::TreeRefIter;
use gix::objs::tree::EntryKind;
use hob_base::{CancelToken, WsPath};

use super::{GitError, Oid, Repository};

/// A file as a commit has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    /// Its path in the workspace.
    pub path: WsPath,
    /// Its contents, for [`Repository::read_blob`].
    pub blob: Oid,
}

/// A file that differs between two commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeChange {
    /// Its path in the workspace. A file that was moved is two changes: one gone, one new, with the same contents.
    pub path: WsPath,
    /// Its contents in the first commit; `None` if it is new.
    pub before: Option<Oid>,
    /// Its contents in the second; `None` if it is gone.
    pub after: Option<Oid>,
}

/// An entry of a tree that is a file or a folder.
struct GitTreeEntry {
    name: String,
    is_folder: bool,
    id: gix::ObjectId,
}

impl Repository {
    /// Returns the workspace's files in `commit`, sorted by path. Symbolic links, submodules, and files whose names are
    /// not UTF-8 are left out; the list is empty when the commit does not have the workspace's folder.
    ///
    /// # Errors
    /// [`GitError::Read`] for a missing or damaged object (of a partial clone, too: nothing is fetched),
    /// [`GitError::Stopped`].
    pub fn files_at(&self, commit: Oid, cancel: &CancelToken) -> Result<Vec<TreeFile>, GitError> {
        let repository = self.open();
        let Some(root) = self.folder_at(&repository, commit)? else { return Ok(Vec::new()) };
        let mut files = Vec::new();
        let mut folders = vec![(String::new(), root)];
        while let Some((above, id)) = folders.pop() {
            cancel.check()?;
            for entry in entries(&repository, id)? {
                let path = join(&above, &entry.name);
                match entry.is_folder {
                    true => folders.push((path, entry.id)),
                    false => files.extend(file(&path).map(|path| TreeFile { path, blob: Oid(entry.id) })),
                }
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    /// Returns the workspace's files that differ from commit `before` to commit `after`, sorted by path. Folders that
    /// are the same are not read. Files that [`Repository::files_at`] leaves out are left out here as well.
    ///
    /// # Errors
    /// As [`Repository::files_at`].
    pub fn changed_between(
        &self,
        before: Oid,
        after: Oid,
        cancel: &CancelToken,
    ) -> Result<Vec<TreeChange>, GitError> {
        let repository = self.open();
        let mut changes = Vec::new();
        let roots = (self.folder_at(&repository, before)?, self.folder_at(&repository, after)?);
        let mut folders = vec![(String::new(), roots)];
        while let Some((above, (before, after))) = folders.pop() {
            cancel.check()?;
            if before == after {
                continue;
            }
            for (name, before, after) in pair_by_name(read(&repository, before)?, read(&repository, after)?) {
                let path = join(&above, &name);
                let (old, new) = (before.as_ref(), after.as_ref());
                let below = (object_of_kind(old, true), object_of_kind(new, true));
                if below.0.is_some() || below.1.is_some() {
                    folders.push((path.clone(), below));
                }
                let (before, after) =
                    (object_of_kind(old, false).map(Oid), object_of_kind(new, false).map(Oid));
                if before != after {
                    changes.extend(file(&path).map(|path| TreeChange { path, before, after }));
                }
            }
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changes)
    }

    /// Returns the contents `oid`, as git stores them; `None` when they are longer than `max_bytes`, in which case they
    /// are not read.
    ///
    /// # Errors
    /// [`GitError::Read`] if the contents are missing or damaged, or `oid` is not a file's.
    pub fn read_blob(&self, oid: Oid, max_bytes: u64) -> Result<Option<Vec<u8>>, GitError> {
        self.read_history().read_blob(oid, max_bytes)
    }

    /// Returns the tree of the workspace's folder in `commit`.
    fn folder_at(
        &self,
        repository: &gix::Repository,
        commit: Oid,
    ) -> Result<Option<gix::ObjectId>, GitError> {
        let damaged = |error| GitError::of_object("the commit", commit, &error);
        let mut id = repository
            .find_commit(commit.0)
            .and_then(|commit| Ok(commit.tree_id()?.detach()))
            .map_err(damaged)?;
        for name in &self.prefix {
            let found =
                entries(repository, id)?.into_iter().find(|entry| entry.is_folder && entry.name == *name);
            match found {
                Some(entry) => id = entry.id,
                None => return Ok(None),
            }
        }
        Ok(Some(id))
    }
}

/// Returns the files and folders of a tree, in its order.
fn entries(repository: &gix::Repository, id: gix::ObjectId) -> Result<Vec<GitTreeEntry>, GitError> {
    let damaged = |error| GitError::of_object("the folder", Oid(id), &error);
    let tree = repository.find_tree(id).map_err(damaged)?;
    let mut found = Vec::new();
    for entry in TreeRefIter::from_bytes(&tree.data, id.kind()) {
        let entry = entry.map_err(damaged)?;
        let is_folder = match entry.mode.kind() {
            EntryKind::Tree => true,
            EntryKind::Blob | EntryKind::BlobExecutable => false,
            EntryKind::Link | EntryKind::Commit => continue,
        };
        if let Ok(name) = std::str::from_utf8(entry.filename) {
            found.push(GitTreeEntry { name: name.to_owned(), is_folder, id: entry.oid.to_owned() });
        }
    }
    Ok(found)
}

fn read(repository: &gix::Repository, id: Option<gix::ObjectId>) -> Result<Vec<GitTreeEntry>, GitError> {
    id.map_or(Ok(Vec::new()), |id| entries(repository, id))
}

/// A name with its entry in each of two trees.
type TreeEntryPair = (String, Option<GitTreeEntry>, Option<GitTreeEntry>);

/// Returns the names of two trees side by side. Git sorts folders as if their names ended in `/`, so both are sorted
/// anew by name.
fn pair_by_name(mut before: Vec<GitTreeEntry>, mut after: Vec<GitTreeEntry>) -> Vec<TreeEntryPair> {
    before.sort_by(|a, b| a.name.cmp(&b.name));
    after.sort_by(|a, b| a.name.cmp(&b.name));
    let (mut before, mut after) = (before.into_iter().peekable(), after.into_iter().peekable());
    let mut pairs = Vec::new();
    loop {
        let order = match (before.peek(), after.peek()) {
            (None, None) => return pairs,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => old.name.cmp(&new.name),
        };
        let old = before.next_if(|_| order.is_le());
        let new = after.next_if(|_| order.is_ge());
        let name = old.as_ref().or(new.as_ref()).map(|entry| entry.name.clone()).unwrap_or_default();
        pairs.push((name, old, new));
    }
}

/// Returns the object of an entry that is (or is not) a folder.
fn object_of_kind(entry: Option<&GitTreeEntry>, is_folder: bool) -> Option<gix::ObjectId> {
    entry.filter(|entry| entry.is_folder == is_folder).map(|entry| entry.id)
}

fn join(above: &str, name: &str) -> String {
    if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") }
}

/// Returns the path of a file. A tree may hold names like `..`, which git refuses to check out.
fn file(path: &str) -> Option<WsPath> {
    let plain = path.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    WsPath::new(path).ok().filter(|_| plain)
}
